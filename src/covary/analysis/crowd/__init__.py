"""A crowd beside experts: single votes, combined votes, how many are needed, and what they cost."""

from covary.analysis.crowd.arrangements import Arrangements, arrangements
from covary.analysis.crowd.overlap import SharedSessions, shared_sessions
from covary.analysis.crowd.result import (
    Agreement,
    ClosestExpert,
    CrowdDifference,
    CrowdStudy,
    CurvePoint,
    VotesPerExpert,
)
from covary.analysis.crowd.study import crowd_study
from covary.analysis.crowd.workforce import Costs, CrowdJudges

__all__ = [
    "Agreement",
    "Arrangements",
    "ClosestExpert",
    "Costs",
    "CrowdDifference",
    "CrowdJudges",
    "CrowdStudy",
    "CurvePoint",
    "SharedSessions",
    "VotesPerExpert",
    "arrangements",
    "crowd_study",
    "shared_sessions",
]
