"""What comes next for a judge: a pure function of the study, the sheet, the answers and the notes.

A judge's way is consent, background questions, guidelines, practice, items with breaks and what
is asked between them, questions, which scale was preferred, remarks, the end. Nothing here knows of
HTTP or of a database, so that the same way can be walked by a browser, a test or a simulated judge.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Literal, Protocol

from covary.design.plan import Sheet, Task
from covary.study.model import Study

StepName = Literal[
    "consent",
    "declined",
    "background",
    "guidelines",
    "sheet",
    "practice-over",
    "occasion",
    "part",
    "break",
    "feedback",
    "questions",
    "item",
    "wait",
    "preferred",
    "remarks",
    "done",
]


class NotedEvent(Protocol):
    """An event of a judge's way, as the store keeps it."""

    @property
    def kind(self) -> str: ...
    @property
    def data(self) -> Mapping[str, Any]: ...
    @property
    def at(self) -> datetime: ...


@dataclass(frozen=True)
class FlowStep:
    """What to show next; `task` for an item, `until` for a session that is not open yet."""

    name: StepName
    task: Task | None = None
    until: datetime | None = None

    @property
    def about(self) -> int:
        """The position that this step stands before, 0 where it belongs to the whole study."""
        return 0 if self.task is None else self.task.position


@dataclass(frozen=True)
class FlowProgress:
    """How far a judge is: at which place of how many, and how many are done."""

    place: int
    done: int
    total: int
    practice: bool = False

    @property
    def words(self) -> str:
        """The place in English, for researchers."""
        return f"{'Practice' if self.practice else 'Item'} {self.place} of {self.total}"


