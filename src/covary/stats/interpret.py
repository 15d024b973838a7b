"""Words for the size of a coefficient: published bands, several at once, and how sure the word is.

Bands are conventions. Their authors call them arbitrary, they disagree with each other, and what is
enough depends on the task and on what a wrong conclusion costs. No coefficient of covary uses
them. They are here because papers ask for them, and so that the boundary rule and the uncertainty
of a word are said along with it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from types import MappingProxyType
from typing import Any, Literal

from covary.errors import InvalidArgument
from covary.records import dataclass
from covary.stats.distributions import normal_cdf
from covary.stats.estimate import Estimate, plain
from covary.words import Note


@dataclass(frozen=True)
class Band:
    """A stretch of values with a word for it; `ends` says which ends belong to it, as in `"[)"`."""

    label: str
    low: float
    high: float
    ends: Literal["()", "(]", "[)", "[]"]

    def __contains__(self, value: float) -> bool:
        above = value >= self.low if self.ends[0] == "[" else value > self.low
        return above and (value <= self.high if self.ends[1] == "]" else value < self.high)

    def __str__(self) -> str:
        if math.isinf(self.low):
            return f"{self.label}: {'≤' if self.ends[1] == ']' else '<'} {self.high:g}"
        return f"{self.label}: {self.ends[0]}{self.low:g}, {self.high:g}{self.ends[1]}"


@dataclass(frozen=True)
class BandScale:
    """A published set of bands, from the lowest to the highest, with its exact boundary rules.

    `absolute` says that the bands are about the size of a coefficient whatever its sign.

    Examples
    --------
    >>> print(BANDS["krippendorff"])
    Krippendorff (1980): discard: < 0.67; tentative: [0.67, 0.8); good: [0.8, 1]
    """

    name: str
    title: str
    citation: str
    bands: tuple[Band, ...]
    absolute: bool = False

    def band(self, value: float) -> str:
        """Return the word for a value."""
        size = min(abs(value) if self.absolute else value, 1.0)
        return next(band.label for band in self.bands if size in band)

    def probabilities(self, value: float, standard_error: float) -> dict[str, float]:
        """Return the probability of each band, from the lowest to the highest.

        The coefficient is taken to be normal around the value, cut off at -1 and 1 (Gwet 2014).
        """

        def below(limit: float) -> float:
            return normal_cdf((min(max(limit, -1.0), 1.0) - value) / standard_error)

        def between(low: float, high: float) -> float:
            return (below(high) - below(low)) / (below(1) - below(-1))

        return {
            band.label: between(band.low, band.high)
            + (between(-band.high, -band.low) if self.absolute else 0)
            for band in self.bands
        }

    def __str__(self) -> str:
        return f"{self.title}: {'; '.join(str(band) for band in self.bands)}"


def _bands(text: str) -> tuple[Band, ...]:
    """Read bands as mathematics writes them: `poor (-inf, 0) | slight [0, 0.2]`."""
    bands = []
    for part in text.split("|"):
        *label, low, high = part.split()
        ends: Any = low[0] + high[-1]
        bands.append(Band(" ".join(label), float(low[1:-1]), float(high[:-1]), ends))
    return tuple(bands)


PUBLISHED: tuple[BandScale, ...] = (
    BandScale(
        "krippendorff",
        "Krippendorff (1980)",
        "Krippendorff, K. (1980). Content analysis: an introduction to its methodology. Sage.",
        _bands("discard (-inf, 0.67) | tentative [0.67, 0.8) | good [0.8, 1]"),
    ),
    BandScale(
        "landis-koch",
        "Landis & Koch (1977)",
        "Landis, J. R. & Koch, G. G. (1977). The measurement of observer agreement for "
        "categorical data. Biometrics 33, 159-174.",
        _bands(
            "poor (-inf, 0) | slight [0, 0.2] | fair (0.2, 0.4] | moderate (0.4, 0.6] | "
            "substantial (0.6, 0.8] | almost perfect (0.8, 1]"
        ),
    ),
    BandScale(
        "rosenthal",
        "Rosenthal (1996)",
        "Rosenthal, J. A. (1996). Qualitative descriptors of strength of association and "
        "effect size. Journal of Social Service Research 21(4), 37-59.",
        _bands(
            "negligible [0, 0.1) | small [0.1, 0.3) | medium [0.3, 0.5) | large [0.5, 0.7) | "
            "very large [0.7, 1]"
        ),
        absolute=True,
    ),
    BandScale(
        "cohen",
        "Cohen (1988)",
        "Cohen, J. (1988). Statistical Power Analysis for the Behavioral Sciences, 2nd "
        "edition. Erlbaum.",
        _bands("negligible [0, 0.1) | small [0.1, 0.3) | medium [0.3, 0.5) | large [0.5, 1]"),
        absolute=True,
    ),
    BandScale(
        "cicchetti",
        "Cicchetti (1994)",
        "Cicchetti, D. V. (1994). Guidelines, criteria, and rules of thumb for evaluating "
        "normed and standardized assessment instruments in psychology. Psychological "
        "Assessment 6, 284-290.",
        _bands("poor (-inf, 0.4) | fair [0.4, 0.6) | good [0.6, 0.75) | excellent [0.75, 1]"),
    ),
    BandScale(
        "koo-li",
        "Koo & Li (2016)",
        "Koo, T. K. & Li, M. Y. (2016). A guideline of selecting and reporting intraclass "
        "correlation coefficients for reliability research. Journal of Chiropractic "
        "Medicine 15, 155-163.",
        _bands("poor (-inf, 0.5) | moderate [0.5, 0.75) | good [0.75, 0.9] | excellent (0.9, 1]"),
    ),
)
"""The published scales."""

BANDS: Mapping[str, BandScale] = MappingProxyType({scale.name: scale for scale in PUBLISHED})
"""The published scales by name."""


Scales = str | BandScale | Iterable[str | BandScale] | None

ROUNDING = 1e-9
"""A value this far above 1 is 1 in floating-point arithmetic."""

ENOUGH = 0.95
"""Gwet's cumulative probability at which a band counts as reached."""

