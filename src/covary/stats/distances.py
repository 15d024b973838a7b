"""Distances between ratings at each level, and the ranks that ordinal distances rest on."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.scales import Level

__all__ = ["fixed_distances", "midranks", "ratio_total"]

Floats = npt.NDArray[np.float64]

NODES = 400
"""Points of the integral in `ratio_total`; its error is then below 1e-12."""


def midranks(used: Floats) -> Floats:
    """The mean rank of each category, from how often each was used (last axis), in scale order."""
    below: Floats = np.cumsum(used, axis=-1)
    return below - used / 2 + 0.5


def fixed_distances(level: Level, positions: Floats) -> Floats:
    """The squared distances between categories that do not depend on how often they were used."""
    apart = positions[:, None] - positions[None, :]
    if level is Level.NOMINAL:
        return (apart != 0).astype(float)
    if level is Level.INTERVAL:
        return np.asarray(apart**2)
    if (positions < 0).any():
        raise InvalidArgument(
            "level='ratio' needs ratings from 0 up, and the scale has negative ones"
        )
    whole = positions[:, None] + positions[None, :]
    return np.asarray((apart / np.where(whole == 0, 1, whole)) ** 2)


def ratio_total(values: Floats, used: Floats) -> float:
    """The sum of n_c n_k ((c - k) / (c + k))² over all pairs of values, without forming the pairs.

    ((c - k) / (c + k))² = 1 - 4ck / (c + k)², and 1 / (c + k)² is the integral of t exp(-t (c + k))
    over t > 0, in which the two values separate. The trapezoidal rule in log t is as good as exact.
    """
    positive = values > 0
    n, zeros = used.sum(), used[~positive].sum()
    x, times = values[positive], used[positive]
    if not x.size:
        return 0.0
    s, step = np.linspace(np.log(1e-9 / x.max()), np.log(60 / x.min()), NODES, retstep=True)
    total = sum(step * np.exp(2 * t) * (times @ (x * np.exp(-np.exp(t) * x))) ** 2 for t in s)
    return float(n**2 - zeros**2 - 4 * total)
