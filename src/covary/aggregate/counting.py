"""Counts and averages of votes: the category with the most, the middle vote, the mean."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from covary.aggregate.method import (
    Options,
    TieRule,
    make_line_result,
    make_result,
    read_counted_votes,
    read_ordered_votes,
)
from covary.aggregate.result import Aggregated
from covary.aggregate.votes import Floats, Occasions, Votes
from covary.ratings import Ratings
from covary.scales import Level
from covary.words import Note

EQUAL = 1e-9
"""Distances that differ by less, in units of the scale's length, are the same."""


def majority(
    ratings: Ratings,
    *,
    criterion: Any = None,
    ties: TieRule = "abstain",
    occasions: Occasions = "refuse",
    seed: int = 0,
) -> Aggregated:
    """Which category did most judges choose?

    Parameters
    ----------
    ratings
        The votes; judges may be slots.
    criterion
        Which criterion, where there are several.
    ties
        What an item gets whose categories share the most votes: `"abstain"` (no rating), `"lower"`,
        `"upper"`, `"middle"` (ordered scales only) or `"random"`.
    occasions
        Whether ratings of several occasions are refused or each counts as a vote (`"votes"`).
    seed
        Of `ties="random"`; what an item gets depends on its name and not on the order of rows.

    Returns
    -------
    Aggregated
        `certainty` is the share of the votes for the chosen category.

    Examples
    --------
    >>> votes = Ratings.from_wide([["a", "a", "b"], ["a", "b", None]])
    >>> majority(votes).ratings
    ('a', None)
    """
    options = Options("majority", criterion=criterion, ties=ties, occasions=occasions, seed=seed)
    votes, notes = read_counted_votes(options, ratings)
    if votes.scale.level > Level.NOMINAL and len(votes.values) > 2:
        notes += (Note("aggregate.majority-ignores-order"),)
    most = votes.counts == votes.counts.max(axis=1, keepdims=True)
    return make_result(options, "Majority", votes, most, notes=notes)


def median(
    ratings: Ratings,
    *,
    criterion: Any = None,
    ties: TieRule = "middle",
    occasions: Occasions = "refuse",
    seed: int = 0,
) -> Aggregated:
    """Which rating has as many votes below it as above it?

    Where a category has more than half of an item's votes, the median is that category.

    Parameters
    ----------
    ratings
        The votes on an ordered scale; judges may be slots.
    criterion
        Which criterion, where there are several.
    ties
        What an item with an even number of votes gets whose two middle votes differ: `"lower"`,
        `"upper"`, `"middle"`, `"abstain"` or `"random"` (see `covary.aggregate.RULES`). On a line
        it is always the number halfway between them.
    occasions, seed
        As in `majority`.

    Returns
    -------
    Aggregated
        `certainty` is the share of the votes for the chosen category, which may be 0.

    Examples
    --------
    >>> votes = Ratings.from_wide([[1, 2, 5], [2, 4, None]], scale="1-5")
    >>> median(votes).ratings
    (2, 3)
    """
    options = Options("median", criterion=criterion, ties=ties, occasions=occasions, seed=seed)
    votes, notes = read_ordered_votes(options, ratings)
    if votes.continuous:
        return make_line_result(options, "Median", votes, line_medians(votes), notes=notes)
    return make_result(options, "Median", votes, median_candidates(votes), notes=notes)


def median_candidates(votes: Votes) -> npt.NDArray[np.bool_]:
    """The categories of each item's two middle votes, which are one where they coincide."""
    reached = 2 * np.cumsum(votes.counts, axis=1)
    n, rows = votes.n_votes[:, None], np.arange(len(votes.items))
    candidates = np.zeros(votes.counts.shape, dtype=bool)
    candidates[rows, (reached >= n).argmax(axis=1)] = True
    candidates[rows, (reached > n).argmax(axis=1)] = True
    return candidates


def line_medians(votes: Votes) -> Floats:
    """The median of each item's numbers."""
    numbers, item = votes.one_by_one()
    ordered = numbers[np.lexsort((numbers, item))]
    start = np.cumsum(votes.n_votes) - votes.n_votes
    low, high = start + (votes.n_votes - 1) // 2, start + votes.n_votes // 2
    return np.asarray((ordered[low] + ordered[high]) / 2)


def mean(
    ratings: Ratings,
    *,
    criterion: Any = None,
    ties: TieRule = "middle",
    occasions: Occasions = "refuse",
    seed: int = 0,
) -> Aggregated:
    """Which rating is nearest to the average of the votes?

    Parameters
    ----------
    ratings
        The votes on an ordered scale; judges may be slots.
    criterion
        Which criterion, where there are several.
    ties
        What an item gets whose mean lies halfway between two categories, as in `median`.
    occasions, seed
        As in `majority`.

    Returns
    -------
    Aggregated
        On a line, the mean itself, with its standard error in `details["standard_error"]`.

    Notes
    -----
    Categories stand at their numbers from interval level up, and at their ranks below.

    Examples
    --------
    >>> votes = Ratings.from_wide([[3, 3, 1], [1, 2, None]], scale="1-3")
    >>> mean(votes).ratings
    (2, 2)
    """
    options = Options("mean", criterion=criterion, ties=ties, occasions=occasions, seed=seed)
    votes, notes = read_ordered_votes(options, ratings)
    if votes.scale.level is Level.ORDINAL and len(votes.values) > 2:
        notes += (Note("aggregate.equal-steps"),)
    if votes.continuous:
        numbers, error = line_means(votes)
        details = {"standard_error": error}
        return make_line_result(options, "Mean", votes, numbers, notes=notes, details=details)
    return make_result(options, "Rounded mean", votes, mean_candidates(votes), notes=notes)


def mean_candidates(votes: Votes) -> npt.NDArray[np.bool_]:
    """The categories nearest to each item's mean; two where it lies halfway."""
    mean = votes.counts @ votes.positions / votes.n_votes
    distance = np.abs(votes.positions[None, :] - mean[:, None])
    length = float(np.ptp(votes.positions))
    return np.asarray(distance - distance.min(axis=1, keepdims=True) < EQUAL * length)


def line_means(votes: Votes) -> tuple[Floats, Floats]:
    """The mean of each item's numbers and its standard error (NaN from one vote)."""
    (numbers, item), n = votes.one_by_one(), votes.n_votes
    mean = np.bincount(item, numbers, minlength=n.size) / n
    squares = np.bincount(item, (numbers - mean[item]) ** 2, minlength=n.size)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(squares / (n - 1) / n)
    return mean, np.where(n > 1, error, np.nan)
