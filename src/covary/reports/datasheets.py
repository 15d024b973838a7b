"""What a study hands on beside its ratings: GRRAS, a data statement, and the open questions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from covary.ratings.pattern_counts import rating_counts
from covary.reports.blocks import Bullets, Contents, Paragraph, Section
from covary.reports.formatting import listing, scale_words
from covary.reports.heds import Heds
from covary.reports.markdown import to_markdown
from covary.reports.references import cite, prose_text
from covary.reports.reliability.checklist import ANSWERS, Check, grras, shortcomings
from covary.reports.reliability.document import Report
from covary.reports.reliability.prose import methods_prose, results_prose
from covary.version import __version__

MARKS = {"pass": "said", "fail": "not right yet", "unknown": "to be written"}

HEADER = """\
# Written by covary {version}: what a paper should say and the ratings do not hold.
# Remove the # before an answer and fill it in; then: covary report FILE --answers {name}
# A study keeps the same answers in its study.toml, under [paper].
"""


def open_answers(report: Report, answers: Mapping[str, Any]) -> list[str]:
    """Return the names of the answers that a paper still needs."""
    checks = grras(report.reliability, report.ratings, report.findings, answers)
    checks += shortcomings(report.reliability, report.ratings, report.findings, answers)
    if all(check.state == "pass" for check in checks):
        return []
    return [name for name in ANSWERS if answers.get(name) in (None, "")]


def answers_file(
    report: Report, answers: Mapping[str, Any], given: Mapping[str, Any], name: str
) -> str:
    """Write the open questions as TOML to fill in, with what was `given` already.

    `answers` are all that is known, from a study too; what it knows is not asked again.
    """
    lines = [HEADER.format(version=__version__, name=name)]
    lines += [f"{key} = {_toml(value)}\n" for key, value in given.items()]
    for key in open_answers(report, answers):
        if key not in given:
            empty = "true" if key == "independent" else '""'
            lines.append(f"# Write {ANSWERS[key]}.\n# {key} = {empty}\n")
    return "\n".join(lines)


def _toml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else json.dumps(value, ensure_ascii=False)


def grras_sheet(report: Report, answers: Mapping[str, Any]) -> str:
    """Write the fifteen items of GRRAS as Markdown, each with its answer or what to write."""
    checks = grras(report.reliability, report.ratings, report.findings, answers)
    return to_markdown(
        Contents(
            f"GRRAS: {report.contents.title}",
            f"Guidelines for reporting reliability and agreement studies, {cite(['kottner'])}",
            tuple(_point(check) for check in checks),
        )
    )


def _point(check: Check) -> Section:
    number, _, name = check.key.partition(" ")
    body = Paragraph(check.why, head=f"{MARKS[check.state].capitalize()}.")
    return Section(name, f"{number}. {check.question}", (body,))


STATEMENT: Mapping[str, tuple[str, str]] = {
    "population": ("What was rated", "population"),
    "sampling": ("How items and judges were chosen", "sampling"),
    "judges": ("Who judged", "judges"),
    "recruitment": ("How judges were recruited, instructed and paid", "recruitment"),
    "experience": ("Training and experience of the judges", "experience"),
    "guidelines": ("What the judges were told", "guidelines"),
    "process": ("How the ratings came about", "process"),
    "data": ("Where the ratings are", "data"),
}
"""The headings of a data statement, and the answers that stand below them."""


def data_statement(report: Report, answers: Mapping[str, Any]) -> str:
    """Write a data statement of about one page as Markdown.

    What nobody has said yet is marked, with what to write.
    """
    sections = [
        Section("counts", "The ratings", (Paragraph(_counts(report)), *_scales(report))),
        *(
            Section(key, title, (Paragraph(_answer(answers, name)),))
            for key, (title, name) in STATEMENT.items()
        ),
        Section("reliability", "How reliable they are", (*_reliability(report),)),
    ]
    title = f"Data statement: {report.contents.title}"
    about = f"covary {__version__}; written anew with every run, from answers.toml or study.toml"
    return to_markdown(Contents(title, about, tuple(sections)))


def _counts(report: Report) -> str:
    ratings = report.ratings
    parts: dict[str, list[str]] = {}
    for count in rating_counts(ratings.frame, ratings.criteria):
        made = f" ({count.sources} sources × {count.systems} systems)" if count.crossed else ""
        judges = "" if ratings.slots else f" by {count.judges:,} judges"
        least = f"{count.least} to " if count.least != count.most else ""
        text = (
            f"{count.ratings:,} ratings of {count.items:,} items{made}{judges}, "
            f"{least}{count.most} per item."
        )
        parts.setdefault(text, []).append(str(count.criterion))
    return " ".join(
        text if ratings.criteria == (None,) else f"On {listing(names)}: {text}"
        for text, names in parts.items()
    )


def _scales(report: Report) -> Iterator[Bullets]:
    criteria = report.reliability.criteria
    yield Bullets(tuple(f"{part.name}: {scale_words(part.scale)}" for part in criteria))


def _answer(answers: Mapping[str, Any], name: str) -> str:
    text = str(answers.get(name) or "").strip()
    return text or f"To be written: {ANSWERS[name]}."


def _reliability(report: Report) -> Iterator[Paragraph]:
    yield Paragraph(prose_text(results_prose(report.reliability, report.findings)))
    yield Paragraph(prose_text(methods_prose(report.reliability, report.ratings)))


def open_heds(sheet: Heds) -> str:
    """Write what HEDS still asks as Markdown, a line for each question."""
    lines = [
        f"{question.number} {question.text}{f' ({criterion})' if criterion else ''}"
        for question, criterion in sheet.open_questions()
    ]
    about = (
        "Fill these in on the form (upload heds.json there and download it again), or in the file "
        "itself; covary keeps what you filled in when it writes the sheet again."
    )
    body = (Paragraph(about), Bullets(tuple(lines))) if lines else (Paragraph("Nothing."),)
    return to_markdown(Contents("What HEDS 3.0 still asks", "", (Section("o", "Open", body),)))
