"""From votes and experts' ratings to a report on both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from covary.analysis.crowd import CrowdStudy, crowd_study
from covary.ratings import Ratings
from covary.report.contents import Contents
from covary.report.crowd.as_csv import to_csv
from covary.report.crowd.people import costs_section, judges_section, methods_section
from covary.report.crowd.sections import (
    answer_section,
    combined_section,
    single_section,
)
from covary.report.crowd.short import short
from covary.report.crowd.votes import votes_section
from covary.report.document import Document, Place, assembled, check_place
from covary.report.wording import counted

__all__ = ["CrowdReport", "crowd_report"]


@dataclass(frozen=True, repr=False)
class CrowdReport(Document):
    """A crowd beside experts, and its forms; `contents` is what every written form says."""

    crowd: CrowdStudy
    contents: Contents

    found_in = "crowd"
    in_notebooks = ("answer", "combined")

    def csv(self) -> str:
        """Return every agreement as one table, not rounded."""
        return to_csv(self.crowd)

    def short(self) -> str:
        """Return the short form for a terminal."""
        return short(self.crowd)

    def __repr__(self) -> str:
        return f"CrowdReport({self.contents.subtitle!r})"


def crowd_report(
    crowd: Ratings,
    experts: Ratings,
    path: Place | None = None,
    *,
    format: str | None = None,  # noqa: A002
    criterion: Any = None,
    methods: Sequence[str] = ("banchs-a", "banchs-b"),
    coefficients: Sequence[Any] | None = None,
    arrangements: int = 30_000,
    pay: float | None = None,
    fee: float | None = None,
    wage: float | None = None,
    expert_pay: float | None = None,
    confidence: float = 0.95,
    resamples: int = 2000,
    rng: Any = None,
    title: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> CrowdReport:
    """Is a crowd as good as an expert? Compare them and write it all down.

    Parameters
    ----------
    crowd, experts, criterion, methods, coefficients, arrangements, pay, fee, wage, expert_pay
        As in `crowd_study`.
    confidence, resamples, rng, progress
        As in `crowd_study`.
    path
        Where to write the report; nothing is written when left out.
    format
        html, md, tex, json or csv; the ending of `path` by default.
    title
        The heading of the report.

    Returns
    -------
    CrowdReport
        With `crowd` and a method for each form.
    """
    check_place(path, format, "crowd_report")
    found = crowd_study(
        crowd, experts, criterion=criterion, methods=methods, coefficients=coefficients,
        arrangements=arrangements, pay=pay, fee=fee, wage=wage, expert_pay=expert_pay,
        confidence=confidence, resamples=resamples, rng=rng, progress=progress,
    )  # fmt: skip
    made = CrowdReport(found, contents_of(found, title or "A crowd beside experts"))
    if path is not None:
        made.write(path, format)
    return made


def contents_of(found: CrowdStudy, title: str) -> Contents:
    """Put a report on a crowd together."""
    sections = (
        answer_section(found),
        combined_section(found),
        single_section(found),
        votes_section(found),
        judges_section(found),
        costs_section(found),
        methods_section(found),
    )
    facts = [
        counted(found.n_items, "item"),
        counted(found.n_votes, "vote"),
        counted(len(found.experts), "expert"),
    ]
    return assembled(title, facts, found.confidence, sections)
