"""`covary.compare_scales`: which scale should be used, and can one stand for another?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

from covary.analysis.scale_comparison.experiments import (
    Aligned,
    Experiments,
    Part,
    align,
    share_judges,
)
from covary.analysis.scale_comparison.fits import fitted
from covary.analysis.scale_comparison.found import CriterionScales, PartFacts, ScaleComparison
from covary.analysis.scale_comparison.interchangeability import interchangeability
from covary.analysis.scale_comparison.preference import preferences
from covary.analysis.scale_comparison.reliability import order_contrasts, system_order
from covary.analysis.scale_comparison.sensitivity import sensitivity, told_apart
from covary.analysis.scale_comparison.stability import stability, stability_contrasts
from covary.analysis.scale_comparison.summary import summary
from covary.analysis.scale_comparison.validity import as_measures, validity
from covary.errors import InvalidArgument, choose
from covary.stats.intervals import Wanted

__all__ = ["PROCEDURES", "compare_scales"]

Progress = Callable[[str], None]

PROCEDURES = ("tukey", "scheffe", "lsd", "bonferroni", "holm", "bh")
"""The procedures that compare all pairs of system means."""


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
    >>> from covary.datasets.simulated import simulate_scales
    >>> study = simulate_scales(criteria=["clarity"], seed=1)
    >>> found = compare_scales(study.ratings, intervals=False, rng=1)
    >>> found.summary[0]
    'VDS and VAS are interchangeable on clarity.'
    """
    say = progress or _silent
    wanted = Wanted.of("auto" if intervals else None, confidence, resamples, rng)
    _check(procedure, alpha, margin)
    aligned = align(experiments, criterion)
    likes = preferences(preference, aligned.experiments)
    valid, missing = _validity(aligned, validity, confidence)
    found = []
    for name in aligned.parts:
        say(f"{name}: comparing scales")
        found.append(_criterion(aligned, name, wanted, margin, alpha, procedure))
    notes = [*aligned.notes, *missing]
    notes += [note for each in found for one in each.sensitivity for note in one.notes]
    first = aligned.first(next(iter(aligned.parts)))
    return ScaleComparison(
        aligned.experiments, aligned.systems, tuple(found),
        tuple((a.experiment, b.experiment, share_judges(a, b)) for a, b in combinations(first, 2)),
        valid, likes, summary(aligned.experiments, found, valid, likes),
        tuple(dict.fromkeys(notes)), margin, alpha, procedure, confidence, wanted.resamples,
        wanted.seed,
    )  # fmt: skip


def _criterion(
    aligned: Aligned, name: str, wanted: Wanted, margin: float, alpha: float, procedure: str
) -> CriterionScales:
    parts = aligned.parts[name]
    fits = {part.label: fitted(part) for part in parts}
    orders = {part.label: system_order(part, wanted) for part in parts}
    again = tuple(stability(aligned, name, wanted))
    tests = {label: sensitivity(fit, procedure, alpha) for label, fit in fits.items()}
    drawn = wanted.method is not None
    return CriterionScales(
        name,
        tuple(_facts(part) for part in parts),
        tuple(interchangeability(
            list(fits.values()), margin=margin, alpha=alpha, confidence=wanted.confidence,
            draws=wanted.resamples, seed=wanted.seed,
        )),
        tuple(orders.values()),
        tuple(order_contrasts(orders, aligned, name, wanted)) if drawn else (),
        again,
        tuple(stability_contrasts(again, wanted)) if drawn else (),
        tuple(tests.values()),
        tuple(told_apart(aligned, name, fits, tests, procedure, wanted)) if drawn else (),
    )  # fmt: skip


def _facts(part: Part) -> PartFacts:
    laid = part.layout
    return PartFacts(
        part.experiment, part.occasion, part.label, part.scale.describe(), part.scale.best or "",
        len(laid.names["judge"]), len(laid.names["item"]), laid.n_ratings,
    )  # fmt: skip


def _validity(aligned: Aligned, given: Mapping[Any, Any] | None, confidence: float) -> Any:
    return validity(aligned, as_measures(given), confidence)


def _check(procedure: str, alpha: float, margin: float) -> None:
    if procedure not in PROCEDURES:
        raise InvalidArgument(
            f"procedure={procedure!r} does not compare means; {choose(procedure, PROCEDURES)}"
        )
    if not 0 < alpha < 0.5:
        raise InvalidArgument(f"alpha={alpha!r} must lie between 0 and 0.5, such as 0.05")
    if not 0 < margin < 2:
        raise InvalidArgument(
            f"margin={margin!r} must lie between 0 and 2 standard deviations of the systems, such "
            "as 0.5"
        )


def _silent(_: str) -> None:
    """Say nothing."""
