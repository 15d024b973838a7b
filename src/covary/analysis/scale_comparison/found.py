"""What `covary.compare_scales` finds, as small frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from covary.analysis.scale_comparison.interchangeability import Interchange
from covary.analysis.scale_comparison.preference import Preferences
from covary.analysis.scale_comparison.reliability import SystemOrder
from covary.analysis.scale_comparison.resampling import Contrast
from covary.analysis.scale_comparison.sensitivity import Sensitivity, SensitivityContrast
from covary.analysis.scale_comparison.stability import Stability
from covary.analysis.scale_comparison.validity import Validity
from covary.stats.plain import plain

__all__ = ["CriterionScales", "PartFacts", "ScaleComparison"]


@dataclass(frozen=True)
class PartFacts:
    """One experiment on one criterion and occasion: its scale, and how much of what there is."""

    experiment: str
    occasion: str
    label: str
    scale: str
    best: str
    judges: int
    items: int
    ratings: int


@dataclass(frozen=True)
class CriterionScales:
    """The properties of all scales on one criterion.

    Contrasts are second less first, between the experiments' first occasions.
    """

    criterion: str
    parts: tuple[PartFacts, ...]
    interchange: tuple[Interchange, ...]
    reliability: tuple[SystemOrder, ...]
    reliability_contrasts: tuple[Contrast, ...]
    stability: tuple[Stability, ...]
    stability_contrasts: tuple[tuple[Contrast, Contrast], ...]
    sensitivity: tuple[Sensitivity, ...]
    sensitivity_contrasts: tuple[SensitivityContrast, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "criterion": self.criterion,
            "parts": plain(self.parts),
            "interchangeability": [each.to_dict() for each in self.interchange],
            "reliability": [each.to_dict() for each in self.reliability],
            "reliability_contrasts": plain(self.reliability_contrasts),
            "stability": [each.to_dict() for each in self.stability],
            "stability_contrasts": [
                {"pooled": plain(pooled), "centred": plain(centred)}
                for pooled, centred in self.stability_contrasts
            ],
            "sensitivity": [each.to_dict() for each in self.sensitivity],
            "sensitivity_contrasts": [each.to_dict() for each in self.sensitivity_contrasts],
        }


@dataclass(frozen=True)
class ScaleComparison:
    """Two or more scales on validity, reliability, stability, interchangeability, sensitivity.

    `same_judges` says of every two experiments whether they have the same judges. `summary` holds
    the comparison in sentences.
    """

    experiments: tuple[str, ...]
    systems: tuple[str, ...]
    criteria: tuple[CriterionScales, ...]
    same_judges: tuple[tuple[str, str, str], ...]
    validity: tuple[Validity, ...]
    preference: Preferences | None
    summary: tuple[str, ...]
    notes: tuple[str, ...]
    margin: float
    alpha: float
    procedure: str
    confidence: float
    resamples: int
    seed: int

    def __str__(self) -> str:
        return "\n".join(self.summary)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        settings = ("margin", "alpha", "procedure", "confidence", "resamples", "seed")
        return {
            "experiments": list(self.experiments),
            "systems": list(self.systems),
            "same_judges": [
                {"first": first, "second": second, "same": same}
                for first, second, same in self.same_judges
            ],
            "summary": list(self.summary),
            "criteria": [each.to_dict() for each in self.criteria],
            "validity": [each.to_dict() for each in self.validity],
            "preference": None if self.preference is None else self.preference.to_dict(),
            "notes": list(self.notes),
            "settings": {name: getattr(self, name) for name in settings},
        }
