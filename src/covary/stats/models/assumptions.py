"""What an analysis of variance takes for granted, looked at in its residuals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.records import dataclass
from covary.scales import Level
from covary.stats.estimate import Result
from covary.stats.models.anova import Effect, one_way
from covary.stats.models.shape_tests import dagostino_pearson, shapiro_wilk
from covary.words import Note

Floats = npt.NDArray[np.float64]

MOST_FOR_SHAPIRO = 5_000
"""Beyond this Shapiro & Wilk's p is not to be trusted."""

SMALL_SKEW, SMALL_KURTOSIS = 1.0, 2.0
"""Departures of the shape that hardly move the level of F, whatever a test says of them."""

SMALL_RATIO = 3.0
"""Variances within this ratio hardly move the level of F where systems have as many ratings."""


@dataclass(frozen=True, kw_only=True)
class Normality:
    """Whether residuals look normal: a test, and how far their shape departs.

    `skewness` and `kurtosis` (excess) are 0 for a normal distribution. `reason` says why there is
    no test where `p` is NaN.
    """

    test: str = "no test"
    statistic: float = math.nan
    p: float = math.nan
    skewness: float = math.nan
    kurtosis: float = math.nan
    n: int
    reason: str = ""

    @property
    def small(self) -> bool:
        """Whether the departure is too small to matter."""
        return abs(self.skewness) < SMALL_SKEW and abs(self.kurtosis) < SMALL_KURTOSIS


@dataclass(frozen=True, kw_only=True)
class Assumptions(Result):
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
    def facts(self) -> tuple[Note, ...]:
        """What holds, what does not, and what to look at then."""
        ordinal = (Note("stats.ordered-categories"),) if self.level is Level.ORDINAL else ()
        return (self._about_shape(), self._about_spread(), *ordinal)

    @property
    def sentence(self) -> str:
        """The same in words."""
        return " ".join(self.facts)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; NaN becomes None."""
        return super().to_dict() | {"doubtful": self.doubtful, "sentence": self.sentence}

    def _shape_matters(self) -> bool:
        return self.normality.p <= self.alpha and not self.normality.small

    def _spread_matters(self) -> bool:
        return self.spread.p <= self.alpha and self.variance_ratio > SMALL_RATIO

    def _about_shape(self) -> Note:
        normality = self.normality
        if normality.reason:
            return Note("stats.normality-untested", reason=normality.reason)
        if normality.p > self.alpha:
            return Note("stats.normality-kept", test=normality.test)
        code = "stats.normality-small" if normality.small else "stats.normality-broken"
        return Note(code, test=normality.test)

    def _about_spread(self) -> Note:
        if self.spread.reason:
            return Note("stats.spread-untested", reason=self.spread.reason)
        if self.spread.p > self.alpha:
            return Note("stats.spread-kept")
        return Note("stats.spread-broken" if self._spread_matters() else "stats.spread-small")


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
    return Assumptions(
        normality=normality(left),
        spread=equal_spread(left, codes),
        variance_ratio=_variance_ratio(left, codes),
        level=level,
        alpha=alpha,
    )


def normality(residuals: npt.ArrayLike) -> Normality:
    """Do residuals come from a normal distribution?

    Shapiro & Wilk's test up to 5,000 residuals, D'Agostino & Pearson's beyond, which looks at
    skewness and kurtosis.
    """
    left = np.asarray(residuals, dtype=float)
    reason = _why_no_shape(left)
    if reason:
        return Normality(n=left.size, reason=reason)
    skewness, kurtosis = _shape(left)
    test, statistic, p = _test_shape(left)
    return Normality(
        test=test, statistic=statistic, p=p, skewness=skewness, kurtosis=kurtosis, n=left.size
    )


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
        return Note("stats.few-residuals")
    if not np.ptp(left) > 1e-12 * max(1.0, float(np.abs(left).max())):
        return Note("stats.nothing-left")
    return ""


def _shape(left: Floats) -> tuple[float, float]:
    """Skewness and excess kurtosis, from moments."""
    centred = left - left.mean()
    second = float(np.mean(centred**2))
    third, fourth = float(np.mean(centred**3)), float(np.mean(centred**4))
    return third / second**1.5, fourth / second**2 - 3


def _test_shape(left: Floats) -> tuple[str, float, float]:
    if left.size <= MOST_FOR_SHAPIRO:
        return "Shapiro & Wilk's test", *shapiro_wilk(left)
    return "D'Agostino & Pearson's test", *dagostino_pearson(*_shape(left), left.size)
