"""Rows that look shifted: paired by position where a row is missing, instead of by item."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.analysis.forensics.findings import Finding, named
from covary.analysis.forensics.sheet import Sheet
from covary.scales import Level

__all__ = ["shifted_criteria", "shifted_judges", "shifted_occasions"]

Floats = npt.NDArray[np.float64]

SHIFTS = (1, -1, 2, -2, 3, -3)
"""A missing or doubled row or two; more would be noticed by eye."""

LEAST_ITEMS = 30
"""Correlations of fewer items are too uncertain to compare."""

LEAST_SHARE = 0.2
"""A judge of fewer of the items is no column that can slip against the file."""

MARGIN, LEAST_CORRELATION = 0.2, 0.3
"""The shifted columns must correlate visibly, and visibly better than the unshifted ones."""

ORDERED = 0.4
"""If neighbouring rows correlate more than this, the file was sorted by something like ratings."""

CHANCE = 1e-4
"""How probable the gain may be without a shift, over all comparisons of a study."""

LAGS = 8
"""Neighbours in a file may be alike; so many rows apart their likeness is added to chance."""

MOST_CELLS = 5_000_000
"""Comparisons × items beyond which judges are not compared, so that a check takes seconds."""


@dataclass(frozen=True)
class Shift:
    """How much better two columns fit from some row on when one is moved by some rows."""

    by: int
    start: int
    unshifted: float
    shifted: float
    chance: float


def shifted_criteria(sheets: Sequence[Sheet]) -> Iterator[Finding]:
    """Find a criterion whose rows are shifted against those of the others."""
    able = [sheet for sheet in sheets if sheet.scale.level > Level.NOMINAL and sheet.rating.size]
    size = max((len(sheet.items) for sheet in able), default=0)
    columns = {sheet.criterion: _means(sheet, sheet.item, size) for sheet in able}
    if len(columns) * (len(columns) - 1) / 2 * size <= MOST_CELLS and able:
        yield from _findings("criteria", columns, able[0].items)


def shifted_occasions(sheet: Sheet) -> Iterator[Finding]:
    """Find an occasion whose rows are shifted against those of the others."""
    occasion = sheet.others.get("occasion")
    if occasion is None or sheet.scale.level == Level.NOMINAL:
        return
    columns = {}
    for code, name in enumerate(occasion.names):
        columns[name] = _means(sheet, sheet.item, len(sheet.items), occasion.codes == code)
    yield from _findings("occasions", columns, sheet.items)


def shifted_judges(sheet: Sheet) -> Iterator[Finding]:
    """Find a judge whose column is shifted against the means of the others."""
    n = sheet.n_judges
    if sheet.scale.level == Level.NOMINAL or n < 2 or n * sheet.n_units > MOST_CELLS:
        return
    total = np.bincount(sheet.unit, sheet.rating)
    found: list[tuple[Any, Any, Shift]] = []
    for judge in range(1 if n == 2 else n):
        if sheet.per_judge[judge] < max(LEAST_ITEMS, LEAST_SHARE * sheet.n_units):
            continue
        own = np.full(sheet.n_units, np.nan)
        mine = sheet.judge == judge
        own[sheet.unit[mine]] = sheet.rating[mine]
        here = ~np.isnan(own)
        others = sheet.per_unit - here
        with np.errstate(invalid="ignore", divide="ignore"):
            rest = np.where(others > 0, (total - np.where(here, own, 0)) / others, np.nan)
        shift = _best_shift(own, rest, len(SHIFTS) * n)
        if shift is not None:
            against = sheet.judges[1] if n == 2 else "the mean of the others"
            found.append((sheet.judges[judge], against, shift))
    if found:
        yield _finding("judges", found, sheet.items)


def _findings(what: str, columns: dict[Any, Floats], items: tuple[Any, ...]) -> Iterator[Finding]:
    names = list(columns)
    tests = len(SHIFTS) * max(1, len(names) * (len(names) - 1) // 2)
    found = []
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            shift = _best_shift(columns[one], columns[other], tests)
            if shift is not None:
                found.append((one, other, shift))
    if found:
        yield _finding(what, found, items)


def _finding(what: str, found: list[tuple[Any, Any, Shift]], items: tuple[Any, ...]) -> Finding:
    shown = "; ".join(_sentence(one, other, shift, items) for one, other, shift in found[:4])
    more = f"; and {len(found) - 4} more" if len(found) > 4 else ""
    names = dict.fromkeys(name for one, other, _ in found for name in (one, other))
    suspects = [n for n in names if all(n in (one, other) for one, other, _ in found)]
    concerned = (
        suspects if len(suspects) == 1 else [n for n in names if n != "the mean of the others"]
    )
    rows = [
        {"one": one, "other": other, "rows": shift.by, "first_item": items[shift.start],
         "unshifted": shift.unshifted, "shifted": shift.shifted, "chance": shift.chance}
        for one, other, shift in found
    ]  # fmt: skip
    return Finding(
        f"shifted-{what}", "serious",
        f"Rows look shifted between {what}: {named(concerned)}.",
        f"{shown}{more}.",
        "Compare these rows with the original files: a row is missing or doubled, and ratings "
        "were paired by position instead of by item. No coefficient between the two means "
        "anything until that is repaired.",
        data={"shifts": rows},
    )  # fmt: skip


def _sentence(one: Any, other: Any, shift: Shift, items: tuple[Any, ...]) -> str:
    rows = (
        f"{abs(shift.by)} row{'s' if abs(shift.by) > 1 else ''} {'down' if shift.by < 0 else 'up'}"
    )
    target = other if other == "the mean of the others" else repr(other)
    return (
        f"from item {items[shift.start]!r} on, {one!r} correlates {shift.unshifted:.2f} with "
        f"{target} as the rows stand, and {shift.shifted:.2f} with {target} moved {rows}"
    )


def _means(
    sheet: Sheet, place: npt.NDArray[np.int64], size: int, own: npt.NDArray[np.bool_] | None = None
) -> Floats:
    """The mean rating of each item, NaN where it has none."""
    kept = slice(None) if own is None else own
    sums = np.bincount(place[kept], sheet.rating[kept], minlength=size)
    times = np.bincount(place[kept], minlength=size)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(times > 0, sums / times, np.nan))


def _best_shift(x: Floats, y: Floats, tests: int) -> Shift | None:
    """The clearest shift of y against x, if one is beyond chance and worth speaking of."""
    if min(_known(x), _known(y)) < LEAST_ITEMS:
        return None
    x, y = _standard(x), _standard(y)
    found = [shift for by in SHIFTS if (shift := _shift(x, y, by, tests)) is not None]
    best = max(found, key=lambda shift: shift.shifted, default=None)
    return best if best is None or _unrivalled(x, y, best) else None


def _unrivalled(x: Floats, y: Floats, best: Shift) -> bool:
    """Whether no other shift fits nearly as well; in a sorted file all do."""
    for by in SHIFTS:
        used = np.flatnonzero(~np.isnan(x + _moved(y, by)))
        used = used[used >= best.start]
        if by != best.by and _correlation(x[used], _moved(y, by)[used]) > best.shifted - MARGIN:
            return False
    return True


def _moved(y: Floats, by: int) -> Floats:
    """A column with the value of the row `by` rows further down in each row."""
    moved = np.full(y.size, np.nan)
    moved[max(0, -by) : y.size - max(0, by)] = y[max(0, by) : y.size - max(0, -by)]
    return moved


def _shift(x: Floats, y: Floats, by: int, tests: int) -> Shift | None:
    """Compare y moved by some rows with y in place, from the row on where moving gains most.

    The gain of a row is x(y' - y) in standard units. Without a shift the sums of gains from the
    end of the file up are a walk that drifts downwards, so by the reflection principle its
    maximum exceeds z standard errors with probability at most 2(1 - Φ(z)).
    """
    moved = _moved(y, by)
    used = np.flatnonzero(~np.isnan(x + y + moved))
    if used.size < LEAST_ITEMS or _likeness_of_neighbours(x[used], y[used]) > ORDERED:
        return None
    a, b, c = x[used], y[used], moved[used]
    gains = a * (c - b)
    walk = np.cumsum(gains[::-1])[::-1]
    start = int(walk.argmax())
    if used.size - start < LEAST_ITEMS:
        return None
    before, after = _correlation(a[start:], b[start:]), _correlation(a[start:], c[start:])
    z = float(walk[start]) / (_deviation(a, c - b) * np.sqrt(used.size))
    chance = math.erfc(z / math.sqrt(2)) * tests  # erfc(z/√2) is 2(1 - Φ(z))
    clear = after - before >= MARGIN and after >= LEAST_CORRELATION and chance < CHANCE
    return Shift(by, int(used[start]), before, after, chance) if clear else None


def _deviation(x: Floats, change: Floats) -> float:
    """The standard deviation of a row's gain if the columns had nothing to do with each other.

    Bartlett's sum of products of autocovariances: it grows where neighbouring rows are alike.
    """
    products = [_autocovariance(x, lag) * _autocovariance(change, lag) for lag in range(LAGS + 1)]
    variance = products[0] + 2 * sum(product for product in products[1:] if product > 0)
    return math.sqrt(max(variance, 1e-12))


def _likeness_of_neighbours(*columns: Floats) -> float:
    """The highest correlation of a column with itself one row further."""
    return max(_autocovariance(x, 1) / max(_autocovariance(x, 0), 1e-12) for x in columns)


def _autocovariance(x: Floats, lag: int) -> float:
    centred = x - x.mean()
    return float(centred[lag:] @ centred[: x.size - lag]) / x.size


def _standard(x: Floats) -> Floats:
    spread = float(np.nanstd(x))
    return np.asarray((x - np.nanmean(x)) / spread) if spread > 0 else np.full(x.size, np.nan)


def _correlation(x: Floats, y: Floats) -> float:
    x, y = x - x.mean(), y - y.mean()
    spread = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / spread if spread > 0 else 0.0


def _known(x: Floats) -> int:
    return int((~np.isnan(x)).sum())
