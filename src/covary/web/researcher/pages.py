"""Long tables, page by page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

__all__ = ["PER_PAGE", "Leaf", "leaf"]

PER_PAGE = 50

Thing = TypeVar("Thing")


@dataclass(frozen=True)
class Leaf(Generic[Thing]):
    """One page of a long table: its number, the number of the last one, and what is on it."""

    number: int
    last: int
    things: Sequence[Thing]

    @property
    def first(self) -> int:
        """The place of the first thing among all."""
        return (self.number - 1) * PER_PAGE


def leaf(things: Sequence[Thing], number: int) -> Leaf[Thing]:
    """Return a page of a table; a number past the end gives the last page.

    Examples
    --------
    >>> found = leaf(range(120), 9)
    >>> found.number, found.last, found.first, len(found.things)
    (3, 3, 100, 20)
    """
    last = max(1, -(-len(things) // PER_PAGE))
    number = min(max(1, number), last)
    return Leaf(number, last, things[(number - 1) * PER_PAGE : number * PER_PAGE])
