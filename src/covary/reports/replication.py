"""A repeated study beside the first one, in every form."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, ClassVar

from covary.analysis.replication import (
    CriterionReplication,
    Matching,
    Replication,
    replication,
)
from covary.ratings import Ratings
from covary.records import dataclass
from covary.reports.blocks import (
    Block,
    Contents,
    Paragraph,
    Section,
    Table,
    columns,
    table,
    without_empty,
)
from covary.reports.document import Document, FilePath, assemble, check_path, to_terminal
from covary.reports.formatting import DASH, amount, coefficient, with_interval
from covary.reports.references import reference_list
from covary.words import Note


@dataclass(frozen=True, kw_only=True, repr=False)
class ReplicationReport(Document):
    """A repeated study beside the first one: the results, and their forms."""

    replication: Replication
    contents: Contents

    found_in: ClassVar[str] = "replication"
    in_notebooks: ClassVar[tuple[str, ...]] = ("scores", "findings")

    def short(self) -> str:
        """Return the short form for a terminal: a row for each criterion, what is upheld."""
        heads = ("criterion", "first mean", "repeat", "CV*", "r of systems", "same order")
        rows = [_brief(criterion) for criterion in self.replication.criteria]
        return to_terminal(heads, rows, [*_upheld(self.replication)])


def replication_report(
    new: Ratings,
    old: Ratings,
    path: FilePath | None = None,
    *,
    format: str | None = None,  # noqa: A002
    items: Matching = "auto",
    confidence: float = 0.95,
    rng: Any = 0,
    title: str | None = None,
) -> ReplicationReport:
    """How close is a repeated study to the first one? Compare them and write it down.

    The parameters are those of `covary.replication`, and `path`, `format` and `title` as in
    `covary.report`.
    """
    check_path(path, format, "replication_report")
    found = replication(new, old, items=items, confidence=confidence, rng=rng)
    contents = assemble(
        title or "How close is the repeat to the first study?",
        (f"{side.describe()} ({name})" for name, side in (("first", old), ("repeat", new))),
        confidence,
        [
            _findings_section(found),
            _scores_section(found),
            _labels_section(found),
            _reliability_section(found),
            _properties_section(found),
        ],
    )
    made = ReplicationReport(replication=found, contents=contents)
    return made.sealed(old, new).saved(path, format)


def _brief(part: CriterionReplication) -> tuple[str, ...]:
    whole = part.scores[0]
    systems = next((sets for sets in part.sets if sets.of == "systems"), None)
    upheld, n = part.upheld("pair")
    return (
        part.name,
        amount(whole.old),
        amount(whole.new),
        amount(whole.cv.value, 1),
        DASH if systems is None else coefficient(systems.pearson),
        f"{upheld} of {n}" if n else DASH,
    )


def _upheld(found: Replication) -> Iterator[Note]:
    """Say how many findings are upheld: pairs of systems, facts of verdicts."""
    upheld, n = found.upheld("pair")
    if n:
        share = coefficient(upheld / n)
        yield Note("replication.summary", upheld=upheld, pairs=n, share=share)
    else:
        yield Note("replication.no-systems")
    upheld, n = found.upheld("verdict")
    yield Note("replication.verdict-facts", upheld=upheld, facts=n)
    same = sum(one.same for one in found.properties)
    yield Note("replication.properties", same=same, n=len(found.properties))


def _findings_section(found: Replication) -> Section:
    blocks: list[Block] = [Paragraph(sentence) for sentence in _upheld(found)]
    heads = columns("<criterion | <finding | <first study | <repeat | <upheld")
    for kinds, key, caption in (
        (("best", "ranking", "pair"), "systems", "Order of systems"),
        (("verdict",), "verdicts", "Facts of the verdicts"),
    ):
        rows = [
            (part.name, one.about, one.old, one.new, "yes" if one.upheld else "no")
            for part in found.criteria
            for one in part.findings
            if one.kind in kinds
        ]
        if rows:
            blocks.append(table(key, caption, heads, rows))
    return Section("findings", "Which findings are upheld?", tuple(blocks))


def _scores_section(found: Replication) -> Section:
    rows = [
        (
            part.name,
            "all items" if score.system is None else str(score.system),
            amount(score.old),
            amount(score.new),
            amount(score.new - score.old),
            amount(score.cv.value, 1),
        )
        for part in found.criteria
        for score in part.scores
    ]
    heads = columns("<criterion | <mean of | first study | repeat | change | CV*")
    note = " ".join(_why_no_cv(found))
    blocks: list[Block] = [Paragraph(Note("replication.cv"))]
    blocks.append(table("scores", "Mean ratings in both studies", heads, rows, note=note))
    sets = [
        (part.name, one.of, f"{one.n:,}", coefficient(one.pearson), coefficient(one.spearman))
        for part in found.criteria
        for one in part.sets
    ]
    if sets:
        heads = columns("<criterion | <means of | n | Pearson's r | Spearman's ρ")
        blocks.append(table("sets", "Sets of mean ratings in both studies", heads, sets))
    return Section("scores", "How close are the scores?", tuple(blocks))


def _why_no_cv(found: Replication) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for part in found.criteria:
        if math.isnan(part.scores[0].cv.value):
            reasons.setdefault(part.scores[0].cv.reason, []).append(part.name)
    for reason, names in reasons.items():
        yield f"{DASH} {', '.join(names)}: {reason}."


def _labels_section(found: Replication) -> Section | None:
    rows = [
        (
            part.name,
            f"{part.shared:,}",
            with_interval(part.labels),
            with_interval(part.cross),
            _normalised(part),
        )
        for part in found.criteria
        if part.shared and (part.labels is not None or part.cross is not None)
    ]
    if not rows:
        return None
    shared = max(part.shared for part in found.criteria)
    heads = columns("<criterion | items | alpha of medians | xRR | xRR normalised")
    caption = "Agreement between the two studies on the same items"
    made = without_empty(table("labels", caption, heads, rows))
    blocks = (Paragraph(Note("replication.matched", shared=shared)), made)
    return Section("labels", "Do items get the same ratings?", blocks)


def _normalised(part: CriterionReplication) -> str:
    if part.cross is None:
        return DASH
    value = part.cross.details.get("normalised", math.nan)
    return coefficient(float(value)) if value is not None else DASH


def _reliability_section(found: Replication) -> Section:
    rows = [
        (
            part.name,
            *(with_interval(side.overall.agreement) for side in (part.old, part.new)),
            *(with_interval(side.overall.correlation) for side in (part.old, part.new)),
            part.old.overall.verdict.word,
            part.new.overall.verdict.word,
        )
        for part in found.criteria
    ]
    heads = columns(
        "<criterion | agreement, first | agreement, repeat | order, first | order, repeat | "
        "<verdict, first | <verdict, repeat"
    )
    made = without_empty(table("reliability", "Reliability of both studies", heads, rows))
    return Section("reliability", "How reliable are both?", (made,))


def _properties_section(found: Replication) -> Section:
    rows = [
        (one.name, one.old, one.new, "same" if one.same else "differs") for one in found.properties
    ]
    heads = columns("<property | <first study | <repeat | <compared")
    made: Table = table("properties", "Properties of both studies", heads, rows)
    blocks: list[Block] = [made]
    if found.missing:
        names = ", ".join(map(str, found.missing))
        blocks.append(Paragraph(f"Only one of the studies has: {names}.", "note"))
    blocks += [Paragraph(text, "note") for text in reference_list(["belz-qra", "belz-qra-plus"])]
    return Section("properties", "What is the same, and what differs?", tuple(blocks))
