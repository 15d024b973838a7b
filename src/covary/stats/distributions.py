"""The few probability functions that tests and intervals need, and the studentised range.

The studentised range is the spread of k means in units of their estimated standard error. P(Q > q)
is the mean of T(q s) over s, where s² is a chi-square by its degrees of freedom and T(w) the
probability that k standard normals spread over more than w. T is tabulated once for each k, so
that the tail of many pairs costs little more than that of one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from covary.stats import special

Floats = npt.NDArray[np.float64]

MANY_FREE, FAR_OUT = 1000, 4.0
"""With so many degrees of freedom, and not too far out, an expansion of t has all digits."""


@lru_cache(maxsize=4096)
def normal_quantile(p: float) -> float:
    """The number below which a standard normal lies with probability p."""
    return float(special.ndtri(p))


def normal_cdf(z: float) -> float:
    """The probability that a standard normal lies below z."""
    return float(special.ndtr(z))


def find_root(function: Callable[[float], float], low: float, high: float, width: float) -> float:
    """Where a function changes its sign between two numbers, by Ridders' (1979) rule."""
    at_low, at_high = function(low), function(high)
    if at_low * at_high > 0:
        raise ValueError("the function has the same sign at both ends")
    while abs(high - low) > width and at_low and at_high:
        middle = (low + high) / 2
        at_middle = function(middle)
        root = math.sqrt(max(at_middle**2 - at_low * at_high, 0.0))
        if not root:
            return middle
        turned = middle + (middle - low) * math.copysign(1.0, at_low - at_high) * at_middle / root
        at_turned = function(turned)
        ends = sorted([(low, at_low), (middle, at_middle), (turned, at_turned), (high, at_high)])
        (low, at_low), (high, at_high) = next((a, b) for a, b in pairwise(ends) if a[1] * b[1] <= 0)
    return low if not at_low else high if not at_high else (low + high) / 2


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


def level_of_each(confidence: float, n: int) -> float:
    """The confidence of each of n intervals at which all of them hold together (Šidák 1967).

    Whoever looks at n intervals and speaks of the most extreme has made n comparisons.

    Examples
    --------
    >>> round(level_of_each(0.95, 200), 5)
    0.99974
    """
    return math.pow(confidence, 1 / max(n, 1))


@lru_cache(maxsize=4096)
def t_quantile(p: float, df: float) -> float:
    """The number below which Student's t lies with probability p."""
    if df >= MANY_FREE and abs(z := normal_quantile(p)) < FAR_OUT:
        return _nearly_normal(z, df)
    return float(special.stdtrit(df, p))


def _nearly_normal(z: float, df: float) -> float:
    """Student's t from the normal quantile, by Fisher's expansion (Abramowitz & Stegun 26.7.5)."""
    y = z * z
    terms = (
        z * (y + 1) / 4,
        z * ((5 * y + 16) * y + 3) / 96,
        z * (((3 * y + 19) * y + 17) * y - 15) / 384,
        z * ((((79 * y + 776) * y + 1482) * y - 1920) * y - 945) / 92160,
    )
    return z + sum(term / df**power for power, term in enumerate(terms, 1))


@lru_cache(maxsize=4096)
def f_quantile(p: float, df1: float, df2: float) -> float:
    """The number below which F lies with probability p."""
    return float(special.fdtri(df1, df2, p))


def f_tail(f: float, df1: float, df2: float) -> float:
    """The probability that F exceeds f."""
    return float(special.fdtrc(df1, df2, f))


@lru_cache(maxsize=4096)
def chi2_quantile(p: float, df: float) -> float:
    """The number below which chi-square lies with probability p."""
    return float(2 * special.gammaincinv(df / 2, p))


def chi2_tail(x: float, df: float) -> float:
    """The probability that chi-square exceeds x."""
    return float(special.chdtrc(df, x))


def two_sided(t: Floats, df: npt.ArrayLike = math.inf) -> Floats:
    """The probability that Student's t (a normal for infinite df) is further from 0 than t."""
    return np.asarray(2 * np.where(np.isinf(df), special.ndtr(-t), special.stdtr(df, -t)))


WIDEST = 75.0
"""Beyond this the tail of any number of normals is below the smallest number there is."""

STEP = 0.06
"""The step over normal deviates, where the trapezoidal rule is exact but for rounding, and the
distance between tabulated widths."""

POINTS = 10
"""A curve through so many tabulated logarithms errs by less than 1e-10 between them."""

STRETCH = 200
"""How many widths are tabulated at once, from 0 as far as they are asked for."""

