"""How often each row counts when items are drawn again: whole times, or random weights.

What items draw does not depend on what was rated: a row of seven items counts as often as those
seven are drawn, or has the sum of their weights. So the draws of so many items are made once for a
seed, kept as running sums over the items, and every coefficient reads its rows off them as
differences. Where items are too many to be kept one by one, each row draws for itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from covary.stats.statistic import BLOCK, Statistic

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MOST_KEPT = 1 << 21
"""The most draws (items × resamples) that are kept."""

STEP = 64
"""Weights of items are drawn for so many at a time, so that more items leave the first as they are.
"""

DRAWN_AT_ONCE = 1 << 16
"""So many items are drawn at once, which fit in the processor's cache."""

OF_ITEMS, OF_PSEUDO_ITEMS = 0, 1
"""Which stream of random numbers of a seed."""


def draw_blocks(statistic: Statistic, resamples: int, seed: int) -> Iterator[Floats]:
    """Draw how often each row counts, in blocks of resamples that fit in memory."""
    counts, owners = statistic.counts.astype(np.int64), None
    if statistic.clusters is not None:
        owners = np.unique(statistic.clusters, return_inverse=True)[1]
        counts = np.ones(int(owners.max()) + 1, dtype=np.int64)
    n, rows = int(counts.sum()), statistic.counts.size
    rng = np.random.default_rng(seed)
    for size in _sizes(resamples, rows):
        if size == resamples and n * resamples <= MOST_KEPT:
            drawn = _between(_times_drawn(n, resamples, seed), counts)
        else:
            drawn = _draw_times(rng, counts, size)
        yield drawn if owners is None else drawn[:, owners] * statistic.counts


def weigh_blocks(
    padded: Statistic, prior: Floats, *, n_units: float, resamples: int, seed: int
) -> Iterator[Floats]:
    """Draw weights of all rows that add up to the number of items, in blocks that fit in memory.

    The rows of a cluster have one weight, and a pseudo-item then stands for a cluster.
    """
    counts, n_items, owners = padded.counts, float(padded.counts.sum()), None
    items, parts, times = counts.astype(np.int64), prior, np.ones(counts.size)
    if padded.clusters is not None:
        owners = np.unique(padded.clusters, return_inverse=True)[1]
        times = np.where(counts > 0, counts, n_items / n_units)
        parts = np.bincount(owners, prior).astype(float)
        items = np.zeros(parts.size, dtype=np.int64)
        items[owners[counts > 0]] = 1
        parts[items > 0] = 0.0
    rng, n = np.random.default_rng(seed), int(items.sum())
    for size in _sizes(resamples, counts.size):
        if size == resamples and n * resamples <= MOST_KEPT:
            weights = _weights_of(items, parts, resamples, seed)
        else:
            weights = rng.standard_gamma(items + parts, (size, items.size))
        if owners is not None:
            weights = times * weights[:, owners]
        yield weights * (n_items / weights.sum(axis=1, keepdims=True))


def _sizes(resamples: int, rows: int) -> list[int]:
    """How many resamples are held at once: as many as fit, and the rest."""
    size = max(1, min(resamples, BLOCK // max(rows, 1)))
    return [min(size, resamples - start) for start in range(0, resamples, size)]


def _weights_of(items: Ints, parts: Floats, resamples: int, seed: int) -> Floats:
    """Each row's items add up their weights; a part of an item has a weight of its own."""
    n = int(items.sum())
    kept = STEP << max(-(-n // STEP) - 1, 0).bit_length()
    weights = _between(_summed_weights(kept, resamples, seed), items)
    padded = np.flatnonzero(parts)
    if padded.size:
        weights[:, padded] += _part_weights(tuple(parts[padded].tolist()), resamples, seed)
    return weights


def _between(sums: npt.NDArray[np.float64 | np.int32], items: Ints) -> Floats:
    """What belongs to each row, whose items follow one another (resamples × rows)."""
    ends = np.concatenate([[0], np.cumsum(items)])
    at = sums[ends].astype(float, copy=False)
    return np.asarray((at[1:] - at[:-1]).T)


@lru_cache(maxsize=2)
def _summed_weights(n: int, resamples: int, seed: int) -> Floats:
    """Running sums of the exponential weights of n items (items × resamples), after 0."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(OF_ITEMS,)))
    sums = np.zeros((n + 1, resamples))
    rng.standard_exponential(out=sums[1:])
    np.cumsum(sums, axis=0, out=sums)
    sums.flags.writeable = False
    return sums


@lru_cache(maxsize=16)
def _part_weights(parts: tuple[float, ...], resamples: int, seed: int) -> Floats:
    """The weights of rows that count a part of an item (resamples × rows)."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(OF_PSEUDO_ITEMS,)))
    weights = rng.standard_gamma(np.array(parts), (resamples, len(parts)))
    weights.flags.writeable = False
    return weights


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
