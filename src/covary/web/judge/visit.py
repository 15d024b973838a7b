"""One judge at one moment: who, which sheet, what was noted, and so what comes next."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from covary.store.records import Answer, Judge, State
from covary.study.model import Study
from covary.web.judge.walk import Walk
from covary.web.refusals import CLOSED, PAUSED, Refusal
from covary.web.site import Site

__all__ = ["Visit", "check_open", "those_that_count", "visit"]


@dataclass(frozen=True)
class Visit:
    """A judge, and the judge's way up to now."""

    site: Site
    judge: Judge
    walk: Walk

    @property
    def study(self) -> Study:
        """The study as it was when the way was looked up, so that both fit."""
        return self.walk.study

    @property
    def sheet_number(self) -> int:
        """The number of the judge's sheet, 0 before there is one."""
        return 0 if self.walk.sheet is None else self.walk.sheet.number

    @property
    def may_stop(self) -> bool:
        """Whether the pages offer to stop for good: to recruited people who have a place."""
        recruited = "recruited" in self.judge.attributes and self.study.recruiting is not None
        return recruited and self.walk.sheet is not None

    def note(self, kind: str, data: dict[str, Any], key: str | None = None) -> None:
        """Write down that something happened; with a key, once for this judge."""
        own = None if key is None else f"{self.judge.id}:{key}"
        self.site.store.note(self.judge.id, kind, data, key=own)
        self.site.presence.more_happened(self.judge.id)

    def note_at(self, kind: str, position: int) -> None:
        """Write down that something happened at a place of the sheet, once."""
        number = self.sheet_number
        again = sum(note.kind == "practice-again" for note in self.walk.notes)
        key = f"{kind}:{number}:{position}" + f":{again}" * bool(again)
        self.note(kind, {"sheet": number, "position": position}, key)

    def answers_at(self, position: int) -> list[Answer]:
        """Return every answer that is stored for a place of the sheet, as they came."""
        return self.site.store.answers_at(self.judge.id, self.sheet_number, position)

    def values(self) -> dict[str, Any]:
        """Return what every page of a judge is drawn with."""
        return {
            "study": self.study,
            "token": self.site.proof.form_token(str(self.judge.id)),
            "stop": self.may_stop,
        }


def visit(site: Site, judge: Judge) -> Visit:
    """Look up where a judge is."""
    return Visit(site, judge, site.presence.walk(judge.id, site.store.sheet_of(judge.id)))


def those_that_count(answers: Iterable[Answer]) -> dict[str, Answer]:
    """Return the answers of one place that count, by criterion: the last that was not late."""
    return {each.criterion: each for each in answers if not each.late}


def check_open(state: State) -> None:
    """Refuse a change while the study is paused or closed."""
    if state != "open":
        raise Refusal(409, PAUSED if state == "paused" else CLOSED)
