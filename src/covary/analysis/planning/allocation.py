"""Where the next ratings help most: on systems whose differences are open."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covary.analysis.planning.components import GStudy
from covary.analysis.planning.forecast import StudySize
from covary.analysis.planning.standings import PairStanding
from covary.stats.estimate import Result

EXPLORED = 0.2
"""The share of ratings that an adaptive allocation spreads over all systems."""


@dataclass(frozen=True, kw_only=True)
class Allocation(Result):
    """The next ratings where they help most: on systems whose pairs are open.

    `shares` says how many of the next `ratings` each system gets. `error` is the standard error of
    an open difference afterwards and `balanced_error` what it would be with equal shares.
    `efficiency` is the price in balance: the mean variance of all differences with equal shares by
    that with these, 1 where nothing is lost.
    """

    ratings: int
    shares: Mapping[Any, int]
    error: float
    balanced_error: float
    efficiency: float


@dataclass(frozen=True, kw_only=True)
class CriterionStanding:
    """One criterion: its components, what each system has so far, and its pairs of systems."""

    components: GStudy
    size: StudySize
    pairs: tuple[PairStanding, ...]

    @property
    def undecided(self) -> list[PairStanding]:
        """The pairs that are open."""
        return [pair for pair in self.pairs if pair.state == "open"]

    def variance(self, added: float) -> float:
        """The variance of a system's mean beside the others', with so many ratings more."""
        size, part = self.size, self.components
        judged = size.items * size.votes + added
        taste = part["judge system"] / size.judges
        return part["item"] / size.items + part["residual"] / judged + taste


def allocate(
    criteria: Sequence[CriterionStanding], systems: Sequence[Any], ratings: int
) -> Allocation | None:
    """Share the next ratings among systems; None where equal shares are the best.

    A fifth is spread over all systems, the rest over those with an open difference on some
    criterion. Criteria on which all is decided ask for nothing.
    """
    asking = [one for one in criteria if one.undecided]
    if not asking or not ratings:
        return None
    weights = np.mean([_weights(one, systems) for one in asking], axis=0)
    if np.ptp(weights) < 1e-9:
        return None
    shares = dict(zip(systems, _whole_shares(weights, ratings), strict=True))
    gains = [_gain(one, shares, ratings / len(systems)) for one in asking]
    error, balanced, _ = min(gains, key=lambda gain: gain[0] / gain[1])
    return Allocation(
        ratings=ratings,
        shares=shares,
        error=error,
        balanced_error=balanced,
        efficiency=min(gain[2] for gain in gains),
    )


def _weights(one: CriterionStanding, systems: Sequence[Any]) -> list[float]:
    """What share of the next ratings each system gets for one criterion."""
    wanted = {name for pair in one.undecided for name in (pair.first, pair.second)}
    spread = EXPLORED / len(systems)
    return [spread + (name in wanted) * (1 - EXPLORED) / len(wanted) for name in systems]


def _whole_shares(weights: Any, ratings: int) -> list[int]:
    """Whole numbers that sum to the ratings, the largest remainders rounded up."""
    wanted = weights / weights.sum() * ratings
    whole = np.floor(wanted + 1e-9).astype(int)
    rest = ratings - int(whole.sum())
    whole[np.argsort(whole - wanted, kind="stable")[:rest]] += 1
    return [int(number) for number in whole]


def _gain(
    one: CriterionStanding, shares: Mapping[Any, int], equal: float
) -> tuple[float, float, float]:
    """The error of the open pair that gains most, that with equal shares, and the efficiency."""
    fair = one.variance(equal)
    adaptive = {name: one.variance(number) for name, number in shares.items()}
    errors = [math.sqrt(adaptive[pair.first] + adaptive[pair.second]) for pair in one.undecided]
    return min(errors), math.sqrt(2 * fair), fair * len(adaptive) / sum(adaptive.values())
