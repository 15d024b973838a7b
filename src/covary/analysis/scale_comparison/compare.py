"""`covary.compare_scales`: which scale should be used, and can one stand for another?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from covary.analysis.scale_comparison.experiments import (
    AlignedExperiments,
    ExperimentPart,
    Experiments,
    align,
    share_judges,
)
from covary.analysis.scale_comparison.interchangeability import fit_part, interchangeability
from covary.analysis.scale_comparison.options import Contrast, ScaleOptions
from covary.analysis.scale_comparison.reliability import (
    order_contrasts,
    stability,
    stability_contrasts,
    system_order,
)
from covary.analysis.scale_comparison.result import CriterionScales, PartFacts, ScaleComparison
from covary.analysis.scale_comparison.sensitivity import sensitivity, sensitivity_contrasts
from covary.analysis.scale_comparison.validity import (
    Preferences,
    Validity,
    as_measures,
    missing_measures,
    preferences,
)
from covary.analysis.scale_comparison.validity import validity as validities
from covary.stats.intervals import IntervalSpec
from covary.words import Note

Progress = Callable[[str], None]


def compare_scales(
    experiments: Experiments,
    *,
    criterion: Any = None,
    validity: Mapping[Any, Any] | None = None,
    preference: Mapping[Any, Any] | None = None,
    margin: float = 0.5,
    alpha: float = 0.05,
    procedure: str = "tukey",
    confidence: float = 0.95,
    intervals: bool = True,
    resamples: int = 1000,
    rng: Any = None,
    progress: Progress | None = None,
) -> ScaleComparison:
    """How do two or more scales compare, when judges rate the same systems on each of them?

    Parameters
    ----------
    experiments
        The ratings of each experiment by its name, two at least. Each rating says its system, and
        its source where that is known. A column `occasion`, or a list of ratings under one name,
        holds test and retest.
    criterion
        Only these criteria; all that the experiments share by default.
    validity
        A task measure per system, or several by name: `{"accuracy": {"system A": 0.91, …}}`.
    preference
        Which experiment's scale each judge prefers, by judge.
    margin
        The smallest difference between scales that matters, in standard deviations of the systems.
        0.5 asks for a true correlation of system means of at least .875.
    alpha
        The level of the equivalence test and of the differences between systems.
    procedure
        How pairs of systems are compared: "tukey", "scheffe", "lsd", "bonferroni", "holm", "bh".
    confidence, resamples, rng
        Of the intervals; the seed is recorded.
    intervals
        False to leave the drawn intervals out.
    progress
        Called with a few words at each step, for a progress bar.

    Returns
    -------
    ScaleComparison
        With `summary` in words, and for each criterion interchangeability, reliability, stability
        and sensitivity.

    Notes
    -----
    The properties are Belz & Kow's (2011). Scales need not have a unit or a best end in common:
    ratings are turned so that more is better, and system means are standardised. What differs
    between scales (W, r, F, the number of significant differences) gets a bootstrap interval over
    judges, drawn jointly where the experiments share judges and independently where they do not.
    The equivalence test draws judges and sources.

    Examples
    --------
    >>> from covary.datasets.simulation import simulate_scales
    >>> study = simulate_scales(criteria=["clarity"], seed=1)
    >>> comparison = compare_scales(study.ratings, intervals=False, rng=1)
    >>> comparison.summary[0]
    'VDS and VAS are interchangeable on clarity.'
    """
    options = ScaleOptions(
        margin=margin,
        alpha=alpha,
        procedure=procedure,
        interval=IntervalSpec.of("auto" if intervals else None, confidence, resamples, rng),
    )
    aligned = align(experiments, criterion)
    preferred = preferences(preference, aligned.experiments)
    measures = as_measures(validity)
    notes = [*aligned.notes, *missing_measures(aligned, measures)]
    valid = tuple(validities(aligned, measures, confidence))
    criteria = []
    for name in aligned.parts:
        if progress is not None:
            progress(f"{name}: comparing scales")
        criteria.append(_compare(aligned, name, options))
    notes += [note for one in criteria for part in one.sensitivity for note in part.notes]
    first = aligned.first(next(iter(aligned.parts)))
    return ScaleComparison(
        experiments=aligned.experiments,
        systems=aligned.systems,
        criteria=tuple(criteria),
        same_judges=tuple(
            (a.experiment, b.experiment, share_judges(a, b)) for a, b in combinations(first, 2)
        ),
        validity=valid,
        preference=preferred,
        summary=tuple(summary(aligned.experiments, criteria, valid, preferred)),
        notes=tuple(dict.fromkeys(notes)),
        margin=margin,
        alpha=alpha,
        procedure=procedure,
        confidence=confidence,
        resamples=options.interval.resamples,
        seed=options.interval.seed,
    )


def _compare(aligned: AlignedExperiments, name: str, options: ScaleOptions) -> CriterionScales:
    parts, drawn = aligned.parts[name], options.drawn
    fits = {part.label: fit_part(part) for part in parts}
    orders = {part.label: system_order(part, options) for part in parts}
    again = tuple(stability(aligned, name, options))
    tests = {label: sensitivity(fit, options) for label, fit in fits.items()}
    return CriterionScales(
        criterion=name,
        parts=tuple(_facts(part) for part in parts),
        interchange=tuple(interchangeability(list(fits.values()), options)),
        reliability=tuple(orders.values()),
        reliability_contrasts=(
            tuple(order_contrasts(orders, aligned, name, options)) if drawn else ()
        ),
        stability=again,
        stability_contrasts=tuple(stability_contrasts(again, options)) if drawn else (),
        sensitivity=tuple(tests.values()),
        sensitivity_contrasts=(
            tuple(sensitivity_contrasts(aligned, fits, tests, options)) if drawn else ()
        ),
    )


def _facts(part: ExperimentPart) -> PartFacts:
    return PartFacts(
        experiment=part.experiment,
        occasion=part.occasion,
        label=part.label,
        scale=part.scale.describe(),
        best=part.scale.best or "",
        judges=len(part.judges),
        items=len(part.items),
        ratings=part.observed.n_ratings,
    )


@dataclass(frozen=True, kw_only=True)
class Lead:
    """In how many cases one experiment is ahead of another."""

    first: str
    second: str
    ahead_first: int
    ahead_second: int
    cases: int

    def sentence(
        self,
        verb: str,
        noun: tuple[str, str] = ("criterion", "criteria"),
        contrasts: Sequence[Contrast] = (),
    ) -> Note | None:
        """Say it: `VAS finds more differences between systems on 3 of 4 criteria`.

        `contrasts` with an interval say in how many cases the difference is clear.

        Examples
        --------
        The counts of significant differences that Belz & Kow (2011) print for both scales:

        >>> lead = count_leads("VDS", "VAS", [(8, 7), (14, 15), (24, 25), (23, 26)])
        >>> print(lead.sentence("finds more differences", ("case", "cases")))
        VAS finds more differences in 3 of 4 cases.
        """
        if not self.cases:
            return None
        known = [contrast for contrast in contrasts if contrast.interval is not None]
        clear = {"clear": sum(contrast.clear for contrast in known), "compared": len(known)}
        return Note("scales.ahead", verb=verb, noun=noun, **vars(self), **clear)


def count_leads(first: str, second: str, cases: Sequence[tuple[float, float]]) -> Lead:
    """Count who is ahead; cases without a number on either side do not count."""
    known = [(a, b) for a, b in cases if not (math.isnan(a) or math.isnan(b))]
    return Lead(
        first=first,
        second=second,
        ahead_first=sum(a > b for a, b in known),
        ahead_second=sum(b > a for a, b in known),
        cases=len(known),
    )


def summary(
    experiments: Sequence[str],
    criteria: Sequence[CriterionScales],
    valid: Sequence[Validity],
    preferred: Preferences | None,
) -> Iterator[Note]:
    """Put the comparison of every two experiments into words, a sentence for each property."""
    for pair in combinations(experiments, 2):
        yield from _interchange_notes(pair, criteria)
        notes = [*_validity_notes(pair, valid), *_property_notes(pair, criteria)]
        yield from (note for note in notes if note is not None)
    if preferred is not None and preferred.n:
        name = max(preferred.counts, key=lambda experiment: preferred.counts[experiment])
        counts = {"count": preferred.counts[name], "n": preferred.n}
        yield Note("scales.preferred", experiment=name, **counts)


def _interchange_notes(
    pair: tuple[str, str], criteria: Sequence[CriterionScales]
) -> Iterator[Note]:
    words: dict[str, list[str]] = {}
    for one in criteria:
        labels = [one.first_labels[name] for name in pair]
        for both in one.interchange:
            if [both.first, both.second] == labels:
                words.setdefault(both.word, []).append(one.criterion)
    first, second = pair
    for word, names in words.items():
        yield Note("scales.interchange", first=first, second=second, word=word, criteria=names)


def _validity_notes(pair: tuple[str, str], valid: Sequence[Validity]) -> Iterator[Note | None]:
    """Compare the measure that each criterion goes with best."""
    for measure in dict.fromkeys(one.measure for one in valid):
        cases: dict[str, dict[str, float]] = {}
        for one in valid:
            if one.measure == measure and one.experiment in pair:
                own = cases.setdefault(one.criterion, {})
                own.setdefault(one.experiment, abs(one.association.pearson))
        values = [(own[pair[0]], own[pair[1]]) for own in cases.values()]
        yield count_leads(*pair, values).sentence(f"goes more closely with {measure}")


@dataclass(frozen=True)
class _Property:
    """What is compared: its number for an experiment, its contrasts, and what being ahead means."""

    verb: str
    values: Callable[[CriterionScales], dict[str, float]]
    contrasts: Callable[[CriterionScales], Sequence[Contrast]]


_PROPERTIES = (
    _Property(
        "has judges who share more of one order (W)",
        lambda one: {order.experiment: order.w for order in reversed(one.reliability)},
        lambda one: one.reliability_contrasts,
    ),
    _Property(
        "is more stable (r)",
        lambda one: {again.experiment: again.pooled for again in reversed(one.stability)},
        lambda one: [pooled for pooled, _ in one.stability_contrasts],
    ),
    _Property(
        "finds more significant differences between systems",
        lambda one: {t.experiment: t.additive.n_significant for t in reversed(one.sensitivity)},
        lambda one: [both.count_additive for both in one.sensitivity_contrasts],
    ),
    _Property(
        "separates systems more strongly (F)",
        lambda one: {t.experiment: t.effects[0].additive.f for t in reversed(one.sensitivity)},
        lambda one: [both.f_additive for both in one.sensitivity_contrasts],
    ),
)
"""The last of several occasions stands first when reversed, so that the first one counts."""


def _property_notes(
    pair: tuple[str, str], criteria: Sequence[CriterionScales]
) -> Iterator[Note | None]:
    first, second = pair
    for compared in _PROPERTIES:
        known = [compared.values(one) for one in criteria]
        values = [(own.get(first, math.nan), own.get(second, math.nan)) for own in known]
        contrasts = [
            contrast
            for one in criteria
            for contrast in compared.contrasts(one)
            if {contrast.first, contrast.second}
            in ({*pair}, {one.first_labels[name] for name in pair})
        ]
        yield count_leads(*pair, values).sentence(compared.verb, contrasts=contrasts)
