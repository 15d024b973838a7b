"""`Store`: what a study collects, on SQLite or PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from covary.design.plan import Sheet
from covary.store import answers, cycles, events, people, sheets
from covary.store.acceptance import accepted, check_text
from covary.store.admission import Admission
from covary.store.backup import back_up
from covary.store.check import look_through
from covary.store.counts import Counts, Tally
from covary.store.database import Database, Place
from covary.store.faults import StoreError
from covary.store.readiness import Workload, check_ready
from covary.store.records import (
    Answer,
    Current,
    CycleEvent,
    Note,
    Problem,
    Saved,
    Standing,
    State,
)
from covary.store.serving import ServingLock
from covary.study.model import Study

__all__ = ["Store"]


class Store(Admission):
    """What a study collects: judges, their sheets, every answer, and what happened.

    Answers are only ever added; the one that counts is derived from them. Everything that is
    written goes through one thread, which commits what waits in one transaction (see `Writer`).
    A method that writes returns when that is durable. All methods may be called from any thread.
    """

    def __init__(self, database: Database, lock: ServingLock | None = None) -> None:
        super().__init__(database, lock)
        self._sheets: dict[int, Sheet] = {}
        self._tally = Tally()

    # the study

    def get_state(self) -> State:
        """Return whether the study is open, paused or closed."""
        with self.database.reading() as connection:
            return events.STATES[events.setting(connection, "state") or "open"]

    def set_state(self, state: State) -> None:
        """Open, pause or close the study."""
        self._write(events.change_state, state)

    # sheets

    def standing(self, token: str) -> Standing | None:
        """Return whom a token lets in, the sheet and the study's state, all at one moment."""
        with self.database.reading() as connection:
            judge = people.judge_by_token(connection, token)
            if judge is None:
                return None
            sheet = self._sheet(connection, sheets.sheet_number_of(connection, judge.id))
            state = events.STATES[events.setting(connection, "state") or "open"]
            return Standing(judge, sheet, state)

    def put_sheets(self, given: Iterable[Sheet]) -> None:
        """Put in sheets to be issued.

        The same sheet again changes nothing. A sheet that nobody ever had is replaced; to replace
        one that was issued is refused.
        """
        self._write(sheets.put_sheets, list(given))
        self._sheets.clear()

    def sheets(self) -> list[Sheet]:
        """Return all sheets by number."""
        with self.database.reading() as connection:
            return sheets.all_sheets(connection)

    def holders(self) -> dict[int, int | None]:
        """Return, for each sheet in use, the judge who has it."""
        with self.database.reading() as connection:
            return sheets.holders(connection)

    def sheet_of(self, judge_id: int) -> Sheet | None:
        """Return the sheet that a judge has."""
        with self.database.reading() as connection:
            return self._sheet(connection, sheets.sheet_number_of(connection, judge_id))

    def issue_sheet(self, judge_id: int) -> Sheet | None:
        """Give a judge the next free sheet, or the one they have; None when there is none left."""
        number = self._write(sheets.issue, judge_id)
        with self.database.reading() as connection:
            return self._sheet(connection, number)

    def reclaim(self, judge_id: int, *, free: bool = True) -> int | None:
        """Take a judge's sheet back and return its number; the answers on it stay, as abandoned.

        The sheet is then the next judge's, or with `free=False` nobody's: put in one of its own
        that stands for the same row (see `covary.design`).
        """
        return self._write(sheets.reclaim, judge_id, free)

    # what happened

    def note(
        self,
        judge_id: int | None,
        kind: str,
        data: Mapping[str, Any] | None = None,
        key: str | None = None,
    ) -> bool:
        """Note what happened; False when a note of this key is there already."""
        check_text("kind", kind)
        return self._write(events.add_note, judge_id, kind, data or {}, key)

    def notes(
        self, judge_id: int | None = None, kind: str | None = None, *, after: int | None = None
    ) -> list[Note]:
        """Return notes in their order: of one judge, of one kind, after one's number, or all."""
        with self.database.reading() as connection:
            return events.found_notes(connection, judge_id, kind, after)

    def last_note(self) -> int:
        """Return the number of the newest note; numbers grow in the order of the commits."""
        with self.database.reading() as connection:
            return events.last_note(connection)

    # the guideline cycle

    def cycle_events(self, after: int = 0) -> list[CycleEvent]:
        """Return the events of the guideline cycle after a number, in their order."""
        with self.database.reading() as connection:
            return cycles.found_events(connection, after)

    def add_cycle_event(
        self, event: Mapping[str, Any], number: int, key: str | None = None
    ) -> bool:
        """Add an event as the one that follows; False when its number or key is taken already."""
        return self._write(cycles.add_event, cycles.written_event(event), number, key)

    def last_edition(self) -> Mapping[str, Any] | None:
        """Return the newest edition of the manual in the cycle; None where none has begun."""
        with self.database.reading() as connection:
            return cycles.last_edition(connection)

    # answers

    def save(self, given: Sequence[Answer]) -> list[Saved]:
        """Save answers, all or none, and return when they are durable.

        Saving the same key again changes nothing and is no error.
        """
        return self.save_soon(given).result()

    def save_soon(self, given: Sequence[Answer]) -> Future[list[Saved]]:
        """Save answers as `save` does, and return at once; the future waits until it is done.

        Raises `InvalidArgument` for an answer that cannot be stored, and `StoreBusy` when too
        much waits already; whatever else goes wrong, the future raises.
        """
        return self._writer.submit(answers.save_answers, accepted(given), repeatable=True)

    def current(self, judge_id: int) -> dict[tuple[int, str], Answer]:
        """Return the answers that count on the sheet a judge has, by position and criterion."""
        with self.database.reading() as connection:
            number = sheets.sheet_number_of(connection, judge_id)
            return {} if number is None else answers.current_answers(connection, judge_id, number)

    def answers_at(self, judge_id: int, sheet: int, position: int) -> list[Answer]:
        """Return every answer of a judge at one position, as they came, late ones too."""
        with self.database.reading() as connection:
            return answers.answers_at(connection, judge_id, sheet, position)

    def rows(self) -> Iterator[Current]:
        """Go through all answers that count, with who gave them, without holding them all."""
        with self.database.reading() as connection:
            yield from answers.answers_that_count(connection)

    def log(self) -> Iterator[tuple[int, bool, Answer]]:
        """Go through every answer as it came: its number, whether it is a change, the answer."""
        with self.database.reading() as connection:
            yield from answers.every_answer(connection)

    # the whole

    def counts(self) -> Counts:
        """Return how far the study is; only what is new since the last call is counted."""
        with self.database.reading() as connection:
            return self._tally.counted(connection)

    def backup(self, path: Place) -> Path:
        """Copy the store into a new SQLite file, while the study goes on, and verify the copy."""
        return back_up(self.database, path)

    def check_ready(self, patience: float = 5.0) -> None:
        """Raise `StoreError` unless the store can be read and written, as this covary knows it."""
        check_ready(self.database, self._writer, patience)

    @property
    def workload(self) -> Workload:
        """How much this process has written, and how much waits."""
        return Workload(self._writer.waiting, self._writer.commits, self._writer.written)

    def check(self, study: Study | None = None) -> list[Problem]:
        """Return what is wrong with the store, and with a study also whether the two fit."""
        with self.database.reading() as connection:
            return look_through(connection, study)

    def _sheet(self, connection: Connection, number: int | None) -> Sheet | None:
        """Return a sheet; one that somebody has never changes and need not be read again."""
        if number is None:
            return None
        if number not in self._sheets:
            found = sheets.sheet_by_number(connection, number)
            if found is None:
                raise StoreError(f"sheet {number} is issued, but is not in the store")
            self._sheets[number] = found
        return self._sheets[number]
