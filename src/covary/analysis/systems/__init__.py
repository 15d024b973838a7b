"""Which system is better: means, tests, pairs, the chance of each rank, severity removed."""

from covary.analysis.systems.adjusted import Adjustment
from covary.analysis.systems.compare import brief_systems, systems
from covary.analysis.systems.designed import ERRORS
from covary.analysis.systems.found import CriterionSystems, RankTest, SystemPair, Systems
from covary.analysis.systems.ranks import Ranks
from covary.analysis.systems.scores import Range, SystemScore

__all__ = [
    "ERRORS",
    "Adjustment",
    "CriterionSystems",
    "Range",
    "RankTest",
    "Ranks",
    "SystemPair",
    "SystemScore",
    "Systems",
    "brief_systems",
    "systems",
]
