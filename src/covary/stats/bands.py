"""Published bands: words for the size of a coefficient, with their exact boundary rules.

Bands are conventions. Their authors call them arbitrary, they disagree with each other, and what is
enough depends on the task and on what a wrong conclusion costs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from covary.stats.distributions import normal_cdf

__all__ = ["BANDS", "Band", "BandScale"]


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


_LOWEST = -math.inf

PUBLISHED: tuple[BandScale, ...] = (
    BandScale(
        "krippendorff",
        "Krippendorff (1980)",
        "Krippendorff, K. (1980). Content analysis: an introduction to its methodology. Sage.",
        (
            Band("discard", _LOWEST, 0.67, "()"),
            Band("tentative", 0.67, 0.8, "[)"),
            Band("good", 0.8, 1, "[]"),
        ),
    ),
    BandScale(
        "landis-koch",
        "Landis & Koch (1977)",
        "Landis, J. R. & Koch, G. G. (1977). The measurement of observer agreement for "
        "categorical data. Biometrics 33, 159-174.",
        (
            Band("poor", _LOWEST, 0, "()"),
            Band("slight", 0, 0.2, "[]"),
            Band("fair", 0.2, 0.4, "(]"),
            Band("moderate", 0.4, 0.6, "(]"),
            Band("substantial", 0.6, 0.8, "(]"),
            Band("almost perfect", 0.8, 1, "(]"),
        ),
    ),
    BandScale(
        "rosenthal",
        "Rosenthal (1996)",
        "Rosenthal, J. A. (1996). Qualitative descriptors of strength of association and "
        "effect size. Journal of Social Service Research 21(4), 37-59.",
        (
            Band("negligible", 0, 0.1, "[)"),
            Band("small", 0.1, 0.3, "[)"),
            Band("medium", 0.3, 0.5, "[)"),
            Band("large", 0.5, 0.7, "[)"),
            Band("very large", 0.7, 1, "[]"),
        ),
        absolute=True,
    ),
    BandScale(
        "cohen",
        "Cohen (1988)",
        "Cohen, J. (1988). Statistical Power Analysis for the Behavioral Sciences, 2nd "
        "edition. Erlbaum.",
        (
            Band("negligible", 0, 0.1, "[)"),
            Band("small", 0.1, 0.3, "[)"),
            Band("medium", 0.3, 0.5, "[)"),
            Band("large", 0.5, 1, "[]"),
        ),
        absolute=True,
    ),
    BandScale(
        "cicchetti",
        "Cicchetti (1994)",
        "Cicchetti, D. V. (1994). Guidelines, criteria, and rules of thumb for evaluating "
        "normed and standardized assessment instruments in psychology. Psychological "
        "Assessment 6, 284-290.",
        (
            Band("poor", _LOWEST, 0.4, "()"),
            Band("fair", 0.4, 0.6, "[)"),
            Band("good", 0.6, 0.75, "[)"),
            Band("excellent", 0.75, 1, "[]"),
        ),
    ),
    BandScale(
        "koo-li",
        "Koo & Li (2016)",
        "Koo, T. K. & Li, M. Y. (2016). A guideline of selecting and reporting intraclass "
        "correlation coefficients for reliability research. Journal of Chiropractic "
        "Medicine 15, 155-163.",
        (
            Band("poor", _LOWEST, 0.5, "()"),
            Band("moderate", 0.5, 0.75, "[)"),
            Band("good", 0.75, 0.9, "[]"),
            Band("excellent", 0.9, 1, "(]"),
        ),
    ),
)
"""The published scales."""

BANDS: Mapping[str, BandScale] = MappingProxyType({scale.name: scale for scale in PUBLISHED})
"""The published scales by name."""
