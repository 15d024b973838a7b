"""What a reader must be told: the six shortcomings of reports, and the fifteen items of GRRAS.

Each is answered from what the ratings and the coefficients say, or from facts that the researcher
supplies. What neither of them says is unknown, with what to write.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

from covary.analysis.forensics import Findings
from covary.analysis.reliability_result import Comparison, Reliability
from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.records import dataclass
from covary.reports.blocks import Block, Paragraph, Table, columns, table
from covary.reports.formatting import method_words, scale_words, variant
from covary.reports.references import cite
from covary.reports.reliability.methods import interpretation_scales
from covary.scales import Scale
from covary.stats.estimate import Estimate
from covary.stats.suitability import suitability
from covary.words import Note
from covary.words.reliability import ANSWERS as ANSWERS
from covary.words.reliability import QUESTIONS

State = Literal["pass", "fail", "unknown"]
Answer = tuple[State, Note]
Answers = Mapping[str, Any] | None

COPYING = "copying-judge"
"""The finding that speaks against judges having worked alone."""

ABOUT_RELIABILITY = ("reliab", "agreement", "correlat")
"""A title that holds one of these speaks of reliability."""


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Everything a check may look at."""

    reliability: Reliability
    ratings: Ratings
    findings: Findings | None
    answers: Mapping[str, Any]

    @property
    def scales(self) -> list[Scale]:
        """The scale of every criterion."""
        return [criterion.scale for criterion in self.reliability.criteria]

    @property
    def scale_words(self) -> str:
        """Every scale in words, each once."""
        return "; ".join(dict.fromkeys(scale_words(scale) for scale in self.scales))

    @property
    def undeclared(self) -> bool:
        """Whether a scale was only seen in the ratings."""
        return not all(scale.declared for scale in self.scales)

    @property
    def estimates(self) -> list[Estimate]:
        """Agreement and, where there is one, correlation of every criterion."""
        criteria = self.reliability.criteria
        return [side.estimate for criterion in criteria for side in criterion.overall.sides]


@dataclass(frozen=True, kw_only=True)
class Check:
    """One thing that a report should say: whether it does, and why or what to write."""

    key: str
    state: State
    why: Note

    @property
    def question(self) -> str:
        """What is asked."""
        return QUESTIONS[self.key]


def checklist(
    reliability: Reliability,
    ratings: Ratings,
    findings: Findings | None,
    answers: Answers = None,
) -> tuple[Block, ...]:
    """Write both checklists as tables.

    Parameters
    ----------
    reliability, ratings, findings
        What is reported, the ratings it comes from, and what a check of them found.
    answers
        Facts that ratings do not hold, by the names in `ANSWERS`:
        `{"independent": True, "recruitment": "…"}`. An empty answer counts as left out of the
        paper.
    """
    six = shortcomings(reliability, ratings, findings, answers)
    fifteen = grras(reliability, ratings, findings, answers)
    states = Counter(check.state for check in (*six, *fifteen))
    summary = Note(
        "checklist.summary",
        points=states.total(),
        passed=states["pass"],
        failed=states["fail"],
        unknown=states["unknown"],
    )
    kottner = f"GRRAS, reliability and agreement studies ({cite(['kottner'])})"
    return (
        Paragraph(summary),
        _table("shortcomings", f"Reporting shortcomings ({cite(['amidei'])})", six),
        _table("grras", kottner, fifteen),
    )


def _table(key: str, caption: str, checks: Sequence[Check]) -> Table:
    rows = [(check.key, check.question, check.state, check.why) for check in checks]
    return table(key, caption, columns("<point | <question | <state | <why"), rows)


def shortcomings(
    reliability: Reliability,
    ratings: Ratings,
    findings: Findings | None,
    answers: Answers = None,
) -> tuple[Check, ...]:
    """Check a report for the six shortcomings that Amidei, Piwek & Willis (2019) found."""
    return _checks(SHORTCOMINGS, _facts(reliability, ratings, findings, answers))


