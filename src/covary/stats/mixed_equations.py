"""Henderson's mixed-model equations for systems and crossed random factors, and their search.

With θ a factor's variance by the residual's, the equations are those of least squares in which each
level of a random factor has 1 / θ ratings more. The widest factor is eliminated by hand, because
its own part is diagonal, and so is the factor that its levels belong to; what is left is as large
as the other factors have levels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from covary.errors import ConvergenceError
from covary.stats.least_squares import Design
from covary.stats.mixed_tables import Products, Tables

__all__ = ["FIXED", "Equations", "Solution", "optimum"]

Floats = npt.NDArray[np.float64]

FIXED = "system"
"""The one factor that is not random."""

NOTHING = 1e-9
"""A variance ratio that is 0 but for rounding, and the least that the search looks at."""

LARGEST = math.log(1e9)
"""The end of the search; a component that gets there has no residual to be compared with."""

FLAT = 1e-5
"""A slope of the deviance per degree of freedom that counts as level."""

STARTS = (0.05, 0.8)
"""Where the search begins: log(1 + variance ratio) of every component."""


class Equations:
    """The sums that the equations need, for any variances.

    `first` is the widest factor. Where each of its levels belongs to one level of another factor
    (an item to its system), that factor's part stays diagonal too, and it is eliminated `second`.
    """

    def __init__(self, values: Floats, design: Design) -> None:
        self.design, factors = design, design.factors
        self.random = [name for name in factors if name != FIXED]
        self.n = values.size
        self.n_systems = self.design.levels(FIXED)
        self.df = self.n - self.n_systems
        self.counts = self.design.counts[FIXED].astype(np.int64)
        self.centre = self.design.means(FIXED, values)
        left = values - self.centre[factors[FIXED]]
        self.squares = float(left @ left)
        self.first = max(factors, key=self.design.levels)
        self.second = self._parent([name for name in factors if name != self.first])
        self.rest = [name for name in factors if name not in (self.first, self.second)]
        self.ends = np.cumsum([self.design.levels(name) for name in self.rest])
        self.sums = {name: self.design.sums(name, left) for name in factors}
        self.tables = Tables(self.design, self.first, self.second, self.rest)

    def _parent(self, names: list[str]) -> str | None:
        """The widest factor that the levels of the first belong to."""
        around = [name for name in names if self.design.within(self.first, name)]
        return max(around, key=self.design.levels, default=None)

    def at(self, ratios: Floats) -> Solution:
        """Solve the equations for variances of the random factors by the residual's."""
        return Solution(self, dict(zip(self.random, np.maximum(ratios, NOTHING), strict=True)))

    def deviance(self, at: Solution, residual: float) -> float:
        """Minus twice the restricted log-likelihood."""
        return self.df * math.log(2 * math.pi * residual) + at.log_det + at.rest / residual

    def log_slopes(self, at: Solution, residual: float) -> Floats:
        """How the deviance changes with the logarithms of the variances, the residual's last."""
        each = np.array([at.trace(name) - at.squares(name) / residual for name in self.random])
        last = self.df - at.rest / residual - each.sum()
        return np.append(each, last)


