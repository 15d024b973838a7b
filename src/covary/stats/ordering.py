"""Counting what two judges have in common: the items that both rated, and pairs of items that they
put in the same or in the opposite order; and ranks.

Three hundred judges make 44,850 pairs, and each pair shares a few items. What is asked of all pairs
is therefore counted from the ratings: an item with m of them adds m (m - 1) / 2 common ones, each
with its row, its pair of judges and the cell of the pair's cross table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.records import dataclass
from covary.stats.inversions import larger_before, stable_order

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MOST_MULTIPLIED = 8
"""Up to so many categories a table is multiplied by which cells stand beyond which."""

MOST_AT_ONCE = 4_000_000
"""The most common ratings that are held at once."""

MOST_CELLS = 1 << 28
"""The most cells of the tables of all pairs, which take two gigabytes."""

EXACT_32 = 2**24
"""Whole numbers up to here are exact in single precision."""

COLUMNS_ARE_QUICKER = 16
"""How much longer it takes to find and count a common rating than to multiply two numbers."""


class Common(NamedTuple):
    """Common ratings: their rows, the numbers of their pairs, their cells in the pairs' tables."""

    rows: Ints
    pairs: Ints
    cells: Ints


@dataclass(frozen=True, kw_only=True)
class CommonRatings:
    """The common ratings of all pairs of judges.

    `counts` says how often each row counts. `rated` and `codes` return who rated which row and the
    ratings of all (rows × judges) when they are asked for; or `listed` has the row, the judge and
    the rating of each, by row and then by judge. `shared` is how many items every two judges share,
    where rows are items and that was counted.
    """

    rated: Callable[[], npt.NDArray[np.bool_]] | None = None
    codes: Callable[[], npt.NDArray[np.int32]] | None = None
    counts: Floats
    n_values: int
    n_judges: int
    listed: tuple[Ints, Ints, Ints] | None = None
    shared: Floats | None = None

    @cached_property
    def _rated(self) -> npt.NDArray[np.bool_] | None:
        return None if self.rated is None else self.rated()

    @cached_property
    def _entries(self) -> tuple[Ints, Ints, Ints]:
        """The ratings one by one, by row and then by judge: row, judge and rating."""
        if self.listed is not None:
            return self.listed
        assert self._rated is not None
        assert self.codes is not None
        rows, judges = np.nonzero(self._rated)
        return rows, judges, self.codes()[rows, judges].astype(np.int64)

    @cached_property
    def _complete(self) -> bool:
        return self._rated is not None and bool(self._rated.all())

    @cached_property
    def pairs(self) -> Ints:
        """The pairs of judges who share an item, first judge by first judge (pairs × 2)."""
        return np.column_stack(np.nonzero(self._items_by_judges))

    @cached_property
    def items(self) -> Floats:
        """How many items each of these pairs shares."""
        return np.asarray(self._items_by_judges[tuple(self.pairs.T)])

    @cached_property
    def tables(self) -> Floats:
        """The cross tables of these pairs (pairs × categories × categories)."""
        k, n_pairs = self.n_values, len(self.pairs)
        if n_pairs * k * k > MOST_CELLS:
            raise InvalidArgument("stats.too-many-pairs", n_pairs=n_pairs, n_judges=self.n_judges)
        flat = np.zeros(n_pairs * k * k)
        for rows, pairs, cells in self.blocks():
            flat += np.bincount(pairs * (k * k) + cells, self.counts[rows], minlength=flat.size)
        return flat.reshape(n_pairs, k, k)

    def blocks(self) -> Iterator[Common]:
        """The common ratings, so many at once as memory allows."""
        if self._is_small:
            yield self._whole
        else:
            yield from (self._numbered(*block) for block in self._by_size())

    def of_pair(self, pair: int) -> tuple[Ints, Ints]:
        """The rows that a pair of judges shares, and their cells in its table."""
        if not self._is_small:
            rows_of, judges, codes = self._entries
            first, second = (np.flatnonzero(judges == judge) for judge in self.pairs[pair])
            rows, one, other = np.intersect1d(rows_of[first], rows_of[second], return_indices=True)
            return rows, codes[first[one]] * self.n_values + codes[second[other]]
        order, ends = self._order
        mine = order[ends[pair] : ends[pair + 1]]
        return self._whole.rows[mine], self._whole.cells[mine]

    @cached_property
    def _sizes(self) -> Ints:
        """How many ratings each row has."""
        if self._complete:
            return np.full(self.counts.size, self.n_judges)
        if self._rated is None:
            return np.bincount(self._entries[0], minlength=self.counts.size)
        return np.asarray(self._rated.sum(axis=1))

    @cached_property
    def _number_of_all(self) -> int:
        if self.shared is not None:
            return int(np.triu(self.shared, 1).sum())
        if self._complete:
            return self.counts.size * self.n_judges * (self.n_judges - 1) // 2
        return int(np.sum(self._sizes * (self._sizes - 1) // 2))

    @property
    def _is_small(self) -> bool:
        return self._number_of_all <= MOST_AT_ONCE

    @property
    def dense(self) -> bool:
        """Whether whole columns of judges are multiplied quicker than what they share is listed."""
        cost = self.counts.size * self.n_judges**2
        return self._rated is not None and cost <= COLUMNS_ARE_QUICKER * self._number_of_all

    @cached_property
    def _items_by_judges(self) -> Floats:
        """How many items every two judges share (judges × judges, above the diagonal)."""
        if self.shared is not None:
            return np.triu(self.shared, 1)
        if self.dense:
            assert self._rated is not None
            if self._complete:
                return np.triu(np.full((self.n_judges,) * 2, self.counts.sum()), 1)
            rated = self._rated.astype(float)
            return np.asarray(np.triu(rated.T @ (self.counts[:, None] * rated), 1))
        flat, judges = np.zeros(self.n_judges**2), self._entries[1]
        for rows, first, second in self._by_size():
            both = judges[first] * self.n_judges + judges[second]
            flat += np.bincount(both, self.counts[rows], minlength=flat.size)
        return flat.reshape(self.n_judges, self.n_judges)

    @cached_property
    def _number(self) -> Ints:
        """The number of the pair of every two judges; -1 where no item that counts is shared."""
        numbers = np.full((self.n_judges, self.n_judges), -1, dtype=np.int64)
        numbers[tuple(self.pairs.T)] = np.arange(len(self.pairs))
        return numbers

    @cached_property
    def _whole(self) -> Common:
        parts = [self._numbered(*block) for block in self._by_size()]
        if not parts:
            nothing = np.zeros(0, np.int64)
            return Common(nothing, nothing, nothing)
        return Common(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    @cached_property
    def _order(self) -> tuple[Ints, Ints]:
        """The common ratings in the order of their pairs, and where each pair begins."""
        pairs = self._whole.pairs
        order = np.lexsort([self._whole.rows, pairs])
        return order, np.searchsorted(pairs[order], np.arange(len(self.pairs) + 1))

    def _numbered(self, rows: Ints, first: Ints, second: Ints) -> Common:
        _, judges, codes = self._entries
        pairs = self._number[judges[first], judges[second]]
        common = Common(rows, pairs, codes[first] * self.n_values + codes[second])
        known = pairs >= 0
        return common if known.all() else Common(*(column[known] for column in common))

    def _by_size(self) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Every two ratings of each row: the row and their numbers; rows of one size at once."""
        begins = np.cumsum(self._sizes) - self._sizes
        for size in np.unique(self._sizes[self._sizes > 1]).tolist():
            rows = np.flatnonzero(self._sizes == size)
            one, other = np.triu_indices(size, 1)
            step = max(1, MOST_AT_ONCE // one.size)
            for start in range(0, rows.size, step):
                some = rows[start : start + step]
                first, second = begins[some][:, None] + one, begins[some][:, None] + other
                yield np.repeat(some, one.size), first.ravel(), second.ravel()


@dataclass(frozen=True)
class PairCounts:
    """Unordered pairs of items: in the same order, in the opposite order, and tied.

    `tied_first` and `tied_second` are the pairs tied for one judge (pairs tied for both are in
    each). `classes` is the smaller number of different ratings that one of the two used. The fields
    are numbers, or arrays with one entry for each table or for each item.
    """

    concordant: Floats
    discordant: Floats
    tied_first: Floats
    tied_second: Floats
    total: Floats
    classes: Floats | float

    def less(self, own: PairCounts) -> PairCounts:
        """Return the counts without those of an item."""
        names = [name for name in vars(self) if name != "classes"]
        rest = {name: getattr(self, name) - getattr(own, name) for name in names}
        return PairCounts(**rest, classes=self.classes)

    def halved(self) -> PairCounts:
        """Return the sums over items, each pair counted once."""
        halves = {
            name: np.asarray(np.sum(part) / 2)
            for name, part in vars(self).items()
            if name != "classes"
        }
        return PairCounts(**halves, classes=self.classes)

    def halved_over(self, tables: Floats) -> PairCounts:
        """Return the sums over the items of tables from the counts of their cells."""
        halves = {
            name: np.asarray(np.sum(tables * part, axis=(-2, -1), keepdims=True) / 2)
            for name, part in vars(self).items()
            if name != "classes"
        }
        return PairCounts(**halves, classes=self.classes)


def count_table(tables: Floats) -> PairCounts:
    """Count pairs of items from cross tables (… × categories × categories)."""
    concordant, discordant = _alike_and_opposite(tables)
    rows, columns = margins(tables)
    every = np.ones(tables.shape[-1])  # a product is quicker than a sum of a few columns
    return PairCounts(
        concordant=concordant,
        discordant=discordant,
        tied_first=_choose(rows) @ every,
        tied_second=_choose(columns) @ every,
        total=_choose(rows @ every),
        classes=np.minimum((rows > 0) @ every, (columns > 0) @ every),
    )


def margins(tables: Floats) -> tuple[Floats, Floats]:
    """The sums of each row and of each column of cross tables (… × categories × categories)."""
    size = tables.shape[-1]
    if size > MOST_MULTIPLIED:
        return tables.sum(axis=-1), tables.sum(axis=-2)
    flat = np.ascontiguousarray(tables).reshape(-1, size * size)
    both = (flat @ _margin_of_cell(size)).reshape(*tables.shape[:-2], 2 * size)
    return both[..., :size], both[..., size:]


@cache
def _margin_of_cell(size: int) -> Floats:
    """To which row and which column every cell of a table belongs."""
    row, column = np.divmod(np.arange(size * size), size)
    places = np.arange(size)
    return np.hstack([row[:, None] == places, column[:, None] == places]).astype(float)


def count_cells(tables: Floats) -> PairCounts:
    """Count, for an item of each cell of cross tables, its pairs with the other items."""
    rows, columns = tables.sum(axis=-1, keepdims=True), tables.sum(axis=-2, keepdims=True)
    size = tables.shape[-1]
    flat = np.ascontiguousarray(tables).reshape(*tables.shape[:-2], size * size)
    same, opposite = _beyond_by_cell(size)
    around, against = (
        (flat @ (beyond + beyond.T)).reshape(tables.shape) for beyond in (same, opposite)
    )
    return PairCounts(
        concordant=around,
        discordant=against,
        tied_first=rows - 1,
        tied_second=columns - 1,
        total=tables.sum(axis=(-2, -1), keepdims=True) - 1,
        classes=np.minimum(
            (rows > 0).sum(axis=-2, keepdims=True), (columns > 0).sum(axis=-1, keepdims=True)
        ),
    )


def count_items(first: Ints, second: Ints) -> PairCounts:
    """Count, for each item, its pairs with the others, in a few passes.

    Of the items before one in the second judge's order, those that stand higher in the first's are
    counted; the places in both orders then tell how many after it stand lower.
    """
    first, second = _close_together(first), _close_together(second)
    used = np.bincount(first), np.bincount(second)
    tied = not (_all_once(used[0]) and _all_once(used[1]))
    by_first, by_second = _places(first, second) if tied else (first, second)
    larger = larger_before(by_first[_inverse(by_second)])[by_first]
    discordant = (2 * larger + by_first - by_second).astype(float)
    others, nothing = (np.broadcast_to(n, first.shape) for n in (first.size - 1.0, 0.0))
    tied_first, tied_second, concordant = nothing, nothing, others - discordant
    if tied:
        tied_first, tied_second = (used[0] - 1.0)[first], (used[1] - 1.0)[second]
        order, both = _inverse(by_first), np.empty(first.size)
        both[order] = np.repeat(runs := _runs(first[order], second[order]), runs) - 1
        concordant += both - tied_first - tied_second
    return PairCounts(
        concordant=concordant,
        discordant=discordant,
        tied_first=tied_first,
        tied_second=tied_second,
        total=others,
        classes=float(min(np.count_nonzero(used[0]), np.count_nonzero(used[1]))),
    )


def count_pairs(first: Ints, second: Ints) -> PairCounts:
    """Count pairs of items from two judges' ratings (whole numbers in scale order)."""
    return count_items(first, second).halved()


class SharedItems:
    """The items that two judges share, each as often as it counts, and what is counted of them."""

    def __init__(self, first: Ints, second: Ints, counts: Floats) -> None:
        self.first, self.second, self.counts = first, second, counts

    @cached_property
    def of_each(self) -> PairCounts:
        """For each item, its pairs with the others."""
        return count_items(self.first, self.second)

    @cached_property
    def pairs(self) -> PairCounts:
        """All pairs of items."""
        return self.of_each.halved()

    @property
    def once(self) -> bool:
        """Whether every item counts once."""
        return self.first.size == self.counts.size


def _close_together(codes: Ints) -> Ints:
    """The codes, numbered anew where some between them are not used."""
    highest = int(codes.max(initial=0))
    if highest < codes.size:
        return codes
    if highest >= 8 * codes.size:
        return np.unique(codes, return_inverse=True)[1]
    return (np.cumsum(np.bincount(codes) > 0) - 1)[codes]


def _all_once(used: Ints) -> bool:
    """Whether every value is there, and once."""
    return bool(used.size == used.sum() and (used == 1).all())


def _places(first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """Where each item stands in the order of each judge, ties in the order of the other judge.

    Two items that are tied thus never stand in opposite order.
    """
    order = stable_order(first)
    by_second = order[stable_order(second[order])]
    ordered = first[order]
    if (ordered[1:] == ordered[:-1]).any():
        order = by_second[stable_order(first[by_second])]
    return _inverse(order), _inverse(by_second)


def _inverse(order: Ints) -> Ints:
    """The place of each of 0, 1, … in an order of them."""
    places = np.empty_like(order)
    places[order] = np.arange(order.size)
    return places


def _alike_and_opposite(tables: Floats) -> tuple[Floats, Floats]:
    """Count the pairs of items in the same and in the opposite order."""
    size = tables.shape[-1]
    if size > MOST_MULTIPLIED:
        below, against = _beyond(tables), _beyond(tables[..., :, ::-1])[..., :, ::-1]
        return np.sum(tables * below, axis=(-2, -1)), np.sum(tables * against, axis=(-2, -1))
    flat = np.ascontiguousarray(tables).reshape(-1, size * size)
    alike, opposite = (
        np.einsum("ij,ij->i", flat, flat @ beyond).reshape(tables.shape[:-2])
        for beyond in _beyond_by_cell(size)
    )
    return alike, opposite


@cache
def _beyond_by_cell(size: int) -> tuple[Floats, Floats]:
    """For every two cells of a table, whether the first stands beyond the second on both scales."""
    row, column = np.divmod(np.arange(size * size), size)
    higher = row[:, None] > row
    left = column[:, None] < column
    right = column[:, None] > column
    return (higher & right).astype(float), (higher & left).astype(float)


def _beyond(tables: Floats) -> Floats:
    """For each cell, how many items stand higher on both scales."""
    above = np.flip(np.cumsum(np.cumsum(np.flip(tables, (-2, -1)), axis=-2), axis=-1), (-2, -1))
    shifted = np.zeros_like(tables)
    shifted[..., :-1, :-1] = above[..., 1:, 1:]
    return shifted


def _choose(n: Floats) -> Floats:
    """The number of unordered pairs among n."""
    return np.asarray(n * (n - 1) / 2)


def _runs(*ordered: Ints) -> Any:
    """How long the runs of equal values are."""
    new = np.ones(ordered[0].size, dtype=bool)
    new[1:] = np.any([values[1:] != values[:-1] for values in ordered], axis=0)
    return np.diff(np.append(np.flatnonzero(new), new.size))


class RowOrder:
    """Rows in the order of one judge's ratings, for many counts of the rows at once."""

    def __init__(self, codes: Ints) -> None:
        self.order = stable_order(codes)
        ordered = codes[self.order]
        new = np.ones(codes.size, dtype=bool)
        new[1:] = ordered[1:] != ordered[:-1]
        self.starts = np.flatnonzero(new)
        self.place = np.empty(codes.size, dtype=np.int64)
        self.place[self.order] = np.cumsum(new) - 1

    def used(self, counts: Floats) -> Floats:
        """How often each different rating was given, for each line of counts."""
        ordered = counts[:, self.order]
        if self.starts.size == self.order.size:
            return ordered
        return np.asarray(np.add.reduceat(ordered, self.starts, axis=1))

    def ranks(self, counts: Floats) -> tuple[Floats, Floats]:
        """Each row's mid-rank, and how often each different rating was given."""
        used = self.used(counts)
        return midranks(used)[:, self.place], used


def count_lines(first: Ints, second: Ints, counts: Floats) -> PairCounts:
    """Count pairs of items for many counts of the rows at once, by comparing every two rows."""
    same = np.sign(first[:, None] - first) * np.sign(second[:, None] - second)
    whole = counts.sum(axis=1).max(initial=0) < EXACT_32 and not (counts % 1).any()
    kind = np.float32 if whole else np.float64
    balance = np.sum((counts.astype(kind) @ same.astype(kind)) * counts, axis=1) / 2
    every = [RowOrder(codes).used(counts) for codes in (first, second)]
    cells = first.astype(np.int64) * (int(second.max(initial=0)) + 1) + second
    both = RowOrder(cells).used(counts)
    tied_first, tied_second, tied = (_choose(used).sum(axis=1) for used in (*every, both))
    total = _choose(counts.sum(axis=1))
    informative = total - tied_first - tied_second + tied
    classes = np.minimum(*((used > 0).sum(axis=1) for used in every)).astype(float)
    return PairCounts(
        concordant=(informative + balance) / 2,
        discordant=(informative - balance) / 2,
        tied_first=tied_first,
        tied_second=tied_second,
        total=total,
        classes=classes,
    )


def midranks(used: Floats) -> Floats:
    """The mean rank of each category, from how often each was used (last axis), in scale order."""
    ranks = np.empty(used.shape)
    np.cumsum(used, axis=-1, out=ranks)
    ranks += 0.5 - used / 2
    return ranks


@dataclass(frozen=True)
class Ranks:
    """One judge's ratings as mid-ranks around 0, item by item; `used` counts each rating."""

    codes: Ints
    ranks: Floats
    used: Floats

    @classmethod
    def of(cls, codes: Ints, counts: Floats) -> Ranks:
        """Rank items, each of which counts a number of times."""
        used = np.bincount(codes, counts).astype(float)
        return cls(codes, midranks(used)[codes] - (counts.sum() + 1) / 2, used)

    def beyond(self, weights: Floats) -> Floats:
        """For each item, the weights of items that rank above it less those that rank below it.

        One more item of a rank moves every higher rank up by a half and every lower one down by a
        half, so half of this is how a sum of `weights` times ranks changes.
        """
        sums = np.bincount(self.codes, weights, minlength=self.used.size).astype(float)
        through = np.cumsum(sums)
        above, below = through[-1] - through, through - sums
        return np.asarray((above - below)[self.codes])
