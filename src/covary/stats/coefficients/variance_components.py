"""Variance components of items × judges ratings, as the intraclass correlation needs them.

The model is rating = mean + item + judge + error with independent random effects, or without the
judge (one-way). Ratings may be missing in any pattern.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.records import dataclass
from covary.stats.coefficients.mean_squares import centred_positions, rating_unit
from covary.stats.models.reml import FIXED, Curvature, Sums, maximise
from covary.stats.models.tables import beside, dense, table_of, weighted_rows
from covary.stats.patterns import Patterns
from covary.stats.statistic import ROUNDING
from covary.words import Note

Floats = npt.NDArray[np.float64]

STARTS = ((0.2, 0.2), (1.0, 0.02), (0.02, 1.0), (1.5, 1.5))
"""Where the search begins: log(1 + variance ratio) of items and judges. A search that begins in
one place only can stay at a component of 0."""

EXPLAINED = 1e-6
"""With less than this share of the squares left, the effects are as good as known."""


MOST_JUDGES = 1_000
"""With more judges, a fit that costs their cube is not tried."""


@dataclass(frozen=True, kw_only=True)
class Components:
    """Variances between items, between judges and of the residual.

    `log_covariance` is the large-sample covariance of the three log-variances; a component that is
    0 is held there and has zeros. `reason` says why there are no components where they are NaN.
    `judge` is 0 in the one-way model.
    """

    item: float = math.nan
    judge: float = math.nan
    residual: float = math.nan
    notes: tuple[str, ...] = ()
    reason: str = ""
    log_covariance: Floats = field(default_factory=lambda: np.full((3, 3), np.nan))

    def in_units(self, unit: float) -> Components:
        """Return the variances of ratings that are so many times as large."""
        item, judge, residual = (part * unit * unit for part in self.to_dict().values())
        return replace(self, item=item, judge=judge, residual=residual)

    def to_dict(self) -> dict[str, float]:
        """Return the three variances by name."""
        return {"item": self.item, "judge": self.judge, "residual": self.residual}


class ItemsByJudges:
    """Items crossed with judges, ready to be summed for any number of times each row counts."""

    def __init__(self, patterns: Patterns, *, two_way: bool = True) -> None:
        rows, judges, codes = patterns.entries
        ratings, ones = centred_positions(patterns)[codes], np.ones(rows.size)
        self.counts, self.two_way = patterns.counts.astype(float), two_way
        self.size, self.total = patterns.by_row(ones), patterns.by_row(ratings)
        own = ratings - (self.total / self.size)[rows]
        self.squares, self.within = patterns.by_row(ratings**2), patterns.by_row(own**2)
        shape = (self.counts.size, patterns.n_columns if two_way else 0)
        self.own, rated = (
            table_of(rows, judges, values, shape) if two_way else np.zeros(shape)
            for values in (own, ones)
        )
        self.meets = beside([self.size[:, None], rated], self.counts.size)
        self.sizes, self.places = np.unique(self.size, return_inverse=True)
        self.whole: tuple[Any, ...] | None = None

    def sums(self, counts: Floats) -> Sums:
        """Sum the rows, each counted a number of times."""
        n_judges = self.meets.shape[1] - 1
        kept, items, rated, deviations, within, squares = self._summed(counts)
        shared = np.zeros((n_judges + 1, n_judges + 1))
        together = ((1 / self.sizes) @ kept[:, : shared.size]).reshape(shared.shape)
        shared[1:, 1:] = np.diag(rated[1:]) - together[1:, 1:]
        return Sums(
            first="item",
            rest={FIXED: 1} | ({"judge": n_judges} if self.two_way else {}),
            random=("item", "judge") if self.two_way else ("item",),
            sizes=self.sizes,
            items=items,
            flat_products=lambda weights: np.asarray(weights @ kept),
            shared=shared,
            deviations=np.append(0.0, deviations),
            within=float(within),
            squares=float(squares),
            n_ratings=float(rated[0]),
            n_fixed=1,
        )

    def _summed(self, counts: Floats) -> tuple[Any, ...]:
        """The sums of all rows; where few count otherwise, all rows' less what these have less."""
        away = self.counts - counts
        fewer = np.flatnonzero(away)
        if not fewer.size or 2 * fewer.size > away.size:
            return self._summed_over(slice(None), counts)
        if self.whole is None:
            self.whole = self._summed_over(slice(None), self.counts)
        less = self._summed_over(fewer, away[fewer])
        return tuple(one - other for one, other in zip(self.whole, less, strict=True))

    def _summed_over(self, rows: Any, counts: Floats) -> tuple[Any, ...]:
        """The products and the number of items by size; ratings and deviations by judge; squares.

        The first of the ratings is the number of all of them.
        """
        places, meets, total = self.places[rows], self.meets[rows], self.total[rows]
        by_size = [np.flatnonzero(places == place) for place in range(self.sizes.size)]
        return (
            np.array([_products(meets[own], total[own], counts[own]) for own in by_size]),
            np.bincount(places, counts, minlength=self.sizes.size),
            counts @ meets,
            counts @ self.own[rows],
            counts @ self.within[rows],
            counts @ self.squares[rows],
        )


