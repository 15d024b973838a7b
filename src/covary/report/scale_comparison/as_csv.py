"""A comparison of scales as one long table for spreadsheets, not rounded."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from typing import Any

from covary.analysis.scale_comparison.found import CriterionScales, ScaleComparison
from covary.analysis.scale_comparison.resampling import Contrast
from covary.analysis.scale_comparison.sensitivity import Sensitivity
from covary.stats.estimate import Interval

__all__ = ["COLUMNS", "to_csv"]

COLUMNS = ("criterion", "property", "measure", "first", "second", "value", "low", "high", "p", "n",
           "note")  # fmt: skip
"""The columns, in order; undefined numbers are empty, and `note` says why."""

Row = dict[str, Any]


def to_csv(found: ScaleComparison) -> str:
    """Write a row for each number of each property."""
    written = io.StringIO()
    writer = csv.DictWriter(written, COLUMNS, lineterminator="\n", restval="")
    writer.writeheader()
    for each in found.criteria:
        for row in _criterion(each):
            writer.writerow({"criterion": each.criterion} | row)
    for one in found.validity:
        about = {"criterion": one.criterion, "first": one.label, "second": one.measure}
        for row in _association("validity", one.association):
            writer.writerow(about | row)
    return written.getvalue()


def _criterion(each: CriterionScales) -> Iterator[Row]:
    for one in each.interchange:
        pair = {"first": one.first, "second": one.second}
        yield from (pair | row for row in _association("interchangeability", one.association))
        if one.distance is not None:
            found = one.distance
            yield pair | _row("interchangeability", "standard deviation of differences",
                              found.value, p=found.p, low=found.low, high=found.high,
                              note=one.word)  # fmt: skip
    for order in each.reliability:
        yield {"first": order.label} | _row(
            "reliability", "Kendall's W", order.w, order.interval, p=order.p, n=order.n_judges,
            note=order.reason)  # fmt: skip
    for again in each.stability:
        about = {"first": again.experiment, "second": " and ".join(again.occasions)}
        yield about | _row("stability", "r pooled", again.pooled, again.pooled_interval,
                           p=again.pooled_p, n=again.n_pairs, note=again.reason)  # fmt: skip
        yield about | _row("stability", "r centred", again.centred, again.centred_interval)
        yield about | _row("stability", "mean shift", again.shift, again.shift_interval)
    for told in each.sensitivity:
        yield from ({"first": told.label} | row for row in _told_apart(told))
    yield from _contrasts(each)


def _told_apart(told: Sensitivity) -> Iterator[Row]:
    for effect in told.effects:
        for way, ratio in (("one-way", effect.one_way), ("additive", effect.additive)):
            yield _row("sensitivity", f"F by {effect.factor}, {way}", ratio.f, p=ratio.p,
                       note=ratio.reason)  # fmt: skip
    for way, counts in (("one-way", told.one_way), ("additive", told.additive)):
        yield _row("sensitivity", f"significant differences, {way}", counts.n_significant,
                   n=counts.n_pairs, note=f"{counts.procedure}; {counts.error}")  # fmt: skip


def _contrasts(each: CriterionScales) -> Iterator[Row]:
    named: list[tuple[str, str, Contrast]] = []
    named += [("reliability", "Kendall's W", one) for one in each.reliability_contrasts]
    for pooled, centred in each.stability_contrasts:
        named += [("stability", "r pooled", pooled), ("stability", "r centred", centred)]
    for both in each.sensitivity_contrasts:
        named += [
            ("sensitivity", "F by system, one-way", both.f_one_way),
            ("sensitivity", "F by system, additive", both.f_additive),
            ("sensitivity", "significant differences, one-way", both.count_one_way),
            ("sensitivity", "significant differences, additive", both.count_additive),
        ]
    for name, measure, one in named:
        about = {"first": one.first, "second": one.second}
        yield about | _row(name, f"{measure}: second less first", one.value, one.interval,
                           note=one.drawn)  # fmt: skip


def _association(name: str, found: Any) -> Iterator[Row]:
    yield _row(name, "Pearson's r", found.pearson, found.interval, p=found.pearson_p, n=found.n,
               note=found.reason)  # fmt: skip
    yield _row(name, "Spearman's rho", found.spearman, p=found.spearman_p, n=found.n,
               note=found.reason)  # fmt: skip


def _row(
    name: str,
    measure: str,
    value: float,
    interval: Interval | None = None,
    *,
    low: float = math.nan,
    high: float = math.nan,
    p: float = math.nan,
    n: int | str = "",
    note: str = "",
) -> Row:
    if interval is not None:
        low, high = interval.low, interval.high
    return {
        "property": name, "measure": measure, "value": _number(value), "low": _number(low),
        "high": _number(high), "p": _number(p), "n": n, "note": note,
    }  # fmt: skip


def _number(value: float) -> str:
    return repr(float(value)) if math.isfinite(value) else ""
