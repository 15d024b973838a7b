"""Tests of systems by ranks: Friedman's for complete blocks, Kruskal & Wallis' for groups."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument, RatingsError, listed
from covary.stats.distances import midranks
from covary.stats.distributions import chi2_tail, f_tail
from covary.stats.plain import plain

__all__ = [
    "Friedman",
    "KruskalWallis",
    "friedman",
    "kruskal_wallis",
    "ranked",
    "ranked_blocks",
    "ranked_groups",
]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Friedman:
    """Friedman's test of systems that were all rated in every block (judge, source).

    `w` is Kendall's coefficient of concordance of the blocks, chi² = blocks (systems - 1) W. `f` is
    Iman & Davenport's, which is better with few blocks. `reason` says why there is no value.
    """

    chi2: float
    df: int
    p: float
    f: float
    f_df: tuple[float, float]
    f_p: float
    w: float
    mean_ranks: tuple[float, ...]
    n_blocks: int
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; NaN becomes None."""
        return dict(plain(self))


@dataclass(frozen=True)
class KruskalWallis:
    """Kruskal & Wallis' test of systems with separate ratings, corrected for ties.

    `epsilon_squared` = H / (N - 1) is the share of the ranks' variation that lies between systems.
    """

    h: float
    df: int
    p: float
    epsilon_squared: float
    mean_ranks: tuple[float, ...]
    n_ratings: int
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; NaN becomes None."""
        return dict(plain(self))


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
    >>> found = friedman(judges)
    >>> round(found.chi2, 2), round(found.w, 3), round(found.p, 4)
    (18.04, 0.902, 0.0029)
    """
    ranks, ties = ranked_blocks(blocks)
    m, n = ranks.shape
    mean_ranks = tuple(ranks.mean(axis=0).tolist())
    room = m**2 * (n**3 - n) - m * ties
    reason = _why_no_order(m, n, room)
    if reason:
        nothing = (math.nan, math.nan)
        return Friedman(math.nan, n - 1, math.nan, math.nan, nothing, math.nan, math.nan,
                        mean_ranks, m, reason)  # fmt: skip
    w = float(12 * np.sum((ranks.sum(axis=0) - m * (n + 1) / 2) ** 2) / room)
    chi2, f_df = m * (n - 1) * w, (n - 1 - 2 / m, (m - 1) * (n - 1 - 2 / m))
    f, f_p = _iman_davenport(w, m, f_df)
    return Friedman(chi2, n - 1, chi2_tail(chi2, n - 1), f, f_df, f_p, w, mean_ranks, m)


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
    >>> found = kruskal_wallis([[1, 2, 2], [3, 4, 4], [5, 5, 6]])
    >>> round(found.h, 3), found.mean_ranks
    (7.385, (2.0, 5.0, 8.0))
    """
    means, sizes, ties = ranked_groups(groups)
    n = float(sizes.sum())
    room = 1 - ties / (n**3 - n) if n > 1 else 0.0
    reason = _why_no_groups(sizes, room)
    shown = tuple(means.tolist())
    if reason:
        nothing = math.nan
        return KruskalWallis(nothing, sizes.size - 1, nothing, nothing, shown, int(n), reason)
    between = float(sizes @ (means - (n + 1) / 2) ** 2)
    h = 12 / (n * (n + 1)) * between / room
    df = sizes.size - 1
    return KruskalWallis(h, df, chi2_tail(h, df), h / (n - 1), shown, int(n))


def ranked(values: Floats) -> tuple[Floats, float]:
    """Mid-ranks of values, and the tie term Σ t³ - t."""
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    used = counts.astype(float)
    return midranks(used)[codes.ravel()], float(np.sum(used**3 - used))


def ranked_blocks(blocks: npt.ArrayLike) -> tuple[Floats, float]:
    """Mid-ranks within each row, and the tie terms of all rows."""
    table = np.asarray(blocks, dtype=float)
    if table.ndim != 2 or 0 in table.shape:
        raise InvalidArgument("blocks must be a table of one row per block, one column per system")
    missing = np.flatnonzero(np.isnan(table).any(axis=1))
    if missing.size:
        raise RatingsError(
            f"{missing.size} of {len(table)} blocks (rows {listed((missing + 1).tolist(), 5)}) "
            "have no rating of some system, and ranks within a block need all of them; leave these "
            "blocks out, choose blocks that are complete (such as judges instead of sources), or "
            "use a model that allows for missing ratings (additive, mixed)"
        )
    rows = [ranked(row) for row in table]
    return np.array([ranks for ranks, _ in rows]), sum(ties for _, ties in rows)


def ranked_groups(groups: Sequence[npt.ArrayLike]) -> tuple[Floats, Floats, float]:
    """The mean rank and the size of each group among all ratings, and the tie term."""
    arrays = [np.asarray(group, dtype=float) for group in groups]
    if not arrays or any(a.ndim != 1 for a in arrays):
        raise InvalidArgument("groups must be a list with the ratings of each system")
    sizes = np.array([a.size for a in arrays], dtype=float)
    whole = np.concatenate(arrays)
    if np.isnan(whole).any():
        raise InvalidArgument("groups must hold numbers only; leave missing ratings out")
    ranks, ties = ranked(whole)
    codes = np.repeat(np.arange(len(arrays)), sizes.astype(int))
    sums = np.bincount(codes, ranks, minlength=len(arrays)).astype(float)
    means = np.divide(sums, sizes, out=np.full(sizes.size, np.nan), where=sizes > 0)
    return means, sizes, ties


def _why_no_order(m: int, n: int, room: float) -> str:
    if n < 2:
        return "there is only one system"
    if m < 2:
        return "there is only one block"
    return "" if room > 0 else "every block rates all systems the same, so there is no order"


def _why_no_groups(sizes: Floats, room: float) -> str:
    if sizes.size < 2:
        return "there is only one system"
    if not sizes.all():
        return "a system has no rating"
    return "" if room > 0 else "all ratings are equal, so there is no order"


def _iman_davenport(w: float, m: int, df: tuple[float, float]) -> tuple[float, float]:
    """F and its p; where the blocks agree entirely F has no value, and p is 0."""
    if df[0] <= 0:
        return math.nan, math.nan
    if w >= 1 - 1e-12:
        return math.nan, 0.0
    f = (m - 1) * w / (1 - w)
    return f, f_tail(f, *df)
