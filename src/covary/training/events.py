"""What can happen in a training cycle: each event is a plain value that a store can keep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from covary.scales import Category
from covary.study.versions import Edition
from covary.training.stop import StopRule

__all__ = [
    "KINDS_OF_CHANGE",
    "Agreed",
    "Began",
    "Change",
    "Changed",
    "Event",
    "Finished",
    "JudgeJoined",
    "JudgeLeft",
    "MovedOn",
    "Proposed",
    "Rated",
    "RoundOpened",
    "Said",
    "SetAsideMark",
    "SetAsideProposal",
    "Stopped",
]

KINDS_OF_CHANGE = ("administrative", "wording", "conceptual", "rule")
"""How the rating is organised; how a sentence reads; what a judge should ask; what decides."""


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened; `at` is when, as the caller's clock says it."""

    at: str = ""


@dataclass(frozen=True)
class Began(Event):
    """The cycle began: with this manual, these judges, and these items kept for the evaluation.

    `thresholds` says for a criterion how far ratings may be apart, where the default does not do.
    """

    edition: Edition
    judges: tuple[str, ...]
    evaluation_items: tuple[str, ...] = ()
    thresholds: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    rule: StopRule = field(default_factory=StopRule)


@dataclass(frozen=True)
class RoundOpened(Event):
    """A round began with a new training set, which every judge rates alone: internalisation."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Rated(Event):
    """A judge rated a training item: the answer on each criterion, None where it does not apply.

    `seconds` is the time that it took. A second event for the same item is a change of mind.
    """

    judge: str
    item: str
    ratings: Mapping[str, Category | None]
    seconds: float | None = None


@dataclass(frozen=True)
class Finished(Event):
    """A judge has rated everything; from here on the ratings of this round are fixed."""

    judge: str


@dataclass(frozen=True)
class MovedOn(Event):
    """The judges moved on to the next phase of the round."""

    to: Literal["socialisation", "externalisation", "combination"]


@dataclass(frozen=True)
class Said(Event):
    """A judge explained a rating of a marked item, or answered somebody who did."""

    judge: str
    item: str
    criterion: str
    text: str


@dataclass(frozen=True)
class SetAsideMark(Event):
    """A marked item will not be discussed, for a reason."""

    item: str
    criterion: str
    reason: str


@dataclass(frozen=True)
class Proposed(Event):
    """A judge proposed how to generalise; `marks` are the (item, criterion) that led to it."""

    judge: str
    text: str
    marks: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Agreed(Event):
    """A judge agreed with a proposal or did not; the latest word counts."""

    judge: str
    proposal: int
    agrees: bool
    remark: str = ""


@dataclass(frozen=True)
class SetAsideProposal(Event):
    """An accepted proposal will not change the manual, for a reason."""

    proposal: int
    reason: str


@dataclass(frozen=True)
class Change:
    """One change of the manual: what it is, the sentence it left, the proposals behind it."""

    kind: str
    summary: str
    sentence: str = ""
    proposals: tuple[int, ...] = ()


@dataclass(frozen=True)
class Changed(Event):
    """Somebody wrote a new edition of the manual, beginning from the version `based_on`."""

    by: str
    based_on: str
    edition: Edition
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class JudgeJoined(Event):
    """A judge takes part from the next round on."""

    judge: str


@dataclass(frozen=True)
class JudgeLeft(Event):
    """A judge no longer takes part; what the judge rated and said stays."""

    judge: str
    reason: str


@dataclass(frozen=True)
class Stopped(Event):
    """Training ended: because the rule is met, or on the researcher's word and reason."""

    by: Literal["rule", "researcher"]
    reason: str = ""


def kinds() -> dict[str, type[Any]]:
    """Return every kind of event by its name."""
    return {each.__name__: each for each in Event.__subclasses__()}
