"""Notes of what happened, in order, and the few settings of a study that change."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from covary.errors import InvalidArgument, listed
from covary.store.records import Note, State
from covary.store.tables import notes, settings
from covary.store.times import as_time, microseconds, now

__all__ = [
    "add_note",
    "change_state",
    "found_notes",
    "last_note",
    "make_secret",
    "put_setting",
    "setting",
]

STATES: dict[str, State] = {"open": "open", "paused": "paused", "closed": "closed"}


def add_note(
    connection: Connection, judge: int | None, kind: str, data: Mapping[str, Any], key: str | None
) -> bool:
    """Add a note; False when one of this key is there already."""
    if key is not None and connection.scalar(select(notes.c.id).where(notes.c.note_key == key)):
        return False
    connection.execute(
        insert(notes).values(
            judge=judge,
            kind=kind,
            data=json.dumps(dict(data)),
            note_key=key,
            at=microseconds(now()),
        )
    )
    return True


def last_note(connection: Connection) -> int:
    """Return the number of the newest note, 0 where there is none."""
    return connection.scalar(select(func.max(notes.c.id))) or 0


def found_notes(
    connection: Connection, judge: int | None, kind: str | None, after: int | None = None
) -> list[Note]:
    """Return the notes about a judge, of a kind, after a number, or all, in their order."""
    query = select(notes).order_by(notes.c.id)
    if after is not None:
        query = query.where(notes.c.id > after)
    if judge is not None:
        query = query.where(notes.c.judge == judge)
    if kind is not None:
        query = query.where(notes.c.kind == kind)
    return [
        Note(row.id, row.judge, row.kind, json.loads(row.data), row.note_key, as_time(row.at))
        for row in connection.execute(query)
    ]


def change_state(connection: Connection, state: str) -> None:
    """Open, pause or close the study."""
    if state not in STATES:
        raise InvalidArgument(f"state={state!r} is not known; choose one of {listed(STATES)}")
    put_setting(connection, "state", state)


def make_secret(connection: Connection) -> str:
    """Return the study's secret, made when it is first asked for."""
    found = setting(connection, "secret")
    if found is None:
        found = secrets.token_hex(32)
        put_setting(connection, "secret", found)
    return found


def setting(connection: Connection, name: str) -> str | None:
    """Return a setting."""
    return connection.scalar(select(settings.c.value).where(settings.c.name == name))


def put_setting(connection: Connection, name: str, value: str) -> None:
    """Change a setting."""
    changed = connection.execute(
        update(settings).where(settings.c.name == name).values(value=value)
    )
    if not changed.rowcount:
        connection.execute(insert(settings).values(name=name, value=value))
