"""covary: do your judges agree? If not, do they at least covary?"""

from covary.errors import (
    ConvergenceError,
    CovaryError,
    CovaryWarning,
    InvalidArgument,
    RatingsError,
    SuitabilityWarning,
    UndefinedWarning,
)
from covary.ratings import Ratings
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
from covary.stats.concordance import kendall_w
from covary.stats.correlation import pearson, spearman
from covary.stats.estimate import Estimate, Interval
from covary.stats.fleiss import fleiss_kappa, fleiss_kappa_by_category, scott_pi
from covary.stats.gamma import goodman_kruskal_gamma, kendall_tau_b
from covary.stats.gwet import brennan_prediger, gwet_ac1, gwet_ac2
from covary.stats.kappa import cohen_kappa, conger_kappa, light_kappa
from covary.stats.percent import bias_index, percent_agreement, prevalence_index
from covary.stats.suitability import suitability
from covary.version import __version__

__all__ = [
    "ConvergenceError",
    "CovaryError",
    "CovaryWarning",
    "Estimate",
    "GraphicScale",
    "Interval",
    "InvalidArgument",
    "Level",
    "Preference",
    "Ratings",
    "RatingsError",
    "Scale",
    "SuitabilityWarning",
    "UndefinedWarning",
    "VerbalScale",
    "VisualScale",
    "YesNo",
    "__version__",
    "as_scale",
    "bias_index",
    "brennan_prediger",
    "cohen_kappa",
    "conger_kappa",
    "fleiss_kappa",
    "fleiss_kappa_by_category",
    "goodman_kruskal_gamma",
    "gwet_ac1",
    "gwet_ac2",
    "kendall_tau_b",
    "kendall_w",
    "krippendorff_alpha",
    "light_kappa",
    "pearson",
    "percent_agreement",
    "prevalence_index",
    "scott_pi",
    "spearman",
    "suitability",
]
