"""One door to every way of combining votes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from covary.aggregate.banchs import banchs_a, banchs_b
from covary.aggregate.counting import majority, mean, median
from covary.aggregate.glad import glad
from covary.aggregate.large import LargeAggregated, combine_large, stays
from covary.aggregate.models import dawid_skene, mace, one_coin
from covary.aggregate.result import Aggregated
from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.stats.coefficient import check_ratings

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


def combine(ratings: Ratings, method: str, **options: Any) -> Aggregated | LargeAggregated:
    """Combine the votes on each item into one rating.

    Parameters
    ----------
    ratings
        The votes.
    method
        `"banchs-a"`, `"banchs-b"`, `"majority"`, `"median"`, `"mean"`, `"dawid-skene"`,
        `"one-coin"`, `"mace"` or `"glad"`; there is no default, because the choice matters.
    options
        What the method takes, such as `criterion`, `ties`, `smoothing` and `seed`.

    Returns
    -------
    Aggregated
        One rating per item with its certainty, all ties, and how the method got there. For more
        items or votes than fit into memory, a `LargeAggregated`: the same as a table in the engine
        that holds the votes.

    Examples
    --------
    >>> votes = Ratings.from_wide([[3, 3, 1], [3, 1, 1], [2, 2, 1]], scale="1-3")
    >>> combine(votes, "banchs-a").ratings, combine(votes, "banchs-b").ratings
    ((2, 2, 2), (3, 1, 2))
    """
    name = str(method).replace("_", "-")
    if name not in METHODS:
        raise InvalidArgument("aggregate.unknown", argument="method", value=method, allowed=METHODS)
    known = options_of(name)
    unknown = [option for option in options if option not in known]
    if unknown:
        raise InvalidArgument(
            "aggregate.no-such-option", method=name, names=unknown, value=unknown[0], allowed=known
        )
    check_ratings(name, ratings)
    if stays(ratings, name):
        return combine_large(ratings, name, METHODS[name], options)
    return METHODS[name](ratings, **options)


def options_of(method: str) -> tuple[str, ...]:
    """Return the names of the options that a method takes."""
    return tuple(list(inspect.signature(METHODS[method]).parameters)[1:])
