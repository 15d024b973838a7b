"""The events of the guideline cycle, kept one by one in the order in which they happened."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, func, insert, or_, select

from covary.errors import InvalidArgument
from covary.store.acceptance import check_text
from covary.store.faults import StoreError
from covary.store.records import CycleEvent
from covary.store.tables import cycle_events
from covary.store.times import as_time, microseconds, now

__all__ = ["add_event", "found_events", "last_edition", "written_event"]

WITH_EDITION = ("Began", "Changed")
"""The events that hold an edition of the manual; each is written with its kind first."""


def written_event(event: Mapping[str, Any]) -> str:
    """Write an event as it is kept; what could not be given back unchanged is refused."""
    _check_texts(event)
    try:
        return json.dumps(dict(event), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidArgument(f"the event cannot be kept: {error}") from None


def add_event(connection: Connection, written: str, number: int, key: str | None) -> bool:
    """Add an event as the next one; False when its number or its key is taken."""
    last = connection.scalar(select(func.max(cycle_events.c.number))) or 0
    if number > last + 1:
        raise InvalidArgument(f"after event {last} comes {last + 1}, and not {number}")
    if number <= last or (key is not None and _is_taken(connection, key)):
        return False
    values = {"number": number, "event": written, "event_key": key, "at": microseconds(now())}
    connection.execute(insert(cycle_events).values(**values))
    return True


def found_events(connection: Connection, after: int) -> list[CycleEvent]:
    """Return the events after a number, in their order."""
    query = select(cycle_events).where(cycle_events.c.number > after)
    rows = connection.execute(query.order_by(cycle_events.c.number))
    return [
        CycleEvent(row.number, _read(row.number, row.event), row.event_key, as_time(row.at))
        for row in rows
    ]


def last_edition(connection: Connection) -> Mapping[str, Any] | None:
    """Return the newest edition of the manual that an event holds; None before a cycle began."""
    written = [cycle_events.c.event.startswith(f'{{"event": "{kind}"') for kind in WITH_EDITION]
    query = select(cycle_events).where(or_(*written)).order_by(cycle_events.c.number.desc())
    row = connection.execute(query.limit(1)).first()
    found: Mapping[str, Any] | None = None if row is None else _read(*row[:2]).get("edition")
    return found


def _read(number: int, written: str) -> Any:
    try:
        return json.loads(written)
    except ValueError:
        raise StoreError(
            f"event {number} of the guideline cycle cannot be read; run covary check-store"
        ) from None


def _is_taken(connection: Connection, key: str) -> bool:
    query = select(cycle_events.c.number).where(cycle_events.c.event_key == key)
    return connection.scalar(query) is not None


def _check_texts(value: Any) -> None:
    """Refuse characters that no text has, wherever they stand in an event."""
    if isinstance(value, str):
        check_text("text", value)
    elif isinstance(value, Mapping):
        for each in (*value.keys(), *value.values()):
            _check_texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            _check_texts(each)
