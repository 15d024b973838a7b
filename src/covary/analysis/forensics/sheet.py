"""The ratings on one criterion as columns of numbers, and each two judges on their common items."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, reduce
from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.ratings import Ratings
from covary.ratings import expressions as nw
from covary.ratings.frames import fetch
from covary.ratings.memory_limit import refuse_many
from covary.records import dataclass
from covary.scales import Level, Scale, VerbalScale, is_number

MOST_JUDGES = 200
"""Pairs grow with the square of the judges; beyond this only those with the most ratings count."""

Ints = npt.NDArray[np.int64]

Floats = npt.NDArray[np.float64]

Array = npt.NDArray[Any]

NAMES = ("criterion", "item", "judge", "system", "source", "occasion", "round")

OTHERS = ("system", "source", "occasion")

NUMBERS = ("order", "seconds")

ROWS_ARE_JUDGES = "formats.rows-are-judges"
"""What a reader notes where each row of a file is a judge whom it numbered."""


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """Tables of judges × judges; a row and a column stand for the judge in `kept`.

    `common` counts the items that both rated, `equal` those with equal ratings, and `above` those
    on which the judge of the column rated higher. `correlation` is Pearson's (NaN where one of the
    two does not vary). `severity` is each judge's mean difference from the others on the same
    items, in the additive model of items and judges; NaN where nothing links a judge to others.
    """

    kept: Ints
    limited: bool
    common: Ints
    equal: Ints
    above: Ints
    correlation: Floats
    severity: Floats


def count_pairs(unit: Ints, judge: Ints, rating: Floats, n_judges: int) -> Pairs:
    """Count the pairs of ratings within each unit by the two judges who gave them."""
    kept = np.sort(np.argsort(-np.bincount(judge, minlength=n_judges), kind="stable")[:MOST_JUDGES])
    place = np.full(n_judges, -1, dtype=np.int64)
    place[kept] = np.arange(kept.size)
    own = np.flatnonzero(place[judge] >= 0)
    order = own[np.lexsort((judge[own], unit[own]))]
    centred = rating - (rating.mean() if rating.size else 0)
    table = _PairSums.of(unit[order], place[judge[order]], centred[order], kept.size)
    return Pairs(
        kept=kept,
        limited=n_judges > kept.size,
        common=table.counts("common"),
        equal=table.counts("equal"),
        above=table.counts("above"),
        correlation=table.correlation(),
        severity=table.severity(),
    )


class _PairSums:
    """Sums over pairs of ratings of one unit, by the two judges."""

    def __init__(self, n_judges: int) -> None:
        self.n = n_judges
        names = ("common", "equal", "above", "shared", "x", "xx", "xy")
        self.sums = {name: np.zeros((n_judges, n_judges)) for name in names}
        self.deviation = np.zeros(n_judges)
        self.given = np.zeros(n_judges)

    @classmethod
    def of(cls, unit: Ints, judge: Ints, rating: Floats, n_judges: int) -> _PairSums:
        """Add up all pairs: the ratings of a unit stand side by side, so compare by distance."""
        table = cls(n_judges)
        sizes = np.bincount(unit) if unit.size else np.zeros(1, dtype=np.int64)
        means = np.bincount(unit, rating) / np.maximum(sizes, 1) if unit.size else np.zeros(1)
        table.deviation += np.bincount(judge, rating - means[unit], minlength=n_judges)
        table.given += np.bincount(judge, 1 - 1 / sizes[unit], minlength=n_judges)
        for gap in range(1, int(sizes.max())):
            first = np.flatnonzero(unit[gap:] == unit[:-gap])
            second = first + gap
            table.add(
                (judge[first], rating[first]),
                (judge[second], rating[second]),
                1 / sizes[unit[first]],
            )
        return table

    def add(self, first: tuple[Ints, Floats], second: tuple[Ints, Floats], shared: Floats) -> None:
        """Count pairs of ratings, each of the two as its judge and its rating."""
        (a, x), (b, y) = first, second
        place = a * self.n + b

        def summed(weights: Floats | npt.NDArray[np.bool_] | None) -> Floats:
            flat = np.bincount(place, weights, minlength=self.n * self.n)
            return flat.reshape(self.n, self.n).astype(float)

        for name, weights in (("common", None), ("equal", x == y), ("shared", shared)):
            once = summed(weights)
            self.sums[name] += once + once.T
        for name, of_b, of_a in (("above", y > x, x > y), ("x", x, y), ("xx", x * x, y * y)):
            self.sums[name] += summed(of_b) + summed(of_a).T
        product = summed(x * y)
        self.sums["xy"] += product + product.T

    def counts(self, name: str) -> Ints:
        """A table of counts."""
        return np.rint(self.sums[name]).astype(np.int64)

    def correlation(self) -> Floats:
        """Pearson's correlation of each two judges."""
        n, x, xx, xy = (self.sums[name] for name in ("common", "x", "xx", "xy"))
        with np.errstate(invalid="ignore", divide="ignore"):
            spread = xx - x * x / n
            spread[spread <= 1e-9 * xx] = np.nan  # what rounding leaves of no variation
            return np.asarray((xy - x * x.T / n) / np.sqrt(spread * spread.T))

    def severity(self) -> Floats:
        """Least-squares effects of the judges, the items eliminated."""
        normal = np.diag(self.given) - self.sums["shared"]
        effects = np.linalg.lstsq(normal, self.deviation, rcond=1e-9)[0] if self.n else np.zeros(0)
        return np.where(self.sums["common"].sum(axis=1) > 0, effects, np.nan)


