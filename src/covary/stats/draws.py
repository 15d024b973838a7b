"""How often each row counts when items are drawn again, and the pseudo-items among them.

What items draw does not depend on what was rated: a row of seven items counts as often as those
seven are drawn. So the draws of so many items are made once for a
seed, kept as running sums over the items, and every coefficient reads its rows off them as
differences. Where items are too many to be kept one by one, each row draws for itself.

Pseudo-items: what an interval adds to the ratings, so that what was not seen is not impossible.

Where no two judges differed, drawing the items again never shows a difference, and the interval
collapses. A quarter of an item more keeps it open: on half of it the judges agree, on half they
rate as if they had not looked.

Where it matters how far judges differ (distances, order, weighted agreement; and on a line, where
hardly two ratings are the same), that has been seen. There they differ on pseudo-items a little
farther than they ever did and not over the whole scale, which would make two judges with a
correlation of .99 look like judges with one of .9.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from covary.scales import Level
from covary.stats.patterns import Patterns
from covary.stats.statistic import BLOCK, Statistic

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MOST_KEPT = 1 << 21
"""The most draws (items × resamples) that are kept."""

AT_ONCE = 1 << 16
"""So many of the kept draws are handed on at once, which stay in the processor's cache."""

DRAWN_AT_ONCE = 1 << 16
"""So many items are drawn at once, which fit in the processor's cache."""

PSEUDO_ITEMS = 0.25
"""How many items are added in all; chosen from the coverage in `docs/coverage.md`."""

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


def draw_blocks(statistic: Statistic, resamples: int, seed: int) -> Iterator[Floats]:
    """Draw how often each row counts, in blocks of resamples that fit in memory."""
    counts, owners = statistic.counts.astype(np.int64), None
    if statistic.clusters is not None:
        owners = np.unique(statistic.clusters, return_inverse=True)[1]
        counts = np.ones(int(owners.max()) + 1, dtype=np.int64)
    n, rows = int(counts.sum()), statistic.counts.size
    rng = np.random.default_rng(seed)
    kept = n * resamples <= MOST_KEPT
    for some in _blocks(resamples, rows, AT_ONCE if kept else BLOCK):
        if kept:
            drawn = _between(_times_drawn(n, resamples, seed)[:, some], counts)
        else:
            drawn = _draw_times(rng, counts, some.stop - some.start)
        yield drawn if owners is None else drawn[:, owners] * statistic.counts


def _blocks(resamples: int, rows: int, most: int) -> Iterator[slice]:
    """The resamples that are held at once: as many as have so many numbers, and the rest."""
    size = max(1, most // max(rows, 1))
    for start in range(0, resamples, size):
        yield slice(start, min(start + size, resamples))


def _between(sums: npt.NDArray[np.float64 | np.int32], items: Ints) -> Floats:
    """What belongs to each row, whose items follow one another (resamples × rows)."""
    ends = np.concatenate([[0], np.cumsum(items)])
    at = sums[ends]
    return np.asarray(np.subtract(at[1:], at[:-1], dtype=float).T)


@lru_cache(maxsize=2)
def _times_drawn(n: int, resamples: int, seed: int) -> npt.NDArray[np.int32]:
    """Running sums of how often each of n items is drawn (items × resamples), after 0."""
    rng, size = np.random.default_rng(seed), max(1, DRAWN_AT_ONCE // max(n, 1))
    sums = np.zeros((n + 1, resamples), dtype=np.int32)
    for start in range(0, resamples, size):
        some = sums[1:, start : start + size]
        width = some.shape[1]
        places = rng.integers(n, size=(width, n)) * width + np.arange(width)[:, None]
        some[:] = np.bincount(places.ravel(), minlength=some.size).reshape(some.shape)
    np.cumsum(sums, axis=0, out=sums)
    sums.flags.writeable = False
    return sums


def _draw_times(rng: np.random.Generator, counts: Ints, size: int) -> Floats:
    """Draw as many items as there are, with replacement, and count them by row."""
    n, rows = int(counts.sum()), counts.size
    if n > 2 * rows:
        return rng.multinomial(n, counts / n, size=size).astype(float)
    owner = np.repeat(np.arange(rows), counts)
    times, step = np.empty((size, rows)), max(1, DRAWN_AT_ONCE // n)
    for start in range(0, size, step):
        some = times[start : start + step]
        items = owner[rng.integers(n, size=(len(some), n))] + rows * np.arange(len(some))[:, None]
        some[:] = np.bincount(items.ravel(), minlength=some.size).reshape(some.shape)
    return times


def add_pseudo_items(patterns: Patterns, *, near: bool = False) -> tuple[Patterns, Floats]:
    """Return the patterns with rows that count 0 times, and how many items every row stands for.

    Pseudo-items are rated by the judges of items that are there, chosen evenly. `near` says that
    it matters how far judges differ, so that they differ little farther than they ever did.
    """
    n_judges = patterns.n_columns
    ratings, shares = _kinds(_spread(patterns), n_judges)
    if near or on_a_line(patterns):
        ratings = _draw_together(patterns, ratings)
    complete = bool((patterns.sizes == n_judges).all())
    size = len(ratings) if complete else len(ratings) * -(-FEWEST_ROWS // len(ratings))
    kinds = np.arange(size) % len(ratings)
    codes = np.where(_masks(patterns, size), ratings[kinds], -1).astype(np.int32)
    clusters = patterns.clusters
    if clusters is not None:
        clusters = np.concatenate([clusters, clusters.max() + 1 + np.arange(size)])
    padded = patterns.add(codes, clusters)
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
    rows, _, codes = patterns.entries
    numbers = patterns.positions()[codes]
    steps = np.diff(np.unique(numbers))
    begins = np.flatnonzero(np.diff(rows, prepend=-1))
    high, low = (end.reduceat(numbers, begins) for end in (np.maximum, np.minimum))
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
    return patterns.keep(np.searchsorted(items, places, side="right")).rated
