"""How far a study is: counted once, and then only what is new is counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import Any

from sqlalchemy import Connection, func, select

from covary.store.tables import answers
from covary.store.times import as_time

__all__ = ["Counts", "Progress", "Tally"]


@dataclass(frozen=True)
class Progress:
    """How far one judge is on one sheet: what was answered, how often changed, and when last."""

    answered: int
    changed: int
    last_at: datetime


@dataclass(frozen=True)
class Counts:
    """How far a study is.

    `judges` is by judge and sheet. `items` says how often each item was answered on each
    criterion; a hidden repeat is not counted as another answer. `answers` counts every row.
    """

    judges: Mapping[tuple[int, int], Progress]
    items: Mapping[tuple[str, str], int]
    answers: int

    def of_judge(self, judge: int, sheet: int) -> int:
        """Return how many answers a judge has given on a sheet, changes not counted."""
        found = self.judges.get((judge, sheet))
        return 0 if found is None else found.answered


class Tally:
    """Counts that remember up to which answer they have come.

    Answers are only added, and their numbers grow in the order of the commits, so that what was
    counted once need not be looked at again.
    """

    def __init__(self) -> None:
        self._last = 0
        self._rows = 0
        self._judges: dict[tuple[int, int], Progress] = {}
        self._items: dict[tuple[str, str], int] = {}
        self._alone = Lock()

    def counted(self, connection: Connection) -> Counts:
        """Count what is new and return all counts."""
        with self._alone:
            newest = connection.scalar(select(func.max(answers.c.id))) or 0
            if newest > self._last:
                new = (answers.c.id > self._last, answers.c.id <= newest)
                self._count_judges(connection, new)
                self._count_items(connection, new)
                self._last = newest
            return Counts(dict(self._judges), dict(self._items), self._rows)

    def _count_judges(self, connection: Connection, new: Any) -> None:
        place = (answers.c.judge, answers.c.sheet, answers.c.changed)
        query = select(*place, func.count(), func.max(answers.c.answered_at)).where(*new)
        for judge, sheet, changed, number, at in connection.execute(query.group_by(*place)):
            before = self._judges.get((judge, sheet), Progress(0, 0, as_time(at)))
            self._judges[judge, sheet] = Progress(
                before.answered + (0 if changed else number),
                before.changed + (number if changed else 0),
                max(before.last_at, as_time(at)),
            )
            self._rows += number

    def _count_items(self, connection: Connection, new: Any) -> None:
        first = (answers.c.changed.is_(False), answers.c.kind != "repeat")
        place = (answers.c.item, answers.c.criterion)
        query = select(*place, func.count()).where(*new, *first).group_by(*place)
        for item, criterion, number in connection.execute(query):
            self._items[item, criterion] = self._items.get((item, criterion), 0) + number
