"""MACE: each judge either knows the answer or draws one from a habit of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from covary.aggregate.aggregated import Aggregated
from covary.aggregate.latent import Family
from covary.aggregate.modelled import Prior, Top, fit_latent
from covary.aggregate.ties import TieRule
from covary.aggregate.votes import Floats, Occasions
from covary.ratings import Ratings

__all__ = ["mace"]


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
    return fit_latent(
        "mace", "MACE", ratings, _knowing, criterion=criterion, prior=prior, smoothing=smoothing,
        starts=starts, top=top, ties=ties, occasions=occasions, seed=seed, tolerance=tolerance,
        max_iterations=max_iterations, own=_parameters,
    )  # fmt: skip


def _knowing(size: int) -> Family:
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

    return Family((2, size), confusion, tally)


def _parameters(vectors: Floats) -> list[Mapping[str, Any]]:
    return [{"trust": float(each[0]), "strategy": tuple(each[2:].tolist())} for each in vectors]
