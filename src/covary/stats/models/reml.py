"""Restricted maximum likelihood (REML): the variances of crossed random effects.

One engine serves the mixed model of systems (`mixed.py`) and the variance components of items ×
judges behind the intraclass correlation. The model is rating = fixed factor + random factors +
error, in any pattern of missing ratings. With θ a factor's variance by the residual's, Henderson's
equations are those of least squares in which each level of a random factor has 1 / θ ratings more.

The widest factor (the items) is eliminated by hand, because its own part is diagonal, and so is
the factor that its levels belong to. How a level enters depends only on how many ratings it has, so
the ratings are summed once by that number, and one evaluation of the likelihood costs (different
numbers of ratings) × (levels of the other factors)², however many ratings there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import ConvergenceError
from covary.records import dataclass
from covary.stats.models.least_squares import Design
from covary.stats.models.search import Minimum, minimise
from covary.stats.models.tables import (
    as_sparse,
    beside,
    cholesky,
    dense,
    inverse_by_root,
    solve_by_root,
    weighted_columns,
    weighted_rows,
)
from covary.stats.statistic import ROUNDING

Floats = npt.NDArray[np.float64]

FIXED = "system"
"""The one factor that is not random."""

FREE = 1e3
"""A variance ratio so large that the levels of a factor are as good as fixed."""

NOTHING = 1e-9
"""A variance ratio that is 0 but for rounding, and the least that the search looks at."""

LARGEST = math.log(1e9)
"""The end of the search; a component that gets there has no residual to be compared with."""

FLAT = 1e-5
"""A slope of the deviance per degree of freedom that counts as level."""

STEP = 2e-4
"""How far log-variances are moved to take derivatives."""

LARGE, FILLED = 100_000, 0.1
"""A table of more cells of which no more than this share is filled is multiplied as a sparse one.
"""

MANY_LEVELS = 1_000
"""With more levels that are left a step is dear, and the search ends when it gains little."""

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

    def flat_products(self, weights: Floats) -> Floats:
        """Sum over the levels, each with a weight, everything that the equations need."""
        weighted = weighted_rows(weights, self.meets)
        counted = weighted_rows(self.counts, weighted)
        parts = (
            self.parents @ (weights * self.counts**2),
            dense(self.parents @ counted),
            dense(self.meets.T @ weighted),
            self.parents @ (weights * self.counts * self.totals),
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
class Sums:
    """What the restricted likelihood needs of the ratings.

    The factors in the order of elimination: `first`, `second` (which the levels of the first belong
    to, where there is one) and the `rest`, by name with their numbers of levels. `sizes` are the
    different numbers of ratings of the first's levels, `items` how many levels have each, and
    `flat_products` sums over the levels for one weight per size. `shared`, `deviations` and
    `within` are about the means of the first's levels, so that ratings with little error lose no
    digits. Factors that are `held` have a variance so large that their levels are free, those that
    are `absent` have none. Where levels of the second factor that meet the others alike are summed
    to one, `second_counts` says how many each stands for, and `second_products` gives, for two
    weights per size, the sums of the products of their totals.
    """

    first: str
    second: str | None = None
    n_second: int = 0
    rest: Mapping[str, int]
    random: tuple[str, ...]
    sizes: Floats
    items: Floats
    flat_products: Callable[[Floats], Floats]
    sparse_products: Callable[[Floats], Products] | None = None
    shared: Floats
    deviations: Floats
    within: float
    squares: float
    n_ratings: float
    n_fixed: int
    levels: Levels | None = None
    held: frozenset[str] = frozenset()
    absent: frozenset[str] = frozenset()
    second_counts: Floats | None = None
    second_products: Callable[[Floats, Floats], Floats] | None = None

    @property
    def df(self) -> float:
        """The degrees of freedom that the fixed factor leaves."""
        sizes: dict[str | None, int] = {}
        sizes.update(self.rest)
        sizes[self.first] = int(self.items.sum())
        sizes[self.second] = int(self.times.sum())
        return self.n_ratings - self.n_fixed - sum(sizes.get(name, 1) - 1 for name in self.held)

    @cached_property
    def times(self) -> Floats:
        """How many levels of the second factor each of its lines stands for."""
        return np.ones(self.n_second) if self.second_counts is None else self.second_counts

    @property
    def known(self) -> tuple[str, ...]:
        """The random factors whose levels are known one by one."""
        if self.levels is not None:
            return self.random
        return tuple(name for name in self.random if name in self.rest)

    def total_products(self, one: Floats, other: Floats, totals: tuple[Floats, Floats]) -> Floats:
        """The products of two totals of the second's levels, from two weights for each size."""
        if self.second_products is None:
            return totals[0] * totals[1]
        return self.second_products(one, other)

    @cached_property
    def parts(self) -> dict[str, slice]:
        """Where each factor of the rest stands."""
        ends = np.cumsum(list(self.rest.values())).tolist()
        return {
            name: slice(end - size, end)
            for (name, size), end in zip(self.rest.items(), ends, strict=True)
        }

    @cached_property
    def penalty(self) -> Floats:
        """A diagonal with 1 for each level of a random factor of the rest, 0 for the fixed."""
        return np.diag(self.spread({name: float(name != FIXED) for name in self.rest}))

    def spread(self, by_factor: Mapping[str, float]) -> Floats:
        """Repeat a number of each factor of the rest for each of its levels."""
        return np.repeat([by_factor[name] for name in self.rest], list(self.rest.values()))

    def products(self, weights: Floats) -> Products:
        """Sum over the levels of the first factor, with a weight for each size."""
        if self.sparse_products is not None:
            return self.sparse_products(weights)
        flat, p, r = self.flat_products(weights), self.n_second, len(self.shared)
        middle, end = p + p * r, p + p * r + r * r
        return Products(
            second=flat[:p],
            across=flat[p:middle].reshape(p, r),
            rest=flat[middle:end].reshape(r, r),
            second_totals=flat[end : end + p],
            rest_totals=flat[end + p : -1],
            squares=float(flat[-1]),
        )

    def solve(self, ratios: Floats) -> Solution:
        """Solve the equations for variances of the random factors by the residual's."""
        least = np.maximum(ratios, NOTHING).tolist()
        return Solution(self, dict(zip(self.random, least, strict=True)))


