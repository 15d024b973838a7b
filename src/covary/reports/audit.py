"""What an audit of printed numbers found, in every form."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, ClassVar

from covary.analysis.published import Audit, CheckedNumber, CheckResult
from covary.analysis.published.check import VERDICTS, count_verdicts
from covary.reports.blocks import Block, Contents, Paragraph, Section, Table, columns, table
from covary.reports.document import WIDTH, Document, to_csv
from covary.version import __version__
from covary.words import capital

CHECKED = columns("<where | printed | <should be | <verdict | <because")
SURVEYED = columns("<what | <found | <from")

MANY = 4
"""From so many numbers on with the same condition, the short form counts them."""

LIMITS = (
    "A verdict is about arithmetic only. Where a number does not fit, something in the paper is "
    "not as stated, but the arithmetic does not show what or why. A number that fits may still be "
    "wrong."
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
        return to_csv([row for audit in self.audits for row in audit.rows()], Audit.columns)

    def short(self, *, everything: bool = False) -> str:
        """Return the short form for a terminal: each check, and the numbers that do not fit.

        With `everything`, those that fit are shown too.
        """
        texts = ["\n".join(_audit_lines(audit, everything)) for audit in self.audits]
        if len(texts) > 1:
            texts.append("\n".join(_closing_lines(self.audits)))
        return "\n\n".join(texts)

    def __repr__(self) -> str:
        return f"AuditReport({', '.join(repr(audit.title) for audit in self.audits)})"


def audit_report(audits: Sequence[Audit]) -> AuditReport:
    """Write down what audits found.

    Examples
    --------
    >>> from covary.analysis.published import audit
    >>> print(audit_report([audit("banchs-2016")]).short().splitlines()[0])
    Banchs (2016): 12 printed numbers checked: 1 does not fit, 1 fits on a condition, 10 fit.
    """
    of_one = f"Do the numbers of {audits[0].title} fit?" if len(audits) == 1 else ""
    sections = [
        _misfits_section(audits),
        *(_section(place, audit) for place, audit in enumerate(audits)),
    ]
    heading = of_one or "Do the printed numbers fit?"
    return AuditReport(tuple(audits), Contents(heading, _total(audits), tuple(sections)))


def _total(audits: Sequence[Audit]) -> str:
    """Count the verdicts of all audits."""
    return count_verdicts(number for audit in audits for number in audit.numbers)


def _misfits_section(audits: Sequence[Audit]) -> Section:
    """What a reader looks for first: what does not fit, then what fits on a condition."""
    parts = [(audit, part) for audit in audits for part in audit.parts]
    misfits = [
        (_of(audit, audits, number.where), number.printed, number.expected, _because(number, part))
        for audit, part in parts
        for number in part.numbers
        if number.verdict == "does not fit"
    ]
    conditional = [
        (_of(audit, audits, part.place), _examples(numbers), condition)
        for audit, part in parts
        for condition, numbers in _by_condition(part)
    ]
    blocks: list[Block] = [Paragraph(LIMITS, "note")]
    if misfits:
        heads = columns("<where | printed | <should be | <because")
        blocks.append(table("misfits", "Numbers that do not fit", heads, misfits))
    else:
        blocks.append(Paragraph("Every number fits.", "lead"))
    if conditional:
        heads = columns("<where | <numbers | <fit only if")
        blocks.append(table("conditions", "Numbers that fit under a condition", heads, conditional))
    return Section("found", "What does not fit", tuple(blocks))


def _because(number: CheckedNumber, part: CheckResult) -> str:
    return f"{number.arithmetic}. {part.remark}" if part.remark else number.arithmetic


def _by_condition(part: CheckResult) -> list[tuple[str, list[CheckedNumber]]]:
    """The numbers that fit on a condition, by condition."""
    some = [number for number in part.numbers if number.verdict == "fits only if"]
    ordered = sorted(some, key=lambda number: number.condition)
    return [(condition, list(own)) for condition, own in groupby(ordered, lambda n: n.condition)]


def _examples(numbers: Sequence[CheckedNumber]) -> str:
    shown = ", ".join(number.printed for number in numbers[:MANY])
    return shown if len(numbers) <= MANY else f"{shown} and {len(numbers) - MANY} more"


def _of(audit: Audit, audits: Sequence[Audit], place: str) -> str:
    return place if len(audits) == 1 else f"{audit.title}, {place}"


def _section(place: int, audit: Audit) -> Section:
    blocks: list[Block] = [Paragraph(audit.summary, "lead")]
    if audit.source:
        blocks.append(Paragraph(audit.source, "note"))
    for number, (single, group) in enumerate(groupby(audit.parts, _is_single)):
        key = f"numbers-{place}-{number}"
        blocks += [_singles_table(key, list(group))] if single else _part_tables(key, list(group))
    return Section(f"audit-{place}", audit.title, tuple(blocks))


def _is_single(part: CheckResult) -> bool:
    """Whether a check is about one number, which shares its table with others."""
    return len(part.numbers) == 1 and part.kind != "survey"


def _singles_table(key: str, parts: Sequence[CheckResult]) -> Table:
    rows = [(part.place, *_cells(part.numbers[0])) for part in parts]
    remarks = [f"{capital(part.place)}: {part.remark}" for part in parts if part.remark]
    title = "Single numbers" if len(parts) > 1 else capital(parts[0].place)
    return table(key, title, CHECKED, rows, note=_note(*remarks))


def _part_tables(key: str, parts: Sequence[CheckResult]) -> Iterator[Table]:
    for number, part in enumerate(parts):
        rows: list[tuple[str, ...]] = [(number.cell, *_cells(number)) for number in part.numbers]
        heads = CHECKED
        if part.kind == "survey":
            rows = [(number.cell, number.expected, number.arithmetic) for number in part.numbers]
            heads = SURVEYED
        note = _note(part.conclusion, part.remark)
        yield table(f"{key}-{number}", capital(part.place), heads, rows, note=note)


def _cells(number: CheckedNumber) -> tuple[str, ...]:
    return number.printed, number.expected, number.judged, number.arithmetic


def _note(*sentences: str) -> str:
    return " ".join(f"{sentence.rstrip('.')}." for sentence in sentences if sentence)


def _audit_lines(audit: Audit, everything: bool) -> Iterator[str]:
    yield from _wrap(f"{audit.title}: {audit.summary}", 0)
    if audit.source:
        yield from _wrap(audit.source, 2)
    for part in audit.parts:
        yield ""
        yield from _part_lines(part, everything)


def _closing_lines(audits: Sequence[Audit]) -> Iterator[str]:
    """Say at the end, where a terminal stops, what does not fit in all of it."""
    yield from _wrap(f"All together: {_total(audits)}", 0)
    for audit in audits:
        for number in audit.misfits:
            shown = f"{audit.title}, {number.where}: {number.printed} → {number.expected}"
            yield from _wrap(f"- {shown}", 2, 2)


def _part_lines(part: CheckResult, everything: bool) -> Iterator[str]:
    yield from _wrap(f"{_worst(part):13} {part.place}", 2, 14)
    yield from _wrap(part.conclusion, 16)
    if part.remark:
        yield from _wrap(f"({part.remark.rstrip('.')}.)", 16)
    if part.kind == "additive-f" and not everything:
        yield from _factor_lines(part)
        return
    several = len(part.numbers) > 1
    for number in part.numbers:
        if _is_shown(part, number, everything) and (several or everything):
            yield from _number_lines(number)
    if not everything:
        for condition, numbers in _by_condition(part):
            if len(numbers) >= MANY:
                yield from _wrap(f"{len(numbers)} fit only if {condition}.", 16)


def _factor_lines(part: CheckResult) -> Iterator[str]:
    """Each factor's printed and derived F-ratios."""
    for row in dict.fromkeys(number.row for number in part.numbers):
        line = [number for number in part.numbers if number.row == row]
        shown = "; ".join(f"{n.column}: {n.printed} → {n.expected}" for n in line)
        yield from _wrap(f"- {row}: {shown}", 16, 2)


def _is_shown(part: CheckResult, number: CheckedNumber, everything: bool) -> bool:
    """Whether the short form shows a number by itself."""
    if everything or number.verdict == "does not fit" or part.kind == "survey":
        return True
    same = sum(n.judged == number.judged for n in part.numbers)
    return number.verdict == "fits only if" and same < MANY


def _number_lines(number: CheckedNumber) -> Iterator[str]:
    text = f"{number.printed} {number.judged}"
    if number.verdict == "does not fit":
        text += f" → {number.expected}"
    elif number.verdict == "derived":
        text = f"{number.printed} → {number.expected}" if number.printed else number.expected
    yield from _wrap(f"- {number.cell}: {text}" if number.cell else f"- {text}", 16, 2)
    if number.kind != "survey":
        yield from _wrap(number.arithmetic, 20)


def _worst(part: CheckResult) -> str:
    verdicts = {number.verdict for number in part.numbers}
    worst = next((verdict for verdict in VERDICTS if verdict in verdicts), "")
    return "on condition" if worst == "fits only if" else worst


def _wrap(text: str, indent: int, hang: int = 0) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + hang),
        break_long_words=False,
        break_on_hyphens=False,
    )
