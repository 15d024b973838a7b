"""How large is the difference between two systems, and is it smaller than what matters?

That no difference was found does not show that there is none. An equivalence test turns the
question round: the null hypothesis is that the difference is at least as large as a margin that
was stated beforehand, and small p-values speak for equivalence.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.records import dataclass
from covary.stats import special
from covary.stats.distributions import t_quantile
from covary.stats.estimate import Result, plain
from covary.stats.intervals import check_confidence
from covary.stats.posthoc.comparisons import check_alpha
from covary.words import Note

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class EffectSize(Result):
    """A size of the difference of two systems, the first less the second, with its interval.

    `counts` are the ratings of each; `reason` says why there is no value where it is NaN.
    """

    name: str
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    confidence: float
    method: str = "none"
    counts: tuple[int, int]
    reason: str = ""

    @property
    def defined(self) -> bool:
        """Whether there is a value."""
        return not math.isnan(self.value)


def cliffs_delta(
    first: npt.ArrayLike, second: npt.ArrayLike, *, confidence: float = 0.95
) -> EffectSize:
    """How much more often is a rating of the first system higher than one of the second?

    The share of pairs in which the first is higher, less the share in which the second is. It uses
    only the order of the ratings.

    Parameters
    ----------
    first, second
        The ratings of each system.
    confidence
        The confidence of the interval.

    Returns
    -------
    EffectSize
        From -1 through 0 (neither tends to be higher) to 1 (the first always is).

    Notes
    -----
    Counted from sorted ratings, so that no pair is formed. The interval is Feng & Cliff's (2004),
    asymmetric, with Cliff's unbiased variance and Student's t. When no pair goes the other way the
    variance is 0 and theirs for that case is used.

    References
    ----------
    Cliff (1993), Psychological Bulletin 114: 494-509; Feng & Cliff (2004), Journal of Modern
    Applied Statistical Methods 3: 322-332.

    Examples
    --------
    >>> cliffs_delta([10, 20, 20, 30], [10, 10, 20]).value  # (7 - 1) / 12
    0.5
    """
    a, b = _check_samples(first, second, confidence)
    values, places = np.unique(np.concatenate([a, b]), return_inverse=True)
    ones, others = (
        np.bincount(own, minlength=values.size) for own in np.split(places.ravel(), [a.size])
    )
    return delta_of_counts(ones, others, confidence=confidence)


def delta_of_counts(
    first: npt.ArrayLike, second: npt.ArrayLike, *, confidence: float = 0.95
) -> EffectSize:
    """Cliff's delta from how often each system got each value, the lowest value first.

    Examples
    --------
    >>> delta_of_counts([1, 2, 1], [2, 1, 0]).value  # 10, 20, 20, 30 and 10, 10, 20
    0.5
    """
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    counts = (int(a.sum()), int(b.sum()))
    known: dict[str, Any] = {"name": "Cliff's delta", "confidence": confidence, "counts": counts}
    rows, columns = _dominances(b), -_dominances(a)
    delta = float(a @ rows) / counts[0]
    if min(counts) < 2:
        return EffectSize(value=delta, reason=Note("stats.size-needs-two"), **known)
    t = t_quantile((1 + confidence) / 2, sum(counts) - 2)
    low, high = _limits(delta, _variance(a, b, rows, columns), t, min(counts))
    return EffectSize(value=delta, low=low, high=high, method="Feng & Cliff 2004", **known)


def _dominances(others: Floats) -> Floats:
    """For each value, the share of the others below it less the share above it."""
    reached = np.cumsum(others)
    return np.asarray((2 * reached - others - reached[-1]) / reached[-1])


def _variance(a: Floats, b: Floats, rows: Floats, columns: Floats) -> float:
    """Cliff's unbiased variance of delta, not below its least possible value."""
    n, m = float(a.sum()), float(b.sum())
    delta = float(a @ rows) / n
    every = n * m - float(a @ b) - n * m * delta**2
    between = m**2 * (a @ (rows - delta) ** 2) + n**2 * (b @ (columns - delta) ** 2)
    least = (1 - delta**2) / (n * m - 1)
    return max(float(between - every) / (n * m * (n - 1) * (m - 1)), least)


def _limits(delta: float, variance: float, t: float, smaller: int) -> tuple[float, float]:
    if abs(delta) >= 1 - 1e-12:
        inner = (smaller - t**2) / (smaller + t**2)
        return (inner, 1.0) if delta > 0 else (-1.0, -inner)
    reach = t * math.sqrt(variance * ((1 - delta**2) ** 2 + t**2 * variance))
    below = 1 - delta**2 + t**2 * variance
    centre = delta - delta**3
    return max((centre - reach) / below, -1.0), min((centre + reach) / below, 1.0)


def _check_samples(
    first: npt.ArrayLike, second: npt.ArrayLike, confidence: float
) -> tuple[Floats, Floats]:
    check_confidence(confidence)
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if a.ndim != 1 or b.ndim != 1 or not a.size or not b.size:
        raise InvalidArgument("stats.samples-empty")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise InvalidArgument("stats.samples-infinite")
    return a, b


