"""One round on one criterion: differences, shares, alpha, and how the scale was used."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from covary.analysis.rounds.asking import Asked, quietly
from covary.analysis.rounds.found import RoundFound
from covary.analysis.rounds.shares import Share
from covary.ratings import Ratings
from covary.scales import Level
from covary.stats.alpha import krippendorff_alpha
from covary.stats.patterns import Patterns, collapse
from covary.stats.percent import percent_agreement

__all__ = ["measured", "spreads"]

Floats = npt.NDArray[np.float64]

TINY = 1e-9
"""Two places on a line no further apart than the threshold and this are within it."""


def measured(
    ratings: Ratings, criterion: Any, label: Any, threshold: float, asked: Asked
) -> RoundFound:
    """Compare the judges of one round."""
    patterns = collapse(ratings, criterion)
    several = patterns.rated.sum(axis=1) > 1
    n_items = int(patterns.counts[several].sum())
    differing = int(patterns.counts[several][spreads(patterns)[several] > threshold + TINY].sum())
    wish: dict[str, Any] = {
        "criterion": criterion, "confidence": asked.confidence, "resamples": asked.resamples,
        "rng": asked.seed,
    }  # fmt: skip
    with quietly():
        alpha = krippendorff_alpha(ratings, level=asked.level, **wish)
        pairs = percent_agreement(ratings, tolerance=threshold, **wish)
    return RoundFound(
        label,
        ratings.scales[criterion],
        n_items,
        patterns.n_ratings,
        differing,
        Share.of(n_items - differing, n_items, asked.confidence),
        pairs,
        alpha,
        _counts(patterns),
        () if ratings.slots else _by_judge(patterns),
    )


def spreads(patterns: Patterns) -> Floats:
    """How far apart the ratings of each row are: in ranks, or in points on a line."""
    if not patterns.codes.size:
        return np.zeros(len(patterns.codes))
    numbers = patterns.numbers(Level.ORDINAL)
    low = np.where(patterns.rated, numbers, np.inf).min(axis=1)
    high = np.where(patterns.rated, numbers, -np.inf).max(axis=1)
    apart = np.where(high >= low, high - low, 0.0)
    return (apart > 0).astype(float) if patterns.scale.level is Level.NOMINAL else apart


def _counts(patterns: Patterns) -> tuple[int, ...] | None:
    if patterns.continuous:
        return None
    return tuple(int(n) for n in patterns.counts @ patterns.tally())


def _by_judge(patterns: Patterns) -> tuple[tuple[Any, tuple[int, ...]], ...]:
    if patterns.continuous:
        return ()
    found = []
    for place, judge in enumerate(patterns.judges):
        alone = np.zeros(len(patterns.judges))
        alone[place] = 1
        used = patterns.counts @ patterns.tally(alone)
        found.append((judge, tuple(int(n) for n in used)))
    return tuple(found)
