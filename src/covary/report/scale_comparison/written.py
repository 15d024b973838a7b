"""Numbers of a comparison of scales as they are written: with stars, degrees of freedom, limits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from covary.analysis.scale_comparison.resampling import Contrast
from covary.report.contents import Table
from covary.report.rounding import DASH, amount, coefficient, decimals, interval
from covary.report.tables import left, table
from covary.report.wording import headed
from covary.stats.estimate import Estimate, Interval
from covary.stats.stars import stars
from covary.stats.variance import Effect

__all__ = [
    "STARS", "contrast_table", "f_ratio", "limited_amount", "plain_estimate", "starred", "titled",
]  # fmt: skip

STARS = "* p ≤ .05, ** p ≤ .01."


def starred(value: float, p: float, limits: Interval | None = None) -> str:
    """Write a coefficient with its stars and its interval: `.87** [.43, .98]`."""
    if not math.isfinite(value):
        return DASH
    places = 2 if limits is None else decimals(limits.low, limits.high)
    head = f"{coefficient(value, max(places, 2))}{stars(p)}"
    ends = interval(limits, max(places, 2))
    return head if ends == DASH else f"{head} {ends}"


def f_ratio(effect: Effect) -> str:
    """Write an F ratio with its stars: `23.47**`."""
    return f"{amount(effect.f)}{stars(effect.p)}" if effect.defined else DASH


def plain_estimate(found: Estimate | None) -> str:
    """Write a coefficient alone."""
    return DASH if found is None else coefficient(found.value)


def limited_amount(value: float, limits: Interval | None) -> str:
    """Write a number of any size with its interval."""
    if not math.isfinite(value):
        return DASH
    if limits is None or not math.isfinite(limits.low):
        return amount(value)
    places = decimals(limits.low, limits.high, 1)
    return f"{amount(value, places)} [{amount(limits.low, places)}, {amount(limits.high, places)}]"


def titled(criterion: str, several: bool, text: str) -> str:
    """Put a criterion's name before a title, where there are several."""
    return headed(criterion if several else None, text)


def contrast_table(
    key: str, caption: str, rows: Iterable[tuple[str, Contrast, bool]], confidence: float
) -> Table:
    """Build the table of differences between scales; a row says what differs."""
    known = list(rows)
    written = [
        (what, f"{each.second} less {each.first}", _difference(each, bounded),
         "yes" if each.clear else "no")
        for what, each, bounded in known
    ]  # fmt: skip
    how = _how([each for _, each, _ in known])
    note = f"In brackets the {confidence:.0%} interval by a bootstrap over judges; {how}."
    return table(key, caption, [left("what"), left("difference of"), "difference", "clear"],
                 written, note)  # fmt: skip


def _difference(each: Contrast, bounded: bool) -> str:
    if not bounded:
        return limited_amount(each.value, each.interval)
    places = 2 if each.interval is None else decimals(each.interval.low, each.interval.high)
    ends = interval(each.interval, places)
    head = coefficient(each.value, places)
    return head if ends == DASH else f"{head} {ends}"


def _how(found: Sequence[Contrast]) -> str:
    return "; ".join(dict.fromkeys(each.drawn for each in found))
