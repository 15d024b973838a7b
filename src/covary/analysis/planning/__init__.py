"""How many judges, how many items, and what will it cost?"""

from covary.analysis.planning.allocation import Allocation
from covary.analysis.planning.components import GStudy, PilotSize, components
from covary.analysis.planning.contours import ContourPoint, contours
from covary.analysis.planning.decisions import (
    AgreementPower,
    ScalePower,
    agreement_power,
    equivalence_power,
    items_for_equivalence,
    items_to_decide,
    preferences_needed,
    reliability_power,
    scale_power,
)
from covary.analysis.planning.forecast import (
    Forecast,
    Price,
    StudyCost,
    StudySize,
    cheapest,
    forecast,
    votes_needed,
)
from covary.analysis.planning.latent import LatentStudy, latent_components
from covary.analysis.planning.plan import CriterionPlan, Extension, Goal, StudyPlan, plan
from covary.analysis.planning.power import Power, items_needed, power
from covary.analysis.planning.prior import guessed_components, known_components
from covary.analysis.planning.progress import (
    CriterionProgress,
    StudyProgress,
    next_allocation,
    progress,
)
from covary.analysis.planning.record import (
    AdaptiveDeal,
    KeptPlan,
    PlanRecord,
    kept_plan,
    read_record,
)
from covary.analysis.planning.simulation import SimulatedPower, simulated_power
from covary.analysis.planning.standings import Look, PairStanding

__all__ = [
    "AdaptiveDeal",
    "AgreementPower",
    "Allocation",
    "ContourPoint",
    "CriterionPlan",
    "CriterionProgress",
    "Extension",
    "Forecast",
    "GStudy",
    "Goal",
    "KeptPlan",
    "LatentStudy",
    "Look",
    "PairStanding",
    "PilotSize",
    "PlanRecord",
    "Power",
    "Price",
    "ScalePower",
    "SimulatedPower",
    "StudyCost",
    "StudyPlan",
    "StudyProgress",
    "StudySize",
    "agreement_power",
    "cheapest",
    "components",
    "contours",
    "equivalence_power",
    "forecast",
    "guessed_components",
    "items_for_equivalence",
    "items_needed",
    "items_to_decide",
    "kept_plan",
    "known_components",
    "latent_components",
    "next_allocation",
    "plan",
    "power",
    "preferences_needed",
    "progress",
    "read_record",
    "reliability_power",
    "scale_power",
    "simulated_power",
    "votes_needed",
]