AGREEMENT = "cohen_kappa scott_pi fleiss_kappa conger_kappa light_kappa brennan_prediger gwet_ac"
CORRELATION = "goodman_kruskal_gamma exchangeable_gamma kendall_tau spearman pearson"

COEFFICIENTS: dict[tuple[str, ...], tuple[str, ...]] = {
    ("krippendorff", "landis-koch"): (*AGREEMENT.split(), "krippendorff_alpha"),
    ("rosenthal", "cohen"): tuple(CORRELATION.split()),
    ("cicchetti", "koo-li"): ("icc", "fisher_icc"),
}
"""Which scales suit which coefficients, by how the coefficient's name begins."""

WITHOUT_BANDS = {
    "percent_agreement": "stats.no-bands-percent",
    "kendall_w": "stats.no-bands-w",
    "cronbach_alpha": "stats.no-bands-cronbach",
}
"""The coefficients that no published bands suit, and why."""


@dataclass(frozen=True, kw_only=True)
class BandReading:
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
            "span": plain(self.span),
            "probabilities": dict(self.probabilities),
            "at_least": self.at_least,
            "certainty": plain(self.certainty),
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


@dataclass(frozen=True, kw_only=True)
class Interpretation:
    """A value with the words that published scales have for it.

    `readings` holds one reading for each scale, and none where there is no word; `notes` say why.
    """

    name: str
    value: float
    standard_error: float = math.nan
    readings: tuple[BandReading, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def bands(self) -> dict[str, str]:
        """The word of each scale, by the scale's name."""
        return {reading.scale.name: reading.band for reading in self.readings}

    def __getitem__(self, scale: str) -> BandReading:
        for reading in self.readings:
            if reading.scale.name == scale:
                return reading
        raise InvalidArgument("stats.no-reading", value=scale, allowed=self.bands)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON; NaN becomes None."""
        return {
            "name": self.name,
            "value": plain(self.value),
            "standard_error": plain(self.standard_error),
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
    chosen, notes = _choose_scales(estimate, scales)
    if math.isnan(value):
        reasons = estimate.notes if isinstance(estimate, Estimate) else ()
        notes = reasons or (Note("stats.not-a-value"),)
        return Interpretation(name=name, value=value, notes=notes)
    if error == 0 or value < -1:
        notes += (Note("stats.no-probabilities"),)
        error = math.nan
    readings = tuple(_reading(scale, value, error, _ends(estimate)) for scale in chosen)
    return Interpretation(
        name=name, value=value, standard_error=error, readings=readings, notes=notes
    )


def _reading(
    scale: BandScale, value: float, error: float, ends: tuple[float, float] | None
) -> BandReading:
    reading = BandReading(
        scale=scale,
        band=scale.band(value),
        span=None if ends is None else _span(scale, *ends),
    )
    if not error > 0:
        return reading
    probabilities, cumulative = scale.probabilities(value, error), 0.0
    for label in reversed(probabilities):
        cumulative += probabilities[label]
        if cumulative >= ENOUGH:
            break
    return replace(
        reading,
        probabilities=MappingProxyType(probabilities),
        at_least=label,
        certainty=min(cumulative, 1.0),
    )


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
        raise InvalidArgument("stats.not-a-number", type=type(estimate).__name__) from None
    if value > 1 + ROUNDING:
        raise InvalidArgument("stats.above-1", value=value)
    return value


def _error(estimate: Estimate | float, stated: float | None) -> float:
    if stated is None:
        interval = estimate.interval if isinstance(estimate, Estimate) else None
        return math.nan if interval is None else interval.standard_error
    if not 0 < stated < math.inf:
        raise InvalidArgument("stats.standard-error", argument="standard_error", value=stated)
    return float(stated)


def _choose_scales(
    estimate: Estimate | float, scales: Scales
) -> tuple[tuple[BandScale, ...], tuple[str, ...]]:
    if scales is not None:
        several = [scales] if isinstance(scales, str | BandScale) else list(scales)
        return tuple(_find_scale(scale) for scale in several), ()
    if not isinstance(estimate, Estimate):
        raise InvalidArgument("stats.scales-needed", allowed=BANDS)
    if estimate.name in WITHOUT_BANDS:
        return (), (Note(WITHOUT_BANDS[estimate.name]),)
    for kind, coefficients in COEFFICIENTS.items():
        if estimate.name.startswith(coefficients):
            return tuple(BANDS[name] for name in kind), ()
    return (), (Note("stats.no-bands", name=estimate.name),)


def _find_scale(scale: str | BandScale) -> BandScale:
    if isinstance(scale, BandScale):
        return scale
    if scale not in BANDS:
        raise InvalidArgument("stats.unknown", argument="scales", value=scale, allowed=BANDS)
    return BANDS[scale]
