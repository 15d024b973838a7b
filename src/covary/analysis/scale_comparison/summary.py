"""The comparison in a few sentences, one for each property."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from covary.analysis.scale_comparison.found import CriterionScales
from covary.analysis.scale_comparison.interchangeability import Interchange
from covary.analysis.scale_comparison.preference import Preferences
from covary.analysis.scale_comparison.resampling import Contrast
from covary.analysis.scale_comparison.tally import tally
from covary.analysis.scale_comparison.validity import Validity

__all__ = ["summary"]

Values = Callable[[CriterionScales, str], float]
Contrasts = Callable[[CriterionScales], Sequence[Contrast]]


def summary(
    experiments: Sequence[str],
    criteria: Sequence[CriterionScales],
    validities: Sequence[Validity],
    preference: Preferences | None,
) -> tuple[str, ...]:
    """Put the comparison of every two experiments into words."""
    said: list[str] = []
    for first, second in combinations(experiments, 2):
        said += _interchange(first, second, criteria)
        said += _validity(first, second, validities)
        for values, contrasts, verb in _PROPERTIES:
            said += _ahead(first, second, criteria, values, contrasts, verb)
    said += _preference(preference)
    return tuple(each for each in said if each)


def _interchange(first: str, second: str, criteria: Sequence[CriterionScales]) -> Iterator[str]:
    words: dict[str, list[str]] = {}
    for each in criteria:
        found = _main(each, first, second)
        if found is not None:
            words.setdefault(found.word, []).append(each.criterion)
    for word, names in words.items():
        yield f"{first} and {second} are {word} on {_listed(names)}."


def _main(each: CriterionScales, first: str, second: str) -> Interchange | None:
    """The comparison of the first occasions of two experiments."""
    labels = [next(p.label for p in each.parts if p.experiment == name) for name in (first, second)]
    wanted = [found for found in each.interchange if [found.first, found.second] == labels]
    return wanted[0] if wanted else None


def _validity(first: str, second: str, found: Sequence[Validity]) -> Iterator[str]:
    """Compare the measure that each criterion goes with best."""
    for measure in dict.fromkeys(each.measure for each in found):
        cases: dict[str, dict[str, float]] = {}
        for each in found:
            if each.measure == measure and each.experiment in (first, second):
                own = cases.setdefault(each.criterion, {})
                own.setdefault(each.experiment, abs(each.association.pearson))
        pairs = [(own[first], own[second]) for own in cases.values()]
        yield tally(first, second, pairs).sentence(f"goes more closely with {measure}")


def _ahead(
    first: str,
    second: str,
    criteria: Sequence[CriterionScales],
    values: Values,
    contrasts: Contrasts,
    verb: str,
) -> Iterator[str]:
    pairs = [(values(each, first), values(each, second)) for each in criteria]
    said = tally(first, second, pairs).sentence(verb)
    found = [
        each for criterion in criteria for each in contrasts(criterion)
        if {first, second} == {_name(criterion, each.first), _name(criterion, each.second)}
    ]  # fmt: skip
    known = [each for each in found if each.interval is not None]
    if said and known:
        clear = sum(each.clear for each in known)
        said += f" The difference is clear on {clear} of {len(known)}."
    yield said


def _name(each: CriterionScales, label: str) -> str:
    """The experiment of a label such as `VDS (1)`."""
    return next((part.experiment for part in each.parts if part.label == label), label)


def _w(each: CriterionScales, name: str) -> float:
    return next((f.w for f in each.reliability if f.experiment == name), math.nan)


def _r(each: CriterionScales, name: str) -> float:
    return next((f.pooled for f in each.stability if f.experiment == name), math.nan)


def _count(each: CriterionScales, name: str) -> float:
    found = (f.additive.n_significant for f in each.sensitivity if f.experiment == name)
    return float(next(found, math.nan))


def _f(each: CriterionScales, name: str) -> float:
    found = (f.effects[0].additive.f for f in each.sensitivity if f.experiment == name)
    return next(found, math.nan)


_PROPERTIES: tuple[tuple[Values, Contrasts, str], ...] = (
    (_w, lambda each: each.reliability_contrasts, "has judges who share more of one order (W)"),
    (_r, lambda each: [pooled for pooled, _ in each.stability_contrasts], "is more stable (r)"),
    (
        _count,
        lambda each: [one.count_additive for one in each.sensitivity_contrasts],
        "finds more significant differences between systems",
    ),
    (
        _f,
        lambda each: [one.f_additive for one in each.sensitivity_contrasts],
        "separates systems more strongly (F)",
    ),
)


def _preference(found: Preferences | None) -> Iterator[str]:
    if found is not None and found.n:
        name = max(found.counts, key=lambda each: found.counts[each])
        yield f"{found.counts[name]} of {found.n} judges who said so would rather use {name}."


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
