"""How much two categories agree: 1 on the diagonal, less the farther apart they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument, listed
from covary.stats.patterns import Patterns

__all__ = ["NAMES", "agreement_weights", "variant", "weights_name"]

Floats = npt.NDArray[np.float64]

NAMES = ("linear", "quadratic", "ordinal", "radical", "ratio")


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
        return _own(weights, patterns)
    if weights not in NAMES:
        raise InvalidArgument(
            f"weights={weights!r} is not known; choose one of {listed(('identity', *NAMES))} or "
            "give a matrix with a row and a column for each category"
        )
    return _named(weights, patterns.positions(patterns.scale.level))


def _named(name: str, positions: Floats) -> Floats:
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


def _own(weights: Any, patterns: Patterns) -> Floats:
    matrix = np.asarray(weights, dtype=float)
    size = patterns.n_values
    if matrix.shape != (size, size):
        raise InvalidArgument(
            f"weights have shape {matrix.shape}, but the scale has {size} categories "
            f"({listed(patterns.values)}); give a row and a column for each"
        )
    if not np.allclose(matrix, matrix.T) or not np.isfinite(matrix).all():
        raise InvalidArgument("weights must be finite and the same in both directions (symmetric)")
    diagonal = np.diag(matrix)
    if np.allclose(diagonal, 0) and matrix.max() > 0:
        return np.asarray(1 - matrix / matrix.max())
    if not np.allclose(diagonal, 1):
        raise InvalidArgument(
            "weights must have 1 on the diagonal (agreement) or 0 on the diagonal (disagreement)"
        )
    return matrix
