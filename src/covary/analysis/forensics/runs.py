"""Straight-lining: a judge who gave one rating many times in a row."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from covary.analysis.forensics.findings import Finding, Seriousness
from covary.analysis.forensics.sheet import Sheet

__all__ = ["straight_lining"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

LEAST_RUN = 10
"""Shorter runs are common where one category is."""

LEAST_RATINGS = 30
"""Below this a judge's shares of the categories are too uncertain for the chance of a run."""

CHANCE = 1e-6
"""How probable so long a run may be, over all judges, if the order of the ratings were random."""

ITEMS_ALIKE = 0.5
"""If the others vary less than half as much on the items of the run, the items were alike."""

SORTED = 4.0
"""Standard errors by which neighbours outside the run may be alike before the file looks sorted."""

MOST_OF_A_JUDGE = 0.5
"""A run over half of a judge's ratings is serious, if the order of presentation is known."""


def straight_lining(sheet: Sheet) -> Iterator[Finding]:
    """Find runs too long for a judge's own use of the scale, while the items varied.

    The order is that of the `order` column, else of the file.
    """
    order = _order(sheet)
    judge, value, others = sheet.judge[order], sheet.value[order], _others(sheet)[order]
    starts = np.flatnonzero(np.r_[True, (np.diff(judge) != 0) | (np.diff(value) != 0)])
    lengths = np.diff(np.r_[starts, judge.size])
    ends = np.cumsum(sheet.per_judge)
    for which in _longest(judge[starts], lengths):
        start, length = int(starts[which]), int(lengths[which])
        end = int(ends[judge[start]])
        own = slice(end - int(sheet.per_judge[judge[start]]), end)
        run = slice(start, start + length)
        rest = np.r_[value[own.start : run.start], value[run.stop : own.stop]]
        unlikely = sheet.n_judges * _chance(rest == value[start], length) < CHANCE
        items_vary = unlikely and _vary(others[run], others[own], "order" in sheet.numbers)
        if items_vary and not _sorted(rest):
            yield _finding(sheet, int(order[start]), length)


def _finding(sheet: Sheet, first: int, length: int) -> Finding:
    judge, known = int(sheet.judge[first]), "order" in sheet.numbers
    given = int(sheet.per_judge[judge])
    sure = known and length >= MOST_OF_A_JUDGE * given
    seriousness: Seriousness = "serious" if sure else "look"
    name, item = sheet.judges[judge], sheet.items[sheet.item[first]]
    where = "in the order of presentation" if known else "in the order of the file"
    return Finding(
        "straight-lining", seriousness,
        f"Judge {name!r} gave one rating many times in a row.",
        f"{length:,} of {given:,} ratings, {where}, are the same from item {item!r} on, while the "
        "ratings of the others on these items vary.",
        "Look at these items and at the time that the judge took; show the coefficients with and "
        "without the run.",
        data={"judge": name, "run": length, "ratings": given, "first_item": item,
              "order_known": known},
    )  # fmt: skip


def _order(sheet: Sheet) -> Ints:
    if "order" in sheet.numbers:
        return np.lexsort((sheet.numbers["order"], sheet.judge))
    return np.argsort(sheet.judge, kind="stable")


def _longest(judge: Ints, lengths: Ints) -> list[int]:
    """The longest run of each judge, where it is long enough to ask about."""
    order = np.lexsort((lengths, judge))
    last = np.r_[np.flatnonzero(np.diff(judge[order])), judge.size - 1]
    return [int(which) for which in order[last] if lengths[which] >= LEAST_RUN]


def _chance(rest: npt.NDArray[np.bool_], length: int) -> float:
    """At most how probable the run is, if its category is used there as it is elsewhere.

    The share elsewhere is Agresti and Coull's upper bound, so that little elsewhere proves little.
    """
    if rest.size + length < LEAST_RATINGS:
        return 1.0
    n, k = rest.size + 4, int(rest.sum()) + 2
    share = min(1.0, k / n + 2 * np.sqrt(k / n * (1 - k / n) / n))
    return float((rest.size + length) * share**length)


def _others(sheet: Sheet) -> Floats:
    """For each rating, the mean of the other judges' ratings of the item; NaN without others."""
    total = np.bincount(sheet.unit, sheet.rating)[sheet.unit] - sheet.rating
    n = sheet.per_unit[sheet.unit] - 1
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(n > 0, total / n, np.nan)


def _vary(run: Floats, own: Floats, known: bool) -> bool:
    """Whether the items of a run differed, by the other judges; assumed of a known order."""
    run, own = run[~np.isnan(run)], own[~np.isnan(own)]
    if run.size < LEAST_RUN:
        return known
    return bool(run.var() >= ITEMS_ALIKE * own.var() and own.var() > 0)


def _sorted(rest: Ints) -> bool:
    """Whether a judge's neighbouring ratings are alike outside the run too: the file is sorted."""
    if rest.size < LEAST_RUN:
        return False
    if (rest == rest[0]).all():
        return True
    share = np.bincount(rest) / rest.size
    expected = float((share**2).sum())
    alike = float((rest[1:] == rest[:-1]).mean())
    error = np.sqrt(max(expected * (1 - expected), 1e-12) / (rest.size - 1))
    return bool(alike - expected > SORTED * error)
