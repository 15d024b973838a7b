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
from covary.stats.models.second_factor import (
    ROOM,
    EachLevel,
    KindsOfLevels,
    LevelKinds,
    Levels,
    Products,
    Units,
    kinds_of,
)
from covary.stats.models.tables import (
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

MOVES, FAR, MOST_GROWTH = 5, 0.2, 1e3
"""How often variances are moved before the search, which change of their logarithms ends that, and
by which factor one may move at once."""

MANY_LEVELS = 1_000
"""With more levels that are left a step is dear, and the search ends when it gains little."""


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
    weights per size, the sums of the products of their totals. Where they are summed by `kinds`,
    `flat_products` leaves the second factor out.
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
    kinds: LevelKinds | None = None

    @property
    def df(self) -> float:
        """The degrees of freedom that the fixed factor leaves."""
        sizes: dict[str | None, int] = {}
        sizes.update(self.rest)
        sizes[self.first], sizes[self.second] = int(self.items.sum()), self.n_second_levels
        return self.n_ratings - self.n_fixed - sum(sizes.get(name, 1) - 1 for name in self.held)

    @property
    def n_second_levels(self) -> int:
        """How many levels the second factor has."""
        counts = self.second_counts
        return self.n_second if counts is None else int(counts.sum())

    @property
    def known(self) -> tuple[str, ...]:
        """The random factors whose levels are known one by one."""
        if self.levels is not None:
            return self.random
        return tuple(name for name in self.random if name in self.rest)

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
        """1 for each level of a random factor of the rest, 0 for the fixed."""
        return self.spread({name: float(name != FIXED) for name in self.rest})

    def spread(self, by_factor: Mapping[str, float]) -> Floats:
        """Repeat a number of each factor of the rest for each of its levels."""
        return np.repeat([by_factor[name] for name in self.rest], list(self.rest.values()))

    def products(self, weights: Floats) -> Products:
        """Sum over the levels of the first factor, with a weight for each size."""
        if self.sparse_products is not None:
            return self.sparse_products(weights)
        flat, r = self.flat_products(weights), len(self.shared)
        p = self.n_second if self.kinds is None else 0
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

    Levels of random factors are in units of their standard deviation, those of the rest in
    `deviations`. `second` is the second factor, `table` and `right` are the equations of the rest.
    """

    def __init__(self, sums: Sums, ratios: Mapping[str, float]) -> None:
        self.sums, self.ratios = sums, ratios
        theta = ratios.get(sums.first)
        self._growth = sums.sizes if theta is None else 1 + theta * sums.sizes
        left = np.zeros(sums.sizes.size) if theta is None else 1 / (sums.sizes * self._growth)
        products = sums.products(left)
        self.deviations = sums.spread({name: self._sd(name) for name in sums.rest})
        self.second = self._second(products, left)
        rest = self.deviations
        self.table = sums.shared + products.rest
        self.table *= rest
        self.table *= rest[:, None]
        self.table.flat[:: rest.size + 1] += sums.penalty
        self.right = rest * (sums.deviations + products.rest_totals)
        self._left = sums.within + products.squares
        table, right, squares = self.second.less()
        self.table -= table
        self.right -= right
        self._left -= squares

    def _second(self, products: Products, left: Floats) -> EachLevel | KindsOfLevels:
        sums = self.sums
        deviation = 1.0 if sums.second is None else self._sd(sums.second)
        fixed = sums.second == FIXED
        units = Units(second=deviation, rest=self.deviations, fixed=fixed)
        if sums.kinds is not None:
            return KindsOfLevels(sums.kinds, left, units)
        times, total_products = sums.second_counts, sums.second_products
        return EachLevel(products, left, units, times=times, total_products=total_products)

    def _sd(self, name: str) -> float:
        return 1.0 if name == FIXED else math.sqrt(self.ratios[name])


class Solution(Equations):
    """The equations solved; `_root` is a Cholesky root of the rest's."""

    def __init__(self, sums: Sums, ratios: Mapping[str, float]) -> None:
        super().__init__(sums, ratios)
        self._root, self._inverse = _root_and_inverse(self.table)
        del self.table
        self._small = self._solve(self.right)
        self.second.fit(self._inverse, self._small)
        left = self._left - float(self.right @ self._small)
        self.rest = max(left, ROUNDING * sums.squares)

    def _solve(self, right: Floats) -> Floats:
        """By the root, which loses fewer digits than the inverse where a factor is held."""
        return solve_by_root(self._root, right) if right.size else right

    @property
    def log_det(self) -> float:
        """The logarithm of the determinant of all equations."""
        first = self.sums.items @ np.log(self._growth)
        own = 2 * np.log(np.diag(self._root)).sum()
        return float(first + self.second.log_det + own)

    def deviance(self, residual: float) -> float:
        """Minus twice the restricted log-likelihood."""
        df = self.sums.df
        return df * math.log(2 * math.pi * residual) + self.log_det + self.rest / residual

    def log_slopes(self, residual: float) -> Floats:
        """How the deviance changes with the logarithms of the variances, the residual's last."""
        slopes = np.array([known - squares / residual for known, squares in self._determined])
        estimated = [name not in self.sums.held for name in self.sums.random]
        rest = self.sums.df - self.rest / residual - float(slopes[estimated].sum())
        return np.append(slopes, rest)

    @cached_property
    def _determined(self) -> list[tuple[float, float]]:
        """How many of each random factor's levels the ratings determine, and squared effects."""
        return [self._determined_of(name) for name in self.sums.random]

    def _determined_of(self, name: str) -> tuple[float, float]:
        if name == self.sums.first:
            return self._first_determined()
        if name == self.sums.second:
            return self.second.determined()
        part = self.sums.parts[name]
        effects, unknown = self._small[part], np.trace(self._inverse[part, part])
        return effects.size - float(unknown), float(effects @ effects)

    def _first_determined(self) -> tuple[float, float]:
        """The same for the first factor, whose levels are known by their sums alone."""
        theta, rest = self.ratios[self.sums.first], self.deviations
        weights = theta / self._growth**2
        products, small = self.sums.products(weights), rest * self._small
        squares = products.squares + (products.rest @ small - 2 * products.rest_totals) @ small
        determined = self.sums.items @ (theta * self.sums.sizes / self._growth)
        determined -= rest @ (self._inverse * products.rest) @ rest
        if self.sums.second is not None:
            taken, added = self.second.of_first(weights, products)
            determined, squares = determined - taken, squares + added
        return float(determined), float(squares)

    def of_rest(self, name: str) -> bool:
        """Whether a factor is one of the rest, whose part of the inverse is known."""
        return name in self.sums.parts

    def curve(self, names: tuple[str, str], residual: float) -> float:
        """The second derivative of the deviance by the log-variances of two factors of the rest."""
        one, other = (self.sums.parts[name] for name in names)
        between, effects = self._inverse[one, other], (self._small[one], self._small[other])
        curve = -float(np.sum(between**2)) - 2 * float(effects[0] @ between @ effects[1]) / residual
        if names[0] == names[1]:
            curve += float(np.trace(between)) + float(effects[0] @ effects[0]) / residual
        return curve

    @property
    def growth(self) -> Floats:
        """By how much the squared effects of each random factor exceed what its variance says."""
        known, squares = np.array(self._determined).T
        shown = squares * self.sums.df / (self.rest * np.maximum(known, NOTHING))
        return np.asarray(np.clip(shown, 1 / MOST_GROWTH, MOST_GROWTH))

    def bend(self, name: str) -> float:
        """About how the deviance bends with a log-variance, all others as they are.

        That is tr(P V P V), its expected curvature; of a factor that was eliminated the least is
        taken that its levels allow.
        """
        if name in self.sums.parts:
            own = self._inverse[self.sums.parts[name], self.sums.parts[name]]
            return float(len(own) - 2 * np.trace(own) + np.sum(own**2))
        levels = self.sums.items.sum() if name == self.sums.first else self.sums.n_second_levels
        return float(self._determined[self.sums.random.index(name)][0] ** 2 / levels)

    def information(self) -> Floats:
        """About how the deviance bends with the log-variances, the residual's eliminated.

        Between two factors of the rest tr(P Vᵢ P Vⱼ) is known; otherwise 0 stands for it.
        """
        names, sums = self.sums.random, self.sums
        known = np.array([own for own, _ in self._determined])
        information = np.zeros((known.size, known.size))
        for row, name in enumerate(names):
            information[row, row] = self.bend(name)
            for column, other in enumerate(names[:row]):
                if name in sums.parts and other in sums.parts:
                    between = self._inverse[sums.parts[name], sums.parts[other]]
                    information[row, column] = information[column, row] = np.sum(between**2)
        beside = np.maximum(known - information.sum(axis=1), 0.0)
        residual = max(sums.df - known.sum() - beside.sum(), 1.0)
        profiled = information - np.multiply.outer(beside, beside) / residual
        sure = np.linalg.eigvalsh(profiled).min(initial=1.0) > 0
        return np.asarray(profiled if sure else information + np.diag(np.full(known.size, 1e-6)))

    def scaled_slopes(self, residual: float) -> Floats:
        """How `log_slopes` changes when all variances that are estimated grow alike."""
        squares = np.array([own for _, own in self._determined]) / residual
        estimated = [name not in self.sums.held for name in self.sums.random]
        return np.append(squares, self.rest / residual - float(squares[estimated].sum()))

    def covariance_change(self, name: str) -> Floats:
        """How `covariance` changes with the log-variance of a factor of the rest."""
        across = self._fixed_rows[:, self.sums.parts[name]]
        return np.asarray(across @ across.T)

    @property
    def _fixed_rows(self) -> Floats:
        """The part of the inverse between the fixed factor and the rest, but for its sign."""
        if FIXED in self.sums.rest:
            return np.asarray(self._inverse[self.sums.parts[FIXED]])
        if self.sums.second == FIXED:
            return np.asarray(self._of_levels.between)
        across = dense(self._levels.meets) * self.deviations * self._weights[:, None]
        return np.asarray(across @ self._inverse)

    @property
    def _of_levels(self) -> EachLevel:
        assert isinstance(self.second, EachLevel)
        return self.second

    def effects(self, name: str) -> Floats:
        """The estimated or predicted effect of each level of a factor."""
        if name == self.sums.second:
            return self._second_effects()
        if name != self.sums.first:
            return np.asarray(self.deviations * self._small)[self.sums.parts[name]]
        levels = self._levels
        known = levels.meets @ (self.deviations * self._small)
        if self.sums.second is not None:
            known = known + levels.counts * (levels.parents.T @ self._second_effects())
        return np.asarray((levels.totals - known) * self._weights)

    def _second_effects(self) -> Floats:
        two = self.second.units.second
        if isinstance(self.second, EachLevel):
            return np.asarray(two * self.second.middle)
        levels, theta = self._levels, self.ratios.get(self.sums.first)
        left = levels.totals - levels.meets @ (self.deviations * self._small)
        growth = levels.counts if theta is None else 1 + theta * levels.counts
        diagonal = two**2 * (levels.parents @ (levels.counts / growth)) + 1
        return np.asarray(two**2 * (levels.parents @ (left / growth)) / diagonal)

    def covariance(self) -> Floats:
        """The covariances of the fixed factor's estimates for a residual variance of 1."""
        if FIXED in self.sums.rest:
            part = self.sums.parts[FIXED]
            return np.asarray(self._inverse[part, part])
        if self.sums.second == FIXED:
            second = self._of_levels
            shares = dense(second.shares)
            return np.asarray(np.diag(1 / second.diagonal) - second.between @ shares.T)
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


def sum_factors(values: Floats, design: Design, *, each: bool = False) -> Sums:
    """Sum the ratings of one fixed and several random factors, about the fixed means.

    `each` keeps the levels of the second factor one by one.
    """
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
    kinds = None if second in (None, FIXED) or each else kinds_of(levels, sizes, places)
    kept = _by_size(levels, places, sizes.size, second=kinds is None)
    if kept is None:
        together = dense(meets.T @ weighted_rows(1 / counts, meets))
    else:
        ends = -1 - meets.shape[1] - (parents.shape[0] if kinds is None else 0)
        products = kept[:, ends - meets.shape[1] ** 2 : ends]
        together = ((1 / sizes) @ products).reshape(2 * meets.shape[1:])
    return Sums(
        first=first,
        second=second,
        n_second=parents.shape[0],
        rest=rest,
        random=tuple(name for name in names if name != FIXED),
        sizes=sizes,
        items=np.bincount(places).astype(float),
        flat_products=lambda weights: (
            levels.flat_products(weights[places], second=kinds is None)
            if kept is None
            else np.asarray(weights @ kept)
        ),
        sparse_products=_sparsely(levels, places) if kinds is None else None,
        shared=design.meetings(list(rest)) - together,
        deviations=np.concatenate([np.zeros(0), *(design.sums(name, own) for name in rest)]),
        within=float(own @ own),
        squares=float(left @ left),
        n_ratings=float(values.size),
        n_fixed=design.levels(FIXED),
        levels=levels,
        kinds=kinds,
    )


def _by_size(
    levels: Levels, places: npt.NDArray[Any], n_sizes: int, *, second: bool
) -> Floats | None:
    """The sums of the levels of each size, or None where they are too many to be kept."""
    p, r = levels.parents.shape[0] if second else 0, levels.meets.shape[1]
    if n_sizes * (p * (1 + r) + r**2) > ROOM:
        return None
    each = [(places == place).astype(float) for place in range(n_sizes)]
    return np.array([levels.flat_products(own, second=second) for own in each])


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
        self._kept: tuple[bytes, float, Floats] = b"", math.nan, np.zeros(0)
        self._solution: Solution | None = None
        fixed = sums.held | sums.absent
        self.free = np.array([name not in fixed for name in sums.random], dtype=bool)
        self.least = np.array([name in sums.absent for name in sums.random], dtype=bool)

    def __call__(self, place: Floats) -> tuple[float, Floats]:
        if self._kept[0] != place.tobytes():
            self._solve(place)
        return self._kept[1:]

    def solution(self, place: Floats) -> Solution:
        """The equations solved at a place, which mostly is where the search looked last."""
        last = self._solution if self._kept[0] == place.tobytes() else None
        return last or self._solve(place)

    def _solve(self, place: Floats) -> Solution:
        self._solution = None  # two of them would be in memory
        ratios = self.ratios(np.expm1(place))
        self._solution, df = self.sums.solve(ratios), self.sums.df
        solution = self._solution
        residual = solution.rest / df
        slopes = (solution.log_slopes(residual)[:-1] / ratios)[self.free] * np.exp(place)
        value = math.log(residual) + solution.log_det / df
        self._kept = place.tobytes(), value, slopes / df
        return solution

    def begin(self, place: Floats, *, near: bool) -> tuple[Floats, Floats]:
        """Where to begin, and about how the deviance bends there.

        From a place that is not near, the variances are first moved a few times to what the effects
        show at them: their squares by how many of them the ratings determine (Harville 1977,
        eq. 6.3).
        """
        for _ in range(0 if near else MOVES):
            solution = self._solve(place)
            growth = solution.growth[self.free]
            if np.abs(np.log(growth)).max() < FAR:
                break
            ratios = np.expm1(place) * growth
            place = np.clip(np.log1p(ratios), math.log1p(NOTHING), LARGEST)
        else:
            solution = self._solve(place)
        ratios = self.ratios(np.expm1(place))[self.free]
        scale = np.exp(place) / ratios
        information = solution.information()[np.ix_(self.free, self.free)] / self.sums.df
        return place, information * np.multiply.outer(scale, scale)

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
    near: bool = False,
    hopeless: float = math.inf,
) -> tuple[Floats, Solution]:
    """Search from every start, keep the best, and make sure that it is one.

    Starts are log(1 + variance ratio) of the random factors; so many ratios are returned, and the
    equations solved for them.
    `curvature` is that of the deviance near the start, where it is known; `near` says that the
    starts are the estimates of nearly the same model. A search that cannot get to a deviance below
    `hopeless` ends before the best is found.
    """
    low, deviance = math.log1p(NOTHING), _Deviance(sums)
    above = hopeless / sums.df - math.log(2 * math.pi) - 1
    free = deviance.free
    if not free.any():
        return deviance.ratios(np.zeros(0)), deviance.solution(np.zeros(0))
    large = len(sums.shared) > MANY_LEVELS
    bounds, gain = (low, LARGEST), 1e-12 if large else 0.0
    tries: list[Minimum] = []
    for start in starts:  # another one only where the search may have stuck at 0
        if not tries or (tries[-1].place <= low * (1 + 1e-6)).any():
            own, bend = np.array(start)[free], curvature
            if bend is None:
                own, bend = deviance.begin(own, near=near)
            minimum = minimise(
                deviance,
                own,
                bounds,
                steps=max_iterations,
                gain=gain,
                curvature=bend,
                hopeless=above,
            )
            tries.append(minimum)
    best = min(tries, key=lambda attempt: attempt.value)
    place, slopes = best.place, best.slopes
    zero = place <= low * (1 + 1e-6)
    steep = np.abs(np.where(zero & (slopes > 0), 0.0, slopes)).max() > FLAT
    if place.max() >= LARGEST or (steep and best.value <= above):
        raise ConvergenceError(
            "stats.reml-unsettled",
            state={"log1p_ratios": place.tolist(), "deviance": best.value},
            steps=best.steps,
        )
    return deviance.ratios(np.where(zero, 0.0, np.expm1(place))), deviance.solution(place)


