"""From ratings to everything that a results section about systems needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from covary.analysis.systems import Systems, systems
from covary.ratings import Ratings
from covary.report.contents import Contents
from covary.report.document import Document, Place, assembled, check_place
from covary.report.systems.answer import answer_section
from covary.report.systems.as_csv import to_csv
from covary.report.systems.differences import pairs_section, rank_section, variance_section
from covary.report.systems.means import distributions_section, means_section
from covary.report.systems.methods import methods_section
from covary.report.systems.ranks import ranks_section, severity_section
from covary.report.systems.short import short
from covary.report.wording import counted

__all__ = ["SystemsReport", "systems_report"]


@dataclass(frozen=True, repr=False)
class SystemsReport(Document):
    """Which system is better, and its forms; `contents` is what every written form says."""

    ratings: Ratings
    systems: Systems
    contents: Contents

    found_in = "systems"
    in_notebooks = ("answer", "means")

    def csv(self) -> str:
        """Return the systems as one table, not rounded."""
        return to_csv(self.systems)

    def short(self) -> str:
        """Return the short form for a terminal: the tables, the pairs, the severity of judges."""
        return short(self.systems)

    def __repr__(self) -> str:
        return f"SystemsReport({self.ratings!r})"


def systems_report(
    ratings: Ratings,
    path: Place | None = None,
    *,
    format: str | None = None,  # noqa: A002
    criterion: Any = None,
    procedure: str = "tukey",
    error: str = "additive",
    confidence: float = 0.95,
    resamples: int = 2000,
    rng: Any = None,
    human: str | Iterable[Any] = (),
    title: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> SystemsReport:
    """Which system is better? Compare them and write it all down.

    Parameters
    ----------
    ratings, criterion, procedure, error, confidence, resamples, rng, human
        As in `covary.systems`.
    path
        Where to write the report; nothing is written when left out.
    format
        html, md, tex, json or csv; the ending of `path` by default.
    title
        The heading of the report.
    progress
        Called with a few words at each step, for a progress bar.

    Returns
    -------
    SystemsReport
        With `systems` and a method for each form.

    Examples
    --------
    >>> from covary import datasets
    >>> made = systems_report(datasets.load("latin-square-example"), rng=1)
    >>> made.csv().splitlines()[1].split(",")[:4]
    ['', '3', 'no', '1']
    """
    check_place(path, format, "systems_report")
    found = systems(
        ratings,
        criterion=criterion,
        procedure=procedure,
        error=error,
        confidence=confidence,
        resamples=resamples,
        rng=rng,
        human=human,
        progress=progress,
    )
    made = SystemsReport(ratings, found, contents_of(found, title or "Which system is better?"))
    if path is not None:
        made.write(path, format)
    return made


def contents_of(found: Systems, title: str) -> Contents:
    """Put a report on systems together."""
    number = max(len(each.systems) for each in found.criteria)
    facts = [
        counted(number, "system"),
        counted(sum(each.n_ratings for each in found.criteria), "rating"),
    ]
    if len(found.criteria) > 1:
        facts.append(counted(len(found.criteria), "criterion", "criteria"))
    sections = (
        answer_section(found),
        means_section(found),
        pairs_section(found),
        ranks_section(found),
        severity_section(found),
        variance_section(found),
        rank_section(found),
        distributions_section(found),
        methods_section(found),
    )
    return assembled(title, facts, found.confidence, sections)
