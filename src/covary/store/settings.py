"""The few settings of a study that the store keeps: its state, its secret, its newest seal."""

from __future__ import annotations

import secrets
from typing import get_args

from sqlalchemy import Connection, insert, select, update

from covary.errors import InvalidArgument
from covary.store.records import State
from covary.store.schema import settings

STATES: tuple[State, ...] = get_args(State)


def read_state(connection: Connection) -> State:
    """Return whether the study is open, paused or closed."""
    stored = read_setting(connection, "state") or "open"
    return next(state for state in STATES if state == stored)


def change_state(connection: Connection, state: str) -> None:
    """Open, pause or close the study."""
    if state not in STATES:
        raise InvalidArgument("store.unknown-state", argument="state", value=state, allowed=STATES)
    put_setting(connection, "state", state)


def make_secret(connection: Connection) -> str:
    """Return the study's secret, made when it is first asked for."""
    secret = read_setting(connection, "secret")
    if secret is None:
        secret = secrets.token_hex(32)
        put_setting(connection, "secret", secret)
    return secret


def read_setting(connection: Connection, name: str) -> str | None:
    """Return a setting."""
    return connection.scalar(select(settings.c.value).where(settings.c.name == name))


def put_setting(connection: Connection, name: str, value: str) -> None:
    """Change a setting."""
    changed = connection.execute(
        update(settings).where(settings.c.name == name).values(value=value)
    )
    if not changed.rowcount:
        connection.execute(insert(settings).values(name=name, value=value))
