"""`covary.scale_report`: a comparison of scales in every form."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from covary.analysis.scale_comparison import CriterionScales, ScaleComparison, compare_scales
from covary.analysis.scale_comparison.experiments import Experiments
from covary.ratings import Ratings
from covary.reports.blocks import Bullets, Contents, Paragraph, Section
from covary.reports.document import WIDTH, Document, FilePath, assemble, check_path, to_terminal
from covary.reports.formatting import DASH, coefficient
from covary.reports.scale_comparison.interchange import (
    answer_section,
    compared_section,
    f_ratio,
    interchange_section,
    with_stars,
)
from covary.reports.scale_comparison.properties import (
    preference_section,
    reliability_section,
    sensitivity_section,
    stability_section,
    validity_section,
)
from covary.stats.posthoc import PROCEDURES
from covary.version import __version__
from covary.words import counted

HEADS = ("criterion", "experiment", "W", "r retest", "F system", "differences")
ABOUT = "W: Kendall's over systems; r: pooled; F and differences: as designed (additive model)."

PAPERS = (
    "Belz & Kow (2011). Discrete vs. continuous rating scales for language evaluation in NLP. ACL.",
    "Bland & Altman (1986). Statistical methods for assessing agreement between two methods of "
    "clinical measurement. The Lancet.",
    "Cameron, Gelbach & Miller (2011). Robust inference with multiway clustering. Journal of "
    "Business & Economic Statistics.",
    "Kendall & Babington Smith (1939). The problem of m rankings. Annals of Mathematical "
    "Statistics.",
    "Schuirmann (1987). A comparison of the two one-sided tests procedure and the power approach "
    "for assessing the equivalence of average bioavailability. Journal of Pharmacokinetics and "
    "Biopharmaceutics.",
)


@dataclass(frozen=True, repr=False)
class ScaleReport(Document):
    """A comparison of scales, and its forms; `contents` is what every written form says."""

    comparison: ScaleComparison
    contents: Contents

    found_in = "comparison"
    in_notebooks = ("answer", "compared")

    def short(self) -> str:
        """Return the short form for a terminal: the table and the summary."""
        rows = [row for one in self.comparison.criteria for row in _short_rows(one)]
        summary = self.comparison.summary
        sentences = [textwrap.fill(note, WIDTH, subsequent_indent="  ") for note in summary]
        return "\n".join([to_terminal(HEADS, rows, [ABOUT]), "", *sentences])

    def __repr__(self) -> str:
        return f"ScaleReport({', '.join(self.comparison.experiments)})"


def scale_report(
    experiments: Experiments,
    path: FilePath | None = None,
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
    check_path(path, format, "scale_report")
    result = compare_scales(
        experiments, validity=validity, preference=preference, progress=progress, **options
    )
    report = ScaleReport(result, make_contents(result, title or "How do the scales compare?"))
    parts = ([one] if isinstance(one, Ratings) else one for one in experiments.values())
    return report.sealed(*chain.from_iterable(parts)).saved(path, format)


def make_contents(result: ScaleComparison, title: str) -> Contents:
    """Put a report on scales together."""
    criteria = len(result.criteria)
    counts = [
        counted(len(result.experiments), "experiment"),
        counted(len(result.systems), "system"),
        *([counted(criteria, "criterion", "criteria")] if criteria > 1 else []),
        counted(sum(part.ratings for one in result.criteria for part in one.parts), "rating"),
    ]
    sections = (
        answer_section(result),
        compared_section(result),
        interchange_section(result),
        validity_section(result),
        reliability_section(result),
        stability_section(result),
        sensitivity_section(result),
        preference_section(result),
        methods_section(result),
    )
    return assemble(title, counts, result.confidence, sections)


def _short_rows(one: CriterionScales) -> Iterator[tuple[str, ...]]:
    again = {retest.experiment: coefficient(retest.pooled) for retest in one.stability}
    for order, tested in zip(one.reliability, one.sensitivity, strict=True):
        counts = tested.additive
        yield (
            one.criterion,
            order.label,
            with_stars(order.w, order.p, order.interval),
            again.pop(order.experiment, DASH),
            f_ratio(tested.effects[0].additive),
            f"{counts.n_significant} of {counts.n_pairs}",
        )


def methods_section(result: ScaleComparison) -> Section:
    """Say how everything was computed."""
    text = (
        f"The scales ({', '.join(result.experiments)}) were compared on {len(result.systems)} "
        "systems, on the properties of Belz & Kow (2011). Ratings were oriented so that higher is "
        "better. Interchangeability: Pearson's and Spearman's correlation of system means, and an "
        "equivalence test of the standardised (adjusted) system means. The standard deviation of "
        "their differences, less what noise makes of it, is compared with a margin of "
        f"{result.margin:g} standard deviations of the systems at level {result.alpha:g}; the "
        "noise is that of drawing judges and sources anew, from covariances clustered by both "
        f"(Cameron, Gelbach & Miller 2011; {result.resamples:,} draws). Each system by itself is "
        "tested with two one-sided tests (Schuirmann 1987). Reliability: Kendall's W over systems "
        "from each judge's mean per system. Stability: Pearson's correlation of first and second "
        f"ratings. Sensitivity: {PROCEDURES[result.procedure]} at {result.alpha:g}, with the error "
        "of a one-way analysis and of the additive model of systems, judges and sources."
    )
    contrasts = [one for criterion in result.criteria for one in criterion.reliability_contrasts]
    if contrasts or any(one.sensitivity_contrasts for one in result.criteria):
        ways = "; ".join(dict.fromkeys(one.drawn for one in contrasts))
        text += (
            f" Differences between scales have {result.confidence:.0%} percentile bootstrap "
            f"intervals ({result.resamples:,} draws, seed {result.seed}; {ways})."
        )
    text += f" Computed with covary {__version__}."
    return Section("methods", "Methods, ready to paste", (Paragraph(text), Bullets(PAPERS)))
