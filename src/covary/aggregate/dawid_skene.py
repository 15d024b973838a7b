"""Dawid and Skene's model: each judge has a confusion matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from covary.aggregate.aggregated import Aggregated
from covary.aggregate.latent import Family
from covary.aggregate.modelled import Top, fit_latent
from covary.aggregate.ties import TieRule
from covary.aggregate.votes import Floats, Occasions
from covary.ratings import Ratings

__all__ = ["dawid_skene"]


def dawid_skene(
    ratings: Ratings,
    *,
    criterion: Any = None,
    smoothing: float = 4.0,
    starts: int = 3,
    top: Top = "nearest",
    ties: TieRule = "abstain",
    occasions: Occasions = "refuse",
    seed: int = 0,
    tolerance: float = 1e-5,
    max_iterations: int = 10_000,
) -> Aggregated:
    """What is each item's true category, when every judge errs in a way of their own?

    Each judge has a probability of every vote for every true category, so that one who confuses
    two categories, or mistakes one for another throughout, is understood. `one_coin` needs far
    fewer votes per judge.

    Parameters
    ----------
    ratings
        Votes by named judges on categories.
    criterion
        Which criterion, where there are several.
    smoothing
        Pseudo-votes added to every row of every judge's matrix, spread as the votes of the whole
        crowd are, so that a judge with few votes is taken to be like the others; 0 for Dawid and
        Skene's maximum likelihood, which a crowd with three votes per item does not identify.
    starts
        From how many places the likelihood is climbed. The first is the vote shares, as in the
        paper; the others weigh judges differently and show whether that matters.
    top
        Which top is the answer where starts reach several: the `"nearest"` to the votes, which is
        the first start's and what the paper computes, or the `"highest"`.
    ties
        What an item gets whose best categories are equally probable, as in `majority`.
    occasions
        Whether ratings of several occasions are refused or each counts as a vote (`"votes"`).
    seed
        Of the further starts.
    tolerance
        The climb ends when no probability changes by more in one step.
    max_iterations
        How many steps each start may take before it counts as not converged, an error.

    Returns
    -------
    Aggregated
        `prior`, `probabilities`, `convergence`, and in `judges` their confusion matrices.

    Notes
    -----
    A vote of judge j on item i is v with probability C_j[T_i, v]; categories have the prior p.
    Checked against the anaesthetists' data of the paper (converged; crowd-kit 1.4.2 gives the same
    when it is kept from stopping early). The highest likelihood is not always the best reading:
    that data has a higher top, and unsmoothed crowds have many.

    References
    ----------
    Dawid, A. P. & Skene, A. M. (1979). Maximum likelihood estimation of observer error-rates using
    the EM algorithm. Applied Statistics 28, 20-28.

    Raykar, V. C. & Yu, S. (2012). Eliminating spammers and ranking annotators for crowdsourced
    labeling tasks. Journal of Machine Learning Research 13, 491-518.

    Examples
    --------
    >>> votes = Ratings.from_wide(
    ...     [["a", "a", "b"], ["a", "a", "b"], ["b", "b", "b"], ["b", "b", "a"], ["b", "b", "b"]]
    ... )
    >>> dawid_skene(votes).ratings
    ('a', 'a', 'b', 'b', 'b')
    """
    return fit_latent(
        "dawid_skene", "Dawid & Skene", ratings, _confusions, criterion=criterion,
        prior="estimated", smoothing=smoothing, starts=starts, top=top, ties=ties,
        occasions=occasions, seed=seed, tolerance=tolerance, max_iterations=max_iterations,
    )  # fmt: skip


def _confusions(size: int) -> Family:
    """A vector for each true category: the rows of the confusion matrix."""

    def confusion(vectors: Floats) -> Floats:
        return vectors.reshape(-1, size, size)

    def tally(_: Floats, expected: Floats) -> Floats:
        return np.ascontiguousarray(expected).reshape(-1, size * size)

    return Family((size,) * size, confusion, tally)
