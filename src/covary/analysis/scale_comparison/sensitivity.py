"""Sensitivity: how many systems does a scale tell apart, and what else moves its ratings?

The number of significant differences depends on the error term and on the procedure, so both are
named. One-way analyses put what judges and sources differ in into the error, as in Belz & Kow
(2011); the additive model takes it out, as the design with Latin squares is made for.

F ratios and counts are also drawn, all draws of judges at once. Each judge contributes sums to the
normal equations, so a draw is a weighted sum of them. A judge's own effect is taken out of his or
her sums beforehand; copies of a judge then count as judges.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.analysis.scale_comparison.experiments import AlignedExperiments
from covary.analysis.scale_comparison.interchangeability import AdditiveFit
from covary.analysis.scale_comparison.options import Contrast, ScaleOptions, contrast, draw_judges
from covary.scales import Level
from covary.stats.distributions import f_quantile, range_quantile, t_quantile
from covary.stats.estimate import plain
from covary.stats.models.anova import Effect, one_way
from covary.stats.posthoc import Comparisons, compare_means
from covary.stats.statistic import ROUNDING
from covary.words import Note

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]


@dataclass(frozen=True)
class FactorEffect:
    """One factor's F ratio: alone, as published, and beside the others, as designed."""

    factor: str
    one_way: Effect
    additive: Effect


@dataclass(frozen=True, kw_only=True)
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

    @property
    def ways(self) -> dict[str, Comparisons]:
        """The pairs of systems by either error term."""
        return {"one_way": self.one_way, "additive": self.additive}

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        own: dict[str, Any] = plain(self)
        counts = {
            name: {"found": way.n_significant, "of": way.n_pairs, "letters": list(way.letters)}
            for name, way in self.ways.items()
        }
        return own | {"counts": counts}


@dataclass(frozen=True, kw_only=True)
class SensitivityContrast:
    """How the second experiment's system F and count exceed the first's, both ways."""

    f_one_way: Contrast
    f_additive: Contrast
    count_one_way: Contrast
    count_additive: Contrast


def sensitivity(fit: AdditiveFit, options: ScaleOptions) -> Sensitivity:
    """Find what one part tells apart."""
    part, observed = fit.part, fit.part.observed
    effects = tuple(
        FactorEffect(
            name,
            one_way(observed.values, observed.factors[name], name=name),
            fit.anova.effect(name),
        )
        for name in fit.factors
    )
    alone = effects[0].one_way
    counts = np.bincount(observed.factors["system"])
    tested: dict[str, Any] = {"procedure": options.procedure, "alpha": options.alpha}
    return Sensitivity(
        experiment=part.experiment,
        label=part.label,
        criterion=part.criterion,
        model=fit.anova.method,
        effects=effects,
        one_way=compare_means(
            part.means,
            counts,
            alone.error_mean_square,
            alone.error_df,
            error="one-way analysis by system",
            **tested,
        ),
        additive=compare_means(
            fit.means,
            counts,
            fit.anova.mse,
            fit.anova.residual_df,
            covariance=fit.anova.covariance("system"),
            error=f"additive model of {', '.join(fit.factors)}",
            **tested,
        ),
        notes=tuple(_notes(fit)),
    )


def _notes(fit: AdditiveFit) -> Iterator[str]:
    part = fit.part
    yield from fit.notes
    for note in fit.anova.notes:
        yield Note("scales.about-model", experiment=part.label, note=note)
    if part.scale.level < Level.INTERVAL:
        yield Note("scales.equal-steps", experiment=part.experiment)
    if "source" not in part.observed.factors:
        yield Note("scales.sources-unknown", experiment=part.experiment)


def sensitivity_contrasts(
    aligned: AlignedExperiments,
    fits: Mapping[str, AdditiveFit],
    tests: Mapping[str, Sensitivity],
    options: ScaleOptions,
) -> Iterator[SensitivityContrast]:
    """Compare F and counts between the first occasions of every two experiments."""
    criterion = next(iter(fits.values())).part.criterion
    for first, second in combinations(aligned.first(criterion), 2):
        labels = first.label, second.label
        judges = draw_judges(options, first.judges, second.judges)
        a, b = (_values(tests[label]) for label in labels)
        x, y = (
            _draw_values(fits[label], weights, options)
            for label, weights in zip(labels, judges.weights, strict=True)
        )
        contrasts = {
            name: contrast(
                labels, (a[name], b[name]), (x[name], y[name]), judges.how, options=options
            )
            for name in a
        }
        yield SensitivityContrast(**contrasts)


