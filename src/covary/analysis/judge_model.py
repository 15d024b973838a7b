"""The model behind `covary.disagreement`: rating = item + judge + rest on a metric.

Mean squares or REML give the variances, least squares the judges' effects, and pairs of judges how
much of the rest is a different use of the scale.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from covary.scales import Level, VisualScale
from covary.stats import special
from covary.stats.coefficients.mean_squares import mean_squares, rating_unit, row_sums
from covary.stats.coefficients.variance_components import Components, variance_components
from covary.stats.distributions import (
    f_quantile,
    level_of_each,
    normal_quantile,
    t_quantile,
    two_sided,
)
from covary.stats.estimate import OTHER_JUDGES, Interval
from covary.stats.intervals import units
from covary.stats.models.tables import (
    dense,
    filled_by_column,
    summed_table,
    table_of,
    weighted_rows,
)
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

EXACT = 1e-9
"""An error that is a smaller share of what it is about is 0 but for rounding."""

HALVINGS = 40
"""How often the search for a noncentrality halves what is left."""


def scores(patterns: Patterns) -> Iterator[Patterns]:
    """Put ratings on the metric of the agreement coefficient; names on one for each category."""
    if patterns.scale.level is Level.NOMINAL:
        for code in np.unique(patterns.entries[2]).tolist():
            yield on_line(patterns, (np.arange(patterns.n_values) == code).astype(float))
    elif patterns.scale.level is Level.ORDINAL:
        rows, _, codes = patterns.entries
        used = np.bincount(codes, patterns.counts[rows], minlength=patterns.n_values)
        yield on_line(patterns, midranks(used.astype(float)) / patterns.n_ratings)
    else:
        yield on_line(patterns, patterns.positions(Level.INTERVAL))


def on_line(patterns: Patterns, positions: Floats) -> Patterns:
    """Put categories at places on a line."""
    return patterns.on_scale(positions, LINE)


def level_for_judges(confidence: float, n_judges: int) -> float:
    """The confidence of each judge's interval at which those of all judges hold together.

    Two judges who are compared with each other are one comparison.
    """
    return level_of_each(confidence, n_judges if n_judges > 2 else 1)


def same_side_chance(n: float) -> float:
    """How probable it is that all of n differences lie on one side, if either were as likely.

    Where they are all the same, their spread is 0 and says nothing of how sure their mean is.
    """
    return float(min(2.0 ** (1 - n), 1.0))


class JudgeEffects:
    """Least squares of item and judge effects, and how well the judges' are known.

    Items (or clusters) give the covariance of the judges' effects, so that nothing is assumed of
    the distribution of ratings. Several metrics (names) are taken side by side. `n_units` is how
    many items (or clusters) each judge rated: a judge's own few ratings leave too little of
    themselves, by (n - 1) / n, which is put back.
    """

    def __init__(self, scored: Sequence[Patterns]) -> None:
        first, self.n_judges = scored[0], scored[0].n_columns
        (rows, judges, _), counts = first.entries, first.counts.astype(float)
        size = first.by_row(np.ones(rows.size))
        rated = table_of(rows, judges, np.ones(rows.size), (first.counts.size, self.n_judges))
        met = -dense(rated.T @ weighted_rows(counts / size, rated))
        met.flat[:: self.n_judges + 1] += np.bincount(judges, counts[rows], minlength=self.n_judges)
        values, vectors = np.linalg.eigh(met)
        real = values > 1e-9 * max(values[-1], 1.0)
        self.parts = int(values.size - real.sum())
        self._inverse = (vectors[:, real] / values[real]) @ vectors[:, real].T
        fits = [self._fit(part, size) for part in scored]
        self.effects = np.concatenate([effects for effects, _ in fits])
        self.covariance, self.units, self.n_units = self._sandwich(
            first, [left for _, left in fits]
        )

    def _fit(self, part: Patterns, size: Floats) -> tuple[Floats, Floats]:
        """The effects on one metric, and what they leave of each rating."""
        rows, judges, codes = part.entries
        numbers = part.positions()[codes]
        own = numbers - (part.by_row(numbers) / size)[rows]
        sums = np.bincount(judges, part.counts[rows] * own, minlength=self.n_judges)
        effects = self._inverse @ sums
        expected = effects[judges] - (part.by_row(effects[judges]) / size)[rows]
        return effects, own - expected

    def _sandwich(self, part: Patterns, left: Sequence[Floats]) -> tuple[Floats, float, Floats]:
        """The covariance of the effects, from what each item's or cluster's ratings leave.

        Also how many items or clusters there are, and how many of them each judge rated.
        """
        (rows, judges, _), counts = part.entries, part.counts.astype(float)
        if part.clusters is None:
            units, weights, n = rows, np.sqrt(counts), int(counts.size)
            size = float(counts.sum())
            rated = np.bincount(judges, counts[rows], self.n_judges).astype(float)
        else:
            units = np.unique(part.clusters, return_inverse=True)[1][rows]
            weights, n = counts, int(units.max()) + 1
            size = float(n)
            met = summed_table(units, judges, np.ones(rows.size), (n, self.n_judges))
            rated = filled_by_column(met).astype(float)
        tables = [
            summed_table(units, judges, weights[rows] * own, (n, self.n_judges)) for own in left
        ]
        covariance = np.block(
            [
                [self._inverse @ dense(one.T @ other) @ self._inverse for other in tables]
                for one in tables
            ]
        )
        scale = np.tile(np.sqrt(rated / np.maximum(rated - 1, 1)), len(left))
        return covariance * scale[:, None] * scale, size, rated

    @cached_property
    def _moments(self) -> tuple[float, float]:
        """The mean variance of an effect by its degrees of freedom, and these."""
        trace, square = np.trace(self.covariance), float(np.sum(self.covariance**2))
        df = trace**2 / square if square > 0 else 1.0
        return float(trace), float(df)

    def margins(self, confidence: float) -> Floats:
        """How far each effect may lie from what was found, of all judges at once.

        Student's t on the items (or clusters) that the judge rated; infinite where that is one.
        """
        level = level_for_judges(confidence, self.n_judges)
        df = np.maximum(self.n_units - 1, 1.0).tolist()
        quantiles = np.array([t_quantile((1 + level) / 2, each) for each in df])
        unsure = np.array([same_side_chance(n) > 1 - level for n in self.n_units.tolist()])
        known = (self.n_units > 1) & ~(self._without_spread & unsure)
        return np.where(known, self._errors * quantiles, math.inf)

    def chances(self, effects: Floats) -> Floats:
        """How probable it is that any judge lies so far off, if all were equally severe."""
        far = np.abs(effects) / np.where(self._without_spread, 1.0, self._errors)
        alone = two_sided(far, np.maximum(self.n_units - 1, 1))
        same_side = np.array([same_side_chance(n) for n in self.n_units.tolist()])
        alone = np.where(self._without_spread, same_side, alone)
        alone = np.where(self.n_units > 1, alone, 1.0)
        times = self.n_judges if self.n_judges > 2 else 1
        return np.asarray(-np.expm1(times * np.log1p(-np.minimum(alone, 1 - 1e-16))))

    @property
    def _errors(self) -> Floats:
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    @property
    def _without_spread(self) -> npt.NDArray[np.bool_]:
        """The judges whose differences from the others are all the same."""
        return np.asarray(self._errors <= EXACT * float(np.max(np.abs(self.effects), initial=0)))

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
    if scored[0].complete:
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
    k = scored[0].n_columns
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
    groups = np.arange(part.counts.size) if part.clusters is None else part.clusters
    numbers_of = np.unique(groups, return_inverse=True)[1] % GROUPS
    n = int(np.unique(numbers_of).size)
    if part.common.dense:
        moments = _multiplied_moments(part, numbers_of)
    else:
        moments = _listed_moments(part, numbers_of)
    whole = moments.sum(axis=0)
    share = _spread_share(whole)
    if n < GROUPS or math.isnan(share):
        return share, None
    left_out = np.array([_spread_share(whole - own) for own in moments])
    error = math.sqrt((n - 1) / n * float(np.sum((left_out - left_out.mean()) ** 2)))
    margin = t_quantile((1 + confidence) / 2, n - 1) * error
    low, high = max(share - margin, 0.0), min(share + margin, 1.0)
    known = math.isfinite(margin)
    return share, Interval(low, high, confidence, "jackknife") if known else None


def _centred_positions(part: Patterns) -> Floats:
    """Where the categories stand, about the mean of all rows' ratings."""
    positions = part.positions()
    return np.asarray(positions - positions[part.entries[2]].mean())


