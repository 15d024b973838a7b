"""The second factor of a mixed model eliminated: level by level, or kinds of levels at once.

The levels of the first factor (items) belong to levels of the second (sources). How one level of
the second enters the equations depends only on how many of the first's levels it has of each size.
Levels alike in that are of one kind, and the products of what they meet are summed once: the
likelihood then costs as many tables as there are kinds, however many levels there are.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.records import dataclass
from covary.stats.models.tables import (
    as_sparse,
    dense,
    weighted_columns,
    weighted_rows,
)

Floats = npt.NDArray[np.float64]

LARGE, FILLED = 100_000, 0.1
"""A table of more cells of which no more than this share is filled is multiplied as a sparse one.
"""

ROOM = 20_000_000
"""The most numbers that are kept to save work at each step."""


@dataclass(frozen=True)
class Levels:
    """The levels of the first factor one by one: their ratings, and what these ratings meet.

    `parents` (second factor × levels) says which level of the second each belongs to, `meets`
    (levels × the rest) how often it meets the levels of the other factors.
    """

    counts: Floats
    totals: Floats
    parents: Any
    meets: Any

    def products(self, weights: Floats) -> Products:
        """The same with sparse tables, where the second factor has many levels."""
        weighted = weighted_rows(weights, self.meets)
        return Products(
            second=self.parents @ (weights * self.counts**2),
            across=self.parents @ weighted_rows(self.counts, weighted),
            rest=dense(self.meets.T @ weighted),
            second_totals=self.parents @ (weights * self.counts * self.totals),
            rest_totals=self.meets.T @ (weights * self.totals),
            squares=float(weights @ self.totals**2),
        )

    def flat_products(self, weights: Floats, *, second: bool = True) -> Floats:
        """Sum over the levels, each with a weight, everything that the equations need."""
        weighted = weighted_rows(weights, self.meets)
        parents = self.parents if second else np.zeros((0, self.counts.size))
        parts = (
            parents @ (weights * self.counts**2),
            dense(parents @ weighted_rows(self.counts, weighted)),
            dense(self.meets.T @ weighted),
            parents @ (weights * self.counts * self.totals),
            self.meets.T @ (weights * self.totals),
            np.array([weights @ self.totals**2]),
        )
        return np.concatenate([np.ravel(part) for part in parts])


@dataclass(frozen=True, kw_only=True)
class Products:
    """Weighted sums over the levels of the first factor (m ratings, z meetings, t their total)."""

    second: Floats  # m², by level of the second factor
    across: Any  # m z, second factor × the rest; sparse where these are many
    rest: Floats  # z z'
    second_totals: Floats  # m t, by level of the second factor
    rest_totals: Floats  # z t
    squares: float  # t²


@dataclass(frozen=True, kw_only=True)
class Units:
    """The standard deviations in which effects are expressed, by the residual's.

    `second` is that of the second factor (1 where it is `fixed`), `rest` those of the rest's
    levels.
    """

    second: float
    rest: Floats
    fixed: bool


@dataclass(frozen=True, kw_only=True)
class LevelKinds:
    """The levels of the second factor by kind, and sums of products over the levels of each.

    `members` (kinds × sizes) says how many of the first's levels of each size a level has,
    `counts` how many levels are of each kind. With z and t the meetings and the total of a
    level's ratings by size, `tables` has the sums of z z' (kinds, pairs of sizes, r²; both orders
    of a pair together), `mixed` those of z t (kinds, sizes of z, sizes of t, r), and `totals` those
    of t t (kinds, sizes, sizes).
    """

    sizes: Floats
    members: Floats
    counts: Floats
    tables: Floats
    mixed: Floats
    totals: Floats

    @cached_property
    def pairs(self) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """The pairs of sizes."""
        return np.triu_indices(self.sizes.size)

    def table(self, weights: Floats) -> Floats:
        """The tables of kinds and pairs of sizes, each with a weight, in one."""
        side = self.mixed.shape[-1]
        flat = self.tables.reshape(-1, side * side)
        return np.asarray(weights.ravel() @ flat).reshape(side, side)

    def within(self, table: Floats) -> Floats:
        """The sums of the products of each kind and pair of sizes with another table."""
        side = self.mixed.shape[-1]
        flat = self.tables.reshape(-1, side * side)
        return np.asarray(flat @ table.ravel()).reshape(self.tables.shape[:2])

    def paired(self, one: Floats, other: Floats) -> Floats:
        """The products of two weights for each pair of sizes, the mean of both orders."""
        a, b = self.pairs
        return np.asarray((one[a] * other[b] + one[b] * other[a]) / 2)


def kinds_of(levels: Levels, sizes: Floats, places: npt.NDArray[Any]) -> LevelKinds | None:
    """Sum the levels of the second factor by kind; None where too many differ."""
    own = [(places == place).astype(float) for place in range(sizes.size)]
    members = np.column_stack([levels.parents @ mask for mask in own])
    kinds, which = np.unique(members, axis=0, return_inverse=True)
    pairs, side = sizes.size * (sizes.size + 1) // 2, levels.meets.shape[1]
    n_tables = len(kinds) * pairs
    if n_tables > len(members) or n_tables * side**2 > ROOM:
        return None
    meets = [levels.parents @ weighted_rows(mask, levels.meets) for mask in own]
    totals = np.column_stack([levels.parents @ (mask * levels.totals) for mask in own])
    k = sizes.size
    tables = np.zeros((len(kinds), pairs, side * side))
    mixed = np.zeros((len(kinds), k, k, side))
    squares = np.zeros((len(kinds), k, k))
    first, second = np.triu_indices(k)
    for kind in range(len(kinds)):
        rows = np.flatnonzero(which.ravel() == kind)
        of_kind, t = [table[rows] for table in meets], totals[rows]
        squares[kind] = t.T @ t
        for place in range(k):
            mixed[kind, place] = np.asarray(of_kind[place].T @ t).T
        for pair, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
            product = dense(of_kind[a].T @ of_kind[b])
            tables[kind, pair] = (product if a == b else product + product.T).ravel()
    counts = np.bincount(which.ravel()).astype(float)
    return LevelKinds(
        sizes=sizes, members=kinds, counts=counts, tables=tables, mixed=mixed, totals=squares
    )


class KindsOfLevels:
    """The second factor eliminated kind by kind."""

    def __init__(self, kinds: LevelKinds, weights: Floats, units: Units) -> None:
        self.kinds, self.units = kinds, units
        self.scale = units.second**2
        self.own = weights * kinds.sizes
        self.diagonal = self.scale * (kinds.members @ (weights * kinds.sizes**2)) + 1

    def less(self) -> tuple[Floats, Floats, float]:
        """What is taken from the table, the right side and the squares of the rest."""
        kinds, rest, own = self.kinds, self.units.rest, self.own
        shares = self.scale / self.diagonal
        table = kinds.table(np.multiply.outer(shares, kinds.paired(own, own)))
        right = np.einsum("g,gabr,a,b->r", shares, kinds.mixed, own, own)
        squares = float(shares @ self._totals(own, own))
        table *= rest
        table *= rest[:, None]
        return table, rest * right, squares

    @property
    def log_det(self) -> float:
        """The logarithm of the determinant of the second factor's equations."""
        return float(self.kinds.counts @ np.log(self.diagonal))

    def fit(self, inverse: Floats, small: Floats) -> None:
        """Take over the inverse of the equations of the rest, and their effects."""
        kinds, rest = self.kinds, self.units.rest
        effects = rest * small
        self._unknown = kinds.within(rest[:, None] * inverse * rest)
        self._fitted = kinds.within(np.multiply.outer(effects, effects))
        self._crossed = kinds.mixed @ effects

    def _totals(self, one: Floats, other: Floats) -> Floats:
        return np.asarray(np.einsum("gab,a,b->g", self.kinds.totals, one, other))

    def _mixed(self, meets: Floats, totals: Floats) -> Floats:
        return np.asarray(np.einsum("gab,a,b->g", self._crossed, meets, totals))

    def _left(self) -> Floats:
        """The squares of what the rest leaves of the totals, by kind."""
        own = self.own
        squares = self._fitted @ self.kinds.paired(own, own)
        return np.asarray(self._totals(own, own) - 2 * self._mixed(own, own) + squares)

    def _known(self) -> Floats:
        """The sums of the diagonal of the inverse, by kind."""
        inside = self.scale * (self._unknown @ self.kinds.paired(self.own, self.own))
        return np.asarray((self.kinds.counts + inside / self.diagonal) / self.diagonal)

    def determined(self) -> tuple[float, float]:
        """How many of the factor's levels the ratings determine, and its squared effects."""
        squares = self.scale * float(np.sum(self._left() / self.diagonal**2))
        return float(self.kinds.counts.sum() - self._known().sum()), squares

    def of_first(self, weights: Floats, _: Products) -> tuple[float, float]:
        """What the factor takes of the first's determined levels, and adds to its squares."""
        kinds, own, other = self.kinds, self.own, weights * self.kinds.sizes
        second = kinds.members @ (weights * kinds.sizes**2)
        both = kinds.paired(own, other)
        taken = self.scale * second * self._known()
        taken = taken - 2 * self.scale * (self._unknown @ both) / self.diagonal
        squares = self.scale * second * self._left() / self.diagonal
        squares = squares - 2 * (self._totals(own, other) - self._mixed(own, other))
        squares = squares + 2 * (self._mixed(other, own) - self._fitted @ both)
        return float(taken.sum()), float(np.sum(self.scale * squares / self.diagonal))


