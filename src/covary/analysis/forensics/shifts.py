"""Is a row one item? Rows that slipped between judges, criteria and occasions; wrong retests."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.analysis.forensics.findings import Finding
from covary.analysis.forensics.sheet import Floats, Ints, Sheet
from covary.records import dataclass
from covary.scales import Level
from covary.stats.distributions import normal_quantile

SHIFTS: Mapping[int, float] = MappingProxyType(
    {1: 1 / 4, -1: 1 / 4, 2: 1 / 8, -2: 1 / 8, 3: 1 / 8, -3: 1 / 8}
)
"""A missing or doubled row or two, with its share of the chance of a false alarm; more would be
noticed by eye."""

LEAST_FOR_SHIFT, LEAST_SLIPPED = 30, 20
"""Correlations of fewer items, or of fewer after the start, are too uncertain to compare."""

LEAST_SHARE = 0.2
"""A judge of fewer of the items is no column that can slip against the file."""

MARGIN, LEAST_CORRELATION = 0.2, 0.3
"""The shifted columns must correlate visibly, and visibly better than the unshifted ones."""

ORDERED = 0.4
"""If neighbouring rows correlate more than this, the file was sorted by something like ratings."""

SUSPICION, CERTAINTY = 0.01, 1e-3
"""How probable the gain may be without a shift, over all comparisons of a study, to be looked at
or to be called serious."""

LAGS = 8
"""Neighbours in a file may be alike; so many rows apart their likeness is added to chance."""

MOST_CELLS = 5_000_000
"""Comparisons × items beyond which judges are not compared, so that a check takes seconds."""

MEANS = "the mean of the others"
"""What a judge is compared with, where there are more than two."""

SURELY_UNLIKE = 1e-3
"""How probable so low a correlation with the same items' first ratings may be if judges
agreed with themselves only half as well as with others."""


@dataclass(frozen=True, kw_only=True)
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
    columns = {sheet.criterion: _item_means(sheet, size) for sheet in able}
    if len(columns) * (len(columns) - 1) / 2 * size <= MOST_CELLS and able:
        yield from _shift_findings("criteria", columns, able[0].items)


def shifted_occasions(sheet: Sheet) -> Iterator[Finding]:
    """Find an occasion whose rows are shifted against the others', or have other items' ratings."""
    occasion = sheet.others.get("occasion")
    if occasion is None or sheet.scale.level == Level.NOMINAL:
        return
    size = len(sheet.items)
    columns = {
        name: _item_means(sheet, size, occasion.codes == code)
        for code, name in enumerate(occasion.names)
    }
    shifts = list(_shift_findings("occasions", columns, sheet.items))
    yield from shifts or _wrong_retests(sheet)


def shifted_judges(sheet: Sheet) -> Iterator[Finding]:
    """Find a judge whose column is shifted against the means of the others."""
    n = sheet.n_judges
    if sheet.scale.level == Level.NOMINAL or n < 2 or n * sheet.n_units > MOST_CELLS:
        return
    total = np.bincount(sheet.unit, sheet.rating)
    shifts: list[tuple[Any, Any, Shift]] = []
    for judge in range(1 if n == 2 else n):
        if sheet.per_judge[judge] < max(LEAST_FOR_SHIFT, LEAST_SHARE * sheet.n_units):
            continue
        own = np.full(sheet.n_units, np.nan)
        rows = sheet.rows_of(judge)
        own[sheet.unit[rows]] = sheet.rating[rows]
        here = ~np.isnan(own)
        others = sheet.per_unit - here
        with np.errstate(invalid="ignore", divide="ignore"):
            rest = np.where(others > 0, (total - np.where(here, own, 0)) / others, np.nan)
        shift = _best_shift(own, rest, n if n > 2 else 1)
        if shift is not None:
            shifts.append((sheet.judges[judge], sheet.judges[1] if n == 2 else MEANS, shift))
    if shifts:
        yield _shift_finding("judges", shifts, sheet.items, against_means=n > 2)


def _shift_findings(
    kind: str, columns: dict[Any, Floats], items: tuple[Any, ...]
) -> Iterator[Finding]:
    names = list(columns)
    tests = max(1, len(names) * (len(names) - 1) // 2)
    shifts = []
    for place, first in enumerate(names):
        for second in names[place + 1 :]:
            shift = _best_shift(columns[first], columns[second], tests)
            if shift is not None:
                shifts.append((first, second, shift))
    if shifts:
        yield _shift_finding(kind, shifts, items, against_means=False)


def _shift_finding(
    kind: str, shifts: list[tuple[Any, Any, Shift]], items: tuple[Any, ...], *, against_means: bool
) -> Finding:
    pairs = [(first, second) for first, second, _ in shifts]
    names = dict.fromkeys(name for pair in pairs for name in pair)
    names.pop(MEANS, None)
    in_all = [name for name in names if all(name in pair for pair in pairs)]
    concerned = in_all if len(in_all) == 1 else list(names)
    rows = [
        {
            "one": first,
            "other": second,
            "rows": shift.by,
            "first_item": items[shift.start],
            "unshifted": shift.unshifted,
            "shifted": shift.shifted,
            "chance": shift.chance,
        }
        for first, second, shift in shifts
    ]
    sure = min(shift.chance for _, _, shift in shifts) < CERTAINTY
    return Finding(
        f"shifted-{kind}",
        "serious" if sure else "look",
        about={"what": kind, "concerned": tuple(concerned)},
        data={"shifts": rows},
        detail={"against_means": against_means},
    )


def _item_means(sheet: Sheet, size: int, own: npt.NDArray[np.bool_] | None = None) -> Floats:
    """The mean rating of each item, NaN where it has none."""
    kept = slice(None) if own is None else own
    sums = np.bincount(sheet.item[kept], sheet.rating[kept], minlength=size)
    times = np.bincount(sheet.item[kept], minlength=size)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(times > 0, sums / times, np.nan))


def _best_shift(x: Floats, y: Floats, tests: int) -> Shift | None:
    """The clearest shift of y against x, if one is beyond chance and worth speaking of."""
    if min(_n_known(x), _n_known(y)) < LEAST_FOR_SHIFT:
        return None
    x, y = _standardise(x), _standardise(y)
    shifts = [shift for by in SHIFTS if (shift := _shift(x, y, by, tests)) is not None]
    best = max(shifts, key=lambda shift: shift.shifted, default=None)
    return best if best is None or _unrivalled(x, y, best) else None


def _unrivalled(x: Floats, y: Floats, best: Shift) -> bool:
    """Whether no other shift fits nearly as well; in a sorted file all do."""
    for by in SHIFTS:
        used = np.flatnonzero(~np.isnan(x + _move(y, by)))
        used = used[used >= best.start]
        if by != best.by and _correlation(x[used], _move(y, by)[used]) > best.shifted - MARGIN:
            return False
    return True


def _move(y: Floats, by: int) -> Floats:
    """A column with the value of the row `by` rows further down in each row."""
    moved = np.full(y.size, np.nan)
    moved[max(0, -by) : y.size - max(0, by)] = y[max(0, by) : y.size - max(0, -by)]
    return moved


def _shift(x: Floats, y: Floats, by: int, tests: int) -> Shift | None:
    """Compare y moved by some rows with y in place, from the row on where moving gains most.

    The gain of a row is x(y' - y) in standard units. The sum of the gains from a row to the end is
    divided by the root of the number of these rows, so that a slip near the end counts as much as
    one near the top; the slip begins where the sum itself is largest.
    """
    moved = _move(y, by)
    used = np.flatnonzero(~np.isnan(x + y + moved))
    if used.size < LEAST_FOR_SHIFT or _likeness_of_neighbours(x[used], y[used]) > ORDERED:
        return None
    a, b, c = x[used], y[used], moved[used]
    gains = np.cumsum((a * (c - b))[::-1])[::-1][: used.size - LEAST_SLIPPED + 1]
    scaled = gains / np.sqrt(used.size - np.arange(gains.size))
    start = int(gains.argmax())
    before, after = _correlation(a[start:], b[start:]), _correlation(a[start:], c[start:])
    if after - before < MARGIN or after < LEAST_CORRELATION:
        return None
    z = float(scaled.max()) / _deviation(a, c - b)
    chance = _chance_of_maximum(z, used.size / LEAST_SLIPPED) * tests / SHIFTS[by]
    if chance >= SUSPICION:
        return None
    return Shift(by=by, start=int(used[start]), unshifted=before, shifted=after, chance=chance)


def _chance_of_maximum(z: float, span: float) -> float:
    """How probable a random walk, divided by the root of its length, ever exceeds z.

    The lengths go from some number to `span` times as many; the walk is then an
    Ornstein-Uhlenbeck process over log(span), whose maximum has this tail (Leadbetter, Lindgren &
    Rootzén 1983, chapter 12).
    """
    if z < 1:
        return 1.0
    density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    return min(1.0, density * (math.log(max(span, 1.0)) / 2 * (z - 1 / z) + 1 / z))


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


def _standardise(x: Floats) -> Floats:
    spread = float(np.nanstd(x))
    return np.asarray((x - np.nanmean(x)) / spread) if spread > 0 else np.full(x.size, np.nan)


def _correlation(x: Floats, y: Floats) -> float:
    x, y = x - x.mean(), y - y.mean()
    spread = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / spread if spread > 0 else 0.0


def _n_known(x: Floats) -> int:
    return int((~np.isnan(x)).sum())


def _wrong_retests(sheet: Sheet) -> Iterator[Finding]:
    """Find later ratings that follow the same judge's first ones less than others' ratings do."""
    occasion = sheet.others["occasion"]
    first = occasion.codes == 0
    between = sheet.means_of_others
    known = first & ~np.isnan(between)
    if int(known.sum()) < LEAST_FOR_SHIFT:
        return
    usual = _correlation(sheet.rating[known], between[known])
    for code in range(1, len(occasion.names)):
        before, after = _rated_twice(sheet, occasion.codes, code)
        if before.size < LEAST_FOR_SHIFT or usual < LEAST_CORRELATION:
            continue
        again = _correlation(before, after)
        z = math.atanh(max(min(again, 0.999), -0.999)), math.atanh(min(usual / 2, 0.999))
        error = 1 / math.sqrt(before.size - 3)
        if math.erfc((z[1] - z[0]) / error / math.sqrt(2)) / 2 >= SURELY_UNLIKE:
            continue
        reach = normal_quantile(0.975) * error
        data = {
            "occasion": occasion.names[code],
            "first": occasion.names[0],
            "pairs": int(before.size),
            "again": again,
            "low": math.tanh(z[0] - reach),
            "high": math.tanh(z[0] + reach),
            "between": usual,
            "pairing": _better_pairing(sheet, occasion.codes, code, again),
        }
        yield Finding("wrong-retests", "serious", about={"occasion": data["occasion"]}, data=data)


def _rated_twice(sheet: Sheet, occasion: Ints, code: int) -> tuple[Floats, Floats]:
    """The first and the later ratings of one judge and item, around each judge's means."""
    key = sheet.item * sheet.n_judges + sheet.judge
    sides = []
    for number in (0, code):
        rows = np.flatnonzero(occasion == number)
        means = np.bincount(sheet.judge[rows], sheet.rating[rows], minlength=sheet.n_judges)
        times = np.maximum(np.bincount(sheet.judge[rows], minlength=sheet.n_judges), 1)
        sides.append((key[rows], sheet.rating[rows] - (means / times)[sheet.judge[rows]]))
    (keys, before), (later, after) = sides
    _, one, two = np.intersect1d(keys, later, return_indices=True)
    return before[one], after[two]


def _better_pairing(sheet: Sheet, occasion: Ints, code: int, again: float) -> str | None:
    """Another order of the items in which the later ratings fit the first ones, where there is."""
    size = len(sheet.items)
    before, after = (_item_means(sheet, size, occasion == number) for number in (0, code))
    rated = np.flatnonzero(~np.isnan(before + after))
    names = [str(sheet.items[item]) for item in rated]
    orders = {
        "reversed": rated[::-1],
        "alphabetical": rated[sorted(range(rated.size), key=names.__getitem__)],
    }
    fits = {
        name: _correlation(before[order], after[rated])
        for name, order in orders.items()
        if not np.array_equal(order, rated)
    }
    best = max(fits, key=fits.__getitem__, default=None)
    return best if best and fits[best] >= max(LEAST_CORRELATION, again + MARGIN) else None
