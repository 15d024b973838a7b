"""What can be said about a study: from its ratings and coefficients, or by the researcher alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from covary.analysis.comparison import Comparison, Reliability
from covary.analysis.forensics.findings import Findings
from covary.errors import InvalidArgument, listed
from covary.ratings import Ratings
from covary.report.methods import interpretation_scales
from covary.report.wording import capital, counted, listing, method_words, scale_words, variant
from covary.scales import ObservedScale, Scale
from covary.stats.estimate import Estimate
from covary.stats.suitability import suitability

__all__ = [
    "ANSWERS", "Answer", "Answers", "Facts", "State",
    "collection", "device", "independent", "interpreted", "named",
    "numbers", "suited", "title", "told", "uncertain",
]  # fmt: skip

State = Literal["pass", "fail", "unknown"]
Answer = tuple[State, str]
Answers = Mapping[str, Any] | None

COPYING = "copying-judge"
"""The finding that speaks against judges having worked alone."""

ANSWERS: Mapping[str, str] = MappingProxyType(
    {
        "title": "in title or abstract that reliability or agreement was studied",
        "population": "what the items are examples of, such as the systems and their inputs",
        "judges": "who could have been a judge, such as native speakers or paid crowd workers",
        "background": "what is known already about the reliability of such ratings",
        "sample_size": "how the numbers of items and judges were chosen",
        "sampling": "how items and judges were drawn from those that were possible",
        "recruitment": "how the judges were found, instructed and paid",
        "guidelines": "what the judges were told, or where that can be read",
        "process": "in which order and how far apart items were rated, what judges could not see",
        "independent": "whether each judge worked without seeing other ratings (True or False)",
        "experience": "the judges' training and experience, and the items' characteristics",
        "discussion": "what the coefficients mean for the conclusions of the study",
        "data": "where the ratings and the detailed results can be had",
    }
)
"""The facts that only the researcher knows, by the name under which they are supplied."""


@dataclass(frozen=True)
class Facts:
    """Everything a check may look at."""

    reliability: Reliability
    ratings: Ratings
    findings: Findings | None
    answers: Mapping[str, Any]

    @classmethod
    def of(
        cls,
        reliability: Reliability,
        ratings: Ratings,
        findings: Findings | None,
        answers: Answers,
    ) -> Facts:
        """Put the facts together; refuse answers that nobody asked for."""
        given = dict(answers or {})
        strange = [key for key in given if key not in ANSWERS]
        if strange:
            raise InvalidArgument(
                f"answers={listed(strange)} is not asked for; it can be {listed(ANSWERS, 20)}"
            )
        return cls(reliability, ratings, findings, given)

    @property
    def scales(self) -> list[Scale]:
        """The scale of every criterion."""
        return [each.scale for each in self.reliability.criteria]

    @property
    def estimates(self) -> list[Estimate]:
        """Agreement and, where there is one, correlation of every criterion."""
        overall = [each.overall for each in self.reliability.criteria]
        pairs = [(one.agreement, one.correlation) for one in overall]
        return [estimate for pair in pairs for estimate in pair if estimate is not None]


def told(facts: Facts, name: str) -> Answer:
    """Pass on what the researcher supplied; an empty answer fails, none is unknown."""
    if name not in facts.answers:
        return "unknown", f"Ratings do not tell. Write {ANSWERS[name]}."
    said = str(facts.answers[name] or "").strip()
    return ("pass", said) if said else ("fail", f"It was left empty. Write {ANSWERS[name]}.")


def named(facts: Facts) -> Answer:
    """Is every value given with its coefficient?"""
    nameless = [estimate for estimate in facts.estimates if not estimate.name]
    if nameless or not facts.estimates:
        return "fail", "A value stands without its coefficient. Write its name and variant."
    names = dict.fromkeys(variant(estimate) for estimate in facts.estimates)
    return "pass", f"{capital(listing(names))}; the methods paragraph and the signatures say how."


def collection(facts: Facts) -> Answer:
    """Is it said how the ratings were collected?"""
    if facts.reliability.slots:
        return "fail", "It is not recorded which judge gave which rating. Write why."
    if any(isinstance(scale, ObservedScale) for scale in facts.scales):
        return "fail", "The scale was not declared. Write which ratings were possible."
    wanted = ("recruitment", "guidelines")
    states = {name: told(facts, name)[0] for name in wanted}
    missing = [ANSWERS[name] for name in wanted if states[name] != "pass"]
    if not missing:
        return "pass", f"{capital(_scales(facts))}; {facts.answers['recruitment']}."
    state: State = "fail" if "fail" in states.values() else "unknown"
    return state, f"The scale is known, the rest is not. Write {'; and '.join(missing)}."


def suited(facts: Facts) -> Answer:
    """Do the main coefficients suit the levels of the scales?"""
    if any(isinstance(scale, ObservedScale) and scale.guessed for scale in facts.scales):
        return "unknown", "The level was guessed from the ratings. Declare it with the scale."
    if not all(estimate.name for estimate in facts.estimates):
        return "unknown", "A value stands without its coefficient."
    wrong = [
        why for each in facts.reliability.criteria for why in _unsuited(each.overall, each.scale)
    ]
    if wrong:
        return "fail", f"{capital(wrong[0])}."
    levels = dict.fromkeys(str(scale.level) for scale in facts.scales)
    return "pass", f"{capital(listing(levels))} ratings, and coefficients made for them."


def _unsuited(overall: Comparison, scale: Scale) -> list[str]:
    """Why the main coefficients do not suit a scale; with two categories all levels coincide."""
    if scale.categories is not None and len(scale.categories) <= 2:
        return []
    estimates = [each for each in (overall.agreement, overall.correlation) if each is not None]
    judged = [suitability(_form(each), scale.level) for each in estimates]
    return [each.why for each in judged if each.word != "ok"]


def _form(estimate: Estimate) -> str:
    """A coefficient's name as the table of suitability has it."""
    distance = estimate.settings.get("distance")
    if distance is not None:
        known = ("nominal", "ordinal", "interval", "ratio")
        return f"{estimate.name} ({distance if distance in known else 'own distances'})"
    weights = estimate.settings.get("weights", "identity")
    weighted = weights != "identity" and estimate.name != "gwet_ac2"
    return f"{estimate.name} (weighted)" if weighted else estimate.name


