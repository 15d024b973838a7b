"""What a number of votes would say together, over all ways to pick them from an item's votes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations_with_replacement
from math import comb, prod
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.aggregate import combine
from covary.ratings import Ratings
from covary.scales import Scale

__all__ = ["BY_ITEM", "combined_shares", "longest"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

BY_ITEM = ("banchs-a", "banchs-b", "majority", "median", "mean")
"""Methods that look at one item at a time, so that any number of its votes can be combined."""

MOST_WAYS = 20_000
"""Ways to divide votes between categories up to which the curve goes on."""


def longest(n_votes: Ints, n_categories: int) -> int:
    """Up to how many votes the curve goes: as many as half of the items have."""
    most = int(np.sort(n_votes)[(n_votes.size - 1) // 2])
    while most > 1 and comb(most + n_categories - 1, most) > MOST_WAYS:
        most -= 1
    return most


def combined_shares(counts: Ints, votes: int, method: str, scale: Scale) -> Floats:
    """How often each item gets each category when so many of its votes are picked and combined.

    Every way to pick them counts the same, and so does every rating that tied votes point to: a
    rule that gives ties no rating, or the middle one, would make even numbers of votes look better
    or worse than odd ones. An item with fewer votes uses what it has.
    """
    kinds, which = np.unique(counts, axis=0, return_inverse=True)
    found = np.array([_kind(tuple(kind.tolist()), votes, method, scale) for kind in kinds])
    return np.asarray(found[which.ravel()])


def _kind(kind: tuple[int, ...], votes: int, method: str, scale: Scale) -> Floats:
    """Sum over all parts of an item's votes, each as often as it can be picked."""
    picked = min(votes, sum(kind))
    answers = _answers(method, picked, len(kind), scale)
    total = comb(sum(kind), picked)
    shares = np.zeros(len(kind))
    for part in _parts(kind, picked):
        ways = prod(comb(have, take) for have, take in zip(kind, part, strict=True))
        shares += answers[part] * (ways / total)
    return shares


def _parts(kind: tuple[int, ...], picked: int) -> list[tuple[int, ...]]:
    """All ways to take so many votes from those that an item has."""
    if len(kind) == 1:
        return [(picked,)] if picked <= kind[0] else []
    return [
        (first, *rest)
        for first in range(min(kind[0], picked) + 1)
        for rest in _parts(kind[1:], picked - first)
    ]


@cache
def _answers(method: str, picked: int, size: int, scale: Scale) -> dict[tuple[int, ...], Floats]:
    """How each division of so many votes is shared by the ratings that the method finds for it."""
    ways = list(combinations_with_replacement(range(size), picked))
    categories: Sequence[Any] = scale.categories or ()
    rows = [[categories[number] for number in way] for way in ways]
    made = combine(Ratings.from_wide(rows, scale=scale, judges="slots"), method)
    shares = made.candidates / made.candidates.sum(axis=1, keepdims=True)
    return {
        tuple(way.count(number) for number in range(size)): share
        for way, share in zip(ways, shares, strict=True)
    }
