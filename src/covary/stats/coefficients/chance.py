"""Observed and chance agreement when it does not matter who gave which rating.

The family of Scott's pi, Fleiss' kappa, Brennan-Prediger and Gwet's AC1 and AC2: one observed
agreement, with weights for near misses, and several ideas of what chance would give.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.stats.coefficient import Coefficient, Request, needs_categories, prepare
from covary.stats.estimate import Estimate, Interval
from covary.stats.intervals import IntervalSpec, analytic
from covary.stats.patterns import Patterns
from covary.stats.statistic import TINY, Linear, ratio

Floats = npt.NDArray[np.float64]

Chance = Callable[[Floats, Floats], Floats]
"""The expected agreement from the categories' shares and the agreement of each two categories."""

WEIGHTS = ("linear", "quadratic", "ordinal", "radical", "ratio")


def variant(weights: Any) -> str:
    """Return the name under which a choice of weights is judged suitable or not."""
    if weights is None or (isinstance(weights, str) and weights == "identity"):
        return ""
    return "weighted" if isinstance(weights, str) else "own weights"


def weights_name(weights: Any) -> str:
    """Return how a choice of weights is written in a signature."""
    if weights is None:
        return "identity"
    return weights if isinstance(weights, str) else "own"


def agreement_weights(weights: Any, patterns: Patterns) -> Floats:
    """Return the categories × categories matrix of agreement for a name or a matrix.

    A matrix with zeros on its diagonal is read as disagreement and turned round.
    """
    size = patterns.n_values
    if weights is None or (isinstance(weights, str) and weights == "identity"):
        return np.eye(size)
    if not isinstance(weights, str):
        return _own_weights(weights, patterns)
    if weights not in WEIGHTS:
        known = ("identity", *WEIGHTS)
        raise InvalidArgument(
            "stats.weights-unknown", argument="weights", value=weights, allowed=known
        )
    return _named_weights(weights, patterns.positions(patterns.scale.level))


def _named_weights(name: str, positions: Floats) -> Floats:
    apart = np.abs(positions[:, None] - positions[None, :])
    if name == "ordinal":
        ranks = np.arange(positions.size)
        steps = np.abs(ranks[:, None] - ranks[None, :]) + 1
        apart = steps * (steps - 1) / 2
    elif name == "ratio":
        whole = positions[:, None] + positions[None, :]
        apart = (apart / np.where(whole == 0, 1, whole)) ** 2
    elif name == "quadratic":
        apart = apart**2
    elif name == "radical":
        apart = np.sqrt(apart)
    largest = apart.max()
    return np.asarray(1 - apart / largest if largest > 0 else np.eye(positions.size))


def _own_weights(weights: Any, patterns: Patterns) -> Floats:
    matrix = np.asarray(weights, dtype=float)
    size = patterns.n_values
    if matrix.shape != (size, size):
        scale: dict[str, Any] = {"n_categories": size, "categories": patterns.values}
        raise InvalidArgument("stats.weights-shape", shape=matrix.shape, **scale)
    if not np.allclose(matrix, matrix.T) or not np.isfinite(matrix).all():
        raise InvalidArgument("stats.weights-asymmetric")
    diagonal = np.diag(matrix)
    if np.allclose(diagonal, 0) and matrix.max() > 0:
        return np.asarray(1 - matrix / matrix.max())
    if not np.allclose(diagonal, 1):
        raise InvalidArgument("stats.weights-diagonal")
    return matrix


def prepare_weighted(
    name: str, title: str, request: Request, weights: Any, **options: Any
) -> Coefficient:
    """Prepare a coefficient whose near misses may count as part agreement."""
    coefficient = prepare(name, title, request, variant=variant(weights), **options)
    if weights is not None:
        needs_categories(coefficient)
    return coefficient


def estimate_beyond_chance(
    coefficient: Coefficient,
    weights: Any,
    chance: Chance,
    *,
    settings: Mapping[str, Any],
    pooled: bool = False,
) -> Estimate:
    """Estimate a coefficient of ratings whose judges do not matter, with Gwet's interval."""
    patterns = coefficient.merged
    agreement = agreement_weights(weights, patterns)
    statistic = chance_corrected(patterns, agreement, chance, pooled=pooled)
    statistic.graded = isinstance(weights, str) and weights_name(weights) != "identity"
    return coefficient.estimate(
        statistic,
        settings={"weights": weights_name(weights), **settings},
        own={"analytic": lambda spec: gwet_interval(statistic, spec, fixed=2)},
    )


def chance_corrected(
    patterns: Patterns, agreement: Floats, chance: Chance, *, pooled: bool = False
) -> Linear:
    """Build (observed - expected) / (1 - expected) over items.

    `agreement` says how much each two categories agree. The shares are the mean over items of each
    item's shares (Gwet), or, when `pooled`, those of all ratings of items with at least two.
    """

    def remake(other: Patterns) -> Linear:
        return chance_corrected(other, agreement, chance, pooled=pooled)

    def finish(totals: Floats) -> Floats:
        shares = totals[..., 4:] / np.maximum(totals[..., 3:4], TINY)
        expected = chance(shares, agreement)
        one_category = shares.max(axis=-1, initial=0) >= 1 - TINY
        beyond = totals[..., 0] - expected * totals[..., 1]
        return np.where(one_category, np.nan, ratio(beyond, totals[..., 2] * (1 - expected)))

    def build(weights: Floats) -> Linear:
        tally = patterns.tally(weights)
        same, pairs = matching_pairs(patterns, tally, agreement, weights)
        pairable = pairs > 0
        size = tally.sum(axis=1)
        mass = np.where(pairable, size, 0) if pooled else (size > 0).astype(float)
        shares = tally * (mass / np.maximum(size, TINY))[:, None]
        observed = np.where(pairable, same / np.maximum(pairs, TINY), 0)
        sums = np.column_stack([observed, pairable, pairable, mass, shares])
        return Linear(patterns, sums, finish, build, remake=remake)

    return build(np.ones(len(patterns.judges)))


def gwet_interval(statistic: Linear, spec: IntervalSpec, fixed: int) -> Interval:
    """The linearised variance as Gwet has it: the number of items with two ratings is given.

    `fixed` is the column of the sums that holds this number.
    """
    sums = statistic.sums.copy()
    sums[:, fixed] = statistic.counts @ sums[:, fixed] / statistic.counts.sum()
    conditional = Linear(statistic.patterns, sums, statistic.finish, floor=statistic.floor)
    return analytic(conditional, spec)


def matching_pairs(
    patterns: Patterns, tally: Floats, agreement: Floats, weights: Floats
) -> tuple[Floats, Floats]:
    """Count, for each row, the agreeing and all ordered pairs of ratings by distinct judges."""
    copies = patterns.judges_by_row(weights**2)  # copies of a judge agree by construction
    same = np.einsum("pk,kl,pl->p", tally, agreement, tally, optimize=True) - copies
    return same, tally.sum(axis=1) ** 2 - copies
