"""Words for the size of a coefficient: published bands, several at once, and how sure the word is.

No coefficient of covary uses bands. They are here because papers ask for them, and so that the
boundary rule and the uncertainty of a word are said along with it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from covary.errors import InvalidArgument, choose, listed
from covary.stats.bands import BANDS, BandScale
from covary.stats.estimate import Estimate

__all__ = ["Interpretation", "Reading", "interpret"]

Scales = str | BandScale | Iterable[str | BandScale] | None

ROUNDING = 1e-9
"""A value this far above 1 is 1 in floating-point arithmetic."""

ENOUGH = 0.95
"""Gwet's cumulative probability at which a band counts as reached."""

COEFFICIENTS: dict[tuple[str, ...], tuple[str, ...]] = {
    ("krippendorff", "landis-koch"): (
        "cohen_kappa", "scott_pi", "fleiss_kappa", "conger_kappa", "light_kappa",
        "brennan_prediger", "gwet_ac", "krippendorff_alpha",
    ),
    ("rosenthal", "cohen"): (
        "goodman_kruskal_gamma", "exchangeable_gamma", "kendall_tau", "spearman", "pearson",
    ),
    ("cicchetti", "koo-li"): ("icc", "fisher_icc"),
}  # fmt: skip
"""Which scales suit which coefficients, by how the coefficient's name begins."""

WITHOUT_BANDS: dict[str, tuple[str, ...]] = {
    "percent agreement is not corrected for chance, so the bands of kappa do not suit it": (
        "percent_agreement",
    ),
    "W is not a correlation: unrelated judges have W = 1/k, not 0; the mean Spearman correlation, "
    "(kW - 1) / (k - 1), has bands": ("kendall_w",),
    "Cronbach's alpha grows with the number of judges, so bands made for single judges flatter it; "
    "icc has bands": ("cronbach_alpha",),
}


@dataclass(frozen=True)
class Reading:
    """What one scale says about a value.

    `span` are the words for the ends of the interval. `probabilities` gives each band's probability
    and `at_least` the highest band that is reached with probability `certainty`, which is summed
    from the highest band down; both are empty where there is no standard error.
    """

    scale: BandScale
    band: str
    span: tuple[str, str] | None = None
    probabilities: Mapping[str, float] = field(default_factory=dict)
    at_least: str | None = None
    certainty: float = math.nan

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "scale": self.scale.name,
            "citation": self.scale.citation,
            "band": self.band,
            "span": None if self.span is None else list(self.span),
            "probabilities": dict(self.probabilities),
            "at_least": self.at_least,
            "certainty": None if math.isnan(self.certainty) else self.certainty,
        }

    def __str__(self) -> str:
        line = f"{self.scale.title}: {self.band}"
        if self.span is not None:
            low, high = self.span
            line += f" (interval: {low})" if low == high else f" (interval: {low} to {high})"
        if self.at_least is None:
            return line
        shares = ", ".join(f"{label} {share:.3f}" for label, share in self.probabilities.items())
        reached = f"at least {self.at_least} with probability {self.certainty:.3f}"
        return f"{line}\n    {reached} ({shares})"


