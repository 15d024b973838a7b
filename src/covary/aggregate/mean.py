"""The average vote, rounded to a category where there are categories."""

from __future__ import annotations

from typing import Any

from covary.aggregate.aggregated import Aggregated
from covary.aggregate.asking import ask_ordered, number_given, written
from covary.aggregate.middle import line_means, mean_candidates
from covary.aggregate.on_a_line import written_on_a_line
from covary.aggregate.ties import TieRule
from covary.aggregate.votes import Occasions
from covary.ratings import Ratings
from covary.scales import Level

__all__ = ["ASSUMES_STEPS", "mean"]

ASSUMES_STEPS = (
    "the mean takes neighbouring categories to be equally far apart, which an ordinal scale does "
    "not say; the median does not"
)


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
    number_given("seed", seed, whole=True)
    votes, notes = ask_ordered("mean", ratings, criterion, occasions, ties)
    settings = {"occasions": occasions}
    if votes.scale.level is Level.ORDINAL and len(votes.values) > 2:
        notes += (ASSUMES_STEPS,)
    if votes.continuous:
        numbers, error = line_means(votes)
        return written_on_a_line("mean", "Mean", votes, numbers, notes=notes, settings=settings,
                                 details={"standard_error": error})  # fmt: skip
    return written("mean", "Rounded mean", votes, mean_candidates(votes), ties=ties, seed=seed,
                   notes=notes, settings=settings)  # fmt: skip
