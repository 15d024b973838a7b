"""Numbers and names as a reader gets them: rounded by their interval, counted and listed."""

from __future__ import annotations

import math
from typing import Any

from covary.scales import Scale
from covary.stats.estimate import Estimate, Interval
from covary.words.grammar import capital as capital
from covary.words.grammar import counted as counted
from covary.words.grammar import listing as listing

DASH = "–"
"""What stands for a number that does not exist."""

FLOATING = 1e-9
"""What floating-point arithmetic may take from a value that ends in 5, which is rounded up."""

FEWEST, MOST = 2, 3
"""Decimals of a coefficient."""

METHODS = {
    "BCa bootstrap": "a BCa bootstrap over {units}",
    "F": "from the F distribution, exact if ratings are normal",
    "Feldt": "Feldt's, from the F distribution",
    "Fisher's z": "Fisher's, by the z transformation",
    "Hughes jackknife": "Hughes' jackknife over {units}",
    "jackknife": "a jackknife over {units}",
    "linearised variance": "from the linearised variance over {units}",
    "never seen": "from what may have stayed unseen where no resample differs",
    "percentile bootstrap": "a percentile bootstrap over {units}",
    "tilted score": "a score interval over tilted weights of {units}",
    "REML delta": "from the delta method on variance components by REML",
    "two-way jackknife": "that of these judges, widened by leaving out each judge in turn",
    "z jackknife": "a jackknife over {units} on Fisher's z scale",
}
"""Each way of making an interval as it reads after "the interval is"."""

MISSING = {
    "available pairs": (
        "every two ratings of an item are compared, so a missing rating costs only its own pairs"
    ),
    "available pairs, judges' own margins": (
        "every two ratings of an item are compared, and chance is taken from each judge's own "
        "ratings"
    ),
    "complete items only": "only items that every judge rated are used",
    "complete rows": "only complete rows are used",
    "items rated by both": "only items that both judges rated are used",
    "none": "no rating is missing",
    "pairwise deletion": "two judges are compared on the items that both rated",
    "reml": "missing ratings are handled by restricted maximum likelihood",
}
"""Each missing rule as a clause."""


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


def interval(limits: Interval | None, places: int | None = None) -> str:
    """Write an interval of a coefficient: `[.41, .63]`.

    Examples
    --------
    >>> interval(Interval(0.411, 0.632, 0.95, "jackknife"))
    '[.41, .63]'
    """
    if limits is None or not (math.isfinite(limits.low) and math.isfinite(limits.high)):
        return DASH
    digits = decimals(limits.low, limits.high) if places is None else places
    return f"[{coefficient(limits.low, digits)}, {coefficient(limits.high, digits)}]"


def estimate(number: Estimate | None) -> str:
    """Write a coefficient with as many decimals as its interval supports."""
    return DASH if number is None else coefficient(number.value, places_of(number))


def places_of(number: Estimate) -> int:
    """Return the decimals that the interval of a coefficient supports."""
    limits = number.interval
    return FEWEST if limits is None else decimals(limits.low, limits.high)


def with_interval(number: Estimate | None) -> str:
    """Write a coefficient and its interval: `.53 [.41, .63]`."""
    if number is None or not number.defined:
        return DASH
    limits = interval(number.interval, places_of(number))
    return estimate(number) if limits == DASH else f"{estimate(number)} {limits}"


def with_ends(measurement: Any, *, bounded: bool) -> str:
    """Write a value with its low and high end; `bounded` when it lies between -1 and 1."""
    write = coefficient if bounded else amount
    places = decimals(measurement.low, measurement.high, FEWEST if bounded else 1)
    if not (math.isfinite(measurement.low) and math.isfinite(measurement.high)):
        return write(measurement.value)
    ends = f"[{write(measurement.low, places)}, {write(measurement.high, places)}]"
    return f"{write(measurement.value, places)} {ends}"


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


def level_percent(share: float) -> str:
    """Write a share such as a confidence as a percentage without needless digits."""
    return f"{100 * share:.10g}%"


def variant(estimate: Estimate) -> str:
    """Name a coefficient with what tells it from its siblings: distance, weights, tolerance."""
    settings, parts = estimate.settings, []
    if distance := settings.get("distance"):
        parts.append(f"with the {distance} distance")
    if weights := settings.get("weights"):
        parts.append("without weights" if weights == "identity" else f"with {weights} weights")
    if settings.get("tolerance"):
        parts.append(f"within {counted(settings['tolerance'], 'rank')}")
    if settings.get("ties") == "corrected":
        parts.append("corrected for ties")
    if "k" in settings and estimate.name == "icc":
        parts.append(f"of means over k = {settings['k']:.3g} ratings")
    title, combine = estimate.title or estimate.name, settings.get("combine")
    if combine == "pooled":
        parts += [] if title.startswith("pooled") else ["pooled over pairs of judges"]
    elif combine and estimate.n_judges > 2:
        parts.append(f"as the {combine} over pairs of judges")
    return " ".join([title, *parts])


def method_words(interval: Interval, units: str = "items", papers: str = "") -> str:
    """Say how an interval was made, with resamples and seed where it was drawn, and by whom."""
    known = METHODS.get(interval.method, f"made by the method {interval.method}")
    more = [f"{counted(interval.resamples, 'resample')}, seed {interval.seed}"]
    more = [*(more if interval.resamples else []), *([papers] if papers else [])]
    return known.format(units=units) + (f" ({'; '.join(more)})" if more else "")


def scale_words(scale: Scale) -> str:
    """Describe a scale after "on": `an ordinal scale with the categories 1, 2 and 3`."""
    article = "an" if str(scale.level)[0] in "aeiou" else "a"
    if scale.declared:
        return f"{article} {scale.level} scale {_possible(scale, 'with the categories')}"
    seen = _possible(scale, "").strip()
    if scale.level_guessed:
        return (
            f"a scale that was not declared and is taken to be {scale.level} (ratings seen: {seen})"
        )
    return f"{article} {scale.level} scale whose range was not declared (ratings seen: {seen})"


def _possible(scale: Scale, start: str) -> str:
    if scale.categories is None:
        return f"from {scale.low:g} to {scale.high:g}"
    if len(scale.categories) <= 12:
        return f"{start} {listing(scale.categories)}"
    first, last = scale.categories[0], scale.categories[-1]
    return f"{start} {first} to {last} ({len(scale.categories)} in all)"


def heading(criterion: str | None, text: str) -> str:
    """Put a criterion's name before a title, where it has one.

    Examples
    --------
    >>> heading("fluency", "pairs of judges"), heading(None, "pairs of judges")
    ('fluency: pairs of judges', 'Pairs of judges')
    """
    return capital(text) if criterion is None else f"{criterion}: {text}"