@dataclass(frozen=True)
class CodedColumn:
    """A column as numbers from 0 in the order in which its values first appear; -1 for none."""

    codes: Ints
    names: tuple[Any, ...]


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """The ratings on one criterion, one by one in the order of the file, without empty ones.

    `item`, `judge` and `unit` are numbers from 0; a unit is an item on one occasion in one round,
    and a judge rates it once. Items are numbered in the order of the file and alike on every
    criterion. `rating` is the number of the category on the scale or, on a line, the rating.
    `respondents` says that the reader numbered the judges itself, one for each row of a form;
    `measured` that covary measured the times itself, so that they are seconds.
    """

    criterion: Any
    scale: Scale
    slots: bool
    respondents: bool = False
    measured: bool = False
    judges: tuple[Any, ...]
    items: tuple[Any, ...]
    item: Ints
    judge: Ints
    unit: Ints
    rating: Floats
    others: Mapping[str, CodedColumn]
    numbers: Mapping[str, Floats]
    n_empty: int

    @property
    def n_judges(self) -> int:
        """How many judges rated on this criterion."""
        return len(self.judges)

    @property
    def n_units(self) -> int:
        """How many items were rated, counted once for each occasion."""
        return int(self.unit.max()) + 1 if self.unit.size else 0

    @property
    def continuous(self) -> bool:
        """Whether the scale is a line and has no categories."""
        return self.scale.categories is None

    @cached_property
    def per_unit(self) -> Ints:
        """How many ratings each unit has."""
        return np.bincount(self.unit, minlength=self.n_units)

    @cached_property
    def per_judge(self) -> Ints:
        """How many ratings each judge gave."""
        return np.bincount(self.judge, minlength=self.n_judges)

    @cached_property
    def _by_judge(self) -> tuple[Ints, Ints]:
        """The numbers of the ratings judge by judge, and where each judge's begin."""
        return np.argsort(self.judge, kind="stable"), np.r_[0, np.cumsum(self.per_judge)]

    def rows_of(self, judge: int) -> Ints:
        """The numbers of one judge's ratings, in the order of the file."""
        order, starts = self._by_judge
        return order[starts[judge] : starts[judge + 1]]

    @cached_property
    def means_of_others(self) -> Floats:
        """For each rating, the mean of the other judges' ratings of the unit; NaN without any."""
        total = np.bincount(self.unit, self.rating)[self.unit] - self.rating
        n = self.per_unit[self.unit] - 1
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(n > 0, total / n, np.nan)

    @cached_property
    def value(self) -> Ints:
        """The rating as a whole number: its category, or its rank among the distinct ratings."""
        if not self.continuous:
            return self.rating.astype(np.int64)
        return np.unique(self.rating, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def pairs(self) -> Pairs:
        """What each two judges did on the items that both rated."""
        return count_pairs(self.unit, self.judge, self.rating, self.n_judges)

    def shown(self, code: int) -> Any:
        """The name of a category."""
        return None if self.scale.categories is None else self.scale.categories[code]


def read_sheets(ratings: Ratings, criterion: Any = None) -> tuple[Sheet, ...]:
    """Bring the columns from the engine and part them by criterion."""
    refuse_many(ratings, "looking for faults")
    frame, wanted = ratings.frame, [n for n in (*NAMES, "rating", *NUMBERS) if n in ratings.columns]
    chosen = ratings.criteria if criterion is None else (ratings.one_criterion(criterion),)
    if criterion is not None and "criterion" in wanted:
        frame = frame.filter(nw.col("criterion") == criterion)
    columns = fetch(frame.select(wanted))
    names = {name: code_column(columns[name]) for name in wanted if name in NAMES}
    numbers = {name: _as_numbers(columns[name]) for name in wanted if name in NUMBERS}
    return tuple(
        _make_sheet(ratings, name, columns["rating"], names=names, numbers=numbers)
        for name in chosen
    )


def join_sheets(sheets: Sequence[Sheet]) -> Sheet | None:
    """Take what a judge answered of an item on all criteria as one rating in categories.

    Only items count that a judge rated on every criterion; None where the answers do not differ,
    or an item was rated on several occasions.
    """
    if any(np.unique(sheet.item).size < sheet.n_units for sheet in sheets):
        return None
    judges = tuple(sorted({name for sheet in sheets for name in sheet.judges}, key=_by_name))
    number, n_items = {name: place for place, name in enumerate(judges)}, len(sheets[0].items)
    answered = []
    for sheet in sheets:
        own = np.array([number[name] for name in sheet.judges], dtype=np.int64)
        answered.append(own[sheet.judge] * n_items + sheet.item)
    whole = reduce(np.intersect1d, answered)
    code = np.zeros(whole.size, dtype=np.int64)
    for sheet, places in zip(sheets, answered, strict=True):
        order = np.argsort(places)
        value = sheet.value[order[np.searchsorted(places[order], whole)]]
        code = np.unique(code * (sheet.value.max() + 1) + value, return_inverse=True)[1]
    if not code.any():
        return None
    item = whole % n_items
    return replace(
        sheets[0],
        criterion=None,
        scale=VerbalScale(range(int(code.max()) + 1), level=Level.NOMINAL),
        judges=judges,
        item=item,
        judge=whole // n_items,
        unit=np.unique(item, return_inverse=True)[1].astype(np.int64),
        rating=code.astype(float),
        others={},
        numbers={},
        n_empty=0,
    )


def code_column(column: Array) -> CodedColumn:
    """Number the distinct values of a column in the order in which they first appear."""
    if column.dtype == object:
        values = column.tolist()
        kept = [value for value in dict.fromkeys(values) if not _is_missing(value)]
        places = {value: place for place, value in enumerate(kept)}
        codes = np.fromiter(map(places.get, values, repeat(-1)), np.int64, len(values))
        return CodedColumn(codes, tuple(kept))
    distinct, first, inverse = np.unique(column, return_index=True, return_inverse=True)
    order = np.argsort(first)
    kept = [value for value in distinct[order].tolist() if not _is_missing(value)]
    ranks = np.full(distinct.size, -1, dtype=np.int64)
    missing = np.array([_is_missing(value) for value in distinct.tolist()], dtype=bool)
    ranks[order[~missing[order]]] = np.arange(len(kept))
    return CodedColumn(ranks[inverse], tuple(kept))


def _make_sheet(
    ratings: Ratings,
    criterion: Any,
    column: Array,
    *,
    names: dict[str, CodedColumn],
    numbers: dict[str, Floats],
) -> Sheet:
    scale = ratings.scales[criterion]
    own = np.ones(column.size, dtype=bool)
    if criterion is not None and "criterion" in names:
        own = names["criterion"].codes == names["criterion"].names.index(criterion)
    rated = _on_scale(column, scale)
    kept = own & ~np.isnan(rated)
    part = {name: CodedColumn(column.codes[kept], column.names) for name, column in names.items()}
    judge, judges = _in_order(part["judge"])
    return Sheet(
        criterion=criterion,
        scale=scale,
        slots=ratings.slots,
        measured=ratings.measured,
        respondents=any(getattr(note, "code", "") == ROWS_ARE_JUDGES for note in ratings.notes),
        judges=judges,
        items=part["item"].names,
        item=part["item"].codes,
        judge=judge,
        unit=_units(part),
        rating=rated[kept],
        others={name: coded for name, coded in part.items() if name in OTHERS},
        numbers={name: number[kept] for name, number in numbers.items()},
        n_empty=int((own & ~kept).sum()),
    )


def _on_scale(column: Array, scale: Scale) -> Floats:
    """The numbers of the categories, or the ratings as they are; NaN where there is none."""
    if scale.categories is None:
        return column.astype(float)
    if not scale.categories:  # all ratings are missing
        return np.full(column.size, np.nan)
    if column.dtype == object and not all(is_number(c) for c in scale.categories):
        places: dict[Any, float] = {c: float(place) for place, c in enumerate(scale.categories)}
        return np.fromiter(map(places.get, column.tolist(), repeat(np.nan)), float, column.size)
    numbers, wanted = column.astype(float), np.array(scale.categories, dtype=float)
    order = np.argsort(wanted)
    place = np.searchsorted(wanted[order], numbers).clip(max=wanted.size - 1)
    return np.where(wanted[order][place] == numbers, order[place], np.nan)


def _in_order(judge: CodedColumn) -> tuple[Ints, tuple[Any, ...]]:
    """Number the judges who rated at all in the order of their names."""
    present = np.flatnonzero(np.bincount(judge.codes, minlength=len(judge.names)))
    kept = sorted(present.tolist(), key=lambda code: _by_name(judge.names[code]))
    ranks = np.zeros(len(judge.names), dtype=np.int64)
    ranks[kept] = np.arange(len(kept))
    return ranks[judge.codes], tuple(judge.names[code] for code in kept)


def _units(part: dict[str, CodedColumn]) -> Ints:
    """Number the items on each occasion in each round, in the order of the items."""
    key = part["item"].codes
    for name in ("occasion", "round"):
        if name in part:
            key = key * (len(part[name].names) + 1) + part[name].codes + 1
    return np.unique(key, return_inverse=True)[1].astype(np.int64)


def _as_numbers(column: Array) -> Floats:
    """An order or a time as numbers; text, such as a date, by its alphabetical place."""
    if column.dtype.kind in "Mm":
        return column.astype("int64").astype(float)
    try:
        return column.astype(float)
    except (TypeError, ValueError):
        return np.unique(column.astype(str), return_inverse=True)[1].astype(float)


def distinct(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The different values in their order, which NumPy alone finds after loading masked arrays."""
    return np.unique(values, return_counts=True)[0]


def median(values: npt.ArrayLike) -> float:
    """The median, which NumPy finds only after loading its masked arrays; NaN with any NaN.

    Examples
    --------
    >>> median([4, 1, 3]), median([4, 1, 3, 2])
    (3.0, 2.5)
    """
    ordered = np.sort(np.asarray(values, dtype=float))
    middle = ordered.size // 2
    if np.isnan(ordered[-1]):
        return math.nan
    return float(ordered[middle] if ordered.size % 2 else ordered[middle - 1 : middle + 1].mean())


def medians_of_others(values: Sequence[float]) -> list[float]:
    """For each value the median of all others, from one sorting; 0 where there are none.

    Examples
    --------
    >>> medians_of_others([4, 1, 3]), medians_of_others([5])
    ([2.0, 3.5, 2.5], [0.0])
    """
    if len(values) < 2 or any(map(math.isnan, values)):
        rest = [[*values[:place], *values[place + 1 :]] for place in range(len(values))]
        return [median(others) if others else 0.0 for others in rest]
    order = np.argsort(values, kind="stable")
    ordered, left = np.asarray(values, dtype=float)[order], len(values) - 1
    rank = np.empty(len(values), dtype=np.int64)
    rank[order] = np.arange(len(values))
    low, high = (place + (rank <= place) for place in ((left - 1) // 2, left // 2))
    return [float(middle) for middle in (ordered[low] + ordered[high]) / 2]


def _by_name(name: Any) -> tuple[bool, Any]:
    return isinstance(name, str), name


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas.NA is neither equal to itself nor not
        return True
