"""Answers in and out of their table, which only ever grows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Row, and_, exists, insert, select

from covary.errors import InvalidArgument
from covary.store.lookup import looked_up
from covary.store.records import Answer, Current, Rating, Saved
from covary.store.tables import answers, judges, sheets
from covary.store.times import as_time, microseconds

__all__ = [
    "answers_at",
    "answers_that_count",
    "as_answer",
    "current_answers",
    "every_answer",
    "save_answers",
]

TASK = (answers.c.judge, answers.c.sheet, answers.c.position, answers.c.criterion)
"""The columns that together say which answer a row is of."""

PAGE = (*TASK, answers.c.page)

KEY = (answers.c.judge, answers.c.answer_key)
"""The columns that together name an answer."""

STORED = (
    "SELECT answers.* FROM wanted JOIN answers "
    "ON answers.judge = wanted.judge AND answers.answer_key = wanted.answer_key"
)

SAME_TASK = " AND ".join(f"answers.{column.name} = wanted.{column.name}" for column in TASK)

NEWEST = (
    "SELECT wanted.*, (SELECT max(answers.sequence) FROM answers "
    f"WHERE {SAME_TASK} AND answers.page = wanted.page) AS highest, "
    f"EXISTS (SELECT 1 FROM answers WHERE {SAME_TASK}) AS answered FROM wanted"
)

AT_ONCE = 1000  # rows fetched at a time by a cursor


@dataclass
class Before:
    """What had come before: which tasks were answered, and how far each page had counted."""

    answered: set[tuple[Any, ...]] = field(default_factory=set)
    highest: dict[tuple[Any, ...], int] = field(default_factory=dict)


def save_answers(connection: Connection, requests: list[list[Answer]]) -> list[list[Saved]]:
    """Add the answers that are new, in their order, and say of each what became of it.

    The caller alone may write, so what is read here still holds when it commits.
    """
    batch = [answer for request in requests for answer in request]
    known = _known(connection, batch)
    before = _before(connection, batch)
    new = []
    replies = []
    for answer in batch:
        key = (answer.judge, answer.key)
        again = key in known
        if not again:
            known[key] = _as_row(answer, before)
            new.append(known[key])
        _refuse_another(answer, known[key])
        replies.append(Saved(answer.key, again, bool(known[key]["late"])))
    if new:
        connection.execute(insert(answers), new)
    following = iter(replies)
    return [[next(following) for _ in request] for request in requests]


def answers_at(connection: Connection, judge: int, sheet: int, position: int) -> list[Answer]:
    """Return every answer of one judge at one position of a sheet, as they came."""
    where = (answers.c.judge == judge, answers.c.sheet == sheet, answers.c.position == position)
    query = select(answers).where(*where).order_by(answers.c.id)
    return [as_answer(row) for row in connection.execute(query)]


def current_answers(
    connection: Connection, judge: int, sheet: int
) -> dict[tuple[int, str], Answer]:
    """Return the answers that count on one judge's sheet, by position and criterion."""
    query = (
        select(answers)
        .where(answers.c.judge == judge, answers.c.sheet == sheet, answers.c.late.is_(False))
        .order_by(*TASK, answers.c.id)
    )
    return {(row.position, row.criterion): as_answer(row) for row in connection.execute(query)}


def answers_that_count(connection: Connection) -> Iterator[Current]:
    """Go through all answers that count, judge by judge in the order of their sheets."""
    later = answers.alias()
    overruled = exists().where(
        *(later.c[each.name] == each for each in TASK),
        later.c.id > answers.c.id,
        later.c.late.is_(False),
    )
    held = and_(sheets.c.number == answers.c.sheet, sheets.c.judge == answers.c.judge)
    query = (
        select(answers, judges.c.name, judges.c.group_name, sheets.c.number.label("held"))
        .join(judges, judges.c.id == answers.c.judge)
        .outerjoin(sheets, held)
        .where(answers.c.late.is_(False), ~overruled)
        .order_by(*TASK)
    )
    for row in _streamed(connection, query):
        yield Current(row.id, as_answer(row), row.name, row.group_name, row.held is None)


