"""Intervals by resampling, for two different questions.

*These judges, other items*: items (or clusters of items) are drawn again. *Other judges, other
items*: judges are drawn too, and only ratings by distinct judges are compared, because copies of
one judge agree by construction.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument, choose
from covary.stats.distributions import normal_cdf, normal_quantile, t_quantile
from covary.stats.estimate import OTHER_JUDGES, Interval
from covary.stats.statistic import BLOCK, ByGroup, Linear, Statistic

__all__ = [
    "METHODS",
    "Wanted",
    "analytic",
    "bca",
    "bootstrap",
    "jackknife",
    "two_way",
    "units",
]

Floats = npt.NDArray[np.float64]

METHODS = ("auto", "analytic", "bca", "bootstrap", "jackknife", "two-way")

MOST_LEFT_OUT, GROUPS = 2000, 200
"""More rows than this are left out in so many groups where each evaluation is dear."""

STEP = 1e-5
"""How far the counts are moved to take a derivative."""


@dataclass(frozen=True)
class Wanted:
    """What the caller asked of the interval, checked; `seed` repeats the draws."""

    method: str | None = "auto"
    confidence: float = 0.95
    resamples: int = 1000
    seed: int = 0

    @classmethod
    def of(cls, method: Any, confidence: Any, resamples: Any, rng: Any) -> Wanted:
        """Check the arguments that every coefficient takes."""
        if method is not None and method not in METHODS:
            raise InvalidArgument(
                f"interval={method!r} is not known; {choose(method, (*METHODS, None))}"
            )
        if not isinstance(confidence, float) or not 0 < confidence < 1:
            raise InvalidArgument(
                f"confidence={confidence!r} must lie between 0 and 1, such as 0.95"
            )
        if not isinstance(resamples, int | np.integer) or resamples < 2:
            raise InvalidArgument(f"resamples={resamples!r} must be a whole number of at least 2")
        return cls(method, confidence, int(resamples), _seed(rng))

    def instead(self, method: str) -> Wanted:
        """Return the same wishes with another method."""
        return replace(self, method=method)


def bootstrap(statistic: Statistic, wanted: Wanted) -> Interval:
    """Percentile interval over resampled items or clusters."""
    values = _resampled(statistic, wanted)
    return _percentile(values, wanted, "percentile bootstrap")


def bca(statistic: Statistic, wanted: Wanted) -> Interval:
    """Bias-corrected and accelerated percentile interval (Efron 1987)."""
    values = _resampled(statistic, wanted)
    known = values[~np.isnan(values)]
    plain = _percentile(values, wanted, "BCa bootstrap")
    below = (np.sum(known < statistic.value) + np.sum(known == statistic.value) / 2) / max(
        known.size, 1
    )
    if not 0 < below < 1:
        return replace(plain, method="percentile bootstrap (no BCa correction possible)")
    shift, acceleration = normal_quantile(float(below)), _acceleration(statistic)
    ends = []
    for p in ((1 - wanted.confidence) / 2, (1 + wanted.confidence) / 2):
        z = shift + normal_quantile(p)
        ends.append(normal_cdf(shift + z / (1 - acceleration * z)))
    low, high = np.quantile(known, ends)
    return replace(plain, low=float(low), high=float(high))


def two_way(statistic: Statistic, n_judges: int, wanted: Wanted) -> Interval:
    """Percentile interval over resampled items and judges (the pigeonhole bootstrap)."""
    rng = np.random.default_rng(wanted.seed)
    judges = _distinct_judges(rng, n_judges, wanted.resamples)
    values, start = [], 0
    for items in _draws(statistic, wanted, rng):
        values.append(_with_drawn(statistic, items, judges[start : start + len(items)]))
        start += len(items)
    return replace(
        _percentile(np.concatenate(values), wanted, "two-way bootstrap"), target=OTHER_JUDGES
    )


def _with_drawn(statistic: Statistic, items: Floats, judges: npt.NDArray[np.int64]) -> Floats:
    """Evaluate for drawn items and judges, once for each way in which the judges were drawn."""
    kinds, which = np.unique(judges, axis=0, return_inverse=True)
    values = np.empty(len(items))
    for number, weights in enumerate(kinds):
        rows = np.flatnonzero(which == number)
        values[rows] = statistic.with_judges(weights.astype(float)).at(items[rows])
    return values


def jackknife(statistic: Statistic, wanted: Wanted) -> Interval:
    """Interval from the values with one item (or cluster) left out, with Student's t."""
    unit = units(statistic, wanted.seed)
    left_out = unit.nudged(1.0, -1.0)
    n = unit.counts.sum()
    centre = np.average(left_out, weights=unit.counts)
    variance = (n - 1) / n * np.sum(unit.counts * (left_out - centre) ** 2)
    made = student(statistic, math.sqrt(variance), n - 1, wanted, "jackknife")
    return _with_seed(made, statistic, unit, wanted)


def analytic(statistic: Statistic, wanted: Wanted) -> Interval:
    """Interval from the large-sample variance (linearisation, as Gwet's), with Student's t."""
    slopes = statistic.slopes()
    if slopes is not None:
        return _from_slopes(statistic, slopes, wanted)
    unit = units(statistic, wanted.seed)
    n = unit.counts.sum()
    influence = (unit.nudged(1 - STEP, n * STEP) - unit.nudged(1 + STEP, -n * STEP)) / (2 * STEP)
    variance = np.sum(unit.counts * influence**2) / (n * (n - 1)) if n > 1 else math.nan
    made = student(statistic, math.sqrt(variance), n - 1, wanted, "linearised variance")
    return _with_seed(made, statistic, unit, wanted)