@dataclass(frozen=True)
class Solution:
    """The equations solved; levels of random factors are in units of their standard deviation.

    In the order of elimination the equations are diagonal (`_first`), diagonal again (`_second`,
    with `_across` to the rest) and small (`_factor`, a Cholesky root).
    """

    equations: Equations
    ratios: Mapping[str, float]

    def _root(self, name: str | None) -> float:
        return 1.0 if name is None or name == FIXED else math.sqrt(self.ratios[name])

    @cached_property
    def _roots(self) -> tuple[float, float, Floats]:
        """The standard deviations: of the first factor, of the second, of the rest's levels."""
        of = self.equations
        rest = [np.full(of.design.levels(name), self._root(name)) for name in of.rest]
        return self._root(of.first), self._root(of.second), np.concatenate([np.zeros(0), *rest])

    @cached_property
    def _first(self) -> Floats:
        of = self.equations
        return np.asarray(self._roots[0] ** 2 * of.tables.counts + float(of.first != FIXED))

    @cached_property
    def _eliminated(self) -> Products:
        return self.equations.tables.products(self._roots[0] ** 2 / self._first)

    @cached_property
    def _second(self) -> Floats:
        of = self.equations
        own = self._roots[1] ** 2 * (of.tables.second - self._eliminated.second)
        return np.asarray(own + float(of.second != FIXED))

    @cached_property
    def _across(self) -> Floats:
        _, second, rest = self._roots
        return np.asarray(second * (self.equations.tables.across - self._eliminated.across) * rest)

    @cached_property
    def _factor(self) -> Floats:
        from scipy import linalg

        of, rest = self.equations, self._roots[2]
        small = rest[:, None] * (of.tables.rest - self._eliminated.rest) * rest
        small -= self._across.T @ (self._across / self._second[:, None])
        more = [np.full(of.design.levels(name), float(name != FIXED)) for name in of.rest]
        small[np.diag_indices_from(small)] += np.concatenate([np.zeros(0), *more])
        return np.asarray(linalg.cholesky(small, lower=True, check_finite=False))

    @cached_property
    def log_det(self) -> float:
        """The logarithm of the determinant of all equations."""
        parts = self._first, self._second, np.diag(self._factor) ** 2
        return float(sum(np.sum(np.log(part)) for part in parts))

    @cached_property
    def _solved(self) -> tuple[Floats, Floats, Floats]:
        """The levels of the first factor, of the second and of the rest."""
        from scipy import linalg

        of, tables, (one, two, rest) = self.equations, self.equations.tables, self._roots
        wide, second, others = self._right
        known = one * wide / self._first
        second = second - two * (tables.parents @ (tables.counts * known))
        others = others - rest * (tables.meets.T @ known)
        right = others - self._across.T @ (second / self._second)
        small = right
        if of.rest:
            small = linalg.cho_solve((self._factor, True), right, check_finite=False)
        middle = (second - self._across @ small) / self._second
        above = tables.counts * (tables.parents.T @ (two * middle)) + tables.meets @ (rest * small)
        return (wide - one * above) / self._first, middle, np.asarray(small)

    @property
    def _right(self) -> tuple[Floats, Floats, Floats]:
        """The right sides of the equations."""
        of, (one, two, rest) = self.equations, self._roots
        second = np.zeros(0) if of.second is None else two * of.sums[of.second]
        others = np.concatenate([np.zeros(0), *(of.sums[name] for name in of.rest)])
        return one * of.sums[of.first], second, rest * others

    @cached_property
    def rest(self) -> float:
        """The squares that are left, (y - Xb)'V⁻¹(y - Xb), for a residual variance of 1."""
        pairs = zip(self._solved, self._right, strict=True)
        return self.equations.squares - float(sum(found @ right for found, right in pairs))

    @cached_property
    def _inverse(self) -> Floats:
        """The inverse of the small equations."""
        from scipy import linalg

        unit = np.eye(self.equations.tables.size)
        if not unit.size:
            return unit
        return np.asarray(linalg.cho_solve((self._factor, True), unit, check_finite=False))

    @cached_property
    def _between(self) -> Floats:
        """The part of the inverse between the second factor and the rest."""
        return np.asarray(-(self._across / self._second[:, None]) @ self._inverse)

    @cached_property
    def _middle(self) -> Floats:
        """The diagonal of the second factor's part of the inverse."""
        through = np.sum(self._between * self._across, axis=1)
        return np.asarray((1 - through) / self._second)

    def _part(self, name: str) -> slice:
        of = self.equations
        end = int(of.ends[of.rest.index(name)])
        return slice(end - of.design.levels(name), end)

    def _scaled(self, name: str) -> Floats:
        first, second, rest = self._solved
        if name == self.equations.first:
            return first
        return second if name == self.equations.second else rest[self._part(name)]

    def squares(self, name: str) -> float:
        """The squared effects of a random factor, in units of its standard deviation."""
        return float(self._scaled(name) @ self._scaled(name))

    def trace(self, name: str) -> float:
        """How many of a random factor's levels the ratings determine."""
        return self.equations.design.levels(name) - self._unknown(name)

    def _unknown(self, name: str) -> float:
        """The trace of a factor's part of the inverse."""
        if name == self.equations.second:
            return float(self._middle.sum())
        if name != self.equations.first:
            part = self._part(name)
            return float(np.trace(self._inverse[part, part]))
        one, two, rest = self._roots
        found = self.equations.tables.products(one**2 / self._first**2)
        own = np.sum(1 / self._first) + two**2 * (self._middle @ found.second)
        own += 2 * two * np.sum(self._between * found.across * rest)
        return float(own + np.sum(self._inverse * (rest[:, None] * found.rest * rest)))

    def means(self) -> Floats:
        """The systems' estimates, as deviations from their plain means."""
        return self._scaled(FIXED)

    def covariance(self) -> Floats:
        """The covariances of the systems' estimates for a residual variance of 1."""
        of = self.equations
        if FIXED in of.rest:
            part = self._part(FIXED)
            return np.asarray(self._inverse[part, part])
        if of.second == FIXED:
            across = self._across / self._second[:, None]
            return np.asarray(np.diag(1 / self._second) - self._between @ across.T)
        across = of.tables.meets.toarray() * self._roots[2] / self._first[:, None]
        return np.asarray(np.diag(1 / self._first) + across @ self._inverse @ across.T)

    def random_effects(self) -> dict[str, Floats]:
        """The predicted effect of each level of each random factor."""
        return {name: self._root(name) * self._scaled(name) for name in self.equations.random}


def optimum(equations: Equations, max_iterations: int) -> Floats:
    """Search from several starts, keep the best, and make sure that it is one."""
    from scipy import optimize

    size, low = len(equations.random), math.log1p(NOTHING)
    if not size:
        return np.zeros(0)

    def deviance(place: Floats) -> tuple[float, Floats]:
        ratios = np.expm1(place)
        at = equations.at(ratios)
        residual = at.rest / equations.df
        slopes = equations.log_slopes(at, residual)[:-1] / ratios * np.exp(place)
        return math.log(residual) + at.log_det / equations.df, slopes / equations.df

    options = {"maxiter": max_iterations, "ftol": 1e-15, "gtol": 1e-9}
    found = [
        optimize.minimize(deviance, np.full(size, start), method="L-BFGS-B", jac=True,
                          bounds=[(low, LARGEST)] * size, options=options)
        for start in STARTS
    ]  # fmt: skip
    best = min(found, key=lambda each: float(each.fun))
    place, slopes = np.asarray(best.x, dtype=float), np.asarray(best.jac)
    held = (place <= low * (1 + 1e-6)) & (slopes > 0)
    if place.max() >= LARGEST or np.abs(np.where(held, 0.0, slopes)).max() > FLAT:
        raise ConvergenceError(
            f"REML did not settle in {max_iterations} steps ({best.message}); the ratings may be "
            "too few for so many random factors",
            state={"log1p_ratios": place.tolist(), "deviance": float(best.fun)},
        )
    return np.where(place <= low * (1 + 1e-6), 0.0, np.expm1(place))
