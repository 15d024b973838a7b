"""System scores before and after each judge's severity is removed, and whether the order changes.

Where judges rated different systems, a mild judge lifts the systems that he happened to see. The
additive model rating = system + judge tells the two apart wherever systems and judges are
connected by ratings (Godwin & Piwek's 2016 questions show what happens where this is not done).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.analysis.systems.cells import Draw
from covary.stats.plain import plain

__all__ = ["MOST_JUDGES", "Adjustment", "adjusted_means", "balanced", "connected"]

Floats = npt.NDArray[np.float64]

MOST_JUDGES = 200
"""Judges up to whom severity is removed anew in every resample."""

SINGULAR = 1e-9
"""Below this smallest eigenvalue, as a share of the largest, a resample falls into parts."""


@dataclass(frozen=True)
class Adjustment:
    """The order of the systems before and after the severity of judges is removed.

    `reason` says why it cannot be removed, where it cannot. `balanced` says that the judges rated
    the systems in the same proportions, so that severity cannot change the order. `severities` are
    how far each judge rates above (or below) the others, in points of the scale; `removed` names
    the factors beside the system in the model.
    """

    before: tuple[Any, ...]
    after: tuple[Any, ...]
    severities: Mapping[Any, float]
    removed: tuple[str, ...]
    balanced: bool
    reason: str = ""

    @property
    def possible(self) -> bool:
        """Whether severity could be told from the systems."""
        return not self.reason

    @property
    def changed(self) -> bool:
        """Whether the systems stand in another order after it."""
        return self.possible and self.before != self.after

    @property
    def sentence(self) -> str:
        """Say whether the order of the systems depends on who happened to judge them."""
        if not self.possible:
            return f"The severity of judges cannot be removed: {self.reason}."
        if self.balanced and not self.severities:
            return "There is only one judge, whose severity falls on all systems alike."
        if self.balanced:
            return (
                "All judges rated the systems in the same proportions, so that their severity "
                "cannot change the order of the systems."
            )
        if self.changed:
            return (
                "The judges did not rate the systems in the same proportions, and removing their "
                f"severity changes the order from {_order(self.before)} to {_order(self.after)}."
            )
        return (
            "The judges did not rate the systems in the same proportions, but removing their "
            "severity leaves the order of the systems as it is."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {**plain(self), "changed": self.changed, "sentence": self.sentence}


def _order(names: Sequence[Any], most: int = 12) -> str:
    shown = [str(name) for name in names[:most]]
    return ", ".join(shown) + (", …" if len(names) > most else "")


def adjusted_means(draw: Draw) -> Floats:
    """The mean of each system without the severity of judges, in each resample.

    Least squares of rating = system + judge. Severities sum to 0 over ratings, so that the grand
    mean stays what it was. NaN where a system was not drawn or the systems fall into parts that
    share no judge.
    """
    numbers, sums = draw.numbers, draw.sums
    per_system, per_judge = numbers.sum(axis=2), numbers.sum(axis=1)
    seen = per_judge > 0
    shares = numbers / np.maximum(per_system, 1)[:, :, None]
    matrix = -(numbers.transpose(0, 2, 1) @ shares)
    diagonal = np.arange(numbers.shape[2])
    matrix[:, diagonal, diagonal] += per_judge
    right = sums.sum(axis=1) - np.einsum("rsj,rs->rj", shares, sums.sum(axis=2))
    matrix += per_judge[:, :, None] * per_judge[:, None, :] / per_judge.sum(axis=1)[:, None, None]
    matrix[:, diagonal, diagonal] += ~seen
    known = _solvable(matrix, seen) & (per_system > 0).all(axis=1)
    severity = np.full(right.shape, np.nan)
    if known.any():
        severity[known] = np.linalg.solve(matrix[known], right[known][:, :, None])[:, :, 0]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(
            (sums.sum(axis=2) - np.einsum("rsj,rj->rs", numbers, severity)) / per_system
        )


def _solvable(matrix: Floats, seen: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    eigenvalues = np.linalg.eigvalsh(matrix)
    return np.asarray((eigenvalues[:, 0] > SINGULAR * eigenvalues[:, -1]) & seen.any(axis=1))


def balanced(numbers: Floats) -> bool:
    """Whether every system has the same share of ratings by each judge (systems × judges)."""
    expected = np.outer(numbers.sum(axis=1), numbers.sum(axis=0)) / numbers.sum()
    return bool(np.allclose(numbers, expected, atol=1e-9))


def connected(numbers: Floats) -> bool:
    """Whether ratings connect every system with every other through judges (systems × judges)."""
    met = (numbers > 0).astype(float)
    reached = np.zeros(len(met), dtype=bool)
    reached[:1] = True
    while True:
        judges = met[reached].any(axis=0)
        grown = met[:, judges].any(axis=1) | reached
        if grown.sum() == reached.sum():
            return bool(reached.all())
        reached = grown
