"""Correlations of judges: Pearson's r and Spearman's rho, averaged over pairs of judges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.scales import Level
from covary.stats.distances import midranks
from covary.stats.distributions import normal_quantile
from covary.stats.estimate import Estimate, Interval
from covary.stats.intervals import Wanted
from covary.stats.pairs import (
    PairRows,
    pair_default,
    pair_statistic,
    pair_tables,
    pair_values,
    undefined_pairs,
    why_undefined,
)
from covary.stats.patterns import Patterns
from covary.stats.question import Question, ask, needs_named_judges
from covary.stats.ranks import Ranked
from covary.stats.statistic import (
    TINY,
    Fraction,
    Linear,
    PairFound,
    PairTables,
    combined,
    judge_pairs,
    pair_weights,
)

__all__ = ["pearson", "spearman"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Combine = Literal["mean", "fisher-z"]


def pearson(
    ratings: Ratings,
    *,
    criterion: Any = None,
    combine: Combine = "mean",
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
        For more than two judges: the plain `"mean"` over pairs, or `"fisher-z"`, the mean on
        Fisher's z scale brought back.
    criterion, judges, confidence, interval, resamples, rng
        As in `fleiss_kappa`. `"auto"` is a percentile bootstrap; `"analytic"` is Fisher's z (two
        judges) or the linearised variance.

    Returns
    -------
    Estimate
        From -1 to 1; 0 without linear relation. `details["pairs"]` holds each pair of judges.

    Notes
    -----
    Undefined for a constant judge; such pairs are left out of the mean and counted. Checked against
    scipy 1.17.

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
    wanted = Wanted.of(interval, confidence, resamples, rng)
    question = _asked("pearson", "Pearson's r", ratings, wanted, criterion, judges, combine)
    pairable = question.among(question.patterns.rated.sum(axis=1) > 1)
    statistic = _moments(pairable.patterns, combine)
    return _answer(pairable, question, statistic, combine, 1.0)


def spearman(
    ratings: Ratings,
    *,
    criterion: Any = None,
    combine: Combine = "mean",
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
    wanted = Wanted.of(interval, confidence, resamples, rng)
    question = _asked("spearman", "Spearman's rho", ratings, wanted, criterion, judges, combine)
    pairable = question.among(question.patterns.rated.sum(axis=1) > 1)
    statistic = pair_statistic(pairable.patterns, _rho_of_table, _Rho(), combine)
    value = statistic.value if pairable.patterns.n_items else math.nan
    return _answer(pairable, question, statistic, combine, 1 + value**2 / 2)


class PairMoments(Linear):
    """The mean over pairs of judges of Pearson's r, from sums of products."""

    floor = -1.0

    def __init__(
        self, patterns: Patterns, combine: str, judge_weights: Floats | None = None
    ) -> None:
        self.pairs, self.combine = judge_pairs(patterns), combine
        self.weights = pair_weights(self.pairs, judge_weights)
        numbers = _standard(patterns)
        sums = [_products(numbers[:, a], numbers[:, b]) for a, b in self.pairs]
        joined = np.concatenate(sums, axis=1) if sums else np.zeros((len(numbers), 1))
        super().__init__(patterns, joined, self._finish)

    def with_judges(self, weights: Floats) -> PairMoments:
        made = PairMoments.__new__(PairMoments)
        made.__dict__.update(self.__dict__)
        made.weights, made.finish = pair_weights(self.pairs, weights), made._finish
        return made

    @property
    def resamples_judges(self) -> bool:
        return True

    @cached_property
    def each(self) -> list[PairFound]:
        """For each pair of judges, its common items, numerator and denominator."""
        parts, total = self._fractions(self.total[None, :]), self.total
        return [
            (pair, total[6 * i : 6 * i + 1], float(parts[i][0][0]), float(parts[i][1][0]))
            for i, pair in enumerate(self.pairs)
        ]

    def _finish(self, totals: Floats) -> Floats:
        flat = np.atleast_2d(totals)
        drawn = self.weights > 0
        parts = [part for part, kept in zip(self._fractions(flat), drawn, strict=True) if kept]
        values = combined(parts, self.weights[drawn], self.combine, len(flat))
        return values if totals.ndim > 1 else values[0]

    def _fractions(self, totals: Floats) -> list[Fraction]:
        found = []
        for i in range(len(self.pairs)):
            n, x, y, xx, yy, xy = (totals[:, 6 * i + j] for j in range(6))
            spread_x, spread_y = n * xx - x**2, n * yy - y**2
            flat = (spread_x <= TINY * n**2) | (spread_y <= TINY * n**2)
            below = np.sqrt(np.where(flat, 0, spread_x) * np.where(flat, 0, spread_y))
            found.append((n * xy - x * y, np.where(flat, 0, below)))
        return found


