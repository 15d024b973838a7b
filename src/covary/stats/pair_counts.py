"""What every two judges gave the same items, counted in the engine that holds the ratings.

Where judges' patterns are too many to be brought to Python, cross tables of every two judges are
counted by groups of items instead, and `GroupedPairTables` reads coefficients off them.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.ratings.pattern_counts import count_pairs, count_uses
from covary.stats.patterns import Patterns, collapse, criterion_frame

Ints = npt.NDArray[np.int64]

MOST_GROUPS, FEWEST_GROUPS = 200, 20
"""Into so many groups items are put; with fewer an interval would be arbitrary."""

MOST_CELLS = 32_000_000
"""The most cells of all tables that are held at once."""


def count_judge_pairs(ratings: Ratings, criterion: Any = None) -> Patterns:
    """Return the tallies of all items with the cross tables of every two judges.

    The columns of these patterns are slots; `judges` are those of the tables.
    """
    chosen = ratings.one_criterion(criterion)
    if (chosen, "crossed") not in ratings.cache:
        ratings.cache[chosen, "crossed"] = _count_judge_pairs(ratings, chosen)
    patterns: Patterns = ratings.cache[chosen, "crossed"]
    return patterns


def pair_patterns(patterns: Patterns, first: Any, second: Any) -> Patterns:
    """Return what two judges gave the items that both rated, with groups of items as clusters."""
    assert patterns.crossed is not None
    places = patterns.judges.index(first), patterns.judges.index(second)
    every = list(combinations(range(len(patterns.judges)), 2))
    tables = patterns.crossed[every.index(places)]
    group, one, other = np.nonzero(tables)
    return Patterns(
        codes=np.column_stack([one, other]).astype(np.int32),
        counts=tables[group, one, other].astype(np.int64),
        values=patterns.values,
        judges=(first, second),
        scale=patterns.scale,
        clusters=group,
    )


def category_uses(ratings: Ratings, criterion: Any, patterns: Patterns) -> Ints:
    """Return how often each judge gave each rating: judges × categories."""
    frame, judges = criterion_frame(ratings, ratings.one_criterion(criterion))
    return count_uses(frame, judges, patterns.scale.categories or ())


def _count_judge_pairs(ratings: Ratings, criterion: Any) -> Patterns:
    tallies = collapse(ratings, criterion, named=False)
    frame, judges = criterion_frame(ratings, criterion)
    n_judges, n_pairs = len(judges), len(judges) * (len(judges) - 1) // 2
    groups = min(MOST_GROUPS, MOST_CELLS // (n_pairs * tallies.n_values**2))
    if groups < FEWEST_GROUPS:
        raise InvalidArgument("stats.too-many-pairs", n_pairs=n_pairs, n_judges=n_judges)
    assert tallies.scale.categories is not None
    tables = count_pairs(frame, judges, tallies.scale.categories, groups)
    return replace(tallies, judges=tuple(judges), crossed=tables)
