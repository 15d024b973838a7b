"""The rounds for spreadsheets and terminals."""

from __future__ import annotations

import csv
import io
import math
import textwrap
from typing import Any

from covary.analysis.rounds import CriterionRounds, Fresh, RoundFound, Rounds
from covary.report.rounding import percent, with_interval
from covary.report.rounds.sections import gap_words, normalised_words
from covary.report.short import WIDTH, aligned

__all__ = ["COLUMNS", "short", "to_csv"]

COLUMNS = (
    "criterion", "round", "items", "ratings", "threshold", "differing", "within", "within_low",
    "within_high", "pairs_within", "alpha", "alpha_low", "alpha_high", "level",
)  # fmt: skip
"""The columns, in order; undefined numbers are empty."""


def to_csv(found: Rounds) -> str:
    """Write a row for each criterion and round, not rounded."""
    kept = io.StringIO()
    writer = csv.DictWriter(kept, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for each in found.criteria:
        writer.writerows(_row(each, one) for one in each.rounds)
    return kept.getvalue()


def _row(each: CriterionRounds, one: RoundFound) -> dict[str, Any]:
    limits = one.alpha.interval
    return {
        "criterion": "" if each.criterion is None else each.criterion, "round": one.round,
        "items": one.n_items, "ratings": one.n_ratings, "threshold": repr(each.threshold),
        "differing": one.differing, "within": _number(one.within.value),
        "within_low": _number(one.within.low), "within_high": _number(one.within.high),
        "pairs_within": _number(one.pairs.value), "alpha": _number(one.alpha.value),
        "alpha_low": _number(math.nan if limits is None else limits.low),
        "alpha_high": _number(math.nan if limits is None else limits.high),
        "level": str(one.alpha.level),
    }  # fmt: skip


def _number(value: float) -> str:
    return repr(float(value)) if math.isfinite(value) else ""


def short(found: Rounds) -> str:
    """Write one table of all rounds, the changes, and what they do not show."""
    heads = ["criterion", "round", "items", "differ", "within", "alpha", "change"]
    rows = []
    for each in found.criteria:
        for one in each.rounds:
            last = one is each.last and each.alpha_gap is not None
            rows.append(
                [each.name, str(one.round), f"{one.n_items:,}", f"{one.differing:,}",
                 percent(one.within.value), with_interval(one.alpha),
                 gap_words(each.alpha_gap) if last else ""]
            )  # fmt: skip
    lines = [*aligned([heads, *rows]), ""]
    fresh = [_fresh(each.name, each.fresh) for each in found.criteria if each.fresh is not None]
    if fresh:
        heads = ["criterion", "alpha, new group", "less the authors'", "xRR", "normalised"]
        lines += [*aligned([heads, *fresh]), ""]
    return "\n".join([*lines, textwrap.fill(found.statement, WIDTH)])


def _fresh(name: str, fresh: Fresh) -> list[str]:
    return [name, with_interval(fresh.fresh), gap_words(fresh.gap), with_interval(fresh.xrr),
            normalised_words(fresh)]  # fmt: skip
