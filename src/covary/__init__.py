"""covary: do your judges agree? If not, do they at least covary?

A public name is loaded when it is first asked for, so that `import covary` takes no time.
"""

import sys
from importlib import import_module
from typing import Any

from covary.version import __version__

_TABLE = """
covary.aggregate                            Aggregated LargeAggregated combine
covary.analysis.accuracy                    Accuracy accuracy
covary.analysis.any_data                    table to_frame
covary.analysis.automatic                   automatic
covary.analysis.crowd                       CrowdStudy crowd_study
covary.analysis.disagreement                disagreement
covary.analysis.disputed                    disputed
covary.analysis.forensics                   check
covary.analysis.judges                      judge_profiles
covary.analysis.planning                    StudyPlan components plan
covary.analysis.published                   Audit CheckedNumber audit
covary.analysis.preferences                 preferences
covary.analysis.reliability                 reliability
covary.analysis.replication                 Replication cv_star replication
covary.analysis.rounds                      rounds
covary.analysis.scale_comparison            ScaleComparison compare_scales
covary.analysis.stability                   stability
covary.analysis.systems                     systems
covary.analysis.verdict                     Thresholds
covary.errors                               ConvergenceError CovaryError InvalidArgument
covary.errors                               RatingsError StudyError StudyFault
covary.errors                               CovaryWarning SuitabilityWarning UndefinedWarning
covary.formats                              read write
covary.ratings                              Ratings
covary.reports.automatic                     AutomaticReport automatic_report
covary.reports.crowd                         CrowdReport crowd_report
covary.reports.planning                      PlanReport plan_report
covary.reports.replication                  ReplicationReport replication_report
covary.reports.reliability.document          Report report
covary.reports.scale_comparison              ScaleReport scale_report
covary.reports.systems                       SystemsReport systems_report
covary.scales                               GraphicScale Level Preference Scale
covary.scales                               VerbalScale VisualScale YesNo as_scale
covary.stats.coefficients.correlation       pearson spearman
covary.stats.coefficients.cronbach          cronbach_alpha
covary.stats.coefficients.cross_replication xrr
covary.stats.coefficients.fleiss            fleiss_kappa fleiss_kappa_by_category scott_pi
covary.stats.coefficients.gamma             exchangeable_gamma goodman_kruskal_gamma
covary.stats.coefficients.gamma             kendall_tau_b kendall_tau_c
covary.stats.coefficients.gwet              brennan_prediger gwet_ac1 gwet_ac2
covary.stats.coefficients.icc               fisher_icc icc
covary.stats.coefficients.kappa             cohen_kappa conger_kappa light_kappa
covary.stats.coefficients.kendall_w         kendall_w
covary.stats.coefficients.krippendorff      krippendorff_alpha
covary.stats.coefficients.percent           bias_index percent_agreement prevalence_index
covary.stats.estimate                       Estimate Interval
covary.stats.interpret                      BANDS BandScale interpret
covary.stats.suitability                    suitability
covary.study                                Study read_study write_template
"""
"""Where each public name lives; `__init__.pyi` tells type checkers the same."""

_HOMES = {
    name: home for home, *names in map(str.split, _TABLE.strip().splitlines()) for name in names
}

_OF_RATINGS = [
    "accuracy",
    "automatic",
    "automatic_report",
    "check",
    "components",
    "disagreement",
    "disputed",
    "judge_profiles",
    "plan",
    "plan_report",
    "preferences",
    "reliability",
    "report",
    "stability",
    "systems",
    "systems_report",
]
"""Analyses that take a path or a frame as well, as every coefficient does."""

__all__ = ["__version__", "datasets", *_HOMES]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None and name.startswith("_"):
        raise AttributeError(f"module 'covary' has no attribute {name!r}")
    try:
        value = getattr(import_module(home), name) if home else import_module(f"covary.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"covary.{name}":
            raise
        raise AttributeError(f"module 'covary' has no attribute {name!r}") from None
    if home is not None and (home.startswith("covary.stats.coefficients") or name in _OF_RATINGS):
        value = import_module(_HOMES["table"]).takes_any_data(value)
    if home is not None and home.startswith("covary.analysis"):
        import_module("covary.ratings.frames").Tabular.pictures = staticmethod(_pictures)
    setattr(sys.modules[__name__], name, value)
    return value


def _pictures(result: object) -> str:
    """Draw a result for a notebook: the analyses themselves know nothing of pictures."""
    drawn: str = import_module("covary.reports.notebooks").pictures(result)
    return drawn


def __dir__() -> list[str]:
    return sorted(__all__)
