"""Banchs' method B: simple majority voting on an ordered scale."""

from __future__ import annotations

from typing import Any

from covary.aggregate.aggregated import Aggregated
from covary.aggregate.asking import number_given, written
from covary.aggregate.banchs_scale import ask_banchs
from covary.aggregate.middle import median_candidates
from covary.aggregate.ties import TieRule
from covary.aggregate.votes import Occasions
from covary.ratings import Ratings

__all__ = ["banchs_b"]


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
    number_given("seed", seed, whole=True)
    votes, notes = ask_banchs("banchs_b", ratings, criterion, occasions, ties)
    return written("banchs_b", "Banchs' method B (simple majority)", votes,
                   median_candidates(votes), ties=ties, seed=seed, notes=notes,
                   settings={"occasions": occasions})  # fmt: skip
