"""The coverage atlas: do the default 95 % intervals hold the truth with few or skewed items?

Judges see each item's quality with noise and answer on two or five points. The probability of every
pattern of ratings is known by integration over quality, and with it the true value, which is the
coefficient of infinitely many items. Studies are drawn from these patterns.
"""

from __future__ import annotations

import itertools
import warnings
from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.special import ndtr

import covary
from covary import Ratings, VerbalScale
from covary.stats.patterns import Patterns, collapse

STUDIES = 400
RESAMPLES = 300
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(41)
QUALITY = WEIGHTS / WEIGHTS.sum()

CUTS = {
    ("two points", "balanced"): [0.0],
    ("two points", "skewed"): [-1.28],
    ("five points", "balanced"): [-1.2, -0.4, 0.4, 1.2],
    ("five points", "skewed"): [-2.0, -1.6, -1.2, -0.7],
}
"""Where categories end, in standard deviations of what judges see; skewed: most at the top."""

NOISE = {"high": 0.3, "low": 1.0}
"""The noise of judges who agree much or little, in standard deviations of quality."""

COEFFICIENTS = {
    "two points": (
        *("krippendorff_alpha", "percent_agreement", "fleiss_kappa", "light_kappa", "gwet_ac1"),
        "kendall_tau_b",
    ),
    "five points": (
        *("krippendorff_alpha", "gwet_ac2", "goodman_kruskal_gamma", "kendall_tau_b"),
        *("spearman", "kendall_w"),
    ),
}


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One setting of the atlas."""

    points: str
    shape: str
    agreement: str
    judges: int
    items: int

    def __str__(self) -> str:
        who = f"{self.items} items, {self.judges} judges"
        return f"{self.points}, {self.shape}, {self.agreement} agreement, {who}"


CELLS = [
    Cell(points=points, shape=shape, agreement=agreement, judges=judges, items=items)
    for items, judges, points, shape, agreement in itertools.product(
        (20, 50, 200), (2, 3, 5), COEFFICIENTS, ("balanced", "skewed"), NOISE
    )
]


def pattern_chances(cell):
    """The probability of every pattern of ratings."""
    noise = NOISE[cell.agreement]
    cuts = np.array(CUTS[cell.points, cell.shape]) * np.hypot(1, noise)
    chances = QUALITY[:, None]
    below = ndtr((cuts - NODES[:, None]) / noise)
    edges = np.column_stack([np.zeros(len(NODES)), below, np.ones(len(NODES))])
    for _ in range(cell.judges):
        chances = (chances[:, :, None] * np.diff(edges)[:, None, :]).reshape(len(NODES), -1)
    return chances.sum(axis=0) / chances.sum()


def all_patterns(cell):
    size = len(CUTS[cell.points, cell.shape]) + 1
    codes = np.array(list(itertools.product(range(size), repeat=cell.judges)), dtype=np.int32)
    level = "nominal" if size == 2 else "ordinal"
    scale = VerbalScale(range(1, size + 1), level=level)
    ratings = Ratings.from_wide((codes + 1).tolist(), scale=scale)
    return ratings, replace(collapse(ratings), codes=codes, counts=np.ones(len(codes), np.int64))


def counted(ratings: Ratings, patterns: Patterns, counts) -> Ratings:
    """The ratings whose patterns occur a number of times."""
    return ratings.about(None, replace(patterns, counts=counts).keep(counts > 0))


def coverage(cell, seed=1):
    """Each coefficient's true value, the share of decisive intervals, and of those that hold it."""
    rng, chances = np.random.default_rng(seed), pattern_chances(cell)
    ratings, patterns = all_patterns(cell)
    many = counted(ratings, patterns, np.round(chances * 1e12).astype(np.int64))
    studies = [
        counted(ratings, patterns, counts)
        for counts in rng.multinomial(cell.items, chances, size=STUDIES)
    ]
    rates = {}
    with warnings.catch_warnings(action="ignore"):
        for name in COEFFICIENTS[cell.points]:
            function = getattr(covary, name)
            truth = function(many, interval=None).value
            found = [function(study, resamples=RESAMPLES, rng=1).interval for study in studies]
            decisive = [i for i in found if i is not None and i.decisive]
            held = [i.low <= truth <= i.high for i in decisive]
            rates[name] = truth, len(held) / STUDIES, np.mean(held) if held else np.nan
    return rates


LEAST = 0.89
"""The goal is .93; the rest is for chance, three standard errors of 400 studies."""


@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_decisive_intervals_hold_the_truth(cell):
    """In every cell, or most studies of it say that they have too few items."""
    for name, (truth, decisive, held) in coverage(cell).items():
        print(f"{cell}: {name} {truth:.3f}, decisive {decisive:.2f}, held {held:.3f}", flush=True)
        assert decisive < 0.5 or held >= LEAST, name
