"""Pseudo-items: what an interval adds to the ratings, so that what was not seen is not impossible.

Where no two judges differed, drawing the items again never shows a difference, and the interval
collapses. One and a half further items keep it open: on half of them the judges agree, on half they
rate as if they had not looked. For two judges and two categories that puts a part of an item into
each cell of their table, as Jeffreys' prior does.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from covary.stats.patterns import Patterns

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

PSEUDO_ITEMS = 1.5
"""How many items are added in all; chosen from the coverage in `docs/intervals.md`."""

MOST_RATINGS = 5
"""At most so many different ratings are given to pseudo-items, evenly over those that were used."""

FEWEST_ROWS = 60
"""Into so many rows pseudo-items are split at least where judges rated different items."""

GOLDEN = 0.6180339887498949
"""Multiples of it fall evenly into the interval from 0 to 1."""


def add_pseudo_items(patterns: Patterns) -> tuple[Patterns, Floats]:
    """Return the patterns with rows that count 0 times, and how many items every row stands for.

    Pseudo-items are rated by the judges of items that are there, chosen evenly.
    """
    ratings, shares = _kinds(_spread(patterns), patterns.rated.shape[1])
    complete = bool(patterns.rated.all())
    size = len(ratings) if complete else len(ratings) * -(-FEWEST_ROWS // len(ratings))
    kinds = np.arange(size) % len(ratings)
    codes = np.where(_masks(patterns, size), ratings[kinds], -1).astype(np.int32)
    clusters = patterns.clusters
    if clusters is not None:
        clusters = np.concatenate([clusters, clusters.max() + 1 + np.arange(size)])
    padded = replace(
        patterns,
        codes=np.concatenate([patterns.codes, codes]),
        counts=np.concatenate([patterns.counts, np.zeros(size, np.int64)]),
        clusters=clusters,
    )
    prior = PSEUDO_ITEMS * shares[kinds] / shares[kinds].sum()
    return padded, np.concatenate([np.zeros(patterns.counts.size), prior])


def _spread(patterns: Patterns) -> Ints:
    """A few of the ratings that were used, evenly over their order."""
    used = np.unique(patterns.entries[2])
    places = np.linspace(0, used.size - 1, min(MOST_RATINGS, used.size))
    return used[np.round(places).astype(np.int64)].astype(np.int64)


def _kinds(codes: Ints, n_judges: int) -> tuple[Ints, Floats]:
    """The ratings of pseudo-items and their shares: half alike, half as if nobody had looked."""
    judges, places = np.arange(n_judges), range(codes.size)
    alike = np.repeat(codes[:, None], n_judges, axis=1)
    blind = [codes[(first + judges * shift) % codes.size] for first in places for shift in places]
    shares = [np.full(len(rows), 0.5 / len(rows)) for rows in (alike, blind)]
    return np.concatenate([alike, blind]), np.concatenate(shares)


def _masks(patterns: Patterns, size: int) -> npt.NDArray[np.bool_]:
    """Who rates each pseudo-item."""
    items = np.cumsum(patterns.counts)
    places = (np.arange(size) + 0.5) * GOLDEN % 1 * items[-1]
    masks: npt.NDArray[np.bool_] = patterns.rated[np.searchsorted(items, places, side="right")]
    return masks
