"""Places for recruited people: taken once each, given on when nobody works there, and the end."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal, get_args

from sqlalchemy import Connection, func, select

from covary.errors import InvalidArgument, listed
from covary.store.events import add_note
from covary.store.sheets import FREE, give, reclaim, sheet_number_of
from covary.store.tables import answers, issues, notes, sheets, visitors
from covary.store.times import microseconds, now

__all__ = [
    "ENDINGS",
    "NOTE",
    "Ending",
    "Reclaimed",
    "end",
    "ending_of",
    "note_full",
    "place_for",
    "reclaim_idle",
    "take_place",
]

Ending = Literal["done", "screened out", "failed checks", "withdrew"]
"""How a visit ends for good."""

ENDINGS: tuple[str, ...] = get_args(Ending)

NOTE = "outcome"
"""The kind of note that says how it stands with somebody who was recruited."""


@dataclass(frozen=True)
class Reclaimed:
    """What was done about those who were idle: who lost their sheet, and who was done unseen."""

    abandoned: tuple[int, ...] = ()
    done: tuple[int, ...] = ()


def place_for(connection: Connection, judge: int, places: int | None) -> int | None:
    """Return the sheet that this person has or could have now; None where there is no place."""
    held = sheet_number_of(connection, judge)
    if held is not None:
        return held
    if ending_of(connection, judge) is not None or _all_taken(connection, places):
        return None
    before = connection.scalar(
        select(issues.c.sheet).where(issues.c.judge == judge).order_by(issues.c.id.desc()).limit(1)
    )
    if before is not None:
        again = select(sheets.c.number).where(sheets.c.number == before, *FREE)
        found: int | None = connection.scalar(again)
        if found is not None or _has_rated(connection, judge):
            return found
    first: int | None = connection.scalar(select(func.min(sheets.c.number)).where(*FREE))
    return first


def take_place(connection: Connection, judge: int, places: int | None) -> int | None:
    """Give this person a place if there is one: the one they had before, or the next."""
    if sheet_number_of(connection, judge) is not None:
        return sheet_number_of(connection, judge)
    number = place_for(connection, judge, places)
    if number is None:
        return None
    again = connection.scalar(select(issues.c.id).where(issues.c.judge == judge).limit(1))
    give(connection, judge, number)
    if again is not None:
        add_note(connection, judge, NOTE, {"outcome": "at work", "sheet": number}, None)
    return number


def _all_taken(connection: Connection, places: int | None) -> bool:
    """Say whether as many recruited people have a sheet as are wanted."""
    if places is None:
        return False
    held = select(func.count()).select_from(
        visitors.join(sheets, sheets.c.judge == visitors.c.judge)
    )
    return (connection.scalar(held) or 0) >= places


def _has_rated(connection: Connection, judge: int) -> bool:
    rated = select(answers.c.id).where(answers.c.judge == judge, answers.c.kind != "practice")
    return connection.scalar(rated.limit(1)) is not None


def ending_of(connection: Connection, judge: int) -> Ending | None:
    """Return how this person's visit ended; None while it may go on."""
    mine = (notes.c.judge == judge, notes.c.kind == NOTE)
    for data in connection.scalars(select(notes.c.data).where(*mine)):
        said = json.loads(data)["outcome"]
        if said in ENDINGS:
            ended: Ending = said
            return ended
    return None


def end(
    connection: Connection, judge: int, ending: Ending, details: Mapping[str, Any]
) -> Ending | None:
    """End a visit, and return how it has ended: once for each person, whoever asks twice.

    Only a person who has a sheet can be done; every other ending sets the sheet free. None where
    somebody is to be done whose sheet was given on.
    """
    if ending not in ENDINGS:
        raise InvalidArgument(f"ending={ending!r} is not known; choose one of {listed(ENDINGS)}")
    before = ending_of(connection, judge)
    if before is not None:
        return before
    sheet = sheet_number_of(connection, judge)
    if ending == "done" and sheet is None:
        return None
    if ending == "done":
        key = f"{judge}:finished:{sheet}"
        add_note(connection, judge, "finished", {"sheet": sheet}, key)
    else:
        reclaim(connection, judge, free=True)
    data = {"outcome": ending, "sheet": sheet, **details}
    add_note(connection, judge, NOTE, data, f"{judge}:ended")
    return ending


def note_full(connection: Connection, judge: int) -> bool:
    """Note that somebody found no place, once."""
    return add_note(connection, judge, NOTE, {"outcome": "full"}, f"{judge}:full")


def reclaim_idle(connection: Connection, after: timedelta, code: str) -> Reclaimed:
    """Take back the sheets of recruited people who have done nothing for so long.

    Their answers stay. Who has judged everything and only never saw the last page is done.
    """
    since = microseconds(now() - after)
    abandoned, done = [], []
    for judge, sheet in _idle(connection, since):
        if _is_complete(connection, judge, sheet):
            end(connection, judge, "done", {"code": code, "seen": False})
            done.append(judge)
        else:
            reclaim(connection, judge, free=True)
            add_note(connection, judge, NOTE, {"outcome": "abandoned", "sheet": sheet}, None)
            abandoned.append(judge)
    return Reclaimed(tuple(abandoned), tuple(done))


def _idle(connection: Connection, since: int) -> list[tuple[int, int]]:
    """Find who holds a sheet, has not ended, and did nothing after a moment."""
    issued = select(func.max(issues.c.issued_at)).where(issues.c.judge == visitors.c.judge)
    noted = select(func.max(notes.c.at)).where(notes.c.judge == visitors.c.judge)
    answered = select(func.max(answers.c.answered_at)).where(
        answers.c.judge == visitors.c.judge, answers.c.sheet == sheets.c.number
    )
    moments = (issued, noted, answered)
    query = select(
        visitors.c.judge, sheets.c.number, *(each.scalar_subquery() for each in moments)
    ).join(sheets, sheets.c.judge == visitors.c.judge)
    return [
        (judge, sheet)
        for judge, sheet, *times in connection.execute(query.order_by(visitors.c.judge))
        if max(each or 0 for each in times) < since and ending_of(connection, judge) is None
    ]


def _is_complete(connection: Connection, judge: int, sheet: int) -> bool:
    """Say whether every task of a sheet is behind its judge."""
    written = connection.scalars(select(sheets.c.tasks).where(sheets.c.number == sheet)).one()
    mine = (notes.c.judge == judge, notes.c.kind == "left")
    left = map(json.loads, connection.scalars(select(notes.c.data).where(*mine)))
    positions = {each["position"] for each in left if each["sheet"] == sheet}
    return {each["position"] for each in json.loads(written)} <= positions
