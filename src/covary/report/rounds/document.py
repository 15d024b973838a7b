"""From rounds of rating to everything that a report on guidelines needs."""

from __future__ import annotations

from dataclasses import dataclass

from covary.analysis.rounds import Rounds
from covary.report.contents import Contents
from covary.report.document import Document, Place, assembled, check_place
from covary.report.rounds.as_csv import short, to_csv
from covary.report.rounds.reasons import (
    diagnosis_section,
    fresh_section,
    methods_section,
    trace_section,
)
from covary.report.rounds.sections import (
    agreement_section,
    answer_section,
    convergence_section,
    distributions_section,
    systems_section,
)
from covary.report.rounds.work import drift_section, manual_section, work_section
from covary.report.wording import counted

__all__ = ["RoundsReport", "rounds_report"]


@dataclass(frozen=True, repr=False)
class RoundsReport(Document):
    """Did the guidelines become better, in all its forms; `contents` is what they say."""

    rounds: Rounds
    contents: Contents

    found_in = "rounds"
    in_notebooks = ("answer", "agreement")

    def csv(self) -> str:
        """Return one row for each criterion and round, not rounded."""
        return to_csv(self.rounds)

    def short(self) -> str:
        """Return the short form for a terminal."""
        return short(self.rounds)

    def __repr__(self) -> str:
        return f"RoundsReport({len(self.rounds.labels)} rounds)"


def rounds_report(
    found: Rounds,
    path: Place | None = None,
    *,
    format: str | None = None,  # noqa: A002
    title: str | None = None,
) -> RoundsReport:
    """Write down what rounds of training changed.

    Parameters
    ----------
    found
        What `covary.analysis.rounds.rounds` found.
    path
        Where to write the report; nothing is written when left out.
    format
        html, md, tex, json or csv; the ending of `path` by default.
    title
        The heading of the report.

    Examples
    --------
    >>> from covary import datasets
    >>> from covary.analysis.rounds import rounds
    >>> before, after = datasets.load("qgstec-original"), datasets.load("qgstec-reevaluated")
    >>> made = rounds_report(rounds(before, after, criterion="variety", level="interval", rng=1))
    >>> print(made.short().splitlines()[1])
    variety    before  895    165     82%     .35 [.28, .41]
    """
    check_place(path, format, "rounds_report")
    made = RoundsReport(found, contents_of(found, title or "Did the guidelines become better?"))
    if path is not None:
        made.write(path, format)
    return made


def contents_of(found: Rounds, title: str) -> Contents:
    """Put a report on rounds together."""
    sections = (
        answer_section(found),
        convergence_section(found),
        agreement_section(found),
        fresh_section(found),
        distributions_section(found),
        systems_section(found),
        diagnosis_section(found),
        trace_section(found),
        manual_section(found),
        work_section(found),
        drift_section(found),
        methods_section(found),
    )
    facts = [
        counted(len(found.labels), "round"),
        counted(len(found.criteria), "criterion", "criteria"),
    ]
    return assembled(title, facts, found.confidence, sections)