def _with_seed(made: Interval, statistic: Statistic, unit: Statistic, wanted: Wanted) -> Interval:
    """Record the seed where items were left out in groups that it drew."""
    drawn = unit is not statistic and statistic.clusters is None
    return replace(made, seed=wanted.seed) if drawn else made


def _from_slopes(statistic: Statistic, slopes: Floats, wanted: Wanted) -> Interval:
    n, squares = float(statistic.counts.sum()), float(statistic.counts @ slopes**2)
    if statistic.clusters is not None:
        grouped = np.bincount(statistic.clusters, statistic.counts * slopes)
        n, squares = float(np.unique(statistic.clusters).size), float(np.sum(grouped**2))
    error = math.sqrt(squares * n / (n - 1)) if n > 1 else math.nan
    return student(statistic, error, n - 1, wanted, "linearised variance")


def units(statistic: Statistic, seed: int = 0) -> Statistic:
    """Return the statistic over what is left out at a time: items, clusters, or groups of items.

    Where leaving out one item costs a whole evaluation and there are many items, they are left
    out in random groups (the delete-a-group jackknife).
    """
    groups = statistic.clusters
    if groups is None:
        if statistic.cheap or statistic.counts.size <= MOST_LEFT_OUT:
            return statistic
        rng = np.random.default_rng(seed)
        groups = rng.permutation(np.arange(statistic.counts.size) % GROUPS)
    return (
        _grouped(statistic, groups) if isinstance(statistic, Linear) else ByGroup(statistic, groups)
    )


def _grouped(statistic: Linear, groups: npt.NDArray[np.int64]) -> Linear:
    numbers = np.unique(groups, return_inverse=True)[1]
    sums = np.zeros((int(numbers.max()) + 1, statistic.sums.shape[1]))
    np.add.at(sums, numbers, statistic.counts[:, None] * statistic.sums)
    made = Linear(statistic.patterns, sums, statistic.finish)
    made.counts, made.clusters = np.ones(len(sums)), None
    return made


def student(statistic: Statistic, error: float, df: float, wanted: Wanted, method: str) -> Interval:
    """Return the value ± Student's t times the standard error, cut at what is possible."""
    margin = t_quantile((1 + wanted.confidence) / 2, df) * error if df > 0 else math.nan
    low, high = max(statistic.value - margin, statistic.floor), min(statistic.value + margin, 1.0)
    return Interval(low, high, wanted.confidence, method, standard_error=error)


def _percentile(values: Floats, wanted: Wanted, method: str) -> Interval:
    known = values[~np.isnan(values)]
    tail = (1 - wanted.confidence) / 2
    low, high = np.quantile(known, [tail, 1 - tail]) if known.size > 1 else (math.nan, math.nan)
    return Interval(
        float(low),
        float(high),
        wanted.confidence,
        method,
        standard_error=float(np.std(known, ddof=1)) if known.size > 1 else math.nan,
        resamples=wanted.resamples,
        undefined=int(values.size - known.size),
        seed=wanted.seed,
    )


def _resampled(statistic: Statistic, wanted: Wanted) -> Floats:
    rng = np.random.default_rng(wanted.seed)
    return np.concatenate([statistic.at(block) for block in _draws(statistic, wanted, rng)])


def _draws(statistic: Statistic, wanted: Wanted, rng: np.random.Generator) -> Iterator[Floats]:
    """Draw how often each row counts, in blocks of resamples that fit in memory."""
    size = max(1, min(wanted.resamples, BLOCK // max(statistic.counts.size, 1)))
    for start in range(0, wanted.resamples, size):
        yield _draw(statistic, rng, min(size, wanted.resamples - start))


def _draw(statistic: Statistic, rng: np.random.Generator, size: int) -> Floats:
    if statistic.clusters is None:
        return _times(rng, statistic.counts.astype(np.int64), size)
    numbers = np.unique(statistic.clusters, return_inverse=True)[1]
    drawn = _times(rng, np.ones(int(numbers.max()) + 1, dtype=np.int64), size)
    return drawn[:, numbers] * statistic.counts


def _times(rng: np.random.Generator, counts: npt.NDArray[np.int64], size: int) -> Floats:
    """Draw as many items as there are, with replacement, and count them by row."""
    n, rows = int(counts.sum()), counts.size
    if n > 2 * rows:
        return rng.multinomial(n, counts / n, size=size).astype(float)
    owner = np.repeat(np.arange(rows), counts)
    drawn = (owner[rng.integers(n, size=n)] for _ in range(size))
    return np.array([np.bincount(items, minlength=rows) for items in drawn], dtype=float)


def _distinct_judges(rng: np.random.Generator, n_judges: int, size: int) -> npt.NDArray[np.int64]:
    """Draw judges with replacement, again where only one of them was drawn."""
    even = np.full(n_judges, 1 / n_judges)
    drawn = rng.multinomial(n_judges, even, size=size)
    while (alone := (drawn > 0).sum(axis=1) < 2).any():
        drawn[alone] = rng.multinomial(n_judges, even, size=int(alone.sum()))
    return drawn


def _acceleration(statistic: Statistic) -> float:
    unit = units(statistic)
    left_out = unit.nudged(1.0, -1.0)
    spread = np.average(left_out, weights=unit.counts) - left_out
    cube, square = (float(np.sum(unit.counts * spread**power)) for power in (3, 2))
    return cube / (6 * square**1.5) if square > 0 else 0.0


def _seed(rng: Any) -> int:
    if rng is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(rng, int | np.integer) and not isinstance(rng, bool) and rng >= 0:
        return int(rng)
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**32))
    raise InvalidArgument(f"rng={rng!r} must be None, a whole number or a numpy.random.Generator")
