"""All pairs of systems by their mean ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from covary.stats.posthoc.adjust import adjusted
from covary.stats.posthoc.comparisons import PROCEDURES, Comparisons, check_alpha, paired
from covary.stats.rank_tests import friedman, kruskal_wallis, ranked_blocks, ranked_groups
from covary.stats.studentised_range import range_quantile, range_tail

__all__ = ["dunn", "nemenyi"]

Floats = npt.NDArray[np.float64]

ADJUSTED = {
    "none": "without adjustment",
    "bonferroni": "with Bonferroni's adjustment",
    "holm": "with Holm's adjustment",
    "bh": "with Benjamini & Hochberg's adjustment",
}


def nemenyi(blocks: npt.ArrayLike, *, alpha: float = 0.05) -> Comparisons:
    """Which systems differ in mean rank, where every block rated all of them?

    Parameters
    ----------
    blocks
        As in `friedman`: one row per block, one column per system.
    alpha
        The error rate of the whole set of pairs.

    Returns
    -------
    Comparisons
        `places` are mean ranks, high for high ratings. Two systems differ when their mean ranks
        are further apart than q √(k (k + 1) / (6 m)), q the quantile of the studentised range with
        infinitely many degrees of freedom, divided by √2.

    Notes
    -----
    The standard error allows for no ties, which makes the test conservative where there are many.
    Demšar (2006) gives the critical values for classifiers on data sets. Checked against his
    table 5 and worked example.

    References
    ----------
    Nemenyi (1963); Demšar (2006), Statistical comparisons of classifiers over multiple data sets,
    Journal of Machine Learning Research 7: 1-30.
    """
    check_alpha(alpha)
    ranks, _ = ranked_blocks(blocks)
    (m, k), reason = ranks.shape, friedman(blocks).reason
    places = ranks.mean(axis=0)
    error = math.nan if reason else math.sqrt(k * (k + 1) / (6 * m))
    z = _distances(places) / error
    critical = math.nan if reason else range_quantile(1 - alpha, k, math.inf) / math.sqrt(2)
    return Comparisons(
        PROCEDURES["nemenyi"],
        f"ranks within {m} blocks",
        paired(
            places, p=_two_sided(z), p_adjusted=range_tail(z * math.sqrt(2), k, math.inf),
            statistic=z, alpha=alpha, half_width=np.full(z.size, critical * error),
        ),
        alpha, tuple(places.tolist()), critical, (reason,) if reason else (),
    )  # fmt: skip


def dunn(
    groups: Sequence[npt.ArrayLike], *, adjust: str = "holm", alpha: float = 0.05
) -> Comparisons:
    """Which systems differ in the mean rank of their ratings?

    Parameters
    ----------
    groups
        As in `kruskal_wallis`: the ratings of each system.
    adjust
        "holm", "bonferroni", "bh" or "none".
    alpha
        The error rate.

    Returns
    -------
    Comparisons
        `places` are mean ranks among all ratings; there are no simultaneous intervals.

    Notes
    -----
    z is the difference of two mean ranks by its standard error, the root of
    (N (N + 1) / 12 - Σ (t³ - t) / (12 (N - 1))) (1 / n + 1 / n'), with the ranks of all systems.

    References
    ----------
    Dunn (1964), Multiple comparisons using rank sums, Technometrics 6: 241-252.
    """
    check_alpha(alpha)
    places, sizes, ties = ranked_groups(groups)
    reason, n = kruskal_wallis(groups).reason, float(sizes.sum())
    spread = math.nan if reason else n * (n + 1) / 12 - ties / (12 * (n - 1))
    first, second = np.triu_indices(places.size, 1)
    sizes = np.maximum(sizes, 1)
    z = _distances(places) / np.sqrt(spread * (1 / sizes[first] + 1 / sizes[second]))
    p = _two_sided(z)
    return Comparisons(
        f"{PROCEDURES['dunn']} {ADJUSTED.get(adjust, '')}".strip(),
        f"ranks among {int(n)} ratings, corrected for ties",
        paired(places, p=p, p_adjusted=adjusted(p, adjust), statistic=z, alpha=alpha),
        alpha, tuple(places.tolist()), notes=(reason,) if reason else (),
    )  # fmt: skip


def _distances(places: Floats) -> Floats:
    first, second = np.triu_indices(places.size, 1)
    return np.abs(places[first] - places[second])


def _two_sided(z: Floats) -> Floats:
    from scipy import special

    return np.asarray(2 * special.ndtr(-z))
