"""One door to every way of combining votes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from covary.aggregate.aggregated import Aggregated
from covary.aggregate.banchs_a import banchs_a
from covary.aggregate.banchs_b import banchs_b
from covary.aggregate.dawid_skene import dawid_skene
from covary.aggregate.glad import glad
from covary.aggregate.mace import mace
from covary.aggregate.majority import majority
from covary.aggregate.mean import mean
from covary.aggregate.median import median
from covary.aggregate.one_coin import one_coin
from covary.errors import InvalidArgument, choose, listed, meant
from covary.ratings import Ratings

__all__ = ["METHODS", "combine", "options_of"]

Method = Callable[..., Aggregated]

METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "banchs-a": banchs_a,
        "banchs-b": banchs_b,
        "majority": majority,
        "median": median,
        "mean": mean,
        "dawid-skene": dawid_skene,
        "one-coin": one_coin,
        "mace": mace,
        "glad": glad,
    }
)
"""The ways to combine votes, by name."""


def combine(ratings: Ratings, method: str, **options: Any) -> Aggregated:
    """Combine the votes on each item into one rating.

    Parameters
    ----------
    ratings
        The votes.
    method
        `"banchs-a"`, `"banchs-b"`, `"majority"`, `"median"`, `"mean"`, `"dawid-skene"`,
        `"one-coin"`, `"mace"` or `"glad"`; there is no default, because it matters.
    options
        What the method takes, such as `criterion`, `ties`, `smoothing` and `seed`.

    Returns
    -------
    Aggregated
        One rating per item with its certainty, all ties, and how the method got there.

    Examples
    --------
    >>> votes = Ratings.from_wide([[3, 3, 1], [3, 1, 1], [2, 2, 1]], scale="1-3")
    >>> combine(votes, "banchs-a").ratings, combine(votes, "banchs-b").ratings
    ((2, 2, 2), (3, 1, 2))
    """
    name = str(method).replace("_", "-")
    if name not in METHODS:
        raise InvalidArgument(f"method={method!r} is not known; {choose(name, METHODS)}")
    known = options_of(name)
    unknown = [option for option in options if option not in known]
    if unknown:
        raise InvalidArgument(
            f"{name} has no option {listed(unknown)}; it takes {listed(known, 20)}"
            f"{meant(unknown[0], known)}"
        )
    return METHODS[name](ratings, **options)


def options_of(method: str) -> tuple[str, ...]:
    """Return the names of the options that a method takes."""
    return tuple(list(inspect.signature(METHODS[method]).parameters)[1:])
