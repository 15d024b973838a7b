"""Correlations of system means: with each other, and with a measure of the task; preferences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.analysis.scale_comparison.experiments import AlignedExperiments
from covary.errors import InvalidArgument
from covary.stats.distributions import chi2_tail, f_tail, normal_quantile
from covary.stats.estimate import Interval
from covary.stats.ordering import midranks
from covary.words import Note

Floats = npt.NDArray[np.float64]

SYSTEMS = "other systems like these"
"""What Fisher's interval speaks of: the systems are drawn, the ratings are not."""


@dataclass(frozen=True, kw_only=True)
class Association:
    """Pearson's r and Spearman's rho over systems, each with its p; `interval` is that of r."""

    n: int
    pearson: float = math.nan
    pearson_p: float = math.nan
    interval: Interval | None = None
    spearman: float = math.nan
    spearman_p: float = math.nan
    reason: str = ""


def associate(x: Floats, y: Floats, confidence: float = 0.95) -> Association:
    """Correlate two sets of numbers, one pair for each system."""
    n = int(x.size)
    if n < 3:
        return Association(n=n, reason=Note("scales.too-few-correlated", n=n))
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return Association(n=n, reason=Note("scales.no-variation"))
    r, rho = pearson_of(x, y), pearson_of(ranks_of(x), ranks_of(y))
    same = abs(rho) == 1 and n < 100
    return Association(
        n=n,
        pearson=r,
        pearson_p=p_of_correlation(r, n),
        interval=fisher_interval(r, n, confidence),
        spearman=rho,
        spearman_p=2 / math.factorial(n) if same else p_of_correlation(rho, n),
    )


def pearson_of(x: Floats, y: Floats) -> float:
    """Pearson's r; NaN where one side does not vary."""
    x, y = x - x.mean(), y - y.mean()
    spread = math.sqrt(float(x @ x) * float(y @ y))
    return float(np.clip(x @ y / spread, -1, 1)) if spread > 0 else math.nan


def p_of_correlation(r: float, n: int) -> float:
    """The two-sided p of a correlation of n pairs, from Student's t with n - 2 degrees of freedom.

    Examples
    --------
    >>> round(p_of_correlation(0.870, 8), 4)  # Belz & Kow (2011): .870**
    0.005
    """
    if n < 3 or math.isnan(r):
        return math.nan
    if abs(r) >= 1:
        return 0.0
    return f_tail(r * r * (n - 2) / (1 - r * r), 1, n - 2)


def fisher_interval(r: float, n: int, confidence: float = 0.95) -> Interval | None:
    """Fisher's interval of a correlation of n pairs; None with three pairs or fewer.

    Examples
    --------
    >>> interval = fisher_interval(0.870, 8)
    >>> round(interval.low, 2), round(interval.high, 2)
    (0.43, 0.98)
    """
    if n <= 3 or math.isnan(r) or abs(r) >= 1:
        return None
    reach = normal_quantile((1 + confidence) / 2) / math.sqrt(n - 3)
    return Interval(
        low=math.tanh(math.atanh(r) - reach),
        high=math.tanh(math.atanh(r) + reach),
        level=confidence,
        method="Fisher's z",
        target=SYSTEMS,
        standard_error=(1 - r * r) / math.sqrt(n - 3),
    )


def ranks_of(values: Floats) -> Floats:
    """Rank numbers, the smallest first; equal ones share the middle of their ranks."""
    _, codes, counts = np.unique(np.round(values, 10), return_inverse=True, return_counts=True)
    return np.asarray(midranks(counts.astype(float)[None, :])[0][codes], dtype=float)


Measures = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, kw_only=True)
class Validity:
    """One experiment's system means on one criterion beside one measure per system."""

    experiment: str
    label: str
    criterion: str
    measure: str
    association: Association


def as_measures(measures: Mapping[Any, Any] | None) -> Measures:
    """Take measures by name, each by system, or one measure by system."""
    if not measures:
        return {}
    if all(isinstance(own, Mapping) for own in measures.values()):
        return {str(name): _numbers(str(name), own) for name, own in measures.items()}
    return {"measure": _numbers("measure", measures)}


def _numbers(name: str, own: Mapping[Any, Any]) -> dict[str, float]:
    try:
        numbers = {str(system): float(value) for system, value in own.items()}
    except (TypeError, ValueError):
        raise InvalidArgument(
            "scales.measure-not-number", argument="validity", measure=name
        ) from None
    return {system: value for system, value in numbers.items() if np.isfinite(value)}


def missing_measures(aligned: AlignedExperiments, measures: Measures) -> Iterator[Note]:
    """Say which systems a measure is not known for; refuse one that is known for none."""
    for name, own in measures.items():
        missing = [system for system in aligned.systems if system not in own]
        if len(missing) == len(aligned.systems):
            raise InvalidArgument(
                "scales.foreign-measure",
                argument="validity",
                measure=name,
                names=sorted(own),
                systems=aligned.systems,
            )
        if missing:
            yield Note("scales.measure-missing", measure=name, names=", ".join(missing))


def validity(
    aligned: AlignedExperiments, measures: Measures, confidence: float
) -> Iterator[Validity]:
    """Correlate every criterion of every part with every measure."""
    for name, own in measures.items():
        known = [place for place, system in enumerate(aligned.systems) if system in own]
        values = np.array([own[aligned.systems[place]] for place in known], dtype=float)
        for criterion, parts in aligned.parts.items():
            for part in parts:
                yield Validity(
                    experiment=part.experiment,
                    label=part.label,
                    criterion=criterion,
                    measure=name,
                    association=associate(part.means[known], values, confidence),
                )


@dataclass(frozen=True, kw_only=True)
class Preferences:
    """How many judges prefer each scale; `p` tests that all are preferred equally often."""

    counts: Mapping[str, int]
    undecided: int
    p: float
    test: str

    @property
    def n(self) -> int:
        """How many judges prefer one of the scales."""
        return sum(self.counts.values())

    def share(self, experiment: str) -> float:
        """The share of the judges who prefer one of the scales."""
        return self.counts[experiment] / max(self.n, 1)


def preferences(
    preferred: Mapping[Any, Any] | None, experiments: Sequence[str]
) -> Preferences | None:
    """Count the scale that each judge prefers; an empty answer is undecided."""
    if not preferred:
        return None
    answers = ["" if answer is None else str(answer).strip() for answer in preferred.values()]
    strange = sorted({answer for answer in answers if answer and answer not in experiments})
    if strange:
        raise InvalidArgument(
            "scales.unknown-preference", argument="preference", allowed=experiments, names=strange
        )
    counts = {name: answers.count(name) for name in experiments}
    two, numbers = len(experiments) == 2, list(counts.values())
    return Preferences(
        counts=counts,
        undecided=answers.count(""),
        p=_binomial_p(max(numbers), sum(numbers)) if two else _chi_square_p(numbers),
        test="exact binomial test" if two else "chi-square test",
    )


def _binomial_p(most: int, n: int) -> float:
    """The two-sided p of so many of n or more, when both are equally likely."""
    if not n:
        return math.nan
    tail = sum(math.comb(n, number) for number in range(most, n + 1)) / 2**n
    return min(1.0, float(2 * tail))


def _chi_square_p(counts: Sequence[int]) -> float:
    n, k = sum(counts), len(counts)
    if not n:
        return math.nan
    return chi2_tail(sum((count - n / k) ** 2 for count in counts) * k / n, k - 1)