class Curvature:
    """How well the variances are known, from the equations solved a little beside the estimate.

    `free` are the variances above 0, the residual's last, `covariance` is the large-sample
    covariance of their logarithms, from the observed information, and `changes` is how the
    covariances of the fixed factor's means change with each. Only the factors that are eliminated
    need equations beside the estimate; the derivatives by the rest are known, and when all
    variances grow alike nothing but the scale changes.
    """

    def __init__(self, sums: Sums, variances: Floats, here: Solution | None = None) -> None:
        held = [name in sums.held | sums.absent for name in (*sums.random, "residual")]
        self.free = np.flatnonzero((variances > 0) & ~np.array(held))
        *names, _ = ([*sums.random, "residual"][place] for place in self.free.tolist())
        here, residual = here or _solve_beside(sums, variances, 0, 0.0)[0], float(variances[-1])
        size = self.free.size
        information, changes = np.full((size, size), np.nan), []
        for row, name in enumerate(names):
            if here.of_rest(name):
                changes.append(here.covariance_change(name) * residual)
                for column, other in enumerate(names):
                    if here.of_rest(other):
                        information[row, column] = here.curve((name, other), residual)
            else:
                slopes, change = _changes_beside(sums, variances, int(self.free[row]))
                information[row], information[:, row] = slopes[self.free], slopes[self.free]
                changes.append(change)
        information[:, -1] = here.scaled_slopes(residual)[self.free]
        information[:-1, -1] -= information[:-1, :-1].sum(axis=1)
        information[-1] = information[:, -1]
        information[-1, -1] -= information[-1, :-1].sum()
        information = (information + information.T) / 4
        whole = here.covariance() * residual
        self.changes = np.array([*changes, whole - sum(changes, np.zeros(whole.shape))])
        known = bool((np.linalg.eigvalsh(information) > 0).all())
        nothing = np.full(information.shape, np.nan)
        self.covariance = np.linalg.inv(information) if known else nothing


def _changes_beside(sums: Sums, variances: Floats, place: int) -> tuple[Floats, Floats]:
    """How the slopes and the covariances of means change with the logarithm of a variance."""
    ends = []
    for side in (1, -1):
        solution, residual = _solve_beside(sums, variances, place, side * STEP)
        ends.append((solution.log_slopes(residual), solution.covariance() * residual))
    (slopes, covariance), (slopes_below, covariance_below) = ends
    return (slopes - slopes_below) / (2 * STEP), (covariance - covariance_below) / (2 * STEP)


def _solve_beside(sums: Sums, variances: Floats, place: int, step: float) -> tuple[Solution, float]:
    moved = variances.copy()
    moved[place] *= math.exp(step)
    ratios = moved[:-1] / moved[-1]
    ratios[[name in sums.held for name in sums.random]] = FREE
    return sums.solve(ratios), float(moved[-1])
