"""Systems by ranks: Friedman's and Kruskal & Wallis' tests, and the comparison of all pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument, RatingsError
from covary.records import dataclass
from covary.stats.distributions import chi2_tail, f_tail, range_quantile, range_tail, two_sided
from covary.stats.estimate import Result
from covary.stats.ordering import midranks
from covary.stats.posthoc.comparisons import (
    PROCEDURES,
    Comparisons,
    Tests,
    adjust_p_values,
    check_alpha,
    compare_all,
    distances,
)
from covary.words import Note

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Friedman(Result):
    """Friedman's test of systems that were all rated in every block (judge, source).

    `w` is Kendall's coefficient of concordance of the blocks, chi² = blocks (systems - 1) W. `f` is
    Iman & Davenport's, which is better with few blocks. `reason` says why there is no value.
    """

    chi2: float = math.nan
    df: int
    p: float = math.nan
    f: float = math.nan
    f_df: tuple[float, float] = (math.nan, math.nan)
    f_p: float = math.nan
    w: float = math.nan
    mean_ranks: tuple[float, ...]
    n_blocks: int
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class KruskalWallis(Result):
    """Kruskal & Wallis' test of systems with separate ratings, corrected for ties.

    `epsilon_squared` = H / (N - 1) is the share of the ranks' variation that lies between systems.
    """

    h: float = math.nan
    df: int
    p: float = math.nan
    epsilon_squared: float = math.nan
    mean_ranks: tuple[float, ...]
    n_ratings: int
    reason: str = ""


def friedman(blocks: npt.ArrayLike) -> Friedman:
    """Do blocks order the systems in the same way?

    Parameters
    ----------
    blocks
        One row per block (a judge's mean for each system, or one source's), one column per system;
        no cell may be missing.

    Notes
    -----
    Mid-ranks within blocks, corrected for ties as in Kendall's W: the same statistic, with judges
    as blocks. Undefined when no block orders any systems. Checked against scipy 1.17.

    References
    ----------
    Friedman (1937); Iman & Davenport (1980).

    Examples
    --------
    Four judges of six systems with ties; chi² is 18.04 and W .902 in R irr 0.84.1:

    >>> judges = [[1, 1, 2, 3, 3, 4], [1, 2, 2, 2, 4, 4], [2, 2, 3, 3, 4, 4], [1, 1, 1, 3, 3, 4]]
    >>> test = friedman(judges)
    >>> round(test.chi2, 2), round(test.w, 3), round(test.p, 4)
    (18.04, 0.902, 0.0029)
    """
    ranks, ties = rank_blocks(blocks)
    m, n = ranks.shape
    known: dict[str, Any] = {"df": n - 1, "n_blocks": m}
    known["mean_ranks"] = tuple(ranks.mean(axis=0).tolist())
    room = m**2 * (n**3 - n) - m * ties
    reason = _why_no_order(m, n, room)
    if reason:
        return Friedman(reason=reason, **known)
    w = float(12 * np.sum((ranks.sum(axis=0) - m * (n + 1) / 2) ** 2) / room)
    chi2, f_df = m * (n - 1) * w, (n - 1 - 2 / m, (m - 1) * (n - 1 - 2 / m))
    f, f_p = _iman_davenport(w, m, f_df)
    p = chi2_tail(chi2, n - 1)
    return Friedman(chi2=chi2, p=p, f=f, f_df=f_df, f_p=f_p, w=w, **known)


def kruskal_wallis(groups: Sequence[npt.ArrayLike]) -> KruskalWallis:
    """Do some systems tend to be rated higher than others, whatever the distances?

    Parameters
    ----------
    groups
        The ratings of each system. Each rating should come from its own judge and source; ratings
        that share them are better compared within blocks, by `friedman`.

    Notes
    -----
    H = 12 / (N (N + 1)) Σ n (mean rank - (N + 1) / 2)², divided by 1 - Σ (t³ - t) / (N³ - N) for
    ties. Undefined for one system, an empty one, or ratings that are all equal. Checked against
    scipy 1.17.

    References
    ----------
    Kruskal & Wallis (1952).

    Examples
    --------
    >>> test = kruskal_wallis([[1, 2, 2], [3, 4, 4], [5, 5, 6]])
    >>> round(test.h, 3), test.mean_ranks
    (7.385, (2.0, 5.0, 8.0))
    """
    means, sizes, ties = rank_groups(groups)
    n = float(sizes.sum())
    room = 1 - ties / (n**3 - n) if n > 1 else 0.0
    reason = _why_no_groups(sizes, room)
    known: dict[str, Any] = {"df": sizes.size - 1, "n_ratings": int(n)}
    known["mean_ranks"] = tuple(means.tolist())
    if reason:
        return KruskalWallis(reason=reason, **known)
    between = float(sizes @ (means - (n + 1) / 2) ** 2)
    h = 12 / (n * (n + 1)) * between / room
    return KruskalWallis(h=h, p=chi2_tail(h, sizes.size - 1), epsilon_squared=h / (n - 1), **known)


def rank_values(values: Floats) -> tuple[Floats, float]:
    """Mid-ranks of values, and the tie term Σ t³ - t."""
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    used = counts.astype(float)
    return midranks(used)[codes.ravel()], float(np.sum(used**3 - used))


def rank_blocks(blocks: npt.ArrayLike) -> tuple[Floats, float]:
    """Mid-ranks within each row, and the tie terms of all rows."""
    table = np.asarray(blocks, dtype=float)
    if table.ndim != 2 or 0 in table.shape:
        raise InvalidArgument("stats.blocks")
    missing = np.flatnonzero(np.isnan(table).any(axis=1))
    if missing.size:
        rows = (missing + 1).tolist()
        raise RatingsError("stats.blocks-incomplete", rows=rows, n=len(rows), n_blocks=len(table))
    ranked = [rank_values(row) for row in table]
    return np.array([ranks for ranks, _ in ranked]), sum(ties for _, ties in ranked)


def rank_groups(groups: Sequence[npt.ArrayLike]) -> tuple[Floats, Floats, float]:
    """The mean rank and the size of each group among all ratings, and the tie term."""
    arrays = [np.asarray(group, dtype=float) for group in groups]
    if not arrays or any(a.ndim != 1 for a in arrays):
        raise InvalidArgument("stats.groups")
    sizes = np.array([a.size for a in arrays], dtype=float)
    whole = np.concatenate(arrays)
    if np.isnan(whole).any():
        raise InvalidArgument("stats.groups-missing")
    ranks, ties = rank_values(whole)
    codes = np.repeat(np.arange(len(arrays)), sizes.astype(int))
    sums = np.bincount(codes, ranks, minlength=len(arrays)).astype(float)
    means = np.divide(sums, sizes, out=np.full(sizes.size, np.nan), where=sizes > 0)
    return means, sizes, ties


def _why_no_order(m: int, n: int, room: float) -> str:
    if n < 2:
        return Note("stats.one-level", factor="system")
    if m < 2:
        return Note("stats.one-block")
    return "" if room > 0 else Note("stats.blocks-tied")


def _why_no_groups(sizes: Floats, room: float) -> str:
    if sizes.size < 2:
        return Note("stats.one-level", factor="system")
    if not sizes.all():
        return Note("stats.empty-group")
    return "" if room > 0 else Note("stats.groups-tied")


def _iman_davenport(w: float, m: int, df: tuple[float, float]) -> tuple[float, float]:
    """F and its p; where the blocks agree entirely F has no value, and p is 0."""
    if df[0] <= 0:
        return math.nan, math.nan
    if w >= 1 - 1e-12:
        return math.nan, 0.0
    f = (m - 1) * w / (1 - w)
    return f, f_tail(f, *df)


ADJUSTMENT_WORDS = {
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
    ranks, _ = rank_blocks(blocks)
    (m, k), reason = ranks.shape, friedman(blocks).reason
    places = ranks.mean(axis=0)
    error = math.nan if reason else math.sqrt(k * (k + 1) / (6 * m))
    z = distances(places) / error
    critical = math.nan if reason else range_quantile(1 - alpha, k, math.inf) / math.sqrt(2)
    tests = Tests(
        p=two_sided(z),
        p_adjusted=range_tail(z * math.sqrt(2), k, math.inf),
        statistic=z,
        critical=critical,
        reach=np.full(z.size, critical * error),
    )
    return compare_all(
        places,
        tests,
        alpha=alpha,
        procedure=PROCEDURES["nemenyi"],
        error=f"ranks within {m} blocks",
        notes=(reason,) if reason else (),
    )


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
    places, sizes, ties = rank_groups(groups)
    reason, n = kruskal_wallis(groups).reason, float(sizes.sum())
    spread = math.nan if reason else n * (n + 1) / 12 - ties / (12 * (n - 1))
    first, second = np.triu_indices(places.size, 1)
    sizes = np.maximum(sizes, 1)
    z = distances(places) / np.sqrt(spread * (1 / sizes[first] + 1 / sizes[second]))
    p = two_sided(z)
    return compare_all(
        places,
        Tests(p=p, p_adjusted=adjust_p_values(p, adjust), statistic=z),
        alpha=alpha,
        procedure=f"{PROCEDURES['dunn']} {ADJUSTMENT_WORDS[adjust]}",
        error=f"ranks among {int(n)} ratings, corrected for ties",
        notes=(reason,) if reason else (),
    )
