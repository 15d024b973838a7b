"""Events as plain dicts and back, so that a store can keep them one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from covary.errors import InvalidArgument
from covary.study.versions import Edition
from covary.training.events import Change, Event, kinds
from covary.training.stop import StopRule

__all__ = ["as_dict", "as_event"]


def as_dict(event: Event) -> dict[str, Any]:
    """Write an event as plain values, ready for JSON.

    Examples
    --------
    >>> from covary.training.events import Finished
    >>> as_dict(Finished("Ann"))
    {'event': 'Finished', 'judge': 'Ann', 'at': ''}
    """
    found = {name: _plain(getattr(event, name)) for name in _names(type(event))}
    return {"event": type(event).__name__} | found


def as_event(written: Mapping[str, Any]) -> Event:
    """Read an event that `as_dict` wrote.

    Examples
    --------
    >>> as_event({"event": "Finished", "judge": "Ann"})
    Finished(at='', judge='Ann')
    """
    kind = written.get("event")
    known = kinds()
    if kind not in known:
        raise InvalidArgument(f"{kind!r} is no event of a training cycle; there are {list(known)}")
    wanted = known[kind]
    given = {name: value for name, value in written.items() if name != "event"}
    unknown = [name for name in given if name not in _names(wanted)]
    missing = [each.name for each in fields(wanted) if _required(each) and each.name not in given]
    if unknown or missing:
        raise InvalidArgument(f"the event {kind!r} lacks {missing} and has {unknown} too many")
    made: Event = wanted(**{name: _read(name, value) for name, value in given.items()})
    return made


def _names(kind: type[Any]) -> list[str]:
    """The fields, those of every event last."""
    found = [each.name for each in fields(kind)]
    return [*(name for name in found if name != "at"), "at"]


def _required(each: Any) -> bool:
    return each.default is MISSING and each.default_factory is MISSING


def _plain(value: Any) -> Any:
    if isinstance(value, Edition | StopRule):
        return value.to_dict()
    if isinstance(value, Change):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    return value.item() if hasattr(value, "item") else value


def _read(name: str, value: Any) -> Any:
    if name == "edition":
        return Edition.from_dict(value)
    if name == "rule":
        return StopRule(**value)
    if name == "changes":
        return tuple(
            Change(**{**each, "proposals": tuple(each.get("proposals", ()))}) for each in value
        )
    if isinstance(value, list):
        return tuple(tuple(each) if isinstance(each, list) else each for each in value)
    return value
