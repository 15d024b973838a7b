"""The opening of a report: the verdict on each criterion, and what is wrong with the data."""

from __future__ import annotations

from collections.abc import Sequence

from covary.analysis.comparison import CriterionReliability, Reliability
from covary.analysis.forensics import Finding, Findings
from covary.report.contents import Block, Bullets, Paragraph, Section
from covary.report.wording import counted

__all__ = ["defects_section", "verdict_section"]


def verdict_section(reliability: Reliability, findings: Findings, notes: Sequence[str]) -> Section:
    """Say for each criterion in one sentence whether its ratings can be relied on."""
    blocks: list[Block] = []
    if findings.serious:
        times = counted(len(findings.serious), "serious defect")
        blocks.append(
            Paragraph(f"The data have {times}: read the next section before the numbers.", "lead")
        )
    blocks += [Paragraph(note, "warning") for note in notes]
    blocks += [Paragraph(_line(each), "verdict") for each in reliability.criteria]
    return Section("verdict", "Can the ratings be relied on?", tuple(blocks))


def _line(each: CriterionReliability) -> str:
    verdict = each.overall.verdict
    if each.criterion is None:
        return f"{verdict.word.capitalize()}. {verdict.sentence}"
    return f"{each.name} – {verdict.word}. {verdict.sentence}"


def defects_section(findings: Findings, read: Sequence[str] = ()) -> Section:
    """List what is or may be wrong with the data, and how they were `read`."""
    blocks: list[Block] = []
    if not findings.findings:
        blocks.append(Paragraph("Nothing was found that speaks against these ratings."))
    blocks += [Paragraph(_told(each, "Serious"), "warning") for each in findings.serious]
    blocks += [Paragraph(_told(each, "Worth a look")) for each in findings.worth_a_look]
    if findings.notes:
        blocks.append(Bullets(tuple(_told(each, "Note") for each in findings.notes)))
    if read:
        blocks += [Paragraph("How the ratings were read:"), Bullets(tuple(read))]
    return Section("data", "What is wrong with the data?", tuple(blocks))


def _told(found: Finding, degree: str) -> str:
    about = "" if found.criterion is None else f" on {found.criterion}"
    return f"{degree}{about}: {found.title} {found.evidence} → {found.advice}"