def _values(tested: Sensitivity) -> dict[str, float]:
    """The system F and the count of significant pairs, both ways."""
    system = tested.effects[0]
    return {
        "f_one_way": system.one_way.f,
        "f_additive": system.additive.f,
        "count_one_way": tested.one_way.n_significant,
        "count_additive": tested.additive.n_significant,
    }


def _draw_values(fit: AdditiveFit, weights: Floats, options: ScaleOptions) -> dict[str, Floats]:
    """The same for each draw of the judges."""
    k, n = fit.means.size, fit.anova.n_ratings
    critical = [
        critical_t(options.procedure, k, df, options.alpha) for df in (n - k, fit.anova.residual_df)
    ]
    alone, beside = (
        draw_one_way(fit, weights, critical[0]),
        draw_additive(fit, weights, critical[1]),
    )
    return {
        "f_one_way": alone.f,
        "f_additive": beside.f,
        "count_one_way": alone.counts,
        "count_additive": beside.counts,
    }


MOST_EFFECTS = 200
"""Systems and sources together up to which draws are affordable."""

SINGULAR = 1e10
"""A matrix whose largest entry times that of its inverse exceeds this has no inverse."""

BLOCK = 64
"""Draws that are solved at once."""


@dataclass(frozen=True)
class EffectDraws:
    """The system F and the number of significant pairs in each draw."""

    f: Floats
    counts: Floats


def critical_t(procedure: str, k: int, df: float, alpha: float) -> float:
    """How many standard errors apart two of k means must be; NaN for procedures in steps."""
    if not df > 0:
        return math.nan
    if procedure == "tukey":
        return range_quantile(1 - alpha, k, df) / math.sqrt(2)
    if procedure == "scheffe":
        return math.sqrt((k - 1) * f_quantile(1 - alpha, k - 1, df))
    tests = {"lsd": 1, "bonferroni": k * (k - 1) // 2}.get(procedure)
    return math.nan if tests is None else t_quantile(1 - alpha / (2 * tests), df)


def draw_one_way(fit: AdditiveFit, weights: Floats, critical: float) -> EffectDraws:
    """Systems alone, as published."""
    system, judge, values = _codes(fit)
    k, m = fit.means.size, weights.shape[1]
    counts = _cross_sums(judge, system, np.ones_like(values), (m, k))
    sums = _cross_sums(judge, system, values, (m, k))
    n, s = weights @ counts, weights @ sums
    squares = weights @ np.bincount(judge, values**2, minlength=m)
    total, between = n.sum(axis=1), _safe(s**2, n).sum(axis=1)
    grand = s.sum(axis=1) ** 2 / total
    mse = _safe(squares - between, total - k)
    f = _safe((between - grand) / (k - 1), mse)
    means, errors = _safe(s, n), _safe(np.ones_like(n), n)
    variance = errors[:, :, None] + errors[:, None, :]
    return EffectDraws(f, _significant(means, variance, mse, critical))


def draw_additive(fit: AdditiveFit, weights: Floats, critical: float) -> EffectDraws:
    """Systems beside judges and sources, as designed; NaN where there are too many effects."""
    system, judge, values = _codes(fit)
    k, m = fit.means.size, weights.shape[1]
    sources = fit.part.observed.factors.get("source")
    size = k + (0 if sources is None else len(fit.part.observed.names["source"]))
    if size > MOST_EFFECTS:
        nothing = np.full(len(weights), math.nan)
        return EffectDraws(nothing, nothing)
    columns = [system] if sources is None else [system, k + sources]
    normal, right, square = _within_judges(judge, columns, values, m=m, size=size)
    kept = np.array([place for place in range(size) if place not in (0, k)], dtype=np.intp)
    f, counts = np.empty(len(weights)), np.empty(len(weights))
    load = np.bincount(judge, minlength=m)
    for start in range(0, len(weights), BLOCK):
        rows = slice(start, start + BLOCK)
        w = weights[rows]
        a = np.tensordot(w, normal, 1)[:, kept][:, :, kept]
        c, y = (w @ right)[:, kept], w @ square
        df = w @ load - (size - len(columns)) - w.sum(axis=1)
        f[rows], counts[rows] = _solve(_Equations(a, c, y, df), k, critical)
    return EffectDraws(f, counts)


@dataclass(frozen=True)
class _Equations:
    """Normal equations: their matrix, right sides, sums of squares and degrees of freedom."""

    matrix: Floats
    right: Floats
    squares: Floats
    df: Floats


def _solve(equations: _Equations, k: int, critical: float) -> tuple[Floats, Floats]:
    """The system F and the number of significant pairs in each draw."""
    a, c, y = equations.matrix, equations.right, equations.squares
    inverse = _invert(a)
    effects = np.einsum("bij,bj->bi", inverse, c)
    rest = y - np.einsum("bi,bi->b", effects, c)
    without = y
    if a.shape[1] > k - 1:
        own, b = a[:, k - 1 :, k - 1 :], c[:, k - 1 :]
        without = y - np.einsum("bi,bij,bj->b", b, _invert(own), b)
    mse = _safe(np.where(rest > ROUNDING * y, rest, 0), equations.df)
    f = _safe((without - rest) / (k - 1), mse)
    means = np.pad(effects[:, : k - 1], ((0, 0), (1, 0)))
    spread = np.pad(inverse[:, : k - 1, : k - 1], ((0, 0), (1, 0), (1, 0)))
    own = np.einsum("bii->bi", spread)
    variance = own[:, :, None] + own[:, None, :] - 2 * spread
    return f, _significant(means, variance, mse, critical)


def _invert(matrices: Floats) -> Floats:
    """Invert; where judges drawn leave something out, by the generalised inverse."""
    try:
        inverse = np.linalg.inv(matrices)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.pinv(matrices, hermitian=True))
    size = np.abs(inverse).max(axis=(1, 2)) * np.abs(matrices).max(axis=(1, 2))
    if (size > SINGULAR).any():
        return np.asarray(np.linalg.pinv(matrices, hermitian=True))
    return np.asarray(inverse, dtype=float)


