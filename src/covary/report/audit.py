"""What an audit of printed numbers found, in every form."""

from __future__ import annotations

import csv
import io
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, ClassVar

from covary.analysis.published import Audit, CheckedNumber, Part
from covary.analysis.published.numbers import VERDICTS
from covary.report.contents import Block, Column, Contents, Paragraph, Section, Table
from covary.report.document import Document
from covary.report.wording import capital
from covary.version import __version__

__all__ = ["AuditReport", "audit_report"]

COLUMNS = (
    "title", "kind", "place", "row", "column", "printed", "expected", "verdict", "condition",
    "arithmetic",
)  # fmt: skip
"""The columns of the table for spreadsheets."""

WIDTH = 96

MANY = 4
"""From so many numbers on with the same condition, the short form counts them."""

LIMITS = (
    "A verdict is about arithmetic. A number that does not fit shows that something that is "
    "printed is not as it is said; it does not show which number, nor why. A number that fits may "
    "still be wrong."
)


@dataclass(frozen=True, repr=False)
class AuditReport(Document):
    """Audits and their forms; `audits` has one for each file of numbers."""

    audits: tuple[Audit, ...]
    contents: Contents
    in_notebooks: ClassVar[tuple[str, ...]] = ("found",)

    def to_dict(self) -> dict[str, Any]:
        """Return everything that was found as plain values, not rounded."""
        return {
            "software": f"covary {__version__}",
            "audits": [audit.to_dict() for audit in self.audits],
        }

    def csv(self) -> str:
        """Return a row for each number."""
        written = io.StringIO()
        writer = csv.DictWriter(written, COLUMNS, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        for audit in self.audits:
            for number in audit.numbers:
                writer.writerow({"title": audit.title} | number.to_dict())
        return written.getvalue()

    def short(self, *, everything: bool = False) -> str:
        """Return the short form for a terminal: each check, and the numbers that do not fit.

        With `everything`, those that fit are shown too.
        """
        told = ["\n".join(_audit_lines(audit, everything)) for audit in self.audits]
        if len(told) > 1:
            told.append("\n".join(_together(self.audits)))
        return "\n\n".join(told)

    def __repr__(self) -> str:
        return f"AuditReport({', '.join(repr(audit.title) for audit in self.audits)})"


def audit_report(audits: Sequence[Audit], *, title: str = "") -> AuditReport:
    """Write down what audits found.

    Examples
    --------
    >>> from covary.analysis.published import audit
    >>> print(audit_report([audit("banchs-2016")]).short().splitlines()[0])
    Banchs (2016): 12 printed numbers checked: 1 does not fit, 1 fits on a condition, 10 fit.
    """
    named = title or (
        "Do the printed numbers fit?"
        if len(audits) != 1
        else f"Do the numbers of {audits[0].title} fit?"
    )
    sections = [_found(audits), *(_section(place, audit) for place, audit in enumerate(audits))]
    contents = Contents(named, _all(audits), tuple(sections))
    return AuditReport(tuple(audits), contents)


def _all(audits: Sequence[Audit]) -> str:
    numbers = [number for audit in audits for number in audit.numbers]
    return Audit("", "", (Part("", "", "", tuple(numbers)),)).summary


def _found(audits: Sequence[Audit]) -> Section:
    """What a reader looks for first: what does not fit, then what fits on a condition."""
    rows = tuple(
        (_of(audit, audits, number.where), number.printed, number.expected, _because(number, part))
        for audit in audits
        for part in audit.parts
        for number in part.numbers
        if number.verdict == "does not fit"
    )
    columns = (
        Column("where", "left"), Column("printed"), Column("should be", "left"),
        Column("because", "left"),
    )  # fmt: skip
    blocks: list[Block] = [Paragraph(LIMITS, "note")]
    if rows:
        blocks.append(Table("misfits", "Numbers that do not fit", columns, rows))
    else:
        blocks.append(Paragraph("No number was found that does not fit.", "lead"))
    blocks += _conditions(audits)
    return Section("found", "What does not fit", tuple(blocks))


def _because(number: CheckedNumber, part: Part) -> str:
    return f"{number.arithmetic}. {part.remark}" if part.remark else number.arithmetic


def _conditions(audits: Sequence[Audit]) -> Iterator[Block]:
    """The conditions on which numbers fit, counted for each check."""
    rows = [
        (_of(audit, audits, part.place), _examples(numbers), condition)
        for audit in audits
        for part in audit.parts
        for condition, numbers in _by_condition(part)
    ]
    if rows:
        columns = (
            Column("where", "left"),
            Column("numbers", "left"),
            Column("fit only if", "left"),
        )
        yield Table("conditions", "Numbers that fit on a condition", columns, tuple(rows))


def _by_condition(part: Part) -> list[tuple[str, list[CheckedNumber]]]:
    some = [number for number in part.numbers if number.verdict == "fits only if"]
    ordered = sorted(some, key=lambda number: number.condition)
    return [(condition, list(each)) for condition, each in groupby(ordered, lambda n: n.condition)]


def _examples(numbers: Sequence[CheckedNumber]) -> str:
    shown = ", ".join(number.printed for number in numbers[:MANY])
    return shown if len(numbers) <= MANY else f"{shown} and {len(numbers) - MANY} more"


def _of(audit: Audit, audits: Sequence[Audit], place: str) -> str:
    return place if len(audits) == 1 else f"{audit.title}, {place}"


def _section(place: int, audit: Audit) -> Section:
    blocks: list[Block] = [Paragraph(audit.summary, "lead")]
    if audit.source:
        blocks.append(Paragraph(audit.source, "note"))
    for number, (alone, group) in enumerate(groupby(audit.parts, _stands_alone)):
        key = f"numbers-{place}-{number}"
        blocks += [_alone(key, list(group))] if alone else _tables(key, list(group))
    return Section(f"audit-{place}", audit.title, tuple(blocks))


def _stands_alone(part: Part) -> bool:
    """Whether a check is about one number, which shares its table with others."""
    return len(part.numbers) == 1 and part.kind != "survey"


def _alone(key: str, parts: Sequence[Part]) -> Table:
    rows = tuple((part.place, *_cells(part.numbers[0])) for part in parts)
    remarks = [f"{capital(part.place)}: {part.remark}" for part in parts if part.remark]
    title = "Single numbers" if len(parts) > 1 else capital(parts[0].place)
    return Table(key, title, _columns("where"), rows, _note(*remarks))


def _tables(key: str, parts: Sequence[Part]) -> Iterator[Table]:
    for number, part in enumerate(parts):
        survey = part.kind == "survey"
        columns = (Column("what", "left"), Column("found", "left"), Column("from", "left"))
        rows = tuple(_row(each, survey) for each in part.numbers)
        yield Table(
            f"{key}-{number}",
            capital(part.place),
            columns if survey else _columns("where"),
            rows,
            _note(part.conclusion, part.remark),
        )


def _columns(first: str) -> tuple[Column, ...]:
    return (
        Column(first, "left"), Column("printed"), Column("should be", "left"),
        Column("verdict", "left"), Column("because", "left"),
    )  # fmt: skip


def _row(number: CheckedNumber, survey: bool) -> tuple[str, ...]:
    where = ", ".join(part for part in (number.row, number.column) if part)
    return (where, number.expected, number.arithmetic) if survey else (where, *_cells(number))


def _cells(number: CheckedNumber) -> tuple[str, ...]:
    return number.printed, number.expected, number.judged, number.arithmetic


def _note(*sentences: str) -> str:
    return " ".join(f"{sentence.rstrip('.')}." for sentence in sentences if sentence)


def _audit_lines(audit: Audit, everything: bool) -> Iterator[str]:
    yield from _wrapped(f"{audit.title}: {audit.summary}", 0)
    if audit.source:
        yield from _wrapped(audit.source, 2)
    for part in audit.parts:
        yield ""
        yield from _part_lines(part, everything)


def _together(audits: Sequence[Audit]) -> Iterator[str]:
    """Say at the end, where a terminal stops, what does not fit in all of it."""
    yield from _wrapped(f"All together: {_all(audits)}", 0)
    for audit in audits:
        for number in audit.misfits:
            shown = f"{audit.title}, {number.where}: {number.printed} → {number.expected}"
            yield from _wrapped(f"- {shown}", 2, 2)


def _part_lines(part: Part, everything: bool) -> Iterator[str]:
    yield from _wrapped(f"{_worst(part):13} {part.place}", 2, 14)
    yield from _wrapped(part.conclusion, 16)
    if part.remark:
        yield from _wrapped(f"({part.remark.rstrip('.')}.)", 16)
    if part.kind == "additive-f" and not everything:
        yield from _factor_lines(part)
        return
    several = len(part.numbers) > 1
    for number in part.numbers:
        if _told(part, number, everything) and (several or everything):
            yield from _number_lines(number)
    if not everything:
        yield from _counted_lines(part)


def _factor_lines(part: Part) -> Iterator[str]:
    """Each factor's printed and derived F-ratios."""
    for row in dict.fromkeys(number.row for number in part.numbers):
        line = [number for number in part.numbers if number.row == row]
        shown = "; ".join(f"{n.column}: {n.printed} → {n.expected}" for n in line)
        yield from _wrapped(f"- {row}: {shown}", 16, 2)


def _told(part: Part, number: CheckedNumber, everything: bool) -> bool:
    """Whether the short form shows a number by itself."""
    if everything or number.verdict == "does not fit" or part.kind == "survey":
        return True
    same = sum(n.judged == number.judged for n in part.numbers)
    return number.verdict == "fits only if" and same < MANY


def _counted_lines(part: Part) -> Iterator[str]:
    for condition, numbers in _by_condition(part):
        if len(numbers) >= MANY:
            yield from _wrapped(f"{len(numbers)} fit only if {condition}.", 16)


def _number_lines(number: CheckedNumber) -> Iterator[str]:
    where = ", ".join(part for part in (number.row, number.column) if part)
    said = {"derived": f"{number.printed} → {number.expected}".removeprefix(" → ")}
    text = said.get(number.verdict, f"{number.printed} {number.judged}")
    shown = f"{where}: {text}" if where else text
    if number.verdict == "does not fit":
        shown += f" → {number.expected}"
    yield from _wrapped(f"- {shown}", 16, 2)
    if number.kind != "survey":
        yield from _wrapped(number.arithmetic, 20)


def _worst(part: Part) -> str:
    found = {number.verdict for number in part.numbers}
    return next((verdict for verdict in VERDICTS if verdict in found), "").replace(
        "fits only if", "on condition"
    )


def _wrapped(text: str, indent: int, hang: int = 0) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + hang),
        break_long_words=False,
        break_on_hyphens=False,
    )
