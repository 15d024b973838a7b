"""How large is the difference between two systems, whatever the units of the scale?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.stats.distributions import normal_quantile, t_quantile
from covary.stats.plain import plain

__all__ = ["EffectSize", "cliffs_delta", "probability_of_superiority", "standardised_difference"]

Floats = npt.NDArray[np.float64]

LARGEST_T = 200.0
MOST_DF = 2_000
"""Beyond these the large-sample interval does as well as the noncentral t."""


@dataclass(frozen=True)
class EffectSize:
    """A size of the difference of two systems, the first less the second, with its interval.

    `counts` are the ratings of each; `reason` says why there is no value where it is NaN.
    """

    name: str
    value: float
    low: float
    high: float
    confidence: float
    method: str
    counts: tuple[int, int]
    reason: str = ""

    @property
    def defined(self) -> bool:
        """Whether there is a value."""
        return not math.isnan(self.value)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; NaN becomes None."""
        return dict(plain(self))


def standardised_difference(
    first: npt.ArrayLike, second: npt.ArrayLike, *, confidence: float = 0.95
) -> EffectSize:
    """How many standard deviations lie between the means of two systems (Cohen's d)?

    Parameters
    ----------
    first, second
        The ratings of each system.
    confidence
        The confidence of the interval.

    Returns
    -------
    EffectSize
        0 for equal means; the unit is the standard deviation within systems, pooled.

    Notes
    -----
    The interval inverts the noncentral t, which is exact for independent normal ratings of equal
    variance; from 2,000 degrees of freedom on it is the large-sample one of Hedges & Olkin (1985).
    Ratings that share judges or sources are not independent; the interval then is a rough guide.

    References
    ----------
    Cohen (1988), section 2.2; Steiger & Fouladi (1997) for the interval.

    Examples
    --------
    >>> found = standardised_difference([3, 4, 5, 6], [1, 2, 3, 4])
    >>> round(found.value, 4)  # 2 by the root of 5/3
    1.5492
    """
    a, b = _checked(first, second, confidence)
    reason = _why_no_spread(a, b)
    name, counts = "standardised difference", (a.size, b.size)
    if reason:
        return _nothing(name, confidence, counts, reason)
    df = a.size + b.size - 2
    pooled = math.sqrt((_squares(a) + _squares(b)) / df)
    d, weight = float(a.mean() - b.mean()) / pooled, 1 / a.size + 1 / b.size
    if df > MOST_DF or abs(d) / math.sqrt(weight) > LARGEST_T:
        error = math.sqrt(weight + d**2 / (2 * (df + 2)))
        reach = normal_quantile((1 + confidence) / 2) * error
        return EffectSize(name, d, d - reach, d + reach, confidence, "large-sample", counts)
    low, high = (
        each * math.sqrt(weight) for each in _noncentral(d / math.sqrt(weight), df, confidence)
    )
    return EffectSize(name, d, low, high, confidence, "noncentral t", counts)


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
    a, b = _checked(first, second, confidence)
    return _dominance("Cliff's delta", a, b, confidence)


def probability_of_superiority(
    first: npt.ArrayLike, second: npt.ArrayLike, *, confidence: float = 0.95
) -> EffectSize:
    """How likely is a rating of the first system to be higher than one of the second?

    Ties count half: it is (1 + Cliff's delta) / 2, with the same interval.

    Examples
    --------
    >>> round(probability_of_superiority([2, 3, 4], [1, 2, 3]).value, 4)  # 6 pairs and 2 ties of 9
    0.7778
    """
    a, b = _checked(first, second, confidence)
    delta = _dominance("probability of superiority", a, b, confidence)
    value, low, high = ((1 + each) / 2 for each in (delta.value, delta.low, delta.high))
    return EffectSize(
        delta.name, value, low, high, confidence, delta.method, delta.counts, delta.reason
    )


def _dominance(name: str, a: Floats, b: Floats, confidence: float) -> EffectSize:
    counts = (a.size, b.size)
    rows, columns = _dominances(a, b), -_dominances(b, a)
    delta = float(rows.mean())
    if min(counts) < 2:
        nothing = math.nan
        return EffectSize(name, delta, nothing, nothing, confidence, "none", counts,
                          "an interval needs two ratings of each system")  # fmt: skip
    t = t_quantile((1 + confidence) / 2, a.size + b.size - 2)
    low, high = _limits(delta, _variance(a, b, rows, columns), t, min(counts))
    return EffectSize(name, delta, low, high, confidence, "Feng & Cliff 2004", counts)


def _dominances(values: Floats, others: Floats) -> Floats:
    """For each value, the share of the others below it less the share above it."""
    ordered = np.sort(others)
    below = np.searchsorted(ordered, values, side="left")
    above = others.size - np.searchsorted(ordered, values, side="right")
    return np.asarray((below - above) / others.size)


def _variance(a: Floats, b: Floats, rows: Floats, columns: Floats) -> float:
    """Cliff's unbiased variance of delta, not below its least possible value."""
    n, m, delta = a.size, b.size, float(rows.mean())
    ordered = np.sort(b)
    ties = np.searchsorted(ordered, a, side="right") - np.searchsorted(ordered, a, side="left")
    every = n * m - float(ties.sum()) - n * m * delta**2
    between = m**2 * np.sum((rows - delta) ** 2) + n**2 * np.sum((columns - delta) ** 2)
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


def _noncentral(t: float, df: int, confidence: float) -> tuple[float, float]:
    """The noncentralities between which a t of this size is not extreme."""
    from scipy import special

    tails = (1 + confidence) / 2, (1 - confidence) / 2
    low, high = (float(special.nctdtrinc(df, p, abs(t))) for p in tails)
    return (low, high) if t >= 0 else (-high, -low)


def _checked(
    first: npt.ArrayLike, second: npt.ArrayLike, confidence: float
) -> tuple[Floats, Floats]:
    if not 0 < confidence < 1:
        raise InvalidArgument(f"confidence={confidence!r} must lie between 0 and 1, such as 0.95")
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if a.ndim != 1 or b.ndim != 1 or not a.size or not b.size:
        raise InvalidArgument("both systems need a list of at least one rating")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise InvalidArgument("the ratings must be finite numbers; leave missing ones out")
    return a, b


def _why_no_spread(a: Floats, b: Floats) -> str:
    if min(a.size, b.size) < 2:
        return "a standard deviation needs two ratings of each system"
    if not np.ptp(a) and not np.ptp(b):
        return "the ratings of each system do not vary, so there is no unit to compare in"
    return ""


def _squares(values: Floats) -> float:
    return float(np.sum((values - values.mean()) ** 2))


def _nothing(name: str, confidence: float, counts: tuple[int, int], reason: str) -> EffectSize:
    return EffectSize(name, math.nan, math.nan, math.nan, confidence, "none", counts, reason)
