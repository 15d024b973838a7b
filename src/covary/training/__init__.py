"""The guideline cycle as pure decisions: rate alone, discuss, generalise, write it down, again."""

from covary.training.cycle import Cycle
from covary.training.events import (
    KINDS_OF_CHANGE,
    Agreed,
    Began,
    Change,
    Changed,
    Event,
    Finished,
    JudgeJoined,
    JudgeLeft,
    MovedOn,
    Proposed,
    Rated,
    RoundOpened,
    Said,
    SetAsideMark,
    SetAsideProposal,
    Stopped,
)
from covary.training.of_study import begin, open_set, rule_of, unused_sets
from covary.training.opening import check_training_set
from covary.training.refusals import Refused, StaleEdit
from covary.training.state import PHASES, Mark, Proposal, Round
from covary.training.stop import StopRule, Verdict
from covary.training.written import as_dict, as_event

__all__ = [
    "KINDS_OF_CHANGE",
    "PHASES",
    "Agreed",
    "Began",
    "Change",
    "Changed",
    "Cycle",
    "Event",
    "Finished",
    "JudgeJoined",
    "JudgeLeft",
    "Mark",
    "MovedOn",
    "Proposal",
    "Proposed",
    "Rated",
    "Refused",
    "Round",
    "RoundOpened",
    "Said",
    "SetAsideMark",
    "SetAsideProposal",
    "StaleEdit",
    "StopRule",
    "Stopped",
    "Verdict",
    "as_dict",
    "as_event",
    "begin",
    "check_training_set",
    "open_set",
    "rule_of",
    "unused_sets",
]
