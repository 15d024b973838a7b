"""What is wrong with the events of the guideline cycle, and what to do about it."""

from __future__ import annotations

import json
from collections.abc import Iterator

from sqlalchemy import Connection, Row, select

from covary.errors import CovaryError, listed
from covary.store.records import Problem
from covary.store.tables import cycle_events
from covary.training import Cycle, as_event

__all__ = ["cycle_in", "look_at_cycle"]

RESTORE = "keep a copy of the file as it is, and go back to the last backup"

SHOWN = 5


def look_at_cycle(connection: Connection) -> Iterator[Problem]:
    """Find gaps in the numbers of the events, and events that cannot be read or do not fit."""
    rows = _rows(connection)
    there = [row.number for row in rows]
    missing = sorted(set(range(1, max(there, default=0) + 1)) - set(there))
    if missing:
        told = f"events of the guideline cycle are missing: {listed(missing, SHOWN)}"
        yield Problem("cycle-gap", told, RESTORE, len(missing))
        return
    _, fault = _folded(rows)
    if fault is not None:
        yield fault


def cycle_in(connection: Connection) -> Cycle:
    """Return the guideline cycle as far as it can be read."""
    return _folded(_rows(connection))[0]


def _rows(connection: Connection) -> list[Row[tuple[int, str]]]:
    query = select(cycle_events.c.number, cycle_events.c.event)
    return list(connection.execute(query.order_by(cycle_events.c.number)))


def _folded(rows: list[Row[tuple[int, str]]]) -> tuple[Cycle, Problem | None]:
    cycle = Cycle()
    for row in rows:
        try:
            cycle = cycle.apply(as_event(json.loads(row.event)))
        except (CovaryError, ValueError, KeyError, TypeError, AttributeError) as error:
            told = f"event {row.number} of the guideline cycle does not fit: {error}"
            return cycle, Problem("cycle-event", told, RESTORE)
    return cycle, None
