"""Counting pairs in falling order in a few passes, most of them over small whole numbers.

Take a permutation, and write each number as digits of six bits. Two numbers differ first in one of
their digits, and there the pair is counted, among numbers whose higher digits are the same: from
how often each digit stands in the blocks before, and within a block by comparing one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Small = npt.NDArray[np.uint8]

BITS = 6
SIZE = 1 << BITS
"""How many values a digit has, and how many numbers a block."""


def stable_order(codes: npt.NDArray[Any]) -> Ints:
    """The order of whole numbers from 0, equal ones as they stand, by sixteen bits at a time.

    Examples
    --------
    >>> stable_order(np.array([2, 70_000, 0, 2])).tolist()
    [2, 0, 3, 1]
    """
    small = np.uint8 if codes.max(initial=0) < 1 << 8 else np.uint16
    order = np.argsort(codes.astype(small), kind="stable")  # which counts instead of comparing
    if codes.max(initial=0) < 1 << 16:
        return order
    return order[stable_order((codes >> 16)[order])]


def count_inversions(numbers: Ints) -> int:
    """How many pairs of a permutation of 0, 1, … stand in falling order.

    Examples
    --------
    >>> count_inversions(np.array([2, 0, 1, 3]))
    2
    """
    total = 0
    for _, digits, length in _levels(numbers):
        rows = _in_blocks(digits)
        for place in range(1, SIZE):
            total += int(np.count_nonzero(rows[:place] > rows[place]))
        if length > SIZE:
            _, used = _used(digits, length)
            total += int(np.vdot(used, _larger(np.cumsum(used, axis=2) - used)))
    return total


def inversions_of_each(numbers: Ints) -> Ints:
    """For each number of a permutation of 0, 1, …, with how many others it stands in falling order.

    Examples
    --------
    >>> inversions_of_each(np.array([2, 0, 1, 3])).tolist()  # of 0, of 1, of 2 and of 3
    [1, 1, 2, 0]
    """
    total: Ints = np.zeros(0, dtype=np.int64)
    for order, digits, length in _levels(numbers):
        total = total if total.size else np.zeros(order.size, dtype=np.int64)
        own = _within(digits)
        if length > SIZE:
            cells, used = _used(digits, length)
            through = np.cumsum(used, axis=2)
            after = through[:, :, -1:] - through
            smaller = np.cumsum(after, axis=0) - after
            own += (_larger(through - used) + smaller).ravel()[cells]
        total[order] += own
    return total[: numbers.size]


def _levels(numbers: Ints) -> Iterator[tuple[npt.NDArray[np.int32], Small, int]]:
    """The numbers, one of their digits, and how many of them have the same higher digits.

    They come in the order of their higher digits, and otherwise as they stand. High numbers at the
    end, which are in no falling pair, fill up to a power of two.
    """
    bits = max((numbers.size - 1).bit_length(), BITS)
    filled = np.arange(1 << bits, dtype=np.int32)
    filled[: numbers.size] = numbers
    for shift in range((bits - 1) // BITS * BITS, -1, -BITS):
        digits = ((filled >> shift) & (SIZE - 1)).astype(np.uint8)
        yield filled, digits, min(SIZE << shift, filled.size)
        if shift:
            filled = filled[stable_order(filled >> shift)]


def _in_blocks(digits: Small) -> Small:
    """The digits with a column for each block."""
    return np.ascontiguousarray(digits.reshape(-1, SIZE).T)


def _within(digits: Small) -> Ints:
    """For each digit, with how many of its block it stands in falling order."""
    rows = _in_blocks(digits)
    total = np.zeros_like(rows)
    for place in range(1, SIZE):
        falling = (rows[:place] > rows[place]).view(np.uint8)
        total[:place] += falling
        total[place] += falling.sum(axis=0, dtype=np.uint8)
    return total.T.ravel().astype(np.int64)


def _used(digits: Small, length: int) -> tuple[Ints, Ints]:
    """Each digit's cell, and how often each was used: values of a digit × groups × blocks."""
    blocks = digits.size // SIZE
    cells = digits.astype(np.int64) * blocks + np.repeat(np.arange(blocks), SIZE)
    used = np.bincount(cells, minlength=(int(digits.max()) + 1) * blocks)
    return cells, used.reshape(-1, digits.size // length, length // SIZE)


def _larger(used: Ints) -> Ints:
    """How often larger digits were used."""
    through = np.cumsum(used, axis=0)
    return np.asarray(through[-1:] - through)
