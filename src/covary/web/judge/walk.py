"""What comes next for a judge: a pure function of the study, the sheet, the answers and the notes.

A judge's way is consent, background questions, guidelines, practice, items with breaks, which
scale was preferred, remarks, the end. Nothing here knows of HTTP or of a database, so that the
same way can be walked by a browser, a test or a simulated judge.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Literal, Protocol

from covary.design.plan import Sheet, Task
from covary.study.model import Study

__all__ = ["Noted", "Progress", "Step", "StepName", "Walk", "asks_preference"]

StepName = Literal[
    "consent", "declined", "background", "guidelines", "sheet", "practice-over", "occasion",
    "part", "break", "item", "wait", "preferred", "remarks", "done",
]  # fmt: skip


class Noted(Protocol):
    """An event of a judge's way, as the store keeps it."""

    @property
    def kind(self) -> str: ...
    @property
    def data(self) -> Mapping[str, Any]: ...
    @property
    def at(self) -> datetime: ...


@dataclass(frozen=True)
class Step:
    """What to show next; `task` for an item, `until` for a session that is not open yet."""

    name: StepName
    task: Task | None = None
    until: datetime | None = None

    @property
    def about(self) -> int:
        """The position that this step stands before, 0 where it belongs to the whole study."""
        return 0 if self.task is None else self.task.position


@dataclass(frozen=True)
class Progress:
    """How far a judge is, in words and as a share."""

    words: str
    done: int
    total: int


@dataclass(frozen=True)
class Walk:
    """A judge's way through a study.

    Parameters
    ----------
    study, sheet
        What is judged, and what this judge is to judge; None before a sheet was given out.
    notes
        The judge's events so far. A task is behind the judge when there is a note `left` with its
        sheet and position, which is written only when every criterion was answered; a note
        `practice-again` puts the practice before the judge once more.
    now
        The clock of the server.
    """

    study: Study
    sheet: Sheet | None
    notes: tuple[Noted, ...]
    now: datetime

    def step(self) -> Step:
        """Return what comes next."""
        return self._step

    @cached_property
    def _step(self) -> Step:
        before = self._before_items()
        if before is not None:
            return before
        if self.sheet is None:
            return Step("sheet")
        task = self.frontier()
        return self._after_items() if task is None else self._at(task)

    def frontier(self) -> Task | None:
        """Return the first task that is not behind the judge; None when all are."""
        left = self.left()
        return next((task for task in self._tasks if task.position not in left), None)

    def left(self) -> frozenset[int]:
        """Return the positions that are behind the judge."""
        return self._left

    @cached_property
    def _left(self) -> frozenset[int]:
        number = None if self.sheet is None else self.sheet.number
        practice = {task.position for task in self._tasks if task.kind == "practice"}
        left: set[int] = set()
        for note in self.notes:
            if note.kind == "left" and note.data.get("sheet") == number:
                left.add(int(note.data["position"]))
            elif note.kind == "practice-again" and note.data.get("sheet") == number:
                left -= practice
        return frozenset(left)

    def may_see(self, position: int) -> Task | None:
        """Return the task at a position if the judge may be there now: the next, or one before.

        Earlier items can be seen again where the study lets judges go back, within the occasion.
        """
        step = self.step()
        here = self.task(position)
        if here is None or step.name not in ("item", "break", "part", "practice-over"):
            return None
        assert step.task is not None
        if position == step.task.position:
            return here if step.name == "item" else None
        return here if self._can_return(here, step.task) else None

    def before(self, task: Task) -> Task | None:
        """Return the task to go back to from here, if there is one and the study allows it."""
        back = self.task(task.position - 1)
        return back if back is not None and self._can_return(back, task) else None

    def after(self, task: Task) -> Task | None:
        """Return the task behind this one."""
        return self.task(task.position + 1)

    def task(self, position: int) -> Task | None:
        """Return the task at a position of the sheet."""
        return self._tasks[position - 1] if 0 < position <= len(self._tasks) else None

    def progress(self, task: Task) -> Progress:
        """Say how far a judge is at a task: practice and items are counted apart."""
        practising = task.kind == "practice"
        alike = [
            each
            for each in self._tasks
            if (each.kind == "practice") == practising and each.occasion == task.occasion
        ]
        place = alike.index(task) + 1
        word = "Practice" if practising else "Item"
        return Progress(f"{word} {place} of {len(alike)}", place - 1, len(alike))

    @property
    def _tasks(self) -> tuple[Task, ...]:
        return () if self.sheet is None else self.sheet.tasks

    def _before_items(self) -> Step | None:
        if self.study.consent:
            agreed = [note.data.get("agreed") for note in self.notes if note.kind == "consent"]
            if not agreed:
                return Step("consent")
            if not agreed[-1]:
                return Step("declined")
        if self.study.background and not self._noted("background"):
            return Step("background")
        version = self.study.manual.version
        if self.study.manual.guidelines.strip() and not self._noted("guidelines", version=version):
            return Step("guidelines")
        return None

    def _at(self, task: Task) -> Step:
        """Return the task, or what stands between the judge and it."""
        behind = self.task(task.position - 1)
        if behind is None:
            return Step("item", task)
        if task.occasion != behind.occasion:
            return self._next_occasion(behind, task)
        for name in self._between(behind, task):
            if not self._passed(name, task):
                return Step(name, task)
        return Step("item", task)

    def _between(self, behind: Task, task: Task) -> Iterator[StepName]:
        """The pages between two items of one occasion, in their order."""
        if behind.kind == "practice" and task.kind != "practice":
            yield "practice-over"
            return
        if self._break_due(task):
            yield "break"
        if task.part != behind.part:
            yield "part"

    def _next_occasion(self, behind: Task, task: Task) -> Step:
        ended = max(note.at for note in self.notes if self._leaves(note, behind))
        opens = ended + timedelta(hours=self.study.session.occasion_gap_hours)
        if self.now < opens:
            return Step("wait", task, opens)
        return Step("item" if self._passed("occasion", task) else "occasion", task)

    def _leaves(self, note: Noted, task: Task) -> bool:
        assert self.sheet is not None
        where = (note.data.get("sheet"), note.data.get("position"))
        return note.kind == "left" and where == (self.sheet.number, task.position)

    def _break_due(self, task: Task) -> bool:
        every = self.study.session.break_every
        done = self.progress(task).done
        return every > 0 and task.kind != "practice" and done > 0 and done % every == 0

    def _after_items(self) -> Step:
        if asks_preference(self.study) and not self._noted("preferred"):
            return Step("preferred")
        if self.study.session.remarks and not self._noted("remarks"):
            return Step("remarks")
        return Step("done")

    def _noted(self, kind: str, **data: Any) -> bool:
        return any(
            note.kind == kind and all(note.data.get(name) == data[name] for name in data)
            for note in self.notes
        )

    def _passed(self, kind: str, task: Task) -> bool:
        assert self.sheet is not None
        return self._noted(kind, sheet=self.sheet.number, position=task.position)

    def _can_return(self, back: Task, task: Task) -> bool:
        return (
            self.study.session.go_back
            and back.position <= task.position
            and back.occasion == task.occasion
            and (back.kind == "practice") == (task.kind == "practice")
            and back.position in self.left()
        )


def asks_preference(study: Study) -> bool:
    """Say whether judges are asked which of several parts they liked better."""
    return study.session.ask_preference and len(study.parts) > 1
