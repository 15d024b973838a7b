"""Variance components of items × judges ratings by restricted maximum likelihood (REML).

The model is rating = mean + item + judge + error with independent random effects, or without the
judge (one-way). Ratings may be missing in any pattern. Items are integrated out by hand, and how
an item enters depends only on how many ratings it has, so that one evaluation of the likelihood
costs (different numbers of ratings per item) × judges², however many items there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import ConvergenceError
from covary.stats.mean_squares import ROUNDING, shifted
from covary.stats.patterns import Patterns

__all__ = ["Components", "Crossed", "fit", "variance_components"]

Floats = npt.NDArray[np.float64]

STARTS = ((0.2, 0.2), (1.0, 0.02), (0.02, 1.0), (1.5, 1.5))
"""Where the search begins: log(1 + variance ratio) of items and judges. A search that begins in
one place only can stay at a component of 0."""

EXPLAINED = 1e-6
"""With less than this share of the squares left, the effects are as good as known."""

LARGEST = math.log(1e9)
"""The end of the search; a component that gets there has no residual to be compared with."""

NOTHING = 1e-9
"""A variance ratio that is 0 but for rounding."""

FLAT = 1e-5
"""A slope of the deviance per degree of freedom that counts as level."""

STEP = 1e-3
"""How far log-variances are moved to take second derivatives."""


@dataclass(frozen=True)
class Components:
    """Variances between items, between judges and of the residual.

    `log_covariance` is the large-sample covariance of the three log-variances, from the observed
    information; a component that is 0 is held there and has zeros. `reason` says why there are no
    components where they are NaN. `judge` is 0 in the one-way model.
    """

    item: float
    judge: float
    residual: float
    notes: tuple[str, ...] = ()
    reason: str = ""
    log_covariance: Floats = field(default_factory=lambda: np.full((3, 3), np.nan))

    def to_dict(self) -> dict[str, float]:
        """Return the three variances by name."""
        return {"item": self.item, "judge": self.judge, "residual": self.residual}


@dataclass(frozen=True)
class Sums:
    """What the likelihood needs of the ratings; the first axis is the number of ratings per item.

    `given` counts ratings, `together` pairs of ratings of an item, and `weighted` sums the items'
    totals, by judge. `within` and `deviations` are about the items' means, so that ratings with
    little error lose no digits. In the one-way model all judges are one column.
    """

    two_way: bool
    sizes: Floats
    items: Floats
    given: Floats
    together: Floats
    weighted: Floats
    squared_totals: Floats
    deviations: Floats
    within: float
    squares: float

    @cached_property
    def shared(self) -> Floats:
        """How closely the items that they share tie judges together (a graph's Laplacian)."""
        given = np.diag(self.given.sum(axis=0))
        return given - np.tensordot(1 / self.sizes, self.together, 1)

    @property
    def n_items(self) -> float:
        return float(self.items.sum())

    @property
    def n_ratings(self) -> float:
        return float(self.given.sum())


class Crossed:
    """Items crossed with judges, ready to be summed for any number of times each row counts."""

    def __init__(self, patterns: Patterns, *, two_way: bool = True) -> None:
        ratings = shifted(patterns)
        self.two_way = two_way
        self.counts = patterns.counts.astype(float)
        self.size = patterns.rated.sum(axis=1)
        self.total, self.squares = ratings.sum(axis=1), (ratings**2).sum(axis=1)
        means = self.total[:, None] / self.size[:, None]
        deviations = np.where(patterns.rated, ratings - means, 0.0)
        self.within = (deviations**2).sum(axis=1)
        self.deviations = deviations if two_way else np.zeros((len(ratings), 1))
        self.rated = patterns.rated.astype(float) if two_way else self.size[:, None].astype(float)
        self.groups = [np.flatnonzero(self.size == size) for size in np.unique(self.size)]

    def at(self, counts: Floats) -> Sums:
        """Sum the rows, each counted a number of times."""
        parts = [self._group(rows, counts[rows]) for rows in self.groups]
        items, given, together, weighted, squared = (
            np.array(column) for column in zip(*parts, strict=True)
        )
        sizes = np.array([float(self.size[rows[0]]) for rows in self.groups])
        return Sums(
            self.two_way, sizes, items, given, together, weighted, squared,
            deviations=counts @ self.deviations, within=float(counts @ self.within),
            squares=float(counts @ self.squares),
        )  # fmt: skip

    def _group(self, rows: npt.NDArray[Any], counts: Floats) -> tuple[Any, ...]:
        rated, total = self.rated[rows], self.total[rows]
        together = rated.T @ (counts[:, None] * rated)
        return counts.sum(), counts @ rated, together, (counts * total) @ rated, counts @ total**2


def variance_components(
    patterns: Patterns, *, two_way: bool = True, max_iterations: int = 200
) -> Components:
    """Estimate the variances between items, between judges and of the residual by REML.

    Parameters
    ----------
    patterns
        The collapsed ratings; any of them may be missing.
    two_way
        False leaves the judges out: their variance is then part of the residual.
    max_iterations
        How many steps each search may take before `ConvergenceError`.

    Returns
    -------
    Components
        NaN with a reason where the ratings cannot tell the components apart.

    Examples
    --------
    The data of Shrout & Fleiss (1979), where REML equals the analysis of variance:

    >>> from covary import Ratings
    >>> from covary.stats.patterns import collapse
    >>> rows = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    >>> found = variance_components(collapse(Ratings.from_wide(rows, level="interval")))
    >>> f"{found.item:.3f} {found.judge:.3f} {found.residual:.3f}"
    '2.556 5.244 1.019'
    """
    if not patterns.n_ratings:
        return _undefined("there are no ratings")
    crossed = Crossed(patterns, two_way=two_way)
    sums = crossed.at(crossed.counts)
    found = fit(sums, max_iterations=max_iterations)
    return replace(found, log_covariance=_log_covariance(sums, found))


def fit(
    sums: Sums,
    *,
    starts: Iterable[tuple[float, ...]] = STARTS,
    max_iterations: int = 200,
) -> Components:
    """Maximise the restricted likelihood, or say why it has no maximum; without covariance."""
    if sums.n_items < 2:
        return _undefined("there is only one item, so there is no variance between items")
    fixed = _fixed_effects(sums)
    if fixed.df < 1:
        return _undefined("too few ratings are shared to tell items, judges and error apart")
    if fixed.rest <= EXPLAINED * sums.squares:
        return _explained(sums, fixed)
    ratios = np.expm1(_optimum(sums, starts, max_iterations))
    residual = _likelihood(sums, *ratios).rest / (sums.n_ratings - 1)
    item, judge = ratios * residual
    return Components(float(item), float(judge), residual, _notes(sums, item, judge, fixed))


@dataclass(frozen=True)
class _Likelihood:
    """What the restricted likelihood is made of at a residual variance of 1.

    With W the covariance of the ratings without the judges, Z the judges' indicator and X a
    column of ones, V = W + judge Z Z', and V⁻¹ and |V| come from the small I + judge Z'W⁻¹Z.
    `mean` and `judges` are Z'V⁻¹X and Z'V⁻¹(y - Xβ), `rest` is (y - Xβ)'V⁻¹(y - Xβ).
    """

    log_det: float
    rest: float
    xx: float
    beta: float
    mean: Floats
    judges: Floats
    crossing: Floats
    inverse: Floats


def _likelihood(sums: Sums, item: float, judge: float) -> _Likelihood:
    growth = 1 + sums.sizes * item
    between = 1 / (sums.sizes * growth)
    x = (sums.given / growth[:, None]).sum(axis=0)
    y = sums.deviations + between @ sums.weighted
    crossing = sums.shared + np.tensordot(between, sums.together, 1)
    small = np.eye(x.size) + judge * crossing
    inverse: Floats = np.linalg.inv(small).astype(float)
    mean, judges = np.linalg.solve(small, np.column_stack([x, y])).T
    xx, xy = float(x.sum() - judge * x @ mean), float(y.sum() - judge * x @ judges)
    yy = float(sums.within + between @ sums.squared_totals - judge * y @ judges)
    log_det = sums.items @ np.log(growth) + np.linalg.slogdet(small)[1] + math.log(xx)
    rest = max(yy - xy**2 / xx, ROUNDING * sums.squares)  # never below the fixed effects'
    beta = xy / xx
    return _Likelihood(
        float(log_det), rest, xx, beta, mean, judges - beta * mean, crossing, inverse
    )


def _slopes(sums: Sums, item: float, judge: float, at: _Likelihood) -> tuple[Floats, Floats]:
    """Derivatives of `log_det` and of `rest` in the two variance ratios."""
    growth, m, n = 1 + sums.sizes * item, sums.sizes, sums.items
    by_item = np.tensordot(growth**-2, sums.together, 1)
    trace = (n * m / growth).sum() - judge * (at.inverse * by_item).sum()
    x = n * m**2 - 2 * judge * m * (sums.given @ at.mean) + judge**2 * _form(sums, at.mean)
    residual = sums.squared_totals - 2 * at.beta * sums.weighted.sum(axis=1) + at.beta**2 * n * m**2
    residual -= 2 * judge * (sums.weighted - at.beta * m[:, None] * sums.given) @ at.judges
    residual += judge**2 * _form(sums, at.judges)
    log_det = (
        trace - (x / growth**2).sum() / at.xx,
        (at.inverse * at.crossing).sum() - at.mean @ at.mean / at.xx,
    )
    rest = -(residual / growth**2).sum(), -at.judges @ at.judges
    return np.array(log_det), np.array(rest)


def _form(sums: Sums, vector: Floats) -> Floats:
    return (sums.together @ vector) @ vector


def _profiled(sums: Sums) -> Callable[[Floats], tuple[float, Floats]]:
    """The deviance per degree of freedom and its slopes, in log(1 + variance ratio)."""
    df = sums.n_ratings - 1

    def deviance(place: Floats) -> tuple[float, Floats]:
        item, judge = np.expm1(place)
        at = _likelihood(sums, item, judge)
        log_det, rest = _slopes(sums, item, judge, at)
        slopes = (rest / at.rest + log_det / df) * np.exp(place)
        return math.log(at.rest / df) + at.log_det / df, slopes

    return deviance


def _optimum(sums: Sums, starts: Iterable[tuple[float, ...]], max_iterations: int) -> Floats:
    """Search from every start, keep the best, and make sure that it is one."""
    from scipy import optimize

    deviance = _profiled(sums)
    bounds = [(0.0, LARGEST), (0.0, LARGEST if sums.two_way else 0.0)]
    options = {"maxiter": max_iterations, "ftol": 1e-15, "gtol": 1e-9}
    begins = {start if sums.two_way else (start[0], 0.0) for start in starts}
    found = [
        optimize.minimize(deviance, begin, method="L-BFGS-B", jac=True, bounds=bounds,
                          options=options)
        for begin in sorted(begins)
    ]  # fmt: skip
    best = min(found, key=lambda each: float(each.fun))
    place: Floats = np.asarray(best.x, dtype=float)
    if place.max() >= LARGEST or _slope(place, np.asarray(best.jac), sums.two_way) > FLAT:
        raise ConvergenceError(
            f"REML did not settle in {max_iterations} steps ({best.message}); the ratings may be "
            "too few for the number of judges",
            state={"log1p_ratios": place.tolist(), "deviance": float(best.fun)},
        )
    return np.where(place < NOTHING, 0.0, place)


def _slope(place: Floats, gradient: Floats, two_way: bool) -> float:
    """The steepest way down that is left; a component at 0 cannot go lower."""
    held = (place < NOTHING) & (gradient > 0)
    free = np.where(held, 0.0, np.abs(gradient))
    return float(free.max() if two_way else free[0])


@dataclass(frozen=True)
class _Fixed:
    """The least-squares fit with items and judges as fixed effects."""

    judges: Floats
    rest: float
    df: float
    parts: int


def _fixed_effects(sums: Sums) -> _Fixed:
    if not sums.two_way:
        return _Fixed(np.zeros(1), sums.within, sums.n_ratings - sums.n_items, 1)
    right = sums.deviations
    values, vectors = np.linalg.eigh(sums.shared)
    real = values > ROUNDING * max(values[-1], 1.0)
    effects = vectors[:, real] @ ((vectors[:, real].T @ right) / values[real])
    parts = int(right.size - real.sum())
    df = sums.n_ratings - sums.n_items - right.size + parts
    return _Fixed(effects, sums.within - float(right @ effects), df, parts)


def _explained(sums: Sums, fixed: _Fixed) -> Components:
    """The limit where items and judges explain the ratings: the variances of their effects.

    The three are then independent, each with the chi-square of its degrees of freedom.
    """
    if fixed.parts > 1:
        return _undefined(
            "groups of judges share no item, and within each nothing is left to chance"
        )
    effects = fixed.judges
    plain = (sums.weighted.sum(axis=1) / sums.sizes - sums.given @ effects) / sums.sizes
    squared = sums.squared_totals - 2 * sums.weighted @ effects
    squared = (squared + np.einsum("gij,i,j->g", sums.together, effects, effects)) / sums.sizes**2
    n = sums.n_items
    between = float(squared.sum() - plain.sum() ** 2 / n)
    item = between / (n - 1) if between > ROUNDING * sums.squares else 0.0
    judge = float(np.var(effects, ddof=1)) if effects.size > 1 else 0.0
    judge = judge if judge > ROUNDING * sums.squares / sums.n_ratings else 0.0
    residual = fixed.rest / fixed.df if fixed.rest > ROUNDING * sums.squares else 0.0
    known = np.array([item, judge, residual]) > 0
    dfs = np.array([n - 1, max(effects.size - 1, 1), fixed.df])
    covariance = np.diag(np.where(known, 2 / dfs, 0.0))
    notes = ("items and judges explain the ratings to a millionth",)
    return Components(item, judge, residual, notes, log_covariance=covariance)


def _log_covariance(sums: Sums, found: Components) -> Floats:
    """Invert the observed information of the log-variances, with components of 0 held there."""
    if math.isnan(found.item) or not np.isnan(found.log_covariance).all():
        return found.log_covariance
    variances = np.array([found.item, found.judge, found.residual])
    free = np.flatnonzero(variances > 0)
    information = _hessian(_log_deviance(sums, variances, free), free.size) / 2
    covariance = np.zeros((3, 3))
    positive = bool((np.linalg.eigvalsh(information) > 0).all())
    block = np.linalg.inv(information) if positive else np.full((free.size, free.size), np.nan)
    covariance[np.ix_(free, free)] = block
    return covariance


def _log_deviance(
    sums: Sums, variances: Floats, free: npt.NDArray[Any]
) -> Callable[[Floats], float]:
    def deviance(move: Floats) -> float:
        moved = variances.copy()
        moved[free] *= np.exp(move)
        at = _likelihood(sums, moved[0] / moved[2], moved[1] / moved[2])
        return (sums.n_ratings - 1) * math.log(moved[2]) + at.log_det + at.rest / float(moved[2])

    return deviance


def _hessian(function: Callable[[Floats], float], size: int) -> Floats:
    """Second derivatives at 0, by central differences."""
    unit = STEP * np.eye(size)
    second = np.empty((size, size))
    for a in range(size):
        for b in range(size):
            ends = (unit[a] + unit[b], unit[a] - unit[b], unit[b] - unit[a], -unit[a] - unit[b])
            both, first, other, neither = (function(end) for end in ends)
            second[a, b] = (both - first - other + neither) / (4 * STEP**2)
    return second


def _notes(sums: Sums, item: float, judge: float, fixed: _Fixed) -> tuple[str, ...]:
    notes = []
    if item == 0:
        notes.append("the variance between items is estimated as 0")
    if judge == 0 and sums.two_way:
        notes.append("the variance between judges is estimated as 0")
    if fixed.parts > 1:
        notes.append(
            f"the judges fall into {fixed.parts} groups that share no item, so their severity is "
            "compared only through the assumption that items were given out at random"
        )
    return tuple(notes)


def _undefined(reason: str) -> Components:
    return Components(math.nan, math.nan, math.nan, reason=reason)
