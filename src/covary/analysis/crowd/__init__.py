"""A crowd beside experts: single votes, combined votes, how many are needed, and what they cost."""

from covary.analysis.crowd.arrangements import Arrangements, arrangements
from covary.analysis.crowd.found import (
    Agreement,
    Closer,
    CrowdStudy,
    CurvePoint,
    Difference,
    VotesPerExpert,
)
from covary.analysis.crowd.judging import Costs, CrowdJudges
from covary.analysis.crowd.shared import SharedSessions, shared_sessions
from covary.analysis.crowd.study import crowd_study

__all__ = [
    "Agreement",
    "Arrangements",
    "Closer",
    "Costs",
    "CrowdJudges",
    "CrowdStudy",
    "CurvePoint",
    "Difference",
    "SharedSessions",
    "VotesPerExpert",
    "arrangements",
    "crowd_study",
    "shared_sessions",
]
