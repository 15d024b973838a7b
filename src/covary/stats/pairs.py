"""Coefficients of two judges on many distinct ratings, averaged over pairs of judges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.stats.patterns import Patterns
from covary.stats.question import Question
from covary.stats.statistic import (
    TINY,
    Fraction,
    PairTables,
    Statistic,
    combined,
    judge_pairs,
    pair_weights,
    ratio,
)

__all__ = ["MOST_TABULATED", "PairRows", "pair_statistic", "pair_values", "undefined_pairs"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
OfTable = Callable[[Floats], Fraction]
OfRows = Callable[[Ints, Ints, Floats], tuple[float, float]]

MOST_TABULATED = 16
"""With more categories than this the judges' cross tables are no longer formed."""

FEW_ROWS = 2000
"""Up to so many rows a bootstrap that evaluates every resample anew is quick enough."""


class PairRows(Statistic):
    """A mean over pairs of judges of a coefficient that is evaluated from the rows themselves."""

    def __init__(
        self,
        patterns: Patterns,
        coefficient: OfRows,
        combine: str = "mean",
        judge_weights: Floats | None = None,
    ) -> None:
        self.counts, self.clusters = patterns.counts.astype(float), patterns.clusters
        self.patterns, self.coefficient, self.combine = patterns, coefficient, combine
        self.pairs = judge_pairs(patterns)
        self.weights = pair_weights(self.pairs, judge_weights)

    def at(self, counts: Floats) -> Floats:
        parts = [
            self._fractions(pair, counts)
            for pair, weight in zip(self.pairs, self.weights, strict=True)
            if weight
        ]
        return combined(parts, self.weights[self.weights > 0], self.combine, len(counts))

    def with_judges(self, weights: Floats) -> PairRows:
        return PairRows(self.patterns, self.coefficient, self.combine, weights)

    def each(self) -> list[tuple[tuple[int, int], float, float, float]]:
        """Return, for each pair of judges, its common items, numerator and denominator."""
        found = []
        for pair in self.pairs:
            common = self.counts[self.patterns.rated[:, list(pair)].all(axis=1)].sum()
            above, below = self._fractions(pair, self.counts[None, :])
            found.append((pair, float(common), float(above[0]), float(below[0])))
        return found

    def _fractions(self, pair: tuple[int, int], counts: Floats) -> Fraction:
        both = self.patterns.rated[:, list(pair)].all(axis=1)
        first, second = (self.patterns.codes[both, judge].astype(np.int64) for judge in pair)
        found = np.array([self.coefficient(first, second, line[both]) for line in counts])
        return found[:, 0], found[:, 1]


def pair_statistic(
    patterns: Patterns, of_table: OfTable, of_rows: OfRows, combine: str = "mean"
) -> PairTables | PairRows:
    """Choose cross tables for few categories and the rows themselves for many."""
    if patterns.n_values <= MOST_TABULATED:
        return PairTables(patterns, of_table, combine)
    return PairRows(patterns, of_rows, combine)


def pair_default(statistic: Statistic) -> str:
    """Choose the interval for a mean over pairs: the bootstrap, unless it would take long."""
    quick = isinstance(statistic, PairTables) or statistic.counts.size <= FEW_ROWS
    return "bootstrap" if quick else "jackknife"


def pair_values(
    patterns: Patterns, each: Sequence[tuple[tuple[int, int], Any, float, float]]
) -> tuple[dict[str, Any], ...]:
    """Write down what every pair of judges has in common and its value."""
    return tuple(
        {
            "judges": (patterns.judges[a], patterns.judges[b]),
            "items": round(float(np.sum(common))),
            "value": float(ratio(np.array(above), np.array(below))),
        }
        for (a, b), common, above, below in each
    )


def undefined_pairs(each: Sequence[tuple[tuple[int, int], Any, float, float]]) -> list[str]:
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
