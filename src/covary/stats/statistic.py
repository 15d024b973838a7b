"""A coefficient as a function of how often each row (pattern, item or cluster) counts.

Resampling items only changes how often each row counts, so a statistic that can be evaluated
for many such counts at once is all that any interval needs.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from itertools import combinations

import numpy as np
import numpy.typing as npt

from covary.stats.patterns import Patterns

__all__ = [
    "ByGroup",
    "Fraction",
    "Linear",
    "PairFound",
    "PairTables",
    "Statistic",
    "combined",
    "judge_pairs",
    "pair_weights",
    "ratio",
]

Floats = npt.NDArray[np.float64]
Fraction = tuple[Floats, Floats]
"""A numerator and a denominator; the coefficient is undefined where the denominator is 0."""

PairFound = tuple[tuple[int, int], Floats, float, float]
"""A pair of judges, how often its items count, and its numerator and denominator."""

TINY = 1e-12

BLOCK = 4_000_000
"""The most numbers held at once while a statistic is evaluated."""


class Statistic(ABC):
    """A coefficient over rows that each count a number of times."""

    counts: Floats
    clusters: npt.NDArray[np.int64] | None = None
    floor = -math.inf
    """The lowest value that is possible."""
    cheap = False
    """Whether leaving out one row at a time costs no more than a few evaluations."""

    @abstractmethod
    def at(self, counts: Floats) -> Floats:
        """Evaluate for each line of `counts` (resamples × rows)."""

    def nudged(self, keep: float, add: float) -> Floats:
        """Evaluate at `keep` times all rows plus `add` times one row, for each row in turn."""
        mixed = keep * self.counts + add * np.eye(self.counts.size)
        return self.at(mixed)

    def with_judges(self, weights: Floats) -> Statistic:
        """Return the statistic when each judge counts a number of times (0 = not drawn)."""
        raise NotImplementedError

    def slopes(self) -> Floats | None:
        """Return how the value changes as each row counts more, where a formula is known."""
        return None

    @property
    def resamples_judges(self) -> bool:
        """Whether judges can be drawn too."""
        return type(self).with_judges is not Statistic.with_judges

    @property
    def value(self) -> float:
        """The coefficient for the ratings as they are."""
        return float(self.at(self.counts[None, :])[0])


class Linear(Statistic):
    """A coefficient that is a function of sums over rows.

    Parameters
    ----------
    sums
        What each row adds: rows × quantities.
    finish
        The coefficient from the totals (the last axis holds the quantities).
    rebuild
        Makes the statistic anew for other judge weights, where judges can be drawn.
    """

    cheap = True

    def __init__(
        self,
        patterns: Patterns,
        sums: Floats,
        finish: Callable[[Floats], Floats],
        rebuild: Callable[[Floats], Linear] | None = None,
    ) -> None:
        self.counts = patterns.counts.astype(float)
        self.clusters = patterns.clusters
        self.patterns, self.sums, self.finish, self.rebuild = patterns, sums, finish, rebuild

    @property
    def total(self) -> Floats:
        """The sums over all rows."""
        return self.counts @ self.sums

    def at(self, counts: Floats) -> Floats:
        return self.finish(counts @ self.sums)

    def nudged(self, keep: float, add: float) -> Floats:
        return self.finish(keep * self.total + add * self.sums)

    def with_judges(self, weights: Floats) -> Linear:
        if self.rebuild is None:
            raise NotImplementedError
        return self.rebuild(weights)

    @property
    def resamples_judges(self) -> bool:
        return self.rebuild is not None


class ByGroup(Statistic):
    """Another statistic with groups of rows for rows: whole groups are drawn or left out."""

    def __init__(self, inner: Statistic, groups: npt.NDArray[np.int64]) -> None:
        self.inner = inner
        self.groups = np.unique(groups, return_inverse=True)[1]
        self.counts = np.ones(int(self.groups.max()) + 1)

    def at(self, counts: Floats) -> Floats:
        size = max(1, BLOCK // self.groups.size)
        blocks = [counts[start : start + size] for start in range(0, len(counts), size)]
        return np.concatenate(
            [self.inner.at(b[:, self.groups] * self.inner.counts) for b in blocks]
        )


class PairTables(Statistic):
    """A coefficient of two judges, averaged over pairs of judges, from their cross tables.

    Parameters
    ----------
    coefficient
        Numerator and denominator from tables (… × categories × categories).
    combine
        `"mean"` of the pairs' values, `"fisher-z"` mean, or `"pooled"`: the ratio of the sums of
        numerators and denominators.
    """

    cheap = True
    floor = -1.0

    def __init__(
        self,
        patterns: Patterns,
        coefficient: Callable[[Floats], Fraction],
        combine: str = "mean",
        judge_weights: Floats | None = None,
    ) -> None:
        self.counts = patterns.counts.astype(float)
        self.clusters = patterns.clusters
        self.patterns, self.coefficient, self.combine = patterns, coefficient, combine
        self.pairs = judge_pairs(patterns)
        self.weights = pair_weights(self.pairs, judge_weights)

    def tables(self, pair: tuple[int, int], counts: Floats) -> Floats:
        """Cross-tabulate a pair of judges for each line of counts."""
        k = self.patterns.n_values
        cell = self._cells(pair)
        both = np.flatnonzero(cell >= 0)
        if len(counts) == 1:
            flat = np.bincount(cell[both], counts[0, both], minlength=k * k)
            return flat.reshape(1, k, k).astype(float)
        which = np.zeros((both.size, k * k))
        which[np.arange(both.size), cell[both]] = 1
        return (counts[:, both] @ which).reshape(-1, k, k)

    def at(self, counts: Floats) -> Floats:
        parts = [self.coefficient(self.tables(pair, counts)) for pair in self._drawn()]
        return self._combined(parts, len(counts))

    def nudged(self, keep: float, add: float) -> Floats:
        k = self.patterns.n_values
        moves = np.concatenate([np.eye(k * k), np.zeros((1, k * k))]).reshape(-1, k, k)
        parts = []
        for pair in self._drawn():
            whole = self.tables(pair, self.counts[None, :])
            above, below = self.coefficient(keep * whole + add * moves)
            cell = self._cells(pair)
            parts.append((above[cell], below[cell]))
        return self._combined(parts, self.counts.size)

    def with_judges(self, weights: Floats) -> PairTables:
        return PairTables(self.patterns, self.coefficient, self.combine, weights)

    @cached_property
    def each(self) -> list[PairFound]:
        """For each pair of judges, its table, numerator and denominator."""
        found: list[PairFound] = []
        for pair in self.pairs:
            table = self.tables(pair, self.counts[None, :])
            above, below = self.coefficient(table)
            found.append((pair, table[0], float(above[0]), float(below[0])))
        return found

    def _cells(self, pair: tuple[int, int]) -> npt.NDArray[np.int64]:
        first, second = (self.patterns.codes[:, judge].astype(np.int64) for judge in pair)
        return np.where((first >= 0) & (second >= 0), first * self.patterns.n_values + second, -1)

    def _drawn(self) -> list[tuple[int, int]]:
        return [pair for pair, weight in zip(self.pairs, self.weights, strict=True) if weight]

    def _combined(self, parts: list[Fraction], size: int) -> Floats:
        return combined(parts, self.weights[self.weights > 0], self.combine, size)


def combined(parts: list[Fraction], weights: Floats, combine: str, size: int) -> Floats:
    """Bring the pairs' fractions to one value for each line; NaN where no pair has one."""
    if not parts:
        return np.full(size, np.nan)
    above = np.column_stack([part[0] for part in parts])
    below = np.column_stack([part[1] for part in parts])
    if combine == "pooled":
        return ratio(above @ weights, below @ weights)
    values = ratio(above, below)
    if combine == "fisher-z":
        values = np.arctanh(np.clip(values, -1 + 1e-15, 1 - 1e-15))
    known = ~np.isnan(values)
    mean = ratio(np.where(known, values, 0) @ weights, known @ weights)
    return np.tanh(mean) if combine == "fisher-z" else mean


def judge_pairs(patterns: Patterns) -> list[tuple[int, int]]:
    """Return the pairs of judges who share at least one item."""
    rated = patterns.rated.astype(np.float32)
    shared = rated.T @ rated
    return [(a, b) for a, b in combinations(range(len(patterns.judges)), 2) if shared[a, b]]


def ratio(above: Floats, below: Floats) -> Floats:
    """Divide, with NaN where the denominator is 0 but for rounding."""
    small = ~(below > TINY)
    return np.where(small, np.nan, above / np.where(small, 1.0, below))


def pair_weights(pairs: list[tuple[int, int]], judge_weights: Floats | None) -> Floats:
    """Return how much each pair of judges counts when judges were drawn several times."""
    if judge_weights is None:
        return np.ones(len(pairs))
    return np.array([judge_weights[a] * judge_weights[b] for a, b in pairs], dtype=float)
