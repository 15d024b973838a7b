"""A coefficient as a function of how often each row (pattern, item or cluster) counts.

Resampling items only changes how often each row counts, so a statistic that can be evaluated
for many such counts at once is all that any interval needs.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from covary.stats.patterns import Patterns

Floats = npt.NDArray[np.float64]
Fraction = tuple[Floats, Floats]
"""A numerator and a denominator; the coefficient is undefined where the denominator is 0."""

TINY = 1e-12

ROUNDING = 1e-12
"""A sum of squares that is smaller than this share of the whole is 0 but for rounding."""

JUDGE_GROUPS = 40
"""In at most so many groups judges are left out, where each evaluation costs a pass."""

BLOCK = 4_000_000
"""The most numbers held at once while a statistic is evaluated."""


class Statistic(ABC):
    """A coefficient over rows that each count a number of times."""

    patterns: Patterns
    counts: Floats
    clusters: npt.NDArray[np.int64] | None = None
    floor = -math.inf
    """The lowest value that is possible."""
    ceiling = 1.0
    """The highest; beyond 1 no interval on Fisher's scale is made."""
    smooths = False
    """Whether pseudo-items can be added."""
    metric = False
    """Whether it counts how far ratings lie apart."""
    graded = False
    """Whether a near miss counts less than a far one, so that it matters how far judges differ."""
    order_only = False
    """Whether a judge's severity leaves it as it is."""
    cheap = False
    """Whether leaving out one row at a time costs no more than a few evaluations."""
    n_groups: int | None = None
    """In how many groups rows or clusters are left out, where every evaluation is very dear."""

    @abstractmethod
    def evaluate(self, counts: Floats) -> Floats:
        """Evaluate for each line of `counts` (resamples × rows)."""

    def perturbed(self, keep: float, add: float) -> Floats:
        """Evaluate at `keep` times all rows plus `add` times one row, for each row in turn."""
        return self.evaluate(keep * self.counts + add * np.eye(self.counts.size))

    def with_judges(self, weights: Floats) -> Statistic:
        """Return the statistic when each judge counts a number of times (0 = not drawn)."""
        raise NotImplementedError

    def without_each_judge(self) -> Floats:
        """Evaluate with each judge left out in turn, or each group of judges where many."""
        judges = np.arange(len(self.patterns.judges))
        groups = range(min(judges.size, JUDGE_GROUPS))
        others = ((judges % len(groups) != group).astype(float) for group in groups)
        return np.array([self.with_judges(weights).value for weights in others])

    @property
    def n_parts(self) -> int:
        """How many values are averaged: those of the pairs of judges, or one."""
        return 1

    def over(self, patterns: Patterns) -> Statistic:
        """Return the same coefficient of other patterns, whose rows may count a part of a time."""
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
        return float(self.evaluate(self.counts[None, :])[0])


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
    remake
        Makes the statistic of other patterns, where pseudo-items can be added.
    floor, ceiling
        The lowest and the highest value that is possible.
    """

    cheap = True

    def __init__(
        self,
        patterns: Patterns,
        sums: Floats,
        finish: Callable[[Floats], Floats],
        rebuild: Callable[[Floats], Linear] | None = None,
        *,
        remake: Callable[[Patterns], Statistic] | None = None,
        floor: float | None = None,
        ceiling: float = 1.0,
    ) -> None:
        self.ceiling = ceiling
        self.counts = patterns.counts.astype(float)
        self.clusters = patterns.clusters
        self.patterns, self.sums, self.finish, self.rebuild = patterns, sums, finish, rebuild
        self.remake = remake
        self.smooths = self.smooths or remake is not None
        if floor is not None:
            self.floor = floor

    @property
    def total(self) -> Floats:
        """The sums over all rows."""
        return self.counts @ self.sums

    def evaluate(self, counts: Floats) -> Floats:
        return self.finish(counts @ self.sums)

    def perturbed(self, keep: float, add: float) -> Floats:
        return self.finish(keep * self.total + add * self.sums)

    def with_judges(self, weights: Floats) -> Linear:
        if self.rebuild is None:
            raise NotImplementedError
        return self.rebuild(weights)

    @property
    def resamples_judges(self) -> bool:
        return self.rebuild is not None

    def over(self, patterns: Patterns) -> Statistic:
        if self.remake is None:
            raise NotImplementedError
        return self.remake(patterns)


class ByGroup(Statistic):
    """Another statistic with groups of rows for rows: whole groups are drawn or left out."""

    def __init__(self, inner: Statistic, groups: npt.NDArray[np.int64]) -> None:
        self.inner = inner
        self.groups = np.unique(groups, return_inverse=True)[1]
        self.counts = np.ones(int(self.groups.max()) + 1)

    def evaluate(self, counts: Floats) -> Floats:
        size = max(1, BLOCK // self.groups.size)
        blocks = [counts[start : start + size] for start in range(0, len(counts), size)]
        rows = (block[:, self.groups] * self.inner.counts for block in blocks)
        return np.concatenate([self.inner.evaluate(block) for block in rows])


def ratio(above: Floats, below: Floats) -> Floats:
    """Divide, with NaN where the denominator is 0 but for rounding."""
    small = ~(below > TINY)
    return np.where(small, np.nan, above / np.where(small, 1.0, below))
