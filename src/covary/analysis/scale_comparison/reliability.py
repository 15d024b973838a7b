"""Reliability: do the judges put the systems in the same order?"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.analysis.scale_comparison.experiments import Aligned, Part
from covary.analysis.scale_comparison.resampling import (
    Contrast,
    contrast,
    drawn_interval,
    weights,
)
from covary.errors import CovaryWarning
from covary.ratings import Ratings
from covary.scales import Level
from covary.stats.alpha import krippendorff_alpha
from covary.stats.concordance import kendall_w
from covary.stats.distances import midranks
from covary.stats.estimate import Estimate, Interval
from covary.stats.gamma import goodman_kruskal_gamma
from covary.stats.icc import icc
from covary.stats.intervals import Wanted
from covary.stats.plain import plain

__all__ = ["SystemOrder", "concordance", "order_contrasts", "system_order"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class SystemOrder:
    """Kendall's W over systems, from each judge's mean rating of each system.

    `interval` speaks of other judges. `alpha`, `icc` and `gamma` are of the same means; `by_item`
    is alpha of the single ratings, item by item. `reason` says why there is no W.
    """

    experiment: str
    label: str
    criterion: str
    n_judges: int
    n_systems: int
    w: float
    chi2: float
    df: float
    p: float
    interval: Interval | None
    alpha: Estimate | None
    icc: Estimate | None
    gamma: Estimate | None
    by_item: Estimate | None
    reason: str = ""
    covariances: Floats | None = field(default=None, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        own: dict[str, Any] = plain(self)
        for name in ("alpha", "icc", "gamma", "by_item"):
            found = getattr(self, name)
            own[name] = None if found is None else found.to_dict()
        return own


def system_order(part: Part, wanted: Wanted) -> SystemOrder:
    """Find how far the judges of one part share an order of the systems."""
    table = np.round(part.layout.table("judge", "system"), 10)
    head = (part.experiment, part.label, part.criterion, len(part.judges), len(part.systems))
    reason = _missing(part, table)
    if reason:
        nan = math.nan
        return SystemOrder(*head, nan, nan, nan, nan, None, None, None, None,
                           _by_item(part, wanted), reason)  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CovaryWarning)  # the notes say the same
        means = Ratings.from_wide(table.T.tolist(), level="interval", judges=part.judges)
        found = kendall_w(means, interval=None)
        others = [
            replace(f(means, interval=None), details={})
            for f in (krippendorff_alpha, icc, goodman_kruskal_gamma)
        ]
    shared = _rank_covariances(table)
    interval = None
    if wanted.method and found.defined:
        (drawn,), _ = weights([part.judges], wanted)
        interval = drawn_interval(concordance(shared, drawn), wanted)
    chi2, df, p = (found.details.get(name, math.nan) for name in ("chi2", "df", "p"))
    alpha, agreement, gamma = others
    return SystemOrder(
        *head, found.value, chi2, df, p, interval, alpha, agreement, gamma, _by_item(part, wanted),
        "" if found.defined else found.notes[-1], shared,
    )  # fmt: skip


def order_contrasts(
    found: dict[str, SystemOrder], aligned: Aligned, criterion: str, wanted: Wanted
) -> Iterator[Contrast]:
    """Compare W between the first occasions of every two experiments."""
    for first, second in combinations(aligned.first(criterion), 2):
        a, b = found[first.label], found[second.label]
        if a.covariances is None or b.covariances is None:
            continue
        (x, y), how = weights([first.judges, second.judges], wanted)
        drawn = concordance(a.covariances, x), concordance(b.covariances, y)
        yield contrast((a.label, b.label), (a.w, b.w), drawn, how, wanted)


def concordance(covariances: Floats, counts: Floats) -> Floats:
    """W for each line of counts of the judges, from the covariances of their ranks.

    W is the mean of all entries of the covariance matrix over the mean of its diagonal. Copies of a
    judge agree by construction, so that only pairs of distinct judges are taken, weighted up to the
    number of pairs that there would be.
    """
    own = np.diag(covariances)
    m = counts.sum(axis=1)
    diagonal = counts @ own
    pairs = np.einsum("bj,jk,bk->b", counts, covariances - np.diag(own), counts)
    distinct = m**2 - (counts**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        total = diagonal + pairs * m * (m - 1) / distinct
        return np.asarray(total / (m * diagonal))


def _rank_covariances(table: Floats) -> Floats:
    ranks = np.array([_ranks(row) for row in table])
    ranks -= ranks.mean(axis=1, keepdims=True)
    return np.asarray(ranks @ ranks.T)


def _ranks(row: Floats) -> Floats:
    _, codes, counts = np.unique(row, return_inverse=True, return_counts=True)
    return np.asarray(midranks(counts.astype(float)[None, :])[0][codes], dtype=float)


def _missing(part: Part, table: Floats) -> str:
    """Say which judge rated no output of which system, where a block is not complete."""
    if len(part.judges) < 2:
        return f"only one judge ({part.judges[0]}) rated; it takes two to share an order"
    gaps = np.argwhere(np.isnan(table))
    if not gaps.size:
        return ""
    judge, system = gaps[0]
    more = f" ({len(gaps)} such gaps)" if len(gaps) > 1 else ""
    return (
        f"Kendall's W needs every judge to have rated every system, and {part.judges[judge]} "
        f"rated nothing by {part.systems[system]}{more}"
    )


def _by_item(part: Part, wanted: Wanted) -> Estimate | None:
    """Alpha of single ratings of the same items."""
    laid = part.layout
    columns = {name: laid.factors[name].astype(np.int64) for name in ("item", "judge")}
    level = max(part.scale.level, Level.ORDINAL)
    ratings = Ratings({**columns, "rating": laid.values}, level=level)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CovaryWarning)
        return krippendorff_alpha(
            ratings, interval=wanted.method, confidence=wanted.confidence,
            resamples=wanted.resamples, rng=wanted.seed,
        )  # fmt: skip