@dataclass(frozen=True)
class JudgeFlow:
    """A judge's way through a study.

    Parameters
    ----------
    study, sheet
        What is judged, and what this judge is to judge; None before a sheet was given out.
    notes
        The judge's events so far. A task is behind the judge when there is a note `left` with its
        sheet and position, which is written only when every criterion was answered; a note
        `practice-again` puts the practice, and what is told after it, before the judge once more.
    now
        The clock of the server.
    """

    study: Study
    sheet: Sheet | None
    notes: tuple[NotedEvent, ...]
    now: datetime

    def step(self) -> FlowStep:
        """Return what comes next."""
        return self._step

    @cached_property
    def _step(self) -> FlowStep:
        before = self._before_items()
        if before is not None:
            return before
        if self.sheet is None:
            return FlowStep("sheet")
        told = self._feedback_due()
        if told is not None:
            return FlowStep("feedback", told)
        task = self.frontier()
        return self._after_items() if task is None else self._at(task)

    def _feedback_due(self) -> Task | None:
        """Return the task just left whose known answer the judge is to be told."""
        frontier = self.frontier()
        last = len(self._tasks) if frontier is None else frontier.position - 1
        behind = self.task(last)
        if behind is None or behind.kind not in self.study.session.feedback:
            return None
        known = self.study.item(behind.item).expected
        return behind if known and not self._passed("feedback", behind) else None

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
            elif self._practises_again(note):
                left -= practice
        return frozenset(left)

    def may_see(self, position: int) -> Task | None:
        """Return the task at a position if the judge may be there now: the next, or one before.

        Earlier items can be seen again where the study lets judges go back, within the occasion.
        """
        step = self.step()
        here = self.task(position)
        if here is not None and step.name == "item" and step.task in self.on_page(here):
            return here
        between = ("item", "break", "questions", "part", "practice-over")
        if here is None or step.task is None or step.name not in between:
            return None
        if position == step.task.position:
            return None
        return here if self._can_return(here, step.task) else None

    def before(self, task: Task) -> Task | None:
        """Return the task to go back to from here, if there is one and the study allows it."""
        back = self.task(self.on_page(task)[0].position - 1)
        return back if back is not None and self._can_return(back, task) else None

    def task(self, position: int) -> Task | None:
        """Return the task at a position of the sheet."""
        return self._tasks[position - 1] if 0 < position <= len(self._tasks) else None

    def shows_dialogue(self, task: Task) -> bool:
        """Say whether the page of a task is that of the dialogue to which its turn belongs."""
        cluster = self.study.item(task.item).cluster
        return cluster is not None and self.study.design.page_of(task.part) == "dialogue"

    def on_page(self, task: Task) -> tuple[Task, ...]:
        """Return the tasks on the page of a task: itself, or the turns of its dialogue."""
        if not self.shows_dialogue(task):
            return (task,)
        first = last = task.position
        while self._share_page(self.task(first - 1), task):
            first -= 1
        while self._share_page(self.task(last + 1), task):
            last += 1
        return self._tasks[first - 1 : last]

    def _share_page(self, other: Task | None, task: Task) -> bool:
        """Say whether another task is a turn of the same dialogue, on one page."""
        if other is None or not self.shows_dialogue(other):
            return False
        told = self.study.session.feedback
        same = (task.part, task.occasion, task.kind == "practice", self._cluster(task))
        own = (other.part, other.occasion, other.kind == "practice", self._cluster(other))
        return own == same and other.kind not in told and task.kind not in told

    def _cluster(self, task: Task) -> str | None:
        return self.study.item(task.item).cluster

    def dialogue_progress(self, task: Task) -> FlowProgress:
        """Say how far a judge is in dialogues: pages are counted, not turns."""
        pages = list(dict.fromkeys(self.on_page(other) for other in self._alike(task)))
        place = pages.index(self.on_page(task)) + 1
        return FlowProgress(place, place - 1, len(pages), task.kind == "practice")

    def progress(self, task: Task) -> FlowProgress:
        """Say how far a judge is at a task: practice and items are counted apart."""
        alike = self._alike(task)
        place = alike.index(task) + 1
        return FlowProgress(place, place - 1, len(alike), task.kind == "practice")

    def _alike(self, task: Task) -> list[Task]:
        """The tasks that are counted together: practice or not, of one occasion."""
        practising = task.kind == "practice"
        return [
            other
            for other in self._tasks
            if (other.kind == "practice") == practising and other.occasion == task.occasion
        ]

    @property
    def _tasks(self) -> tuple[Task, ...]:
        return () if self.sheet is None else self.sheet.tasks

    def _before_items(self) -> FlowStep | None:
        if self.study.consent:
            agreed = [note.data.get("agreed") for note in self.notes if note.kind == "consent"]
            if not agreed:
                return FlowStep("consent")
            if not agreed[-1]:
                return FlowStep("declined")
        if self.study.background_at("before") and not self._noted("background"):
            return FlowStep("background")
        version = self.study.manual.version
        if self.study.manual.guidelines.strip() and not self._noted("guidelines", version=version):
            return FlowStep("guidelines")
        return None

    def _at(self, task: Task) -> FlowStep:
        """Return the task, or what stands between the judge and it."""
        behind = self.task(task.position - 1)
        if behind is None or behind in self.on_page(task):
            return FlowStep("item", task)
        if task.occasion != behind.occasion:
            return self._next_occasion(behind, task)
        for name in self._between(behind, task):
            if not self._passed(name, task):
                return FlowStep(name, task)
        return FlowStep("item", task)

    def _between(self, behind: Task, task: Task) -> Iterator[StepName]:
        """The pages between two items of one occasion, in their order."""
        if behind.kind == "practice" and task.kind != "practice":
            yield "practice-over"
            return
        between = self.study.background_at("between")
        if between and (self._break_due(task) or task.part != behind.part):
            yield "questions"
        if self._break_due(task):
            yield "break"
        if task.part != behind.part and task.kind != "practice":  # which finishes no part
            yield "part"

    def _next_occasion(self, behind: Task, task: Task) -> FlowStep:
        ended = max(note.at for note in self.notes if self._leaves(note, behind))
        opens = ended + timedelta(hours=self.study.session.occasion_gap_hours)
        if self.now < opens:
            return FlowStep("wait", task, opens)
        if not self._passed("occasion", task):
            return FlowStep("occasion", task)
        asks = self.study.background_at("between") and not self._passed("questions", task)
        return FlowStep("questions" if asks else "item", task)

    def _leaves(self, note: NotedEvent, task: Task) -> bool:
        assert self.sheet is not None
        where = (note.data.get("sheet"), note.data.get("position"))
        return note.kind == "left" and where == (self.sheet.number, task.position)

    def _break_due(self, task: Task) -> bool:
        every = self.study.session.break_every
        behind = self.task(task.position - 1)
        if every == 0 or task.kind == "practice" or behind is None or behind.kind == "practice":
            return False
        before = self.progress(self.on_page(behind)[0]).done
        return self.progress(task).done // every > before // every

    def _after_items(self) -> FlowStep:
        if self.study.background_at("after") and not self._noted("questions", position=0):
            return FlowStep("questions")
        if asks_preference(self.study) and not self._noted("preferred"):
            return FlowStep("preferred")
        if self.study.session.remarks and not self._noted("remarks"):
            return FlowStep("remarks")
        return FlowStep("done")

    def _noted(self, kind: str, **data: Any) -> bool:
        return any(
            note.kind == kind and all(note.data.get(name) == data[name] for name in data)
            for note in self.notes
        )

    def _passed(self, kind: str, task: Task) -> bool:
        """Say whether a page at a task is behind the judge; practice done again has it again."""
        assert self.sheet is not None
        if kind not in self._kinds:  # every save asks; going through all notes takes long
            return False
        place = {"sheet": self.sheet.number, "position": task.position}
        passed = False
        for note in self.notes:
            if note.kind == kind and all(note.data.get(name) == place[name] for name in place):
                passed = True
            elif task.kind == "practice" and self._practises_again(note):
                passed = False
        return passed

    @cached_property
    def _kinds(self) -> frozenset[str]:
        return frozenset(note.kind for note in self.notes)

    def _practises_again(self, note: NotedEvent) -> bool:
        number = None if self.sheet is None else self.sheet.number
        return note.kind == "practice-again" and note.data.get("sheet") == number

    def _can_return(self, back: Task, task: Task) -> bool:
        return (
            self.study.session.go_back
            and back.occasion == task.occasion
            and (back.kind == "practice") == (task.kind == "practice")
            and back.position in self.left()
            and not self._passed("feedback", back)
        )


def asks_preference(study: Study) -> bool:
    """Say whether judges are asked which of several parts they liked better."""
    return study.session.ask_preference and len(study.parts) > 1
