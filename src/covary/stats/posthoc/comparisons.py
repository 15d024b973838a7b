"""The result of comparing all pairs of systems."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument, listed
from covary.stats.plain import plain
from covary.stats.posthoc.letters import compact_letters

__all__ = ["PROCEDURES", "Comparisons", "Pair", "check_alpha", "check_procedure", "paired"]

Floats = npt.NDArray[np.float64]

PROCEDURES: Mapping[str, str] = MappingProxyType(
    {
        "tukey": "Tukey's honestly significant difference",
        "scheffe": "Scheffé's test",
        "lsd": "least significant difference (no adjustment)",
        "bonferroni": "t tests with Bonferroni's adjustment",
        "holm": "t tests with Holm's adjustment",
        "bh": "t tests with Benjamini & Hochberg's adjustment (false discovery rate)",
        "games-howell": "Games & Howell's test (unequal variances)",
        "nemenyi": "Nemenyi's test of mean ranks after Friedman",
        "dunn": "Dunn's test of mean ranks after Kruskal & Wallis",
    }
)
"""The procedures by the name they are asked for, in words."""


@dataclass(frozen=True)
class Pair:
    """Two systems, by their place in the list, and how far apart they are.

    `difference` is the first less the second. `low` and `high` hold it together with all other
    pairs; they are None where the procedure has no simultaneous interval. `p` is that of the pair
    by itself, `p_adjusted` that of the procedure, `statistic` what the procedure compares with its
    critical value.
    """

    first: int
    second: int
    difference: float
    low: float | None
    high: float | None
    p: float
    p_adjusted: float
    significant: bool
    statistic: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; NaN becomes None."""
        return dict(plain(self))


@dataclass(frozen=True)
class Comparisons:
    """All pairs of systems under one procedure and one error term, both named in words.

    `places` are the means (or mean ranks) that are compared, in the order of the systems.
    `critical` is the value that the pairs' statistics are compared with, NaN where each has its
    own.
    """

    procedure: str
    error: str
    pairs: tuple[Pair, ...]
    alpha: float
    places: tuple[float, ...]
    critical: float = math.nan
    notes: tuple[str, ...] = ()

    @property
    def n_pairs(self) -> int:
        """How many pairs there are."""
        return len(self.pairs)

    @cached_property
    def n_significant(self) -> int:
        """How many pairs differ significantly."""
        return sum(pair.significant for pair in self.pairs)

    @cached_property
    def letters(self) -> tuple[str, ...]:
        """Letters for each system: two share one exactly if they do not differ significantly.

        The letter a belongs to the highest mean (Piepho 2004). None where the pairs fall into so
        many groups that letters would say nothing.
        """
        apart = [(pair.first, pair.second) for pair in self.pairs if pair.significant]
        return compact_letters(apart, self.places)

    def pair(self, first: int, second: int) -> Pair:
        """Return the comparison of two systems, by their place in the list."""
        for pair in self.pairs:
            if {pair.first, pair.second} == {first, second}:
                return pair
        raise InvalidArgument(f"there is no pair of systems {first} and {second}")

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; NaN becomes None."""
        return dict(plain(self)) | {
            "n_pairs": self.n_pairs,
            "n_significant": self.n_significant,
            "letters": list(self.letters),
        }


def paired(
    places: Floats,
    *,
    p: Floats,
    p_adjusted: Floats,
    statistic: Floats,
    alpha: float,
    half_width: Floats | None = None,
) -> tuple[Pair, ...]:
    """Write down all pairs, the first system with each later one, then the second …"""
    first, second = np.triu_indices(places.size, 1)
    difference = places[first] - places[second]
    low = [None] * first.size if half_width is None else (difference - half_width).tolist()
    high = [None] * first.size if half_width is None else (difference + half_width).tolist()
    with np.errstate(invalid="ignore"):
        significant = p_adjusted <= alpha
    columns = (
        first.tolist(), second.tolist(), difference.tolist(), low, high, p.tolist(),
        p_adjusted.tolist(), significant.tolist(), statistic.tolist(),
    )  # fmt: skip
    return tuple(Pair(*row) for row in zip(*columns, strict=True))


def check_alpha(alpha: float) -> None:
    """Refuse an error rate that is none."""
    if not 0 < alpha < 1:
        raise InvalidArgument(f"alpha={alpha!r} must lie between 0 and 1, such as 0.05")


def check_procedure(procedure: str, allowed: tuple[str, ...]) -> None:
    """Refuse a procedure that is not known or not for this kind of comparison."""
    if procedure not in allowed:
        raise InvalidArgument(
            f"procedure={procedure!r} is not one of {listed(allowed)}"
            + ("; it has a function of its own" if procedure in PROCEDURES else "")
        )
