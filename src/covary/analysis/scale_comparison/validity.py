"""Validity: do the ratings go with a measure of the task that the texts are for?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from covary.analysis.scale_comparison.association import Association, associate
from covary.analysis.scale_comparison.experiments import Aligned
from covary.errors import InvalidArgument, listed
from covary.stats.plain import plain

__all__ = ["Measures", "Validity", "as_measures", "validity"]

Measures = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Validity:
    """One experiment's system means on one criterion beside one measure per system."""

    experiment: str
    label: str
    criterion: str
    measure: str
    association: Association

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        own: dict[str, Any] = plain(self)
        return own


def as_measures(given: Mapping[Any, Any] | None) -> Measures:
    """Take measures by name, each by system, or one measure by system."""
    if not given:
        return {}
    if all(isinstance(each, Mapping) for each in given.values()):
        return {str(name): _numbers(str(name), own) for name, own in given.items()}
    return {"measure": _numbers("measure", given)}


def validity(
    aligned: Aligned, measures: Measures, confidence: float
) -> tuple[tuple[Validity, ...], tuple[str, ...]]:
    """Correlate every criterion of every part with every measure, and say what is missing."""
    notes = []
    for name, own in measures.items():
        missing = [system for system in aligned.systems if system not in own]
        if len(missing) == len(aligned.systems):
            raise InvalidArgument(
                f"the measure {name!r} knows {listed(sorted(own), 4)} and none of the systems "
                f"{listed(aligned.systems, 4)}; call the same system by the same name"
            )
        if missing:
            notes.append(f"The measure {name} is not known for {', '.join(missing)}.")
    return tuple(_all(aligned, measures, confidence)), tuple(notes)


def _all(aligned: Aligned, measures: Measures, confidence: float) -> Iterator[Validity]:
    for name, own in measures.items():
        known = [place for place, system in enumerate(aligned.systems) if system in own]
        values = np.array([own[aligned.systems[place]] for place in known], dtype=float)
        for criterion, parts in aligned.parts.items():
            for part in parts:
                found = associate(part.means[known], values, confidence)
                yield Validity(part.experiment, part.label, criterion, name, found)


def _numbers(name: str, own: Mapping[Any, Any]) -> dict[str, float]:
    try:
        numbers = {str(system): float(value) for system, value in own.items()}
    except (TypeError, ValueError):
        raise InvalidArgument(f"the measure {name!r} must give a number for each system") from None
    return {system: value for system, value in numbers.items() if np.isfinite(value)}
