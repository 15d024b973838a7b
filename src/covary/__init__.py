"""covary: do your judges agree? If not, do they at least covary?"""

from covary import datasets
from covary.aggregate import Aggregated, combine
from covary.analysis.crowd import CrowdStudy, crowd_study
from covary.analysis.forensics import check
from covary.analysis.judges import judge_profiles
from covary.analysis.published import Audit, CheckedNumber, audit
from covary.analysis.reliability import reliability
from covary.analysis.rounds import rounds
from covary.analysis.scale_comparison import ScaleComparison, compare_scales
from covary.analysis.systems import systems
from covary.errors import (
    ConvergenceError,
    CovaryError,
    CovaryWarning,
    InvalidArgument,
    RatingsError,
    StudyError,
    StudyFault,
    SuitabilityWarning,
    UndefinedWarning,
)
from covary.formats import read, write
from covary.ratings import Ratings
from covary.report.crowd import CrowdReport, crowd_report
from covary.report.report import Report, report
from covary.report.scale_comparison import ScaleReport, scale_report
from covary.report.systems import SystemsReport, systems_report
from covary.scales import (
    GraphicScale,
    Level,
    Preference,
    Scale,
    VerbalScale,
    VisualScale,
    YesNo,
    as_scale,
)
from covary.stats.alpha import krippendorff_alpha
from covary.stats.bands import BANDS, BandScale
from covary.stats.concordance import kendall_w
from covary.stats.correlation import pearson, spearman
from covary.stats.cronbach import cronbach_alpha
from covary.stats.cross import xrr
from covary.stats.estimate import Estimate, Interval
from covary.stats.exchangeable import exchangeable_gamma
from covary.stats.fleiss import fleiss_kappa, fleiss_kappa_by_category, scott_pi
from covary.stats.gamma import goodman_kruskal_gamma, kendall_tau_b
from covary.stats.gwet import brennan_prediger, gwet_ac1, gwet_ac2
from covary.stats.icc import fisher_icc, icc
from covary.stats.interpret import interpret
from covary.stats.kappa import cohen_kappa, conger_kappa, light_kappa
from covary.stats.percent import bias_index, percent_agreement, prevalence_index
from covary.stats.suitability import suitability
from covary.study import Study, read_study, write_template
from covary.version import __version__

__all__ = [
    "BANDS",
    "Aggregated",
    "Audit",
    "BandScale",
    "CheckedNumber",
    "ConvergenceError",
    "CovaryError",
    "CovaryWarning",
    "CrowdReport",
    "CrowdStudy",
    "Estimate",
    "GraphicScale",
    "Interval",
    "InvalidArgument",
    "Level",
    "Preference",
    "Ratings",
    "RatingsError",
    "Report",
    "Scale",
    "ScaleComparison",
    "ScaleReport",
    "Study",
    "StudyError",
    "StudyFault",
    "SuitabilityWarning",
    "SystemsReport",
    "UndefinedWarning",
    "VerbalScale",
    "VisualScale",
    "YesNo",
    "__version__",
    "as_scale",
    "audit",
    "bias_index",
    "brennan_prediger",
    "check",
    "cohen_kappa",
    "combine",
    "compare_scales",
    "conger_kappa",
    "cronbach_alpha",
    "crowd_report",
    "crowd_study",
    "datasets",
    "exchangeable_gamma",
    "fisher_icc",
    "fleiss_kappa",
    "fleiss_kappa_by_category",
    "goodman_kruskal_gamma",
    "gwet_ac1",
    "gwet_ac2",
    "icc",
    "interpret",
    "judge_profiles",
    "kendall_tau_b",
    "kendall_w",
    "krippendorff_alpha",
    "light_kappa",
    "pearson",
    "percent_agreement",
    "prevalence_index",
    "read",
    "read_study",
    "reliability",
    "report",
    "rounds",
    "scale_report",
    "scott_pi",
    "spearman",
    "suitability",
    "systems",
    "systems_report",
    "write",
    "write_template",
    "xrr",
]
