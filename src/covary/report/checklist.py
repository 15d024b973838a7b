"""What a reader must be told: the six shortcomings of reports, and the fifteen items of GRRAS.

Each is answered from what the ratings and the coefficients say, or from facts that the researcher
supplies. What neither of them says is unknown, with what to write.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from covary.analysis.comparison import Reliability
from covary.analysis.forensics.findings import Findings
from covary.ratings import Ratings
from covary.report.contents import Block, Column, Paragraph, Table
from covary.report.facts import (
    ANSWERS,
    Answer,
    Answers,
    Facts,
    State,
    collection,
    device,
    independent,
    interpreted,
    named,
    numbers,
    suited,
    title,
    told,
    uncertain,
)
from covary.report.references import cited

__all__ = ["ANSWERS", "Check", "checklist", "grras", "shortcomings"]


@dataclass(frozen=True)
class Check:
    """One thing that a report should say: whether it does, and why or what to write."""

    key: str
    question: str
    state: State
    why: str


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
    source = f"Reporting shortcomings ({cited(['amidei'])})"
    return (
        Paragraph(_summary([*six, *fifteen])),
        _table("shortcomings", source, six),
        _table(
            "grras", f"GRRAS, reliability and agreement studies ({cited(['kottner'])})", fifteen
        ),
    )


def shortcomings(
    reliability: Reliability,
    ratings: Ratings,
    findings: Findings | None,
    answers: Answers = None,
) -> tuple[Check, ...]:
    """Check a report for the six shortcomings that Amidei, Piwek & Willis (2019) found."""
    facts = Facts.of(reliability, ratings, findings, answers)
    return (
        _check("coefficient", "Is the coefficient named?", named(facts)),
        _check("collection", "Is it said how the ratings were collected?", collection(facts)),
        _check("level", "Does the coefficient suit the level of the scale?", suited(facts)),
        _check("items", "Is the number of items given?", numbers(facts)),
        _check("independence", "Is it said whether judges worked alone?", independent(facts)),
        _check("interpretation", "Is the scale of interpretation named, and the result discussed?",
               interpreted(facts)),
    )  # fmt: skip


def grras(
    reliability: Reliability,
    ratings: Ratings,
    findings: Findings | None,
    answers: Answers = None,
) -> tuple[Check, ...]:
    """Check a report for the fifteen items of GRRAS (Kottner et al. 2011)."""
    facts = Facts.of(reliability, ratings, findings, answers)
    return (
        _check("1 title", "Do title or abstract speak of reliability or agreement?", title(facts)),
        _check("2 device", "Is the scale named and described?", device(facts)),
        _check("3 items", "Is it said what the items stand for?", told(facts, "population")),
        _check("4 judges", "Is it said whom the judges stand for?", told(facts, "judges")),
        _check("5 background", "Is it said what is known already?", told(facts, "background")),
        _check("6 size", "Is it said how the numbers of items and judges were chosen?",
               told(facts, "sample_size")),
        _check("7 sampling", "Is it said how they were drawn?", told(facts, "sampling")),
        _check("8 process", "Is the process of rating described?", told(facts, "process")),
        _check("9 independence", "Is it said whether ratings were independent?",
               independent(facts)),
        _check("10 analysis", "Is the statistical analysis described?", named(facts)),
        _check("11 numbers", "Are the actual numbers of items, judges and ratings given?",
               numbers(facts)),
        _check("12 characteristics", "Are judges and items described?",
               told(facts, "experience")),
        _check("13 uncertainty", "Do the coefficients have intervals?", uncertain(facts)),
        _check("14 relevance", "Is it discussed what the results mean in practice?",
               told(facts, "discussion")),
        _check("15 details", "Can the detailed results be had?", told(facts, "data")),
    )  # fmt: skip


def _check(key: str, question: str, answer: Answer) -> Check:
    return Check(key, question, *answer)


def _summary(checks: Sequence[Check]) -> str:
    times = Counter(check.state for check in checks)
    said = f"{times['pass']} of {len(checks)} points are answered"
    failed = f"{times['fail']} {'fails' if times['fail'] == 1 else 'fail'}"
    return (
        f"{said}, {failed} and {times['unknown']} cannot be known from ratings. Each of these says "
        "what to write; facts given as answers are filled in."
    )


def _table(key: str, caption: str, checks: Sequence[Check]) -> Table:
    columns = tuple(Column(heading, "left") for heading in ("point", "question", "state", "why"))
    rows = tuple((check.key, check.question, check.state, check.why) for check in checks)
    return Table(key, caption, columns, rows)
