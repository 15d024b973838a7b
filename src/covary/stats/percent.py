"""Percent agreement, exact or within a tolerance, and the indices of prevalence and bias."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.scales import Level
from covary.stats.estimate import Estimate
from covary.stats.intervals import Wanted
from covary.stats.matching import gwet_interval
from covary.stats.patterns import Patterns
from covary.stats.question import ask, needs_named_judges
from covary.stats.statistic import TINY, Linear, ratio

__all__ = ["bias_index", "percent_agreement", "prevalence_index"]

Floats = npt.NDArray[np.float64]

NOT_CORRECTED = "percent agreement is not corrected for chance"


def percent_agreement(
    ratings: Ratings,
    *,
    criterion: Any = None,
    tolerance: float = 0,
    judges: Sequence[Any] | None = None,
    confidence: float = 0.95,
    interval: str | None = "auto",
    resamples: int = 1000,
    rng: Any = None,
) -> Estimate:
    """How often do two judges of an item agree, exactly or within a tolerance?

    Easy to read and easy to be fooled by: judges who always choose the same category agree
    perfectly. Report it beside a coefficient that corrects for chance.

    Parameters
    ----------
    ratings
        The ratings; missing ones are allowed.
    tolerance
        How far apart two ratings may be and still count as agreement: ranks on a scale with
        categories, points on a visual scale.
    criterion, judges, confidence, interval, resamples, rng
        As in `fleiss_kappa`.

    Returns
    -------
    Estimate
        A share from 0 to 1.

    Notes
    -----
    The mean over items with at least two ratings of the share of agreeing pairs. Items with one
    rating are dropped and counted. Checked against R irrCAC 1.0 (value and standard error).

    References
    ----------
    Artstein & Poesio (2008), Inter-coder agreement for computational linguistics, section 2.3.

    Examples
    --------
    Krippendorff (2011), example A: ten items, two judges, published .6.

    >>> from covary import Ratings, percent_agreement
    >>> pairs = [[0, 1], [1, 1], [0, 1], [0, 0], [0, 0], [0, 1], [0, 0], [0, 0], [1, 0], [0, 0]]
    >>> percent_agreement(Ratings.from_wide(pairs, level="nominal"), interval=None).value
    0.6
    """
    if not tolerance >= 0:
        raise InvalidArgument(
            f"tolerance={tolerance!r} must be 0 or a positive number of ranks or points"
        )
    wanted = Wanted.of(interval, confidence, resamples, rng)
    question = ask("percent_agreement", "percent agreement", ratings, wanted, criterion=criterion,
                   judges=judges, variant="tolerance" if tolerance else "")  # fmt: skip
    pairable = question.among(question.patterns.rated.sum(axis=1) > 1)
    statistic, everything = (_within(each.merged, tolerance) for each in (pairable, question))
    return pairable.answer(
        statistic,
        own={"analytic": lambda wish: gwet_interval(everything, wish, fixed=1)},
        settings={"tolerance": tolerance, "missing": "available pairs"},
        asked=question.patterns,
        notes=[NOT_CORRECTED],
        undefined="no item was rated by two judges",
    )


def prevalence_index(ratings: Ratings, *, criterion: Any = None, judges: Any = None) -> float:
    """How unevenly are the two categories of a binary scale used? From 0 (evenly) to 1.

    The absolute difference of the two categories' shares among items that two judges both rated
    alike or not. High prevalence pulls kappa down; see `gwet_ac1`.

    References
    ----------
    Byrt, Bishop & Carlin (1993), Bias, prevalence and kappa.

    Examples
    --------
    >>> from covary import Ratings, prevalence_index
    >>> table = {"A": [1, 1, 0], "B": [1, 0, 1], "items": [118, 5, 2]}
    >>> ratings = Ratings.from_counts(table, judges=["A", "B"], scale="0-1")
    >>> prevalence_index(ratings)  # |118 - 0| / 125
    0.944
    """
    (a, _), (_, d), n = _binary_table(ratings, criterion, judges, "prevalence_index")
    return abs(a - d) / n if n else float("nan")


def bias_index(ratings: Ratings, *, criterion: Any = None, judges: Any = None) -> float:
    """How differently do two judges use the two categories of a binary scale? From 0 (alike) to 1.

    References
    ----------
    Byrt, Bishop & Carlin (1993), Bias, prevalence and kappa.

    Examples
    --------
    >>> from covary import Ratings, bias_index
    >>> table = {"A": [1, 1, 0], "B": [1, 0, 1], "items": [118, 5, 2]}
    >>> ratings = Ratings.from_counts(table, judges=["A", "B"], scale="0-1")
    >>> bias_index(ratings)  # |5 - 2| / 125
    0.024
    """
    (_, b), (c, _), n = _binary_table(ratings, criterion, judges, "bias_index")
    return abs(b - c) / n if n else float("nan")


def _within(patterns: Patterns, tolerance: float) -> Linear:
    numbers = patterns.numbers(Level.INTERVAL if patterns.continuous else Level.ORDINAL)

    def build(weights: Floats) -> Linear:
        agreed, pairs = np.zeros(len(numbers)), np.zeros(len(numbers))
        for a, b in combinations(range(numbers.shape[1]), 2):
            apart = np.abs(numbers[:, a] - numbers[:, b])
            agreed += weights[a] * weights[b] * (apart <= tolerance + TINY)
            pairs += weights[a] * weights[b] * ~np.isnan(apart)
        known = pairs > 0
        share = np.where(known, agreed / np.maximum(pairs, TINY), 0)
        sums = np.column_stack([share, known])
        return Linear(patterns, sums, lambda total: ratio(total[..., 0], total[..., 1]), build)

    return build(np.ones(len(patterns.judges)))


def _binary_table(
    ratings: Ratings, criterion: Any, judges: Any, name: str
) -> tuple[tuple[float, float], tuple[float, float], float]:
    question = ask("percent_agreement", name, ratings, Wanted(), criterion=criterion, judges=judges)
    needs_named_judges(question)
    patterns = question.patterns
    if patterns.n_values != 2 or len(patterns.judges) != 2:
        raise InvalidArgument(
            f"{name} compares two judges on a scale of two categories; here are "
            f"{len(patterns.judges)} judges and {patterns.n_values} categories"
        )
    both = patterns.keep(patterns.rated.all(axis=1))
    cell = both.codes[:, 0] * 2 + both.codes[:, 1]
    a, b, c, d = np.bincount(cell, both.counts, minlength=4).tolist()
    return (a, b), (c, d), a + b + c + d
