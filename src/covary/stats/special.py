"""Distributions for a few numbers without SciPy, and SciPy's own for many.

Loading `scipy.special` takes longer than all the rest of a small report, which asks for a few
hundred probabilities. Those are computed here, one by one, and agree with SciPy's to 1e-11; arrays
of more than `FEW` numbers, large parameters and whatever is no ordinary number are left to SciPy.
The functions have SciPy's names and arguments.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

FEW = 256
"""So many numbers are computed one by one."""

LARGEST = 1e4
"""Larger parameters make continued fractions long, and are left to SciPy."""

EXACT = 1e-17
"""A term below this share of a sum changes none of its digits."""

MOST_STEPS = 400
"""The most steps of a search or of a continued fraction."""

MOST_TERMS = 20_000
"""The most terms of a noncentral distribution."""

ROOT_2, ROOT_2_PI = math.sqrt(2), math.sqrt(2 * math.pi)
TINY = 1e-300


def scipy_special() -> Any:
    """SciPy's functions, loaded when they are needed."""
    return import_module("scipy.special")


def _one_by_one(own: Callable[..., float | None]) -> Callable[..., Any]:
    """A function of numbers as one of arrays; where it has no answer, SciPy's is taken."""
    name = own.__name__.lstrip("_")

    def evaluate(*arguments: npt.ArrayLike) -> Any:
        arrays = [np.asarray(each, dtype=float) for each in arguments]
        shape = np.broadcast_shapes(*(each.shape for each in arrays))
        if math.prod(shape) > FEW:
            return _of_scipy(name, arrays)
        if not shape:
            return answer(*(float(each) for each in arrays))
        flat = [np.broadcast_to(each, shape).ravel().tolist() for each in arrays]
        return np.array([answer(*each) for each in zip(*flat, strict=True)]).reshape(shape)

    def answer(*numbers: float) -> float:
        value = own(*numbers)
        return float(_of_scipy(name, numbers)) if value is None else value

    return evaluate


def _of_scipy(name: str, numbers: Sequence[Any]) -> Any:
    if name in ("bdtr", "bdtrc"):  # which take whole numbers of trials only
        numbers = [numbers[0], np.asarray(numbers[1]).astype(np.int64), numbers[2]]
    return getattr(scipy_special(), name)(*numbers)


def expits(x: Floats) -> tuple[Floats, Floats]:
    """The logistic function at x and at -x, from one exponential."""
    small = np.exp(-np.abs(x))
    large = 1 / (1 + small)
    small = small * large
    positive = x >= 0
    return np.where(positive, large, small), np.where(positive, small, large)


def expit(x: Floats) -> Floats:
    """The logistic function."""
    return expits(x)[0]


@_one_by_one
def ndtr(z: float) -> float | None:
    """The probability that a standard normal lies below z."""
    return math.erfc(-z / ROOT_2) / 2


@_one_by_one
def ndtri(p: float) -> float | None:
    """The number below which a standard normal lies with probability p.

    Abramowitz & Stegun (1964), 26.2.23, improved by Newton's steps on the logarithm of the tail.
    """
    if not TINY < p < 1:
        return None
    small = min(p, 1 - p)
    t = math.sqrt(-2 * math.log(small))
    above = 2.515517 + t * (0.802853 + t * 0.010328)
    z = t - above / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
    for _ in range(4):
        tail = math.erfc(z / ROOT_2) / 2
        z += math.log(tail / small) * tail * ROOT_2_PI * math.exp(z * z / 2)
    return -z if p < 0.5 else z


@_one_by_one
def fdtr(df1: float, df2: float, f: float) -> float | None:
    """The probability that F lies below f."""
    parts = _f_parts(df1, df2, f)
    return parts and parts[0]


@_one_by_one
def fdtrc(df1: float, df2: float, f: float) -> float | None:
    """The probability that F exceeds f."""
    parts = _f_parts(df1, df2, f)
    return parts and parts[1]


@_one_by_one
def fdtri(df1: float, df2: float, p: float) -> float | None:
    """The number below which F lies with probability p."""
    return _f_quantile(df1, df2, p, 1 - p)


@_one_by_one
def stdtr(df: float, t: float) -> float | None:
    """The probability that Student's t lies below t, from F = t² with 1 degree of freedom."""
    parts = (0.0, 1.0) if t == 0 and _ordinary(df) else _f_parts(1.0, df, t * t)
    return parts and (parts[1] / 2 if t < 0 else 1 - parts[1] / 2)


