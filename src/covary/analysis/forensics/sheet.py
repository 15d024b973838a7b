"""The ratings on one criterion as columns of numbers, as all checks read them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from covary.analysis.forensics.pairs import Pairs, count_pairs
from covary.ratings import Ratings
from covary.ratings.frames import fetch
from covary.ratings.room import refuse_many
from covary.scales import Scale, is_number

__all__ = ["Coded", "Sheet", "numbered", "read_sheets"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Column = npt.NDArray[Any]

NAMES = ("criterion", "item", "judge", "system", "source", "occasion", "round")
OTHERS = ("system", "source", "occasion")
NUMBERS = ("order", "seconds")


@dataclass(frozen=True)
class Coded:
    """A column as numbers from 0 in the order in which its values first appear; -1 for none."""

    codes: Ints
    names: tuple[Any, ...]


@dataclass(frozen=True)
class Sheet:
    """The ratings on one criterion, one by one in the order of the file, without empty ones.

    `item`, `judge` and `unit` are numbers from 0; a unit is an item on one occasion in one round,
    and a judge rates it once. Items are numbered in the order of the file and alike on every
    criterion. `rating` is the number of the category on the scale or, on a line, the rating.
    """

    criterion: Any
    scale: Scale
    slots: bool
    judges: tuple[Any, ...]
    items: tuple[Any, ...]
    item: Ints
    judge: Ints
    unit: Ints
    rating: Floats
    others: Mapping[str, Coded]
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
    names = {name: numbered(columns[name]) for name in wanted if name in NAMES}
    numbers = {name: _as_numbers(columns[name]) for name in wanted if name in NUMBERS}
    return tuple(_sheet(ratings, each, columns["rating"], names, numbers) for each in chosen)


def numbered(column: Column) -> Coded:
    """Number the distinct values of a column in the order in which they first appear."""
    if column.dtype == object:
        values = column.tolist()
        kept = [value for value in dict.fromkeys(values) if not _is_missing(value)]
        places = {value: place for place, value in enumerate(kept)}
        found = np.fromiter(map(places.get, values, repeat(-1)), np.int64, len(values))
        return Coded(found, tuple(kept))
    distinct, first, inverse = np.unique(column, return_index=True, return_inverse=True)
    order = np.argsort(first)
    kept = [value for value in distinct[order].tolist() if not _is_missing(value)]
    ranks = np.full(distinct.size, -1, dtype=np.int64)
    missing = np.array([_is_missing(value) for value in distinct.tolist()], dtype=bool)
    ranks[order[~missing[order]]] = np.arange(len(kept))
    return Coded(ranks[inverse], tuple(kept))


def _sheet(
    ratings: Ratings, criterion: Any, column: Column, names: dict[str, Coded],
    numbers: dict[str, Floats],
) -> Sheet:  # fmt: skip
    scale = ratings.scales[criterion]
    own = np.ones(column.size, dtype=bool)
    if criterion is not None and "criterion" in names:
        own = names["criterion"].codes == names["criterion"].names.index(criterion)
    rated = _on_scale(column, scale)
    kept = own & ~np.isnan(rated)
    part = {name: Coded(found.codes[kept], found.names) for name, found in names.items()}
    judge, judges = _in_order(part["judge"])
    others = {name: each for name, each in part.items() if name in OTHERS}
    return Sheet(
        criterion, scale, ratings.slots, judges, part["item"].names, part["item"].codes, judge,
        _units(part), rated[kept], others, {n: number[kept] for n, number in numbers.items()},
        int((own & ~kept).sum()),
    )  # fmt: skip


def _on_scale(column: Column, scale: Scale) -> Floats:
    """The numbers of the categories, or the ratings as they are; NaN where there is none."""
    if scale.categories is None:
        return column.astype(float)
    if column.dtype == object and not all(is_number(c) for c in scale.categories):
        places: dict[Any, float] = {c: float(place) for place, c in enumerate(scale.categories)}
        return np.fromiter(map(places.get, column.tolist(), repeat(np.nan)), float, column.size)
    numbers, wanted = column.astype(float), np.array(scale.categories, dtype=float)
    order = np.argsort(wanted)
    place = np.searchsorted(wanted[order], numbers).clip(max=wanted.size - 1)
    return np.where(wanted[order][place] == numbers, order[place], np.nan)


def _in_order(judge: Coded) -> tuple[Ints, tuple[Any, ...]]:
    """Number the judges who rated at all in the order of their names."""
    present = np.flatnonzero(np.bincount(judge.codes, minlength=len(judge.names)))
    kept = sorted(present.tolist(), key=lambda code: _by_name(judge.names[code]))
    ranks = np.zeros(len(judge.names), dtype=np.int64)
    ranks[kept] = np.arange(len(kept))
    return ranks[judge.codes], tuple(judge.names[code] for code in kept)


def _units(part: dict[str, Coded]) -> Ints:
    """Number the items on each occasion in each round, in the order of the items."""
    key = part["item"].codes
    for name in ("occasion", "round"):
        if name in part:
            key = key * (len(part[name].names) + 1) + part[name].codes + 1
    return np.unique(key, return_inverse=True)[1].astype(np.int64)


def _as_numbers(column: Column) -> Floats:
    """An order or a time as numbers; text, such as a date, by its alphabetical place."""
    if column.dtype.kind in "Mm":
        return column.astype("int64").astype(float)
    try:
        return column.astype(float)
    except (TypeError, ValueError):
        return np.unique(column.astype(str), return_inverse=True)[1].astype(float)


def _by_name(name: Any) -> tuple[bool, Any]:
    return isinstance(name, str), name


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas.NA is neither equal to itself nor not
        return True
