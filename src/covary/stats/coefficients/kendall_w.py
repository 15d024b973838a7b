"""Kendall's W: the common order of several judges."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.ratings import Ratings
from covary.stats.coefficient import Request, needs_named_judges, prepare
from covary.stats.distributions import chi2_tail, f_tail
from covary.stats.estimate import Estimate
from covary.stats.intervals import FEW_ROWS, IntervalSpec, method_of_numbers
from covary.stats.line import BY_ORDER
from covary.stats.ordering import Ranks, RowOrder, count_items, midranks
from covary.stats.patterns import Patterns
from covary.stats.statistic import TINY, Statistic, ratio
from covary.words import Note

Floats = npt.NDArray[np.float64]


def kendall_w(
    ratings: Ratings,
    *,
    criterion: Any = None,
    tie_correction: bool = True,
    judges: Sequence[Any] | None = None,
    confidence: float = 0.95,
    interval: str | None = "auto",
    resamples: int = 1000,
    rng: Any = None,
) -> Estimate:
    """How much of one common order do several judges share?

    For any number of judges who all rated the same items. Without ties (m W - 1) / (m - 1) is the
    mean of `spearman` over pairs, which can be had with missing ratings too.

    Parameters
    ----------
    ratings
        The ratings; only items that every judge rated count, the others are dropped and counted.
    tie_correction
        Whether tied ranks are allowed for, as they should be.
    criterion, judges, confidence, interval, resamples, rng
        As in `fleiss_kappa`.

    Returns
    -------
    Estimate
        From 0 (no common order) to 1 (the same order). `details` holds the rank sums' chi-square,
        Iman & Davenport's F, their degrees of freedom and p.

    Notes
    -----
    W = 12 S / (m² (n³ - n) - m T), S the squared deviations of the rank sums and T the sum over
    judges of t³ - t over their ties. chi² = m (n - 1) W with n - 1 degrees of freedom is Friedman's
    test; F = (m - 1) W / (1 - W) is better with few items. Undefined when every judge is constant,
    with fewer than two judges or two items. Checked against R irr 0.84.1 and scipy 1.17.

    References
    ----------
    Kendall & Babington Smith (1939); Siegel & Castellan (1988), section 9.6; Iman &
    Davenport (1980).

    Examples
    --------
    Zar (2010: 450), example 20.5 has W .924 with ties; here four judges of six items:

    >>> from covary import Ratings, kendall_w
    >>> judges = [[1, 1, 2, 3, 3, 4], [1, 2, 2, 2, 4, 4], [2, 2, 3, 3, 4, 4], [1, 1, 1, 3, 3, 4]]
    >>> w = kendall_w(Ratings.from_wide(list(zip(*judges)), scale="1-4"), interval=None)
    >>> round(w.value, 3), round(w.details["chi2"], 2), round(w.details["p"], 4)  # R irr
    (0.902, 18.04, 0.0029)
    """
    spec = IntervalSpec.of(interval, confidence, resamples, rng)
    request = Request(ratings=ratings, criterion=criterion, judges=judges, spec=spec)
    coefficient = prepare("kendall_w", "Kendall's W", request, unsorted_for=BY_ORDER)
    needs_named_judges(coefficient)
    complete = coefficient.among(coefficient.patterns.full_rows)
    statistic = Concordance(complete.patterns, tie_correction)
    ties = "corrected" if tie_correction else "ignored"
    some = complete.patterns.n_items
    return complete.estimate(
        statistic,
        settings={"ties": ties, "missing": "complete items only"},
        default=_method(statistic),
        details=_tests(statistic),
        undefined=Note("stats.every-judge-constant" if some else "stats.no-complete-item"),
    )


def _method(statistic: Concordance) -> str:
    """Choose the interval: on a line as for the mean rank correlation, of which W is a function."""
    if method_of_numbers(statistic) == "z-jackknife":
        return "z-jackknife"
    return "tilted" if statistic.counts.size <= FEW_ROWS else "analytic"


class Concordance(Statistic):
    """W over complete rows; the ranks are taken anew for each resample."""

    floor = 0.0
    smooths = graded = True

    def __init__(self, patterns: Patterns, tie_correction: bool) -> None:
        self.counts, self.clusters = patterns.counts.astype(float), patterns.clusters
        self.patterns, self.tie_correction = patterns, tie_correction

    def evaluate(self, counts: Floats) -> Floats:
        n_judges = len(self.patterns.judges)
        n = counts.sum(axis=1)
        sums, ties = self._rank_sums(counts)
        centre = n_judges * (n + 1) / 2
        sums -= centre[:, None]
        deviation = np.einsum("ij,ij,ij->i", counts, sums, sums)
        value = self._value(deviation, n, ties)
        return np.full(len(counts), np.nan) if n_judges < 2 else value

    def over(self, patterns: Patterns) -> Concordance:
        return Concordance(patterns, self.tie_correction)

    def slopes(self) -> Floats:
        """How W changes as each row counts more."""
        n, m, counts = self.counts.sum(), len(self.patterns.judges), self.counts
        judges = [Ranks.of(codes, counts) for codes in self._codes]
        sums = np.sum([judge.ranks for judge in judges], axis=0)
        up = sums**2 + np.sum([judge.beyond(counts * sums) for judge in judges], axis=0)
        ties = [3 * judge.used[judge.codes] ** 2 - 1 for judge in judges]
        down = m**2 * (3 * n**2 - 1) - m * np.sum(ties, axis=0) * self.tie_correction
        tied = sum(np.sum(judge.used**3 - judge.used) for judge in judges)
        room = m**2 * (n**3 - n) - m * tied * self.tie_correction
        return np.asarray((12 * up - self.value * down) / room)

    def perturbed(self, keep: float, add: float) -> Floats:
        """Evaluate with one row more or less; one less of a line by formula, in one pass."""
        codes, n_judges = self._codes, len(self.patterns.judges)
        if (keep, add) != (1.0, -1.0) or (self.counts != 1).any() or n_judges < 2:
            return super().perturbed(keep, add)
        judges = [Ranks.of(column, self.counts) for column in codes]
        sums, n = np.sum([judge.ranks for judge in judges], axis=0), self.counts.sum()
        used = [judge.used[judge.codes] for judge in judges]
        # an item that leaves moves the ranks beyond it by a half, for each judge
        moves = np.sum(n - np.array(used), axis=0)
        for one, other in combinations(codes, 2):
            own = count_items(one, other)
            moves += 2 * (own.concordant - own.discordant)
        moved = np.sum([judge.beyond(sums) for judge in judges], axis=0)
        deviation = np.sum(sums**2) - sums**2 - moved + moves / 4
        ties = sum(np.sum(judge.used**3 - judge.used) for judge in judges)
        ties = ties - np.sum([3 * (times**2 - times) for times in used], axis=0)
        return self._value(deviation, n - 1, ties)

    def _value(self, deviation: Floats, n: Floats, ties: Floats) -> Floats:
        """W from the squared deviations of rank sums, the items and the judges' tie terms."""
        m = len(self.patterns.judges)
        room = m**2 * (n**3 - n) - m * ties * self.tie_correction
        ordered = ties < (1 - TINY) * m * (n**3 - n)  # by one judge at least
        return np.where(ordered, ratio(12 * deviation, room), np.nan)

    @cached_property
    def value(self) -> float:
        """The coefficient for the ratings as they are."""
        return float(self.evaluate(self.counts[None, :])[0])

    @cached_property
    def _codes(self) -> list[npt.NDArray[np.int64]]:
        """Each judge's ratings as whole numbers in their order."""
        return [self.patterns.codes_of(judge) for judge in range(len(self.patterns.judges))]

    @cached_property
    def _ordered(self) -> list[RowOrder]:
        """Each judge's order of the rows."""
        return [RowOrder(codes) for codes in self._codes]

    def _rank_sums(self, counts: Floats) -> tuple[Floats, Floats]:
        """Each row's sum of mid-ranks and the judges' tie terms, for each line of counts."""
        if self.patterns.has_few_values(64):
            given, n_values = self._given, self.patterns.n_values
            used = (counts @ given).reshape(len(counts), -1, n_values)
            ranks = midranks(used).reshape(len(counts), -1)
            return ranks @ given.T, np.sum(used**3 - used, axis=(1, 2))
        sums, ties = np.zeros(counts.shape), np.zeros(len(counts))
        for judge in range(len(self.patterns.judges)):
            ranks, tied = self._ranks(counts, judge)
            sums += ranks
            ties += tied
        return sums, ties

    @cached_property
    def _given(self) -> Floats:
        """Which of the categories each judge gave each row (rows × judges and categories)."""
        every = np.eye(self.patterns.n_values)
        return np.hstack(
            [np.zeros((self.counts.size, 0)), *(every[codes] for codes in self._codes)]
        )

    def _ranks(self, counts: Floats, judge: int) -> tuple[Floats, Floats]:
        """Each row's mid-rank for one judge and the judge's tie term, for each line of counts."""
        codes = self._codes[judge]
        if len(counts) == 1:
            used = np.bincount(codes, counts[0]).astype(float)[None, :]
            return midranks(used)[:, codes], np.sum(used**3 - used, axis=1)
        ranks, used = self._ordered[judge].ranks(counts)
        return ranks, np.sum(used**3 - used, axis=1)


def _tests(statistic: Concordance) -> dict[str, Any]:
    m, n = len(statistic.patterns.judges), float(statistic.counts.sum())
    w = statistic.value if n else np.nan
    if np.isnan(w) or n < 2:
        return {}
    chi2, df = m * (n - 1) * w, n - 1
    df1 = n - 1 - 2 / m
    df2 = (m - 1) * df1
    f = (m - 1) * w / (1 - w) if w < 1 else np.inf
    return {
        "chi2": chi2,
        "df": df,
        "p": chi2_tail(chi2, df),
        "F": f,
        "F_df": (df1, df2),
        "F_p": f_tail(f, df1, df2) if df1 > 0 and w < 1 else (0.0 if df1 > 0 else np.nan),
        "rank_sums": rank_sums(statistic) if n <= 50 else None,
    }


def rank_sums(statistic: Concordance) -> tuple[float, ...]:
    """The sums of the items' ranks over the judges, from the lowest to the highest."""
    total = statistic._rank_sums(statistic.counts[None, :])[0][0]
    return tuple(sorted(float(x) for x in np.repeat(total, statistic.counts.astype(int))))
