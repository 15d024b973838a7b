"""The sections of a report in their order, from the verdict to the signatures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from covary.analysis.comparison import CriterionReliability, Reliability
from covary.analysis.forensics import Findings
from covary.analysis.judges import JudgeProfile
from covary.analysis.systems import Systems
from covary.ratings import Ratings
from covary.report.checklist import checklist
from covary.report.coefficients import agreement_section, further_section
from covary.report.comparisons import groups_section, pairs_section, subsets_section
from covary.report.contents import Code, Contents, Paragraph, Section, with_own_keys
from covary.report.methods import methods
from covary.report.pictures import distributions_section, lines_section
from covary.report.profiles import judges_section
from covary.report.systems.brief import brief_section
from covary.report.verdicts import defects_section, verdict_section
from covary.report.wording import counted, percent
from covary.version import __version__

__all__ = ["contents_of"]


def contents_of(
    title: str,
    ratings: Ratings,
    findings: Findings,
    found: Reliability,
    profiles: Sequence[JudgeProfile],
    notes: Sequence[str] = (),
    systems: Systems | None = None,
) -> Contents:
    """Put a report together; `notes` are warnings that stand beside the verdict."""
    sections = (
        verdict_section(found, findings, notes),
        defects_section(findings, ratings.notes),
        agreement_section(found),
        pairs_section(found),
        lines_section(found, ratings),
        distributions_section(found, ratings),
        judges_section(found, profiles),
        groups_section(found),
        subsets_section(found),
        brief_section(systems),
        further_section(found),
        Section("methods", "Methods, ready to paste", methods(found, ratings, findings)),
        Section("checklist", "What a paper should say", checklist(found, ratings, findings)),
        _signatures(found),
    )
    shown = [section for section in sections if section is not None]
    return Contents(title, _subtitle(found), tuple(with_own_keys(shown)))


def _subtitle(found: Reliability) -> str:
    parts = [counted(found.n_ratings, "rating"), counted(found.n_items, "item")]
    parts += [] if found.slots else [counted(found.n_judges, "judge")]
    if len(found.criteria) > 1:
        parts.append(counted(len(found.criteria), "criterion", "criteria"))
    if any(each.overall.agreement.interval is not None for each in found.criteria):
        parts.append(f"{percent(found.confidence)} intervals")
    parts.append(f"covary {__version__}")
    return " · ".join(parts)


def _signatures(found: Reliability) -> Section:
    about = "Each line names one number exactly, so that anyone can compute it again."
    codes = [Code("\n".join(_signed(each))) for each in found.criteria]
    return Section("signatures", "Signatures", (Paragraph(about), *codes))


def _signed(each: CriterionReliability) -> Iterator[str]:
    overall = each.overall
    estimates = (overall.agreement, overall.correlation, *each.beside)
    for signature in dict.fromkeys(one.signature for one in estimates if one is not None):
        yield signature if each.criterion is None else f"{each.name}: {signature}"
