"""Did the guidelines become better from round to round, and did the judges?"""

from covary.analysis.rounds.compare import rounds
from covary.analysis.rounds.diagnosis import Cause, Diagnosis, Evidence
from covary.analysis.rounds.differences import Gap, ItemShare
from covary.analysis.rounds.fresh_group import FreshGroup
from covary.analysis.rounds.result import (
    UPPER_BOUND,
    CriterionRounds,
    History,
    Link,
    RatedAgain,
    RoundResult,
    Rounds,
    RoundTime,
    Trace,
)

__all__ = [
    "UPPER_BOUND",
    "Cause",
    "CriterionRounds",
    "Diagnosis",
    "Evidence",
    "FreshGroup",
    "Gap",
    "History",
    "ItemShare",
    "Link",
    "RatedAgain",
    "RoundResult",
    "RoundTime",
    "Rounds",
    "Trace",
    "rounds",
]