class Equations:
    """What is left of the equations after the first factor: diagonal, and small.

    Levels of random factors are in units of their standard deviation (`deviation` of the second,
    `deviations` of the rest). `second` is the diagonal of the second factor, with `across` to the
    rest, `shares` of it and `totals`; `table` and `right` are the equations of the rest.
    """

    def __init__(self, sums: Sums, ratios: Mapping[str, float]) -> None:
        self.sums, self.ratios = sums, ratios
        theta = ratios.get(sums.first)
        self._growth = sums.sizes if theta is None else 1 + theta * sums.sizes
        left = np.zeros(sums.sizes.size) if theta is None else 1 / (sums.sizes * self._growth)
        products, self._left_weights = sums.products(left), left
        self.deviation = 1.0 if sums.second is None else self._sd(sums.second)
        self.deviations = sums.spread({name: self._sd(name) for name in sums.rest})
        two, rest = self.deviation, self.deviations
        self.second = two**2 * products.second + float(sums.second != FIXED)
        self.across = weighted_columns(products.across, two * rest)
        self.shares = _thin(weighted_rows(1 / self.second, self.across))
        self.table = rest[:, None] * (sums.shared + products.rest) * rest + sums.penalty
        times = sums.times
        self.table -= dense(_thin(weighted_rows(times, self.across)).T @ self.shares)
        self._second_totals = products.second_totals
        self.totals = two * self._second_totals
        self.right = rest * (sums.deviations + products.rest_totals)
        self.right -= self.shares.T @ self.totals
        self._squared = two**2 * self._products_with(left, self._second_totals)
        self._left = sums.within + products.squares - float(np.sum(self._squared / self.second))

    def _products_with(self, weights: Floats, totals: Floats) -> Floats:
        """The products of the second's totals with others of theirs."""
        both = self._second_totals, totals
        return self.sums.total_products(self._left_weights, weights, both)

    def _sd(self, name: str) -> float:
        return 1.0 if name == FIXED else math.sqrt(self.ratios[name])


