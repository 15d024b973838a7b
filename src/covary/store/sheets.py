"""Sheets: put in, issued to one judge each, taken back."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, fields
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from covary.design.plan import Sheet, Task
from covary.errors import InvalidArgument
from covary.store.tables import answers, issues, judges, sheets
from covary.store.times import microseconds, now

__all__ = [
    "FREE",
    "all_sheets",
    "give",
    "holders",
    "issue",
    "put_sheets",
    "reclaim",
    "sheet_by_number",
    "sheet_number_of",
]

KNOWN = {each.name for each in fields(Task)}

FREE = (sheets.c.judge.is_(None), sheets.c.retired.is_(False))
"""What a sheet is that the next judge can have."""


def put_sheets(connection: Connection, given: Iterable[Sheet]) -> None:
    """Put in new sheets; one that nobody had yet is replaced, one that is in use must be equal."""
    for sheet in given:
        values = {"square_row": sheet.row, "tasks": _written(sheet)}
        there = connection.execute(
            select(sheets).where(sheets.c.number == sheet.number)
        ).one_or_none()
        if there is None:
            connection.execute(insert(sheets).values(number=sheet.number, retired=False, **values))
        elif (there.square_row, there.tasks) != (sheet.row, values["tasks"]):
            _refuse_used(connection, sheet.number)
            connection.execute(
                update(sheets).where(sheets.c.number == sheet.number).values(**values)
            )


def all_sheets(connection: Connection) -> list[Sheet]:
    """Return each sheet, by number."""
    return [_as_sheet(row) for row in connection.execute(select(sheets).order_by(sheets.c.number))]


def holders(connection: Connection) -> dict[int, int | None]:
    """Return the judge who has each sheet, None where it is free; retired sheets are left out."""
    query = select(sheets.c.number, sheets.c.judge).where(sheets.c.retired.is_(False))
    return {row.number: row.judge for row in connection.execute(query.order_by(sheets.c.number))}


def sheet_by_number(connection: Connection, number: int) -> Sheet | None:
    """Find a sheet."""
    row = connection.execute(select(sheets).where(sheets.c.number == number)).one_or_none()
    return None if row is None else _as_sheet(row)


def sheet_number_of(connection: Connection, judge: int) -> int | None:
    """Return the number of the sheet that a judge has."""
    return connection.scalar(select(sheets.c.number).where(sheets.c.judge == judge))


def issue(connection: Connection, judge: int) -> int | None:
    """Give a judge the next free sheet, or the one that is theirs already."""
    held = sheet_number_of(connection, judge)
    if held is not None:
        return held
    if connection.scalar(select(judges.c.id).where(judges.c.id == judge)) is None:
        raise InvalidArgument(f"there is no judge {judge}")
    number: int | None = connection.scalar(select(func.min(sheets.c.number)).where(*FREE))
    if number is None:
        return None
    give(connection, judge, number)
    return number


def give(connection: Connection, judge: int, number: int) -> None:
    """Give a judge who has none this sheet, which must be free."""
    connection.execute(update(sheets).where(sheets.c.number == number).values(judge=judge))
    connection.execute(
        insert(issues).values(sheet=number, judge=judge, issued_at=microseconds(now()))
    )


def reclaim(connection: Connection, judge: int, free: bool) -> int | None:
    """Take a judge's sheet back, for the next one or (not `free`) for nobody."""
    number = sheet_number_of(connection, judge)
    if number is None:
        return None
    connection.execute(
        update(sheets).where(sheets.c.number == number).values(judge=None, retired=not free)
    )
    connection.execute(
        update(issues)
        .where(issues.c.judge == judge, issues.c.reclaimed_at.is_(None))
        .values(reclaimed_at=microseconds(now()))
    )
    return number


def _refuse_used(connection: Connection, number: int) -> None:
    issued = connection.scalar(select(issues.c.id).where(issues.c.sheet == number).limit(1))
    answered = connection.scalar(select(answers.c.id).where(answers.c.sheet == number).limit(1))
    if issued is not None or answered is not None:
        raise InvalidArgument(
            f"sheet {number} was issued to a judge and cannot become another; give new sheets "
            "numbers that are not in use"
        )


def _written(sheet: Sheet) -> str:
    return json.dumps([asdict(task) for task in sheet.tasks])


def _as_sheet(row: Row[Any]) -> Sheet:
    tasks = tuple(_as_task(each) for each in json.loads(row.tasks))
    return Sheet(row.number, tasks, row.square_row)


def _as_task(stored: dict[str, Any]) -> Task:
    known = {name: value for name, value in stored.items() if name in KNOWN}
    return Task(**(known | {"order": tuple(known.get("order", ()))}))
