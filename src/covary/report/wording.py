"""Plain English for sentences about counts, names and variants of coefficients."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from covary.scales import ObservedScale, Scale
from covary.stats.estimate import Estimate, Interval

__all__ = [
    "MISSING",
    "capital",
    "counted",
    "headed",
    "listing",
    "method_words",
    "percent",
    "scale_words",
    "variant",
]

METHODS = {
    "BCa bootstrap": "a BCa bootstrap over {units}",
    "F": "exact, from the F distribution",
    "Feldt": "Feldt's, from the F distribution",
    "Fisher's z": "Fisher's, by the z transformation",
    "Hughes jackknife": "Hughes' jackknife over {units}",
    "jackknife": "a jackknife over {units}",
    "linearised variance": "from the linearised variance over {units}",
    "percentile bootstrap": "a percentile bootstrap over {units}",
    "REML delta": "from the delta method on variance components by REML",
    "two-way bootstrap": "a two-way bootstrap over {units} and distinct judges",
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


def counted(number: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun: `1 item`, `1,073 items`, `2 criteria`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def listing(names: Iterable[Any]) -> str:
    """Write names for a sentence: `fluency`, `fluency and relevance`, `a, b and c`."""
    shown = [str(name) for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def percent(share: float) -> str:
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
    if settings.get("combine") and estimate.n_judges > 2:
        parts.append(f"as the {settings['combine']} over pairs of judges")
    return " ".join([estimate.title or estimate.name, *parts])


def method_words(interval: Interval, units: str = "items", papers: str = "") -> str:
    """Say how an interval was made, with resamples and seed where it was drawn, and by whom."""
    known = METHODS.get(interval.method, f"made by the method {interval.method}")
    more = [f"{counted(interval.resamples, 'resample')}, seed {interval.seed}"]
    more = [*(more if interval.resamples else []), *([papers] if papers else [])]
    return known.format(units=units) + (f" ({'; '.join(more)})" if more else "")


def scale_words(scale: Scale) -> str:
    """Describe a scale after "on": `an ordinal scale with the categories 1, 2 and 3`."""
    article = "an" if str(scale.level)[0] in "aeiou" else "a"
    if not isinstance(scale, ObservedScale):
        return f"{article} {scale.level} scale {_possible(scale, 'with the categories')}"
    seen = _possible(scale, "").strip()
    if scale.guessed:
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


def capital(text: str) -> str:
    """Begin with a capital letter, and leave the rest as it is.

    Examples
    --------
    >>> capital("tests by rank say F")
    'Tests by rank say F'
    """
    return text[:1].upper() + text[1:]


def headed(criterion: str | None, text: str) -> str:
    """Put a criterion's name before a title, where it has one.

    Examples
    --------
    >>> headed("fluency", "pairs of judges"), headed(None, "pairs of judges")
    ('fluency: pairs of judges', 'Pairs of judges')
    """
    return capital(text) if criterion is None else f"{criterion}: {text}"
