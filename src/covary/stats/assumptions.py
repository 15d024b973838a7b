"""What an analysis of variance takes for granted, looked at in its residuals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.scales import Level
from covary.stats.plain import plain
from covary.stats.variance import Effect, one_way

__all__ = ["Assumptions", "Normality", "check_assumptions", "equal_spread", "normality"]

Floats = npt.NDArray[np.float64]

MOST_FOR_SHAPIRO = 5_000
"""Beyond this Shapiro & Wilk's p is not to be trusted."""

SMALL_SKEW, SMALL_KURTOSIS = 1.0, 2.0
"""Departures of the shape that hardly move the level of F, whatever a test says of them."""

SMALL_RATIO = 3.0
"""Variances within this ratio hardly move the level of F where systems have as many ratings."""


@dataclass(frozen=True)
class Normality:
    """Whether residuals look normal: a test, and how far their shape departs.

    `skewness` and `kurtosis` (excess) are 0 for a normal distribution. `reason` says why there is
    no test where `p` is NaN.
    """

    test: str
    statistic: float
    p: float
    skewness: float
    kurtosis: float
    n: int
    reason: str = ""

    @property
    def small(self) -> bool:
        """Whether the departure is too small to matter."""
        return abs(self.skewness) < SMALL_SKEW and abs(self.kurtosis) < SMALL_KURTOSIS


@dataclass(frozen=True)
class Assumptions:
    """Normal residuals, equal spread, and numbers instead of categories: what holds, in words."""

    normality: Normality
    spread: Effect
    variance_ratio: float
    level: Level | None
    alpha: float = 0.05

    @property
    def doubtful(self) -> bool:
        """Whether tests by ranks, or Games & Howell's, should stand beside the F test."""
        return self.level is Level.ORDINAL or self._shape_matters() or self._spread_matters()

    @property
    def sentence(self) -> str:
        """Say what holds, what does not, and what to look at then."""
        parts = [self._about_shape(), self._about_spread()]
        if self.level is Level.ORDINAL:
            parts.append(
                "The ratings are ordered categories, so means assume that the steps between them "
                "are equal; tests by ranks do not."
            )
        return " ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; NaN becomes None."""
        level = None if self.level is None else str(self.level)
        return dict(plain(self)) | {
            "level": level, "doubtful": self.doubtful, "sentence": self.sentence,
        }  # fmt: skip

    def _shape_matters(self) -> bool:
        return self.normality.p <= self.alpha and not self.normality.small

    def _spread_matters(self) -> bool:
        return self.spread.p <= self.alpha and self.variance_ratio > SMALL_RATIO

    def _about_shape(self) -> str:
        found = self.normality
        if found.reason:
            return f"Whether residuals are normal cannot be tested: {found.reason}."
        if found.p > self.alpha:
            return (
                f"{found.test} finds no departure of the residuals from a normal distribution, "
                "which is not proof that there is none."
            )
        if found.small:
            return (
                f"{found.test} finds that the residuals are not normal, but their skewness and "
                "kurtosis are too small to matter to F."
            )
        return (
            f"The residuals are not normal ({found.test}), and clearly skewed or heavy-tailed; "
            "rely on tests by ranks where they differ from F."
        )

    def _about_spread(self) -> str:
        if self.spread.reason:
            return f"Whether systems vary alike cannot be tested: {self.spread.reason}."
        if self.spread.p > self.alpha:
            return "Brown & Forsythe's test finds no difference in how much systems vary."
        if not self._spread_matters():
            return (
                "Systems differ in how much their ratings vary (Brown & Forsythe's test), but not "
                "so much that it matters with equally many ratings of each."
            )
        return (
            "Systems differ in how much their ratings vary (Brown & Forsythe's test); Games & "
            "Howell's procedure allows for it."
        )


def check_assumptions(
    residuals: npt.ArrayLike,
    system: npt.ArrayLike,
    *,
    level: Level | None = None,
    alpha: float = 0.05,
) -> Assumptions:
    """Can an analysis of variance be relied on for these ratings?

    Parameters
    ----------
    residuals
        What the model left of each rating. The residuals should be normal, not the ratings, which
        differ by system and judge.
    system
        The system of each residual, as whole numbers from 0.
    level
        The level of measurement of the scale, where known.
    alpha
        From which p on a departure counts.

    Returns
    -------
    Assumptions
        Two tests, and a sentence on what follows from them.
    """
    left, codes = np.asarray(residuals, dtype=float), np.asarray(system)
    spread = equal_spread(left, codes)
    return Assumptions(normality(left), spread, _variance_ratio(left, codes), level, alpha)


def normality(residuals: npt.ArrayLike) -> Normality:
    """Do residuals come from a normal distribution?

    Shapiro & Wilk's test up to 5,000 residuals, D'Agostino & Pearson's beyond, which looks at
    skewness and kurtosis.
    """
    left = np.asarray(residuals, dtype=float)
    n = int(left.size)
    reason = _why_no_shape(left)
    if reason:
        return Normality("no test", math.nan, math.nan, math.nan, math.nan, n, reason)
    skewness, kurtosis = _shape(left)
    test, (statistic, p) = _tested(left)
    return Normality(test, statistic, p, skewness, kurtosis, n)


def equal_spread(values: npt.ArrayLike, system: npt.ArrayLike) -> Effect:
    """Do systems differ in how much their ratings vary?

    Brown & Forsythe's form of Levene's test: a one-way analysis of variance of the distances from
    each system's median. Equals scipy's `levene`.
    """
    numbers, codes = np.asarray(values, dtype=float), np.asarray(system)
    medians = np.array([np.median(group) for group in _groups(numbers, codes)])
    return one_way(np.abs(numbers - medians[codes]), codes)


def _groups(values: Floats, codes: npt.NDArray[Any]) -> list[Floats]:
    order = np.argsort(codes, kind="stable")
    return np.split(values[order], np.cumsum(np.bincount(codes))[:-1])


def _variance_ratio(values: Floats, codes: npt.NDArray[Any]) -> float:
    """The largest variance of a system by the smallest."""
    spreads = [float(group.var(ddof=1)) for group in _groups(values, codes) if group.size > 1]
    return max(spreads) / min(spreads) if len(spreads) > 1 and min(spreads) > 0 else math.nan


def _why_no_shape(left: Floats) -> str:
    if left.size < 8:
        return "there are fewer than eight residuals"
    if not np.ptp(left) > 1e-12 * max(1.0, float(np.abs(left).max())):
        return "nothing is left over"
    return ""


def _shape(left: Floats) -> tuple[float, float]:
    """Skewness and excess kurtosis, from moments."""
    centred = left - left.mean()
    second = float(np.mean(centred**2))
    third, fourth = float(np.mean(centred**3)), float(np.mean(centred**4))
    return third / second**1.5, fourth / second**2 - 3


def _tested(left: Floats) -> tuple[str, tuple[float, float]]:
    from scipy import stats

    if left.size <= MOST_FOR_SHAPIRO:
        found = stats.shapiro(left)
        return "Shapiro & Wilk's test", (float(found.statistic), float(found.pvalue))
    found = stats.normaltest(left)
    return "D'Agostino & Pearson's test", (float(found.statistic), float(found.pvalue))
