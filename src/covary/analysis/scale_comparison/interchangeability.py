"""Interchangeability: would the other scale have told the same about the systems?

A high correlation of system means does not show that one scale can stand for the other: it may be
high by the spread of the systems alone, and with few systems its interval is wide. So the system
means of both scales are standardised (mean 0 and standard deviation 1 over the systems; scales of 1
to 7 and of 0 to 100 have no unit in common), and their differences are tested for equivalence
against a margin in standard deviations of the systems. Each part's means come from the additive
model of its ratings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.analysis.scale_comparison.experiments import ExperimentPart, share_judges
from covary.analysis.scale_comparison.options import ScaleOptions
from covary.analysis.scale_comparison.validity import Association, associate
from covary.stats.estimate import plain
from covary.stats.models.anova import Anova, additive_model
from covary.stats.posthoc.effects import Distance, Equivalence, distance_test, tost
from covary.words import Note

Floats = npt.NDArray[np.float64]

WORDS = {
    "equivalent": "interchangeable",
    "different": "not interchangeable",
    "not shown": "not shown to be interchangeable",
}


@dataclass(frozen=True, kw_only=True)
class AdditiveFit:
    """A part's additive model of systems, judges and sources; `means` are its adjusted means."""

    part: ExperimentPart
    anova: Anova
    means: Floats
    notes: tuple[str, ...] = ()

    @property
    def factors(self) -> tuple[str, ...]:
        """The factors of the model."""
        return tuple(effect.name for effect in self.anova.effects)


def fit_part(part: ExperimentPart) -> AdditiveFit:
    """Fit one part; plain means stand in where judges and systems cannot be told apart."""
    known = part.observed.factors
    factors = {name: known[name] for name in ("system", "judge", "source") if name in known}
    anova = additive_model(part.observed.values, factors)
    means = np.asarray(anova.means["system"], dtype=float)
    if np.isnan(means).any():
        note = Note("scales.plain-means", experiment=part.label)
        return AdditiveFit(part=part, anova=anova, means=part.means, notes=(note,))
    return AdditiveFit(part=part, anova=anova, means=means)


def joint_covariance(fits: Sequence[AdditiveFit]) -> Floats:
    """The covariances of the system means of several parts, stacked one after the other.

    Judges and sources are both drawn: the covariance clustered by judge plus that clustered by
    source less that of single ratings (Cameron, Gelbach & Miller 2011), which is where a bootstrap
    over judges and one over sources, less one over ratings, lead with infinitely many draws. Judges
    and sources that several parts share make their means covary.
    """
    judge, text = _clustered(fits, "judge"), _clustered(fits, "text")
    whole = judge + text - _clustered(fits, "judge", "text")
    values, vectors = np.linalg.eigh((whole + whole.T) / 2)
    return np.asarray((vectors * np.maximum(values, 0)) @ vectors.T)


def _clustered(fits: Sequence[AdditiveFit], *by: str) -> Floats:
    """Sum what each cluster contributes to each mean, and multiply."""
    names: dict[tuple[str, ...], int] = {}
    ends = np.cumsum([0, *(fit.means.size for fit in fits)])
    pieces = []
    for fit, (start, _) in zip(fits, pairwise(ends), strict=True):
        keys = zip(*(_names_of(fit.part, name) for name in by), strict=True)
        clusters = np.array([names.setdefault(key, len(names)) for key in keys])
        pieces.append((clusters, start + fit.part.observed.factors["system"], _shares(fit)))
    sums = np.zeros((len(names), ends[-1]))
    for clusters, columns, shares in pieces:
        np.add.at(sums, (clusters, columns), shares)
    return np.asarray(sums.T @ sums * (len(names) / max(len(names) - 1, 1)))


def _shares(fit: AdditiveFit) -> Floats:
    """What each rating's residual adds to the mean of its system, made good for fitted effects."""
    systems = fit.part.observed.factors["system"]
    n, df = fit.anova.n_ratings, max(fit.anova.residual_df, 1)
    shares = fit.anova.residuals() * np.sqrt(n / df) / np.bincount(systems)[systems]
    return np.asarray(shares, dtype=float)


