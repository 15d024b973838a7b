"""The short form of a comparison of scales for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from covary.analysis.scale_comparison.found import CriterionScales, ScaleComparison
from covary.report.rounding import DASH, coefficient
from covary.report.scale_comparison.written import f_ratio, starred
from covary.report.short import WIDTH, aligned

__all__ = ["short"]

HEADS = ("criterion", "experiment", "W", "r retest", "F system", "differences")


def short(found: ScaleComparison) -> str:
    """Write a line for each experiment and occasion, and the summary."""
    rows = [row for each in found.criteria for row in _rows(each)]
    said = [textwrap.fill(each, WIDTH, subsequent_indent="  ") for each in found.summary]
    about = textwrap.fill(
        "W: Kendall's over systems; r: pooled; F and differences: as designed (additive model).",
        WIDTH,
    )
    return "\n".join([*aligned([HEADS, *rows]), about, "", *said])


def _rows(each: CriterionScales) -> Iterator[tuple[str, ...]]:
    again = {one.experiment: coefficient(one.pooled) for one in each.stability}
    for order, told in zip(each.reliability, each.sensitivity, strict=True):
        counts = told.additive
        yield (
            each.criterion, order.label, starred(order.w, order.p, order.interval),
            again.pop(order.experiment, DASH), f_ratio(told.effects[0].additive),
            f"{counts.n_significant} of {counts.n_pairs}",
        )  # fmt: skip
