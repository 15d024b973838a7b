"""Hughes' jackknife interval for alpha: steady on the scale of log(between / within)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from covary.stats.distributions import t_quantile
from covary.stats.estimate import Interval
from covary.stats.intervals import Wanted, units
from covary.stats.statistic import TINY, Linear

__all__ = ["hughes"]

Floats = npt.NDArray[np.float64]
Parts = Callable[[Floats], tuple[Floats, Floats]]

METHOD = "Hughes jackknife"


def hughes(statistic: Linear, parts: Parts, wanted: Wanted) -> Interval:
    """Jackknife log(MSA / MSE) over items or clusters and bring its t interval back to alpha.

    MSE is the mean disagreement within items, MSA the one between items that remains of the total
    (Hughes 2022). NaN where nobody disagreed or items do not differ, so that the logarithm fails.
    The totals start with the number of items, of ratings, and the sum of squared ratings per item.
    """
    unit = units(statistic)
    assert isinstance(unit, Linear)
    n = unit.counts.sum()
    whole, left_out = _log_ratio(unit.total, parts), _log_ratio(unit.total - unit.sums, parts)
    pseudo = n * whole - (n - 1) * left_out
    if n < 3 or not np.isfinite(pseudo).all():
        return Interval(math.nan, math.nan, wanted.confidence, METHOD)
    centre = float(np.average(pseudo, weights=unit.counts))
    variance = float(unit.counts @ (pseudo - centre) ** 2) / (n - 1)
    margin = t_quantile((1 + wanted.confidence) / 2, n - 1) * math.sqrt(variance / n)
    low, high = (_alpha(math.exp(end), unit.total) for end in (centre - margin, centre + margin))
    error = math.sqrt(variance / n) * _steepness(math.exp(centre), unit.total)
    return Interval(low, high, wanted.confidence, METHOD, standard_error=error)


def _log_ratio(totals: Floats, parts: Parts) -> Floats:
    items, ratings = totals[..., 0], totals[..., 1]
    observed, expected = parts(totals)
    ratings = np.maximum(ratings, TINY)
    within, overall = observed / ratings, expected / ratings
    between = ((ratings - 1) * overall - (ratings - items) * within) / np.maximum(items - 1, TINY)
    usable = (within > TINY) & (between > TINY) & (items > 1)
    return np.where(
        usable, np.log(np.where(usable, between, 1) / np.where(usable, within, 1)), np.nan
    )


def _alpha(theta: float, totals: Floats) -> float:
    return (theta - 1) / (theta + _per_item(totals) - 1)


def _steepness(theta: float, totals: Floats) -> float:
    """How fast alpha rises with log theta."""
    per_item = _per_item(totals)
    return theta * per_item / (theta + per_item - 1) ** 2


def _per_item(totals: Floats) -> float:
    """The number of ratings per item, as an analysis of variance with unequal groups has it."""
    items, ratings, squares = (float(total) for total in totals[:3])
    return (ratings - squares / ratings) / (items - 1)
