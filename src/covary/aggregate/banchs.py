"""Banchs' two ways to combine votes on an ordered scale: strong disagreement penalised, or not."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from covary.aggregate.counting import mean_candidates, median_candidates
from covary.aggregate.method import (
    Notes,
    Options,
    TieRule,
    check_choice,
    make_result,
    read_ordered_votes,
)
from covary.aggregate.result import Aggregated
from covary.aggregate.votes import Occasions, Votes
from covary.errors import InvalidArgument
from covary.ratings import Ratings


def banchs_a(
    ratings: Ratings,
    *,
    criterion: Any = None,
    rule: Literal["mean", "extremes"] = "mean",
    ties: TieRule = "middle",
    occasions: Occasions = "refuse",
    seed: int = 0,
) -> Aggregated:
    """What do most judges say, and the middle category where they disagree strongly?

    Banchs (2016) combines three votes (valid, acceptable, invalid): the score that two or more
    gave, but *acceptable* where all three differ or where *valid* meets *invalid*. Compare
    `banchs_b`, which lets two of three votes decide.

    Parameters
    ----------
    ratings
        The votes on a declared ordered scale; judges may be slots.
    criterion
        Which criterion, where there are several.
    rule
        How the method goes on to other numbers of votes and categories: `"mean"`, the rounded mean
        of the categories' ranks (their numbers from interval level up), or `"extremes"`, to the
        letter: the middle category where votes hold both ends of the scale, else the median.
    ties
        What an item gets whose mean (or median) lies halfway between two categories, as in
        `median`; three votes on three categories never need it.
    occasions, seed
        As in `majority`.

    Returns
    -------
    Aggregated
        `certainty` is the share of the votes for the chosen category; it is 0 where *valid* met
        *invalid* and nobody said *acceptable*.

    Notes
    -----
    On all 27 triples both rules are Banchs'.

    References
    ----------
    Banchs, R. E. (2016). Expert-generated vs. crowd-sourced annotations for evaluating chatting
    sessions at the turn level. WOCHAT shared-task report, section 5.

    Examples
    --------
    >>> votes = Ratings.from_wide([[3, 3, 1], [3, 1, 1], [3, 2, 1], [3, 3, 2]], scale="1-3")
    >>> banchs_a(votes).ratings
    (2, 2, 2, 3)
    """
    check_choice("rule", rule, ("mean", "extremes"))
    options = Options("banchs_a", criterion=criterion, ties=ties, occasions=occasions, seed=seed)
    votes, notes = _read_category_votes(options, ratings)
    candidates = mean_candidates(votes) if rule == "mean" else _median_unless_extreme(votes)
    return make_result(
        options,
        "Banchs' method A (strong disagreement penalised)",
        votes,
        candidates,
        notes=notes,
        settings={"rule": rule, "occasions": occasions},
    )


def _median_unless_extreme(votes: Votes) -> npt.NDArray[np.bool_]:
    """The middle category where both ends of the scale have votes, else the median."""
    if len(votes.values) % 2 == 0:
        raise InvalidArgument("aggregate.no-middle", n=len(votes.values))
    candidates = median_candidates(votes)
    extreme = (votes.counts[:, 0] > 0) & (votes.counts[:, -1] > 0)
    candidates[extreme] = False
    candidates[extreme, len(votes.values) // 2] = True
    return candidates


def banchs_b(
    ratings: Ratings,
    *,
    criterion: Any = None,
    ties: TieRule = "middle",
    occasions: Occasions = "refuse",
    seed: int = 0,
) -> Aggregated:
    """What do most judges say, and the middle category where they all differ?

    Banchs (2016) combines three votes (valid, acceptable, invalid): the score that two or more
    gave; *acceptable* where all three differ. Compare `banchs_a`, which also turns strong
    disagreement into *acceptable*.

    Parameters
    ----------
    ratings
        The votes on a declared ordered scale; judges may be slots.
    criterion
        Which criterion, where there are several.
    ties
        What an item with an even number of votes gets whose two middle votes differ, as in
        `median`; three votes never need it.
    occasions, seed
        As in `majority`.

    Notes
    -----
    On all 27 triples the rule is the median, and a category with more than half of the votes is
    the median whatever their number. So the median is how it goes on to any number of votes and
    any ordered scale.

    References
    ----------
    Banchs, R. E. (2016). Expert-generated vs. crowd-sourced annotations for evaluating chatting
    sessions at the turn level. WOCHAT shared-task report, section 5.

    Examples
    --------
    >>> votes = Ratings.from_wide([[3, 3, 1], [3, 1, 1], [3, 2, 1]], scale="1-3")
    >>> banchs_b(votes).ratings
    (3, 1, 2)
    """
    options = Options("banchs_b", criterion=criterion, ties=ties, occasions=occasions, seed=seed)
    votes, notes = _read_category_votes(options, ratings)
    title = "Banchs' method B (simple majority)"
    return make_result(options, title, votes, median_candidates(votes), notes=notes)


def _read_category_votes(options: Options, ratings: Ratings) -> tuple[Votes, Notes]:
    """Read the votes on declared, ordered categories."""
    votes, notes = read_ordered_votes(options, ratings)
    if votes.continuous:
        scale = votes.scale.describe()
        raise InvalidArgument("aggregate.no-categories", method=options.method, scale=scale)
    return votes, notes
