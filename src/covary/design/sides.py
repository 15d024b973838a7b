"""In which order the texts of an item stand: random for each judge, and balanced over judges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from covary.design.chance import stream
from covary.design.plan import Sheet, Task
from covary.design.williams import williams_square
from covary.study.model import Study

__all__ = ["Sides"]

Order = tuple[int, ...]


class Sides:
    """Chooses orders of texts, and remembers which were shown how often.

    The orders are the rows of a Williams square, so that each text comes to stand in each place
    and after each other. An item is shown in the order that it was shown in least; among several,
    in the order that this judge has met least.
    """

    def __init__(self, study: Study, seed: int, sheets: Iterable[Sheet] = ()) -> None:
        self.study = study
        self.seed = seed
        self.shown: Counter[tuple[str, str, int, Order]] = Counter()
        self.rows: dict[int, list[Order]] = {}
        for sheet in sheets:
            self._remember(sheet.tasks)

    def on(self, sheet: Sheet) -> Sheet:
        """Return the sheet with an order for each item that has several texts."""
        rng = stream(self.seed, "sides", sheet.number)
        met: Counter[Order] = Counter()
        first: dict[tuple[str, str, int], Order] = {}
        tasks = []
        for task in sheet.tasks:
            key = (task.item, task.part, task.occasion)
            size = len(self.study.item(task.item).texts)
            if size > 1 and key in first:  # a repeat is the same again
                tasks.append(replace(task, order=first[key]))
                continue
            if size > 1:
                rows = self._rows(size)
                luck = rng.permutation(len(rows))
                least = min(
                    range(len(rows)),
                    key=lambda i: (self.shown[*key, rows[i]], met[rows[i]], luck[i]),
                )
                first[key] = rows[least]
                met[rows[least]] += 1
                task = replace(task, order=rows[least])
            tasks.append(task)
        self._remember(tasks)
        return replace(sheet, tasks=tuple(tasks))

    def _rows(self, size: int) -> list[Order]:
        if size not in self.rows:
            self.rows[size] = williams_square(size)
        return self.rows[size]

    def _remember(self, tasks: Iterable[Task]) -> None:
        for task in tasks:
            if task.order and task.kind != "repeat":
                self.shown[task.item, task.part, task.occasion, task.order] += 1
