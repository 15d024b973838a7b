"""Distances between ratings that do not depend on how often they were given."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.scales import Level

Floats = npt.NDArray[np.float64]

STEP, REACH = 0.2, (1e-8, 50.0)
"""How fine and how far the integral in `ratio_sums` is taken; its error is then below 1e-12."""


def fixed_distances(level: Level, positions: Floats) -> Floats:
    """The squared distances between categories that do not depend on how often they were used."""
    apart = positions[:, None] - positions[None, :]
    if level is Level.NOMINAL:
        return np.asarray(apart != 0, dtype=float)
    if level is Level.INTERVAL:
        return np.asarray(apart**2)
    if (positions < 0).any():
        raise InvalidArgument("stats.ratio-negative")
    whole = positions[:, None] + positions[None, :]
    return np.asarray((apart / np.where(whole == 0, 1, whole)) ** 2)


def ratio_sums(values: Floats, used: Floats) -> Floats:
    """For each value v, the sum of n_c ((c - v) / (c + v))² over all values c.

    ((c - v) / (c + v))² = 1 - 4cv / (c + v)², and 1 / (c + v)² is the integral of t exp(-t (c + v))
    over t > 0, in which the two values separate. The trapezoidal rule in log t is as good as exact,
    so no pair of values is formed.
    """
    positive = values > 0
    sums: Floats = np.where(positive, used.sum(), used.sum() - used[~positive].sum())
    x, times = values[positive], used[positive]
    if x.size:
        ends = np.log(REACH[0] / x.max()), np.log(REACH[1] / x.min())
        nodes, step = np.linspace(
            *ends, max(2, math.ceil((ends[1] - ends[0]) / STEP)), retstep=True
        )
        integral = np.zeros(x.size)
        for t in np.exp(nodes):
            falling = x * np.exp(-t * x)
            integral += t**2 * (times @ falling) * falling
        sums[positive] -= 4 * step * integral
    return sums
