"""What happens to a judge over a session: drift, a sudden change, long runs, response times."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.stats.distributions import t_quantile

__all__ = ["Drift", "Pace", "drift_of", "longest_run", "pace_of"]

Floats = npt.NDArray[np.float64]

LEAST = 10
"""With fewer ratings a line through them says nothing."""

HASTY = 0.25
"""A response is hasty that takes less than this share of the judge's own median time."""


@dataclass(frozen=True)
class Drift:
    """The change of a judge's severity over a hundred ratings, with its 95 % interval.

    `change_at` is the place in the judge's order where the severity before and after differ most.
    """

    slope: float
    low: float
    high: float
    change_at: int

    @property
    def clear(self) -> bool:
        """Whether the interval excludes no drift."""
        return self.low > 0 or self.high < 0

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self) | {"clear": self.clear}


@dataclass(frozen=True)
class Pace:
    """Seconds per rating: the median, the middle half, and the share of hasty answers."""

    median: float
    quarter: float
    three_quarters: float
    hasty: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)


def drift_of(order: npt.NDArray[Any], residuals: Floats) -> Drift | None:
    """Fit a line through a judge's deviations from the others, in the order of rating."""
    known = ~np.isnan(residuals)
    if known.sum() < LEAST:
        return None
    y = residuals[known][np.argsort(order[known], kind="stable")]
    x = np.arange(y.size) / 100
    x, y = x - x.mean(), y - y.mean()
    slope = float(x @ y / (x @ x))
    left = float(np.sum((y - slope * x) ** 2)) / (y.size - 2)
    margin = t_quantile(0.975, y.size - 2) * math.sqrt(left / float(x @ x))
    sums = np.cumsum(y)[:-1]
    places = np.arange(1, y.size)
    gain = sums**2 / (places * (y.size - places))
    return Drift(slope, slope - margin, slope + margin, int(np.argmax(gain)) + 1)


def longest_run(order: npt.NDArray[Any], numbers: Floats) -> int:
    """How many times in a row a judge gave the same rating, at the most: straight-lining shows."""
    given = numbers[np.argsort(order, kind="stable")]
    new = np.flatnonzero(np.append(True, given[1:] != given[:-1]))
    return int(np.diff(np.append(new, given.size)).max(initial=0))


def pace_of(seconds: npt.NDArray[Any]) -> Pace | None:
    """Describe a judge's response times."""
    times = seconds.astype(float)
    times = times[np.isfinite(times)]
    if not times.size:
        return None
    low, middle, high = (float(q) for q in np.quantile(times, [0.25, 0.5, 0.75]))
    return Pace(middle, low, high, float(np.mean(times < HASTY * middle)))