def _products(meets: Any, total: Floats, counts: Floats) -> Floats:
    weighted = weighted_rows(counts, meets)
    products = dense(weighted.T @ meets)
    return np.concatenate([products.ravel(), total @ weighted, [counts @ total**2]])


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
    >>> parts = variance_components(collapse(Ratings.from_wide(rows, level="interval")))
    >>> f"{parts.item:.3f} {parts.judge:.3f} {parts.residual:.3f}"
    '2.556 5.244 1.019'
    """
    components = standard_components(patterns, two_way=two_way, max_iterations=max_iterations)
    return components.in_units(rating_unit(patterns)) if patterns.n_ratings else components


def standard_components(
    patterns: Patterns, *, two_way: bool = True, max_iterations: int = 200
) -> Components:
    """Estimate the same in units of `rating_unit`, in which no square is too small or large."""
    if not patterns.n_ratings:
        return Components(reason=Note("stats.no-ratings"))
    if two_way and len(patterns.judges) > MOST_JUDGES and not patterns.complete:
        n = len(patterns.judges)
        return Components(reason=Note("stats.reml-many-judges", n=n, most=MOST_JUDGES))
    table = ItemsByJudges(patterns, two_way=two_way)
    sums = table.sums(table.counts)
    components = fit_components(sums, max_iterations=max_iterations)
    return replace(components, log_covariance=_log_covariance(sums, components))


def fit_components(
    sums: Sums,
    *,
    starts: Iterable[tuple[float, ...]] = STARTS,
    max_iterations: int = 200,
    checked: bool = False,
    curvature: Floats | None = None,
) -> Components:
    """Maximise the restricted likelihood, or say why it has no maximum; without covariance.

    `checked` says that there surely is one, because it was found for nearly the same ratings;
    `curvature` is that of the deviance there.
    """
    if sums.items.sum() < 2:
        return Components(reason=Note("stats.one-item"))
    parts = 1
    if not checked:
        fixed = _fixed_effects(sums)
        if fixed.df < 1:
            return Components(reason=Note("stats.components-inseparable"))
        if fixed.rest <= EXPLAINED * sums.squares:
            return _explained(sums, fixed)
        parts = fixed.parts
    begins = sorted({start[: len(sums.random)] for start in starts})
    ratios, solution = maximise(sums, begins, max_iterations, curvature=curvature)
    residual = solution.rest / sums.df
    item, judge = (*(ratios * residual).tolist(), 0.0)[:2]
    notes = [
        Note("stats.variance-zero", factor=name)
        for name, ratio in zip(sums.random, ratios, strict=True)
        if not ratio
    ]
    if parts > 1:
        notes.append(Note("stats.judges-apart", groups=parts))
    return Components(item=item, judge=judge, residual=residual, notes=tuple(notes))


@dataclass(frozen=True)
class _FixedFit:
    """The least-squares fit with items and judges as fixed effects."""

    judges: Floats
    rest: float
    df: float
    parts: int


def _fixed_effects(sums: Sums) -> _FixedFit:
    right, between = sums.deviations[1:], sums.n_ratings - sums.items.sum()
    if not right.size:
        return _FixedFit(right, sums.within, between, 1)
    values, vectors = np.linalg.eigh(sums.shared[1:, 1:])
    real = values > ROUNDING * max(values[-1], 1.0)
    effects = vectors[:, real] @ ((vectors[:, real].T @ right) / values[real])
    parts = int(right.size - real.sum())
    rest = sums.within - float(right @ effects)
    return _FixedFit(effects, rest, between - right.size + parts, parts)


def _explained(sums: Sums, fixed: _FixedFit) -> Components:
    """The limit where items and judges explain the ratings: the variances of their effects.

    The three are then independent, each with the chi-square of its degrees of freedom.
    """
    if fixed.parts > 1:
        return Components(reason=Note("stats.judges-apart-and-exact"))
    n, judges = sums.items.sum(), fixed.judges
    means, effects = sums.products(sums.sizes**-2), np.append(0.0, judges)
    total = float(means.rest_totals[0] - means.rest[0] @ effects)
    squares = means.squares + (means.rest @ effects - 2 * means.rest_totals) @ effects
    between = float(squares) - total**2 / n
    judge = float(np.var(judges, ddof=1)) if judges.size > 1 else 0.0
    item = between / (n - 1) if between > ROUNDING * sums.squares else 0.0
    judge = judge if judge > ROUNDING * sums.squares / sums.n_ratings else 0.0
    residual = fixed.rest / fixed.df if fixed.rest > ROUNDING * sums.squares else 0.0
    known = np.array([item, judge, residual]) > 0
    dfs = np.array([n - 1, max(judges.size - 1, 1), fixed.df])
    return Components(
        item=item,
        judge=judge,
        residual=residual,
        notes=(Note("stats.effects-explain-ratings"),),
        log_covariance=np.diag(np.where(known, 2 / dfs, 0.0)),
    )


def _log_covariance(sums: Sums, components: Components) -> Floats:
    """The covariance of the log-variances, with components of 0 held there."""
    if math.isnan(components.item) or not np.isnan(components.log_covariance).all():
        return components.log_covariance
    variances = [*(getattr(components, name) for name in sums.random), components.residual]
    curvature = Curvature(sums, np.array(variances))
    places = np.array([0, 1, 2] if len(sums.random) == 2 else [0, 2])[curvature.free]
    covariance = np.zeros((3, 3))
    covariance[np.ix_(places, places)] = curvature.covariance
    return covariance
