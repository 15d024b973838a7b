"""Correlations of system means, with the test and the interval that so few systems allow."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.stats.distances import midranks
from covary.stats.distributions import f_tail, normal_quantile
from covary.stats.estimate import Interval
from covary.stats.plain import plain
from covary.stats.stars import stars

__all__ = ["Association", "associate", "fisher_interval", "p_of_correlation", "pearson_of"]

Floats = npt.NDArray[np.float64]

SYSTEMS = "other systems like these"
"""What Fisher's interval speaks of: the systems are drawn, the ratings are not."""


@dataclass(frozen=True)
class Association:
    """Pearson's r and Spearman's rho over systems, each with its p; `interval` is that of r."""

    n: int
    pearson: float
    pearson_p: float
    interval: Interval | None
    spearman: float
    spearman_p: float
    reason: str = ""

    @property
    def mark(self) -> str:
        """The stars of r."""
        return stars(self.pearson_p)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        own: dict[str, Any] = plain(self)
        return own


def associate(x: Floats, y: Floats, confidence: float = 0.95) -> Association:
    """Correlate two sets of numbers, one pair for each system."""
    n = int(x.size)
    reason = _reason(x, y)
    if reason:
        nan = math.nan
        return Association(n, nan, nan, None, nan, nan, reason)
    r, rho = pearson_of(x, y), pearson_of(_ranks(x), _ranks(y))
    return Association(
        n, r, p_of_correlation(r, n), fisher_interval(r, n, confidence), rho,
        2 / math.factorial(n) if abs(rho) == 1 and n < 100 else p_of_correlation(rho, n),
    )  # fmt: skip


def pearson_of(x: Floats, y: Floats) -> float:
    """Pearson's r; NaN where one side does not vary."""
    x, y = x - x.mean(), y - y.mean()
    spread = math.sqrt(float(x @ x) * float(y @ y))
    return float(np.clip(x @ y / spread, -1, 1)) if spread > 0 else math.nan


def p_of_correlation(r: float, n: int) -> float:
    """The two-sided p of a correlation of n pairs, from Student's t with n - 2 degrees of freedom.

    Examples
    --------
    >>> round(p_of_correlation(0.870, 8), 4)  # Belz & Kow (2011): .870**
    0.005
    """
    if n < 3 or math.isnan(r):
        return math.nan
    if abs(r) >= 1:
        return 0.0
    return f_tail(r * r * (n - 2) / (1 - r * r), 1, n - 2)


def fisher_interval(r: float, n: int, confidence: float = 0.95) -> Interval | None:
    """Fisher's interval of a correlation of n pairs; None with three pairs or fewer.

    Examples
    --------
    >>> found = fisher_interval(0.870, 8)
    >>> round(found.low, 2), round(found.high, 2)
    (0.43, 0.98)
    """
    if n <= 3 or math.isnan(r) or abs(r) >= 1:
        return None
    reach = normal_quantile((1 + confidence) / 2) / math.sqrt(n - 3)
    low, high = (math.tanh(math.atanh(r) + side * reach) for side in (-1, 1))
    return Interval(low, high, confidence, "Fisher's z", target=SYSTEMS,
                    standard_error=(1 - r * r) / math.sqrt(n - 3))  # fmt: skip


def _ranks(values: Floats) -> Floats:
    _, codes, counts = np.unique(np.round(values, 10), return_inverse=True, return_counts=True)
    return np.asarray(midranks(counts.astype(float)[None, :])[0][codes], dtype=float)


def _reason(x: Floats, y: Floats) -> str:
    if x.size < 3:
        return f"only {x.size} systems are known to both; a correlation needs three"
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return "all systems have the same value on one side"
    return ""