@_one_by_one
def stdtrit(df: float, p: float) -> float | None:
    """The number below which Student's t lies with probability p."""
    small = min(p, 1 - p)
    if small == 0.5 and _ordinary(df):
        return 0.0
    square = _f_quantile(1.0, df, 1 - 2 * small, 2 * small)
    return square and math.copysign(math.sqrt(square), p - 0.5)


@_one_by_one
def chdtrc(df: float, x: float) -> float | None:
    """The probability that chi-square exceeds x."""
    parts = _gamma_parts(df / 2, x / 2)
    return parts and parts[1]


@_one_by_one
def chdtri(df: float, p: float) -> float | None:
    """The number that chi-square exceeds with probability p."""
    half = _gamma_quantile(df / 2, 1 - p, p)
    return half and 2 * half


@_one_by_one
def gammaincinv(a: float, p: float) -> float | None:
    """The number below which a gamma variable of shape a lies with probability p."""
    return _gamma_quantile(a, p, 1 - p)


@_one_by_one
def bdtr(k: float, n: float, p: float) -> float | None:
    """The probability of at most k successes in n trials."""
    parts = _binomial_parts(k, n, p)
    return parts and parts[0]


@_one_by_one
def bdtrc(k: float, n: float, p: float) -> float | None:
    """The probability of more than k successes in n trials."""
    parts = _binomial_parts(k, n, p)
    return parts and parts[1]


@_one_by_one
def ncfdtr(df1: float, df2: float, noncentrality: float, f: float) -> float | None:
    """The probability that a noncentral F lies below f.

    The mean of I(a + j, b) over Poisson numbers j, and I(a + j, b) is what remains of a series.
    """
    if not (_ordinary(df1, df2) and 0 < f < math.inf and 0 <= noncentrality <= LARGEST):
        return None
    terms = _beta_terms(df1, df2, f)
    if terms is None:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        numbers = np.arange(terms.size)
        logs = np.where(numbers > 0, numbers * np.log(noncentrality / 2), 0.0)
    logs -= noncentrality / 2 + _log_factorials(terms.size)
    return float(terms @ np.minimum(np.cumsum(np.exp(logs)), 1.0))


def _ordinary(*parameters: float) -> bool:
    return all(0 < parameter <= LARGEST for parameter in parameters)


Parts = tuple[float, float, float]
"""What lies below a number, what lies above, and the density by the logarithm of the number."""


def _f_parts(df1: float, df2: float, f: float) -> Parts | None:
    if not (_ordinary(df1, df2) and 0 < f < math.inf):
        return None
    whole = df1 * f + df2
    return _beta_parts(df1 / 2, df2 / 2, df1 * f / whole, df2 / whole)


def _binomial_parts(k: float, n: float, p: float) -> tuple[float, float] | None:
    """Below and above k, from the incomplete beta function (Abramowitz & Stegun 1964, 26.5.24)."""
    if not (_ordinary(n) and 0 < p < 1 and -1 <= k <= n and k == int(k) and n == int(n)):
        return None
    if k in (-1, n):
        return float(k == n), float(k == -1)
    parts = _beta_parts(k + 1, n - k, p, 1 - p)
    return parts and (parts[1], parts[0])


def _beta_parts(a: float, b: float, x: float, y: float) -> Parts | None:
    """The incomplete beta function on both sides of x = 1 - y."""
    if not (x > 0 and y > 0):
        return None
    density = math.exp(_log_binomial(a, b, x, y)) * a * b / (a + b)
    swapped = x * (a + b + 2) > a + 1
    fraction = _beta_fraction(b, a, y) if swapped else _beta_fraction(a, b, x)
    if fraction is None:
        return None
    part = density * fraction / (b if swapped else a)
    return (1 - part, part, density) if swapped else (part, 1 - part, density)


