"""What `covary.reliability` finds, as small frozen values that print themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covary.analysis.severity import Severity, Suspect
from covary.analysis.verdict import Verdict
from covary.scales import Scale
from covary.stats.estimate import Estimate, Interval

__all__ = ["Average", "Comparison", "CriterionReliability", "Difference", "Reliability", "Subsets"]


@dataclass(frozen=True)
class Comparison:
    """Agreement beside correlation for a set of judges, with both intervals and the verdict.

    `agreement.interval` speaks of these judges and other items; `agreement_of_others` and
    `correlation_of_others` of other judges too, where that can be had (three or more judges).
    """

    label: str
    judges: tuple[Any, ...]
    agreement: Estimate
    correlation: Estimate | None
    verdict: Verdict
    agreement_of_others: Interval | None = None
    correlation_of_others: Interval | None = None
    severity: Severity | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "label": self.label,
            "judges": list(self.judges),
            "agreement": self.agreement.to_dict(),
            "correlation": _plain(self.correlation),
            "verdict": self.verdict.to_dict(),
            "agreement_of_others": _plain(self.agreement_of_others),
            "correlation_of_others": _plain(self.correlation_of_others),
            "severity": _plain(self.severity),
        }


@dataclass(frozen=True)
class Difference:
    """How much more the first group of judges agrees than the second, with its interval."""

    groups: tuple[str, str]
    value: float
    interval: Interval | None

    @property
    def sentence(self) -> str:
        """Say whether the groups differ."""
        first, second = self.groups
        if self.interval is None or self.interval.low <= 0 <= self.interval.high:
            return f"{first} and {second} cannot be told apart in agreement."
        more, less = (first, second) if self.value > 0 else (second, first)
        return f"{more} judges agree more than {less} judges."

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "groups": list(self.groups),
            "value": self.value if self.value == self.value else None,
            "interval": _plain(self.interval),
            "sentence": self.sentence,
        }


@dataclass(frozen=True)
class Subsets:
    """The correlation in every subset of so many judges: its mean, lowest and highest."""

    size: int
    number: int
    mean: float
    low: float
    low_judges: tuple[Any, ...]
    high: float
    high_judges: tuple[Any, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True)
class CriterionReliability:
    """Everything about the reliability of the ratings on one criterion.

    `beside` holds further coefficients that suit the level; `distribution` how often each judge
    used each category; `batches` the sets of judges who shared items, where there are several.
    """

    criterion: Any
    scale: Scale
    n_items: int
    n_judges: int
    n_ratings: int
    dominant: float
    overall: Comparison
    beside: tuple[Estimate, ...]
    groups: tuple[Comparison, ...]
    differences: tuple[Difference, ...]
    pairs: tuple[Comparison, ...]
    batches: tuple[Comparison, ...]
    subsets: tuple[Subsets, ...]
    suspects: tuple[Suspect, ...]
    distribution: dict[Any, tuple[int, ...]]
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The criterion's name, or a word for the only one."""
        return "ratings" if self.criterion is None else str(self.criterion)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        several = ("beside", "groups", "differences", "pairs", "batches", "subsets", "suspects")
        return {
            "criterion": self.criterion,
            "scale": self.scale.describe(),
            "best": self.scale.best,
            "counts": {"items": self.n_items, "judges": self.n_judges, "ratings": self.n_ratings},
            "dominant_share": self.dominant,
            "overall": self.overall.to_dict(),
            "distribution": {str(j): list(c) for j, c in self.distribution.items()},
            "notes": list(self.notes),
        } | {name: [each.to_dict() for each in getattr(self, name)] for name in several}


@dataclass(frozen=True)
class Average:
    """A coefficient's mean over criteria, with and without its signs."""

    name: str
    signed: float
    absolute: float
    criteria: int

    @classmethod
    def of(cls, name: str, values: Sequence[float]) -> Average:
        """Average values over criteria."""
        return cls(name, float(np.mean(values)), float(np.mean(np.abs(values))), len(values))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True)
class Reliability:
    """Agreement beside correlation for every criterion, ready to print and to report."""

    criteria: tuple[CriterionReliability, ...]
    averages: tuple[Average, ...]
    n_items: int
    n_judges: int
    n_ratings: int
    slots: bool
    confidence: float
    seed: int

    def __str__(self) -> str:
        lines = []
        for each in self.criteria:
            lines += [f"{each.name}: {each.overall.verdict.word}", f"  {each.overall.agreement}"]
            if each.overall.correlation is not None:
                lines.append(f"  {each.overall.correlation}")
            lines.append(f"  {each.overall.verdict.sentence}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        counts = {"items": self.n_items, "judges": self.n_judges, "ratings": self.n_ratings}
        return {
            "counts": counts,
            "slots": self.slots,
            "confidence": self.confidence,
            "seed": self.seed,
            "criteria": [each.to_dict() for each in self.criteria],
            "averages": [each.to_dict() for each in self.averages],
        }


def _plain(value: Any) -> Any:
    return None if value is None else value.to_dict()
