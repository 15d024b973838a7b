"""Which scale would the judges rather work with?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from covary.errors import InvalidArgument, listed
from covary.stats.distributions import chi2_tail
from covary.stats.plain import plain

__all__ = ["Preferences", "preferences"]


@dataclass(frozen=True)
class Preferences:
    """How many judges prefer each scale; `p` tests that all are preferred equally often."""

    counts: Mapping[str, int]
    undecided: int
    p: float
    test: str

    @property
    def n(self) -> int:
        """How many judges prefer one of the scales."""
        return sum(self.counts.values())

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        own: dict[str, Any] = plain(self)
        return own


def preferences(given: Mapping[Any, Any] | None, experiments: Sequence[str]) -> Preferences | None:
    """Count what each judge said; an empty answer is undecided."""
    if not given:
        return None
    said = ["" if answer is None else str(answer).strip() for answer in given.values()]
    strange = sorted({answer for answer in said if answer and answer not in experiments})
    if strange:
        raise InvalidArgument(
            f"preference names {listed(strange)}, but the experiments are {listed(experiments)}; "
            "write their names, or nothing for judges who do not mind"
        )
    counts = {name: said.count(name) for name in experiments}
    n = sum(counts.values())
    two = len(experiments) == 2
    return Preferences(
        counts,
        said.count(""),
        _binomial(max(counts.values()), n) if two else _equal(list(counts.values())),
        "exact binomial test" if two else "chi-square test",
    )


def _binomial(most: int, n: int) -> float:
    """The two-sided p of so many of n or more, when both are equally likely."""
    if not n:
        return math.nan
    tail = sum(math.comb(n, number) for number in range(most, n + 1)) / 2**n
    return min(1.0, float(2 * tail))


def _equal(counts: Sequence[int]) -> float:
    n, k = sum(counts), len(counts)
    if not n:
        return math.nan
    return chi2_tail(sum((count - n / k) ** 2 for count in counts) * k / n, k - 1)
