"""Which coefficient suits which level of measurement, and what to use instead.

Amidei, Piwek & Willis (2019) found that 37 % of the papers that report agreement use a coefficient
that does not suit the level of their data. Each coefficient here is fine, weak or wrong at a level,
and says so in a sentence.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from covary.errors import InvalidArgument, SuitabilityWarning, warn
from covary.records import dataclass
from covary.scales import Level, Scale, as_level
from covary.words import Note

Word = Literal["ok", "warn", "refuse"]

_ALPHA = "krippendorff_alpha"
_NAMES = ("cohen_kappa", "scott_pi", "fleiss_kappa", "conger_kappa", "light_kappa")
_KAPPAS = (*_NAMES, "brennan_prediger")
_INDICES = ("fleiss_kappa_by_category", "prevalence_index", "bias_index")
_ORDERS = ("goodman_kruskal_gamma", "kendall_tau_b", "kendall_tau_c", "spearman", "kendall_w")


def _variants(kind: str, names: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"{name} ({kind})" for name in names)


FAMILIES: dict[str, tuple[str, ...]] = {
    "identity": ("percent_agreement", *_KAPPAS, "gwet_ac1", f"{_ALPHA} (nominal)", *_INDICES),
    "weighted": (
        "percent_agreement (tolerance)",
        *_variants("weighted", _KAPPAS),
        "gwet_ac2",
        f"{_ALPHA} (ordinal)",
    ),
    "rank": (*_ORDERS, "exchangeable_gamma"),
    "metric": (
        *("pearson", "icc", "fisher_icc", "cronbach_alpha"),
        *(f"{_ALPHA} ({level})" for level in ("interval", "ratio")),
    ),
    "any": (f"{_ALPHA} (own distances)", *_variants("own weights", [*_KAPPAS, "gwet_ac2"])),
}
"""The coefficients by what they use of a rating: sameness, order, ranks or distances."""


@dataclass(frozen=True)
class Suitability:
    """Whether a coefficient suits a level: `word` is "ok", "warn" or "refuse", `why` a sentence."""

    coefficient: str
    level: Level
    word: Word
    why: str = ""


_RULES: dict[tuple[str, Level], tuple[Word, str]] = {
    ("identity", Level.ORDINAL): ("warn", "stats.loses-order"),
    ("identity", Level.INTERVAL): ("refuse", "stats.counts-matches"),
    ("weighted", Level.NOMINAL): ("refuse", "stats.needs-order"),
    ("rank", Level.NOMINAL): ("refuse", "stats.needs-order"),
    ("metric", Level.NOMINAL): ("refuse", "stats.needs-numbers"),
    ("metric", Level.ORDINAL): ("warn", "stats.assumes-steps"),
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
        facts: dict[str, Any]
        facts = {"argument": "coefficient", "value": coefficient, "allowed": known}
        raise InvalidArgument("stats.coefficient-unknown", **facts)
    word, code = _RULES.get((family, min(measured, Level.INTERVAL)), ("ok", ""))
    if coefficient == f"{_ALPHA} (ratio)" and measured is Level.INTERVAL:
        word, code = "warn", "stats.needs-zero"
    why = Note(code, coefficient=coefficient) if code else ""
    return Suitability(coefficient, measured, word, why)


def check_suitability(coefficient: str, scale: Scale) -> tuple[str, ...]:
    """Refuse a coefficient that is wrong for a scale, warn of a weak one; return the note."""
    if scale.categories is not None and len(scale.categories) <= 2:
        return ()  # with two categories all levels coincide
    verdict = suitability(coefficient, scale.level)
    if verdict.word == "refuse":
        raise InvalidArgument("stats.unsuitable", why=verdict.why, level=scale.level)
    if verdict.word == "warn":
        warn(verdict.why, SuitabilityWarning)
        return (verdict.why,)
    return ()
