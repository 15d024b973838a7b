"""The cross tables of every two judges, where the patterns of all judges would be too many.

With many judges who rate a few items each, nearly every item has a pattern of its own. What two
judges gave the items that both rated is still a small table. These tables do not say which items
they share, so they are counted by groups of items, and an interval draws whole groups.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.ratings.collapse import count_pairs, count_uses
from covary.stats.patterns import Patterns, collapse, given_on
from covary.stats.statistic import Fraction, PairTables, Statistic, pair_weights

__all__ = ["CrossedTables", "cross", "of_pair", "uses"]

Floats = npt.NDArray[np.float64]

MOST_GROUPS, FEWEST_GROUPS = 200, 20
"""Into so many groups items are put; with fewer an interval would be arbitrary."""

MOST_CELLS = 32_000_000
"""The most cells of all tables that are held at once."""


class CrossedTables(PairTables):
    """A mean over pairs of judges from their cross tables by groups of items."""

    def __init__(
        self,
        patterns: Patterns,
        coefficient: Callable[[Floats], Fraction],
        combine: str = "mean",
        judge_weights: Floats | None = None,
    ) -> None:
        assert patterns.crossed is not None
        self.patterns, self.coefficient, self.combine = patterns, coefficient, combine
        self.counts, self.clusters = np.ones(patterns.crossed.shape[1]), None
        every = list(combinations(range(len(patterns.judges)), 2))
        shared = np.flatnonzero(patterns.crossed.any(axis=(1, 2, 3)))
        self.places = {every[place]: int(place) for place in shared}
        self.pairs = list(self.places)
        self.weights = pair_weights(self.pairs, judge_weights)

    def tables(self, pair: tuple[int, int], counts: Floats) -> Floats:
        """Cross-tabulate a pair of judges for each line of counts of the groups."""
        assert self.patterns.crossed is not None
        by_group = self.patterns.crossed[self.places[pair]]
        return np.tensordot(counts, by_group, axes=1)

    def nudged(self, keep: float, add: float) -> Floats:
        return Statistic.nudged(self, keep, add)

    def with_judges(self, weights: Floats) -> CrossedTables:
        return CrossedTables(self.patterns, self.coefficient, self.combine, weights)


def cross(ratings: Ratings, criterion: Any = None) -> Patterns:
    """Return the tallies of all items with the cross tables of every two judges.

    The columns of these patterns are slots; `judges` are those of the tables.
    """
    chosen = ratings.one_criterion(criterion)
    if (chosen, "crossed") not in ratings.cache:
        ratings.cache[chosen, "crossed"] = _cross(ratings, chosen)
    found: Patterns = ratings.cache[chosen, "crossed"]
    return found


def of_pair(patterns: Patterns, first: Any, second: Any) -> Patterns:
    """Return what two judges gave the items that both rated, with groups of items as clusters."""
    assert patterns.crossed is not None
    places = patterns.judges.index(first), patterns.judges.index(second)
    every = list(combinations(range(len(patterns.judges)), 2))
    tables = patterns.crossed[every.index(places)]
    group, one, other = np.nonzero(tables)
    codes = np.column_stack([one, other]).astype(np.int32)
    counts = tables[group, one, other].astype(np.int64)
    return Patterns(codes, counts, patterns.values, (first, second), patterns.scale, group)


def uses(ratings: Ratings, criterion: Any, patterns: Patterns) -> npt.NDArray[np.int64]:
    """Return how often each judge gave each rating: judges × categories."""
    frame, judges = given_on(ratings, ratings.one_criterion(criterion))
    return count_uses(frame, judges, patterns.scale.categories or ())


def _cross(ratings: Ratings, criterion: Any) -> Patterns:
    tallies = collapse(ratings, criterion, named=False)
    frame, judges = given_on(ratings, criterion)
    pairs, k = len(judges) * (len(judges) - 1) // 2, tallies.n_values
    groups = min(MOST_GROUPS, MOST_CELLS // (pairs * k * k))
    if groups < FEWEST_GROUPS:
        raise InvalidArgument(
            f"{pairs:,} pairs of {len(judges):,} judges have too many cross tables to be held at "
            "once; name some judges with judges=[…]. krippendorff_alpha, fleiss_kappa and gwet_ac1 "
            "do not need to know who rated"
        )
    assert tallies.scale.categories is not None
    tables = count_pairs(frame, judges, tallies.scale.categories, groups)
    return replace(tallies, judges=tuple(judges), crossed=tables)
