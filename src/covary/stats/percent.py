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
                   judges=judges, variant="tolerance" if tolerance else "",
                   named=False)  # fmt: skip
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


def prevalence_index(
    ratings: Ratings,
    *,
    criterion: Any = None,
    judges: Sequence[Any] | None = None,
    confidence: float = 0.95,
    interval: str | None = "auto",
    resamples: int = 1000,
    rng: Any = None,
) -> Estimate:
    """How unevenly are the two categories of a binary scale used, where two judges agree?

    High prevalence pulls kappa down however well judges agree; see `gwet_ac1`.

    Parameters
    ----------
    ratings, criterion, judges, confidence, interval, resamples, rng
        As in `cohen_kappa`; a scale of two categories.

    Returns
    -------
    Estimate
        From 0 (both categories are agreed on equally often) to 1 (only one ever is).

    Notes
    -----
    |a - d| / n, where a and d are the numbers of items that both judges put into the one and into
    the other category. Undefined without common items.

    References
    ----------
    Byrt, Bishop & Carlin (1993), Bias, prevalence and kappa.

    Examples
    --------
    >>> from covary import Ratings, prevalence_index
    >>> table = {"A": [1, 1, 0], "B": [1, 0, 1], "items": [118, 5, 2]}
    >>> ratings = Ratings.from_counts(table, judges=["A", "B"], scale="0-1")
    >>> prevalence_index(ratings, interval=None).value  # |118 - 0| / 125
    0.944
    """
    wanted = Wanted.of(interval, confidence, resamples, rng)
    return _index(
        "prevalence_index", "prevalence index", ratings, wanted, criterion, judges, (0, 3)
    )


def bias_index(
    ratings: Ratings,
    *,
    criterion: Any = None,
    judges: Sequence[Any] | None = None,
    confidence: float = 0.95,
    interval: str | None = "auto",
    resamples: int = 1000,
    rng: Any = None,
) -> Estimate:
    """How differently do two judges use the two categories of a binary scale?

    Parameters
    ----------
    ratings, criterion, judges, confidence, interval, resamples, rng
        As in `cohen_kappa`; a scale of two categories.

    Returns
    -------
    Estimate
        From 0 (both use them alike) to 1 (they never agree, always in the same direction).

    Notes
    -----
    |b - c| / n, where b and c are the numbers of items on which the judges differ in the one and in
    the other direction. Undefined without common items.

    References
    ----------
    Byrt, Bishop & Carlin (1993), Bias, prevalence and kappa.

    Examples
    --------
    >>> from covary import Ratings, bias_index
    >>> table = {"A": [1, 1, 0], "B": [1, 0, 1], "items": [118, 5, 2]}
    >>> ratings = Ratings.from_counts(table, judges=["A", "B"], scale="0-1")
    >>> bias_index(ratings, interval=None).value  # |5 - 2| / 125
    0.024
    """
    wanted = Wanted.of(interval, confidence, resamples, rng)
    return _index("bias_index", "bias index", ratings, wanted, criterion, judges, (1, 2))


def _index(
    name: str,
    title: str,
    ratings: Ratings,
    wanted: Wanted,
    criterion: Any,
    judges: Any,
    cells: tuple[int, int],
) -> Estimate:
    question = ask(name, title, ratings, wanted, criterion=criterion, judges=judges)
    needs_named_judges(question)
    patterns = question.patterns
    if (
        ratings.scale(criterion).categories is None
        or patterns.n_values > 2
        or len(patterns.judges) > 2
    ):
        raise InvalidArgument(
            f"{name} compares two judges on a scale of two categories; here are "
            f"{len(patterns.judges)} judges and {patterns.n_values} categories"
        )
    both = question.among(patterns.rated.sum(axis=1) > 1)
    statistic = _difference(both.patterns, cells)
    settings = {"missing": "items rated by both"}
    return both.answer(statistic, settings=settings, asked=patterns, undefined="no common items")


def _difference(patterns: Patterns, cells: tuple[int, int]) -> Linear:
    """The absolute difference of two cells of the 2 × 2 table, as a share of all items."""
    cell = patterns.codes @ np.array([2, 1])[: patterns.codes.shape[1]]
    sums = np.column_stack([cell == cells[0], cell == cells[1], np.ones(cell.size)]).astype(float)
    statistic = Linear(patterns, sums, lambda t: ratio(np.abs(t[..., 0] - t[..., 1]), t[..., 2]))
    statistic.floor = 0.0
    return statistic


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
        made = Linear(patterns, sums, lambda total: ratio(total[..., 0], total[..., 1]), build)
        made.floor = 0.0
        return made

    return build(np.ones(len(patterns.judges)))
