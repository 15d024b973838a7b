"""Coefficients of two judges on many distinct ratings, averaged over pairs of judges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from covary.stats.crossed import CrossedTables
from covary.stats.patterns import Patterns
from covary.stats.question import Question
from covary.stats.statistic import (
    TINY,
    Fraction,
    PairFound,
    PairTables,
    Statistic,
    combined,
    judge_pairs,
    pair_weights,
    ratio,
)

__all__ = [
    "FEW_ROWS",
    "OfTable",
    "PairRows",
    "RowCoefficient",
    "pair_default",
    "pair_statistic",
    "pair_tables",
    "pair_values",
    "undefined_pairs",
    "why_undefined",
]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
OfTable = Callable[[Floats], Fraction]

MOST_TABULATED = 16
"""With more categories than this the judges' cross tables are no longer formed."""

FEW_ROWS, VERY_FEW_ROWS = 2000, 200
"""Up to so many rows it is quick to leave out each in turn, and to evaluate every resample anew."""


class RowCoefficient(Protocol):
    """A coefficient of two judges from their ratings (whole numbers in scale order), item by item.

    `measure` does the long work, `fraction` reads numerator and denominator off it, and `slopes`
    says how both change as each item counts more.
    """

    def measure(self, first: Ints, second: Ints, counts: Floats) -> Any: ...

    def fraction(self, measured: Any) -> tuple[float, float]: ...

    def slopes(self, first: Ints, second: Ints, counts: Floats) -> Fraction: ...


class PairRows(Statistic):
    """A mean over pairs of judges of a coefficient that is evaluated from the rows themselves."""

    floor = -1.0

    def __init__(
        self,
        patterns: Patterns,
        coefficient: RowCoefficient,
        combine: str = "mean",
        judge_weights: Floats | None = None,
    ) -> None:
        self.counts, self.clusters = patterns.counts.astype(float), patterns.clusters
        self.patterns, self.coefficient, self.combine = patterns, coefficient, combine
        self.pairs = judge_pairs(patterns)
        self.weights = pair_weights(self.pairs, judge_weights)

    @cached_property
    def value(self) -> float:
        """The coefficient for the ratings as they are."""
        parts = [(np.array([above]), np.array([below])) for _, _, above, below in self.each]
        return float(combined(parts, self.weights, self.combine, 1)[0])

    def at(self, counts: Floats) -> Floats:
        drawn = [p for p, weight in zip(self.pairs, self.weights, strict=True) if weight]
        parts = []
        for pair in drawn:
            first, second, both = self._common(pair)
            measured = (self.coefficient.measure(first, second, line[both]) for line in counts)
            lines = [self.coefficient.fraction(each) for each in measured]
            parts.append((np.array([x for x, _ in lines]), np.array([x for _, x in lines])))
        return combined(parts, self.weights[self.weights > 0], self.combine, len(counts))

    def with_judges(self, weights: Floats) -> PairRows:
        return PairRows(self.patterns, self.coefficient, self.combine, weights)

    @cached_property
    def measured(self) -> list[Any]:
        """What was measured of each pair of judges, for the ratings as they are."""
        common = ((*self._common(pair),) for pair in self.pairs)
        return [self.coefficient.measure(a, b, self.counts[both]) for a, b, both in common]

    @cached_property
    def each(self) -> list[PairFound]:
        """For each pair of judges, its common items, numerator and denominator."""
        return [
            (pair, self.counts[self._common(pair)[2]], *self.coefficient.fraction(measured))
            for pair, measured in zip(self.pairs, self.measured, strict=True)
        ]

    def slopes(self) -> Floats:
        """How the value changes as each row counts more."""
        total = np.zeros(self.counts.size)
        whole = sum(below for *_, below in self.each)
        known = sum(below > TINY for *_, below in self.each)
        for pair, counts, above, below in self.each:
            if below > TINY:
                first, second, both = self._common(pair)
                up, down = self.coefficient.slopes(first, second, counts)
                value = self.value if self.combine == "pooled" else above / below
                share = below / whole if self.combine == "pooled" else self._share(value) / known
                total[both] += share * (up - value * down) / below
        return total

    def _share(self, value: float) -> float:
        """How the combined value changes with one pair's value, but for the number of pairs."""
        return (1 - self.value**2) / max(1 - value**2, TINY) if self.combine == "fisher-z" else 1.0

    def _common(self, pair: tuple[int, int]) -> tuple[Ints, Ints, Any]:
        both = self.patterns.rated[:, list(pair)].all(axis=1)
        first, second = (self.patterns.codes[both, judge].astype(np.int64) for judge in pair)
        return first, second, both


def pair_statistic(
    patterns: Patterns, of_table: OfTable, of_rows: RowCoefficient, combine: str = "mean"
) -> PairTables | PairRows:
    """Choose cross tables for few categories and the rows themselves for many."""
    if patterns.crossed is not None or patterns.n_values <= MOST_TABULATED:
        return pair_tables(patterns, of_table, combine)
    return PairRows(patterns, of_rows, combine)


def pair_tables(patterns: Patterns, of_table: OfTable, combine: str = "mean") -> PairTables:
    """Take the judges' cross tables as the engine counted them, or form them from patterns."""
    made = PairTables if patterns.crossed is None else CrossedTables
    return made(patterns, of_table, combine)


def pair_default(statistic: Statistic) -> str:
    """Choose the interval for a mean over pairs: the bootstrap, unless it would take long."""
    few = 5 * FEW_ROWS if statistic.cheap else VERY_FEW_ROWS
    return "bootstrap" if statistic.counts.size <= few else "analytic"


def pair_values(patterns: Patterns, each: Sequence[PairFound]) -> tuple[dict[str, Any], ...]:
    """Write down what every pair of judges has in common and its value."""
    return tuple(
        {
            "judges": (patterns.judges[a], patterns.judges[b]),
            "items": round(float(np.sum(common))),
            "value": float(ratio(np.array(above), np.array(below))),
        }
        for (a, b), common, above, below in each
    )


def undefined_pairs(each: Sequence[PairFound]) -> list[str]:
    """Note how many pairs of judges have no value."""
    undefined = sum(1 for _, _, _, below in each if below <= TINY)
    if not undefined or len(each) == 1:
        return []
    return [
        f"undefined for {undefined} of {len(each)} pairs of judges, which are left out of the mean"
    ]


def why_undefined(question: Question) -> str:
    """Say why a correlation has no value, where judges share items."""
    patterns = question.patterns
    if not patterns.n_items:
        return "no item was rated by two judges"
    if patterns.crossed is not None:
        return "no pair of judges varies on the items that both rated"
    constant = [
        str(judge)
        for place, judge in enumerate(patterns.judges)
        if np.unique(patterns.codes[patterns.rated[:, place], place]).size == 1
    ]
    if constant:
        return (
            f"{', '.join(constant)} gave every item the same rating, so nothing can covary with it"
        )
    return "no two items are ordered by two judges (all pairs of items are tied)"
