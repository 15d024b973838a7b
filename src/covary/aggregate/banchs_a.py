"""Banchs' method A: majority voting that turns strong disagreement into the middle category."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from covary.aggregate.aggregated import Aggregated
from covary.aggregate.asking import number_given, written
from covary.aggregate.banchs_scale import ask_banchs
from covary.aggregate.middle import mean_candidates, median_candidates
from covary.aggregate.ties import TieRule
from covary.aggregate.votes import Occasions, Votes
from covary.errors import InvalidArgument
from covary.ratings import Ratings

__all__ = ["banchs_a"]


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
    if rule not in ("mean", "extremes"):
        raise InvalidArgument(f"rule={rule!r} is not known; choose 'mean' or 'extremes'")
    number_given("seed", seed, whole=True)
    votes, notes = ask_banchs("banchs_a", ratings, criterion, occasions, ties)
    candidates = mean_candidates(votes) if rule == "mean" else _unless_extreme(votes)
    return written("banchs_a", "Banchs' method A (strong disagreement penalised)", votes,
                   candidates, ties=ties, seed=seed, notes=notes,
                   settings={"rule": rule, "occasions": occasions})  # fmt: skip


def _unless_extreme(votes: Votes) -> npt.NDArray[np.bool_]:
    """The middle category where both ends of the scale have votes, else the median."""
    if len(votes.values) % 2 == 0:
        raise InvalidArgument(
            f"rule='extremes' needs a middle category, and a scale with {len(votes.values)} has "
            "none; use rule='mean'"
        )
    candidates = median_candidates(votes)
    extreme = (votes.counts[:, 0] > 0) & (votes.counts[:, -1] > 0)
    candidates[extreme] = False
    candidates[extreme, len(votes.values) // 2] = True
    return candidates
