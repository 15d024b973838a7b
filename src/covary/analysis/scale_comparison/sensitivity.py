"""Sensitivity: how many systems does a scale tell apart, and what else moves its ratings?

The number of significant differences depends on the error term and on the procedure, so both are
named. One-way analyses put what judges and sources differ in into the error, as in Belz & Kow
(2011); the additive model takes it out, as the design with Latin squares is made for.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.analysis.scale_comparison.drawn_effects import (
    Drawn,
    additive_drawn,
    critical_t,
    one_way_drawn,
)
from covary.analysis.scale_comparison.experiments import Aligned
from covary.analysis.scale_comparison.fits import Fitted
from covary.analysis.scale_comparison.resampling import Contrast, contrast, weights
from covary.scales import Level
from covary.stats.intervals import Wanted
from covary.stats.plain import plain
from covary.stats.posthoc import Comparisons, compare_means
from covary.stats.variance import Effect, one_way

__all__ = ["FactorEffect", "Sensitivity", "SensitivityContrast", "sensitivity", "told_apart"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class FactorEffect:
    """One factor's F ratio: alone, as published, and beside the others, as designed."""

    factor: str
    one_way: Effect
    additive: Effect


@dataclass(frozen=True)
class Sensitivity:
    """The F ratios of one part, and the pairs of systems that differ significantly."""

    experiment: str
    label: str
    criterion: str
    model: str
    effects: tuple[FactorEffect, ...]
    one_way: Comparisons
    additive: Comparisons
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        own: dict[str, Any] = plain(self)
        counts = {
            name: {"found": each.n_significant, "of": each.n_pairs, "letters": list(each.letters)}
            for name, each in (("one_way", self.one_way), ("additive", self.additive))
        }
        return own | {"counts": counts}


@dataclass(frozen=True)
class SensitivityContrast:
    """How the second experiment's system F and count exceed the first's, both ways."""

    f_one_way: Contrast
    f_additive: Contrast
    count_one_way: Contrast
    count_additive: Contrast

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        own: dict[str, Any] = plain(self)
        return own


def sensitivity(fit: Fitted, procedure: str, alpha: float) -> Sensitivity:
    """Find what one part tells apart."""
    part, laid = fit.part, fit.part.layout
    effects = tuple(
        FactorEffect(name, one_way(laid.values, laid.factors[name], name=name),
                     fit.anova.effect(name))
        for name in fit.factors
    )  # fmt: skip
    alone = effects[0].one_way
    counts = np.bincount(laid.factors["system"])
    published = compare_means(
        part.means, counts, alone.error_mean_square, alone.error_df, procedure=procedure,
        alpha=alpha, error="one-way analysis by system",
    )  # fmt: skip
    designed = compare_means(
        fit.means, counts, fit.anova.mse, fit.anova.residual_df, procedure=procedure, alpha=alpha,
        covariance=fit.anova.covariance("system"),
        error=f"additive model of {', '.join(fit.factors)}",
    )  # fmt: skip
    return Sensitivity(part.experiment, part.label, part.criterion, fit.anova.method, effects,
                       published, designed, tuple(_notes(fit)))  # fmt: skip


def told_apart(
    aligned: Aligned,
    criterion: str,
    fits: Mapping[str, Fitted],
    found: Mapping[str, Sensitivity],
    procedure: str,
    wanted: Wanted,
) -> Iterator[SensitivityContrast]:
    """Compare F and counts between the first occasions of every two experiments."""
    for first, second in combinations(aligned.first(criterion), 2):
        labels = first.label, second.label
        drawn, how = weights([first.judges, second.judges], wanted)
        ways = [
            _both_ways(fits[label], each, procedure, found[label].one_way.alpha)
            for label, each in zip(labels, drawn, strict=True)
        ]
        a, b = (_numbers(found[label]) for label in labels)
        x, y = (_arrays(way) for way in ways)
        yield SensitivityContrast(
            *(
                contrast(labels, (a[place], b[place]), (x[place], y[place]), how, wanted)
                for place in range(4)
            )
        )


def _both_ways(fit: Fitted, drawn: Floats, procedure: str, alpha: float) -> tuple[Drawn, Drawn]:
    return _alone(fit, drawn, procedure, alpha), _beside(fit, drawn, procedure, alpha)


def _numbers(found: Sensitivity) -> tuple[float, float, float, float]:
    system = found.effects[0]
    counts = found.one_way.n_significant, found.additive.n_significant
    return system.one_way.f, system.additive.f, *counts


def _arrays(ways: tuple[Drawn, Drawn]) -> tuple[Floats, Floats, Floats, Floats]:
    alone, beside = ways
    return alone.f, beside.f, alone.counts, beside.counts


def _alone(fit: Fitted, drawn: Floats, procedure: str, alpha: float) -> Drawn:
    df = fit.anova.n_ratings - fit.means.size
    return one_way_drawn(fit, drawn, critical_t(procedure, fit.means.size, df, alpha))


def _beside(fit: Fitted, drawn: Floats, procedure: str, alpha: float) -> Drawn:
    critical = critical_t(procedure, fit.means.size, fit.anova.residual_df, alpha)
    found = additive_drawn(fit, drawn, critical)
    if found is None:
        nothing = np.full(len(drawn), math.nan)
        return Drawn(nothing, nothing)
    return found


def _notes(fit: Fitted) -> Iterator[str]:
    yield from fit.notes
    yield from (f"{fit.part.label}: {note}" for note in fit.anova.notes)
    if fit.part.scale.level < Level.INTERVAL:
        yield (
            f"{fit.part.experiment}: means and F ratios take its categories for equally spaced "
            "numbers."
        )
    if "source" not in fit.part.layout.factors:
        yield (
            f"{fit.part.experiment}: the sources are not known, so that the additive model has "
            "systems and judges only."
        )
