"""Kappas in which every judge keeps margins of their own: Cohen's, Light's and Conger's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from covary.ratings import Ratings
from covary.stats.coefficient import (
    Coefficient,
    Request,
    check_choice,
    needs_named_judges,
    needs_two_judges,
)
from covary.stats.coefficients.chance import (
    agreement_weights,
    matching_pairs,
    prepare_weighted,
    weights_name,
)
from covary.stats.estimate import Estimate, Interval
from covary.stats.intervals import IntervalSpec, analytic, large_sample
from covary.stats.pairs import PairResults, choose_combine, pair_tables, too_few_common
from covary.stats.patterns import Patterns
from covary.stats.statistic import TINY, Fraction, Linear, Statistic, ratio

Floats = npt.NDArray[np.float64]


def cohen_kappa(
    ratings: Ratings,
    *,
    criterion: Any = None,
    weights: Any = None,
    judges: Sequence[Any] | None = None,
    confidence: float = 0.95,
    interval: str | None = "auto",
    resamples: int = 1000,
    rng: Any = None,
) -> Estimate:
    """How far do two judges give the same category, beyond the chance of their own margins?

    For more than two judges use `light_kappa` (the mean over pairs) or `conger_kappa`. `scott_pi`
    gives both judges the same margins.

    Parameters
    ----------
    ratings
        The ratings; only items that both judges rated count.
    weights
        None for exact matches; `"linear"` or `"quadratic"` for ordered categories
        (also `"ordinal"`, `"radical"`, `"ratio"`); or a matrix of agreement (1 on
        its diagonal) or disagreement (0). Weights need a declared scale.
    judges
        The two judges, where there are more.
    criterion, confidence, interval, resamples, rng
        As in `fleiss_kappa`; `"analytic"` is the large-sample interval of Fleiss, Cohen &
        Everitt.

    Returns
    -------
    Estimate
        At most 1; 0 when agreement is what the two margins give by chance.

    Notes
    -----
    kappa = (Po - Pe) / (1 - Pe) with Pe = sum of w_kl p_k. p_.l. Undefined when both judges used
    only one and the same category. Quadratic weights with equally spaced categories give Lin's
    concordance coefficient with population moments. Checked against R psych 2.2.9, vcd 1.4-11,
    irrCAC 1.0 and scikit-learn 1.9.1.

    References
    ----------
    Cohen (1960); Cohen (1968) for weights; Fleiss, Cohen & Everitt (1969), equation 13, for the
    standard error.

    Examples
    --------
    Cohen (1960: 45), published .492:

    >>> from covary import Ratings, VerbalScale, cohen_kappa
    >>> table = {
    ...     "A": [1, 1, 1, 2, 2, 2, 3, 3, 3],
    ...     "B": [1, 2, 3] * 3,
    ...     "items": [88, 14, 18, 10, 40, 10, 2, 6, 12],
    ... }
    >>> scale = VerbalScale([1, 2, 3], level="nominal")
    >>> ratings = Ratings.from_counts(table, judges=["A", "B"], scale=scale)
    >>> kappa = cohen_kappa(ratings, interval="analytic")
    >>> round(kappa.value, 3), round(kappa.interval.low, 3), round(kappa.interval.high, 3)
    (0.492, 0.392, 0.591)
    """
    spec = IntervalSpec.of(interval, confidence, resamples, rng)
    request = Request(ratings=ratings, criterion=criterion, judges=judges, spec=spec)
    coefficient = _prepare_kappa("cohen_kappa", "Cohen's kappa", request, weights)
    needs_two_judges(coefficient, "light_kappa (mean over pairs) or conger_kappa")
    return _over_pairs(coefficient, weights)


def light_kappa(
    ratings: Ratings,
    *,
    criterion: Any = None,
    weights: Any = None,
    combine: Literal["auto", "mean"] = "auto",
    judges: Sequence[Any] | None = None,
    confidence: float = 0.95,
    interval: str | None = "auto",
    resamples: int = 1000,
    rng: Any = None,
) -> Estimate:
    """How far do judges agree on average over all pairs of them, each pair by Cohen's kappa?

    Parameters
    ----------
    ratings, criterion, weights, judges, confidence, interval, resamples, rng
        As in `cohen_kappa`.
    combine
        `"auto"` is the mean over pairs that share 10 items or more, and undefined where few pairs
        do: two judges who share an item or two have no margins of their own. With fewer than 20
        items in all half of them are enough. `"mean"` takes every pair.

    Returns
    -------
    Estimate
        `details["pairs"]` holds the value and the number of common items of every pair.

    Notes
    -----
    The unweighted mean over the pairs whose kappa is defined; each pair uses the items that both
    rated. Notes count the pairs that are undefined or left out. Where few pairs share enough items
    `conger_kappa` is the nearest that can be had: it keeps the judges' own margins, over all that
    each of them rated. Checked against R irr 0.84.1 (kappam.light) and NLTK.

    References
    ----------
    Light (1971), Measures of response agreement for qualitative data.

    Examples
    --------
    >>> from covary import Ratings, light_kappa
    >>> data = [[1, 1, 2], [2, 1, 2], [2, 2, 3], [3, 3, 4], [4, 4, 4], [4, 4, 4]]
    >>> light_kappa(Ratings.from_wide(data, level="nominal"), interval=None).value  # R irr
    0.38963
    """
    spec = IntervalSpec.of(interval, confidence, resamples, rng)
    request = Request(ratings=ratings, criterion=criterion, judges=judges, spec=spec)
    title = "Light's kappa (mean of Cohen's over pairs)"
    check_choice("combine", combine, ("auto", "mean"))
    coefficient = _prepare_kappa("light_kappa", title, request, weights, pairs=True)
    return _over_pairs(coefficient, weights, combine)


def conger_kappa(
    ratings: Ratings,
    *,
    criterion: Any = None,
    weights: Any = None,
    judges: Sequence[Any] | None = None,
    confidence: float = 0.95,
    interval: str | None = "auto",
    resamples: int = 1000,
    rng: Any = None,
) -> Estimate:
    """How far do judges agree beyond chance, when each judge has margins of their own?

    Often printed as "Fleiss' kappa" (NLTK's `multi_kappa` computes it), which it is not: Fleiss
    gives all judges the same margins. For two judges who rated the same items it is Cohen's kappa.

    Parameters
    ----------
    ratings, criterion, weights, judges, confidence, interval, resamples, rng
        As in `fleiss_kappa`.

    Returns
    -------
    Estimate
        At most 1; 0 when agreement is what the judges' own margins give by chance.

    Notes
    -----
    Observed: the mean over items with at least two ratings of the share of agreeing pairs.
    Expected: the mean over pairs of judges of sum of w_kl p_gk p_hl, each judge's shares over all
    items that he or she rated (Gwet's rule for missing ratings). Checked against R irr 0.84.1
    (kappam.fleiss, exact), NLTK and irrCAC 1.0.

    References
    ----------
    Conger (1980), Integration and generalization of kappas for multiple raters; Davies & Fleiss
    (1982).

    Examples
    --------
    >>> from covary import Ratings, conger_kappa
    >>> data = [[1, 1, 2], [2, 1, 2], [2, 2, 3], [3, 3, 4], [4, 4, 4], [4, 4, 4]]
    >>> conger_kappa(Ratings.from_wide(data, level="nominal"), interval=None).value  # R irr
    0.39241
    """
    spec = IntervalSpec.of(interval, confidence, resamples, rng)
    request = Request(ratings=ratings, criterion=criterion, judges=judges, spec=spec)
    coefficient = _prepare_kappa("conger_kappa", "Conger's kappa", request, weights)
    statistic = _conger(coefficient.patterns, agreement_weights(weights, coefficient.patterns))
    settings = {"weights": weights_name(weights), "missing": "available pairs, judges' own margins"}
    return coefficient.estimate(
        statistic,
        settings=settings,
        own={"analytic": lambda spec: analytic(statistic.given_items, spec)},
    )


class TableKappa:
    """Cohen's kappa of cross tables, with the weights of agreement of every two categories."""

    def __init__(self, agreement: Floats) -> None:
        self.agreement = agreement

    def of_table(self, tables: Floats) -> Fraction:
        """Return kappa as numerator and denominator."""
        observed, expected, _ = self._agreements(tables)
        empty = tables.sum(axis=(-2, -1)) <= 0
        return observed - expected, np.where(empty, 0, 1 - expected)

    def table_slopes(self, tables: Floats) -> Fraction:
        """Return how numerator and denominator change with each cell."""
        observed, expected, mean_weight = self._agreements(tables)
        n = np.maximum(tables.sum(axis=(-2, -1), keepdims=True), TINY)
        more_expected = (mean_weight - 2 * expected[..., None, None]) / n
        more_observed = (self.agreement - observed[..., None, None]) / n
        return more_observed - more_expected, -more_expected

    def _agreements(self, tables: Floats) -> tuple[Floats, Floats, Floats]:
        """Observed and expected agreement, and each cell's mean weight by row and by column."""
        shares = tables / np.maximum(tables.sum(axis=(-2, -1), keepdims=True), TINY)
        observed = np.sum(self.agreement * shares, axis=(-2, -1))
        rows, columns = shares.sum(axis=-1), shares.sum(axis=-2)
        of_row, of_column = columns @ self.agreement.T, rows @ self.agreement
        expected = np.sum(rows * of_row, axis=-1)
        return observed, expected, of_row[..., :, None] + of_column[..., None, :]


def _prepare_kappa(
    name: str, title: str, request: Request, weights: Any, *, pairs: bool = False
) -> Coefficient:
    coefficient = prepare_weighted(name, title, request, weights, pairs=pairs)
    needs_named_judges(coefficient)
    return coefficient


def _over_pairs(coefficient: Coefficient, weights: Any, combine: str = "mean") -> Estimate:
    """The mean over pairs who share enough items; sums over the others would not repair theirs."""
    agreement = agreement_weights(weights, coefficient.patterns)
    pairable = coefficient.pairable
    chosen, undefined = choose_combine(pairable.patterns, combine), ""
    statistic = pair_tables(
        pairable.patterns, TableKappa(agreement), "mean" if chosen == "pooled" else chosen
    )
    statistic.order_only = statistic.graded = False
    if chosen == "pooled":
        statistic.weights, undefined = 0 * statistic.weights, too_few_common(pairable.patterns)
    return pairable.estimate_pairs(
        statistic,
        statistic.results,
        settings={"weights": weights_name(weights)}
        | ({} if chosen in ("mean", "pooled") else {"combine": chosen}),
        single=lambda results, spec: _large_sample(_only_table(results), agreement, spec),
        undefined=undefined,
    )


def _only_table(results: PairResults) -> Floats:
    assert results.tables is not None
    return np.asarray(results.tables[0])


def _large_sample(table: Floats, agreement: Floats, spec: IntervalSpec) -> Interval:
    """Fleiss, Cohen & Everitt (1969): the variance of (weighted) kappa in large samples."""
    n = table.sum()
    shares = table / n
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    observed, expected = np.sum(agreement * shares), rows @ agreement @ columns
    mean_weight = (agreement @ columns)[:, None] + (rows @ agreement)[None, :]
    kappa = (observed - expected) / (1 - expected)
    inner = agreement * (1 - expected) - mean_weight * (1 - observed)
    centre = observed * expected - 2 * expected + observed
    variance = (np.sum(shares * inner**2) - centre**2) / (n * (1 - expected) ** 4)
    error = math.sqrt(max(variance, 0.0))
    return large_sample(kappa, error, spec, "Fleiss-Cohen-Everitt variance")


class _Conger(Linear):
    """Conger's kappa. A row adds its observed agreement, twice whether it has two ratings, and each
    judge's categories, which are summed from the ratings and not from a table with a column for
    each of them.
    """

    def __init__(self, patterns: Patterns, agreement: Floats, weights: Floats) -> None:
        self.agreement, self.weights = agreement, weights
        same, pairs = matching_pairs(patterns, patterns.tally(weights), agreement, weights)
        pairable = pairs > 0
        observed = np.where(pairable, same / np.maximum(pairs, TINY), 0)
        super().__init__(
            patterns,
            np.column_stack([observed, pairable, pairable]),
            self._finish,
            lambda other: _Conger(patterns, agreement, other),
            remake=lambda other: _conger(other, agreement),
        )
        self.first = self.__dict__.pop("sums")

    @cached_property
    def sums(self) -> Floats:  # type: ignore[override]
        """The whole table of sums, which only resampling and leaving out need."""
        patterns = self.patterns
        mine = np.eye(patterns.n_values)[patterns.codes] * patterns.rated[:, :, None]
        return np.column_stack([self.first, mine.reshape(len(patterns.codes), -1)])

    @property
    def total(self) -> Floats:
        rows, judges, codes = self.patterns.entries
        places, size = judges * self.patterns.n_values + codes, self.patterns.n_values
        used = np.bincount(places, self.counts[rows], minlength=len(self.patterns.judges) * size)
        return np.append(self.counts @ self.first, used)

    @property
    def value(self) -> float:
        return float(self.finish(self.total))

    def _finish(self, totals: Floats) -> Floats:
        expected, _, _ = self.chance(totals)
        beyond = totals[..., 0] - expected * totals[..., 1]
        return ratio(beyond, totals[..., 2] * (1 - expected))

    def chance(self, totals: Floats) -> tuple[Floats, Floats, Floats]:
        """Agreement by chance, and each judge's number and shares of ratings."""
        size = self.patterns.n_values
        used = totals[..., 3:].reshape(*totals.shape[:-1], -1, size)
        sizes = used.sum(axis=-1, keepdims=True)
        shares = used / np.maximum(sizes, TINY)
        times = self.weights * (sizes[..., 0] > 0)
        together = np.einsum("...g,...gk->...k", times, shares)
        everyone = np.einsum("...k,kl,...l->...", together, self.agreement, together)
        alone = np.einsum("...g,...gk,kl,...gl->...", times**2, shares, self.agreement, shares)
        pairs = times.sum(-1) ** 2 - (times**2).sum(-1)
        return ratio(everyone - alone, pairs), sizes[..., 0], shares

    @property
    def given_items(self) -> _GivenItems:
        """The same, to be linearised as Gwet does it."""
        return _GivenItems(self)


class _GivenItems(Statistic):
    """Conger's kappa and its derivative by each row; how many items have two ratings is given."""

    def __init__(self, kappa: _Conger) -> None:
        self.kappa, self.patterns, self.floor = kappa, kappa.patterns, kappa.floor
        self.counts, self.clusters = kappa.counts, kappa.clusters

    @property
    def value(self) -> float:
        return self.kappa.value

    def evaluate(self, counts: Floats) -> Floats:
        return self.kappa.evaluate(counts)

    def slopes(self) -> Floats:
        """By the observed agreement of a row, and by how its ratings change what chance expects."""
        kappa, total = self.kappa, self.kappa.total
        expected, sizes, shares = kappa.chance(total)
        times = kappa.weights * (sizes > 0)
        pairs = times.sum() ** 2 - (times**2).sum()
        both = (kappa.agreement + kappa.agreement.T) / 2
        mean_weights = times @ shares @ both - times[:, None] * (shares @ both)
        by_share = 2 * times[:, None] * mean_weights / max(float(pairs), TINY)
        own = np.sum(shares * by_share, axis=1, keepdims=True)
        by_rating = (by_share - own) / np.maximum(sizes, TINY)[:, None]
        below = total[2] * (1 - expected)
        beyond = total[0] - expected * total[1]
        by_expected = (-total[1] + beyond / (1 - expected)) / below
        _, judges, codes = self.patterns.entries
        changed = self.patterns.by_row(by_rating[judges, codes])
        given = total[2] / self.counts.sum()
        observed = kappa.first[:, 0] - expected * kappa.first[:, 1] - beyond * given / total[2]
        return np.asarray(observed / below + by_expected * changed)


def _conger(patterns: Patterns, agreement: Floats) -> _Conger:
    return _Conger(patterns, agreement, np.ones(len(patterns.judges)))
