"""Rank correlations of judges: Goodman & Kruskal's gamma and Kendall's tau-b."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.stats.distributions import normal_quantile
from covary.stats.estimate import Estimate, Interval
from covary.stats.intervals import Wanted
from covary.stats.ordering import PairCounts, count_items, count_pairs, count_table
from covary.stats.pairs import (
    PairRows,
    pair_default,
    pair_statistic,
    pair_values,
    undefined_pairs,
    why_undefined,
)
from covary.stats.question import Question, ask, needs_named_judges
from covary.stats.statistic import Fraction, PairTables

__all__ = ["goodman_kruskal_gamma", "kendall_tau_b"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def goodman_kruskal_gamma(
    ratings: Ratings,
    *,
    criterion: Any = None,
    combine: Literal["mean", "pooled"] = "mean",
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
    criterion, judges, confidence, interval, resamples, rng
        As in `fleiss_kappa`. `"auto"` is a percentile bootstrap; `"analytic"` is Goodman &
        Kruskal's large-sample standard error (two judges).

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
    if combine not in ("mean", "pooled"):
        raise InvalidArgument(f"combine={combine!r} is not known; use 'mean' or 'pooled'")
    wanted = Wanted.of(interval, confidence, resamples, rng)
    question = ask("goodman_kruskal_gamma", "Goodman & Kruskal's gamma", ratings, wanted,
                   criterion=criterion, judges=judges, pairs=True)  # fmt: skip
    if combine == "pooled":
        title = "pooled gamma (Goodman & Kruskal's, from the judges' added counts)"
        question = replace(question, name="goodman_kruskal_gamma_pooled", title=title)
    return _ordered(question, _Gamma(), combine)


def kendall_tau_b(
    ratings: Ratings,
    *,
    criterion: Any = None,
    judges: Sequence[Any] | None = None,
    confidence: float = 0.95,
    interval: str | None = "auto",
    resamples: int = 1000,
    rng: Any = None,
) -> Estimate:
    """Do two judges order items alike, when ties count against them?

    More sober than `goodman_kruskal_gamma`, whose tied pairs are left out.

    Parameters
    ----------
    ratings, criterion, judges, confidence, interval, resamples, rng
        As in `goodman_kruskal_gamma`; more than two judges give the mean over pairs.

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
    wanted = Wanted.of(interval, confidence, resamples, rng)
    question = ask("kendall_tau_b", "Kendall's tau-b", ratings, wanted, criterion=criterion,
                   judges=judges, pairs=True)  # fmt: skip
    return _ordered(question, _TauB(), "mean")


class _Ordering:
    """A coefficient of pair counts, from cross tables and from the ratings themselves."""

    def of_counts(self, counts: PairCounts) -> Fraction:
        raise NotImplementedError

    def slope_of(self, own: PairCounts) -> Fraction:
        """How the fraction changes with each item, from the items' own counts."""
        raise NotImplementedError

    def of_table(self, tables: Floats) -> Fraction:
        return self.of_counts(count_table(tables))

    def measure(self, first: Ints, second: Ints, counts: Floats) -> PairCounts:
        return count_pairs(*_written_out(first, second, counts))

    def fraction(self, measured: PairCounts) -> tuple[float, float]:
        above, below = self.of_counts(measured)
        return float(above), float(below)

    def slopes(self, first: Ints, second: Ints, counts: Floats) -> Fraction:
        one_each = np.cumsum(counts).astype(np.int64) - 1
        up, down = self.slope_of(count_items(*_written_out(first, second, counts)))
        return up[one_each], down[one_each]


class _Gamma(_Ordering):
    def of_counts(self, counts: PairCounts) -> Fraction:
        return counts.concordant - counts.discordant, counts.concordant + counts.discordant

    def slope_of(self, own: PairCounts) -> Fraction:
        return self.of_counts(own)


class _TauB(_Ordering):
    def of_counts(self, counts: PairCounts) -> Fraction:
        free = (counts.total - counts.tied_first) * (counts.total - counts.tied_second)
        return counts.concordant - counts.discordant, np.sqrt(np.maximum(free, 0))

    def slope_of(self, own: PairCounts) -> Fraction:
        whole = own.halved()
        below = self.of_counts(whole)[1]
        first, second = whole.total - whole.tied_first, whole.total - whole.tied_second
        mine = (own.total - own.tied_first) / first + (own.total - own.tied_second) / second
        return own.concordant - own.discordant, below * mine / 2


def _written_out(first: Ints, second: Ints, counts: Floats) -> tuple[Ints, Ints]:
    """Repeat each item as often as it counts."""
    if (counts == 1).all():
        return first, second
    times = counts.astype(np.int64)
    return np.repeat(first, times), np.repeat(second, times)


def _ordered(question: Question, coefficient: _Ordering, combine: str) -> Estimate:
    needs_named_judges(question)
    pairable = question.among(question.patterns.rated.sum(axis=1) > 1)
    statistic = pair_statistic(pairable.patterns, coefficient.of_table, coefficient, combine)
    each, own = statistic.each, {}
    single = len(each) == 1 and isinstance(statistic, PairTables) and statistic.clusters is None
    if single and isinstance(coefficient, _Gamma):
        own["analytic"] = lambda wanted: _large_sample(each[0][1], wanted)
    return pairable.answer(
        statistic,
        settings={"combine": combine, "missing": "pairwise deletion"},
        default=pair_default(statistic),
        details=_counted(statistic) | {"pairs": pair_values(pairable.patterns, each)},
        own=own,
        asked=question.patterns,
        undefined=lambda: why_undefined(pairable),
        notes=undefined_pairs(each),
    )


def _counted(statistic: PairTables | PairRows) -> dict[str, Any]:
    """Add up the counts of item pairs over the pairs of judges."""
    if isinstance(statistic, PairTables):
        counts = [count_table(table) for _, table, _, _ in statistic.each]
    else:
        counts = statistic.measured
    names = ("concordant", "discordant", "tied_first", "tied_second", "total")
    found: dict[str, Any] = {n: int(sum(float(getattr(c, n)) for c in counts)) for n in names}
    everything = found.pop("total")
    informative = found["concordant"] + found["discordant"]
    share = informative / everything if everything else math.nan
    return found | {"pairs_of_items": everything, "informative": share}


def _large_sample(table: Floats, wanted: Wanted) -> Interval:
    """Goodman & Kruskal (1963): the asymptotic standard error of gamma."""
    same = _around(table)
    opposite = _around(table[:, ::-1])[:, ::-1]
    p, q = np.sum(table * same), np.sum(table * opposite)
    error = 4 / (p + q) ** 2 * math.sqrt(np.sum(table * (q * same - p * opposite) ** 2))
    value = float((p - q) / (p + q))
    margin = normal_quantile((1 + wanted.confidence) / 2) * error
    return Interval(
        max(value - margin, -1.0), min(value + margin, 1.0), wanted.confidence,
        "Goodman-Kruskal standard error", standard_error=error,
    )  # fmt: skip


def _around(table: Floats) -> Floats:
    """For each cell, how many items stand higher on both scales or lower on both."""
    higher = np.zeros_like(table)
    lower = np.zeros_like(table)
    above = np.cumsum(np.cumsum(table[::-1, ::-1], axis=0), axis=1)[::-1, ::-1]
    higher[:-1, :-1] = above[1:, 1:]
    lower[1:, 1:] = np.cumsum(np.cumsum(table, axis=0), axis=1)[:-1, :-1]
    return higher + lower
