"""Equivalence: is a difference shown to be smaller than what matters?

That no difference was found does not show that there is none. An equivalence test turns the
question round: the null hypothesis is that the difference is at least as large as a margin that
was stated beforehand, and small p-values speak for equivalence.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.stats.distributions import t_quantile
from covary.stats.plain import plain

__all__ = ["Distance", "Equivalence", "distance_test", "tost"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Equivalence:
    """Two one-sided tests of a difference.

    `low` and `high` are the ends of the interval with confidence 1 - 2 alpha; the difference is
    equivalent when both lie inside the margin. `p` is the larger of the two one-sided p-values.
    """

    difference: float
    low: float
    high: float
    margin: float
    alpha: float
    p_above_lower: float
    p_below_upper: float

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
        own: dict[str, Any] = plain(self)
        return own | {"p": plain(self.p), "equivalent": self.equivalent}


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
    >>> found = tost(0.03, 0.13188, 182, margin=0.38443)
    >>> found.equivalent, round(found.p, 3)
    (True, 0.004)
    """
    _check(margin, alpha)
    if not (standard_error > 0 and math.isfinite(difference)):
        return Equivalence(difference, math.nan, math.nan, margin, alpha, math.nan, math.nan)
    reach = t_quantile(1 - alpha, df) * standard_error
    above = _t_tail((difference + margin) / standard_error, df)
    below = _t_tail((margin - difference) / standard_error, df)
    return Equivalence(
        difference, difference - reach, difference + reach, margin, alpha, above, below
    )


@dataclass(frozen=True)
class Distance:
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
        own: dict[str, Any] = plain(self)
        return own | {"word": self.word}


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
    _check(margin, alpha)
    found, again = float(np.var(differences, ddof=1)), np.var(drawn, axis=1, ddof=1)
    square, error = max(2 * found - float(again.mean()), 0.0), float(again.std(ddof=1))
    test = tost(square, error, df, margin=margin**2, alpha=alpha)
    above = _t_tail((square - margin**2) / error, df) if error > 0 else math.nan
    return Distance(
        _root(square), _root(found), _root(test.low), _root(test.high), margin, alpha,
        test.p_below_upper, above, int(again.size),
    )  # fmt: skip


def _root(square: float) -> float:
    return math.nan if math.isnan(square) else math.sqrt(max(float(square), 0.0))


def _t_tail(t: float, df: float) -> float:
    from scipy import special

    return float(special.ndtr(-t) if math.isinf(df) else special.stdtr(df, -t))


def _check(margin: float, alpha: float) -> None:
    if not (math.isfinite(margin) and margin > 0):
        raise InvalidArgument(f"margin={margin!r} must be a number above 0, such as 0.5")
    if not 0 < alpha < 0.5:
        raise InvalidArgument(f"alpha={alpha!r} must lie between 0 and 0.5, such as 0.05")
