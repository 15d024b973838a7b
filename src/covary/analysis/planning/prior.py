"""GStudy without a pilot: known ones, or a few plain answers turned into variances."""

from __future__ import annotations

import math
from typing import Any

from covary.analysis.planning.components import FACTORS, GStudy
from covary.errors import InvalidArgument
from covary.words import Note


def known_components(*, confidence: float = 0.95, **variances: float) -> GStudy:
    """Take components that were published; `judge_system` stands for the judge × system one.

    Examples
    --------
    >>> known_components(item=0.591, judge=0.196, residual=0.727).items
    0.591
    """
    named = {name.replace("_", " "): float(value) for name, value in variances.items()}
    for name, value in named.items():
        if name not in FACTORS:
            raise InvalidArgument("planning.component", value=name, allowed=FACTORS)
        if not value >= 0 or math.isinf(value):
            raise InvalidArgument("planning.variance", argument=name, value=value)
    unknown = (math.nan, math.nan)
    return GStudy(
        criterion=None,
        variances=named,
        intervals=dict.fromkeys(named, unknown),
        size=None,
        confidence=confidence,
        notes=(Note("planning.known"),),
    )


def guessed_components(
    *,
    texts: float,
    judges: float,
    severity: float = 0.0,
    systems: float = 0.0,
    tastes: float = 0.0,
) -> GStudy:
    """Turn a few plain answers, in points of the scale, into components.

    Parameters
    ----------
    texts
        How far apart two texts of one system usually lie, after many ratings.
    judges
        How far apart two judges usually lie on one text.
    severity
        How far apart the averages of two judges usually lie.
    systems
        How far apart the averages of two systems usually lie.
    tastes
        How far apart two judges usually lie on how much better one system is than the average.

    Notes
    -----
    Two draws from a normal distribution with standard deviation s lie 2 s / √π apart on average,
    so each distance d stands for a variance of π d² / 4. What two judges differ by on one text is
    severity, taste and the rest together.

    Examples
    --------
    >>> guess = guessed_components(texts=1.2, judges=1.0, severity=0.4)
    >>> f"{guess['item']:.3f} {guess['judge']:.3f} {guess['residual']:.3f}"
    '1.131 0.126 0.660'
    """
    distances = {
        "texts": texts,
        "judges": judges,
        "severity": severity,
        "systems": systems,
        "tastes": tastes,
    }
    for name, distance in distances.items():
        if not distance >= 0 or math.isinf(distance):
            raise InvalidArgument("planning.distance", argument=name, value=distance)
    part = math.hypot(severity, tastes)
    if part > judges:
        facts: dict[str, Any] = {"averages": severity, "tastes": tastes, "judges": judges}
        raise InvalidArgument("planning.severity", argument="severity", value=part, **facts)
    variance = {name: math.pi * distance**2 / 4 for name, distance in distances.items()}
    named = {
        "system": variance["systems"],
        "item": variance["texts"],
        "judge": variance["severity"],
        "judge system": variance["tastes"],
        "residual": variance["judges"] - variance["severity"] - variance["tastes"],
    }
    made = known_components(**{name: value for name, value in named.items() if value > 0})
    return GStudy(
        criterion=None,
        variances=made.variances,
        intervals=made.intervals,
        size=None,
        confidence=made.confidence,
        notes=(Note("planning.guessed"),),
    )
