"""The only place that rounds: how many decimals an interval supports, and how a number is written.

Coefficients, correlations, shares and probabilities lie between -1 and 1 and are written without
the zero before the point (.53); differences, spreads and seconds keep it (0.53). An undefined
number is a dash, and the note under its table says why.
"""

from __future__ import annotations

import math
from typing import Any

from covary.stats.estimate import Estimate, Interval

__all__ = [
    "DASH",
    "amount",
    "coefficient",
    "count",
    "decimals",
    "estimate",
    "interval",
    "measured",
    "p_value",
    "percent",
    "places_of",
    "with_interval",
]

DASH = "–"
"""What stands for a number that does not exist."""

FLOATING = 1e-9
"""What floating-point arithmetic may take from a value that ends in 5, which is rounded up."""

FEWEST, MOST = 2, 3
"""Decimals of a coefficient."""


def decimals(low: float, high: float, fewest: int = FEWEST) -> int:
    """Return how many decimals an interval supports: the place of its half-width, at most 3.

    Examples
    --------
    >>> decimals(0.41, 0.63), decimals(0.512, 0.519)
    (2, 3)
    """
    half = (high - low) / 2
    if not (math.isfinite(half) and half > 0):
        return FEWEST
    return min(max(math.ceil(-math.log10(half)), fewest), MOST)


def coefficient(value: float, places: int = FEWEST) -> str:
    """Write a number between -1 and 1 without the zero before its point.

    Examples
    --------
    >>> coefficient(0.526), coefficient(-0.051), coefficient(1), coefficient(float("nan"))
    ('.53', '-.05', '1.00', '–')
    """
    written = amount(value, places)
    return written.replace("0.", ".", 1) if written.lstrip("-").startswith("0.") else written


def amount(value: float, places: int = FEWEST) -> str:
    """Write a number of any size.

    Examples
    --------
    >>> amount(0.526), amount(-0.001), amount(12.345, 1)
    ('0.53', '0.00', '12.3')
    """
    if not math.isfinite(value):
        return DASH
    written = f"{value + math.copysign(FLOATING, value):.{places}f}"
    return written.lstrip("-") if not float(written) else written


def interval(found: Interval | None, places: int | None = None) -> str:
    """Write an interval of a coefficient: `[.41, .63]`.

    Examples
    --------
    >>> interval(Interval(0.411, 0.632, 0.95, "jackknife"))
    '[.41, .63]'
    """
    if found is None or not (math.isfinite(found.low) and math.isfinite(found.high)):
        return DASH
    digits = decimals(found.low, found.high) if places is None else places
    return f"[{coefficient(found.low, digits)}, {coefficient(found.high, digits)}]"


def estimate(found: Estimate | None) -> str:
    """Write a coefficient with as many decimals as its interval supports."""
    return DASH if found is None else coefficient(found.value, places_of(found))


def places_of(found: Estimate) -> int:
    """Return the decimals that the interval of a coefficient supports."""
    limits = found.interval
    return FEWEST if limits is None else decimals(limits.low, limits.high)


def with_interval(found: Estimate | None) -> str:
    """Write a coefficient and its interval: `.53 [.41, .63]`."""
    if found is None or not found.defined:
        return DASH
    limits = interval(found.interval, places_of(found))
    return estimate(found) if limits == DASH else f"{estimate(found)} {limits}"


def measured(found: Any, *, bounded: bool) -> str:
    """Write a value with its low and high end; `bounded` when it lies between -1 and 1."""
    write = coefficient if bounded else amount
    places = decimals(found.low, found.high, FEWEST if bounded else 1)
    if not (math.isfinite(found.low) and math.isfinite(found.high)):
        return write(found.value)
    ends = f"[{write(found.low, places)}, {write(found.high, places)}]"
    return f"{write(found.value, places)} {ends}"


def percent(share: float) -> str:
    """Write a share as a percentage; a whole one unless it is near an end.

    Examples
    --------
    >>> percent(0.314), percent(0.004), percent(1)
    ('31%', '0.4%', '100%')
    """
    if not math.isfinite(share):
        return DASH
    near_an_end = 0 < share < 0.01 or 0.99 < share < 1
    return f"{100 * share:.{1 if near_an_end else 0}f}%"


def p_value(p: float) -> str:
    """Write a p-value itself, never which threshold it passes.

    Examples
    --------
    >>> p_value(0.0342), p_value(0.5), p_value(1.23e-7)
    ('.034', '.50', '1.2e-7')
    """
    if not math.isfinite(p):
        return DASH
    if p < 0.0001:
        return "0" if p == 0 else f"{p:.1e}".replace("e-0", "e-")
    return coefficient(p, 2 if p >= 0.095 else 1 - math.floor(math.log10(p)))


def count(number: int) -> str:
    """Write a whole number with its thousands apart.

    Examples
    --------
    >>> count(13440)
    '13,440'
    """
    return f"{number:,}"
