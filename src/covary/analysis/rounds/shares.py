"""A share with Wilson's interval, and the difference of two estimates from different items."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from covary.stats.distributions import normal_quantile
from covary.stats.plain import plain

__all__ = ["Gap", "Share", "gap_of"]


@dataclass(frozen=True)
class Share:
    """How many of how many, as a share with its interval (Wilson 1927); NaN of none.

    Examples
    --------
    >>> share = Share.of(81, 263)  # Newcombe (1998), Table I: .2553 to .3662
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
    def of(cls, number: int, of_all: int, confidence: float = 0.95) -> Share:
        """Count so many of so many."""
        if not of_all:
            return cls(number, of_all, math.nan, math.nan, math.nan, confidence)
        z = normal_quantile((1 + confidence) / 2)
        p, n = number / of_all, of_all
        centre = (p + z * z / (2 * n)) / (1 + z * z / n)
        margin = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        low = 0.0 if number == 0 else centre - margin
        high = 1.0 if number == of_all else centre + margin
        return cls(number, of_all, p, low, high, confidence)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; NaN becomes None."""
        return dict(plain(self))


@dataclass(frozen=True)
class Gap:
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
        return dict(plain(self)) | {"clear": self.clear}


MOVER = "recovered from both intervals (Zou & Donner 2008)"


def gap_of(
    before: tuple[float, float, float], after: tuple[float, float, float], confidence: float
) -> Gap:
    """Return after less before, each given as value, low and high, from different items.

    The squared distances from a value to an end of its interval are added. With Wilson's
    intervals this is Newcombe's (1998) interval for the difference of two shares.

    Examples
    --------
    >>> first, second = Share.of(48, 80), Share.of(56, 70)  # Newcombe (1998 b), Table II, 56/70
    >>> gap = gap_of(
    ...     (first.value, first.low, first.high), (second.value, second.low, second.high), 0.95
    ... )
    >>> print(f"{gap.value:.4f} {gap.low:.4f} {gap.high:.4f}")  # - 48/80: .0524 to .3339
    0.2000 0.0524 0.3339
    """
    (b, b_low, b_high), (a, a_low, a_high) = before, after
    low = a - b - math.hypot(a - a_low, b_high - b)
    high = a - b + math.hypot(a_high - a, b - b_low)
    return Gap(a - b, low, high, confidence, MOVER)
