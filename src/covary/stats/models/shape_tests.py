"""Two tests of whether numbers come from a normal distribution, each with its statistic and p."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from covary.stats import special

Floats = npt.NDArray[np.float64]

FEWEST = 3
"""Fewer numbers have no shape."""

SMALL = 11
"""Up to so many numbers the statistic is transformed in another way."""


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
    if n == FEWEST:
        return w, max(0.0, 6 / math.pi * (math.asin(math.sqrt(w)) - math.asin(math.sqrt(0.75))))
    if w >= 1:
        return w, 1.0
    if n <= SMALL:
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
    if n == FEWEST:
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
