"""From the ratings of several experiments to everything that a comparison of scales needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from covary.analysis.scale_comparison import ScaleComparison, compare_scales
from covary.analysis.scale_comparison.experiments import Experiments
from covary.report.contents import Contents
from covary.report.document import Document, Place, assembled, check_place
from covary.report.scale_comparison.answer import answer_section, compared_section
from covary.report.scale_comparison.as_csv import to_csv
from covary.report.scale_comparison.interchange import interchange_section
from covary.report.scale_comparison.methods import methods_section
from covary.report.scale_comparison.properties import (
    reliability_section,
    stability_section,
    validity_section,
)
from covary.report.scale_comparison.sensitivity import preference_section, sensitivity_section
from covary.report.scale_comparison.short import short
from covary.report.wording import counted

__all__ = ["ScaleReport", "scale_report"]


@dataclass(frozen=True, repr=False)
class ScaleReport(Document):
    """A comparison of scales, and its forms; `contents` is what every written form says."""

    comparison: ScaleComparison
    contents: Contents

    found_in = "comparison"
    in_notebooks = ("answer", "compared")

    def csv(self) -> str:
        """Return the numbers of all properties as one table, not rounded."""
        return to_csv(self.comparison)

    def short(self) -> str:
        """Return the short form for a terminal: the table and the summary."""
        return short(self.comparison)

    def __repr__(self) -> str:
        return f"ScaleReport({', '.join(self.comparison.experiments)})"


def scale_report(
    experiments: Experiments,
    path: Place | None = None,
    *,
    format: str | None = None,  # noqa: A002
    title: str | None = None,
    validity: Mapping[Any, Any] | None = None,
    preference: Mapping[Any, Any] | None = None,
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> ScaleReport:
    """Compare scales and write it all down.

    Parameters
    ----------
    experiments, validity, preference
        As in `covary.compare_scales`, whose other keywords (`margin`, `procedure`, `confidence`,
        `rng` and so on) may be given too.
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
    ScaleReport
        With `comparison` and a method for each form.
    """
    check_place(path, format, "scale_report")
    found = compare_scales(
        experiments, validity=validity, preference=preference, progress=progress, **options
    )
    made = ScaleReport(found, contents_of(found, title or "How do the scales compare?"))
    if path is not None:
        made.write(path, format)
    return made


def contents_of(found: ScaleComparison, title: str) -> Contents:
    """Put a report on scales together."""
    facts = [counted(len(found.experiments), "experiment"), counted(len(found.systems), "system")]
    if len(found.criteria) > 1:
        facts.append(counted(len(found.criteria), "criterion", "criteria"))
    ratings = sum(part.ratings for each in found.criteria for part in each.parts)
    facts.append(counted(ratings, "rating"))
    sections = (
        answer_section(found),
        compared_section(found),
        interchange_section(found),
        validity_section(found),
        reliability_section(found),
        stability_section(found),
        sensitivity_section(found),
        preference_section(found),
        methods_section(found),
    )
    return assembled(title, facts, found.confidence, sections)
