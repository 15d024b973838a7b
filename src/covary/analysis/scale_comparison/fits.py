"""Each part in one additive model, and how uncertain its system means are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from covary.analysis.scale_comparison.experiments import Part
from covary.stats.variance import Anova, additive

__all__ = ["Fitted", "fitted", "joint_covariance"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Fitted:
    """A part's additive model of systems, judges and sources; `means` are its adjusted means."""

    part: Part
    anova: Anova
    means: Floats
    notes: tuple[str, ...] = ()

    @property
    def factors(self) -> tuple[str, ...]:
        """The factors of the model."""
        return tuple(each.name for each in self.anova.effects)


def fitted(part: Part) -> Fitted:
    """Fit one part; plain means stand in where judges and systems cannot be told apart."""
    known = [name for name in ("system", "judge", "source") if name in part.layout.factors]
    anova = additive(part.layout.values, {name: part.layout.factors[name] for name in known})
    means = np.asarray(anova.means["system"], dtype=float)
    if np.isnan(means).any():
        note = f"{part.label}: systems and judges cannot be told apart, so plain means are compared"
        return Fitted(part, anova, part.means, (note,))
    return Fitted(part, anova, means)


def joint_covariance(fits: Sequence[Fitted]) -> Floats:
    """The covariances of the system means of several parts, stacked one after the other.

    Judges and sources are both drawn: the covariance clustered by judge plus that clustered by
    source less that of single ratings (Cameron, Gelbach & Miller 2011), which is where a bootstrap
    over judges and one over sources, less one over ratings, lead with infinitely many draws. Judges
    and sources that several parts share make their means covary.
    """
    size = sum(fit.means.size for fit in fits)
    keys = {"judge": ("judge",), "text": ("text",), "rating": ("judge", "text")}
    parts = {name: _clustered(fits, by, size) for name, by in keys.items()}
    whole = parts["judge"] + parts["text"] - parts["rating"]
    values, vectors = np.linalg.eigh((whole + whole.T) / 2)
    return np.asarray((vectors * np.maximum(values, 0)) @ vectors.T)


def _clustered(fits: Sequence[Fitted], by: tuple[str, ...], size: int) -> Floats:
    """Sum what each cluster contributes to each mean, and multiply."""
    names: dict[tuple[str, ...], int] = {}
    ends = np.cumsum([0, *(fit.means.size for fit in fits)])
    pieces = []
    for fit, (start, _) in zip(fits, pairwise(ends), strict=True):
        keys = zip(*(_names(fit.part, name) for name in by), strict=True)
        clusters = np.array([names.setdefault(key, len(names)) for key in keys])
        pieces.append((clusters, start + fit.part.layout.factors["system"], _shares(fit)))
    sums = np.zeros((len(names), size))
    for clusters, columns, shares in pieces:
        np.add.at(sums, (clusters, columns), shares)
    return np.asarray(sums.T @ sums * (len(names) / max(len(names) - 1, 1)))


def _shares(fit: Fitted) -> Floats:
    """What each rating's residual adds to the mean of its system, made good for fitted effects."""
    systems = fit.part.layout.factors["system"]
    n, df = fit.anova.n_ratings, max(fit.anova.residual_df, 1)
    shares = fit.anova.residuals() * np.sqrt(n / df) / np.bincount(systems)[systems]
    return np.asarray(shares, dtype=float)


def _names(part: Part, kind: str) -> list[str]:
    factor = part.texts if kind == "text" else kind
    names = part.layout.names[factor]
    return [names[code] for code in part.layout.factors[factor].tolist()]
