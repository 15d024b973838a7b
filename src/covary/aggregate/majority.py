"""The category with the most votes."""

from __future__ import annotations

from typing import Any

from covary.aggregate.aggregated import Aggregated
from covary.aggregate.asking import ask, number_given, refuse_line, written
from covary.aggregate.ties import TieRule
from covary.aggregate.votes import Occasions
from covary.ratings import Ratings
from covary.scales import Level
from covary.stats.question import check_ratings

__all__ = ["majority"]

LOSES_ORDER = "majority does not use the order of the categories; median and mean do"


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
    check_ratings("majority", ratings)
    refuse_line("majority", ratings, criterion)
    number_given("seed", seed, whole=True)
    votes, notes = ask("majority", ratings, criterion, occasions, ties)
    if votes.scale.level > Level.NOMINAL and len(votes.values) > 2:
        notes += (LOSES_ORDER,)
    most = votes.counts == votes.counts.max(axis=1, keepdims=True)
    settings = {"occasions": occasions}
    return written("majority", "Majority", votes, most, ties=ties, seed=seed, notes=notes,
                   settings=settings)  # fmt: skip