def _moments(patterns: Patterns, combine: str) -> PairMoments | PairTables:
    """Choose sums over the rows, or the judges' cross tables where there are only these."""
    if patterns.crossed is None:
        return PairMoments(patterns, combine)
    places = patterns.positions(Level.INTERVAL)
    return pair_tables(patterns, lambda tables: _r_of_table(tables, places), combine)


def _r_of_table(tables: Floats, places: Floats) -> Fraction:
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    n = np.maximum(rows.sum(axis=-1), TINY)[..., None]
    x, y = (places - margin @ places[:, None] / n for margin in (rows, columns))
    together = np.einsum("...k,...kl,...l->...", x, tables, y)
    spread = np.sum(rows * x**2, axis=-1) * np.sum(columns * y**2, axis=-1)
    return together, np.sqrt(spread)


def _standard(patterns: Patterns) -> Floats:
    """The ratings as numbers, moved and scaled so that sums of squares stay exact."""
    numbers = patterns.numbers(Level.INTERVAL)
    if not patterns.rated.any():
        return numbers
    low, high = np.nanmin(numbers), np.nanmax(numbers)
    return np.asarray((numbers - (low + high) / 2) / ((high - low) / 2 or 1.0))


def _products(x: Floats, y: Floats) -> Floats:
    both = ~np.isnan(x) & ~np.isnan(y)
    x, y = np.where(both, x, 0), np.where(both, y, 0)
    return np.column_stack([both, x, y, x * x, y * y, x * y])


def _rho_of_table(tables: Floats) -> Fraction:
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    n = rows.sum(axis=-1)
    x, y = (midranks(margin) - (n[..., None] + 1) / 2 for margin in (rows, columns))
    together = np.einsum("...k,...kl,...l->...", x, tables, y)
    spread = np.sum(rows * x**2, axis=-1) * np.sum(columns * y**2, axis=-1)
    return together, np.sqrt(spread)


class _Rho:
    """Spearman's rho from the ratings themselves: ranks, and their sums of products."""

    def measure(self, first: Ints, second: Ints, counts: Floats) -> tuple[Ranked, Ranked, Floats]:
        return Ranked.of(first, counts), Ranked.of(second, counts), counts

    def fraction(self, measured: tuple[Ranked, Ranked, Floats]) -> tuple[float, float]:
        x, y, counts = measured
        spread = (counts @ x.ranks**2) * (counts @ y.ranks**2)
        return float(counts @ (x.ranks * y.ranks)), math.sqrt(spread)

    def slopes(self, first: Ints, second: Ints, counts: Floats) -> Fraction:
        x, y, _ = measured = self.measure(first, second, counts)
        up = x.ranks * y.ranks + (x.beyond(counts * y.ranks) + y.beyond(counts * x.ranks)) / 2
        below = self.fraction(measured)[1]
        return up, below * (_spread_slope(x, counts) + _spread_slope(y, counts)) / 2


def _spread_slope(own: Ranked, counts: Floats) -> Floats:
    """How the ranks' sum of squares changes as each item counts more, as a share of it."""
    slope = own.ranks**2 + own.beyond(counts * own.ranks)
    return slope / max(float(counts @ own.ranks**2), TINY)


def _asked(
    name: str,
    title: str,
    ratings: Ratings,
    wanted: Wanted,
    criterion: Any,
    judges: Any,
    combine: str,
) -> Question:
    if combine not in ("mean", "fisher-z"):
        raise InvalidArgument(f"combine={combine!r} is not known; use 'mean' or 'fisher-z'")
    question = ask(name, title, ratings, wanted, criterion=criterion, judges=judges, pairs=True)
    needs_named_judges(question)
    return question


def _answer(
    pairable: Question,
    question: Question,
    statistic: PairMoments | PairTables | PairRows,
    combine: str,
    factor: float,
) -> Estimate:
    each, own = statistic.each, {}
    if len(each) == 1 and question.patterns.clusters is None:
        own["analytic"] = lambda wanted: _fisher(statistic.value, pairable, factor, wanted)
    return pairable.answer(
        statistic,
        settings={"combine": combine, "missing": "pairwise deletion"},
        default=pair_default(statistic),
        details={"pairs": pair_values(pairable.patterns, each)},
        own=own,
        asked=question.patterns,
        undefined=lambda: why_undefined(pairable),
        notes=undefined_pairs(each),
    )


def _fisher(value: float, question: Question, factor: float, wanted: Wanted) -> Interval:
    """Fisher's z, whose variance is `factor` / (n - 3)."""
    n = question.patterns.n_items
    if n <= 3 or abs(value) >= 1:
        return Interval(math.nan, math.nan, wanted.confidence, "Fisher's z")
    error = math.sqrt(factor / (n - 3))
    margin = normal_quantile((1 + wanted.confidence) / 2) * error
    low, high = (math.tanh(math.atanh(value) + side * margin) for side in (-1, 1))
    return Interval(
        low, high, wanted.confidence, "Fisher's z", standard_error=error * (1 - value**2)
    )
