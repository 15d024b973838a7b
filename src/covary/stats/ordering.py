"""Counting pairs of items that two judges put in the same or in the opposite order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["PairCounts", "count_pairs", "count_table"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class PairCounts:
    """Unordered pairs of items: in the same order, in the opposite order, and tied.

    `tied_first` and `tied_second` are the pairs tied for one judge (pairs tied for both are in
    each); `per_item` holds each item's concordant and discordant pairs where that was asked for.
    """

    concordant: Floats
    discordant: Floats
    tied_first: Floats
    tied_second: Floats
    total: Floats


def count_table(tables: Floats) -> PairCounts:
    """Count pairs of items from cross tables (… × categories × categories)."""
    n = tables.sum(axis=(-2, -1))
    below = _beyond(tables)
    against = _beyond(tables[..., :, ::-1])[..., :, ::-1]
    total, first, second = (
        pairs.sum(axis=-1) if pairs.ndim > n.ndim else pairs
        for pairs in (_choose(n), _choose(tables.sum(axis=-1)), _choose(tables.sum(axis=-2)))
    )
    concordant = np.sum(tables * below, axis=(-2, -1))
    discordant = np.sum(tables * against, axis=(-2, -1))
    return PairCounts(concordant, discordant, first, second, total)


def count_pairs(first: Ints, second: Ints) -> PairCounts:
    """Count pairs of items from two judges' ratings (whole numbers in scale order), in n log n."""
    order = np.lexsort((second, first))
    discordant = _inversions(second[order])
    n = np.array(float(first.size))
    tied_first, tied_second = (_choose(_times(each)).sum() for each in (first, second))
    both = _choose(_times(first.astype(np.int64) * (int(second.max(initial=0)) + 1) + second)).sum()
    concordant = _choose(n) - tied_first - tied_second + both - discordant
    return PairCounts(concordant, np.array(discordant), tied_first, tied_second, _choose(n))


def _beyond(tables: Floats) -> Floats:
    """For each cell, how many items stand higher on both scales."""
    above = np.flip(np.cumsum(np.cumsum(np.flip(tables, (-2, -1)), axis=-2), axis=-1), (-2, -1))
    shifted = np.zeros_like(tables)
    shifted[..., :-1, :-1] = above[..., 1:, 1:]
    return shifted


def _choose(n: Floats) -> Floats:
    """The number of unordered pairs among n."""
    return np.asarray(n * (n - 1) / 2)


def _times(values: Ints) -> Floats:
    ordered = np.sort(values)
    new = np.ones(values.size, dtype=bool)
    new[1:] = ordered[1:] != ordered[:-1]
    return np.diff(np.append(np.flatnonzero(new), values.size)).astype(float)


def _inversions(values: Ints) -> float:
    """How many pairs stand in falling order.

    Bit by bit from the top: among values that share their higher bits, every 0 that comes after a 1
    is an inversion; then the values are sorted, stably, by the bits seen so far.
    """
    found, current = 0, np.asarray(values, dtype=np.int64)
    for bit in range(max(int(current.max(initial=0)).bit_length(), 1) - 1, -1, -1):
        high = current >> (bit + 1)
        one = (current >> bit) & 1
        before = np.cumsum(one) - one
        starts = np.flatnonzero(np.concatenate([[True], high[1:] != high[:-1]]))
        sizes = np.diff(np.append(starts, high.size))
        within = before - np.repeat(before[starts], sizes)
        found += int(within[one == 0].sum())
        ones_in_group = np.add.reduceat(one, starts)
        zeros = np.repeat(sizes - ones_in_group, sizes)
        place = np.arange(high.size) - np.repeat(starts, sizes)
        target = np.where(one == 1, zeros + within, place - within) + np.repeat(starts, sizes)
        moved = np.empty_like(current)
        moved[target] = current
        current = moved
    return float(found)
