"""One coin: each judge is right with a probability of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from covary.aggregate.aggregated import Aggregated
from covary.aggregate.latent import Family
from covary.aggregate.modelled import Prior, Top, fit_latent
from covary.aggregate.ties import TieRule
from covary.aggregate.votes import Floats, Occasions
from covary.ratings import Ratings

__all__ = ["coin", "one_coin"]


def one_coin(
    ratings: Ratings,
    *,
    criterion: Any = None,
    prior: Prior = "uniform",
    smoothing: float = 4.0,
    starts: int = 3,
    top: Top = "nearest",
    ties: TieRule = "abstain",
    occasions: Occasions = "refuse",
    seed: int = 0,
    tolerance: float = 1e-5,
    max_iterations: int = 10_000,
) -> Aggregated:
    """What is each item's true category, when some judges are right more often than others?

    Dawid and Skene's model with one number per judge: right with probability p, and when wrong, any
    other category alike. To prefer where judges have few votes.

    Parameters
    ----------
    ratings
        Votes by named judges on categories.
    criterion
        Which criterion, where there are several.
    prior
        Whether the categories' shares are taken to be equal or estimated. Estimated, the model can
        explain one-sided judges by putting every item into one category.
    smoothing
        Pseudo-votes added to each judge's right and wrong ones, as many of each as the whole crowd
        has.
    starts, top, ties, occasions, seed, tolerance, max_iterations
        As in `dawid_skene`.

    Returns
    -------
    Aggregated
        In `judges`, `accuracy` is each judge's probability of being right.

    Notes
    -----
    A vote of judge j on item i is T_i with probability p_j and any other category with
    (1 - p_j) / (K - 1).

    References
    ----------
    Zhang, Y., Chen, X., Zhou, D. & Jordan, M. I. (2016). Spectral methods meet EM: a provably
    optimal algorithm for crowdsourcing. Journal of Machine Learning Research 17, 1-44.

    Examples
    --------
    >>> votes = Ratings.from_wide(
    ...     [["a", "a", "b"], ["a", "a", "b"], ["b", "b", "b"], ["b", "b", "a"], ["b", "b", "b"]]
    ... )
    >>> [round(judge.accuracy, 1) for judge in one_coin(votes, smoothing=0).judges]
    [1.0, 1.0, 0.4]
    """
    return fit_latent(
        "one_coin", "One coin", ratings, coin, criterion=criterion, prior=prior,
        smoothing=smoothing, starts=starts, top=top, ties=ties, occasions=occasions, seed=seed,
        tolerance=tolerance, max_iterations=max_iterations,
    )  # fmt: skip


def coin(size: int) -> Family:
    """One vector for each judge: right, wrong."""
    others = max(size - 1, 1)

    def confusion(vectors: Floats) -> Floats:
        wrong = vectors[:, 1, None, None] / others
        same = np.eye(size)[None]
        return np.asarray(vectors[:, 0, None, None] * same + wrong * (1 - same))

    def tally(_: Floats, expected: Floats) -> Floats:
        right = np.einsum("jkk->j", expected)
        return np.column_stack([right, expected.sum(axis=(1, 2)) - right])

    return Family((2,), confusion, tally)
