"""What can happen in a training cycle: plain values, and dicts that a store can keep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from types import MappingProxyType
from typing import Any, Literal

from covary.errors import InvalidArgument
from covary.scales import Category
from covary.study.manual import Edition
from covary.training.stop_rule import StopRule

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
class EvaluationFirst(Event):
    """The evaluation began before any training, or without one, on the researcher's word."""


@dataclass(frozen=True)
class RoundOpened(Event):
    """A round began with a new training set, which every judge rates alone: internalisation.

    `parts` names the only part of the study that asks about an item, where there is one. `again`
    is for the set of the round before, which judges rate once more after they have discussed it.
    """

    items: tuple[str, ...]
    parts: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    again: bool = False


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
    """A judge explained a rating of a marked item, or answered somebody who did.

    Without a criterion ('') it is about the item as a whole, and about each of its marks.
    """

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


def as_dict(event: Event) -> dict[str, Any]:
    """Write an event as plain values, ready for JSON.

    Examples
    --------
    >>> from covary.training.events import Finished
    >>> as_dict(Finished("Ann"))
    {'event': 'Finished', 'judge': 'Ann', 'at': ''}
    """
    plain = {name: _plain(getattr(event, name)) for name in _field_names(type(event))}
    return {"event": type(event).__name__} | plain


def as_event(stored: Mapping[str, Any]) -> Event:
    """Read an event that `as_dict` wrote.

    Examples
    --------
    >>> as_event({"event": "Finished", "judge": "Ann"})
    Finished(at='', judge='Ann')
    """
    name = stored.get("event")
    kinds = {kind.__name__: kind for kind in Event.__subclasses__()}
    if name not in kinds:
        raise InvalidArgument("training.unknown-event", value=name, allowed=kinds)
    kind: type[Any] = kinds[name]
    values = {name: value for name, value in stored.items() if name != "event"}
    unknown = [name for name in values if name not in _field_names(kind)]
    missing = [own.name for own in fields(kind) if _required(own) and own.name not in values]
    if unknown or missing:
        raise InvalidArgument("training.bad-event", kind=name, missing=missing, unknown=unknown)
    event: Event = kind(**{name: _parse(name, value) for name, value in values.items()})
    return event


def _field_names(kind: type[Any]) -> list[str]:
    """The fields of an event, those of every event last."""
    return [*(own.name for own in fields(kind) if own.name != "at"), "at"]


def _required(own: Any) -> bool:
    return own.default is MISSING and own.default_factory is MISSING


def _plain(value: Any) -> Any:
    if isinstance(value, Edition | StopRule):
        return value.to_dict()
    if isinstance(value, Change):
        return {own.name: _plain(getattr(value, own.name)) for own in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    return value.item() if hasattr(value, "item") else value


def _parse(name: str, value: Any) -> Any:
    if name == "edition":
        return Edition.from_dict(value)
    if name == "rule":
        return StopRule(**value)
    if name == "changes":
        changes = ({**change, "proposals": tuple(change.get("proposals", ()))} for change in value)
        return tuple(Change(**change) for change in changes)
    if isinstance(value, list):
        return tuple(tuple(part) if isinstance(part, list) else part for part in value)
    return value