@dataclass(frozen=True)
class Interpretation:
    """A value with the words that published scales have for it.

    `readings` holds one reading for each scale, and none where there is no word; `notes` say why.
    """

    name: str
    value: float
    standard_error: float
    readings: tuple[Reading, ...]
    notes: tuple[str, ...] = ()

    @property
    def bands(self) -> dict[str, str]:
        """The word of each scale, by the scale's name."""
        return {reading.scale.name: reading.band for reading in self.readings}

    def __getitem__(self, scale: str) -> Reading:
        for reading in self.readings:
            if reading.scale.name == scale:
                return reading
        raise InvalidArgument(f"there is no reading on {scale!r}, only on {listed(self.bands)}")

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON; NaN becomes None."""
        return {
            "name": self.name,
            "value": None if math.isnan(self.value) else self.value,
            "standard_error": None if math.isnan(self.standard_error) else self.standard_error,
            "readings": [reading.to_dict() for reading in self.readings],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        head = "undefined" if math.isnan(self.value) else f"{self.value:.4f}"
        if not math.isnan(self.standard_error):
            head += f", standard error {self.standard_error:.4f}"
        lines = [f"{self.name}: {head}" if self.name else head]
        lines += [f"  {reading}" for reading in self.readings]
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes)])


def interpret(
    estimate: Estimate | float,
    *,
    scales: Scales = None,
    standard_error: float | None = None,
) -> Interpretation:
    """What do published scales call a coefficient of this size, and how sure is the word?

    Bands are conventions: arbitrary, at odds with each other, and dependent on the task. Report the
    value and its interval first, and name the scale with every word.

    Parameters
    ----------
    estimate
        What a coefficient returned, or a plain number.
    scales
        One or several of `BANDS` by name, or a `BandScale` of your own. By default those made for
        the kind of coefficient: Krippendorff and Landis & Koch for agreement, Rosenthal and Cohen
        for correlation, Cicchetti and Koo & Li for intraclass correlation. A plain number does not
        say its kind, so for it they must be named.
    standard_error
        The uncertainty of a plain number; the estimate's own by default.

    Returns
    -------
    Interpretation
        For each scale the band of the value and of the ends of the interval (which is what Koo & Li
        ask to be read) and, where there is a standard error, the probability of each band and the
        highest band that is reached with probability .95 when they are summed from the highest
        band down (Gwet).

    Notes
    -----
    P(band) = [Phi((c - low) / se) - Phi((c - high) / se)] divided by the same for the whole range
    from -1 to 1, as in R irrCAC's benchmarking. An undefined coefficient has no band, and the note
    says why. A boundary belongs to the band above it, except Landis & Koch's, which belong to the
    band below (but 0 is slight), and Koo & Li's .9, which is good. Cohen names nothing below .1;
    it is called negligible here.

    References
    ----------
    Gwet (2014), Handbook of inter-rater reliability, 4th edition, chapter 6. The scales carry
    their own citations: `BANDS["landis-koch"].citation`.

    Examples
    --------
    >>> print(interpret(0.75, scales="landis-koch", standard_error=0.06))
    0.7500, standard error 0.0600
      Landis & Koch (1977): substantial
        at least substantial with probability 0.994 (poor 0.000, slight 0.000, fair 0.000,
        moderate 0.006, substantial 0.791, almost perfect 0.202)
    >>> interpret(0.5454, scales=["cicchetti", "koo-li"]).bands
    {'cicchetti': 'fair', 'koo-li': 'moderate'}
    """
    value, error = _number(estimate), _error(estimate, standard_error)
    name = estimate.title or estimate.name if isinstance(estimate, Estimate) else ""
    chosen, notes = _chosen(estimate, scales)
    if math.isnan(value):
        return Interpretation(name, value, math.nan, (), _reasons(estimate))
    if error == 0 or value < -1:
        notes += (
            "there are no probabilities, because the standard error is 0 or the value below -1",
        )
        error = math.nan
    readings = tuple(_reading(scale, value, error, _ends(estimate)) for scale in chosen)
    return Interpretation(name, value, error, readings, notes)


def _reasons(estimate: Estimate | float) -> tuple[str, ...]:
    said = estimate.notes if isinstance(estimate, Estimate) else ()
    return said or ("the value is not a number, so no band holds it",)


def _reading(
    scale: BandScale, value: float, error: float, ends: tuple[float, float] | None
) -> Reading:
    span = None if ends is None else _span(scale, *ends)
    if not error > 0:
        return Reading(scale, scale.band(value), span)
    probabilities = scale.probabilities(value, error)
    cumulative = 0.0
    for label in reversed(probabilities):
        cumulative += probabilities[label]
        if cumulative >= ENOUGH:
            break
    shares = MappingProxyType(probabilities)
    return Reading(scale, scale.band(value), span, shares, label, min(cumulative, 1.0))


def _span(scale: BandScale, low: float, high: float) -> tuple[str, str]:
    if scale.absolute:
        sizes = sorted((abs(low), abs(high)))
        low, high = (0.0 if low < 0 < high else sizes[0]), sizes[1]
    return scale.band(low), scale.band(high)


def _ends(estimate: Estimate | float) -> tuple[float, float] | None:
    interval = estimate.interval if isinstance(estimate, Estimate) else None
    if interval is None or math.isnan(interval.low) or math.isnan(interval.high):
        return None
    return interval.low, interval.high


def _number(estimate: Estimate | float) -> float:
    try:
        value = float(estimate)
    except (TypeError, ValueError):
        kind = type(estimate).__name__
        raise InvalidArgument(f"interpret takes an Estimate or a number, got a {kind}") from None
    if value > 1 + ROUNDING:
        raise InvalidArgument(
            f"interpret got {value:g}; no coefficient with bands is larger than 1"
        )
    return value


def _error(estimate: Estimate | float, given: float | None) -> float:
    if given is None:
        interval = estimate.interval if isinstance(estimate, Estimate) else None
        return math.nan if interval is None else interval.standard_error
    if not 0 < given < math.inf:
        raise InvalidArgument(f"standard_error={given!r} is not a positive number")
    return float(given)


def _chosen(
    estimate: Estimate | float, given: Scales
) -> tuple[tuple[BandScale, ...], tuple[str, ...]]:
    if given is not None:
        several = [given] if isinstance(given, str | BandScale) else list(given)
        return tuple(_scale(each) for each in several), ()
    if not isinstance(estimate, Estimate):
        raise InvalidArgument(
            "a plain number does not say what kind of coefficient it is, so say scales=: "
            f"some of {listed(BANDS)}"
        )
    for reason, coefficients in WITHOUT_BANDS.items():
        if estimate.name in coefficients:
            return (), (reason,)
    for kind, coefficients in COEFFICIENTS.items():
        if estimate.name.startswith(coefficients):
            return tuple(BANDS[each] for each in kind), ()
    return (), (f"no bands are customary for {estimate.name}; say scales=",)


def _scale(scale: str | BandScale) -> BandScale:
    if isinstance(scale, BandScale):
        return scale
    if scale not in BANDS:
        raise InvalidArgument(f"scales={scale!r} is not known; {choose(scale, BANDS)}")
    return BANDS[scale]
