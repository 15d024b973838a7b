"""How many ratings may leave the engine that holds them.

Counting happens where the data live, and its small tables always come to Python. The ratings
themselves come only where they fit; whoever needs them asks here first.
"""

from __future__ import annotations

import re
from typing import Protocol

from covary.errors import InvalidArgument

__all__ = ["LOOKED_AT", "MOST_BROUGHT", "bytes_of", "refuse_many", "room_within"]

MOST_BROUGHT = 5_000_000
"""Up to so many ratings are brought to Python where an analysis needs them one by one."""

LOOKED_AT = 100_000
"""About so many ratings are looked at one by one where there are too many to bring them all."""

BYTES_EACH = 400
"""What a report takes of memory for each rating that is brought (1e6 of them took 0.4 GB)."""

LEAST = 100 * 10**6
"""With less memory the engine cannot work."""

UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
BINARY = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


class Held(Protocol):
    """Ratings that know how many they are, and how many of them may be brought."""

    room: int

    @property
    def n_ratings(self) -> int: ...

    @property
    def large(self) -> bool: ...


def bytes_of(memory: str) -> int:
    """Read an amount of memory, such as 2GB or 500MB.

    Examples
    --------
    >>> bytes_of("2GB"), bytes_of("512 MiB")
    (2000000000, 536870912)
    """
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)(i?)B?\s*", memory, re.IGNORECASE)
    amount = 0.0
    if found:
        units = BINARY if found[3] else UNITS
        amount = float(found[1]) * units[found[2].upper()]
    if amount < LEAST:
        raise InvalidArgument(
            f"memory={memory!r} is no amount of memory that covary can work in; say 2GB, 500MB or "
            "another amount from 100MB"
        )
    return int(amount)


def room_within(memory: int) -> int:
    """Return how many ratings may be brought where so many bytes may be used."""
    return memory // BYTES_EACH


def refuse_many(ratings: Held, what: str) -> None:
    """Refuse what needs the ratings one by one where there are too many to be brought."""
    if ratings.large:
        raise InvalidArgument(
            f"{what} needs the ratings one by one, and these {ratings.n_ratings:,} stay where they "
            f"are: at most {ratings.room:,} are brought into memory. Choose a part of them "
            "(ratings.first_items(10_000), ratings.select(…)), or allow more memory "
            "(ratings.within('16GB'), --memory 16GB)"
        )
