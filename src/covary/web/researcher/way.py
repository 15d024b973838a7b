"""Each page of a judge's way, in order, with what would have been noted on the way to it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from covary.design.plan import Sheet
from covary.store.records import Note
from covary.study.model import Study
from covary.web.judge.walk import Step, Walk

__all__ = ["Stop", "Ways"]

LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)

TITLES = {
    "consent": "Consent",
    "declined": "If a judge does not agree",
    "background": "Questions about the judge",
    "guidelines": "Guidelines",
    "practice-over": "After the practice",
    "wait": "Between two sessions",
    "occasion": "Another session begins",
    "part": "Another part begins",
    "break": "A break",
    "preferred": "Which part was preferred",
    "remarks": "Remarks",
    "done": "The end",
}


@dataclass(frozen=True)
class Stop:
    """One page of a judge's way, and the notes of a judge who stands there."""

    name: str
    title: str
    sheet: Sheet
    before: tuple[Note, ...] = ()

    @property
    def notes(self) -> list[Note]:
        """The notes; all of them have just been made where a judge is to wait."""
        if self.name != "wait":
            return list(self.before)
        return [replace(note, at=datetime.now(UTC)) for note in self.before]


class Ways:
    """The ways of a study's sheets, which are remembered, because to walk one takes a while."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self.of = lru_cache(maxsize=32)(self._walked)

    def _walked(self, sheet: Sheet) -> tuple[Stop, ...]:
        """Return each page of the way in order; last the page of those who do not agree."""
        found: list[Stop] = []
        notes: list[Note] = []
        walk = Walk(self._study, sheet, (), datetime.now(UTC))
        while (step := walk.step()).name != "done":
            if step.name == "occasion" and self._study.session.occasion_gap_hours:
                found.append(Stop("wait", TITLES["wait"], sheet, tuple(notes)))
            found.append(Stop(step.name, _title(walk, step), sheet, tuple(notes)))
            notes.append(_passed(self._study, sheet, step))
            walk = replace(walk, notes=tuple(notes))
        notes.append(_note("finished", sheet=sheet.number))  # or the page would leave at once
        found.append(Stop("done", TITLES["done"], sheet, tuple(notes)))
        if self._study.consent:
            refused = (_note("consent", agreed=False),)
            found.append(Stop("declined", TITLES["declined"], sheet, refused))
        return tuple(found)


def _title(walk: Walk, step: Step) -> str:
    if step.name != "item":
        return TITLES[step.name]
    assert step.task is not None
    return walk.progress(step.task).words


def _passed(study: Study, sheet: Sheet, step: Step) -> Note:
    """What is noted when a judge goes on from a page."""
    if step.name == "consent":
        return _note("consent", agreed=True)
    if step.name == "guidelines":
        return _note("guidelines", version=study.manual.version)
    if step.task is None:
        return _note(step.name)
    kind = "left" if step.name == "item" else step.name
    return _note(kind, sheet=sheet.number, position=step.task.position)


def _note(kind: str, **data: Any) -> Note:
    return Note(0, 0, kind, data, None, LONG_AGO)