DEPTH = 45.0
"""How far the logarithm of the density of s may fall before it is left out."""

NODES = 24
"""How many quantiles are computed before a curve is drawn through them."""

LOWEST, HIGHEST = -150, 650
"""Beyond -9 and 39 normal deviates are never met; in steps."""

FAR = -20.0
"""Below this five terms of the asymptotic series have all digits."""

RARE = -60.0
"""The logarithm of a probability so small that twice it adds up to nothing beside once."""

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

    def above(q: float) -> float:
        return float(range_tail(q, k, df)) - (1 - p)

    high = 4.0
    while above(high) > 0:
        high *= 2
    return find_root(above, 0.0, high, 1e-12)


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
def _normal_tail(k: int) -> Callable[[Floats], Floats]:
    """The probability that k standard normals spread over more than w, as a function of w."""
    table = _LogTails(k)

    def tail(w: Floats) -> Floats:
        return np.asarray(np.exp(np.where(w < WIDEST, table.at(np.minimum(w, WIDEST)), -np.inf)))

    return tail


class _LogTails:
    """The logarithm of T(w) at the multiples of `STEP`, as far as it was needed."""

    def __init__(self, k: int) -> None:
        self.k, self.logs = k, np.zeros(0)

    def at(self, w: Floats) -> Floats:
        """Interpolate (Lagrange) between the nearest tabulated widths."""
        places = np.maximum(w, 0.0) / STEP
        first = np.maximum(places.astype(np.intp) - POINTS // 2 + 1, 0)
        while self.logs.size < int(first.max(initial=0)) + POINTS:
            numbers = np.arange(self.logs.size, self.logs.size + STRETCH)
            self.logs = np.append(self.logs, _log_tail(numbers, self.k))
        distances = places - first
        total, weights = np.zeros(w.shape), _lagrange(distances)
        for point, weight in enumerate(weights):
            total += weight * self.logs[first + point]
        return np.minimum(total, 0.0)


def _lagrange(distances: Floats) -> Iterator[Floats]:
    """The weight of each of the neighbours 0, 1, 2, … at a distance from the first."""
    after = [np.ones(distances.shape)]
    for point in range(POINTS - 1, 0, -1):
        after.append(after[-1] * (distances - point))
    before = np.ones(distances.shape)
    for point in range(POINTS):
        others = math.factorial(point) * math.factorial(POINTS - 1 - point)
        yield before * after[POINTS - 1 - point] * ((-1) ** (POINTS - 1 - point) / others)
        before = before * (distances - point)


def _log_tail(numbers: npt.NDArray[np.intp], k: int) -> Floats:
    """The logarithm of T(w) = k ∫ φ(z) (Φ(z)^(k-1) - (Φ(z) - Φ(z - w))^(k-1)) dz.

    For widths w that are so many steps, because z and z - w then lie on the same grid.
    """
    steps = np.arange(LOWEST, HIGHEST)
    lower = np.arange(LOWEST - int(numbers[-1]), HIGHEST)
    logs = _log_normal_cdf(np.asarray(lower * STEP, dtype=float))
    z, below = steps * STEP, logs[steps - lower[0]]
    inside = logs[steps[None, :] - numbers[:, None] - lower[0]] - below
    with np.errstate(divide="ignore"):
        lost = np.log(-np.expm1((k - 1) * np.log1p(-np.exp(np.minimum(inside, 0.0)))))
    lost = np.where(inside < RARE, math.log(max(k - 1, 1)) + inside, lost)
    parts = -(z**2) / 2 + (k - 1) * below + lost
    highest = parts.max(axis=1)
    sums = np.log(np.exp(parts - highest[:, None]).sum(axis=1)) + highest
    return np.asarray(np.minimum(sums + math.log(k * STEP / math.sqrt(2 * math.pi)), 0.0))


def _log_normal_cdf(z: Floats) -> Floats:
    """Log Φ(z); far below 0 by the asymptotic series (Abramowitz & Stegun 1964, 26.2.12)."""
    far = np.minimum(z, FAR)
    square = 1 / far**2
    series = 1 - square * (1 - 3 * square * (1 - 5 * square * (1 - 7 * square)))
    logs = -(far**2) / 2 - np.log(-far * math.sqrt(2 * math.pi)) + np.log(series)
    near, above = (z > FAR) & (z < 0), z >= 0
    tails = [math.erfc(abs(each) / math.sqrt(2)) / 2 for each in z[z > FAR].tolist()]
    logs[near] = np.log(tails[: int(near.sum())])
    logs[above] = np.log1p(-np.array(tails[int(near.sum()) :]))
    return np.asarray(logs)