def numbers(facts: Facts) -> Answer:
    """Are the numbers of items, judges and ratings given?"""
    criteria = facts.reliability.criteria
    if not criteria or any(each.n_items < 1 for each in criteria):
        return "fail", "A criterion has no rated item. Write how many there are."
    counts = dict.fromkeys((each.n_items, each.n_judges, each.n_ratings) for each in criteria)
    judges = "rating" if facts.reliability.slots else "judge"
    said = (
        f"{counted(items, 'item')}, {counted(n_judges, judges)}"
        f"{' at most for each' if facts.reliability.slots else ''}, {counted(total, 'rating')}"
        for items, n_judges, total in counts
    )
    each = " on each criterion" if len(counts) == 1 < len(criteria) else ""
    return "pass", f"{'; '.join(said)}{each}."


def independent(facts: Facts) -> Answer:
    """Is it said whether judges worked alone, and do the ratings agree?"""
    said = facts.answers.get("independent")
    copied = [found.title for found in facts.findings or () if found.code == COPYING]
    if said is None:
        return told(facts, "independent")
    if said == "":
        return "fail", f"It was left empty. Write {ANSWERS['independent']}."
    if not said:
        return (
            "pass",
            "Stated: not independent, so agreement does not show that others would agree.",
        )
    if copied:
        return "fail", f"Stated as independent, but the ratings speak against it: {copied[0]}"
    return "pass", "Stated: each judge worked independently."


def interpreted(facts: Facts) -> Answer:
    """Are the scales of interpretation named and the results discussed?"""
    scales = interpretation_scales(facts.estimates)
    if not scales:
        return "fail", "No coefficient has a value to interpret. Write why."
    titles = f"Read on {listing(scale.title for scale in scales)}"
    state, said = told(facts, "discussion")
    return state, f"{titles}. {said}" if state != "pass" else f"{titles}; {said}"


def title(facts: Facts) -> Answer:
    """Do title or abstract speak of reliability?"""
    state, said = told(facts, "title")
    if state != "pass" or any(word in said.lower() for word in ("reliab", "agreement", "correlat")):
        return state, said
    return "fail", f"“{said}” speaks of neither. Write that reliability was studied."


def device(facts: Facts) -> Answer:
    """Is the scale described?"""
    if any(isinstance(scale, ObservedScale) for scale in facts.scales):
        return "fail", "The scale was not declared. Write its categories and its level."
    return "pass", f"{capital(_scales(facts))}."


def _scales(facts: Facts) -> str:
    return "; ".join(dict.fromkeys(scale_words(scale) for scale in facts.scales))


def uncertain(facts: Facts) -> Answer:
    """Do the main coefficients have intervals?"""
    defined = [estimate for estimate in facts.estimates if estimate.defined]
    if not defined:
        return "fail", "No coefficient has a value."
    if any(estimate.interval is None for estimate in defined):
        return "fail", "A coefficient has no interval. Compute the report with intervals."
    words = (method_words(each.interval) for each in defined if each.interval is not None)
    return "pass", f"Intervals: {'; '.join(dict.fromkeys(words))}."