class Solution(Equations):
    """The equations solved; `_root` is a Cholesky root of the rest's."""

    def __init__(self, sums: Sums, ratios: Mapping[str, float]) -> None:
        super().__init__(sums, ratios)
        self._root, self._inverse = _root_and_inverse(self.table)
        del self.table
        self._small = self._solve(self.right)
        self._fitted = self.across @ self._small
        self._middle = (self.totals - sums.times * self._fitted) / self.second
        left = self._left - float(self.right @ self._small)
        self.rest = max(left, ROUNDING * sums.squares)

    def _solve(self, right: Floats) -> Floats:
        """By the root, which loses fewer digits than the inverse where a factor is held."""
        return solve_by_root(self._root, right) if right.size else right

    @property
    def log_det(self) -> float:
        """The logarithm of the determinant of all equations."""
        first = self.sums.items @ np.log(self._growth)
        second = self.sums.times @ np.log(self.second)
        return float(first + second + 2 * np.log(np.diag(self._root)).sum())

    def deviance(self, residual: float) -> float:
        """Minus twice the restricted log-likelihood."""
        df = self.sums.df
        return df * math.log(2 * math.pi * residual) + self.log_det + self.rest / residual

    def log_slopes(self, residual: float) -> Floats:
        """How the deviance changes with the logarithms of the variances, the residual's last."""
        determined_by = (self._determined(name) for name in self.sums.random)
        slopes = np.array([known - squares / residual for known, squares in determined_by])
        estimated = [name not in self.sums.held for name in self.sums.random]
        rest = self.sums.df - self.rest / residual - float(slopes[estimated].sum())
        return np.append(slopes, rest)

    def _determined(self, name: str) -> tuple[float, float]:
        """How many of a random factor's levels the ratings determine, and its squared effects."""
        if name == self.sums.first:
            return self._first_determined()
        if name == self.sums.second:
            times, fitted = self.sums.times, self._fitted
            squares = self._squared - 2 * fitted * self.totals + times * fitted**2
            determined = float(times.sum()) - self._sum_known(times)
            return determined, float(np.sum(squares / self.second**2))
        part = self.sums.parts[name]
        effects, unknown = self._small[part], np.trace(self._inverse[part, part])
        return effects.size - float(unknown), float(effects @ effects)

    def _first_determined(self) -> tuple[float, float]:
        """The same for the first factor, whose levels are known by their sums alone."""
        theta, two, rest = self.ratios[self.sums.first], self.deviation, self.deviations
        weights = theta / self._growth**2
        products, times = self.sums.products(weights), self.sums.times
        middle, small = two * self._middle, rest * self._small
        squares = products.squares + (products.rest @ small - 2 * products.rest_totals) @ small
        determined = self.sums.items @ (theta * self.sums.sizes / self._growth)
        determined -= rest @ (self._inverse * products.rest) @ rest
        if self.sums.second is not None:
            squares += self._second_squares(products, weights)
            squares += 2 * (middle @ products.across @ small)
            determined -= two**2 * self._sum_known(times * products.second)
            determined -= 2 * two * self._sum_between(weighted_columns(products.across, rest))
        return float(determined), float(squares)

    def _second_squares(self, products: Products, weights: Floats) -> float:
        """What the second factor's effects add to the squares of the first's."""
        two, times, fitted = self.deviation, self.sums.times, self._fitted
        squares = self._squared - 2 * fitted * self.totals + times * fitted**2
        own = two**2 * products.second * squares / self.second**2
        totals = two * self._products_with(weights, products.second_totals)
        across = (totals - fitted * products.second_totals) / self.second
        return float(np.sum(own - 2 * two * across))

    def _sum_known(self, weights: Floats) -> float:
        """The weighted sum of the diagonal of the second factor's part of the inverse."""
        if isinstance(self.across, np.ndarray):
            return float(weights @ self._known)
        weighted = weighted_rows(weights / self.second**2, self.across)
        own = np.sum(self._inverse * dense(self.across.T @ weighted))
        return float(np.sum(weights / self.second) + own)

    def _sum_between(self, table: Any) -> float:
        """The sum of a table times the inverse between each of the second's levels and the rest."""
        weighted = weighted_rows(self.sums.times, table)
        if isinstance(table, np.ndarray):
            return float(np.sum(self._between * weighted))
        return -float(np.sum(self._inverse * dense(self.shares.T @ weighted)))

    @cached_property
    def _between(self) -> Floats:
        """The part of the inverse between the second factor and the rest."""
        return np.asarray(-(self.shares @ self._inverse))

    @cached_property
    def _known(self) -> Floats:
        """The diagonal of the second factor's part of the inverse."""
        return np.asarray((1 - np.sum(self._between * self.across, axis=1)) / self.second)

    def effects(self, name: str) -> Floats:
        """The estimated or predicted effect of each level of a factor."""
        if name == self.sums.second:
            return np.asarray(self.deviation * self._middle)
        if name != self.sums.first:
            return np.asarray(self.deviations * self._small)[self.sums.parts[name]]
        levels = self._levels
        known = levels.meets @ (self.deviations * self._small)
        known = known + levels.counts * (levels.parents.T @ (self.deviation * self._middle))
        return np.asarray((levels.totals - known) * self._weights)

    def covariance(self) -> Floats:
        """The covariances of the fixed factor's estimates for a residual variance of 1."""
        if FIXED in self.sums.rest:
            part = self.sums.parts[FIXED]
            return np.asarray(self._inverse[part, part])
        if self.sums.second == FIXED:
            shares = dense(self.shares)
            return np.asarray(np.diag(1 / self.second) - self._between @ shares.T)
        across = dense(self._levels.meets) * self.deviations * self._weights[:, None]
        return np.asarray(np.diag(self._weights) + across @ self._inverse @ across.T)

    @property
    def _levels(self) -> Levels:
        assert self.sums.levels is not None
        return self.sums.levels

    @property
    def _weights(self) -> Floats:
        """θ / (1 + θ m) for each level of the first factor, 1 / m where it is fixed."""
        theta, counts = self.ratios.get(self.sums.first), self._levels.counts
        return np.asarray(1 / counts if theta is None else theta / (1 + theta * counts))


