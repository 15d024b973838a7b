"""Can one judge's ratings be predicted from another's? A map between two judges, and its error."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.scales import Category, Level
from covary.stats.coefficient import check_ratings
from covary.stats.distributions import t_quantile
from covary.stats.estimate import Result
from covary.stats.patterns import collapse

Floats = npt.NDArray[np.float64]

LEAST_ITEMS = 10
"""A map from fewer common items says nothing."""


@dataclass(frozen=True, kw_only=True)
class MapStep(Result):
    """What the predicted judge gives on average where the other gives a rating; t interval."""

    rating: Category
    n_items: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class JudgeMap(Result):
    """How well one judge's ratings are predicted from another's, on items left out.

    `error` is the root mean square of what the map misses, each item predicted from the others.
    `as_is` is that of taking the other judge's rating for this judge's, and `without` that of
    knowing only this judge's mean. `gained` is the share of the squared error without the other
    judge that the map removes: 0 or less where knowing the other judge does not help.
    """

    criterion: Any
    judge: Any
    other: Any
    n_items: int
    error: float
    as_is: float
    without: float
    gained: float
    steps: tuple[MapStep, ...] = ()
    slope: float = math.nan
    intercept: float = math.nan


def judge_maps(
    ratings: Ratings, *, criterion: Any = None, confidence: float = 0.95
) -> tuple[JudgeMap, ...]:
    """Can a judge's ratings be predicted from another's? Map each judge to each other one.

    Parameters
    ----------
    ratings
        Ratings by named judges. Categories without an order have no means and are refused.
    criterion
        One criterion; all of them by default.
    confidence
        Of the intervals of the steps.

    Returns
    -------
    tuple of JudgeMap
        One for each judge and each other judge with ten common items or more. Where the scale has
        categories, the map is the mean for each of the other's categories; on a line, a straight
        line.

    Notes
    -----
    Judges of different severity who are consistent predict each other well although they disagree
    (Amidei, Piwek & Willis 2019): `error` is then far below `as_is`. Categories count 1, 2, 3, …
    unless they are numbers. A category that the other judge used once is predicted by the judge's
    mean, because nothing is left when the item is left out.

    Examples
    --------
    Bo is one point stricter throughout, so that Ann's ratings follow from Bo's.

    >>> matrix = [[rating + 1, rating] for rating in (1, 2, 3, 4)] * 3
    >>> ratings = Ratings.from_wide(matrix, scale="1-5", judges=["Ann", "Bo"])
    >>> ann, _ = judge_maps(ratings)
    >>> ann.judge, ann.error, ann.as_is, ann.gained
    ('Ann', 0.0, 1.0, 1.0)
    """
    check_ratings("judge_maps", ratings)
    if ratings.slots:
        raise InvalidArgument("reliability.map-of-slots", argument="ratings")
    names = ratings.criteria if criterion is None else (ratings.one_criterion(criterion),)
    return tuple(found for name in names for found in _of_criterion(ratings, name, confidence))


def _of_criterion(ratings: Ratings, criterion: Any, confidence: float) -> Iterator[JudgeMap]:
    patterns = collapse(ratings, criterion)
    if patterns.scale.level is Level.NOMINAL:
        raise InvalidArgument("reliability.map-without-order", criterion=criterion)
    rows = np.repeat(np.arange(len(patterns.counts)), patterns.counts)
    numbers = patterns.numbers(Level.INTERVAL)[rows]
    for target, source in permutations(range(len(patterns.judges)), 2):
        both = ~np.isnan(numbers[:, [target, source]]).any(axis=1)
        if int(both.sum()) < LEAST_ITEMS:
            continue
        y, x = numbers[both, target], numbers[both, source]
        own: dict[str, Any] = {"criterion": criterion, "judge": patterns.judges[target]}
        if patterns.continuous:
            missed, slope, intercept = _line(x, y)
            own |= {"slope": slope, "intercept": intercept}
        else:
            codes = patterns.codes[rows][both, source]
            missed = _missed_by_means(codes, y)
            used = [(patterns.values[code], y[codes == code]) for code in np.unique(codes)]
            own["steps"] = tuple(_step(rating, part, confidence) for rating, part in used)
        without = _root_mean_square((y - y.mean()) * y.size / (y.size - 1))
        error = _root_mean_square(missed)
        yield JudgeMap(
            **own,
            other=patterns.judges[source],
            n_items=y.size,
            error=error,
            as_is=_root_mean_square(y - x),
            without=without,
            gained=1 - (error / without) ** 2 if without > 0 else math.nan,
        )


def _missed_by_means(codes: npt.NDArray[Any], y: Floats) -> Floats:
    """What the mean of a category misses on each item, when the item itself is left out."""
    _, group = np.unique(codes, return_inverse=True)
    n, total = np.bincount(group)[group], np.bincount(group, y)[group]
    everywhere = (y.sum() - y) / (y.size - 1)
    predicted = np.where(n > 1, (total - y) / np.maximum(n - 1, 1), everywhere)
    return np.asarray(y - predicted)


def _line(x: Floats, y: Floats) -> tuple[Floats, float, float]:
    """What a straight line misses on each item left out, and its slope and intercept."""
    spread = x - x.mean()
    square = float(spread @ spread)
    slope = float(spread @ y) / square if square > 0 else 0.0
    intercept = float(y.mean()) - slope * float(x.mean())
    leverage = 1 / x.size + (spread**2 / square if square > 0 else 0.0)
    missed = (y - intercept - slope * x) / np.maximum(1 - leverage, 1e-9)
    return np.asarray(missed), slope, intercept


def _step(rating: Category, y: Floats, confidence: float) -> MapStep:
    mean, n = float(y.mean()), y.size
    reach = math.nan
    if n > 1:
        reach = t_quantile((1 + confidence) / 2, n - 1) * float(y.std(ddof=1)) / math.sqrt(n)
    return MapStep(rating=rating, n_items=n, mean=mean, low=mean - reach, high=mean + reach)


def _root_mean_square(missed: Floats) -> float:
    return float(np.sqrt(np.mean(missed**2)))