def _within_judges(
    judge: Codes, columns: list[Codes], values: Floats, *, m: int, size: int
) -> tuple[Floats, Floats, Floats]:
    """Each judge's part of the normal equations, after the judge's own mean is taken away."""
    normal, right, met = np.zeros((m, size, size)), np.zeros((m, size)), np.zeros((m, size))
    for one in columns:
        np.add.at(right, (judge, one), values)
        np.add.at(met, (judge, one), 1)
        for other in columns:
            np.add.at(normal, (judge, one, other), 1)
    n, s = np.bincount(judge, minlength=m), np.bincount(judge, values, minlength=m)
    square = np.bincount(judge, values**2, minlength=m) - s**2 / n
    normal -= met[:, :, None] * met[:, None, :] / n[:, None, None]
    return normal, right - met * (s / n)[:, None], square


def _significant(means: Floats, variance: Floats, mse: Floats, critical: float) -> Floats:
    if math.isnan(critical):
        return np.full(len(means), np.nan)
    first, second = np.triu_indices(means.shape[1], 1)
    apart = np.abs(means[:, first] - means[:, second])
    known = np.where(mse > 0, mse, np.nan)
    errors = np.sqrt(np.maximum(variance[:, first, second], 0) * known[:, None])
    count = (apart > critical * errors).sum(axis=1)
    return np.asarray(np.where(np.isnan(known), np.nan, count), dtype=float)


def _codes(fit: AdditiveFit) -> tuple[Codes, Codes, Floats]:
    observed = fit.part.observed
    return observed.factors["system"], observed.factors["judge"], observed.values


def _cross_sums(rows: Codes, columns: Codes, values: Floats, shape: tuple[int, int]) -> Floats:
    flat = np.bincount(rows * shape[1] + columns, values, minlength=shape[0] * shape[1])
    return np.asarray(flat.reshape(shape), dtype=float)


def _safe(top: Floats, bottom: Floats) -> Floats:
    """Divide; NaN where there is nothing to divide by."""
    known = bottom > 0
    return np.asarray(np.where(known, top / np.where(known, bottom, 1), np.nan))