def _thin(table: Any) -> Any:
    """A large table that is nearly empty as a sparse one, which is multiplied in no time."""
    if not isinstance(table, np.ndarray):
        return table
    if table.size < LARGE or np.count_nonzero(table) > table.size * FILLED:
        return table
    return as_sparse(table)


def _root_and_inverse(small: Floats) -> tuple[Floats, Floats]:
    """The Cholesky root of a positive definite table, and its inverse."""
    if not small.size:
        return small, small
    root = cholesky(small)
    if root is None:
        raise ConvergenceError("stats.reml-singular")
    return root, inverse_by_root(root)


def elimination_order(design: Design) -> tuple[str, str | None, dict[str, int]]:
    """The widest factor, the widest that its levels belong to, and the rest with their levels."""
    names = list(design.factors)
    first = max(names, key=design.levels)
    around = [name for name in names if name != first and design.within(first, name)]
    second = max(around, key=design.levels, default=None)
    return first, second, {n: design.levels(n) for n in names if n not in (first, second)}


def sum_factors(values: Floats, design: Design) -> Sums:
    """Sum the ratings of one fixed and several random factors, about the fixed means."""
    names = list(design.factors)
    first, second, rest = elimination_order(design)
    counts = design.counts[first]
    left = values - design.means(FIXED, values)[design.factors[FIXED]]
    totals = design.sums(first, left)
    own = left - (totals / counts)[design.factors[first]]
    meets = beside((design.table(first, name) for name in rest), counts.size)
    parents = np.zeros((0, counts.size))
    if second is not None:
        parents = weighted_columns(design.table(second, first), 1 / counts)
    levels = Levels(counts, totals, parents, meets)
    sizes, places = np.unique(counts, return_inverse=True)
    shared = design.meetings(list(rest)) - dense(meets.T @ weighted_rows(1 / counts, meets))
    return Sums(
        first=first,
        second=second,
        n_second=parents.shape[0],
        rest=rest,
        random=tuple(name for name in names if name != FIXED),
        sizes=sizes,
        items=np.bincount(places).astype(float),
        flat_products=_by_size(levels, places, sizes.size),
        sparse_products=_sparsely(levels, places),
        shared=shared,
        deviations=np.concatenate([np.zeros(0), *(design.sums(name, own) for name in rest)]),
        within=float(own @ own),
        squares=float(left @ left),
        n_ratings=float(values.size),
        n_fixed=design.levels(FIXED),
        levels=levels,
    )


def _by_size(levels: Levels, places: npt.NDArray[Any], n_sizes: int) -> Callable[[Floats], Floats]:
    """Keep the sums of the levels of each size, or sum anew each time where they are too many."""
    (p, _), r = levels.parents.shape, levels.meets.shape[1]
    if n_sizes * (p * (1 + r) + r**2) > ROOM:
        return lambda weights: levels.flat_products(weights[places])
    kept = np.array(
        [levels.flat_products((places == place).astype(float)) for place in range(n_sizes)]
    )
    return lambda weights: np.asarray(weights @ kept)


def _sparsely(levels: Levels, places: npt.NDArray[Any]) -> Callable[[Floats], Products] | None:
    """Sum anew each time into sparse tables, where the second factor meets too many levels."""
    (p, _), r = levels.parents.shape, levels.meets.shape[1]
    tables = isinstance(levels.parents, np.ndarray) or isinstance(levels.meets, np.ndarray)
    return None if tables or p * r <= ROOM else lambda weights: levels.products(weights[places])


