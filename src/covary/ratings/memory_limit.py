"""How many ratings may leave the engine that holds them.

Counting happens where the data live, and its small tables always come to Python. The ratings
themselves come only where they fit; whoever needs them asks here first.
"""

from __future__ import annotations

import re
from typing import Protocol

from covary.errors import InvalidArgument

MOST_BROUGHT = 5_000_000
"""Up to so many ratings are brought to Python where an analysis needs them one by one."""

LOOKED_AT = 100_000
"""About so many ratings are looked at one by one where there are too many to bring them all."""

BYTES_EACH = 400
"""What a report takes of memory for each rating that is brought (1e6 of them took 0.4 GB)."""

LEAST_MEMORY = 100 * 10**6
"""With less memory the engine cannot work."""

UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
BINARY = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


class HeldRatings(Protocol):
    """Ratings that know how many they are, and how many of them may be brought."""

    room: int

    @property
    def n_ratings(self) -> int: ...

    @property
    def large(self) -> bool: ...


def parse_bytes(memory: str) -> int:
    """Read an amount of memory, such as 2GB or 500MB.

    Examples
    --------
    >>> parse_bytes("2GB"), parse_bytes("512 MiB")
    (2000000000, 536870912)
    """
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)(i?)B?\s*", memory, re.IGNORECASE)
    amount = 0.0
    if match:
        units = BINARY if match[3] else UNITS
        amount = float(match[1]) * units[match[2].upper()]
    if amount < LEAST_MEMORY:
        raise InvalidArgument("ratings.memory-amount", argument="memory", value=memory)
    return int(amount)


def most_ratings_within(memory: int) -> int:
    """Return how many ratings may be brought where so many bytes may be used."""
    return memory // BYTES_EACH


def refuse_many(ratings: HeldRatings, what: str) -> None:
    """Refuse what needs the ratings one by one where there are too many to be brought."""
    if ratings.large:
        raise InvalidArgument(
            "ratings.too-many", task=what, count=ratings.n_ratings, most=ratings.room
        )