def _beta_fraction(a: float, b: float, x: float) -> float | None:
    """The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's rule."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1) or TINY)
    value = d
    for m in range(1, MOST_STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / (1 + term * d or TINY)
            c = 1 + term / c or TINY
            value *= c * d
        if abs(c * d - 1) < 1e-16:
            return value
    return None


def _gamma_parts(a: float, x: float) -> Parts | None:
    """The incomplete gamma function on both sides of x."""
    if not (_ordinary(a) and 0 < x < math.inf):
        return None
    density = math.exp(_log_poisson(a, x)) * a
    if x < a + 1:
        below = _gamma_series(a, x)
        return None if below is None else (density * below / a, 1 - density * below / a, density)
    above = _gamma_fraction(a, x)
    return None if above is None else (1 - density * above, density * above, density)


def _gamma_series(a: float, x: float) -> float | None:
    term = total = 1.0
    for n in range(1, 10 * MOST_STEPS):
        term *= x / (a + n)
        total += term
        if term < EXACT * total:
            return total
    return None


def _gamma_fraction(a: float, x: float) -> float | None:
    """The continued fraction of the upper incomplete gamma function (DLMF 8.9.2)."""
    b = x + 1 - a
    c, d = 1 / TINY, 1 / (b or TINY)
    value = d
    for n in range(1, MOST_STEPS):
        b += 2
        d = 1 / (b - n * (n - a) * d or TINY)
        c = b - n * (n - a) / c or TINY
        value *= c * d
        if abs(c * d - 1) < 1e-16:
            return value
    return None


def _f_quantile(df1: float, df2: float, below: float, above: float) -> float | None:
    return _quantile(lambda u: _f_parts(df1, df2, math.exp(u)), below, above)


def _gamma_quantile(a: float, below: float, above: float) -> float | None:
    return _quantile(lambda u: _gamma_parts(a, math.exp(u)), below, above)


def _quantile(parts: Callable[[float], Parts | None], below: float, above: float) -> float | None:
    """Where so much lies below and above, by Newton's steps on logarithms within bounds."""
    if not (TINY < below < 1 and TINY < above < 1):
        return None
    low, high, u = -math.inf, math.inf, 0.0
    for _ in range(MOST_STEPS):
        here = parts(u)
        if here is None or abs(u) > 500:
            return None
        share, wanted, sign = (here[0], below, 1) if below <= above else (here[1], above, -1)
        gap = sign * math.log(max(share, TINY) / wanted)
        low, high = (low, u) if gap > 0 else (u, high)
        step = -gap * share / here[2] if here[2] > TINY else -math.copysign(2.0, gap)
        if abs(step) < 1e-14:
            return math.exp(u + step)
        following = u + min(max(step, -2.0), 2.0)
        u = following if low < following < high else (low + high) / 2
    return None


# Loader (2000), Fast and accurate computation of binomial probabilities: large parts cancel on
# paper and not in floating-point numbers.


def _log_binomial(a: float, b: float, x: float, y: float) -> float:
    """log(x^a y^b Γ(a + b + 1) / Γ(a + 1) / Γ(b + 1))."""
    n = a + b
    errors = _stirling_error(n) - _stirling_error(a) - _stirling_error(b)
    deviances = _deviance(a, n * x) + _deviance(b, n * y)
    return errors - deviances + math.log(n / (2 * math.pi * a * b)) / 2


def _log_poisson(a: float, x: float) -> float:
    """log(x^a e^-x / Γ(a + 1))."""
    return -_stirling_error(a) - _deviance(a, x) - math.log(2 * math.pi * a) / 2


def _stirling_error(n: float) -> float:
    """How far log Γ(n + 1) is from Stirling's formula."""
    if n <= 15:
        return math.lgamma(n + 1) - (n + 0.5) * math.log(n) + n - math.log(ROOT_2_PI)
    square = n * n
    series = 1 / 1260 - (1 / 1680 - (1 / 1188 - 691 / 360360 / square) / square) / square
    return (1 / 12 - (1 / 360 - series / square) / square) / n


def _deviance(x: float, expected: float) -> float:
    """X log(x / expected) + expected - x."""
    if abs(x - expected) >= 0.1 * (x + expected):
        return x * math.log(x / expected) + expected - x
    v = (x - expected) / (x + expected)
    total, term = (x - expected) * v, 2 * x * v
    for odd in range(3, 100, 2):
        term *= v * v
        following = total + term / odd
        if following == total:
            break
        total = following
    return total


@lru_cache(maxsize=16)
def _beta_terms(df1: float, df2: float, f: float) -> Floats | None:
    """The terms of I(a, b) = Σ x^(a + i) y^b Γ(a + b + i) / Γ(a + i + 1) / Γ(b)."""
    a, b, whole = df1 / 2, df2 / 2, df1 * f + df2
    x, y = df1 * f / whole, df2 / whole
    first = _log_binomial(a, b, x, y) + math.log(b / (a + b))
    size = 256
    while size <= MOST_TERMS:
        numbers = np.arange(size - 1)
        logs = first + np.cumsum(np.append(0.0, np.log(x * (a + b + numbers) / (a + 1 + numbers))))
        if logs[-1] < math.log(EXACT) + math.log(y) and logs[-1] < logs[-2]:
            return np.asarray(np.exp(logs))
        size *= 4
    return None


@lru_cache(maxsize=16)
def _log_factorials(size: int) -> Floats:
    return np.cumsum(np.log(np.maximum(np.arange(size), 1)))
