"""All pairs of means where systems may differ in how much their ratings vary."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.stats.posthoc.comparisons import PROCEDURES, Comparisons, check_alpha, paired
from covary.stats.studentised_range import range_quantiles, range_tail

__all__ = ["games_howell"]

Floats = npt.NDArray[np.float64]


def games_howell(groups: Sequence[npt.ArrayLike], *, alpha: float = 0.05) -> Comparisons:
    """Which systems differ in their means, when each has its own variance?

    Parameters
    ----------
    groups
        The ratings of each system, at least two of each.
    alpha
        The error rate of the whole set of pairs.

    Returns
    -------
    Comparisons
        Each pair with its own standard error and Welch's degrees of freedom. A pair whose ratings
        do not vary at all has no test.

    Notes
    -----
    As in one-way analysis of variance, everything but the system counts as error. Checked against
    pingouin 0.6.1 (pairwise_gameshowell).

    References
    ----------
    Games & Howell (1976), Journal of Educational Statistics 1: 113-125.
    """
    check_alpha(alpha)
    arrays = [np.asarray(group, dtype=float) for group in groups]
    if not arrays or any(a.ndim != 1 or a.size < 2 or np.isnan(a).any() for a in arrays):
        raise InvalidArgument(
            "games_howell needs at least two ratings of each system, all of them numbers"
        )
    places = np.array([a.mean() for a in arrays])
    shares = np.array([_variance(a) / a.size for a in arrays])
    freedoms = np.array([a.size - 1.0 for a in arrays])
    first, second = np.triu_indices(places.size, 1)
    squared = shares[first] + shares[second]
    with np.errstate(invalid="ignore", divide="ignore"):
        df = squared**2 / (
            shares[first] ** 2 / freedoms[first] + shares[second] ** 2 / freedoms[second]
        )
    errors = np.where(squared > 0, np.sqrt(squared), np.nan)
    t = np.abs(places[first] - places[second]) / errors
    k = places.size
    reach = range_quantiles(1 - alpha, k, df) / math.sqrt(2)
    constant = int(np.sum(squared == 0))
    return Comparisons(
        PROCEDURES["games-howell"],
        "each system's own variance, Welch's degrees of freedom",
        paired(
            places, p=_two_sided(t, df), p_adjusted=range_tail(t * math.sqrt(2), k, df),
            statistic=t * math.sqrt(2), alpha=alpha, half_width=reach * errors,
        ),
        alpha, tuple(places.tolist()),
        notes=(f"{constant} pairs have ratings that do not vary, so they have no test",)
        if constant else (),
    )  # fmt: skip


def _variance(values: Floats) -> float:
    """The variance, exactly 0 where all values are equal."""
    return float(values.var(ddof=1)) if np.ptp(values) else 0.0


def _two_sided(t: Floats, df: Floats) -> Floats:
    from scipy import special

    return np.asarray(2 * special.stdtr(df, -t))
