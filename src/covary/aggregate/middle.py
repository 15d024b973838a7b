"""The middle vote, and the average vote, as numbers or as the categories nearest to them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from covary.aggregate.votes import Floats, Votes

__all__ = ["line_means", "line_medians", "mean_candidates", "median_candidates"]

EQUAL = 1e-9
"""Distances that differ by less, in units of the scale's length, are the same."""


def median_candidates(votes: Votes) -> npt.NDArray[np.bool_]:
    """The categories of each item's two middle votes, which are one where they coincide."""
    reached = 2 * np.cumsum(votes.counts, axis=1)
    n, rows = votes.n_votes[:, None], np.arange(len(votes.items))
    candidates = np.zeros(votes.counts.shape, dtype=bool)
    candidates[rows, (reached >= n).argmax(axis=1)] = True
    candidates[rows, (reached > n).argmax(axis=1)] = True
    return candidates


def mean_candidates(votes: Votes) -> npt.NDArray[np.bool_]:
    """The categories nearest to each item's mean; two where it lies halfway."""
    mean = votes.counts @ votes.positions / votes.n_votes
    distance = np.abs(votes.positions[None, :] - mean[:, None])
    length = float(np.ptp(votes.positions))
    return np.asarray(distance - distance.min(axis=1, keepdims=True) < EQUAL * length)


def line_medians(votes: Votes) -> Floats:
    """The median of each item's numbers."""
    numbers = votes.positions[votes.code]
    ordered = numbers[np.lexsort((numbers, votes.item))]
    start = np.cumsum(votes.n_votes) - votes.n_votes
    low, high = start + (votes.n_votes - 1) // 2, start + votes.n_votes // 2
    return np.asarray((ordered[low] + ordered[high]) / 2)


def line_means(votes: Votes) -> tuple[Floats, Floats]:
    """The mean of each item's numbers and its standard error (NaN from one vote)."""
    numbers, n = votes.positions[votes.code], votes.n_votes
    mean = np.bincount(votes.item, numbers, minlength=n.size) / n
    squares = np.bincount(votes.item, (numbers - mean[votes.item]) ** 2, minlength=n.size)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(squares / (n - 1) / n)
    return mean, np.where(n > 1, error, np.nan)