def _names_of(part: ExperimentPart, kind: str) -> list[str]:
    factor = part.texts if kind == "text" else kind
    names = part.observed.names[factor]
    return [names[code] for code in part.observed.factors[factor].tolist()]


@dataclass(frozen=True, kw_only=True)
class Interchange:
    """Two parts beside each other.

    `means` are the plain system means of both, `standard` the adjusted ones in standard deviations
    of the systems. `tests` holds the two one-sided tests of each system, `distance` the test of
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
    tests: tuple[Equivalence, ...] = ()
    distance: Distance | None = None
    reason: str = ""

    @property
    def pair(self) -> str:
        """Both parts by name."""
        return f"{self.first} and {self.second}"

    @property
    def word(self) -> str:
        """Interchangeable, not interchangeable, or not shown to be."""
        return WORDS["not shown" if self.distance is None else self.distance.word]

    @property
    def n_within(self) -> int:
        """How many systems are shown to lie within the margin, each by itself."""
        return sum(test.equivalent for test in self.tests)

    @property
    def n_outside(self) -> int:
        """How many systems differ by more than the margin."""
        return sum(abs(test.difference) > test.margin for test in self.tests)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        own: dict[str, Any] = plain(self)
        return own | {
            "word": self.word,
            "tests": [test.to_dict() for test in self.tests],
            "distance": None if self.distance is None else self.distance.to_dict(),
        }


def interchangeability(fits: Sequence[AdditiveFit], options: ScaleOptions) -> Iterator[Interchange]:
    """Compare every two parts."""
    for first, second in combinations(fits, 2):
        yield _compare_pair(first, second, options)


def _compare_pair(first: AdditiveFit, second: AdditiveFit, options: ScaleOptions) -> Interchange:
    a, b = first.part, second.part
    association = associate(a.means, b.means, options.confidence)
    x, y = standardise(first.means), standardise(second.means)
    tests: tuple[Equivalence, ...] = ()
    distance = None
    reason = association.reason or _why_untestable(first, second)
    if not reason:
        limits = {"margin": options.margin, "alpha": options.alpha}
        draws, df = _draw_differences(first, second, options), _df(a, b)
        errors = draws.std(axis=0, ddof=1)
        tests = tuple(
            tost(float(d), float(e), df, **limits) for d, e in zip(x - y, errors, strict=True)
        )
        distance = distance_test(x - y, draws, df, **limits)
    return Interchange(
        first=a.label,
        second=b.label,
        criterion=a.criterion,
        same_judges=share_judges(a, b),
        shared_items=len(set(a.items) & set(b.items)),
        association=association,
        systems=a.systems,
        means=(_tuple(a.means), _tuple(b.means)),
        standard=(_tuple(x), _tuple(y)),
        tests=tests,
        distance=distance,
        reason=reason,
    )


def standardise(means: Floats) -> Floats:
    """Means in standard deviations of the systems from their mean, along the last axis."""
    centred = means - means.mean(axis=-1, keepdims=True)
    spread = means.std(axis=-1, ddof=1, keepdims=True)
    return np.asarray(centred / np.where(spread > 0, spread, 1))


def _draw_differences(first: AdditiveFit, second: AdditiveFit, options: ScaleOptions) -> Floats:
    """Differences of standardised means, drawn anew with other judges and sources."""
    covariance = joint_covariance([first, second])
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0))
    rng = np.random.default_rng(options.interval.seed)
    noise = rng.standard_normal((options.interval.resamples, covariance.shape[0])) @ root.T
    k = first.means.size
    return standardise(first.means + noise[:, :k]) - standardise(second.means + noise[:, k:])


def _df(*parts: ExperimentPart) -> int:
    names = [part.observed.names[name] for part in parts for name in ("judge", part.texts)]
    return max(min(len(levels) for levels in names) - 1, 1)


def _why_untestable(*fits: AdditiveFit) -> str:
    for fit in fits:
        if fit.anova.residual_df < 1:
            return Note("scales.too-few-ratings", experiment=fit.part.label)
        if len(fit.part.judges) < 2:
            return Note("scales.one-judge", experiment=fit.part.label)
    return ""


def _tuple(values: Floats) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
