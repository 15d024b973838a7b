"""Where each pair of systems stands, by intervals that hold at every look or at declared ones.

The default is a confidence sequence. Where a plan declared a number of looks, the intervals are
those of the group-sequential test and are there at these looks only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from covary.analysis.planning.plan import Goal
from covary.analysis.systems.models import random_factors
from covary.errors import ConvergenceError, InvalidArgument
from covary.stats.distributions import normal_quantile
from covary.stats.estimate import Result
from covary.stats.models.mixed import MixedModel, mixed_model
from covary.stats.models.observations import Observations
from covary.stats.sequential import equivalent_t, group_sequential_bounds, sequence_bound

State = Literal["different", "equivalent", "open"]

STEPS_OF_SCALE = 8
"""Where nobody declared a difference, the rule is tuned to this part of the scale's range."""

FEWEST_TEXTS, FEWEST_JUDGES = 5, 2
"""Texts and judges of each system below which a difference is not looked at."""

MOST_PAIRS = 66
"""Pairs of systems up to which each has its sequence."""


@dataclass(frozen=True, kw_only=True)
class PairStanding(Result):
    """Two systems now: the difference and the interval that holds at every look.

    "different" once the interval leaves 0 out, "equivalent" once it lies within the margin; either
    may end the study. Until then "open".
    """

    first: Any
    second: Any
    difference: float
    standard_error: float
    df: float
    low: float
    high: float
    state: State

    @property
    def systems(self) -> tuple[Any, Any]:
        """Both systems."""
        return self.first, self.second


@dataclass(frozen=True, kw_only=True)
class Look(Result):
    """A look that the plan declared: `number` of `of`, `due` at so many ratings.

    Number 0 stands for none so far. `next_due` is None after the last.
    """

    number: int
    of: int
    due: int
    next_due: int | None

    @property
    def next_share(self) -> float:
        """The share of the planned ratings at which the next look is due."""
        return min(self.number + 1, self.of) / self.of


def declared_look(looks: int, planned: int, ratings: int) -> Look:
    """Say which of so many equally spaced looks a study has reached, and when the next is due.

    Examples
    --------
    >>> look = declared_look(4, planned=240, ratings=130)
    >>> look.number, look.due, look.next_due
    (2, 120, 180)
    """
    due = [math.ceil(planned * number / looks) for number in range(looks + 1)]
    reached = max(number for number, ratings_due in enumerate(due) if ratings_due <= ratings)
    following = due[reached + 1] if reached < looks else None
    return Look(number=reached, of=looks, due=due[reached], next_due=following)


def scale_span(scale: Any) -> float | None:
    """Return how many points lie between the ends of a scale; None where it has no ends."""
    if scale.low is not None and scale.high is not None:
        return float(scale.high - scale.low)
    return float(len(scale.categories) - 1) if scale.categories else None


def planned_information(goal: Goal, scale: Any) -> float:
    """Return the information at which the sequence is tightest, known before any rating is."""
    size = goal.difference or goal.margin
    if size is None:
        span = scale_span(scale)
        if span is None:
            raise InvalidArgument("planning.declare", argument="difference")
        size = span / STEPS_OF_SCALE
    reach = normal_quantile(1 - goal.alpha / 2) + normal_quantile(goal.at)
    return float((reach / size) ** 2)


def standings(
    rows: Observations,
    *,
    planned: float,
    margin: float | None = None,
    alpha: float = 0.05,
    start: Mapping[str, float] | None = None,
) -> tuple[PairStanding, ...]:
    """Return where each pair of systems stands now, by intervals that hold at every look.

    The error is that of the mixed model with every term that the ratings can show; each of m pairs
    has α / m. `start` are variances near which to search, such as those of the look before.
    """
    names = rows.names["system"]
    each = alpha / _pairs_of(names)

    def bound(information: float) -> float:
        return sequence_bound(information, planned=planned, alpha=each)

    return _followed(rows, bound, margin, start)


def look_standings(
    rows: Observations, look: Look, *, margin: float | None = None, alpha: float = 0.05
) -> tuple[PairStanding, ...]:
    """Return where each pair of systems stands at a look that was declared before.

    O'Brien and Fleming's bounds; each of m pairs has α / m. The intervals hold at all declared
    looks together (Jennison & Turnbull 1989).
    """
    bounds = group_sequential_bounds(look.of, alpha=alpha / _pairs_of(rows.names["system"]))
    return _followed(rows, lambda _: bounds[look.number - 1], margin)


def _pairs_of(names: tuple[Any, ...]) -> int:
    number = len(names) * (len(names) - 1) // 2
    if number > MOST_PAIRS:
        raise InvalidArgument("planning.many-pairs", value=number, most=MOST_PAIRS)
    return number


def _followed(
    rows: Observations,
    bound: Callable[[float], float],
    margin: float | None,
    start: Mapping[str, float] | None = None,
) -> tuple[PairStanding, ...]:
    """Follow all pairs by a bound on |z|, given what is known: 1 / the squared standard error."""
    names = rows.names["system"]
    _refuse_early(rows)
    model = fit_look(rows, start)
    return tuple(
        _standing(model, (first, second), names, (bound, margin))
        for first, second in combinations(range(len(names)), 2)
    )


def fit_look(rows: Observations, start: Mapping[str, float] | None = None) -> MixedModel:
    """Fit the mixed model of a look, with every term: none is left out because of what was seen."""
    random = random_factors(rows)
    model = mixed_model(rows.values, rows.factors["system"], random=random, start=start)
    if model.reason:
        raise ConvergenceError("systems.not-fitted", reason=model.reason)
    return model


def _refuse_early(rows: Observations) -> None:
    for system in range(len(rows.names["system"])):
        own = rows.factors["system"] == system
        texts = np.unique(rows.factors["item"][own]).size
        judges = np.unique(rows.factors["judge"][own]).size if "judge" in rows.factors else 0
        if texts < FEWEST_TEXTS or judges < FEWEST_JUDGES:
            raise InvalidArgument(
                "planning.early",
                value=rows.names["system"][system],
                texts=FEWEST_TEXTS,
                judges=FEWEST_JUDGES,
            )


def _standing(
    model: MixedModel,
    pair: tuple[int, int],
    names: tuple[Any, ...],
    rule: tuple[Callable[[float], float], float | None],
) -> PairStanding:
    (first, second), (bound, margin) = pair, rule
    difference = float(model.means[first] - model.means[second])
    covariance = model.covariance
    variance = covariance[first, first] + covariance[second, second] - 2 * covariance[first, second]
    error, df = math.sqrt(float(variance)), float(model.df[first, second])
    half = equivalent_t(bound(1 / error**2), df) * error
    low, high = difference - half, difference + half
    state: State = "open"
    if low > 0 or high < 0:
        state = "different"
    elif margin is not None and -margin < low and high < margin:
        state = "equivalent"
    return PairStanding(
        first=names[first],
        second=names[second],
        difference=difference,
        standard_error=error,
        df=df,
        low=low,
        high=high,
        state=state,
    )
