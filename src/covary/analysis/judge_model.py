"""The model behind `covary.disagreement`: rating = item + judge + rest on a metric.

Mean squares or REML give the variances, least squares the judges' effects, and pairs of judges how
much of the rest is a different use of the scale.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from covary.scales import Level, VisualScale
from covary.stats.coefficients.mean_squares import mean_squares, rating_unit, row_sums
from covary.stats.coefficients.variance_components import Components, variance_components
from covary.stats.distributions import f_quantile, normal_quantile, t_quantile
from covary.stats.estimate import OTHER_JUDGES, Interval
from covary.stats.intervals import units
from covary.stats.ordering import midranks
from covary.stats.patterns import Patterns
from covary.stats.statistic import Linear

Floats = npt.NDArray[np.float64]

LINE = VisualScale(0, 1)
"""What a metric is measured on, whatever the judges' own scale was."""

LEAST_COMMON = 5
"""Two judges with fewer common items say nothing about how they use the scale."""

GROUPS = 20
"""Into so many groups items are put to see how far the use of the scale is known."""

HALVINGS = 40
"""How often the search for a noncentrality halves what is left."""


def scores(patterns: Patterns) -> Iterator[Patterns]:
    """Put ratings on the metric of the agreement coefficient; names on one for each category."""
    if patterns.scale.level is Level.NOMINAL:
        for code in np.unique(patterns.codes[patterns.rated]).tolist():
            yield on_line(patterns, (np.arange(patterns.n_values) == code).astype(float))
    elif patterns.scale.level is Level.ORDINAL:
        rows, _, codes = patterns.entries
        used = np.bincount(codes, patterns.counts[rows], minlength=patterns.n_values)
        yield on_line(patterns, midranks(used.astype(float)) / patterns.n_ratings)
    else:
        yield on_line(patterns, patterns.positions(Level.INTERVAL))


def on_line(patterns: Patterns, positions: Floats) -> Patterns:
    """Put categories at places on a line."""
    return replace(patterns, values=positions, scale=LINE)


class JudgeEffects:
    """Least squares of item and judge effects, and how well the judges' are known.

    Items (or clusters) give the covariance of the judges' effects, so that nothing is assumed of
    the distribution of ratings. Several metrics (names) are taken side by side.
    """

    def __init__(self, scored: Sequence[Patterns]) -> None:
        rated, counts = scored[0].rated.astype(float), scored[0].counts.astype(float)
        size = rated.sum(axis=1)
        met = rated.T @ ((counts / size)[:, None] * rated)
        met = np.diag(counts @ rated) - met
        values, vectors = np.linalg.eigh(met)
        real = values > 1e-9 * max(values[-1], 1.0)
        self.parts = int(values.size - real.sum())
        self._inverse = (vectors[:, real] / values[real]) @ vectors[:, real].T
        fits = [self._fit(part, rated, size) for part in scored]
        self.effects = np.concatenate([effects for effects, _ in fits])
        self.covariance, self.units = self._sandwich(scored[0], np.hstack([e for _, e in fits]))
        self.n_judges = rated.shape[1]

    def _fit(self, part: Patterns, rated: Floats, size: Floats) -> tuple[Floats, Floats]:
        """The effects on one metric, and what each item's ratings add to their uncertainty."""
        numbers = np.where(part.rated, part.positions()[part.codes], 0.0)
        own = np.where(part.rated, numbers - (numbers.sum(axis=1) / size)[:, None], 0.0)
        effects = self._inverse @ (part.counts @ own)
        expected = rated * (effects - ((rated @ effects) / size)[:, None])
        return effects, (own - expected) @ self._inverse

    def _sandwich(self, part: Patterns, errors: Floats) -> tuple[Floats, float]:
        counts = part.counts.astype(float)
        if part.clusters is None:
            n, squares = float(counts.sum()), errors.T @ (counts[:, None] * errors)
        else:
            numbers = np.unique(part.clusters, return_inverse=True)[1]
            grouped = np.zeros((int(numbers.max()) + 1, errors.shape[1]))
            np.add.at(grouped, numbers, counts[:, None] * errors)
            n, squares = float(len(grouped)), grouped.T @ grouped
        return squares * n / max(n - 1, 1), n

    @cached_property
    def _moments(self) -> tuple[float, float]:
        """The mean variance of an effect by its degrees of freedom, and these."""
        trace, square = np.trace(self.covariance), float(np.sum(self.covariance**2))
        df = trace**2 / square if square > 0 else 1.0
        return float(trace), float(df)

    def severity_intervals(
        self, rest: float, confidence: float
    ) -> tuple[Interval | None, Interval | None]:
        """Intervals of severity's share of the disagreement, for these and for other judges."""
        trace, df = self._moments
        if not trace > 0 or self.units < 3 or not rest > 0:
            return None, None
        f, df2 = float(self.effects @ self.effects) / trace, self.units - 1
        known = trace / (self.n_judges - 1) / rest  # what chance adds, by the rest
        tail = (1 - confidence) / 2
        these = (_noncentrality(f, df, df2, 1 - tail), _noncentrality(f, df, df2, tail))
        limits = [end / df * known for end in these]
        quantiles = (f_quantile(1 - tail, df, df2), 1 / f_quantile(1 - tail, df2, df))
        others = [max(f / quantile - 1, 0.0) * known for quantile in quantiles]
        low, high, low_others, high_others = (end / (1 + end) for end in (*limits, *others))
        return (
            Interval(low, high, confidence, "noncentral F"),
            Interval(low_others, high_others, confidence, "F", target=OTHER_JUDGES),
        )


