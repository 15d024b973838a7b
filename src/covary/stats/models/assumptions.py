"""What an analysis of variance takes for granted, looked at in its residuals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.records import dataclass
from covary.scales import Level
from covary.stats import special
from covary.stats.estimate import Result
from covary.stats.models.anova import Effect, one_way
from covary.words import Note

Floats = npt.NDArray[np.float64]

FEWEST_FOR_SHAPIRO, FEW_FOR_ROYSTON, MOST_FOR_SHAPIRO = 3, 11, 5_000
"""Fewer numbers have no shape; with few, W is transformed in another way; beyond, p is unsafe."""

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


def shapiro_wilk(values: Floats) -> tuple[float, float]:
    """Shapiro & Wilk's W and its probability, after Royston (1995), AS R94.

    For 3 to 5,000 numbers that are not all equal.

    Examples
    --------
    The weights of eleven men (Shapiro & Wilk 1965, 5.1: W = .79, rare beyond .01):

    >>> men = np.array([148, 154, 158, 160, 161, 162, 166, 170, 182, 195, 236.0])
    >>> w, p = shapiro_wilk(men)
    >>> print(f"{w:.2f} {p:.4f}")
    0.79 0.0067
    """
    ordered, n = np.sort(values) - np.median(values), values.size
    weights = _weights(n)
    centred = ordered - ordered.mean()
    w = min(float((weights @ ordered) ** 2 / (centred @ centred)), 1.0)
    if n == FEWEST_FOR_SHAPIRO:
        return w, max(0.0, 6 / math.pi * (math.asin(math.sqrt(w)) - math.asin(math.sqrt(0.75))))
    if w >= 1:
        return w, 1.0
    if n <= FEW_FOR_ROYSTON:
        limit = -2.273 + 0.459 * n
        if math.log1p(-w) >= limit:
            return w, 1e-99
        place = -math.log(limit - math.log1p(-w))
        mean = _polynomial(n, (0.5440, -0.39978, 0.025054, -0.0006714))
        deviation = math.exp(_polynomial(n, (1.3822, -0.77857, 0.062767, -0.0020322)))
    else:
        place, log = math.log1p(-w), math.log(n)
        mean = _polynomial(log, (-1.5861, -0.31082, -0.083751, 0.0038915))
        deviation = math.exp(_polynomial(log, (-0.4803, -0.082676, 0.0030302)))
    return w, float(special.ndtr((mean - place) / deviation))


def _weights(n: int) -> Floats:
    """The weights of the ordered numbers: expected normal order statistics, made to fit."""
    if n == FEWEST_FOR_SHAPIRO:
        return np.array([-1.0, 0.0, 1.0]) / math.sqrt(2)
    half = [float(special.ndtri((i - 0.375) / (n + 0.25))) for i in range(1, n // 2 + 1)]
    middle = [0.0] * (n % 2)
    expected = np.array([*half, *middle, *(-place for place in reversed(half))])
    squares, u = float(expected @ expected), 1 / math.sqrt(n)
    last = _polynomial(u, (0.0, 0.221157, -0.147981, -2.071190, 4.434685, -2.706056))
    last += expected[-1] / math.sqrt(squares)
    ends = [last]
    if n > 5:
        next_to_last = _polynomial(u, (0.0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633))
        ends.append(next_to_last + expected[-2] / math.sqrt(squares))
    outer = expected[n - len(ends) :]
    left = (squares - 2 * float(outer @ outer)) / (1 - 2 * sum(end**2 for end in ends))
    weights = expected / math.sqrt(left)
    for place, end in enumerate(ends, start=1):
        weights[-place], weights[place - 1] = end, -end
    return weights


def _polynomial(x: float, coefficients: Sequence[float]) -> float:
    return sum(each * x**power for power, each in enumerate(coefficients))


def dagostino_pearson(skewness: float, kurtosis: float, n: int) -> tuple[float, float]:
    """D'Agostino & Pearson's (1973) K² and its probability, from both moments of n > 20 numbers."""
    square = _skewness_deviate(skewness, n) ** 2 + _kurtosis_deviate(kurtosis, n) ** 2
    return square, math.exp(-square / 2)


def _skewness_deviate(skewness: float, n: int) -> float:
    """D'Agostino (1970)."""
    y = skewness * math.sqrt((n + 1) * (n + 3) / (6 * (n - 2)))
    beta = 3 * (n**2 + 27 * n - 70) * (n + 1) * (n + 3) / ((n - 2) * (n + 5) * (n + 7) * (n + 9))
    w2 = math.sqrt(2 * (beta - 1)) - 1
    return math.asinh(y / math.sqrt(2 / (w2 - 1))) / math.sqrt(math.log(w2) / 2)


def _kurtosis_deviate(kurtosis: float, n: int) -> float:
    """Anscombe & Glynn (1983); the kurtosis of a normal distribution is 0 here."""
    expected = 3 * (n - 1) / (n + 1)
    variance = 24 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    x = (kurtosis + 3 - expected) / math.sqrt(variance)
    skew = 6 * (n**2 - 5 * n + 2) / ((n + 7) * (n + 9))
    skew *= math.sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    a = 6 + 8 / skew * (2 / skew + math.sqrt(1 + 4 / skew**2))
    below = 1 + x * math.sqrt(2 / (a - 4))
    root = math.copysign(((1 - 2 / a) / abs(below)) ** (1 / 3), below)
    return (1 - 2 / (9 * a) - root) / math.sqrt(2 / (9 * a))
