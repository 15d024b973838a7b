"""Correlations of judges: Pearson's r and Spearman's rho, averaged over pairs of judges."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from copy import copy
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from covary.ratings import Ratings
from covary.scales import Level
from covary.stats.coefficient import (
    Coefficient,
    Request,
    check_choice,
    needs_named_judges,
    prepare,
)
from covary.stats.distributions import normal_quantile
from covary.stats.estimate import Estimate, Interval
from covary.stats.intervals import IntervalSpec, method_of_numbers
from covary.stats.line import BY_ORDER, BY_SUMS, LinePatterns, PairTerms
from covary.stats.ordering import Ranks, RowOrder, count_items, margins, midranks
from covary.stats.pairs import (
    PairResults,
    PairRows,
    PairTables,
    choose_combine,
    chosen_pairs,
    combine_pairs,
    pair_scales,
    pair_statistic,
    pair_tables,
    pair_weights,
    sharing_pairs,
    without_each_judge,
)
from covary.stats.patterns import Patterns
from covary.stats.statistic import TINY, Fraction, Linear

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Combine = Literal["auto", "mean", "fisher-z", "pooled"]


def pearson(
    ratings: Ratings,
    *,
    criterion: Any = None,
    combine: Combine = "auto",
    judges: Sequence[Any] | None = None,
    confidence: float = 0.95,
    interval: str | None = "auto",
    resamples: int = 1000,
    rng: Any = None,
) -> Estimate:
    """Do two judges' ratings rise and fall together along a straight line?

    For visual scales and other numbers. Judges of different severity can correlate perfectly; `icc`
    says how far they agree. For ordered categories prefer `goodman_kruskal_gamma` or `spearman`.

    Parameters
    ----------
    ratings
        The ratings; each pair of judges is compared on the items that both rated.
    combine
        For more than two judges: the plain `"mean"` over pairs; `"fisher-z"`, the mean on Fisher's
        z scale brought back; or `"pooled"`, from the pairs' added sums of squares and products.
        `"auto"` is the mean over pairs that share 10 items or more, and pooled where few pairs do:
        on few items r is biased towards 0. With fewer than 20 items in all it is the mean.
    criterion, judges, confidence, interval, resamples, rng
        As in `fleiss_kappa`. `"analytic"` is Fisher's z (two judges) or the linearised variance.

    Returns
    -------
    Estimate
        From -1 to 1; 0 without linear relation. `details["pairs"]` holds each pair of judges.

    Notes
    -----
    Undefined for a constant judge; such pairs are left out of the mean and counted. Pooled: each
    judge's ratings are standardised, and r is the sum over pairs of the products about the pair's
    means, over the mean of the two sums of squares. Dividing by estimated standard deviations
    makes products too small by about 1 - 1/(4 n_a - 4) - 1/(4 n_b - 4), n the judges' ratings,
    which is made good. Checked against scipy 1.17, and pooled by simulation.

    References
    ----------
    Fisher (1921) for the interval; Belz & Kow (2011) for its use.

    Examples
    --------
    >>> from covary import Ratings, pearson
    >>> mild, strict = [3, 3, 2, 2, 3, 2, 1, 2, 2, 3], [3, 2, 1, 1, 3, 2, 1, 1, 1, 2]
    >>> ratings = Ratings.from_wide(list(zip(mild, strict)), level="interval")
    >>> pearson(ratings, interval=None).value
    0.77984
    """
    spec = IntervalSpec.of(interval, confidence, resamples, rng)
    request = Request(ratings=ratings, criterion=criterion, judges=judges, spec=spec)
    coefficient = _prepare_correlation(
        "pearson", "Pearson's r", request, combine, unsorted_for=BY_SUMS
    )
    chosen = choose_combine(coefficient.patterns, combine)
    return _estimate(coefficient, _moments(coefficient.patterns, chosen), chosen, 1.0)


def spearman(
    ratings: Ratings,
    *,
    criterion: Any = None,
    combine: Combine = "auto",
    judges: Sequence[Any] | None = None,
    confidence: float = 0.95,
    interval: str | None = "auto",
    resamples: int = 1000,
    rng: Any = None,
) -> Estimate:
    """Do two judges rank items alike?

    Pearson's r of mid-ranks. With many ties `goodman_kruskal_gamma` and `kendall_tau_b` say more.

    Parameters
    ----------
    ratings, criterion, combine, judges, confidence, interval, resamples, rng
        As in `pearson`; `"analytic"` uses Bonett & Wright's standard error on Fisher's z scale.

    Returns
    -------
    Estimate
        From -1 to 1; 0 without monotone relation.

    Notes
    -----
    Ranks are taken anew for each pair of judges among their common items. Undefined for a constant
    judge. Checked against scipy 1.17.

    References
    ----------
    Spearman (1904); Bonett & Wright (2000) for the interval.

    Examples
    --------
    >>> from covary import Ratings, spearman
    >>> rows = [[1, 2, 1], [2, 1, 3], [3, 3, 2], [4, 5, 4], [5, 4, 6], [6, 6, 5]]
    >>> spearman(Ratings.from_wide(rows, level="ordinal"), interval=None).value  # by hand: 27.2/35
    0.8095
    """
    spec = IntervalSpec.of(interval, confidence, resamples, rng)
    request = Request(ratings=ratings, criterion=criterion, judges=judges, spec=spec)
    coefficient = _prepare_correlation(
        "spearman", "Spearman's rho", request, combine, unsorted_for=BY_ORDER
    )
    chosen = choose_combine(coefficient.patterns, combine)
    statistic = pair_statistic(coefficient.patterns, _TableRho(), _Rho(), chosen)
    value = statistic.value if coefficient.patterns.n_items else math.nan
    return _estimate(coefficient, statistic, chosen, 1 + value**2 / 2)


class PairMoments(Linear):
    """The mean over pairs of judges of Pearson's r, from sums of products."""

    floor = -1.0

    def __init__(self, patterns: Patterns, combine: str) -> None:
        self.counts, self.clusters = patterns.times, patterns.clusters
        self.patterns, self.combine, self.finish = patterns, combine, self._finish
        self.chosen = chosen_pairs(patterns, combine)
        self.pairs = sharing_pairs(patterns)[self.chosen]
        self.weights = np.ones(len(self.pairs))

    @cached_property
    def numbers(self) -> Floats:
        """The ratings as numbers near 0."""
        return _by_judge(self.patterns) if self.combine == "pooled" else _standard(self.patterns)

    @cached_property
    def shrinkage(self) -> Floats:
        """How much smaller the pairs' products are than they should be."""
        return _shrinkage(self.patterns, self.pairs)

    @cached_property
    def sums(self) -> Floats:  # type: ignore[override]
        """What each row adds to the six sums of each pair, for resampling."""
        sums = [_products(self.numbers[:, a], self.numbers[:, b]) for a, b in self.pairs]
        return np.concatenate(sums, axis=1) if sums else np.zeros((len(self.numbers), 1))

    @cached_property
    def total(self) -> Floats:
        """The six sums of each pair, over the rows that its judges share."""
        if isinstance(self.patterns, LinePatterns) or self.patterns.common.dense:
            return self._total_by_judges()
        totals = np.zeros((6, len(self.pairs)))
        for rows, place, x, y in self._common():
            for total, part in zip(totals, (None, x, y, x * x, y * y, x * y), strict=True):
                times = self.counts[rows] if part is None else self.counts[rows] * part
                total += np.bincount(place, times, minlength=len(self.pairs))
        return totals.T.ravel() if len(self.pairs) else np.zeros(1)

    def _total_by_judges(self) -> Floats:
        """The same from products of whole columns, where nearly everybody rated everything."""
        if not len(self.pairs):
            return np.zeros(1)
        n, x, xx, xy = self._products_of_judges()
        first, second = self.pairs.T
        columns = [n[first, second], x[first, second], x[second, first]]
        columns += [xx[first, second], xx[second, first], xy[first, second]]
        return np.column_stack(columns).ravel()

    def _products_of_judges(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Every two judges' common items, the first one's sum and squares there, their products."""
        if isinstance(self.patterns, LinePatterns) and self.combine != "pooled":
            return self.patterns.products
        rated, counts = self.patterns.rated, self.counts[:, None]
        mask, numbers = rated.astype(float), np.where(rated, self.numbers, 0.0)
        times, once = counts * mask, counts * numbers
        return mask.T @ times, numbers.T @ times, (numbers**2).T @ times, numbers.T @ once

    def slopes(self) -> Floats:
        """How the value changes as each row counts more, from one pass over the common ratings."""
        if not len(self.pairs):
            return np.full(self.counts.size, np.nan)
        n, sum_x, sum_y, xx, yy, xy = self.total.reshape(-1, 6).T
        scale, values = pair_scales(self.results, self.weights, self.combine, self.value)
        spread_x = np.maximum(n * xx - sum_x**2, TINY)
        spread_y = np.maximum(n * yy - sum_y**2, TINY)
        if isinstance(self.patterns, LinePatterns) and self.combine != "pooled":
            half = values * self.results.below / 2
            by_x, by_y = half / spread_x, half / spread_y
            return self._line_slopes(
                xy=n,
                x=2 * by_x * sum_x - sum_y,
                y=2 * by_y * sum_y - sum_x,
                xx=-n * by_x,
                yy=-n * by_y,
                alone=xy - by_x * xx - by_y * yy,
                scale=scale,
            )
        slopes = np.zeros(self.counts.size)
        for rows, p, x, y in self._common():
            from_x, from_y = x - sum_x[p] / n[p], y - sum_y[p] / n[p]
            if self.combine == "pooled":
                up, down = from_x * from_y / self.shrinkage[p], (from_x**2 + from_y**2) / 2
            else:
                up = xy[p] + n[p] * x * y - x * sum_y[p] - sum_x[p] * y
                wider_x = (xx[p] + n[p] * x * x - 2 * sum_x[p] * x) / spread_x[p]
                wider_y = (yy[p] + n[p] * y * y - 2 * sum_y[p] * y) / spread_y[p]
                down = self.results.below[p] * (wider_x + wider_y) / 2
            own = scale[p] * (up - values[p] * down)
            slopes += np.bincount(rows, own, minlength=slopes.size)
        return slopes

    def _line_slopes(self, *, scale: Floats, **parts: Floats) -> Floats:
        """The same from ratings on a line, for which each pair's slope is a polynomial."""
        assert isinstance(self.patterns, LinePatterns)
        first, second = self.pairs.T
        terms = PairTerms(*np.zeros((4, self.patterns.n_columns, self.patterns.n_columns)))
        terms.xy[first, second] = scale * parts["xy"]
        terms.x[first, second], terms.x[second, first] = scale * parts["x"], scale * parts["y"]
        terms.xx[first, second], terms.xx[second, first] = scale * parts["xx"], scale * parts["yy"]
        terms.alone[first, second] = scale * parts["alone"]
        return self.patterns.quadratic_slopes(terms)

    def _common(self) -> Iterator[tuple[Ints, Ints, Floats, Floats]]:
        """Row, place of the pair and both numbers of each common rating."""
        common = self.patterns.common
        places = np.full(len(common.pairs), -1)
        places[self.chosen] = np.arange(len(self.chosen))
        for rows, pairs, _ in common.blocks():
            place = places[pairs]
            rows, place = rows[place >= 0], place[place >= 0]
            first, second = self.pairs[place].T
            yield rows, place, self.numbers[rows, first], self.numbers[rows, second]

    def with_judges(self, weights: Floats) -> PairMoments:
        other = copy(self)
        other.weights, other.finish = pair_weights(self.pairs, weights), other._finish
        return other

    def over(self, patterns: Patterns) -> PairMoments:
        return PairMoments(patterns, self.combine)

    resamples_judges = smooths = metric = order_only = True

    @property
    def n_parts(self) -> int:
        return len(self.pairs)

    @property
    def value(self) -> float:
        """The coefficient for the ratings as they are."""
        return float(self._finish(self.total))

    def without_each_judge(self) -> Floats:
        return without_each_judge(self.results, len(self.patterns.judges), self.combine)

    @cached_property
    def results(self) -> PairResults:
        """For each pair of judges, its common items, numerator and denominator."""
        above, below = (part[0] for part in self._fractions(self.total[None, :]))
        items = self.total.reshape(-1, 6)[:, 0] if len(self.pairs) else np.zeros(0)
        return PairResults(pairs=self.pairs, items=items, above=above, below=below)

    def _finish(self, totals: Floats) -> Floats:
        parts = self._fractions(np.atleast_2d(totals))
        values = np.clip(combine_pairs(parts, self.weights, self.combine), -1, 1)
        return values if totals.ndim > 1 else values[0]  # what few items shrink is made good

    def _fractions(self, totals: Floats) -> Fraction:
        if not len(self.pairs):
            return np.zeros((len(totals), 0)), np.zeros((len(totals), 0))
        n, x, y, xx, yy, xy = np.moveaxis(totals.reshape(len(totals), -1, 6), -1, 0)
        spread_x, spread_y = n * xx - x**2, n * yy - y**2
        flat = (spread_x <= TINY * n**2) | (spread_y <= TINY * n**2)
        if self.combine == "pooled":
            some = np.maximum(n, TINY)
            above = (n * xy - x * y) / some / self.shrinkage
            below = (spread_x + spread_y) / 2 / some
            return above, np.where(flat.all(axis=-1, keepdims=True), 0, below)
        below = np.sqrt(np.where(flat, 0, spread_x) * np.where(flat, 0, spread_y))
        return n * xy - x * y, np.where(flat, 0, below)


def _moments(patterns: Patterns, combine: str) -> PairMoments | PairTables:
    """Choose sums over the rows, or the judges' cross tables where there are only these."""
    if patterns.crossed is None:
        return PairMoments(patterns, combine)
    places = patterns.positions(Level.INTERVAL)
    return pair_tables(patterns, _TableMoments(places), combine)


class _TableMoments:
    """Pearson's r of cross tables, with the categories' places."""

    def __init__(self, places: Floats) -> None:
        self.places = places

    def of_table(self, tables: Floats) -> Fraction:
        return _together(tables, *self._centred(tables))

    def table_slopes(self, tables: Floats) -> Fraction:
        x, y = self._centred(tables)
        below = _together(tables, x, y)[1]
        spread_x, spread_y = _spreads(tables, x, y)
        shares = (x**2 / spread_x[..., None])[..., :, None] + (y**2 / spread_y[..., None])[
            ..., None, :
        ]
        return x[..., :, None] * y[..., None, :], below[..., None, None] * shares / 2

    def _centred(self, tables: Floats) -> tuple[Floats, Floats]:
        rows, columns = margins(tables)
        n = np.maximum(rows.sum(axis=-1), TINY)[..., None]
        x, y = (self.places - margin @ self.places[:, None] / n for margin in (rows, columns))
        return x, y


def _together(tables: Floats, x: Floats, y: Floats) -> Fraction:
    """The sum of products of two judges' centred numbers, and the root of the squares' product."""
    rows, columns = margins(tables)
    together = np.einsum("...i,...ij,...j->...", x, tables, y)
    return together, np.sqrt(_weighed_squares(rows, x) * _weighed_squares(columns, y))


def _weighed_squares(weights: Floats, numbers: Floats) -> Floats:
    return np.asarray(np.einsum("...i,...i,...i->...", weights, numbers, numbers))


def _spreads(tables: Floats, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Both judges' sums of squares, which are never 0."""
    rows, columns = margins(tables)
    spreads = _weighed_squares(rows, x), _weighed_squares(columns, y)
    return np.maximum(spreads[0], TINY), np.maximum(spreads[1], TINY)


def _standard(patterns: Patterns) -> Floats:
    """The ratings as numbers, moved and scaled so that sums of squares stay exact."""
    numbers = patterns.numbers(Level.INTERVAL)
    if not patterns.rated.any():
        return numbers
    if isinstance(patterns, LinePatterns):
        middle, unit = patterns.standard
        return (numbers - middle) / unit
    low, high = np.nanmin(numbers), np.nanmax(numbers)
    return np.asarray((numbers - (low + high) / 2) / ((high - low) / 2 or 1.0))


def _by_judge(patterns: Patterns) -> Floats:
    """The ratings as numbers, those of every judge with mean 0 and variance 1."""
    numbers, rated = _standard(patterns), patterns.rated
    times = patterns.counts[:, None] * rated
    n = times.sum(axis=0)
    centred = np.where(rated, numbers, 0)
    centred = np.where(rated, centred - (times * centred).sum(axis=0) / np.maximum(n, 1), 0)
    spread = np.sqrt((times * centred**2).sum(axis=0) / np.maximum(n - 1, 1))
    return np.where(rated, centred / np.where(spread > TINY, spread, 1), np.nan)


def _shrinkage(patterns: Patterns, pairs: Ints) -> Floats:
    """How much smaller products become where both judges' ratings are divided by their deviation.

    Nothing where all judges rated the same items, because the sums of squares shrink alike.
    """
    if patterns.rated.all():
        return np.ones(len(pairs))
    loss = 0.25 / np.maximum(patterns.counts @ patterns.rated - 1, 1)
    return np.asarray(1 - loss[pairs].sum(axis=1))


def _products(x: Floats, y: Floats) -> Floats:
    both = ~np.isnan(x) & ~np.isnan(y)
    x, y = np.where(both, x, 0), np.where(both, y, 0)
    return np.column_stack([both, x, y, x * x, y * y, x * y])


class _TableRho:
    """Spearman's rho of cross tables, from the categories' mid-ranks less their mean."""

    def of_table(self, tables: Floats) -> Fraction:
        return _together(tables, *_centred_ranks(tables))

    def table_slopes(self, tables: Floats) -> Fraction:
        x, y = _centred_ranks(tables)
        below = _together(tables, x, y)[1]
        spread_x, spread_y = _spreads(tables, x, y)
        places = np.arange(tables.shape[-1])
        beyond = np.sign(places[:, None] - places).astype(float)  # whose ranks move
        of_x = np.einsum("...kl,...l->...k", tables, y) @ beyond / 2
        of_y = np.einsum("...kl,...k->...l", tables, x) @ beyond / 2
        rows, columns = margins(tables)
        wider_x = (x**2 + (rows * x) @ beyond) / spread_x[..., None]
        wider_y = (y**2 + (columns * y) @ beyond) / spread_y[..., None]
        up = x[..., :, None] * y[..., None, :] + of_x[..., :, None] + of_y[..., None, :]
        down = (wider_x[..., :, None] + wider_y[..., None, :]) / 2
        return up, below[..., None, None] * down


def _centred_ranks(tables: Floats) -> tuple[Floats, Floats]:
    rows, columns = margins(tables)
    middle = (rows @ np.ones((rows.shape[-1], 1)) + 1) / 2
    return midranks(rows) - middle, midranks(columns) - middle


class _Rho:
    """Spearman's rho from the ratings themselves: ranks, and their sums of products."""

    def measure(self, first: Ints, second: Ints, counts: Floats) -> tuple[Ranks, Ranks, Floats]:
        return Ranks.of(first, counts), Ranks.of(second, counts), counts

    def fraction(self, measured: tuple[Ranks, Ranks, Floats]) -> tuple[float, float]:
        x, y, counts = measured
        spread = (counts @ x.ranks**2) * (counts @ y.ranks**2)
        return float(counts @ (x.ranks * y.ranks)), math.sqrt(spread)

    def summary(self, measured: tuple[Ranks, Ranks, Floats]) -> None:
        """Nothing more is told of two judges."""

    def slopes(self, measured: tuple[Ranks, Ranks, Floats]) -> Fraction:
        x, y, counts = measured
        up = x.ranks * y.ranks + (x.beyond(counts * y.ranks) + y.beyond(counts * x.ranks)) / 2
        below = self.fraction(measured)[1]
        return up, below * (_spread_slope(x, counts) + _spread_slope(y, counts)) / 2

    def left_out(self, first: Ints, second: Ints, counts: Floats) -> Fraction:
        """Without one item of each row, which moves the ranks beyond it by a half."""
        x, y, _ = self.measure(first, second, counts)
        times = counts.astype(np.int64)
        own = count_items(np.repeat(first, times), np.repeat(second, times))
        balance = (own.concordant - own.discordant)[np.cumsum(times) - 1]
        moved = (x.beyond(counts * y.ranks) + y.beyond(counts * x.ranks)) / 2
        above = counts @ (x.ranks * y.ranks) - x.ranks * y.ranks - moved + balance / 4
        spreads = [_spread_without(side, counts) for side in (x, y)]
        return above, np.sqrt(np.maximum(spreads[0] * spreads[1], 0))

    def of_lines(self, first: Ints, second: Ints, counts: Floats) -> Fraction:
        middle = (counts.sum(axis=1, keepdims=True) + 1) / 2
        x, y = (RowOrder(codes).ranks(counts)[0] - middle for codes in (first, second))
        spread = np.sum(counts * x**2, axis=1) * np.sum(counts * y**2, axis=1)
        return np.sum(counts * x * y, axis=1), np.sqrt(spread)


def _spread_without(own: Ranks, counts: Floats) -> Floats:
    """The ranks' sum of squares without one item of each row."""
    others = counts.sum() - own.used[own.codes]
    moved = own.beyond(counts * own.ranks)
    return np.asarray(counts @ own.ranks**2 - own.ranks**2 - moved + others / 4)


def _spread_slope(own: Ranks, counts: Floats) -> Floats:
    """How the ranks' sum of squares changes as each item counts more, as a share of it."""
    slope = own.ranks**2 + own.beyond(counts * own.ranks)
    return slope / max(float(counts @ own.ranks**2), TINY)


def _prepare_correlation(
    name: str, title: str, request: Request, combine: str, *, unsorted_for: Sequence[str | None]
) -> Coefficient:
    check_choice("combine", combine, ("auto", "mean", "fisher-z", "pooled"))
    coefficient = prepare(name, title, request, pairs=True, unsorted_for=unsorted_for)
    needs_named_judges(coefficient)
    return coefficient.pairable


def _estimate(
    coefficient: Coefficient,
    statistic: PairMoments | PairTables | PairRows,
    combine: str,
    factor: float,
) -> Estimate:
    n_items = coefficient.patterns.n_items
    return coefficient.estimate_pairs(
        statistic,
        statistic.results,
        settings={"combine": combine},
        default=method_of_numbers(statistic),
        single=lambda _, spec: _fisher(statistic.value, n_items, factor, spec),
    )


def _fisher(value: float, n: int, factor: float, spec: IntervalSpec) -> Interval:
    """Fisher's z, whose variance is `factor` / (n - 3)."""
    method = "Fisher's z"
    if n <= 3 or abs(value) >= 1:
        return Interval(math.nan, math.nan, spec.confidence, method)
    error = math.sqrt(factor / (n - 3))
    margin = normal_quantile((1 + spec.confidence) / 2) * error
    low, high = (math.tanh(math.atanh(value) + side * margin) for side in (-1, 1))
    error *= 1 - value**2
    return Interval(low, high, spec.confidence, method, standard_error=error)
