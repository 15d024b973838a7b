"""Mean squares of an items × judges table, and the exact limits that follow from their F ratios.

Everything is a function of a few sums over items, so it can be evaluated for many resamples at
once: how many items, the sum of squared ratings, the sum of squared row totals, and each judge's
total.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property

import numpy as np
import numpy.typing as npt

from covary.records import dataclass
from covary.scales import Level
from covary.stats.distributions import f_quantile
from covary.stats.line import LinePatterns, judge_products
from covary.stats.patterns import Patterns
from covary.stats.statistic import ROUNDING, Linear, ratio

Floats = npt.NDArray[np.float64]
Limits = tuple[float, float]


@dataclass(frozen=True)
class MeanSquares:
    """Mean squares between items, between judges, of the error, and within items."""

    n: Floats
    k: int
    items: Floats
    judges: Floats
    error: Floats
    within: Floats


def centred_ratings(patterns: Patterns) -> Floats:
    """The ratings as numbers from a middle rating in units of `rating_unit`, 0 where none is.

    The middle is a rating that was given, so that ratings that are all equal are exactly 0.
    """
    if not patterns.n_ratings:
        return np.zeros(patterns.rated.shape)
    if isinstance(patterns, LinePatterns):
        moved = (patterns.table - patterns.middle) / rating_unit(patterns)
        return moved if patterns.rated.all() else np.where(patterns.rated, moved, 0.0)
    return np.where(patterns.rated, centred_positions(patterns)[patterns.codes], 0.0)


def centred_positions(patterns: Patterns) -> Floats:
    """The number of each category, from the same middle and in the same unit."""
    positions = patterns.positions(Level.INTERVAL) / rating_unit(patterns)
    used = np.unique(patterns.entries[2])
    return np.asarray(positions - (positions[used[(used.size - 1) // 2]] if used.size else 0.0))


def rating_unit(patterns: Patterns) -> float:
    """A power of 2 near the range of the ratings, by which dividing is exact.

    Squares of very small or very large ratings would otherwise be lost.
    """
    if isinstance(patterns, LinePatterns):
        used = np.array(patterns.ends if patterns.n_ratings else ())
    else:
        used = patterns.positions(Level.INTERVAL)[np.unique(patterns.entries[2])]
    halved = used.max() / 2 - used.min() / 2 if used.size else 0.0
    return float(2.0 ** np.frexp(halved)[1]) if halved > 0 else 1.0


def row_sums(patterns: Patterns, *, by_judge: bool) -> Floats:
    """What each row adds: 1, its sum of squares, its squared total, and its ratings or total."""
    ratings = centred_ratings(patterns)
    total = ratings.sum(axis=1, keepdims=True)
    ones, squares = np.ones_like(total), (ratings**2).sum(axis=1, keepdims=True)
    return np.hstack([ones, squares, total**2, ratings if by_judge else total])


class RatingSums(Linear):
    """A function of the totals of `row_sums`, which need no row of their own: they are sums of the
    judges' ratings and of the products of every two judges.
    """

    def __init__(
        self, patterns: Patterns, finish: Callable[[Floats], Floats], *, by_judge: bool = True
    ) -> None:
        super().__init__(patterns, np.empty((0, 0)), finish)
        self.__dict__.pop("sums")
        self.by_judge = by_judge

    @cached_property
    def sums(self) -> Floats:  # type: ignore[override]
        """What each row adds, for resampling."""
        return row_sums(self.patterns, by_judge=self.by_judge)

    @cached_property
    def moments(self) -> tuple[Floats, Floats]:
        """Each judge's sum of ratings, and the sums of products of every two judges."""
        return rating_moments(self.patterns)

    @cached_property
    def total(self) -> Floats:
        judges, products = self.moments
        head = [self.counts.sum(), np.trace(products), products.sum()]
        return np.concatenate([head, judges if self.by_judge else [judges.sum()]])

    @property
    def value(self) -> float:
        return float(self.finish(self.total))


def rating_moments(patterns: Patterns) -> tuple[Floats, Floats]:
    """Sum the centred ratings of each judge, and the products of every two judges."""
    if isinstance(patterns, LinePatterns) and patterns.n_ratings:
        sums = judge_products(patterns.table.T, patterns.middle, rating_unit(patterns))
        return np.diagonal(sums.x), sums.xy
    ratings = centred_ratings(patterns)
    weighted = patterns.counts[:, None] * ratings
    return weighted.sum(axis=0), ratings.T @ weighted


def mean_squares(sums: Floats, k: int) -> MeanSquares:
    """Mean squares of items with k ratings each, from the totals of `row_sums`."""
    n, squares, rows, columns = sums[..., 0], sums[..., 1], sums[..., 2] / k, sums[..., 3:]
    correction = ratio(columns.sum(axis=-1) ** 2, n * k)
    items = clear_rounding(rows - correction, squares)
    judges = clear_rounding(ratio((columns**2).sum(axis=-1), n) - correction, squares)
    within = clear_rounding(squares - rows, squares)
    error = clear_rounding(within - judges, squares)
    return MeanSquares(
        n,
        k,
        items=ratio(items, n - 1),
        judges=ratio(judges, np.full_like(n, k - 1)),
        error=ratio(error, (n - 1) * (k - 1)),
        within=ratio(within, n * (k - 1)),
    )


def clear_rounding(part: Floats, whole: Floats) -> Floats:
    """Set to 0 what is 0 but for rounding."""
    return np.where(part < ROUNDING * whole, 0.0, part)


def ratio_limits(squares: MeanSquares, confidence: float, *, one_way: bool) -> Limits:
    """Exact limits of a single rating's ICC(1,1) or ICC(3,1) (Shrout & Fleiss 1979)."""
    n, k, items = float(squares.n), squares.k, float(squares.items)
    error = float(squares.within if one_way else squares.error)
    df1, df2 = n - 1, (n if one_way else n - 1) * (k - 1)
    p = (1 + confidence) / 2
    lower, upper = f_quantile(p, df1, df2), f_quantile(p, df2, df1)
    low = _over(items - lower * error, items + (k - 1) * lower * error)
    high = _over(upper * items - error, upper * items + (k - 1) * error)
    return low, high


def absolute_limits(squares: MeanSquares, icc: float, confidence: float) -> Limits:
    """Limits of ICC(2,1), with Satterthwaite's degrees of freedom (Shrout & Fleiss 1979)."""
    n, k = float(squares.n), squares.k
    items, judges, error = float(squares.items), float(squares.judges), float(squares.error)
    df = _satterthwaite(squares, icc)
    p = (1 + confidence) / 2
    lower, upper = f_quantile(p, n - 1, df), f_quantile(p, df, n - 1)
    spread = k * judges + (k * n - k - n) * error
    low = _over(n * (items - lower * error), lower * spread + n * items)
    high = _over(n * (upper * items - error), spread + n * upper * items)
    return low, high


def spearman_brown(single: float, k: float) -> float:
    """The reliability of the mean of k ratings, from that of one."""
    grown = 1 + (k - 1) * single
    return -math.inf if grown <= 0 else k * single / grown


def _satterthwaite(squares: MeanSquares, icc: float) -> float:
    n, k = float(squares.n), squares.k
    judges = k * icc * float(squares.judges)
    error = (n * (1 + (k - 1) * icc) - k * icc) * float(squares.error)
    below = (n - 1) * judges**2 + error**2
    return (k - 1) * (n - 1) * (judges + error) ** 2 / below if below > 0 else float(k - 1)


def _over(above: float, below: float) -> float:
    return above / below if below > 0 else math.nan