def _multiplied_moments(part: Patterns, group: npt.NDArray[np.intp]) -> Floats:
    """The same as `_listed_moments`, from whole columns of judges."""
    numbers = np.where(part.rated, _centred_positions(part)[part.codes], 0.0)
    rated, counts = part.rated.astype(float), part.counts.astype(float)
    upper = np.triu_indices(rated.shape[1], 1)

    def of(rows: npt.NDArray[np.bool_]) -> list[Floats]:
        mine, own, times = rated[rows], numbers[rows], counts[rows, None]
        sums, squares = (times * own).T @ mine, (times * own**2).T @ mine
        common, products = (times * mine).T @ mine, (times * own).T @ own
        turned = (sums.T, squares.T)
        return [each[upper] for each in (common, sums, squares, *turned, products)]

    return np.array([of(group == number) for number in range(GROUPS)])


def _listed_moments(part: Patterns, group: npt.NDArray[np.intp]) -> Floats:
    """For each group of items and every two judges who met: their common items, the sum and the
    squares of the first's ratings and of the second's, and the products (groups × 6 × pairs).
    """
    common, positions = part.common, _centred_positions(part)
    n_pairs = len(common.pairs)
    moments = np.zeros((6, GROUPS * n_pairs))
    for rows, pairs, cells in common.blocks():
        first, second = (positions[codes] for codes in divmod(cells, part.n_values))
        places, times = group[rows] * n_pairs + pairs, common.counts[rows]
        parts = (np.ones(rows.size), first, first**2, second, second**2, first * second)
        for moment, values in zip(moments, parts, strict=True):
            moment += np.bincount(places, times * values, minlength=moment.size)
    return np.asarray(moments.reshape(6, GROUPS, n_pairs).swapaxes(0, 1))


def _spread_share(moments: Floats) -> float:
    """What different spreads make of the variance of differences, over all pairs of judges."""
    enough = moments[0] >= LEAST_COMMON
    if not enough.any():
        return math.nan
    n, sum1, squares1, sum2, squares2, product = moments[:, enough]
    variances = [
        np.maximum((q - s**2 / n) / (n - 1), 0) for s, q in ((sum1, squares1), (sum2, squares2))
    ]
    shared = (product - sum1 * sum2 / n) / (n - 1)
    spreads = np.sqrt(variances)
    both = spreads[0] * spreads[1]
    r = np.clip(np.divide(shared, both, out=np.zeros_like(both), where=both > 0), -1, 1)
    difference = variances[0] + variances[1] - 2 * shared
    chance = (variances[0] + variances[1] - 2 * r**2 * both) / (2 * (n - 1))
    spread = (spreads[0] - spreads[1]) ** 2 - chance
    whole = float(n @ difference)
    return min(max(float(n @ spread) / whole, 0.0), 1.0) if whole > 0 else math.nan
