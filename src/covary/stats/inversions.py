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
Counts = npt.NDArray[np.int32]
Small = npt.NDArray[np.uint8]

BITS = 6
SIZE = 1 << BITS
"""How many values a digit has, and how many numbers a block."""

AT_ONCE = 1 << 15
"""So many numbers are looked at at once, if they need not be looked at together."""

PARTS, TINY = 65_535, 1e-300
"""Into so many parts a line is cut that is not shorter than this."""


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


def line_order(numbers: npt.NDArray[np.float64]) -> Ints:
    """The order of numbers on a line: by which of 65,536 equal parts of it they lie in, and then by
    a sort that is quick where nearly all is in order.

    Examples
    --------
    >>> line_order(np.array([0.5, -2.0, 0.25])).tolist()
    [1, 2, 0]
    """
    low, high = float(numbers.min(initial=np.inf)), float(numbers.max(initial=-np.inf))
    if not TINY < high - low < np.inf:
        return np.argsort(numbers, kind="stable")
    parts = ((numbers - low) * (PARTS / (high - low))).astype(np.uint16)
    order = np.argsort(parts, kind="stable")
    return order[np.argsort(numbers[order], kind="stable")]


def larger_before(numbers: Ints) -> Counts:
    """How many larger numbers stand before each number of a permutation of 0, 1, …

    Examples
    --------
    >>> larger_before(np.array([2, 0, 1, 3])).tolist()  # before 0, before 1, before 2, before 3
    [1, 1, 0, 0]
    """
    total: Counts = np.zeros(0, dtype=np.int32)
    if not numbers.size:
        return total
    for order, digits, length in _levels(numbers):
        total = total if total.size else np.zeros(order.size, dtype=np.int32)
        own = np.empty(order.size, dtype=np.int32)
        for some in _parts(order.size, length):
            own[some] = _within(digits[some])
            if length > SIZE:
                own[some] += _in_blocks_before(digits[some], length // SIZE)
        total[order] += own
    return total[: numbers.size]


def _levels(numbers: Ints) -> Iterator[tuple[Counts, Small, int]]:
    """The numbers, one of their digits, and how many of them have the same higher digits.

    They come in the order of their higher digits, and otherwise as they stand. High numbers at the
    end, which are in no falling pair, fill up the groups of each level.
    """
    highest = max((numbers.size - 1).bit_length() - 1, 0) // BITS * BITS
    group = SIZE << max(highest - BITS, 0)
    filled = np.arange(-(-numbers.size // group) * group, dtype=np.int32)
    filled[: numbers.size] = numbers
    for shift in range(highest, -1, -BITS):
        digits = ((filled >> shift) & (SIZE - 1)).astype(np.uint8)
        length = min(SIZE << shift, filled.size)
        yield filled, digits, length
        for some in _parts(filled.size, length) if shift else ():
            order = np.argsort(digits[some].reshape(-1, length), axis=1, kind="stable")
            order += np.arange(0, order.size, length)[:, None]
            filled[some] = filled[some][order.ravel()]


def _parts(size: int, length: int) -> Iterator[slice]:
    """Whole groups of a length, so many at once as stay in the processor's cache."""
    step = max(length, AT_ONCE // length * length)
    return (slice(start, start + step) for start in range(0, size, step))


def _within(digits: Small) -> Small:
    """For each digit, how many larger ones stand before it in its block."""
    rows = np.ascontiguousarray(digits.reshape(-1, SIZE).T)
    total = np.zeros_like(rows)
    for place in range(1, SIZE):
        total[place:] += (rows[place - 1] > rows[place:]).view(np.uint8)
    return total.T.ravel()


def _in_blocks_before(digits: Small, blocks: int) -> Counts:
    """For each digit, how many larger ones stand in blocks before it; so many blocks to a group."""
    values = int(digits.max()) + 1
    rows = np.arange(0, digits.size // SIZE * values, values)
    cells = (digits.reshape(-1, SIZE) + rows[:, None]).ravel()
    used = np.bincount(cells, minlength=rows.size * values).astype(np.int32)
    used = used.reshape(-1, blocks, values)
    before = np.cumsum(used, axis=1, dtype=np.int32)
    before -= used
    through = np.cumsum(before, axis=2, out=used)  # new memory takes longer than the sums
    np.subtract(through[:, :, -1:], through, out=before)
    return np.asarray(before.ravel()[cells])
