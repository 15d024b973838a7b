"""The coefficients that a printed value may be, with their variants and levels."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from covary.errors import CovaryError, CovaryWarning
from covary.ratings import Ratings
from covary.stats.alpha import krippendorff_alpha
from covary.stats.concordance import kendall_w
from covary.stats.correlation import pearson, spearman
from covary.stats.cronbach import cronbach_alpha
from covary.stats.estimate import Estimate
from covary.stats.fleiss import fleiss_kappa, scott_pi
from covary.stats.gamma import goodman_kruskal_gamma, kendall_tau_b
from covary.stats.gwet import brennan_prediger, gwet_ac1, gwet_ac2
from covary.stats.icc import fisher_icc, icc
from covary.stats.kappa import cohen_kappa, conger_kappa, light_kappa
from covary.stats.patterns import collapse
from covary.stats.percent import percent_agreement

__all__ = ["CANDIDATES", "Candidate", "batch"]


@dataclass(frozen=True)
class Candidate:
    """A coefficient in one variant: its name, in words, and how it is computed."""

    name: str
    title: str
    coefficient: Callable[..., Estimate]
    keywords: Mapping[str, Any] = field(default_factory=dict, hash=False)
    slow_with_gaps: bool = False

    def value(self, ratings: Ratings) -> float:
        """Compute the coefficient; NaN where these ratings have none."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CovaryWarning)
            try:
                return self.coefficient(ratings, interval=None, **self.keywords).value
            except CovaryError:
                return math.nan


def batch(ratings: Ratings, criterion: Any, judges: tuple[str, ...]) -> Ratings:
    """Return the items that at least two of the judges rated, as a matrix of their own.

    A paper computes the coefficient of two judges from the items that both rated; no judges stand
    for all of them.
    """
    patterns = collapse(ratings, criterion)
    if judges:
        patterns = patterns.only(judges)
    patterns = patterns.keep(patterns.rated.sum(axis=1) > 1)
    if patterns.continuous:
        cells: Any = patterns.numbers()
    else:
        categories = np.array([*patterns.values, None], dtype=object)
        cells = categories[patterns.codes]
    matrix = np.repeat(cells, patterns.counts, axis=0)
    return Ratings.from_wide(matrix.tolist(), scale=patterns.scale, judges=list(patterns.judges))


def _weighted(coefficient: Callable[..., Estimate], title: str) -> list[Candidate]:
    name = coefficient.__name__
    return [Candidate(name, title, coefficient)] + [
        Candidate(name, f"{title} with {kind} weights", coefficient, {"weights": kind})
        for kind in ("linear", "quadratic")
    ]


def _alphas() -> list[Candidate]:
    return [
        Candidate(
            "krippendorff_alpha",
            f"Krippendorff's alpha with the {level} metric",
            krippendorff_alpha,
            {"level": level},
        )
        for level in ("nominal", "ordinal", "interval", "ratio")
    ]


def _iccs() -> list[Candidate]:
    forms = ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k")
    return [
        Candidate("icc", f"ICC({form})", icc, {"form": form}, slow_with_gaps=form[0] != "1")
        for form in forms
    ]


CANDIDATES: tuple[Candidate, ...] = (
    Candidate("percent_agreement", "percent agreement", percent_agreement),
    Candidate(
        "percent_agreement", "agreement within one step", percent_agreement, {"tolerance": 1}
    ),
    *_weighted(cohen_kappa, "Cohen's kappa"),
    *_weighted(light_kappa, "Light's kappa"),
    *_weighted(conger_kappa, "Conger's kappa"),
    *_weighted(fleiss_kappa, "Fleiss' kappa"),
    *_weighted(scott_pi, "Scott's pi"),
    Candidate("brennan_prediger", "Brennan-Prediger's coefficient", brennan_prediger),
    Candidate("gwet_ac1", "Gwet's AC1", gwet_ac1),
    *_weighted(gwet_ac2, "Gwet's AC2")[1:],
    *_alphas(),
    Candidate("goodman_kruskal_gamma", "Goodman & Kruskal's gamma", goodman_kruskal_gamma),
    Candidate("kendall_tau_b", "Kendall's tau-b", kendall_tau_b),
    Candidate("spearman", "Spearman's rho", spearman),
    Candidate("pearson", "Pearson's r", pearson),
    Candidate("kendall_w", "Kendall's W", kendall_w),
    *_iccs(),
    Candidate("fisher_icc", "Fisher's intraclass correlation", fisher_icc),
    Candidate("cronbach_alpha", "Cronbach's alpha", cronbach_alpha),
)
"""Every coefficient that is tried, the plainest variant of each first."""
