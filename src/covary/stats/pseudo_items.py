"""Pseudo-items: what an interval adds to the ratings, so that what was not seen is not impossible.

Where no two judges differed, drawing the items again never shows a difference, and the interval
collapses. One and a half further items keep it open: on half of them the judges agree, on half they
rate as if they had not looked. For two judges and two categories that puts a part of an item into
each cell of their table, as Jeffreys' prior does.

On a line, where hardly two ratings are the same, how far judges differ has been seen. There they
differ on pseudo-items a little farther than they ever did and not over the whole line, which would
make two judges with a correlation of .99 look like judges with one of .9.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from covary.scales import Level
from covary.stats.patterns import Patterns

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

PSEUDO_ITEMS = 1.5
"""How many items are added in all; chosen from the coverage in `docs/intervals.md`."""

MOST_RATINGS = 5
"""At most so many different ratings are given to pseudo-items, evenly over those that were used."""

FEWEST_ROWS = 60
"""Into so many rows pseudo-items are split at least where judges rated different items."""

MOST_CATEGORIES = 16
"""With more different numbers than this, ratings are places on a line."""

MOST_ALIKE = 1 / 3
"""Where a larger share of the ratings is the same number, ratings pile up."""

WIDER = 2.0
"""How much farther apart judges may be on pseudo-items on a line than on any item."""

GOLDEN = 0.6180339887498949
"""Multiples of it fall evenly into the interval from 0 to 1."""


def add_pseudo_items(patterns: Patterns, *, metric: bool = False) -> tuple[Patterns, Floats]:
    """Return the patterns with rows that count 0 times, and how many items every row stands for.

    Pseudo-items are rated by the judges of items that are there, chosen evenly. `metric` says that
    distances count, so that it matters how far judges differ.
    """
    ratings, shares = _kinds(_spread(patterns), patterns.rated.shape[1])
    if metric or on_a_line(patterns):
        ratings = _draw_together(patterns, ratings)
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


def on_a_line(patterns: Patterns) -> bool:
    """Whether ratings are many different numbers, of which none is given very often.

    Ratings that pile up at an end of the line say as little of how far judges differ as categories.
    """
    if patterns.scale.level < Level.INTERVAL:
        return False
    rows, _, codes = patterns.entries
    used = np.bincount(codes, patterns.counts[rows])
    return bool(np.count_nonzero(used) > MOST_CATEGORIES and used.max() <= MOST_ALIKE * used.sum())


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


def _draw_together(patterns: Patterns, ratings: Ints) -> Ints:
    """Let pseudo-items on a line differ no farther than items did, to the nearest rating used.

    Where judges differ as far as the line goes, ratings stay as they are.
    """
    places = patterns.positions()
    numbers = places[ratings]
    width = np.ptp(numbers, axis=1, keepdims=True)
    share = np.minimum(1.0, _widest(patterns) / np.where(width > 0, width, 1.0))
    middle = numbers.mean(axis=1, keepdims=True)
    centre = share * middle + (1 - share) * numbers[:, :1]
    return np.where(share < 1, _nearest(places, centre + share * (numbers - middle)), ratings)


def _widest(patterns: Patterns) -> float:
    """How far apart the ratings of a pseudo-item may lie: a little farther than they ever did."""
    numbers, rated = patterns.numbers(), patterns.rated
    steps = np.diff(np.unique(numbers[rated]))
    high = np.where(rated, numbers, -np.inf).max(axis=1)
    low = np.where(rated, numbers, np.inf).min(axis=1)
    return max(WIDER * float(np.max(high - low)), float(np.median(steps)) if steps.size else 0.0)


def _nearest(places: Floats, numbers: Floats) -> Ints:
    """The codes of the places that are nearest to some numbers."""
    order = np.argsort(places)
    rising = places[order]
    above = np.clip(np.searchsorted(rising, numbers), 1, places.size - 1)
    below = numbers - rising[above - 1] < rising[above] - numbers
    return np.asarray(order[above - below], dtype=np.int64)


def _masks(patterns: Patterns, size: int) -> npt.NDArray[np.bool_]:
    """Who rates each pseudo-item."""
    items = np.cumsum(patterns.counts)
    places = (np.arange(size) + 0.5) * GOLDEN % 1 * items[-1]
    masks: npt.NDArray[np.bool_] = patterns.rated[np.searchsorted(items, places, side="right")]
    return masks
