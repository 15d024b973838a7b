"""The few probability functions that tests and intervals need, and the studentised range.

`scipy.special` is imported where it is used: it takes longer to load than all the rest.

The studentised range is the spread of k means in units of their estimated standard error. P(Q > q)
is the mean of T(q s) over s, where s² is a chi-square by its degrees of freedom and T(w) the
probability that k standard normals spread over more than w. T is tabulated once for each k, so
that the tail of many pairs costs little more than that of one.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def normal_quantile(p: float) -> float:
    """The number below which a standard normal lies with probability p."""
    from scipy import special

    return float(special.ndtri(p))


def normal_cdf(z: float) -> float:
    """The probability that a standard normal lies below z."""
    from scipy import special

    return float(special.ndtr(z))


def wilson(share: float, n: float, confidence: float) -> tuple[float, float]:
    """Wilson's (1927) interval of a share of n things.

    Examples
    --------
    >>> low, high = wilson(81 / 263, 263, 0.95)  # Newcombe (1998), Table I: .2553 to .3662
    >>> print(f"{low:.4f} {high:.4f}")
    0.2553 0.3662
    """
    z = normal_quantile((1 + confidence) / 2)
    centre = share + z * z / (2 * n)
    reach = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low, high = ((centre + sign * reach) / (1 + z * z / n) for sign in (-1, 1))
    return (0.0 if share == 0 else low), (1.0 if share == 1 else high)


def t_quantile(p: float, df: float) -> float:
    """The number below which Student's t lies with probability p."""
    from scipy import special

    return float(special.stdtrit(df, p))


def f_quantile(p: float, df1: float, df2: float) -> float:
    """The number below which F lies with probability p."""
    from scipy import special

    return float(special.fdtri(df1, df2, p))


def f_tail(f: float, df1: float, df2: float) -> float:
    """The probability that F exceeds f."""
    from scipy import special

    return float(special.fdtrc(df1, df2, f))


def chi2_quantile(p: float, df: float) -> float:
    """The number below which chi-square lies with probability p."""
    from scipy import special

    return float(2 * special.gammaincinv(df / 2, p))


def chi2_tail(x: float, df: float) -> float:
    """The probability that chi-square exceeds x."""
    from scipy import special

    return float(special.chdtrc(df, x))


def two_sided(t: Floats, df: npt.ArrayLike = math.inf) -> Floats:
    """The probability that Student's t (a normal for infinite df) is further from 0 than t."""
    from scipy import special

    return np.asarray(2 * np.where(np.isinf(df), special.ndtr(-t), special.stdtr(df, -t)))


WIDEST = 75.0
"""Beyond this the tail of any number of normals is below the smallest number there is."""

STEP = 0.02
"""The distance between tabulated widths; a cubic through the logarithms errs by less than 1e-9."""

SPREAD = 0.06
"""The step over normal deviates; the trapezoidal rule is exact but for rounding there."""

DEPTH = 45.0
"""How far the logarithm of the density of s may fall before it is left out."""

NODES = 24
"""How many quantiles are computed before a curve is drawn through them."""

MOST_DFS = 2_000
"""With more different degrees of freedom than this, near ones are taken together."""

BLOCK = 2_000_000
"""The most numbers that are held at once."""


def range_tail(q: npt.ArrayLike, k: int, df: npt.ArrayLike) -> Floats:
    """The probability that the studentised range of k means exceeds q.

    Parameters
    ----------
    q
        One or more values; NaN stays NaN.
    k
        How many means there are.
    df
        The degrees of freedom of the standard error, one or as many as there are values; `inf`
        where it is known.

    Examples
    --------
    The .05 point of three means with 12 degrees of freedom is 3.77 in the printed tables:

    >>> round(float(range_tail(3.773, 3, 12)), 4)
    0.05
    """
    values, dfs = np.broadcast_arrays(np.asarray(q, float), np.asarray(df, float))
    tail = np.full(values.shape, np.nan)
    known = ~np.isnan(values) & ~np.isnan(dfs) & (dfs > 0)
    if known.any():
        tail[known] = _tails(values[known], k, dfs[known])
    return tail


@lru_cache(maxsize=512)
def range_quantile(p: float, k: int, df: float) -> float:
    """The value that the studentised range of k means stays below with probability p.

    Examples
    --------
    >>> round(range_quantile(0.95, 4, 18), 2), round(range_quantile(0.95, 10, math.inf), 3)
    (4.0, 4.474)
    """
    from scipy import optimize

    def above(q: float) -> float:
        return float(range_tail(q, k, df)) - (1 - p)

    high = 4.0
    while above(high) > 0:
        high *= 2
    return float(optimize.brentq(above, 0.0, high, xtol=1e-12, rtol=1e-13))


