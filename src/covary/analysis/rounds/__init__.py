"""Did the guidelines become better from round to round, and did the judges?"""

from covary.analysis.rounds.compare import rounds
from covary.analysis.rounds.diagnosis import Cause, Diagnosis, Evidence
from covary.analysis.rounds.found import (
    UPPER_BOUND,
    CriterionRounds,
    RoundFound,
    Rounds,
    RoundTime,
    Traced,
)
from covary.analysis.rounds.fresh import Fresh
from covary.analysis.rounds.history import History, Link
from covary.analysis.rounds.shares import Gap, Share

__all__ = [
    "UPPER_BOUND",
    "Cause",
    "CriterionRounds",
    "Diagnosis",
    "Evidence",
    "Fresh",
    "Gap",
    "History",
    "Link",
    "RoundFound",
    "RoundTime",
    "Rounds",
    "Share",
    "Traced",
    "rounds",
]