class _Deviance:
    """Minus twice the restricted log-likelihood by its degrees of freedom, the residual eliminated.

    It is a function of log(1 + variance ratio) of each factor that is not held.
    """

    def __init__(self, sums: Sums) -> None:
        self.sums = sums
        fixed = sums.held | sums.absent
        self.free = np.array([name not in fixed for name in sums.random], dtype=bool)
        self.least = np.array([name in sums.absent for name in sums.random], dtype=bool)

    def __call__(self, place: Floats) -> tuple[float, Floats]:
        ratios = self.ratios(np.expm1(place))
        solution, df = self.sums.solve(ratios), self.sums.df
        residual = solution.rest / df
        slopes = (solution.log_slopes(residual)[:-1] / ratios)[self.free] * np.exp(place)
        return math.log(residual) + solution.log_det / df, slopes / df

    def ratios(self, free: Floats) -> Floats:
        """The ratios of all random factors."""
        ratios = np.full(self.free.size, FREE)
        ratios[self.least] = NOTHING
        ratios[self.free] = free
        return ratios


def curvature_at(sums: Sums, place: Floats) -> Floats | None:
    """How the deviance that `maximise` searches bends at a place, or None where not upwards."""
    deviance, steps = _Deviance(sums), STEP * np.eye(place.size)
    changes = [deviance(place + step)[1] - deviance(place - step)[1] for step in steps]
    curvature = np.array(changes) / (2 * STEP)
    curvature = (curvature + curvature.T) / 2
    return curvature if bool((np.linalg.eigvalsh(curvature) > 0).all()) else None


def maximise(
    sums: Sums,
    starts: Iterable[Iterable[float]],
    max_iterations: int,
    *,
    curvature: Floats | None = None,
) -> Floats:
    """Search from every start, keep the best, and make sure that it is one.

    Starts are log(1 + variance ratio) of the random factors; so many ratios are returned.
    `curvature` is that of the deviance near the start, where it is known.
    """
    low, deviance = math.log1p(NOTHING), _Deviance(sums)
    free = deviance.free
    if not free.any():
        return deviance.ratios(np.zeros(0))
    large = len(sums.shared) > MANY_LEVELS
    bounds, gain = (low, LARGEST), 1e-12 if large else 0.0
    tries: list[Minimum] = []
    for start in starts:  # another one only where the search may have stuck at 0
        if not tries or (tries[-1].place <= low * (1 + 1e-6)).any():
            own = np.array(start)[free]
            minimum = minimise(
                deviance, own, bounds, steps=max_iterations, gain=gain, curvature=curvature
            )
            tries.append(minimum)
    best = min(tries, key=lambda attempt: attempt.value)
    place, slopes = best.place, best.slopes
    zero = place <= low * (1 + 1e-6)
    if place.max() >= LARGEST or np.abs(np.where(zero & (slopes > 0), 0.0, slopes)).max() > FLAT:
        raise ConvergenceError(
            "stats.reml-unsettled",
            state={"log1p_ratios": place.tolist(), "deviance": best.value},
            steps=best.steps,
        )
    return deviance.ratios(np.where(zero, 0.0, np.expm1(place)))


class Curvature:
    """How well the variances are known, from the equations solved a little beside the estimate.

    `free` are the variances above 0, the residual's last, and `covariance` is the large-sample
    covariance of their logarithms, from the observed information.
    """

    def __init__(self, sums: Sums, variances: Floats) -> None:
        held = [name in sums.held | sums.absent for name in (*sums.random, "residual")]
        self.free = np.flatnonzero((variances > 0) & ~np.array(held))
        self._ends = [
            tuple(_solve_beside(sums, variances, place, side * STEP) for side in (1, -1))
            for place in self.free.tolist()
        ]
        slopes = self.changes(lambda solution, residual: solution.log_slopes(residual))
        information = slopes[:, self.free] / 2
        information = (information + information.T) / 2
        known = bool((np.linalg.eigvalsh(information) > 0).all())
        nothing = np.full(information.shape, np.nan)
        self.covariance = np.linalg.inv(information) if known else nothing

    def changes(self, quantity: Callable[[Solution, float], Floats]) -> Floats:
        """How something changes with the logarithm of each free variance."""
        ends = [(quantity(*above), quantity(*below)) for above, below in self._ends]
        return np.array([(above - below) / (2 * STEP) for above, below in ends])


def _solve_beside(sums: Sums, variances: Floats, place: int, step: float) -> tuple[Solution, float]:
    moved = variances.copy()
    moved[place] *= math.exp(step)
    ratios = moved[:-1] / moved[-1]
    ratios[[name in sums.held for name in sums.random]] = FREE
    return sums.solve(ratios), float(moved[-1])
