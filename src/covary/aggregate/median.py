"""The middle vote."""

from __future__ import annotations

from typing import Any

from covary.aggregate.aggregated import Aggregated
from covary.aggregate.asking import ask_ordered, number_given, written
from covary.aggregate.middle import line_medians, median_candidates
from covary.aggregate.on_a_line import written_on_a_line
from covary.aggregate.ties import TieRule
from covary.aggregate.votes import Occasions
from covary.ratings import Ratings

__all__ = ["median"]


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
    number_given("seed", seed, whole=True)
    votes, notes = ask_ordered("median", ratings, criterion, occasions, ties)
    settings = {"occasions": occasions}
    if votes.continuous:
        return written_on_a_line("median", "Median", votes, line_medians(votes), notes=notes,
                                 settings=settings)  # fmt: skip
    return written("median", "Median", votes, median_candidates(votes), ties=ties, seed=seed,
                   notes=notes, settings=settings)  # fmt: skip