@dataclass(frozen=True, kw_only=True)
class Equivalence(Result):
    """Two one-sided tests of a difference.

    `low` and `high` are the ends of the interval with confidence 1 - 2 alpha; the difference is
    equivalent when both lie inside the margin. `p` is the larger of the two one-sided p-values.
    """

    difference: float
    low: float = math.nan
    high: float = math.nan
    margin: float
    alpha: float
    p_above_lower: float = math.nan
    p_below_upper: float = math.nan

    @property
    def p(self) -> float:
        """The p-value of the whole test."""
        return max(self.p_above_lower, self.p_below_upper)

    @property
    def equivalent(self) -> bool:
        """Whether the difference is shown to be smaller than the margin."""
        return self.p < self.alpha

    @property
    def different(self) -> bool:
        """Whether the difference is shown to be larger than the margin."""
        return self.low > self.margin or self.high < -self.margin

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return super().to_dict() | {"p": plain(self.p), "equivalent": self.equivalent}


def tost(
    difference: float,
    standard_error: float,
    df: float,
    *,
    margin: float,
    alpha: float = 0.05,
) -> Equivalence:
    """Is a difference shown to lie between -margin and +margin?

    Parameters
    ----------
    difference, standard_error, df
        The difference, its standard error and the degrees of freedom of that; `df` may be infinite.
    margin
        The smallest difference that matters, in the same unit. State it before looking.
    alpha
        The level of each one-sided test.

    Returns
    -------
    Equivalence
        With `p`, the interval with confidence 1 - 2 alpha, and `equivalent`.

    Notes
    -----
    Schuirmann's (1987) two one-sided tests: t = (difference ± margin) / standard error. A standard
    error of 0 leaves p undefined.

    References
    ----------
    Schuirmann (1987); Lakens (2017), who tests a difference of 0.03 points between groups of 95 and
    89 persons (sd 0.95 and 0.83) against a margin of 0.384: t(182) = -2.69, p = .004.

    Examples
    --------
    >>> test = tost(0.03, 0.13188, 182, margin=0.38443)
    >>> test.equivalent, round(test.p, 3)
    (True, 0.004)
    """
    _check_margin(margin, alpha)
    if not (standard_error > 0 and math.isfinite(difference)):
        return Equivalence(difference=difference, margin=margin, alpha=alpha)
    reach = t_quantile(1 - alpha, df) * standard_error
    return Equivalence(
        difference=difference,
        low=difference - reach,
        high=difference + reach,
        margin=margin,
        alpha=alpha,
        p_above_lower=_t_tail((difference + margin) / standard_error, df),
        p_below_upper=_t_tail((margin - difference) / standard_error, df),
    )


@dataclass(frozen=True, kw_only=True)
class Distance(Result):
    """How far two sets of standardised means lie apart, and whether that is less than the margin.

    `value` is the standard deviation of the differences, less what noise alone would make of it;
    `raw` is the same with noise. `low` and `high` are one-sided limits with confidence 1 - alpha.
    `p` speaks for equivalence when it is small, `p_different` for a difference above the margin.
    """

    value: float
    raw: float
    low: float
    high: float
    margin: float
    alpha: float
    p: float
    p_different: float
    draws: int

    @property
    def word(self) -> str:
        """`equivalent`, `different` or `not shown`."""
        if self.p < self.alpha:
            return "equivalent"
        return "different" if self.p_different < self.alpha else "not shown"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return super().to_dict() | {"word": self.word}


def distance_test(
    differences: Floats, drawn: Floats, df: float, *, margin: float, alpha: float = 0.05
) -> Distance:
    """Is the standard deviation of differences shown to be smaller than a margin?

    Parameters
    ----------
    differences
        One difference for each system; those of standardised means have a mean of 0.
    drawn
        The same after drawing the means anew around those found, one row per draw.
    df
        The degrees of freedom of the draws' spread, such as the number of judges less one.
    margin, alpha
        As in `tost`.

    Returns
    -------
    Distance
        With both p-values and one-sided limits.

    Notes
    -----
    The variance T of noisy differences is too large by the noise, and that of means drawn around
    them, T*, is too large by the same once more. So the true variance is estimated by
    2 T - mean(T*), or 0 where that is negative, and its standard error by the standard deviation
    of T*. It is compared with the square of the margin. A variance has no sign, so one of the two
    one-sided tests always passes and the other one decides. For standardised means the standard
    deviation is √(2 (1 - r)), r their correlation, so that a margin of 0.5 asks for a true
    correlation of at least .875.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> apart = np.array([0.1, -0.1, 0.05, -0.05])
    >>> distance_test(apart, apart + rng.normal(0, 0.1, (999, 4)), 21, margin=0.5).word
    'equivalent'
    """
    _check_margin(margin, alpha)
    raw, again = float(np.var(differences, ddof=1)), np.var(drawn, axis=1, ddof=1)
    square, error = max(2 * raw - float(again.mean()), 0.0), float(again.std(ddof=1))
    test = tost(square, error, df, margin=margin**2, alpha=alpha)
    return Distance(
        value=_root(square),
        raw=_root(raw),
        low=_root(test.low),
        high=_root(test.high),
        margin=margin,
        alpha=alpha,
        p=test.p_below_upper,
        p_different=_t_tail((square - margin**2) / error, df) if error > 0 else math.nan,
        draws=int(again.size),
    )


def _root(square: float) -> float:
    return math.nan if math.isnan(square) else math.sqrt(max(float(square), 0.0))


def _t_tail(t: float, df: float) -> float:
    return float(special.ndtr(-t) if math.isinf(df) else special.stdtr(df, -t))


def _check_margin(margin: float, alpha: float) -> None:
    if not (math.isfinite(margin) and margin > 0):
        raise InvalidArgument("stats.not-above-0", argument="margin", value=margin, example=0.5)
    check_alpha(alpha, most=0.5)
