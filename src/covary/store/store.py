"""`Store`: what a study collects, on SQLite or PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from sqlalchemy import Connection

from covary.design.plan import Sheet
from covary.errors import InvalidArgument
from covary.store import answers, cycles, events, people, sheets, visitors
from covary.store import places as places_
from covary.store.acceptance import accepted, check_text
from covary.store.backup import back_up
from covary.store.check import look_through
from covary.store.counts import Counts, Tally
from covary.store.database import Database, Place, open_database
from covary.store.faults import StoreError
from covary.store.migrations import migrate
from covary.store.places import Ending, Reclaimed
from covary.store.readiness import Workload, check_ready
from covary.store.records import (
    Answer,
    Current,
    CycleEvent,
    Judge,
    Note,
    Problem,
    Saved,
    Standing,
    State,
)
from covary.store.serving import ServingLock
from covary.store.visitors import Arrival, VisitorRecord
from covary.store.writer import Writer
from covary.study.model import Study

__all__ = ["Store"]

Given = ParamSpec("Given")
Reply = TypeVar("Reply")


class Store:
    """What a study collects: judges, their sheets, every answer, and what happened.

    Answers are only ever added; the one that counts is derived from them. Everything that is
    written goes through one thread, which commits what waits in one transaction (see `Writer`).
    A method that writes returns when that is durable. All methods may be called from any thread.
    """

    def __init__(self, database: Database, lock: ServingLock | None = None) -> None:
        self.database = database
        self._lock = lock
        self._writer = Writer(database.writing)
        self._sheets: dict[int, Sheet] = {}
        self._secret: bytes | None = None
        self._tally = Tally()
        self._changes = 0

    @classmethod
    def open(cls, place: Place, *, create: bool = True, serving: bool = False) -> Self:
        """Open a store, and upgrade it where it was made by an older covary.

        Parameters
        ----------
        place
            The path of a `study.db`, the folder that holds it, or `postgresql://…`.
        create
            Whether to make the store where there is none.
        serving
            Whether this process will serve the study. One process at a time may serve a file;
            reading it is always possible.
        """
        database = open_database(place, create=create)
        lock = ServingLock(database.file) if serving and database.file else None
        try:
            with database.explained():
                migrate(database.migrating())
        except BaseException:
            database.close()
            if lock:
                lock.release()
            raise
        return cls(database, lock)

    def close(self) -> None:
        """Finish what was accepted and let go of the database."""
        self._writer.close()
        self.database.close()
        if self._lock:
            self._lock.release()
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def name(self) -> str:
        """Where the store is, without a password."""
        return self.database.name

    # the study

    def get_state(self) -> State:
        """Return whether the study is open, paused or closed."""
        with self.database.reading() as connection:
            return events.STATES[events.setting(connection, "state") or "open"]

    def set_state(self, state: State) -> None:
        """Open, pause or close the study."""
        self._write(events.change_state, state)

    def secret(self) -> bytes:
        """Return the study's own secret, made on first use and kept in the store."""
        if self._secret is None:
            self._secret = bytes.fromhex(self._write(events.make_secret))
        return self._secret

    # researchers

    def researcher_link(self, *, again: bool = False) -> str | None:
        """Return a new one-time token; None once a researcher has signed in, unless `again`."""
        return self._write(people.new_researcher_link, again)

    def claim_researcher(self, token: str) -> str | None:
        """Take a one-time token for a session token; None when it is not, or no longer, good."""
        return self._write(people.claim_researcher, token)

    def researcher(self, session: str) -> bool:
        """Say whether a session token is a researcher's."""
        with self.database.reading() as connection:
            return people.is_researcher(connection, session)

    def end_researcher(self, session: str) -> None:
        """Let a session token in no more."""
        self._write(people.end_researcher, session)

    # judges

    @property
    def changes(self) -> int:
        """How often this process has changed anything but answers, notes and the cycle.

        What was read before holds as long as this number stays, unless another process writes.
        """
        return self._changes

    def standing(self, token: str) -> Standing | None:
        """Return whom a token lets in, the sheet and the study's state, all at one moment."""
        with self.database.reading() as connection:
            judge = people.judge_by_token(connection, token)
            if judge is None:
                return None
            sheet = self._sheet(connection, sheets.sheet_number_of(connection, judge.id))
            state = events.STATES[events.setting(connection, "state") or "open"]
            return Standing(judge, sheet, state)

    def add_judge(
        self,
        name: str | None = None,
        *,
        group: str | None = None,
        attributes: Mapping[str, Any] | None = None,
    ) -> tuple[Judge, str]:
        """Add a judge; the token comes back this once and is kept only as a digest."""
        for what, text in (("name", name), ("group", group)):
            if text is not None:
                check_text(what, text)
        return self._write(people.add_judge, name, group, attributes or {})

    def judge(self, token: str) -> Judge | None:
        """Return the judge whom a token lets in; None when it is unknown or revoked."""
        with self.database.reading() as connection:
            return people.judge_by_token(connection, token)

    def judge_of_id(self, judge_id: int) -> Judge | None:
        """Return the judge of this number."""
        with self.database.reading() as connection:
            return people.judge_by_id(connection, judge_id)

    def judges(self) -> list[Judge]:
        """Return all judges in the order in which they were added."""
        with self.database.reading() as connection:
            return people.all_judges(connection)

    def revoke(self, judge_id: int) -> None:
        """Let a judge in no more; what was answered stays."""
        self._write(people.revoke, judge_id)

    def new_token(self, judge_id: int) -> str:
        """Give a judge a new token; the old one is worth nothing from now on."""
        return self._write(people.new_token, judge_id)

    def set_group(self, judge_id: int, group: str | None) -> None:
        """Say which group a judge belongs to."""
        self._write(people.set_group, judge_id, group)

    # recruited people

    def join_secret(self) -> str | None:
        """Return the last part of the open recruiting link; None where there is none."""
        with self.database.reading() as connection:
            return visitors.join_secret(connection)

    def new_join_secret(self) -> str:
        """Make an open recruiting link and return its last part; the link before ends."""
        return self._write(visitors.new_join_secret)

    def revoke_join_secret(self) -> None:
        """Let nobody new in by the open recruiting link; those who came by it go on."""
        self._write(visitors.revoke_join_secret)

    def arrive(
        self, platform: str, participant: str, submission: str = "", study: str = ""
    ) -> Arrival:
        """Return the judge who is this participant of a platform, made when they first come."""
        for what, text in (("platform", platform), ("participant", participant),
                           ("submission", submission), ("study", study)):  # fmt: skip
            check_text(what, text)
        if not platform or not participant:
            raise InvalidArgument("a visitor needs a platform and the platform's id of them")
        return self._write(visitors.arrive, self.secret(), platform, participant, submission, study)

    def visitors(self) -> list[VisitorRecord]:
        """Return everybody who came from a platform, and how it stands or ended."""
        with self.database.reading() as connection:
            return visitors.found_visitors(connection)

    def visitor(self, judge_id: int) -> VisitorRecord | None:
        """Return who a judge is on a platform; None for one who did not come from any."""
        with self.database.reading() as connection:
            return next(iter(visitors.found_visitors(connection, judge_id)), None)

    def has_come(self, platform: str, participant: str) -> bool:
        """Say whether somebody of a platform has come before."""
        with self.database.reading() as connection:
            return visitors.has_come(connection, platform, participant)

    def place_for(self, judge_id: int, places: int | None = None) -> int | None:
        """Return the sheet that a recruited person has or could have now; nothing is changed.

        `places` is how many recruited people may have a sheet; None: as many as there are sheets.
        """
        with self.database.reading() as connection:
            return places_.place_for(connection, judge_id, places)

    def take_place(self, judge_id: int, places: int | None = None) -> int | None:
        """Give a recruited person a sheet, where there is a place; no sheet is ever added.

        Somebody who had one before gets the same again, or none once they have rated something.
        """
        return self._write(places_.take_place, judge_id, places)

    def end_visit(
        self, judge_id: int, ending: Ending, *, code: str = "", **details: Any
    ) -> Ending | None:
        """End a recruited person's visit, and return how it has ended: the first ending stays.

        The sheet of everybody who is not done is free again. None where somebody should be done
        whose sheet was given on.
        """
        return self._write(places_.end, judge_id, ending, {"code": code, **details})

    def ending_of(self, judge_id: int) -> Ending | None:
        """Return how a recruited person's visit ended; None while it may go on."""
        with self.database.reading() as connection:
            return places_.ending_of(connection, judge_id)

    def note_full(self, judge_id: int) -> bool:
        """Note that somebody found no place; False when that was noted before."""
        return self._write(places_.note_full, judge_id)

    def reclaim_idle(self, after: timedelta, *, code: str = "") -> Reclaimed:
        """Take back the sheets of recruited people who did nothing for so long.

        Who had judged everything and only not seen the last page is done, with this code.
        """
        return self._write(places_.reclaim_idle, after, code)

    # sheets

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

    def _write(
        self,
        work: Callable[Concatenate[Connection, Given], Reply],
        *arguments: Given.args,
        **keywords: Given.kwargs,
    ) -> Reply:
        """Let the writer do something, and wait until it is durable."""

        def alone(connection: Connection, _: list[Any]) -> list[Reply]:
            return [work(connection, *arguments, **keywords)]

        done: Future[Reply] = self._writer.submit(alone, None)
        try:
            return done.result()
        finally:
            if work not in (events.add_note, cycles.add_event):
                self._changes += 1
