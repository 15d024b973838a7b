"""Observed and chance agreement when it does not matter who gave which rating.

The family of Scott's pi, Fleiss' kappa, Brennan-Prediger and Gwet's AC1 and AC2: one observed
agreement, several ideas of what chance would give.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from covary.stats.estimate import Interval
from covary.stats.intervals import Wanted, analytic
from covary.stats.patterns import Patterns
from covary.stats.statistic import TINY, Linear, ratio

__all__ = ["Chance", "Matching", "chance_corrected", "gwet_interval", "matching_pairs"]

Floats = npt.NDArray[np.float64]
Chance = Callable[[Floats], Floats]
Matching = tuple[Floats, Floats]


def chance_corrected(
    patterns: Patterns, agreement: Floats, chance: Chance, *, pooled: bool = False
) -> Linear:
    """Build (observed - expected) / (1 - expected) over items.

    `agreement` says how much each two categories agree; `chance` gives the expected agreement from
    the categories' shares. The shares are the mean over items of each item's shares (Gwet), or,
    when `pooled`, those of all ratings of items with at least two.
    """

    def finish(totals: Floats) -> Floats:
        shares = totals[..., 4:] / np.maximum(totals[..., 3:4], TINY)
        expected = chance(shares)
        one_category = shares.max(axis=-1, initial=0) >= 1 - TINY
        beyond = totals[..., 0] - expected * totals[..., 1]
        return np.where(one_category, np.nan, ratio(beyond, totals[..., 2] * (1 - expected)))

    def build(weights: Floats) -> Linear:
        tally = patterns.tally(weights)
        same, pairs = matching_pairs(patterns, tally, agreement, weights)
        pairable = pairs > 0
        size = tally.sum(axis=1)
        mass = np.where(pairable, size, 0) if pooled else (size > 0).astype(float)
        shares = tally * (mass / np.maximum(size, TINY))[:, None]
        observed = np.where(pairable, same / np.maximum(pairs, TINY), 0)
        sums = np.column_stack([observed, pairable, pairable, mass, shares])
        return Linear(patterns, sums, finish, build)

    return build(np.ones(len(patterns.judges)))


def gwet_interval(statistic: Linear, wanted: Wanted, fixed: int) -> Interval:
    """The linearised variance as Gwet has it: the number of items with two ratings is given.

    `fixed` is the column of the sums that holds this number.
    """
    sums = statistic.sums.copy()
    sums[:, fixed] = statistic.counts @ sums[:, fixed] / statistic.counts.sum()
    given = Linear(statistic.patterns, sums, statistic.finish)
    given.floor = statistic.floor
    return analytic(given, wanted)


def matching_pairs(
    patterns: Patterns, tally: Floats, agreement: Floats, weights: Floats
) -> Matching:
    """Count, for each row, the agreeing and all ordered pairs of ratings by distinct judges."""
    copies = patterns.judges_by_row(weights**2)  # copies of a judge agree by construction
    same = np.einsum("pk,kl,pl->p", tally, agreement, tally, optimize=True) - copies
    return same, tally.sum(axis=1) ** 2 - copies
