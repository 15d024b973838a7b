"""Which coefficient suits which level of measurement, and what to use instead.

Amidei, Piwek & Willis (2019) found that 37 % of the papers that report agreement use a coefficient
that does not suit the level of their data. Each coefficient here is fine, weak or wrong at a level,
and says so in a sentence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from covary.errors import InvalidArgument, SuitabilityWarning, listed, meant, warn
from covary.scales import Level, Scale, as_level

__all__ = ["FAMILIES", "Suitability", "check_suitability", "suitability"]

Word = Literal["ok", "warn", "refuse"]

FAMILIES: dict[str, tuple[str, ...]] = {
    "identity": (
        "percent_agreement", "cohen_kappa", "scott_pi", "fleiss_kappa", "conger_kappa",
        "light_kappa", "brennan_prediger", "gwet_ac1", "krippendorff_alpha (nominal)",
        "fleiss_kappa_by_category", "prevalence_index", "bias_index",
    ),
    "weighted": (
        "percent_agreement (tolerance)", "cohen_kappa (weighted)", "scott_pi (weighted)",
        "fleiss_kappa (weighted)", "conger_kappa (weighted)", "light_kappa (weighted)",
        "brennan_prediger (weighted)", "gwet_ac2", "krippendorff_alpha (ordinal)",
    ),
    "rank": ("goodman_kruskal_gamma", "kendall_tau_b", "spearman", "kendall_w",
             "exchangeable_gamma"),
    "metric": (
        "pearson", "icc", "fisher_icc", "cronbach_alpha", "krippendorff_alpha (interval)",
        "krippendorff_alpha (ratio)",
    ),
    "any": ("krippendorff_alpha (own distances)", "cohen_kappa (own weights)",
            "scott_pi (own weights)", "fleiss_kappa (own weights)", "conger_kappa (own weights)",
            "light_kappa (own weights)", "brennan_prediger (own weights)",
            "gwet_ac2 (own weights)"),
}  # fmt: skip
"""The coefficients by what they use of a rating: sameness, order, ranks or distances."""

LOSES_ORDER = (
    "treats a near miss like the opposite end of the scale, so it loses the order of the ratings; "
    "krippendorff_alpha(level='ordinal'), a weighted kappa or gwet_ac2 keep it"
)
NEEDS_ORDER = (
    "needs ordered ratings, and these are names; use krippendorff_alpha, fleiss_kappa or gwet_ac1"
)
NEEDS_NUMBERS = (
    "needs distances between ratings, and these are names; use krippendorff_alpha(level='nominal')"
)
ASSUMES_STEPS = (
    "assumes that neighbouring categories are equally far apart, which ordered categories do not "
    "say; krippendorff_alpha(level='ordinal'), goodman_kruskal_gamma or spearman do not assume it"
)
NEEDS_CATEGORIES = (
    "counts exact matches, which are an accident on a continuous scale (the mismatch that Amidei "
    "et al. 2019 found in 37 % of papers); use krippendorff_alpha(level='interval') or icc, or "
    "sort the ratings into categories yourself first"
)


@dataclass(frozen=True)
class Suitability:
    """Whether a coefficient suits a level: `word` is "ok", "warn" or "refuse", `why` a sentence."""

    coefficient: str
    level: Level
    word: Word
    why: str = ""


_RULES: dict[tuple[str, Level], tuple[Word, str]] = {
    ("identity", Level.ORDINAL): ("warn", LOSES_ORDER),
    ("identity", Level.INTERVAL): ("refuse", NEEDS_CATEGORIES),
    ("weighted", Level.NOMINAL): ("refuse", NEEDS_ORDER),
    ("rank", Level.NOMINAL): ("refuse", NEEDS_ORDER),
    ("metric", Level.NOMINAL): ("refuse", NEEDS_NUMBERS),
    ("metric", Level.ORDINAL): ("warn", ASSUMES_STEPS),
}


def suitability(coefficient: str, level: Level | str) -> Suitability:
    """Say whether a coefficient suits a level of measurement, and why not.

    Parameters
    ----------
    coefficient
        A coefficient's name, with its variant where that matters: `"fleiss_kappa"`,
        `"fleiss_kappa (weighted)"`, `"krippendorff_alpha (ordinal)"`.
    level
        The level of the scale that the ratings were given on.

    Examples
    --------
    >>> suitability("pearson", "nominal").word
    'refuse'
    >>> suitability("fleiss_kappa", "ordinal").word
    'warn'
    """
    measured = as_level(level)
    family = next((f for f, names in FAMILIES.items() if coefficient in names), None)
    if family is None:
        known = [name for names in FAMILIES.values() for name in names]
        raise InvalidArgument(
            f"coefficient={coefficient!r} is not known; it can be {listed(known, 40)}"
            f"{meant(coefficient, known)}"
        )
    word, why = _RULES.get((family, min(measured, Level.INTERVAL)), ("ok", ""))
    if coefficient == "krippendorff_alpha (ratio)" and measured is Level.INTERVAL:
        word, why = "warn", "needs a true zero, which an interval scale does not have"
    return Suitability(coefficient, measured, word, f"{coefficient} {why}" if why else "")


def check_suitability(coefficient: str, scale: Scale) -> tuple[str, ...]:
    """Refuse a coefficient that is wrong for a scale, warn of a weak one; return the note."""
    if scale.categories is not None and len(scale.categories) <= 2:
        return ()  # with two categories all levels coincide
    verdict = suitability(coefficient, scale.level)
    if verdict.word == "refuse":
        raise InvalidArgument(f"{verdict.why} (the scale is {scale.level})")
    if verdict.word == "warn":
        warn(verdict.why, SuitabilityWarning)
        return (verdict.why,)
    return ()
