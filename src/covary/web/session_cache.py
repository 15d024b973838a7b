"""The judges at work: what a save needs to know of a judge, and of the manual in force, without
asking the store each time.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Collection
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Lock

from starlette.concurrency import run_in_threadpool

from covary.design.plan import Sheet
from covary.store.database import StoreError
from covary.store.records import Judge, JudgeMark, Pulse, Standing, State, StoredNote
from covary.store.store import Store
from covary.store.training import Training
from covary.study.manual import Edition, apply_edition
from covary.study.model import Study
from covary.web.judge_flow import JudgeFlow

SECONDS_TO_RELY = 2.0


class ManualInForce:
    """A study whose manual follows the guideline cycle; each edition makes one study of it."""

    def __init__(self, given: Study, training: Training) -> None:
        self._given = given
        self._training = training
        self._alone = Lock()
        self._edition: Edition | None = None
        self._study = given
        self._read_at = -math.inf

    @property
    def known(self) -> Study:
        """The study as this process knows it, without asking the store."""
        return self._study

    def lately(self) -> Study:
        """Return the study as it was within the last two seconds."""
        if time.monotonic() < self._read_at + SECONDS_TO_RELY:
            return self._study
        return self.now()

    def now(self) -> Study:
        """Return the study with the newest edition that the store has."""
        with self._alone:
            read_at = time.monotonic()
            editions = self._training.cycle().editions
            newest = editions[-1] if editions else None
            if newest is not self._edition:
                self._study = self._given if newest is None else apply_edition(self._given, newest)
                self._edition = newest
            self._read_at = read_at
            return self._study


MOST_AT_WORK = 1000
"""Of so many judges the way is remembered; that of another is read when it is asked for."""


@dataclass
class NoteHistory:
    """What happened to one judge; `version` grows whenever more has happened."""

    notes: tuple[StoredNote, ...]
    version: int = 0


@dataclass(frozen=True)
class JudgeSession:
    """A judge at work: the way up to `read_at`, by a clock that is never set back."""

    judge: Judge
    mark: JudgeMark
    state: State
    flow: JudgeFlow
    trail: NoteHistory
    version: int
    changes: int
    read_at: float


class SessionCache:
    """The judges at work in this process. Each note of theirs is read from the store once."""

    def __init__(self, manual: ManualInForce, store: Store) -> None:
        self._manual = manual
        self._store = store
        self._alone = Lock()
        self._seats: OrderedDict[str, JudgeSession] = OrderedDict()
        self._trails: OrderedDict[int, NoteHistory] = OrderedDict()
        self._followed = 0
        self._pulse: Pulse | None = None
        self._confirmed_at = -math.inf
        self._in_turn = Lock()
        self._asked: dict[str, Future[JudgeSession | None]] = {}
        self._reads = False

    def seat(self, token: str) -> JudgeSession | None:
        """Return what is remembered of a judge and may be relied on; None where to read it anew."""
        seat = self._seats.get(token)
        if seat is None:
            return None
        same = (
            seat.changes == self._store.changes
            and seat.version == seat.trail.version
            and seat.flow.study is self._manual.known
        )
        return seat if same and self._is_recent(seat) and seat.state == "open" else None

    def _is_recent(self, seat: JudgeSession) -> bool:
        """Say whether a judge's standing was read, or found unchanged, within two seconds."""
        now = time.monotonic()
        if now < seat.read_at + SECONDS_TO_RELY:
            return True
        pulse = self._pulse
        return (
            now < self._confirmed_at + SECONDS_TO_RELY
            and pulse is not None
            and pulse.state == seat.state
            and pulse.marks.get(seat.judge.id) == seat.mark
        )

    def confirm(self) -> None:
        """Look whether anything has changed for anybody at work, in one reading for all of them.

        Otherwise each would be read anew every two seconds, all of them at about the same time.
        """
        with self._alone:
            at_work = {seat.judge.id for seat in self._seats.values()}
        if not at_work:
            return
        began = time.monotonic()
        pulse = self._store.pulse(at_work)
        self._manual.now()
        with self._alone:
            self._follow_notes()
        self._pulse, self._confirmed_at = pulse, began

    def read(self, token: str) -> JudgeSession | None:
        """Return whom a token lets in, from the store; None for nobody."""
        return self._read_together([token]).get(token)

    async def read_in_turn(self, token: str) -> JudgeSession | None:
        """Do as `read`, together with all others who wait: one thread reads for everybody.

        Threads share one interpreter: many that read at the same time would take as long in all,
        and keep everybody waiting as long as the last.
        """
        with self._in_turn:
            if token not in self._asked:
                self._asked[token] = Future()
                self._asked[token].set_running_or_notify_cancel()  # whoever stops waiting
            session, begins = self._asked[token], not self._reads
            self._reads = True
        if begins:
            asyncio.get_running_loop().run_in_executor(None, self._read_in_turns)
        return await asyncio.wrap_future(session)

    def _read_in_turns(self) -> None:
        """Read who waits; who comes meanwhile is read after them, so that nothing is too old."""
        while asked := self._next_turn():
            try:
                found = self._read_together(asked)
            except Exception as error:
                for session in asked.values():
                    session.set_exception(error)
            else:
                for token, session in asked.items():
                    session.set_result(found.get(token))

    def _next_turn(self) -> dict[str, Future[JudgeSession | None]]:
        with self._in_turn:
            asked, self._asked = self._asked, {}
            self._reads = bool(asked)
            return asked

    def _read_together(self, tokens: Collection[str]) -> dict[str, JudgeSession]:
        """Read whom tokens let in; nobody has none."""
        changes, read_at = self._store.changes, time.monotonic()  # before what they stand for
        standings = self._store.standings(tokens)
        study = self._manual.now()
        with self._alone:
            sessions = {
                token: self._session(standing, study, changes, read_at)
                for token, standing in standings.items()
            }
            self._seats.update(sessions)
            _forget_oldest(self._seats)
        return sessions

    def _session(
        self, standing: Standing, study: Study, changes: int, read_at: float
    ) -> JudgeSession:
        trail = self._caught_up(standing.judge.id)
        return JudgeSession(
            judge=standing.judge,
            mark=standing.mark,
            state=standing.state,
            flow=JudgeFlow(study, standing.sheet, trail.notes, datetime.now(UTC)),
            trail=trail,
            version=trail.version,
            changes=changes,
            read_at=read_at,
        )

    def flow(self, judge: int, sheet: Sheet | None) -> JudgeFlow:
        """Return a judge's way with all that the store has noted by now."""
        study = self._manual.now()
        with self._alone:
            return JudgeFlow(study, sheet, self._caught_up(judge).notes, datetime.now(UTC))

    def more_happened(self, judge: int) -> None:
        """Rely no longer on what was known of a judge."""
        with self._alone:
            trail = self._trails.get(judge)
            if trail is not None:
                trail.version += 1

    def _caught_up(self, judge: int) -> NoteHistory:
        """Read what is new of all judges at work, and all of one who was not."""
        self._follow_notes()
        if judge not in self._trails:
            self._trails[judge] = NoteHistory(tuple(self._store.notes.all(judge)))
            _forget_oldest(self._trails)
        self._trails.move_to_end(judge)
        return self._trails[judge]

    def _follow_notes(self) -> None:
        """Read what happened since the last time, to everybody at work."""
        if not self._trails:
            self._followed = self._store.notes.last_number()
        for note in self._store.notes.all(after=self._followed):
            self._followed = note.id
            known = None if note.judge is None else self._trails.get(note.judge)
            if known is not None and (not known.notes or known.notes[-1].id < note.id):
                known.notes += (note,)
                known.version += 1


def _forget_oldest(
    remembered: OrderedDict[str, JudgeSession] | OrderedDict[int, NoteHistory],
) -> None:
    """Forget whoever came first where there are too many."""
    while len(remembered) > MOST_AT_WORK:
        remembered.popitem(last=False)


SECONDS_TO_CONFIRM = 1.0


@asynccontextmanager
async def confirm_sessions(sessions: SessionCache) -> AsyncIterator[None]:
    """Look every second whether anything has changed for those at work, for as long as this lasts.

    Where that fails, each of them is read anew, and whoever reads says what is wrong.
    """

    async def confirm() -> None:
        while True:
            await asyncio.sleep(SECONDS_TO_CONFIRM)
            with suppress(StoreError):
                await run_in_threadpool(sessions.confirm)

    task = asyncio.create_task(confirm())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
