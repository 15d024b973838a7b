"""When two ratings differ, the share of items that do, and the change from one round to another."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from covary.errors import InvalidArgument
from covary.scales import Category, Level, Scale
from covary.stats.distributions import wilson
from covary.stats.estimate import Estimate, Result
from covary.words import Note

MOVER = "recovered from both intervals (Zou & Donner 2008)"


def as_dict(result: Any) -> dict[str, Any] | None:
    """Return the plain values of a result, None where there is none."""
    return None if result is None else result.to_dict()


@dataclass(frozen=True)
class RoundsOptions:
    """What the caller wants to know of every round."""

    level: Level | None
    confidence: float
    resamples: int
    seed: int

    def keywords(self, criterion: Any) -> dict[str, Any]:
        """The keywords of a coefficient with its interval."""
        own = {"confidence": self.confidence, "resamples": self.resamples, "rng": self.seed}
        return {"criterion": criterion, **own}


def threshold_of(scale: Scale, threshold: Any = None) -> float:
    """Return how far apart ratings on a scale may be before they are marked.

    It is `threshold`, or one rank where the scale has categories, a fifth of a line, and no
    distance at all where answers are right or wrong (yes or no, two preferences, unordered labels).

    Examples
    --------
    >>> from covary.scales import VerbalScale, VisualScale, YesNo
    >>> threshold_of(VerbalScale([1, 2, 3, 4])), threshold_of(VisualScale()), threshold_of(YesNo())
    (1.0, 20.0, 0.0)
    """
    if threshold is not None:
        number = isinstance(threshold, int | float) and not isinstance(threshold, bool)
        if not number or not 0 <= threshold < math.inf:
            raise InvalidArgument("rounds.threshold", argument="threshold", value=threshold)
        return float(threshold)
    return scale.threshold()


def distance(scale: Scale, first: Category, second: Category) -> float:
    """Return how far apart two ratings are: in ranks, or in points on a line.

    Unordered labels are 1 apart where they differ.
    """
    if scale.categories is None:
        return abs(float(first) - float(second))
    if scale.level is Level.NOMINAL:
        return float(first != second)
    return float(abs(scale.categories.index(first) - scale.categories.index(second)))


def differ(scale: Scale, ratings: Iterable[Category], threshold: float) -> bool:
    """Say whether any two of the ratings of an item are further apart than the threshold."""
    pairs = combinations(list(ratings), 2)
    return any(distance(scale, first, second) > threshold for first, second in pairs)


def threshold_words(scale: Scale, threshold: float) -> Note:
    """Say in words when ratings differ significantly: `more than one rank`."""
    line = (scale.low, scale.high) if scale.categories is None else None
    return Note("rounds.differs", threshold=threshold, line=line)


def criterion_threshold(
    threshold: float | Mapping[Any, float] | None, criterion: Any
) -> float | None:
    """Return what the caller gave for one criterion, where there may be one for each."""
    return threshold.get(criterion) if isinstance(threshold, Mapping) else threshold


@dataclass(frozen=True, kw_only=True)
class ItemShare(Result):
    """How many of how many, as a share with its interval (Wilson 1927); NaN of none.

    Examples
    --------
    >>> share = ItemShare.of(81, 263)  # Newcombe (1998), Table I: .2553 to .3662
    >>> print(f"{share.low:.4f} {share.high:.4f}")
    0.2553 0.3662
    """

    number: int
    of_all: int
    value: float
    low: float
    high: float
    confidence: float

    @classmethod
    def of(cls, number: int, of_all: int, confidence: float = 0.95) -> ItemShare:
        """Count so many of so many."""
        value = low = high = math.nan
        if of_all:
            value = number / of_all
            low, high = wilson(value, of_all, confidence)
        ends = {"value": value, "low": low, "high": high, "confidence": confidence}
        return cls(number=number, of_all=of_all, **ends)


@dataclass(frozen=True, kw_only=True)
class Gap(Result):
    """How much a number changed, with its interval and how that was found."""

    value: float
    low: float
    high: float
    confidence: float
    method: str

    @property
    def clear(self) -> bool:
        """Whether the interval excludes no change."""
        return self.low > 0 or self.high < 0

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; NaN becomes None."""
        return super().to_dict() | {"clear": self.clear}


def gap_of(
    before: tuple[float, float, float], after: tuple[float, float, float], confidence: float
) -> Gap:
    """Return after less before, each given as value, low and high, from different items.

    The squared distances from a value to an end of its interval are added. With Wilson's
    intervals this is Newcombe's (1998) interval for the difference of two shares.

    Examples
    --------
    >>> first, second = ItemShare.of(48, 80), ItemShare.of(56, 70)  # Newcombe (1998 b), Table II
    >>> gap = share_gap(first, second)  # 56/70 - 48/80: .0524 to .3339
    >>> print(f"{gap.value:.4f} {gap.low:.4f} {gap.high:.4f}")
    0.2000 0.0524 0.3339
    """
    (b, b_low, b_high), (a, a_low, a_high) = before, after
    low = a - b - math.hypot(a - a_low, b_high - b)
    high = a - b + math.hypot(a_high - a, b - b_low)
    return Gap(value=a - b, low=low, high=high, confidence=confidence, method=MOVER)


def share_gap(before: ItemShare, after: ItemShare) -> Gap:
    """Return the difference of two shares of different items."""
    first, second = ((share.value, share.low, share.high) for share in (before, after))
    return gap_of(first, second, after.confidence)


def estimate_gap(before: Estimate, after: Estimate, confidence: float) -> Gap | None:
    """Return the difference of two estimates from different items, where both have intervals."""
    if before.interval is None or after.interval is None:
        return None
    return gap_of(
        (before.value, before.interval.low, before.interval.high),
        (after.value, after.interval.low, after.interval.high),
        confidence,
    )
