"""Notes of what happened, in order."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select

from covary.store.records import StoredNote, as_time, check_text, microseconds, now
from covary.store.schema import notes
from covary.store.seals import seal_added
from covary.store.writer import StoreSection, appends, reads
from covary.study.model import Study

SIMULATED_NOTE = "simulated"
"""The kind of note with which a store says that simulated judges answered, and not people."""


class Notes(StoreSection):
    """What happened: consent, background answers, breaks, remarks, ends. Notes are only added."""

    @appends
    def add(
        self,
        connection: Connection,
        judge_id: int | None,
        kind: str,
        data: Mapping[str, Any] | None = None,
        key: str | None = None,
    ) -> bool:
        """Note what happened; False when a note of this key is there already."""
        check_text("kind", kind)
        return add_note(connection, judge_id, kind, data or {}, key=key)

    @reads
    def all(
        self,
        connection: Connection,
        judge_id: int | None = None,
        kind: str | None = None,
        *,
        after: int | None = None,
    ) -> list[StoredNote]:
        """Return notes in their order: of one judge, of one kind, after one's number, or all."""
        query = select(notes).order_by(notes.c.id)
        if after is not None:
            query = query.where(notes.c.id > after)
        if judge_id is not None:
            query = query.where(notes.c.judge == judge_id)
        if kind is not None:
            query = query.where(notes.c.kind == kind)
        return [_as_note(row) for row in connection.execute(query)]

    @reads
    def last_number(self, connection: Connection) -> int:
        """Return the number of the newest note; numbers grow in the order of the commits."""
        return connection.scalar(select(func.max(notes.c.id))) or 0

    def last_of_each(self, kind: str) -> dict[int, Mapping[str, Any]]:
        """Return what the last note of a kind says about each judge."""
        return {note.judge: note.data for note in self.all(kind=kind) if note.judge is not None}

    def backgrounds(self) -> dict[int, Mapping[str, Any]]:
        """Return each judge's answers to the questions before and after the items."""
        said: dict[int, dict[str, Any]] = {}
        for kind in ("background", "questions"):
            for note in self.all(kind=kind):
                if note.judge is not None and not note.data.get("position"):
                    said.setdefault(note.judge, {}).update(note.data.get("answers", {}))
        return dict(said)

    def groups(self, study: Study) -> dict[int, str]:
        """Return the group of each judge who answered the question that makes the groups."""
        questions = [question.name for question in study.background if question.group]
        return {
            judge: " / ".join(str(answers[name]) for name in questions)
            for judge, answers in self.backgrounds().items()
            if questions and all(answers.get(name) for name in questions)
        }


def add_note(
    connection: Connection,
    judge: int | None,
    kind: str,
    data: Mapping[str, Any],
    *,
    key: str | None = None,
) -> bool:
    """Add a note; False when one of this key is there already."""
    if key is not None and connection.scalar(select(notes.c.id).where(notes.c.note_key == key)):
        return False
    connection.execute(
        insert(notes).values(
            judge=judge,
            kind=kind,
            data=json.dumps(dict(data)),
            note_key=key,
            at=microseconds(now()),
        )
    )
    seal_added(connection, notes)
    return True


def _as_note(row: Row[Any]) -> StoredNote:
    return StoredNote(
        id=row.id,
        judge=row.judge,
        kind=row.kind,
        data=json.loads(row.data),
        key=row.note_key,
        at=as_time(row.at),
    )
