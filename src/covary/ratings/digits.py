"""Ratings as digits of numbers, so that one sum by item says all about an item.

The sums are floating-point numbers below 2⁵³, which every engine adds exactly, in whatever order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

__all__ = ["EXACT", "case", "chunks", "digits"]

EXACT = 2**53
"""Whole numbers up to here are exact in the floating-point sums of every engine."""


def case(column: str, keys: Sequence[Any], values: Sequence[float]) -> nw.Expr:
    """Give each key of a column its value, and 0 to any other."""
    expression: Any = nw.lit(0.0)
    for key, value in zip(reversed(keys), reversed(values), strict=True):
        expression = nw.when(nw.col(column) == key).then(nw.lit(value)).otherwise(expression)
    return expression  # type: ignore[no-any-return]


def chunks(places: int, base: int) -> list[int]:
    """Split places so that the number of each part stays exact: how many places each part has."""
    room = 1
    while base ** (room + 1) < EXACT:
        room += 1
    return [min(room, places - start) for start in range(0, places, room)]


def digits(
    packed: npt.NDArray[np.float64], base: int, sizes: Sequence[int]
) -> npt.NDArray[np.int64]:
    """Read the digits back out of the numbers: a column for each place."""
    columns = []
    for number, size in enumerate(sizes):
        rest = packed[:, number].astype(np.int64)
        for _ in range(size):
            columns.append(rest % base)
            rest = rest // base
    return np.column_stack(columns)