def _noncentrality(f: float, df1: float, df2: float, p: float) -> float:
    """The noncentrality at which a share p of the distribution lies below f, or else 0.

    For an upper end p is taken of the share that lies below f without any effect, because an f
    that is small by chance would otherwise leave an interval without width.
    """
    from scipy import special

    if p < 0.5:
        f = max(f, 1e-6)
        p *= float(special.fdtr(df1, df2, f))

    def below(noncentrality: float) -> float:
        return float(special.ncfdtr(df1, df2, noncentrality, f)) - p

    if below(0.0) <= 0:
        return 0.0
    high = max(df1 * f, 1.0)
    while below(high) > 0:
        high *= 2
        if high > 1e12:
            return high
    low = 0.0
    for _ in range(HALVINGS):  # which spares the import of scipy.optimize
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) > 0 else (low, middle)
    return (low + high) / 2


def mean_square_variances(scored: Sequence[Patterns]) -> Components:
    """The variances from mean squares, summed over metrics; what is negative is 0."""
    squares = [
        mean_squares(part.counts @ row_sums(part, by_judge=True), part.codes.shape[1])
        for part in scored
    ]
    n, k = float(squares[0].n), squares[0].k
    units = [rating_unit(part) ** 2 for part in scored]
    items, judges, error = (
        float(sum(unit * getattr(part, name) for unit, part in zip(units, squares, strict=True)))
        for name in ("items", "judges", "error")
    )
    item, judge = max((items - error) / k, 0.0), max((judges - error) / n, 0.0)
    return Components(item=item, judge=judge, residual=error)


def reml_variances(scored: Sequence[Patterns]) -> Components:
    """The variances by restricted maximum likelihood, summed over metrics."""
    fits = [variance_components(part) for part in scored]
    if len(fits) == 1:
        return fits[0]
    item, judge, residual = (
        sum(getattr(fit, name) for fit in fits) for name in ("item", "judge", "residual")
    )
    reason = next((fit.reason for fit in fits if fit.reason), "")
    return Components(item=item, judge=judge, residual=residual, reason=reason)


def without_severity_interval(
    scored: Sequence[Patterns], variances: Components, value: float, confidence: float
) -> Interval | None:
    """An interval of agreement without severity, for these judges."""
    if scored[0].rated.all():
        return _jackknife_log_ratio(scored, confidence)
    covariance = variances.log_covariance[np.ix_([0, 2], [0, 2])]
    slopes = np.array([1.0, -1.0])
    variance = float(slopes @ covariance @ slopes)
    if not 0 < value < 1 or not variance > 0:
        return None
    logit, margin = math.log(value / (1 - value)), normal_quantile((1 + confidence) / 2)
    ends = (logit + side * margin * math.sqrt(variance) for side in (-1, 1))
    low, high = ((1 + math.tanh(end / 2)) / 2 for end in ends)
    return Interval(low, high, confidence, "REML delta")