def grras(
    reliability: Reliability,
    ratings: Ratings,
    findings: Findings | None,
    answers: Answers = None,
) -> tuple[Check, ...]:
    """Check a report for the fifteen items of GRRAS (Kottner et al. 2011)."""
    return _checks(GRRAS, _facts(reliability, ratings, findings, answers))


def _checks(points: Mapping[str, Callable[[Facts], Answer]], facts: Facts) -> tuple[Check, ...]:
    answers = {key: answer(facts) for key, answer in points.items()}
    return tuple(Check(key=key, state=state, why=why) for key, (state, why) in answers.items())


def _facts(
    reliability: Reliability, ratings: Ratings, findings: Findings | None, answers: Answers
) -> Facts:
    """Put the facts together; refuse answers that nobody asked for."""
    known = dict(answers or {})
    strange = [key for key in known if key not in ANSWERS]
    if strange:
        raise InvalidArgument(
            "checklist.unasked", argument="answers", value=strange, allowed=ANSWERS
        )
    return Facts(reliability=reliability, ratings=ratings, findings=findings, answers=known)


def supplied_answer(name: str, facts: Facts) -> Answer:
    """Pass on what the researcher supplied; an empty answer fails, none is unknown."""
    if name not in facts.answers:
        return "unknown", Note("checklist.not-supplied", answer=name)
    text = str(facts.answers[name] or "").strip()
    if not text:
        return "fail", Note("checklist.left-empty", answer=name)
    return "pass", Note("checklist.supplied", text=text)


def coefficient_answer(facts: Facts) -> Answer:
    """Is every value given with its coefficient?"""
    if not facts.estimates or any(not estimate.name for estimate in facts.estimates):
        return "fail", Note("checklist.coefficient-nameless")
    names = dict.fromkeys(variant(estimate) for estimate in facts.estimates)
    return "pass", Note("checklist.coefficients", names=tuple(names))


def collection_answer(facts: Facts) -> Answer:
    """Does the paper say how the ratings were collected?"""
    if facts.reliability.slots:
        return "fail", Note("checklist.judges-unknown")
    if facts.undeclared:
        return "fail", Note("checklist.ratings-undeclared")
    states = {name: supplied_answer(name, facts)[0] for name in ("recruitment", "guidelines")}
    missing = tuple(name for name, state in states.items() if state != "pass")
    if missing:
        state: State = "fail" if "fail" in states.values() else "unknown"
        return state, Note("checklist.collection-unknown", missing=missing)
    recruitment = facts.answers["recruitment"]
    return "pass", Note("checklist.collected", scales=facts.scale_words, recruitment=recruitment)


def level_answer(facts: Facts) -> Answer:
    """Do the main coefficients suit the levels of the scales?"""
    if any(scale.level_guessed for scale in facts.scales):
        return "unknown", Note("checklist.level-guessed")
    if not all(estimate.name for estimate in facts.estimates):
        return "unknown", Note("checklist.level-of-nameless")
    wrong = [
        why
        for criterion in facts.reliability.criteria
        for why in _unsuited(criterion.overall, criterion.scale)
    ]
    if wrong:
        return "fail", Note("checklist.unsuited", why=wrong[0])
    levels = dict.fromkeys(str(scale.level) for scale in facts.scales)
    return "pass", Note("checklist.suited", levels=tuple(levels))


def _unsuited(overall: Comparison, scale: Scale) -> list[str]:
    """Why the main coefficients do not suit a scale; with two categories all levels coincide."""
    if scale.categories is not None and len(scale.categories) <= 2:
        return []
    suited = [suitability(_form(side.estimate), scale.level) for side in overall.sides]
    return [answer.why for answer in suited if answer.word != "ok"]


def _form(estimate: Estimate) -> str:
    """A coefficient's name as the table of suitability has it."""
    distance = estimate.settings.get("distance")
    if distance is not None:
        known = ("nominal", "ordinal", "interval", "ratio")
        return f"{estimate.name} ({distance if distance in known else 'own distances'})"
    weights = estimate.settings.get("weights", "identity")
    weighted = weights != "identity" and estimate.name != "gwet_ac2"
    return f"{estimate.name} (weighted)" if weighted else estimate.name


