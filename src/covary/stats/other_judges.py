"""Intervals that speak of other judges: those of these judges, widened by how judges differ.

Few judges say little of others, however many items they rate: three severities have two degrees
of freedom. Drawing judges again does not show it, because three who happen to be alike are alike in
every resample. So each judge is left out in turn, with Student's t for what judges add up to and
chi-square for how far apart they are, which is the part that chance can hide.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from covary.records import dataclass
from covary.stats.distributions import chi2_quantile, t_quantile
from covary.stats.estimate import OTHER_JUDGES, Interval
from covary.stats.intervals import TILTED, IntervalSpec, add_prior, influence_of
from covary.stats.statistic import Statistic

Floats = npt.NDArray[np.float64]

TWO_WAY = "two-way jackknife"

FEWEST_JUDGES = 3
"""Fewer judges say nothing of other judges: leaving one out leaves nobody to compare."""

MOST_CROSSED = 25
"""With more judges what items and judges have in common is too little to be worth finding."""

WIDEST = 0.75
"""An interval that holds a larger share of what is possible says nothing."""

NEARLY = 0.9999
"""Values nearer to 1 than this count as this on scales that have no end."""

LEAST_SHARE = 0.2
"""Of what judges differ in at least so much is taken to be the judges' own."""


def two_way(statistic: Statistic, these: Interval, spec: IntervalSpec) -> Interval:
    """Widen the interval of these judges to one of judges like these.

    Each judge is left out in turn, and what chance in the items adds to the differences is taken
    out. On the scale log(1 - value), or Fisher's z for coefficients of order, the judges' part is
    Student's t times its error, and below at least what a variance of J - 1 degrees of freedom may
    hide: that of severity, or of noise where only order counts. It is added to the items' part
    as independent errors are. `docs/coverage.md` has the coverage. Two judges have no such
    interval, and one that holds most of what is possible decides nothing.
    """
    n_judges = len(statistic.patterns.judges)
    nothing = Interval(
        math.nan, math.nan, spec.confidence, TWO_WAY, target=OTHER_JUDGES, decisive=False
    )
    if n_judges < FEWEST_JUDGES or math.isnan(these.low):
        return nothing
    scale = FISHER if statistic.order_only else LOSS
    firm = add_prior(statistic) if these.method == TILTED else statistic
    left_out = firm.without_each_judge()
    if np.isnan(left_out).any():
        return nothing
    error = math.sqrt(_variance(firm, left_out, scale))
    below, above = _margins(error, left_out.size - 1, spec.confidence, scale)
    centre = scale.to(statistic.value)
    low = scale.back(centre - math.hypot(centre - scale.to(these.low), below))
    high = scale.back(centre + math.hypot(scale.to(these.high) - centre, above))
    lowest = max(statistic.floor, -1 / (n_judges - 1))
    low, high = min(max(low, lowest), these.low), max(high, these.high)
    return replace(
        these,
        low=low,
        high=high,
        method=TWO_WAY,
        target=OTHER_JUDGES,
        standard_error=math.hypot(these.standard_error, error / scale.slope(statistic.value)),
        decisive=high - low <= WIDEST * (1 - lowest),
    )


@dataclass(frozen=True, kw_only=True)
class _Scale:
    """Where errors are added up: Fisher's z, or minus the logarithm of what is missing to 1."""

    order: bool

    @property
    def logs(self) -> float:
        """How many logarithms of what is missing to 1, near 1, are one unit of this scale."""
        return 2.0 if self.order else 1.0

    def to(self, value: float) -> float:
        value = min(value, NEARLY)
        return math.atanh(max(value, -NEARLY)) if self.order else -math.log(1 - value)

    def back(self, place: float) -> float:
        return math.tanh(place) if self.order else 1 - math.exp(-place)

    def slope(self, value: float) -> float:
        """How fast a place moves with the value."""
        value = min(value, NEARLY)
        return 1 / (1 - max(value, -NEARLY) ** 2) if self.order else 1 / (1 - value)


FISHER, LOSS = _Scale(order=True), _Scale(order=False)


def _variance(statistic: Statistic, left_out: Floats, scale: _Scale) -> float:
    """What other judges would change: the jackknife over judges, less chance in the items."""
    n = left_out.size
    places = np.array([scale.to(value) for value in left_out])
    by_judges = (n - 1) / n * float(np.sum((places - places.mean()) ** 2))
    if n > MOST_CROSSED or n != len(statistic.patterns.judges):
        return by_judges
    return max(by_judges - _chance(statistic, left_out, scale), LEAST_SHARE * by_judges)


def _chance(statistic: Statistic, left_out: Floats, scale: _Scale) -> float:
    """The part of the jackknife over judges that is chance in the items they rated."""
    n = left_out.size
    whole = scale.slope(statistic.value) * influence_of(statistic)
    squares = 0.0
    for judge, value in enumerate(left_out):
        others = (np.arange(n) != judge).astype(float)
        moved = scale.slope(value) * influence_of(statistic.with_judges(others)) - whole
        squares += _sum_squares(statistic, moved)
    return (n - 1) / n * squares


def _sum_squares(statistic: Statistic, moves: Floats) -> float:
    """Add up the squares over items, or over clusters of items."""
    if statistic.clusters is None:
        return float(statistic.counts @ moves**2)
    groups = np.unique(statistic.clusters, return_inverse=True)[1]
    return float(np.sum(np.bincount(groups, statistic.counts * moves) ** 2))


def _margins(error: float, df: int, confidence: float, scale: _Scale) -> tuple[float, float]:
    """How far the judges' part reaches below and above."""
    p = (1 + confidence) / 2
    symmetric = t_quantile(p, df) * error
    share = min(scale.logs * error * math.sqrt(df / 2), 1.0)  # of a variance, whose log varies so
    hidden = math.log1p(share * (df / chi2_quantile(1 - p, df) - 1)) / scale.logs
    return max(symmetric, hidden), symmetric
