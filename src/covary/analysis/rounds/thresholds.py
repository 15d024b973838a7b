"""When two ratings of one item differ so much that the judges should talk about it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from covary.errors import InvalidArgument
from covary.scales import Category, Level, Preference, Scale, YesNo

__all__ = ["POINTS", "RANKS", "differ", "distance", "threshold_of", "threshold_words"]

RANKS = 1
"""Ratings more than so many ranks apart differ significantly (Godwin & Piwek 2016)."""

POINTS = 0.2
"""On a line, ratings further apart than this share of it do: 20 points of 100."""


def threshold_of(scale: Scale, given: Any = None) -> float:
    """Return how far apart ratings on a scale may be before they are marked.

    It is `given`, or one rank where the scale has categories, a fifth of a line, and no distance
    at all where answers are right or wrong (yes or no, two preferences, unordered labels).

    Examples
    --------
    >>> from covary.scales import VerbalScale, VisualScale
    >>> threshold_of(VerbalScale([1, 2, 3, 4])), threshold_of(VisualScale()), threshold_of(YesNo())
    (1.0, 20.0, 0.0)
    """
    if given is not None:
        if (
            isinstance(given, bool)
            or not isinstance(given, int | float)
            or not 0 <= given < math.inf
        ):
            raise InvalidArgument(
                f"threshold={given!r} must be 0 or a positive number: ranks, or points on a line"
            )
        return float(given)
    if scale.categories is None:
        return POINTS * (scale.high - scale.low)
    few = isinstance(scale, YesNo | Preference) and len(scale.categories) == 2
    return 0.0 if few or scale.level is Level.NOMINAL else float(RANKS)


def distance(scale: Scale, one: Category, other: Category) -> float:
    """Return how far apart two ratings are: in ranks, or in points on a line.

    Unordered labels are 1 apart where they differ.
    """
    if scale.categories is None:
        return abs(float(one) - float(other))
    if scale.level is Level.NOMINAL:
        return float(one != other)
    return float(abs(scale.categories.index(one) - scale.categories.index(other)))


def differ(scale: Scale, ratings: Iterable[Category], threshold: float) -> bool:
    """Say whether any two of the ratings of an item are further apart than the threshold."""
    given = list(ratings)
    return any(
        distance(scale, one, other) > threshold
        for place, one in enumerate(given)
        for other in given[:place]
    )


def threshold_words(scale: Scale, threshold: float) -> str:
    """Say in words when ratings differ significantly: `more than one rank`."""
    if threshold == 0:
        return "any difference"
    if scale.categories is None:
        return f"more than {threshold:g} points on the line from {scale.low:g} to {scale.high:g}"
    return "more than one rank" if threshold == 1 else f"more than {threshold:g} ranks"


def given_threshold(threshold: float | Mapping[Any, float] | None, criterion: Any) -> float | None:
    """Return what the caller said of one criterion, where there may be one for each."""
    return threshold.get(criterion) if isinstance(threshold, Mapping) else threshold
