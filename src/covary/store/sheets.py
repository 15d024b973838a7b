"""Sheets: put in, issued to one judge each, taken back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from covary.design.plan import Sheet, Task
from covary.errors import InvalidArgument
from covary.store.records import microseconds, now
from covary.store.schema import answers, issues, judges, sheets
from covary.store.seals import seal_changed
from covary.store.writer import StoreSection, Transactions, reads, writes

TASK_FIELDS = {field.name for field in fields(Task)}

AT_ONCE = 1000

FREE = (sheets.c.judge.is_(None), sheets.c.retired.is_(False))
"""What a sheet is that the next judge can have."""


class Sheets(StoreSection):
    """Who rates what. A sheet that somebody has never changes and is read once."""

    def __init__(self, transactions: Transactions) -> None:
        super().__init__(transactions)
        self._read: dict[int, Sheet] = {}

    def put(self, new: Iterable[Sheet]) -> None:
        """Put in sheets to be issued.

        The same sheet again changes nothing. A sheet that nobody ever had is replaced; to replace
        one that was issued is refused.
        """
        self._put(list(new))
        self._read.clear()

    @writes
    def _put(self, connection: Connection, new: list[Sheet]) -> None:
        changed = []
        for sheet in new:
            numbered = sheets.c.number == sheet.number
            values = {"square_row": sheet.row, "tasks": _serialise(sheet), "part": sheet.part}
            stored = connection.execute(select(sheets).where(numbered)).one_or_none()
            if stored is None:
                row = {"number": sheet.number, "retired": False, **values}
                connection.execute(insert(sheets).values(**row))
                changed.append(sheet.number)
            elif (stored.square_row, stored.tasks) != (sheet.row, values["tasks"]):
                _refuse_used(connection, sheet.number)
                connection.execute(update(sheets).where(numbered).values(**values))
                changed.append(sheet.number)
        seal_changed(connection, sheets, changed)

    @reads
    def all(self, connection: Connection) -> list[Sheet]:
        """Return all sheets by number."""
        return all_sheets(connection)

    @reads
    def holders(self, connection: Connection) -> dict[int, int | None]:
        """Return the judge who has each sheet, None where it is free; retired ones are left out."""
        query = select(sheets.c.number, sheets.c.judge).where(sheets.c.retired.is_(False))
        rows = connection.execute(query.order_by(sheets.c.number))
        return {row.number: row.judge for row in rows}

    @reads
    def of(self, connection: Connection, judge_id: int) -> Sheet | None:
        """Return the sheet that a judge has."""
        return self.held_by(connection, judge_id)

    def issue(self, judge_id: int, number: int | None = None, *, part: str = "") -> Sheet | None:
        """Give a judge the next free sheet, or the one they have; None when there is none left.

        With a `number` it is that sheet, unless somebody else was quicker; with `part`, the next
        free sheet that is of this part only.
        """
        self._issue(judge_id, number, part)
        return self.of(judge_id)

    @reads
    def free_parts(self, connection: Connection) -> list[str]:
        """Return the part of each free sheet by number; empty where it is of several."""
        query = select(sheets.c.part).where(*FREE).order_by(sheets.c.number)
        return list(connection.scalars(query))

    @writes
    def _issue(self, connection: Connection, judge: int, wanted: int | None, part: str) -> None:
        if sheet_number_of(connection, judge) is not None:
            return
        if connection.scalar(select(judges.c.id).where(judges.c.id == judge)) is None:
            raise InvalidArgument("store.judge-unknown", argument="judge_id", value=judge)
        number = first_free(connection, wanted, part=part) or first_free(connection, part=part)
        if number is not None:
            give(connection, judge, number)

    @writes
    def reclaim(self, connection: Connection, judge_id: int, *, free: bool = True) -> int | None:
        """Take a judge's sheet back and return its number; the answers on it stay, as abandoned.

        The sheet is then the next judge's, or with `free=False` nobody's: put in one of its own
        that stands for the same row (see `covary.design`).
        """
        return reclaim(connection, judge_id, free=free)

    def held_by(self, connection: Connection, judge: int) -> Sheet | None:
        """Return the sheet that a judge has, within a transaction."""
        return self.held(connection, [judge]).get(judge)

    def held(self, connection: Connection, holders: Sequence[int]) -> dict[int, Sheet]:
        """Return the sheets that judges have, by judge, within a transaction."""
        numbers = sheet_numbers_of(connection, holders)
        known = {number: self._read.get(number) for number in numbers.values()}
        unread = [number for number, sheet in known.items() if sheet is None]
        for start in range(0, len(unread), AT_ONCE):
            query = select(sheets).where(sheets.c.number.in_(unread[start : start + AT_ONCE]))
            known |= {row.number: _as_sheet(row) for row in connection.execute(query)}
        found = {number: sheet for number, sheet in known.items() if sheet is not None}
        self._read |= found
        return {judge: found[number] for judge, number in numbers.items()}


def all_sheets(connection: Connection) -> list[Sheet]:
    """Return each sheet, by number."""
    return [_as_sheet(row) for row in connection.execute(select(sheets).order_by(sheets.c.number))]


def sheet_number_of(connection: Connection, judge: int) -> int | None:
    """Return the number of the sheet that a judge has."""
    return connection.scalar(select(sheets.c.number).where(sheets.c.judge == judge))


def sheet_numbers_of(connection: Connection, holders: Sequence[int]) -> dict[int, int]:
    """Return the numbers of the sheets that judges have, by judge."""
    numbers: dict[int, int] = {}
    for start in range(0, len(holders), AT_ONCE):
        part = holders[start : start + AT_ONCE]
        held = select(sheets.c.judge, sheets.c.number).where(sheets.c.judge.in_(part))
        numbers |= {row.judge: row.number for row in connection.execute(held)}
    return numbers


def first_free(connection: Connection, wanted: int | None = None, *, part: str = "") -> int | None:
    """Return the number of the sheet that the next judge gets; only a wanted one, where given.

    With `part`, only sheets that are of this part.
    """
    only = () if wanted is None else (sheets.c.number == wanted,)
    own = (sheets.c.part == part,) if part else ()
    free = select(func.min(sheets.c.number)).where(*FREE, *only, *own)
    number: int | None = connection.scalar(free)
    return number


def give(connection: Connection, judge: int, number: int) -> None:
    """Give a judge who has none this sheet, which must be free."""
    connection.execute(update(sheets).where(sheets.c.number == number).values(judge=judge))
    connection.execute(
        insert(issues).values(sheet=number, judge=judge, issued_at=microseconds(now()))
    )


def reclaim(connection: Connection, judge: int, *, free: bool) -> int | None:
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
    """Refuse to change a sheet that somebody had: their answers would be about other items."""
    for table in (issues, answers):
        if connection.scalar(select(table.c.id).where(table.c.sheet == number).limit(1)):
            raise InvalidArgument("store.sheet-used", sheet=number)


def _serialise(sheet: Sheet) -> str:
    return json.dumps([asdict(task) for task in sheet.tasks])


def _as_sheet(row: Row[Any]) -> Sheet:
    tasks = tuple(_as_task(stored) for stored in json.loads(row.tasks))
    return Sheet(row.number, tasks, row.square_row)


def _as_task(stored: dict[str, Any]) -> Task:
    known = {name: value for name, value in stored.items() if name in TASK_FIELDS}
    return Task(**(known | {"order": tuple(known.get("order", ()))}))
