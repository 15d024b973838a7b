"""Models of judges with a confusion matrix each: Dawid and Skene's, one coin, and MACE."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from covary.aggregate.em import JudgeModel, ModelOptions, Prior, Top, fit_latent
from covary.aggregate.method import TieRule
from covary.aggregate.result import Aggregated
from covary.aggregate.votes import Floats, Occasions
from covary.ratings import Ratings


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
        crowd are, so that a judge with few votes is assumed to be like the others; 0 for Dawid and
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
    options = ModelOptions(
        "dawid_skene",
        criterion=criterion,
        ties=ties,
        occasions=occasions,
        seed=seed,
        prior="estimated",
        smoothing=smoothing,
        starts=starts,
        top=top,
        tolerance=tolerance,
        max_iterations=max_iterations,
    )
    return fit_latent("Dawid & Skene", _confusions, ratings, options)


def _confusions(size: int) -> JudgeModel:
    """A vector for each true category: the rows of the confusion matrix."""

    def confusion(vectors: Floats) -> Floats:
        return vectors.reshape(-1, size, size)

    def tally(_: Floats, expected: Floats) -> Floats:
        return np.ascontiguousarray(expected).reshape(-1, size * size)

    return JudgeModel((size,) * size, confusion, tally)


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
    options = ModelOptions(
        "one_coin",
        criterion=criterion,
        ties=ties,
        occasions=occasions,
        seed=seed,
        prior=prior,
        smoothing=smoothing,
        starts=starts,
        top=top,
        tolerance=tolerance,
        max_iterations=max_iterations,
    )
    return fit_latent("One coin", _one_coin, ratings, options)


def _one_coin(size: int) -> JudgeModel:
    """One vector for each judge: right, wrong."""
    others = max(size - 1, 1)

    def confusion(vectors: Floats) -> Floats:
        wrong = vectors[:, 1, None, None] / others
        same = np.eye(size)[None]
        return np.asarray(vectors[:, 0, None, None] * same + wrong * (1 - same))

    def tally(_: Floats, expected: Floats) -> Floats:
        right = np.einsum("jkk->j", expected)
        return np.column_stack([right, expected.sum(axis=(1, 2)) - right])

    return JudgeModel((2,), confusion, tally)


def mace(
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
    """What is each item's true category, when some judges answer without looking?

    To prefer where spammers are feared: someone who always says the same is found out, and so is
    what they say when they do not look.

    Parameters
    ----------
    ratings
        Votes by named judges on categories.
    criterion
        Which criterion, where there are several.
    prior
        Whether the categories' shares are taken to be equal, as in the paper, or estimated.
    smoothing
        Pseudo-votes added to knowing and guessing and to the categories guessed, spread as those of
        the whole crowd are.
    starts, top, ties, occasions, seed, tolerance, max_iterations
        As in `dawid_skene`.

    Returns
    -------
    Aggregated
        In `judges`, `parameters["trust"]` is the probability that the judge looked and
        `parameters["strategy"]` what they say otherwise, by category.

    Notes
    -----
    With probability θ_j a vote of judge j is T_i, else it is drawn from ξ_j. Fitted by EM with
    smoothing, the first of the two ways in the paper (the other is variational).

    References
    ----------
    Hovy, D., Berg-Kirkpatrick, T., Vaswani, A. & Hovy, E. (2013). Learning whom to trust with MACE.
    NAACL-HLT 2013, 1120-1130.

    Examples
    --------
    >>> votes = Ratings.from_wide(
    ...     [["a", "a", "b"], ["a", "a", "b"], ["b", "b", "b"], ["a", "a", "b"], ["b", "b", "b"]]
    ... )
    >>> [judge.parameters["trust"] > 0.5 for judge in mace(votes).judges]
    [True, True, False]
    """
    options = ModelOptions(
        "mace",
        criterion=criterion,
        ties=ties,
        occasions=occasions,
        seed=seed,
        prior=prior,
        smoothing=smoothing,
        starts=starts,
        top=top,
        tolerance=tolerance,
        max_iterations=max_iterations,
    )
    return fit_latent("MACE", _knowing, ratings, options, parameters=_parameters)


def _knowing(size: int) -> JudgeModel:
    """Two vectors for each judge: knows or guesses; which category when guessing."""

    def confusion(vectors: Floats) -> Floats:
        knows, guesses, habit = vectors[:, 0], vectors[:, 1], vectors[:, 2:]
        guessed = np.repeat((guesses[:, None] * habit)[:, None, :], size, axis=1)
        return np.asarray(guessed + knows[:, None, None] * np.eye(size)[None])

    def tally(vectors: Floats, expected: Floats) -> Floats:
        knows, guessed = vectors[:, 0, None], vectors[:, 1, None] * vectors[:, 2:]
        total = knows + guessed
        known = np.divide(knows, total, out=np.zeros_like(total), where=total > 0)
        right = np.einsum("jkk->jk", expected)
        by_knowing = right * known
        by_guessing = expected.sum(axis=1) - by_knowing
        return np.column_stack([by_knowing.sum(axis=1), by_guessing.sum(axis=1), by_guessing])

    return JudgeModel((2, size), confusion, tally)


def _parameters(vectors: Floats) -> Mapping[str, Any]:
    return {"trust": float(vectors[0]), "strategy": tuple(vectors[2:].tolist())}