class EachLevel:
    """The second factor eliminated level by level, or line by line where lines are several levels.

    `times` says how many levels each line stands for, and `total_products` gives the sums of the
    products of their totals for two weights of each size.
    """

    def __init__(
        self,
        products: Products,
        weights: Floats,
        units: Units,
        *,
        times: Floats | None = None,
        total_products: Callable[[Floats, Floats], Floats] | None = None,
    ) -> None:
        self.units, self.times = units, times
        self._weights, self._total_products = weights, total_products
        self.diagonal = units.second**2 * products.second + float(not units.fixed)
        self.across = weighted_columns(products.across, units.second * units.rest)
        self._plain = products.second_totals
        self.totals = units.second * self._plain
        self._squared = units.second**2 * self._products_with(weights, self._plain)

    @cached_property
    def shares(self) -> Any:
        """`across` by the diagonal."""
        return thin(weighted_rows(1 / self.diagonal, self.across))

    @property
    def counts(self) -> Floats:
        """How many levels each line stands for."""
        return np.ones(self.diagonal.size) if self.times is None else self.times

    def _products_with(self, weights: Floats, totals: Floats) -> Floats:
        """The products of the totals with others of theirs."""
        if self._total_products is None:
            return self._plain * totals
        return self._total_products(self._weights, weights)

    def less(self) -> tuple[Floats, Floats, float]:
        """What is taken from the table, the right side and the squares of the rest."""
        shares = self.shares
        counted = self.across if self.times is None else weighted_rows(self.times, self.across)
        table = dense(thin(counted).T @ shares)
        return table, shares.T @ self.totals, float(np.sum(self._squared / self.diagonal))

    @property
    def log_det(self) -> float:
        """The logarithm of the determinant of the second factor's equations."""
        return float(self.counts @ np.log(self.diagonal))

    def fit(self, inverse: Floats, small: Floats) -> None:
        """Take over the inverse of the equations of the rest, and their effects."""
        self._inverse, self._small, self._fitted = inverse, small, self.across @ small

    @property
    def middle(self) -> Floats:
        """The effects of the lines in units of their standard deviation."""
        return np.asarray((self.totals - self.counts * self._fitted) / self.diagonal)

    def determined(self) -> tuple[float, float]:
        """How many of the factor's levels the ratings determine, and its squared effects."""
        counts = self.counts
        return (
            float(counts.sum()) - self._sum_known(counts),
            float(np.sum(self._left() / self.diagonal**2)),
        )

    def _left(self) -> Floats:
        fitted = self._fitted
        return np.asarray(self._squared - 2 * fitted * self.totals + self.counts * fitted**2)

    def of_first(self, weights: Floats, products: Products) -> tuple[float, float]:
        """What the factor takes of the first's determined levels, and adds to its squares."""
        two, rest, fitted = self.units.second, self.units.rest, self._fitted
        own = two**2 * products.second * self._left() / self.diagonal**2
        totals = two * self._products_with(weights, products.second_totals)
        across = (totals - fitted * products.second_totals) / self.diagonal
        met = products.across @ (rest * self._small)
        squares = float(np.sum(own - 2 * two * across)) + 2 * two * float(self.middle @ met)
        taken = two**2 * self._sum_known(self.counts * products.second)
        return taken + 2 * two * self._sum_between(products.across), squares

    def _sum_known(self, weights: Floats) -> float:
        """The weighted sum of the diagonal of the factor's part of the inverse."""
        if isinstance(self.across, np.ndarray):
            return float(weights @ self._known)
        weighted = weighted_rows(weights / self.diagonal**2, self.across)
        own = np.sum(self._inverse * dense(self.across.T @ weighted))
        return float(np.sum(weights / self.diagonal) + own)

    def _sum_between(self, table: Any) -> float:
        """The sum of a table, in the rest's units, times the inverse between the two parts."""
        counted = table if self.times is None else weighted_rows(self.times, table)
        if isinstance(table, np.ndarray):
            return float(np.einsum("ij,ij->j", self.between, counted) @ self.units.rest)
        weighted = weighted_columns(counted, self.units.rest)
        return -float(np.sum(self._inverse * dense(self.shares.T @ weighted)))

    @cached_property
    def between(self) -> Floats:
        """The part of the inverse between the factor and the rest."""
        return np.asarray(-(self.shares @ self._inverse))

    @cached_property
    def _known(self) -> Floats:
        """The diagonal of the factor's part of the inverse."""
        own = np.einsum("ij,ij->i", self.between, self.across)
        return np.asarray((1 - own) / self.diagonal)


def thin(table: Any) -> Any:
    """A large table that is nearly empty as a sparse one, which is multiplied in no time."""
    if not isinstance(table, np.ndarray):
        return table
    if table.size < LARGE or np.count_nonzero(table) > table.size * FILLED:
        return table
    return as_sparse(table)
