"""GLAD: able judges and easy items; a vote is right more often the more there is of both."""

from __future__ import annotations

from typing import Any

import numpy as np

from covary.aggregate.aggregated import Aggregated, JudgeFit
from covary.aggregate.asking import ask_model, written
from covary.aggregate.glad_likelihood import GladTask, GladTop
from covary.aggregate.modelled import Prior, Top, check_model, likely, notes_on, settled
from covary.aggregate.rows import Rows, rows_of
from covary.aggregate.starts import judge_weights
from covary.aggregate.ties import TieRule
from covary.aggregate.votes import Occasions, Votes
from covary.ratings import Ratings

__all__ = ["glad"]


def glad(
    ratings: Ratings,
    *,
    criterion: Any = None,
    prior: Prior = "uniform",
    smoothing: float = 1.0,
    starts: int = 3,
    top: Top = "nearest",
    ties: TieRule = "abstain",
    occasions: Occasions = "refuse",
    seed: int = 0,
    tolerance: float = 1e-3,
    max_iterations: int = 10_000,
) -> Aggregated:
    """What is each item's true category, when items differ in difficulty and judges in ability?

    To prefer where some items are hard for everybody.

    Parameters
    ----------
    ratings
        Votes by named judges on categories.
    criterion
        Which criterion, where there are several.
    prior
        Whether the categories' shares are taken to be equal, as in the paper, or estimated.
    smoothing
        How strongly abilities and (log) easiness are drawn to their prior, normal around 1 with
        variance 1 / smoothing.
    starts, top, ties, occasions, seed, max_iterations
        As in `dawid_skene`; the first start takes all judges to be equally able.
    tolerance
        The climb ends when no ability and no log easiness changes by more in one step.

    Returns
    -------
    Aggregated
        In `judges`, `parameters["ability"]` (0: guesses; below 0: works against the truth) and the
        expected accuracy on the items that the judge rated; in `details["easiness"]`, one number
        above 0 for each item.

    Notes
    -----
    A vote of judge j on item i is T_i with probability 1 / (1 + exp(-a_j b_i)), a_j being the
    ability and b_i > 0 the easiness, and any other category alike otherwise. Each step of EM takes
    one step of Newton's method for all abilities and one for all items, where the paper climbs by
    gradients; the tops are the same.

    References
    ----------
    Whitehill, J., Ruvolo, P., Wu, T., Bergsma, J. & Movellan, J. (2009). Whose vote should count
    more: optimal integration of labels from labelers of unknown expertise. NIPS 22, 2035-2043.

    Examples
    --------
    >>> votes = Ratings.from_wide(
    ...     [["a", "a", "b"], ["a", "a", "b"], ["b", "b", "b"], ["b", "b", "a"], ["b", "b", "b"]]
    ... )
    >>> first, second, third = (judge.parameters["ability"] for judge in glad(votes).judges)
    >>> first > third
    True
    """
    check_model(prior=prior, top=top, smoothing=smoothing, starts=starts, seed=seed,
                tolerance=tolerance, most=max_iterations)  # fmt: skip
    votes, notes = ask_model("glad", ratings, criterion, occasions, ties)
    rows = rows_of(votes)
    task = GladTask(rows, smoothing, prior == "estimated")
    tops: list[GladTop] = []
    for weight in judge_weights(votes, starts, seed):
        known = tops[0] if tops else None
        tops.append(task.fitted(weight, tolerance=tolerance, most=max_iterations, known=known))
    best, convergence = settled(tops, top)
    belief, fits = best.belief[rows.row_of_item], _judges(votes, rows, best)
    settings = {"prior": prior, "smoothing": smoothing, "starts": starts, "top": top,
                "tolerance": tolerance, "occasions": occasions, "seed": seed}  # fmt: skip
    notes += notes_on(votes, fits, belief, convergence, ordered=False)
    return written("glad", "GLAD", votes, likely(belief), ties=ties, seed=seed, notes=notes,
                   settings=settings, belief=belief, convergence=convergence, judges=fits,
                   prior=dict(zip(votes.values, best.prior.tolist(), strict=True)),
                   details={"easiness": best.easiness[rows.row_of_item]})  # fmt: skip


def _judges(votes: Votes, rows: Rows, best: GladTop) -> tuple[JudgeFit, ...]:
    """Each judge's ability, and how often they are right on the items that they rated."""
    times = rows.weights[rows.entry_row]
    n = np.bincount(rows.entry_judge, times, rows.n_judges)
    right = np.bincount(rows.entry_judge, times * best.right, rows.n_judges)
    unknown = np.full((rows.n_categories, rows.n_categories), np.nan)
    return tuple(
        JudgeFit(judge, int(n[j]), float(right[j] / n[j]) if n[j] else float("nan"), unknown,
                 float("nan"), {"ability": float(best.ability[j])})
        for j, judge in enumerate(votes.judges)
    )  # fmt: skip
