"""Answers in and out of their table, which only ever grows."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from itertools import chain
from operator import attrgetter
from threading import Lock
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    and_,
    exists,
    func,
    select,
    text,
)

from covary.errors import InvalidArgument
from covary.scales import CannotJudge, Passage
from covary.store.database import QuickStatement
from covary.store.records import (
    Answer,
    CountedAnswer,
    LoggedAnswer,
    Rating,
    Receipt,
    accept_answers,
    as_time,
    microseconds,
)
from covary.store.schema import answers, judges, sheets
from covary.store.seals import seal_added
from covary.store.sheets import sheet_number_of
from covary.store.writer import StoreSection, Transactions, reads

TASK = (answers.c.judge, answers.c.sheet, answers.c.position, answers.c.criterion)
"""The columns that together say which answer a row is of."""

SOUGHT = (*TASK, answers.c.page, answers.c.answer_key)
"""What is asked about the answers that come in."""

SAME_TASK = " AND ".join(f"answers.{column.name} = wanted.{column.name}" for column in TASK)

WHAT_CAME_BEFORE = (
    f"SELECT wanted.*, EXISTS (SELECT 1 FROM answers WHERE {SAME_TASK}), "
    "(SELECT max(answers.sequence) FROM answers "
    f"WHERE {SAME_TASK} AND answers.page = wanted.page), answers.late, "
    "answers.sheet, answers.position, answers.criterion, answers.rating "
    "FROM wanted LEFT JOIN answers "
    "ON answers.judge = wanted.judge AND answers.answer_key = wanted.answer_key"
)

AS_GIVEN = (
    *("judge", "sheet", "position", "criterion", "item", "kind", "occasion"),
    *("touched", "manual", "item_version", "page", "sequence", "seconds"),
)
"""What an answer and its row have alike."""

AS_WRITTEN = (
    *("rating", "passages", "late", "changed", "answer_key"),
    *("shown_order", "shown_at", "answered_at"),
)
"""What is written into a row after these."""

NEW_ANSWERS = QuickStatement(
    text(
        f"INSERT INTO answers ({', '.join((*AS_GIVEN, *AS_WRITTEN))}) "
        f"VALUES ({', '.join(f':{name}' for name in (*AS_GIVEN, *AS_WRITTEN))})"
    )
)

AT_ONCE = 1000  # rows fetched at a time by a cursor

MOST_SOUGHT = 1024  # by one statement


class Answers(StoreSection):
    """What judges said: every answer as it came, and the ones that count."""

    def __init__(self, transactions: Transactions) -> None:
        super().__init__(transactions)
        self._counts = RunningCounts()

    def save(self, new: Sequence[Answer]) -> list[Receipt]:
        """Save answers, all or none, and return when they are durable.

        Saving the same key again changes nothing and is no error.
        """
        return self.save_soon(new).result()

    def save_in_loop(self, new: Sequence[Answer]) -> asyncio.Future[list[Receipt]]:
        """Save answers as `save_soon` does; the future is one of the loop that runs now.

        What one commit holds is told to the loop at once, and not answer by answer.
        """
        accepted = accept_answers(new)
        return self._transactions.writer.submit_in_loop(save_answers, accepted, repeatable=True)

    def save_soon(self, new: Sequence[Answer]) -> Future[list[Receipt]]:
        """Save answers as `save` does, and return at once; the future waits until it is done.

        Raises `InvalidArgument` for an answer that cannot be stored, and `StoreBusy` when too
        much waits already; whatever else goes wrong, the future raises.
        """
        accepted = accept_answers(new)
        return self._transactions.writer.submit(save_answers, accepted, repeatable=True)

    @reads
    def current(self, connection: Connection, judge_id: int) -> dict[tuple[int, str], Answer]:
        """Return the answers that count on the sheet a judge has, by position and criterion."""
        sheet = sheet_number_of(connection, judge_id)
        mine = (answers.c.judge == judge_id, answers.c.sheet == sheet, answers.c.late.is_(False))
        query = select(answers).where(*mine).order_by(*TASK, answers.c.id)
        return {(row.position, row.criterion): _as_answer(row) for row in connection.execute(query)}

    @reads
    def at(self, connection: Connection, judge_id: int, sheet: int, position: int) -> list[Answer]:
        """Return every answer of a judge at one position, as they came, late ones too."""
        here = (
            answers.c.judge == judge_id,
            answers.c.sheet == sheet,
            answers.c.position == position,
        )
        query = select(answers).where(*here).order_by(answers.c.id)
        return [_as_answer(row) for row in connection.execute(query)]

    def counted(self) -> Iterator[CountedAnswer]:
        """Go through all answers that count, with who gave them, without holding them all.

        They come judge by judge, in the order of their sheets.
        """
        query = (
            select(answers, judges.c.name, judges.c.group_name, sheets.c.number.label("held"))
            .join(judges, judges.c.id == answers.c.judge)
            .outerjoin(sheets, HELD)
            .where(answers.c.late.is_(False), ~_overruled())
            .order_by(*TASK)
        )
        for row in self._stream(query):
            yield CountedAnswer(
                id=row.id,
                answer=_as_answer(row),
                judge=row.name,
                group=row.group_name,
                abandoned=row.held is None,
            )

    @reads
    def selected(
        self,
        connection: Connection,
        *,
        judge: int | None = None,
        item: str | None = None,
        criterion: str | None = None,
        first: int = 0,
        most: int = 50,
    ) -> tuple[int, list[LoggedAnswer]]:
        """Return how many answers there are of a judge, an item, a criterion, and some of them.

        The newest come first: `most` of them, after the `first` ones.
        """
        wanted = {"judge": judge, "item": item, "criterion": criterion}
        chosen = [answers.c[name] == value for name, value in wanted.items() if value is not None]
        number = connection.scalar(select(func.count()).select_from(answers).where(*chosen)) or 0
        counts = and_(answers.c.late.is_(False), ~_overruled(), sheets.c.number.is_not(None))
        query = (
            select(answers, judges.c.name, counts.label("counts"))
            .join(judges, judges.c.id == answers.c.judge)
            .outerjoin(sheets, HELD)
            .where(*chosen)
            .order_by(answers.c.id.desc())
            .offset(first)
            .limit(most)
        )
        return number, [
            LoggedAnswer(id=row.id, answer=_as_answer(row), judge=row.name, counts=bool(row.counts))
            for row in connection.execute(query)
        ]

    def log(self) -> Iterator[tuple[int, bool, Answer]]:
        """Go through every answer as it came: its number, whether it is a change, the answer."""
        for row in self._stream(select(answers).order_by(answers.c.id)):
            yield row.id, row.changed, _as_answer(row)

    @reads
    def manuals(self, connection: Connection) -> tuple[str, ...]:
        """Return the versions of the manual under which anything but practice was answered."""
        query = select(answers.c.manual).where(answers.c.kind != "practice").distinct()
        return tuple(sorted(connection.scalars(query)))

    @reads
    def any_counted(self, connection: Connection) -> bool:
        """Say whether anybody has answered more than practice."""
        query = select(answers.c.id).where(answers.c.kind != "practice").limit(1)
        return connection.scalar(query) is not None

    @reads
    def counts(self, connection: Connection) -> AnswerCounts:
        """Return how far the study is; only what is new since the last call is counted."""
        return self._counts.up_to_date(connection)

    @reads
    def left_behind(
        self, connection: Connection, judges_of: Collection[int]
    ) -> dict[tuple[str, str], int]:
        """Return how often these judges answered each item on sheets they no longer have."""
        left: Counter[tuple[str, str]] = Counter()
        place, wanted = (answers.c.item, answers.c.criterion), sorted(judges_of)
        for begin in range(0, len(wanted), MOST_SOUGHT):
            some = answers.c.judge.in_(wanted[begin : begin + MOST_SOUGHT])
            query = select(*place, func.count()).where(some, ~exists().where(HELD), *FIRST_TIME)
            for item, criterion, number in connection.execute(query.group_by(*place)):
                left[item, criterion] += number
        return dict(left)

    def _stream(self, query: Any) -> Iterator[Row[Any]]:
        with self._transactions.database.reading() as connection:
            yield from connection.execution_options(yield_per=AT_ONCE).execute(query)


HELD = and_(sheets.c.number == answers.c.sheet, sheets.c.judge == answers.c.judge)
"""Whether the judge who answered still has the sheet."""

FIRST_TIME = (answers.c.changed.is_(False), answers.c.kind != "repeat")
"""An answer that is neither a change of an earlier one nor one to a hidden repeat."""


def _overruled() -> ColumnElement[bool]:
    """Whether a later answer to the same question counts instead."""
    later = answers.alias()
    return exists().where(
        *(later.c[column.name] == column for column in TASK),
        later.c.id > answers.c.id,
        later.c.late.is_(False),
    )


# how far a study is


@dataclass(frozen=True)
class SheetProgress:
    """How far one judge is on one sheet: what was answered, how often changed, and when last."""

    answered: int
    changed: int
    last_at: datetime


@dataclass(frozen=True)
class AnswerCounts:
    """How far a study is.

    `judges` is by judge and sheet. `items` says how often each item was answered on each
    criterion; a hidden repeat is not counted as another answer. `answers` counts every row.
    """

    judges: Mapping[tuple[int, int], SheetProgress]
    items: Mapping[tuple[str, str], int]
    answers: int


class RunningCounts:
    """Counts that remember up to which answer they have come.

    Answers are only added, and their numbers grow in the order of the commits, so that what was
    counted once need not be looked at again.
    """

    def __init__(self) -> None:
        self._last = 0
        self._rows = 0
        self._judges: dict[tuple[int, int], SheetProgress] = {}
        self._items: dict[tuple[str, str], int] = {}
        self._alone = Lock()

    def up_to_date(self, connection: Connection) -> AnswerCounts:
        """Count what is new and return all counts."""
        with self._alone:
            newest = connection.scalar(select(func.max(answers.c.id))) or 0
            if newest > self._last:
                new = (answers.c.id > self._last, answers.c.id <= newest)
                self._count_judges(connection, new)
                self._count_items(connection, new)
                self._last = newest
            return AnswerCounts(dict(self._judges), dict(self._items), self._rows)

    def _count_judges(self, connection: Connection, new: Any) -> None:
        place = (answers.c.judge, answers.c.sheet, answers.c.changed)
        query = select(*place, func.count(), func.max(answers.c.answered_at)).where(*new)
        for judge, sheet, changed, number, at in connection.execute(query.group_by(*place)):
            before = self._judges.get((judge, sheet), SheetProgress(0, 0, as_time(at)))
            self._judges[judge, sheet] = SheetProgress(
                before.answered + (0 if changed else number),
                before.changed + (number if changed else 0),
                max(before.last_at, as_time(at)),
            )
            self._rows += number

    def _count_items(self, connection: Connection, new: Any) -> None:
        place = (answers.c.item, answers.c.criterion)
        query = select(*place, func.count()).where(*new, *FIRST_TIME).group_by(*place)
        for item, criterion, number in connection.execute(query):
            self._items[item, criterion] = self._items.get((item, criterion), 0) + number


# saving


@dataclass
class PriorAnswers:
    """What had come before: which tasks were answered, and how far each page had counted.

    `stored` has the answers of the same keys: what of an answer a key stands for, and whether it
    was late.
    """

    answered: set[tuple[Any, ...]] = field(default_factory=set)
    highest: dict[tuple[Any, ...], int] = field(default_factory=dict)
    stored: dict[tuple[int, str], tuple[tuple[Any, ...], bool]] = field(default_factory=dict)


def save_answers(connection: Connection, requests: list[list[Answer]]) -> list[list[Receipt]]:
    """Add the answers that are new, in their order, and say of each what became of it.

    The caller alone may write, so what is read here still holds when it commits.
    """
    before = _before(connection, [answer for request in requests for answer in request])
    new: list[tuple[Any, ...]] = []
    replies = [[_add(answer, before, new) for answer in request] for request in requests]
    if new:
        NEW_ANSWERS.run(connection, *new)
        seal_added(connection, answers)
    return replies


def _before(connection: Connection, batch: list[Answer]) -> PriorAnswers:
    """Find what had come before on the tasks of the batch, and under its keys."""
    before = PriorAnswers()
    for row in _look_up(connection, set(map(_sought, batch))):
        answered, highest, late = row[6:9]
        if answered:
            before.answered.add(row[:4])
        if highest is not None:
            before.highest[row[:5]] = highest
        if late is not None:
            before.stored[row[0], row[5]] = row[9:], bool(late)
    return before


def _add(answer: Answer, before: PriorAnswers, new: list[tuple[Any, ...]]) -> Receipt:
    """Add the row of an answer to those that are new, unless its key is stored already.

    It is late when its page had already sent a newer one.
    """
    key, task, page = (answer.judge, answer.key), _task(answer), _page(answer)
    says = (answer.sheet, answer.position, answer.criterion, _serialise(answer.rating))
    if key in before.stored:
        stored, late = before.stored[key]
        if stored != says:  # a key that names another answer, which would be lost
            raise InvalidArgument("store.key-taken", argument="key", value=answer.key)
        return Receipt(answer.key, again=True, late=late)
    late = answer.sequence < before.highest.get(page, answer.sequence)
    new.append(_as_row(answer, late=late, changed=task in before.answered))
    before.answered.add(task)
    if not late:
        before.highest[page] = answer.sequence
    before.stored[key] = says, late
    return Receipt(answer.key, again=False, late=late)


_task = attrgetter(*(column.name for column in TASK))
_page = attrgetter(*(column.name for column in TASK), "page")
_sought = attrgetter(*(column.name for column in TASK), "page", "key")


def _look_up(
    connection: Connection, wanted: Collection[tuple[Any, ...]]
) -> Iterator[tuple[Any, ...]]:
    """Ask what had come before; `wanted` holds the values of `SOUGHT`.

    The plain way to find rows by several columns, `(a, b) IN (…)`, makes SQLite look through the
    whole table, and a statement for each number of values would have to be prepared for each. So
    the values are a table to be joined, as long as the next power of two: what is missing repeats
    the last.
    """
    left = list(wanted)
    while left:
        part, left = left[:MOST_SOUGHT], left[MOST_SOUGHT:]
        size = 1 << (len(part) - 1).bit_length()
        part += [part[-1]] * (size - len(part))
        yield from _what_came_before(size).rows(connection, tuple(chain.from_iterable(part)))


@lru_cache(maxsize=64)
def _what_came_before(size: int) -> QuickStatement:
    width = len(SOUGHT)
    first = (f"CAST(:v{n} AS {column.type})" for n, column in enumerate(SOUGHT))
    others = (f":v{n}" for n in range(width, width * size))
    rows = (f"({', '.join(row)})" for row in zip(*[chain(first, others)] * width, strict=True))
    names = ", ".join(column.name for column in SOUGHT)
    wanted = f"WITH wanted ({names}) AS (VALUES {', '.join(rows)})"
    return QuickStatement(text(f"{wanted} {WHAT_CAME_BEFORE}"))


# answers as rows


def _as_row(answer: Answer, *, late: bool, changed: bool) -> tuple[Any, ...]:
    """Write an answer as a row of `AS_GIVEN` and `AS_WRITTEN`."""
    assert answer.answered_at is not None
    given: tuple[Any, ...] = _given(answer)
    return (
        *given,
        _serialise(answer.rating),
        _write_passages(answer.passages),
        late,
        changed,
        answer.key,
        json.dumps(answer.order) if answer.order else "[]",
        None if answer.shown_at is None else microseconds(answer.shown_at),
        microseconds(answer.answered_at),
    )


_given = attrgetter(*AS_GIVEN)


def _as_answer(row: Row[Any]) -> Answer:
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
        item_version=row.item_version,
        seconds=row.seconds,
        shown_at=None if row.shown_at is None else as_time(row.shown_at),
        answered_at=as_time(row.answered_at),
        order=_order(row.shown_order),
        late=row.late,
        passages=_read_passages(row.passages) if row.passages else (),
    )


def _write_passages(passages: Sequence[Passage]) -> str:
    rows = [[each.where, each.start, each.end, each.quote] for each in passages]
    return json.dumps(rows, ensure_ascii=False) if rows else ""


def _read_passages(stored: str) -> tuple[Passage, ...]:
    return tuple(Passage(*row) for row in json.loads(stored))


CANNOT_JUDGE = "cannot_judge"
"""The key under which the reason of somebody who cannot judge is kept."""


@lru_cache(maxsize=4096)
def _rating(stored: str) -> Rating:
    rating = json.loads(stored)
    return CannotJudge(rating[CANNOT_JUDGE]) if isinstance(rating, dict) else rating


@lru_cache(maxsize=256)
def _order(stored: str) -> tuple[int, ...]:
    return tuple(json.loads(stored))


def _serialise(rating: object) -> str | None:
    """Write a rating as JSON: 4, 4.0 and '4' stay different."""
    if isinstance(rating, CannotJudge):
        return json.dumps({CANNOT_JUDGE: rating.reason})
    return None if rating is None else json.dumps(rating)