def numbers_answer(facts: Facts) -> Answer:
    """Are the numbers of items, judges and ratings given?"""
    criteria = facts.reliability.criteria
    if not criteria or any(criterion.n_items < 1 for criterion in criteria):
        return "fail", Note("checklist.no-items")
    counts = dict.fromkeys((part.n_items, part.n_judges, part.n_ratings) for part in criteria)
    return "pass", Note(
        "checklist.numbers",
        counts=tuple(counts),
        slots=facts.reliability.slots,
        everywhere=len(counts) == 1 < len(criteria),
    )


def independence_answer(facts: Facts) -> Answer:
    """Is it said whether judges worked alone, and do the ratings agree?"""
    stated = facts.answers.get("independent")
    if stated is None:
        return supplied_answer("independent", facts)
    if stated == "":
        return "fail", Note("checklist.left-empty", answer="independent")
    if not stated:
        return "pass", Note("checklist.not-independent")
    copied = [finding.title for finding in facts.findings or () if finding.code == COPYING]
    if copied:
        return "fail", Note("checklist.copied", title=copied[0])
    return "pass", Note("checklist.independent")


def interpretation_answer(facts: Facts) -> Answer:
    """Are the scales of interpretation named and the results discussed?"""
    scales = tuple(scale.title for scale in interpretation_scales(facts.estimates))
    if not scales:
        return "fail", Note("checklist.uninterpretable")
    state, why = supplied_answer("discussion", facts)
    discussed = state == "pass"
    return state, Note("checklist.interpreted", scales=scales, discussed=discussed, discussion=why)


def title_answer(facts: Facts) -> Answer:
    """Do title or abstract speak of reliability?"""
    state, why = supplied_answer("title", facts)
    title = str(facts.answers.get("title") or "").strip()
    if state != "pass" or any(word in title.lower() for word in ABOUT_RELIABILITY):
        return state, why
    return "fail", Note("checklist.title-silent", text=title)


def device_answer(facts: Facts) -> Answer:
    """Is the scale described?"""
    if facts.undeclared:
        return "fail", Note("checklist.scale-undeclared")
    return "pass", Note("checklist.scales", scales=facts.scale_words)


def uncertainty_answer(facts: Facts) -> Answer:
    """Do the main coefficients have intervals?"""
    defined = [estimate for estimate in facts.estimates if estimate.defined]
    if not defined:
        return "fail", Note("checklist.no-value")
    intervals = [estimate.interval for estimate in defined if estimate.interval is not None]
    if len(intervals) < len(defined):
        return "fail", Note("checklist.no-interval")
    methods = dict.fromkeys(method_words(interval) for interval in intervals)
    return "pass", Note("checklist.intervals", methods=tuple(methods))


SHORTCOMINGS: Mapping[str, Callable[[Facts], Answer]] = {
    "coefficient": coefficient_answer,
    "collection": collection_answer,
    "level": level_answer,
    "items": numbers_answer,
    "independence": independence_answer,
    "interpretation": interpretation_answer,
}

GRRAS: Mapping[str, Callable[[Facts], Answer]] = {
    "1 title": title_answer,
    "2 device": device_answer,
    "3 items": partial(supplied_answer, "population"),
    "4 judges": partial(supplied_answer, "judges"),
    "5 background": partial(supplied_answer, "background"),
    "6 size": partial(supplied_answer, "sample_size"),
    "7 sampling": partial(supplied_answer, "sampling"),
    "8 process": partial(supplied_answer, "process"),
    "9 independence": independence_answer,
    "10 analysis": coefficient_answer,
    "11 numbers": numbers_answer,
    "12 characteristics": partial(supplied_answer, "experience"),
    "13 uncertainty": uncertainty_answer,
    "14 relevance": partial(supplied_answer, "discussion"),
    "15 details": partial(supplied_answer, "data"),
}
