"""Who rates higher when two judges differ, and which judges stand apart from the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from covary.scales import Level
from covary.stats.patterns import Patterns

__all__ = ["Severity", "Suspect", "severity", "suspects"]

LOW, HIGH = 0.6, 0.7
"""A judge stands apart whose every pair stays below the one, while the partners' other pairs reach
the other in the middle."""


@dataclass(frozen=True)
class Severity:
    """How often the second of two judges rates higher, equal and lower, with a sign test's p."""

    judges: tuple[Any, Any]
    higher: int
    equal: int
    lower: int
    p: float

    @property
    def sentence(self) -> str:
        """Say who is higher when the two differ."""
        first, second = self.judges
        differ = self.higher + self.lower
        if not differ:
            return f"{first} and {second} never differ."
        if self.p >= 0.05:
            return f"When {first} and {second} differ, neither is higher as a rule."
        up = self.higher > self.lower
        who, times = (second, self.higher) if up else (first, self.lower)
        return (
            f"When {first} and {second} differ, {who} is higher in {times:,} of {differ:,} items."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as plain values."""
        return asdict(self) | {"sentence": self.sentence}


@dataclass(frozen=True)
class Suspect:
    """A judge whose correlations are low while those of the partners are high elsewhere."""

    judge: Any
    own: float
    partners: float

    @property
    def sentence(self) -> str:
        """Say why this judge stands apart."""
        return (
            f"{self.judge} correlates {self.own:.2f} with others on average, who correlate "
            f"{self.partners:.2f} among themselves: look at how {self.judge} read the criterion."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain values."""
        return asdict(self) | {"sentence": self.sentence}


def severity(patterns: Patterns, first: Any, second: Any) -> Severity:
    """Count how often the second judge rates higher than the first, item by item."""
    numbers = patterns.numbers(Level.ORDINAL)
    a, b = (patterns.judges.index(judge) for judge in (first, second))
    difference = numbers[:, b] - numbers[:, a]
    higher, equal, lower = (
        int(patterns.counts[which].sum())
        for which in (difference > 0, difference == 0, difference < 0)
    )
    return Severity((first, second), higher, equal, lower, _sign_test(higher, lower))


def suspects(pairs: Sequence[tuple[tuple[Any, Any], float]]) -> tuple[Suspect, ...]:
    """Find judges whose pairs are all low while their partners do well with others.

    `pairs` holds the correlation of each pair of judges. The partners of a judge are those who
    share a pair; their other pairs are those without this judge.
    """
    known = [(pair, value) for pair, value in pairs if value == value]
    found = []
    for judge in sorted({j for pair, _ in known for j in pair}, key=str):
        own = [value for pair, value in known if judge in pair]
        partners = {j for pair, _ in known if judge in pair for j in pair} - {judge}
        others = [v for pair, v in known if judge not in pair and partners & set(pair)]
        if others and max(own) < LOW and float(np.median(others)) >= HIGH:
            found.append(Suspect(judge, float(np.mean(own)), float(np.median(others))))
    return tuple(found)


def _sign_test(higher: int, lower: int) -> float:
    """The two-sided probability of so uneven a split if either were equally likely."""
    from scipy import special

    n, k = higher + lower, min(higher, lower)
    return float(min(1.0, 2 * special.bdtr(k, n, 0.5))) if n else 1.0