def range_quantiles(p: float, k: int, df: Floats) -> Floats:
    """The same for many degrees of freedom; NaN where these are none.

    Where there are many different ones, the quantiles in between follow from a curve through a few.
    """
    quantiles = np.full(df.shape, np.nan)
    known = ~np.isnan(df) & (df > 0)
    if k < 2 or not known.any():
        return quantiles
    different, places = np.unique(np.round(1 / df[known], 12), return_inverse=True)
    quantiles[known] = _quantiles_at(different, p, k)[places]
    return quantiles


def _quantiles_at(inverse: Floats, p: float, k: int) -> Floats:
    """Quantiles by 1 / df, in which they are smooth down to infinitely many."""

    def log_quantiles(places: Floats) -> Floats:
        return np.log([range_quantile(p, k, 1 / x if x > 0 else math.inf) for x in places])

    if inverse.size <= NODES:
        return np.exp(log_quantiles(inverse))
    ends = [float(inverse[0]), float(inverse[-1])]
    curve = np.polynomial.Chebyshev.interpolate(log_quantiles, NODES - 1, domain=ends)
    return np.asarray(np.exp(curve(inverse)), dtype=float)


def _tails(q: Floats, k: int, df: Floats) -> Floats:
    """Take the pairs with the same degrees of freedom together."""
    tail = np.empty(q.size)
    inverse, places = np.unique(np.round(1 / df, 10), return_inverse=True)
    if inverse.size > MOST_DFS:
        inverse, places = np.unique(np.round(1 / df, 6), return_inverse=True)
    order = np.argsort(places, kind="stable")
    ends = np.cumsum(np.bincount(places))
    for step, rows in zip(inverse, np.split(order, ends[:-1]), strict=True):
        tail[rows] = _mean_tail(q[rows], k, 1 / step if step else math.inf)
    return tail


def _mean_tail(q: Floats, k: int, df: float) -> Floats:
    """Average the normal tail over the density of s, in equal steps of log s."""
    normal = _normal_tail(k)
    if math.isinf(df):
        return np.asarray(normal(q))
    s, weights = _deviations(df)
    tail = np.empty(q.size)
    rows = max(1, BLOCK // s.size)
    for start in range(0, q.size, rows):
        part = slice(start, start + rows)
        tail[part] = normal(q[part, None] * s[None, :]) @ weights
    return np.clip(tail, 0.0, 1.0)


@lru_cache(maxsize=256)
def _deviations(df: float) -> tuple[Floats, Floats]:
    """Values of s and their weights. With u = log s the density is df u - df exp(2u) / 2."""
    low, high = -_reach(df, -1), _reach(df, 1)
    width = min(1 / math.sqrt(2 * df), 0.35)
    steps = max(48, math.ceil((high - low) / (width / 4)))
    u = np.linspace(low, high, steps)
    height = df * (u - (np.exp(2 * u) - 1) / 2)
    weights = np.exp(height)
    return np.exp(u), np.asarray(weights / weights.sum())


def _reach(df: float, sign: int) -> float:
    """How far u may go from 0 before the density has fallen by `DEPTH`."""
    u = 1e-8
    while df * (sign * u - math.expm1(2 * sign * u) / 2) > -DEPTH:
        u *= 1.1
    return u


@lru_cache(maxsize=64)
def _normal_tail(k: int) -> Any:
    """The probability that k standard normals spread over more than w, as a function of w."""
    from scipy import interpolate

    widths = np.arange(0.0, WIDEST + STEP, STEP)
    logs = np.concatenate([_log_tail(part, k) for part in np.array_split(widths, 40)])
    curve = interpolate.CubicSpline(widths, logs)

    def tail(w: Floats) -> Floats:
        return np.asarray(np.exp(np.where(w < WIDEST, curve(np.minimum(w, WIDEST)), -np.inf)))

    return tail


def _log_tail(w: Floats, k: int) -> Floats:
    """The logarithm of T(w) = k ∫ φ(z) (Φ(z)^(k-1) - (Φ(z) - Φ(z - w))^(k-1)) dz."""
    from scipy import special

    z = np.arange(-9.0, 39.0, SPREAD)[None, :]
    below = special.log_ndtr(z)
    inside = special.log_ndtr(z - w[:, None]) - below
    with np.errstate(divide="ignore"):
        lost = np.log(-np.expm1((k - 1) * np.log1p(-np.exp(np.minimum(inside, 0.0)))))
    parts = -(z**2) / 2 + (k - 1) * below + lost
    scale = math.log(k * SPREAD / math.sqrt(2 * math.pi))
    return np.asarray(np.minimum(special.logsumexp(parts, axis=1) + scale, 0.0))
