"""The ratings of one criterion as votes: who gave which item which category, in a fixed order.

Items and judges are numbered in the order of their names and votes are sorted by item, judge and
category, so that nothing that follows can depend on the order of rows in a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import narwhals as nw
import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument, RatingsError, listed
from covary.ratings import Ratings
from covary.ratings.encode import Matrix
from covary.ratings.frames import Frame, fetch
from covary.ratings.room import refuse_many
from covary.scales import Level, Scale, is_number

__all__ = ["Floats", "Ints", "Occasions", "Votes", "votes_of"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Occasions = Literal["refuse", "votes"]


@dataclass(frozen=True)
class Votes:
    """One entry per vote: the numbers of its item, its judge and its value.

    `values` are the categories of the scale, or the distinct ratings where it is a line. Every item
    has at least one vote; `n_unrated` items had none and are not here.
    """

    items: tuple[Any, ...]
    judges: tuple[Any, ...]
    item: Ints
    judge: Ints
    code: Ints
    values: tuple[Any, ...] | Floats
    scale: Scale
    criterion: Any
    slots: bool
    n_unrated: int = 0

    @property
    def continuous(self) -> bool:
        """Whether ratings are numbers on a line; undeclared numbers of interval level are."""
        return self.scale.categories is None or (
            not self.scale.declared and self.scale.level >= Level.INTERVAL
        )

    @cached_property
    def n_votes(self) -> Ints:
        """How many votes each item has."""
        return np.bincount(self.item, minlength=len(self.items)).astype(np.int64)

    @cached_property
    def counts(self) -> Ints:
        """How many votes each item gives each category: items × categories."""
        size = len(self.items) * len(self.values)
        flat = np.bincount(self.item * len(self.values) + self.code, minlength=size)
        return flat.astype(np.int64).reshape(len(self.items), len(self.values))

    @cached_property
    def shares(self) -> Floats:
        """The share of each item's votes that each category has; no columns on a line."""
        if self.continuous:
            return np.empty((len(self.items), 0))
        return np.asarray(self.counts / self.n_votes[:, None])

    @cached_property
    def positions(self) -> Floats:
        """Where each value stands: its number from interval level up, else its rank."""
        if self.continuous:
            return np.asarray(self.values, dtype=float)
        return np.asarray(self.scale.positions(), dtype=float)


def votes_of(ratings: Ratings, criterion: Any, occasions: Occasions) -> Votes:
    """Read the votes on a criterion; read once, they are kept with the ratings."""
    chosen = ratings.one_criterion(criterion)
    key = ("votes", chosen, occasions)
    if key not in ratings.cache:
        ratings.cache[key] = _read(ratings, chosen, occasions)
    found: Votes = ratings.cache[key]
    if not found.items:
        raise RatingsError("there are no votes to combine: every rating is missing")
    return found


def _read(ratings: Ratings, criterion: Any, occasions: Occasions) -> Votes:
    scale = ratings.scales[criterion]
    if ratings.matrix is not None:
        return _from_matrix(ratings.matrix, scale, ratings.slots)
    refuse_many(ratings, "combining votes")
    frame = ratings.frame
    if criterion is not None:
        frame = frame.filter(nw.col("criterion") == criterion)
    given = frame.filter(~nw.col("rating").is_null())
    if occasions == "refuse":
        _refuse_repeats(ratings, given)
    columns = fetch(given.select("item", "judge", "rating"))
    items, item = _numbered(columns["item"])
    judges, judge = _numbered(columns["judge"])
    values, code = _coded(columns["rating"], scale)
    listed_items = int(fetch(frame.select("item").unique().select(n=nw.len()))["n"][0])
    order = _order(item, judge, code)
    return Votes(items, judges, item[order], judge[order], code[order], values, scale, criterion,
                 ratings.slots, listed_items - len(items))  # fmt: skip


def _from_matrix(matrix: Matrix, scale: Scale, slots: bool) -> Votes:
    row, judge = np.nonzero(matrix.codes >= 0)
    code = matrix.codes[row, judge].astype(np.int64)
    rated, item = np.unique(row, return_inverse=True)
    return Votes(tuple(rated.tolist()), matrix.judges, item.astype(np.int64), judge, code,
                 matrix.values, scale, None, slots, len(matrix.codes) - rated.size)  # fmt: skip


def _refuse_repeats(ratings: Ratings, given: Frame) -> None:
    """Refuse several occasions, which would give some judges more votes than others."""
    for column in ("occasion", "round"):
        if column in ratings.columns:
            found = sorted(fetch(given.select(column).unique())[column].tolist(), key=str)
            if len(found) > 1:
                raise InvalidArgument(
                    f"the ratings come from several values of {column} ({listed(found)}), so a "
                    f"judge would vote twice or more on an item; choose with "
                    f"ratings.select({column}={found[0]!r}), or say occasions='votes' to count "
                    "each of them as a vote"
                )


def _numbered(column: npt.NDArray[Any]) -> tuple[tuple[Any, ...], Ints]:
    """Return the distinct names in order, and the number of each entry's name."""
    if column.dtype != object:
        names, numbers = np.unique(column, return_inverse=True)
        return tuple(names.tolist()), numbers.astype(np.int64)
    entries = column.tolist()
    ordered = _sorted(list(set(entries)))
    places = {name: number for number, name in enumerate(ordered)}
    return tuple(ordered), np.fromiter(map(places.__getitem__, entries), np.int64, len(entries))


def _sorted(names: Sequence[Any]) -> list[Any]:
    return sorted(names, key=lambda name: (isinstance(name, str), name))


def _coded(ratings: npt.NDArray[Any], scale: Scale) -> tuple[Any, Ints]:
    """Return the values that a rating can have, and the number of each rating's value."""
    if scale.categories is None:
        values, code = np.unique(ratings.astype(float), return_inverse=True)
        return values, code.astype(np.int64)
    if all(is_number(category) for category in scale.categories):
        places = np.asarray(scale.categories, dtype=float)
        order = np.argsort(places)
        found = order[np.searchsorted(places[order], ratings.astype(float))]
        return scale.categories, found.astype(np.int64)
    numbers = {category: number for number, category in enumerate(scale.categories)}
    entries = ratings.tolist()
    return scale.categories, np.fromiter(map(numbers.__getitem__, entries), np.int64, len(entries))


def _order(item: Ints, judge: Ints, code: Ints) -> Ints:
    """Sort by item, then judge, then category."""
    if not item.size:
        return item
    judges, values = int(judge.max()) + 1, int(code.max()) + 1
    if (int(item.max()) + 1) * judges * values < 2**62:
        return np.argsort((item * judges + judge) * values + code)
    return np.lexsort((code, judge, item))
