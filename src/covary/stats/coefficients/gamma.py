"""Rank correlations of judges: Goodman & Kruskal's gamma, also of exchangeable ratings, and
tau-b.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from covary.ratings import Ratings
from covary.stats.coefficient import (
    Coefficient,
    Request,
    check_choice,
    needs_named_judges,
    prepare,
)
from covary.stats.estimate import Estimate, Interval
from covary.stats.intervals import IntervalSpec, large_sample, method_of_numbers
from covary.stats.line import BY_ORDER
from covary.stats.ordering import (
    PairCounts,
    SharedItems,
    count_cells,
    count_items,
    count_lines,
    count_table,
)
from covary.stats.pairs import PairResults, PairRows, PairTables, choose_combine, pair_statistic
from covary.stats.patterns import Patterns
from covary.stats.statistic import TINY, Fraction, Linear, ratio
from covary.words import Note

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

Combine = Literal["auto", "mean", "pooled"]

MOST_VALUES, MOST_ITEMS = 32, 100_000
"""Up to so many categories and items arrangements are drawn."""


def goodman_kruskal_gamma(
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
    """Of the pairs of items that two judges both order, do they order them alike?

    The correlation for ordered categories with many ties. It leaves tied pairs out and is therefore
    optimistic: read it beside `kendall_tau_b` and look at the share of pairs that it rests on. Not
    to be confused with Mathet's gamma for spans of text.

    Parameters
    ----------
    ratings
        The ratings; each pair of judges is compared on the items that both rated.
    combine
        For more than two judges: `"mean"` of the pairs' values (Siegel & Castellan's rule), or
        `"pooled"`, the same ratio from the pairs' added counts, which has a name of its own.
        `"auto"` is the mean over pairs that share 10 items or more, and pooled where few pairs do;
        with fewer than 20 items in all, the mean.
    criterion, judges, confidence, interval, resamples, rng
        As in `fleiss_kappa`. `"analytic"` is Goodman & Kruskal's large-sample standard error (two
        judges).

    Returns
    -------
    Estimate
        From -1 to 1; 0 when as many pairs of items are ordered alike as not. `details` holds the
        counts of concordant, discordant and tied pairs, the share that is informative, and each
        pair of judges.

    Notes
    -----
    gamma = (C - D) / (C + D). With two categories it is Yule's Q, which is 1 or -1 whenever a cell
    of the table is empty. Undefined when no pair of items is ordered by both judges (a constant
    judge); pairs of judges without a value are left out of the mean and counted. Checked against
    DescTools and scipy.

    References
    ----------
    Goodman & Kruskal (1954), section 5.4; Goodman & Kruskal (1963) for the standard error; Amidei,
    Piwek & Willis (2019) for its use beside agreement.

    Examples
    --------
    One judge is stricter than the other: they disagree, and covary perfectly.

    >>> from covary import Ratings, goodman_kruskal_gamma
    >>> mild, strict = [3, 3, 2, 2, 3, 2, 1, 2, 2, 3], [3, 2, 1, 1, 3, 2, 1, 1, 1, 2]
    >>> ratings = Ratings.from_wide(list(zip(mild, strict)), scale="1-3")
    >>> gamma = goodman_kruskal_gamma(ratings, interval=None)
    >>> gamma.value, gamma.details["discordant"]
    (1.0, 0)
    """
    spec = IntervalSpec.of(interval, confidence, resamples, rng)
    request = Request(ratings=ratings, criterion=criterion, judges=judges, spec=spec)
    name, title = "goodman_kruskal_gamma", "Goodman & Kruskal's gamma"
    estimate = _estimate(_prepare(name, title, request), _Gamma(), combine)
    if estimate.settings["combine"] != "pooled":
        return estimate
    title = "pooled gamma (Goodman & Kruskal's, from the judges' added counts)"
    return replace(estimate, name=f"{name}_pooled" if combine == "pooled" else name, title=title)


def kendall_tau_b(
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
    """Do two judges order items alike, when ties count against them?

    More conservative than `goodman_kruskal_gamma`, which leaves tied pairs out.

    Parameters
    ----------
    ratings, criterion, combine, judges, confidence, interval, resamples, rng
        As in `goodman_kruskal_gamma`.

    Returns
    -------
    Estimate
        From -1 to 1; 0 when there is no common order.

    Notes
    -----
    tau-b = (C - D) / sqrt((N - T1) (N - T2)), N all pairs of items, T1 and T2 those tied for one
    judge. Undefined for a constant judge. Checked against scipy 1.17.

    References
    ----------
    Kendall (1945), The treatment of ties in ranking problems.

    Examples
    --------
    >>> from covary import Ratings, kendall_tau_b
    >>> x, y = [1, 2, 2, 3, 4, 4, 5, 3], [1, 1, 2, 3, 3, 5, 5, 2]
    >>> kendall_tau_b(Ratings.from_wide(list(zip(x, y)), scale="1-5"), interval=None).value  # scipy
    0.8573
    """
    spec = IntervalSpec.of(interval, confidence, resamples, rng)
    request = Request(ratings=ratings, criterion=criterion, judges=judges, spec=spec)
    coefficient = _prepare("kendall_tau_b", "Kendall's tau-b", request)
    return _estimate(coefficient, _TauB(), combine)


def kendall_tau_c(
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
    """Do two judges order items alike, where they use different numbers of categories?

    `kendall_tau_b` cannot reach 1 there; Stuart's tau-c comes close to it.

    Parameters
    ----------
    ratings, criterion, combine, judges, confidence, interval, resamples, rng
        As in `goodman_kruskal_gamma`; the interval is `"analytic"` by default.

    Returns
    -------
    Estimate
        From -1 to 1; 0 when there is no common order.

    Notes
    -----
    tau-c = 2 m (C - D) / (n² (m - 1)), n the items and m the smaller number of different ratings
    that one of the two judges used. Some programs take for m the categories of the scale, used or
    not. Undefined for a constant judge. Checked against scipy 1.17.

    References
    ----------
    Stuart (1953), The estimation and comparison of strengths of association in contingency tables.

    Examples
    --------
    >>> from covary import Ratings, kendall_tau_c
    >>> x, y = [1, 2, 2, 3, 4, 4, 5, 3], [1, 1, 2, 3, 3, 5, 5, 2]
    >>> kendall_tau_c(Ratings.from_wide(list(zip(x, y)), scale="1-5"), interval=None).value  # scipy
    0.875
    """
    spec = IntervalSpec.of(interval, confidence, resamples, rng)
    request = Request(ratings=ratings, criterion=criterion, judges=judges, spec=spec)
    coefficient = _prepare("kendall_tau_c", "Kendall's tau-c", request)
    return _estimate(coefficient, _TauC(), combine)


def _prepare(name: str, title: str, request: Request) -> Coefficient:
    return prepare(name, title, request, pairs=True, unsorted_for=BY_ORDER)


class _Ordering:
    """A coefficient of pair counts, from cross tables and from the ratings themselves.

    `smooths` is false where a rating that a pseudo-item adds would change what is measured;
    `graded` where a near miss counts as much as a far one.
    """

    smooths = graded = True

    def of_counts(self, counts: PairCounts) -> Fraction:
        raise NotImplementedError

    def slope_of(self, own: PairCounts, whole: PairCounts) -> Fraction:
        """How the fraction changes with each item, from its own counts and those of all items."""
        raise NotImplementedError

    def of_table(self, tables: Floats) -> Fraction:
        return self.of_counts(count_table(tables))

    def table_slopes(self, tables: Floats) -> Fraction:
        own = count_cells(tables)
        return self.slope_of(own, own.halved_over(tables))

    def measure(self, first: Ints, second: Ints, counts: Floats) -> SharedItems:
        return SharedItems(*_repeat_items(first, second, counts), counts)

    def fraction(self, measured: SharedItems) -> tuple[float, float]:
        above, below = self.of_counts(measured.pairs)
        return float(above), float(below)

    def summary(self, measured: SharedItems) -> PairCounts:
        return measured.pairs

    def slopes(self, measured: SharedItems) -> Fraction:
        own = measured.of_each
        up, down = self.slope_of(own, own.halved())
        if measured.once:
            return up, down
        one_each = np.cumsum(measured.counts).astype(np.int64) - 1
        return up[one_each], down[one_each]

    def left_out(self, first: Ints, second: Ints, counts: Floats) -> Fraction | None:
        """Without one item of each row; None where that may change how many classes there are."""
        if isinstance(self, _TauC):
            return None
        one_each = np.cumsum(counts).astype(np.int64) - 1
        own = count_items(*_repeat_items(first, second, counts))
        above, below = self.of_counts(own.halved().less(own))
        return above[one_each], below[one_each]

    def of_lines(self, first: Ints, second: Ints, counts: Floats) -> Fraction:
        return self.of_counts(count_lines(first, second, counts))


class _Gamma(_Ordering):
    graded = False  # with few discordant pairs one of them counts, however near

    def of_counts(self, counts: PairCounts) -> Fraction:
        return counts.concordant - counts.discordant, counts.concordant + counts.discordant

    def slope_of(self, own: PairCounts, _: PairCounts) -> Fraction:
        return self.of_counts(own)


class _TauB(_Ordering):
    def of_counts(self, counts: PairCounts) -> Fraction:
        free = (counts.total - counts.tied_first) * (counts.total - counts.tied_second)
        return counts.concordant - counts.discordant, np.sqrt(np.maximum(free, 0))

    def slope_of(self, own: PairCounts, whole: PairCounts) -> Fraction:
        below = self.of_counts(whole)[1]
        first, second = (
            np.maximum(whole.total - tied, TINY) for tied in (whole.tied_first, whole.tied_second)
        )
        mine = (own.total - own.tied_first) / first + (own.total - own.tied_second) / second
        return own.concordant - own.discordant, below * mine / 2


class _TauC(_Ordering):
    smooths = False

    def of_counts(self, counts: PairCounts) -> Fraction:
        n = (1 + np.sqrt(1 + 8 * counts.total)) / 2
        return counts.concordant - counts.discordant, n**2 * _between(counts.classes) / 2

    def slope_of(self, own: PairCounts, _: PairCounts) -> Fraction:
        n = own.total + 1
        return own.concordant - own.discordant, n * _between(own.classes)


def _between(classes: Floats | float) -> Floats:
    """The share of pairs that are of different classes, of equally many items each."""
    return np.asarray(1 - 1 / np.maximum(classes, 1))


def _repeat_items(first: Ints, second: Ints, counts: Floats) -> tuple[Ints, Ints]:
    """Repeat each item as often as it counts."""
    if (counts == 1).all():
        return first, second
    times = counts.astype(np.int64)
    return np.repeat(first, times), np.repeat(second, times)


def _estimate(coefficient: Coefficient, ordering: _Ordering, combine: str) -> Estimate:
    check_choice("combine", combine, ("auto", "mean", "pooled"))
    needs_named_judges(coefficient)
    pairable = coefficient.pairable
    combine = choose_combine(pairable.patterns, combine)
    statistic = pair_statistic(pairable.patterns, ordering, ordering, combine)
    statistic.graded = ordering.graded
    if isinstance(statistic, PairTables):
        statistic.smooths = statistic.smooths and ordering.smooths
    tabulated = isinstance(statistic, PairTables) and isinstance(ordering, _Gamma)
    return pairable.estimate_pairs(
        statistic,
        statistic.results,
        settings={"combine": combine},
        single=_large_sample if tabulated else None,
        default=_default(statistic, ordering),
        details=_pair_totals(statistic),
    )


def _default(statistic: PairTables | PairRows, ordering: _Ordering) -> str:
    """Choose the interval: on a line the jackknife on the z scale, as for rank correlations."""
    if not ordering.smooths:
        return "analytic"
    return method_of_numbers(statistic) if isinstance(statistic, PairRows) else ""


def _pair_totals(statistic: PairTables | PairRows) -> dict[str, Any]:
    """Add up the counts of item pairs over the pairs of judges."""
    counts: Sequence[PairCounts]
    if isinstance(statistic, PairTables):
        tables = statistic.results.tables
        assert tables is not None
        counts = [count_table(tables)] if len(tables) else []
    else:
        counts = statistic.summaries
    names = ("concordant", "discordant", "tied_first", "tied_second", "total")
    totals: dict[str, Any] = {
        name: int(sum(float(np.sum(getattr(pair, name))) for pair in counts)) for name in names
    }
    everything = totals.pop("total")
    informative = totals["concordant"] + totals["discordant"]
    share = informative / everything if everything else math.nan
    return totals | {"pairs_of_items": everything, "informative": share}


def _large_sample(results: PairResults, spec: IntervalSpec) -> Interval:
    """Goodman & Kruskal (1963): the asymptotic standard error of gamma."""
    assert results.tables is not None
    table = results.tables[0]
    same, opposite = _around(table), _around(table[:, ::-1])[:, ::-1]
    p, q = np.sum(table * same), np.sum(table * opposite)
    error = 4 / (p + q) ** 2 * math.sqrt(np.sum(table * (q * same - p * opposite) ** 2))
    return large_sample(float((p - q) / (p + q)), error, spec, "Goodman-Kruskal standard error")


def _around(table: Floats) -> Floats:
    """For each cell, how many items stand higher on both scales or lower on both."""
    higher = np.zeros_like(table)
    lower = np.zeros_like(table)
    above = np.cumsum(np.cumsum(table[::-1, ::-1], axis=0), axis=1)[::-1, ::-1]
    higher[:-1, :-1] = above[1:, 1:]
    lower[1:, 1:] = np.cumsum(np.cumsum(table, axis=0), axis=1)[:-1, :-1]
    return higher + lower


def exchangeable_gamma(
    ratings: Ratings,
    *,
    criterion: Any = None,
    judges: Sequence[Any] | None = None,
    confidence: float = 0.95,
    interval: str | None = "auto",
    resamples: int = 1000,
    rng: Any = None,
) -> Estimate:
    """Do two ratings of an item, whoever gave them, order the items alike?

    For slots: ratings whose judges are not known, or columns that were sorted. Goodman & Kruskal's
    gamma needs to know who rated; this is its value over all ways of arranging each item's ratings.

    Parameters
    ----------
    ratings, criterion, judges, confidence, interval, resamples, rng
        As in `goodman_kruskal_gamma`.

    Returns
    -------
    Estimate
        From -1 to 1. `details` holds the mean and the standard deviation over random arrangements,
        for up to a hundred thousand items.

    Notes
    -----
    Concordant and discordant pairs of items, expected under random arrangement of each item's
    ratings in two columns (Banchs 2016 draws such arrangements): those of the table that holds, for
    each item, every ordered pair of its ratings with equal weight, less each item's pairs with
    itself. The spread over arrangements is not a sampling error; the interval is.

    References
    ----------
    Banchs (2016), the permutation scheme; Goodman & Kruskal (1954).

    Examples
    --------
    In the Flickr-8k file the three columns are sorted within every row. Taken for judges they have
    a gamma of .99; arranged at random, .88:

    >>> from covary import datasets
    >>> ratings = datasets.load("flickr8k-experts")
    >>> round(exchangeable_gamma(ratings, interval=None).value, 2)
    0.88
    """
    spec = IntervalSpec.of(interval, confidence, resamples, rng)
    request = Request(ratings=ratings, criterion=criterion, judges=judges, spec=spec)
    title = "Goodman & Kruskal's gamma of exchangeable ratings"
    pairable = prepare("exchangeable_gamma", title, request, named=False).pairable
    patterns = pairable.patterns.without_judges()
    mean, spread = arrangements(patterns, spec.seed)
    return pairable.estimate(
        _arrangement_statistic(patterns),
        settings={"arrangement": "all", "missing": "available pairs"},
        details={"mean": mean, "sd": spread},
        undefined=Note("stats.no-order" if patterns.n_items else "stats.nothing-shared"),
    )


def arrangements(patterns: Patterns, seed: int, times: int = 200) -> tuple[float, float]:
    """Return mean and standard deviation of gamma over random arrangements of items' ratings.

    The gamma of an arrangement is the mean over the pairs of its first three columns.
    """
    n_items, size = patterns.n_items, patterns.n_values
    if not 0 < n_items <= MOST_ITEMS or size > MOST_VALUES:
        return np.nan, np.nan
    rng = np.random.default_rng(seed)
    codes = np.repeat(patterns.codes, patterns.counts, axis=0)
    means = []
    for _ in range(times):
        order = np.argsort(np.where(codes >= 0, rng.random(codes.shape), 2.0), axis=1)[:, :3]
        arranged = np.take_along_axis(codes, order, axis=1).astype(np.int64)
        pairs = combinations(range(arranged.shape[1]), 2)
        values = np.array([_gamma_of(arranged[:, a], arranged[:, b], size) for a, b in pairs])
        values = values[~np.isnan(values)]
        means += [values.mean()] if values.size else []
    known = np.array(means)
    return (float(known.mean()), float(known.std(ddof=1))) if known.size > 1 else (np.nan, np.nan)


def _gamma_of(first: Ints, second: Ints, size: int) -> float:
    both = (first >= 0) & (second >= 0)
    cells = first[both] * size + second[both]
    table = np.bincount(cells, minlength=size * size).reshape(size, size)
    return float(ratio(*_Gamma().of_table(table.astype(float))))


def _arrangement_statistic(patterns: Patterns) -> Linear:
    """Gamma from the mean cross table over all arrangements."""
    size = patterns.n_values

    def finish(totals: Floats) -> Floats:
        counts = count_table(totals[..., :-2].reshape(*totals.shape[:-1], size, size))
        concordant = counts.concordant - totals[..., -2]
        discordant = counts.discordant - totals[..., -1]
        return ratio(concordant - discordant, concordant + discordant)

    tally = patterns.tally()
    pairs = tally[:, :, None] * tally[:, None, :]
    pairs[:, np.arange(size), np.arange(size)] -= tally
    sizes = tally.sum(axis=1)
    share = 1 / np.maximum(sizes * (sizes - 1), TINY)
    tables = pairs * share[:, None, None]
    itself = count_table(tables)
    sums = [tables.reshape(len(tables), size * size), itself.concordant, itself.discordant]
    return Linear(
        patterns, np.column_stack(sums), finish, remake=_arrangement_statistic, floor=-1.0
    )
