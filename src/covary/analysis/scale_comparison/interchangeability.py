"""Interchangeability: would the other scale have told the same about the systems?

A high correlation of system means does not show that one scale can stand for the other: it may be
high by the spread of the systems alone, and with few systems its interval is wide. So the system
means of both scales are standardised (mean 0 and standard deviation 1 over the systems; scales of 1
to 7 and of 0 to 100 have no unit in common), and their differences are tested for equivalence
against a margin in standard deviations of the systems.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.analysis.scale_comparison.association import Association, associate
from covary.analysis.scale_comparison.experiments import Part, share_judges
from covary.analysis.scale_comparison.fits import Fitted, joint_covariance
from covary.stats.equivalence import Distance, Equivalence, distance_test, tost
from covary.stats.plain import plain

__all__ = ["Interchange", "interchangeability", "standardised"]

Floats = npt.NDArray[np.float64]

WORDS = {
    "equivalent": "interchangeable",
    "different": "not interchangeable",
    "not shown": "not shown to be interchangeable",
}


@dataclass(frozen=True)
class Interchange:
    """Two parts beside each other.

    `means` are the plain system means of both, `standard` the adjusted ones in standard deviations
    of the systems. `systems` holds the two one-sided tests of each system, `distance` the test of
    all of them together, which decides. `reason` says why there is no test.
    """

    first: str
    second: str
    criterion: str
    same_judges: str
    shared_items: int
    association: Association
    systems: tuple[str, ...]
    means: tuple[tuple[float, ...], tuple[float, ...]]
    standard: tuple[tuple[float, ...], tuple[float, ...]]
    tests: tuple[Equivalence, ...]
    distance: Distance | None
    reason: str = ""

    @property
    def word(self) -> str:
        """Interchangeable, not interchangeable, or not shown to be."""
        return WORDS["not shown" if self.distance is None else self.distance.word]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        own: dict[str, Any] = plain(self)
        return own | {
            "word": self.word,
            "tests": [test.to_dict() for test in self.tests],
            "distance": None if self.distance is None else self.distance.to_dict(),
        }


def interchangeability(
    fits: Sequence[Fitted],
    *,
    margin: float,
    alpha: float,
    confidence: float,
    draws: int,
    seed: int,
) -> Iterator[Interchange]:
    """Compare every two parts."""
    for first, second in combinations(fits, 2):
        yield _compared(first, second, margin, alpha, confidence, draws, seed)


def _compared(
    first: Fitted, second: Fitted, margin: float, alpha: float, confidence: float, draws: int,
    seed: int,
) -> Interchange:  # fmt: skip
    a, b = first.part, second.part
    association = associate(a.means, b.means, confidence)
    x, y = standardised(first.means), standardised(second.means)
    items = len(set(a.layout.names["item"]) & set(b.layout.names["item"]))
    head = (a.label, b.label, a.criterion, share_judges(a, b), items, association, a.systems,
            (_tuple(a.means), _tuple(b.means)), (_tuple(x), _tuple(y)))  # fmt: skip
    reason = _reason(first, second, association)
    if reason:
        return Interchange(*head, (), None, reason)
    drawn = _drawn(first, second, draws, seed)
    errors, df = drawn.std(axis=0, ddof=1), _df(a, b)
    tests = tuple(
        tost(float(d), float(e), df, margin=margin, alpha=alpha)
        for d, e in zip(x - y, errors, strict=True)
    )
    return Interchange(*head, tests, distance_test(x - y, drawn, df, margin=margin, alpha=alpha))


def standardised(means: Floats) -> Floats:
    """Means in standard deviations of the systems from their mean, along the last axis."""
    centred = means - means.mean(axis=-1, keepdims=True)
    spread = means.std(axis=-1, ddof=1, keepdims=True)
    return np.asarray(centred / np.where(spread > 0, spread, 1))


def _drawn(first: Fitted, second: Fitted, draws: int, seed: int) -> Floats:
    """Differences of standardised means, drawn anew with other judges and sources."""
    covariance = joint_covariance([first, second])
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0))
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal((draws, covariance.shape[0])) @ root.T
    k = first.means.size
    return standardised(first.means + noise[:, :k]) - standardised(second.means + noise[:, k:])


def _df(*parts: Part) -> int:
    fewest = min(len(part.layout.names[name]) for part in parts for name in ("judge", part.texts))
    return max(fewest - 1, 1)


def _reason(first: Fitted, second: Fitted, association: Association) -> str:
    if association.reason:
        return association.reason
    for fit in (first, second):
        if fit.anova.residual_df < 1:
            return f"{fit.part.label} has too few ratings to say how uncertain its means are"
        if len(fit.part.judges) < 2:
            return f"{fit.part.label} has one judge, so other judges cannot be thought of"
    return ""


def _tuple(values: Floats) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
