"""One judge at one moment: who, which sheet, what was noted, and so what comes next."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from covary.store.records import Judge
from covary.study.model import Study
from covary.web.refusals import CLOSED, PAUSED, Refusal
from covary.web.site import Site
from covary.web.walk import Walk

__all__ = ["Visit", "check_open", "visit"]


@dataclass(frozen=True)
class Visit:
    """A judge, and the judge's way up to now."""

    site: Site
    judge: Judge
    walk: Walk

    @property
    def study(self) -> Study:
        return self.site.study

    @property
    def sheet_number(self) -> int:
        """The number of the judge's sheet, 0 before there is one."""
        return 0 if self.walk.sheet is None else self.walk.sheet.number

    def note(self, kind: str, data: dict[str, Any], key: str | None = None) -> None:
        """Write down that something happened; with a key, once for this judge."""
        own = None if key is None else f"{self.judge.id}:{key}"
        self.site.store.note(self.judge.id, kind, data, key=own)

    def note_at(self, kind: str, position: int) -> None:
        """Write down that something happened at a place of the sheet, once."""
        number = self.sheet_number
        self.note(kind, {"sheet": number, "position": position}, f"{kind}:{number}:{position}")

    def values(self) -> dict[str, Any]:
        """Return what every page of a judge is drawn with."""
        return {"study": self.study, "token": self.site.proof.form_token(str(self.judge.id))}


def visit(site: Site, judge: Judge) -> Visit:
    """Look up where a judge is."""
    sheet = site.store.sheet_of(judge.id)
    notes = tuple(site.store.notes(judge.id))
    return Visit(site, judge, Walk(site.study, sheet, notes, datetime.now(UTC)))


def check_open(site: Site) -> None:
    """Refuse a change while the study is paused or closed."""
    state = site.store.get_state()
    if state != "open":
        raise Refusal(409, PAUSED if state == "paused" else CLOSED)
