"""How the scales were compared, as a paragraph for the paper."""

from __future__ import annotations

from covary.analysis.scale_comparison.found import ScaleComparison
from covary.report.contents import Bullets, Paragraph, Section
from covary.stats.posthoc import PROCEDURES
from covary.version import __version__

__all__ = ["methods_section"]

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


def methods_section(found: ScaleComparison) -> Section:
    """Say how everything was computed."""
    drawn = any(each.reliability_contrasts or each.sensitivity_contrasts for each in found.criteria)
    ways = dict.fromkeys(one.drawn for each in found.criteria for one in each.reliability_contrasts)
    text = (
        f"The scales ({', '.join(found.experiments)}) were compared on {len(found.systems)} "
        "systems, on the properties of Belz & Kow (2011). Ratings were turned so that more is "
        "better. Interchangeability: Pearson's and Spearman's correlation of system means, and an "
        "equivalence test of the standardised (adjusted) system means. The standard deviation of "
        "their differences, less what noise makes of it, is compared with a margin of "
        f"{found.margin:g} standard deviations of the systems at level {found.alpha:g}; the noise "
        "is that of drawing judges and sources anew, from covariances clustered by both (Cameron, "
        f"Gelbach & Miller 2011; {found.resamples:,} draws). Each system by itself is tested with "
        "two one-sided tests (Schuirmann 1987). Reliability: Kendall's W over systems from each "
        "judge's mean per system. Stability: Pearson's correlation of first and second ratings. "
        f"Sensitivity: {PROCEDURES[found.procedure]} at {found.alpha:g}, with the error of a "
        "one-way analysis and of the additive model of systems, judges and sources."
    )
    if drawn:
        text += (
            f" Differences between scales have {found.confidence:.0%} percentile bootstrap "
            f"intervals ({found.resamples:,} draws, seed {found.seed}; {'; '.join(ways)})."
        )
    text += f" Computed with covary {__version__}."
    return Section("methods", "Methods, ready to paste", (Paragraph(text), Bullets(PAPERS)))
