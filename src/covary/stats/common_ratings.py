"""What every two judges gave the same items, for all pairs of judges at once.

Three hundred judges make 44,850 pairs, and each pair shares a few items. What is asked of the pairs
is therefore counted from the ratings: an item with m of them adds m (m - 1) / 2 common ones, each
with its row, its pair of judges and the cell of the pair's cross table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MOST_AT_ONCE = 4_000_000
"""The most common ratings that are held at once."""

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

    `rows`, `judges` and `codes` are the ratings one by one, by row and then by judge; `counts` is
    how often each row counts.
    """

    rows: Ints
    judges: Ints
    codes: Ints
    counts: Floats
    n_judges: int
    n_values: int

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
            first, second = (np.flatnonzero(self.judges == judge) for judge in self.pairs[pair])
            rows, one, other = np.intersect1d(
                self.rows[first], self.rows[second], return_indices=True
            )
            return rows, self.codes[first[one]] * self.n_values + self.codes[second[other]]
        order, ends = self._order
        mine = order[ends[pair] : ends[pair + 1]]
        return self._whole.rows[mine], self._whole.cells[mine]

    @cached_property
    def _sizes(self) -> Ints:
        """How many ratings each row has."""
        return np.bincount(self.rows, minlength=self.counts.size)

    @cached_property
    def _number_of_all(self) -> int:
        return int(np.sum(self._sizes * (self._sizes - 1) // 2))

    @property
    def _is_small(self) -> bool:
        return self._number_of_all <= MOST_AT_ONCE

    @property
    def dense(self) -> bool:
        """Whether whole columns of judges are multiplied quicker than what they share is listed."""
        return self.counts.size * self.n_judges**2 <= COLUMNS_ARE_QUICKER * self._number_of_all

    @cached_property
    def _items_by_judges(self) -> Floats:
        """How many items every two judges share (judges × judges, above the diagonal)."""
        if self.dense:
            rated = np.zeros((self.counts.size, self.n_judges))
            rated[self.rows, self.judges] = 1
            return np.asarray(np.triu(rated.T @ (self.counts[:, None] * rated), 1))
        flat = np.zeros(self.n_judges**2)
        for rows, first, second in self._by_size():
            both = self.judges[first] * self.n_judges + self.judges[second]
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
        pairs = self._number[self.judges[first], self.judges[second]]
        common = Common(rows, pairs, self.codes[first] * self.n_values + self.codes[second])
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