def every_answer(connection: Connection) -> Iterator[tuple[int, bool, Answer]]:
    """Go through every answer as it came: its number, whether it changed another, the answer."""
    for row in _streamed(connection, select(answers).order_by(answers.c.id)):
        yield row.id, row.changed, as_answer(row)


def as_answer(row: Row[Any]) -> Answer:
    """Read an answer from its row."""
    return Answer(
        judge=row.judge,
        sheet=row.sheet,
        position=row.position,
        item=row.item,
        criterion=row.criterion,
        rating=None if row.rating is None else _rating(row.rating),
        key=row.answer_key,
        page=row.page,
        sequence=row.sequence,
        touched=row.touched,
        occasion=row.occasion,
        kind=row.kind,
        manual=row.manual,
        seconds=row.seconds,
        shown_at=None if row.shown_at is None else as_time(row.shown_at),
        answered_at=as_time(row.answered_at),
        order=_order(row.shown_order),
        late=row.late,
    )


def _streamed(connection: Connection, query: Any) -> Iterator[Row[Any]]:
    streaming = connection.execution_options(yield_per=AT_ONCE)
    yield from streaming.execute(query)


def _known(connection: Connection, batch: list[Answer]) -> dict[tuple[int, str], Any]:
    """Find the answers of the batch that are stored already, by judge and key."""
    keys = {(answer.judge, answer.key) for answer in batch}
    found = looked_up(connection, KEY, keys, STORED)
    return {(row["judge"], row["answer_key"]): row for row in found}


def _before(connection: Connection, batch: list[Answer]) -> Before:
    """Find what had come before on the tasks of the batch."""
    found = Before()
    for row in looked_up(connection, PAGE, {_page(answer) for answer in batch}, NEWEST):
        *task, page = (row[column.name] for column in PAGE)
        if row["highest"] is not None:
            found.highest[*task, page] = row["highest"]
        if row["answered"]:
            found.answered.add(tuple(task))
    return found


def _page(answer: Answer) -> tuple[Any, ...]:
    return (*_task(answer), answer.page)


def _task(answer: Answer) -> tuple[int, int, int, str]:
    return (answer.judge, answer.sheet, answer.position, answer.criterion)


def _as_row(answer: Answer, before: Before) -> dict[str, Any]:
    """Write an answer as a row, late when its page had already sent a newer one."""
    changed = _task(answer) in before.answered
    highest = before.highest.get(_page(answer), answer.sequence)
    before.answered.add(_task(answer))
    before.highest[_page(answer)] = max(highest, answer.sequence)
    assert answer.answered_at is not None
    return {
        "judge": answer.judge,
        "sheet": answer.sheet,
        "position": answer.position,
        "criterion": answer.criterion,
        "item": answer.item,
        "kind": answer.kind,
        "occasion": answer.occasion,
        "rating": _written(answer.rating),
        "touched": answer.touched,
        "late": answer.sequence < highest,
        "changed": changed,
        "manual": answer.manual,
        "page": answer.page,
        "sequence": answer.sequence,
        "answer_key": answer.key,
        "shown_order": json.dumps(answer.order),
        "seconds": answer.seconds,
        "shown_at": None if answer.shown_at is None else microseconds(answer.shown_at),
        "answered_at": microseconds(answer.answered_at),
    }


@lru_cache(maxsize=4096)
def _rating(text: str) -> Rating:
    rating: Rating = json.loads(text)
    return rating


@lru_cache(maxsize=256)
def _order(text: str) -> tuple[int, ...]:
    return tuple(json.loads(text))


def _written(rating: object) -> str | None:
    """Write a rating as JSON: 4, 4.0 and '4' stay different."""
    return None if rating is None else json.dumps(rating)


def _refuse_another(answer: Answer, stored: Any) -> None:
    """Refuse a key that already names another answer, which would be lost."""
    same = all(
        stored[name] == getattr(answer, name) for name in ("sheet", "position", "criterion")
    ) and stored["rating"] == _written(answer.rating)
    if not same:
        raise InvalidArgument(
            f"key={answer.key!r} already names another answer of this judge; every answer needs a "
            "key of its own"
        )