def _jackknife_log_ratio(scored: Sequence[Patterns], confidence: float) -> Interval | None:
    """Leave out items (or clusters) and take the logarithm of the ratio of mean squares."""
    k = scored[0].codes.shape[1]
    width = 3 + k

    def log_ratio(sums: Floats) -> Floats:
        parts = [
            mean_squares(sums[..., start : start + width], k)
            for start in range(0, sums.shape[-1], width)
        ]
        items, error = sum(part.items for part in parts), sum(part.error for part in parts)
        usable = (items > 0) & (error > 0)
        whole = np.where(usable, items, 1.0) / np.where(usable, error, 1.0)
        return np.asarray(np.where(usable, np.log(whole), np.nan))

    sums = np.hstack([row_sums(part, by_judge=True) for part in scored])
    unit = units(Linear(scored[0], sums, log_ratio))
    assert isinstance(unit, Linear)
    n = float(unit.counts.sum())
    pseudo = n * log_ratio(unit.total) - (n - 1) * log_ratio(unit.total - unit.sums)
    if n < 3 or not np.isfinite(pseudo).all():
        return None
    centre = float(np.average(pseudo, weights=unit.counts))
    variance = float(unit.counts @ (pseudo - centre) ** 2) / (n - 1) / n
    margin = t_quantile((1 + confidence) / 2, n - 1) * math.sqrt(variance)
    low, high = (
        (math.exp(end) - 1) / (math.exp(end) + k - 1) for end in (centre - margin, centre + margin)
    )
    return Interval(low, high, confidence, "jackknife")


def scale_use_share(part: Patterns, confidence: float) -> tuple[float, Interval | None]:
    """Different spreads' share of what severity leaves, with an interval from groups of items."""
    numbers = np.where(part.rated, part.positions()[part.codes], 0.0)
    numbers = np.where(part.rated, numbers - numbers[part.rated].mean(), 0.0)
    rated, counts = part.rated.astype(float), part.counts.astype(float)
    whole = _pair_moments(numbers, rated, counts)
    share = _spread_share(whole)
    groups = part.clusters
    if groups is None:
        groups = np.arange(counts.size)
    numbers_of = np.unique(groups, return_inverse=True)[1] % GROUPS
    n = int(np.unique(numbers_of).size)
    if n < GROUPS or math.isnan(share):
        return share, None
    left_out = np.array(
        [
            _spread_share(whole - _pair_moments(numbers[rows], rated[rows], counts[rows]))
            for rows in (numbers_of == group for group in range(GROUPS))
        ]
    )
    error = math.sqrt((n - 1) / n * float(np.sum((left_out - left_out.mean()) ** 2)))
    margin = t_quantile((1 + confidence) / 2, n - 1) * error
    low, high = max(share - margin, 0.0), min(share + margin, 1.0)
    known = math.isfinite(margin)
    return share, Interval(low, high, confidence, "jackknife") if known else None


def _pair_moments(numbers: Floats, rated: Floats, counts: Floats) -> Floats:
    """For every two judges: common items, and the first's sum and squares, and the products."""
    weighted = counts[:, None] * rated
    sums = (counts[:, None] * numbers).T @ rated
    squares = (counts[:, None] * numbers**2).T @ rated
    return np.array([weighted.T @ rated, sums, squares, (counts[:, None] * numbers).T @ numbers])


def _spread_share(moments: Floats) -> float:
    """What different spreads make of the variance of differences, over all pairs of judges."""
    upper = np.triu_indices(moments.shape[1], 1)
    n, product = moments[0][upper], moments[3][upper]
    first, second = ((moments[1][u], moments[2][u]) for u in (upper, upper[::-1]))
    enough = n >= LEAST_COMMON
    if not enough.any():
        return math.nan
    n = n[enough]
    variances = [
        np.maximum((q[enough] - s[enough] ** 2 / n) / (n - 1), 0) for s, q in (first, second)
    ]
    shared = (product[enough] - first[0][enough] * second[0][enough] / n) / (n - 1)
    spreads = np.sqrt(variances)
    both = spreads[0] * spreads[1]
    r = np.clip(np.divide(shared, both, out=np.zeros_like(both), where=both > 0), -1, 1)
    difference = variances[0] + variances[1] - 2 * shared
    chance = (variances[0] + variances[1] - 2 * r**2 * both) / (2 * (n - 1))
    spread = (spreads[0] - spreads[1]) ** 2 - chance
    whole = float(n @ difference)
    return min(max(float(n @ spread) / whole, 0.0), 1.0) if whole > 0 else math.nan
