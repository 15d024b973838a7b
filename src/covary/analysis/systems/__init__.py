"""Which system is better: means, tests, pairs, the chance of each rank, severity removed."""

from covary.analysis.systems.compare import brief_systems, systems
from covary.analysis.systems.ranks import RankProbabilities
from covary.analysis.systems.result import (
    CHOICES,
    ERRORS,
    MEANS,
    Adjustment,
    CriterionSystems,
    OrdinalSystems,
    Range,
    RankTest,
    SystemPair,
    Systems,
    SystemScore,
)

__all__ = [
    "CHOICES",
    "ERRORS",
    "MEANS",
    "Adjustment",
    "CriterionSystems",
    "OrdinalSystems",
    "Range",
    "RankProbabilities",
    "RankTest",
    "SystemPair",
    "SystemScore",
    "Systems",
    "brief_systems",
    "systems",
]
