"""Who is at work: what a save needs to know of a judge, without asking the store each time.

A page is drawn from what the store says now. A save, of which there are many, may rely on what was
read up to two seconds ago, but only to be let in: whatever would be refused is looked up again
first. What this process itself changes (a link revoked, the study paused, an item left) is known at
once; what another process changes, within those two seconds.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Lock

from covary.design.plan import Sheet
from covary.store.records import Judge, Note, State
from covary.store.store import Store
from covary.web.judge.walk import Walk
from covary.web.rounds.study import SECONDS_TO_RELY, InForce

__all__ = ["SECONDS_TO_RELY", "Presence", "Seat"]

MOST_AT_WORK = 1000
"""Of so many judges the way is remembered; that of another is read when it is asked for."""


@dataclass
class Trail:
    """What happened to one judge; `version` grows whenever more has happened."""

    notes: tuple[Note, ...]
    version: int = 0


@dataclass(frozen=True)
class Seat:
    """A judge at work: the way up to `read_at`, by a clock that is never set back."""

    judge: Judge
    state: State
    walk: Walk
    trail: Trail
    version: int
    changes: int
    read_at: float


class Presence:
    """The judges at work in this process. Each note of theirs is read from the store once."""

    def __init__(self, manual: InForce, store: Store) -> None:
        self._manual = manual
        self._store = store
        self._alone = Lock()
        self._seats: OrderedDict[str, Seat] = OrderedDict()
        self._trails: OrderedDict[int, Trail] = OrderedDict()
        self._followed = 0

    def seat(self, token: str) -> Seat | None:
        """Return what is remembered of a judge and may be relied on; None where to read it anew."""
        found = self._seats.get(token)
        if found is None:
            return None
        same = (
            found.changes == self._store.changes
            and found.version == found.trail.version
            and found.walk.study is self._manual.known
        )
        recent = time.monotonic() < found.read_at + SECONDS_TO_RELY
        return found if same and recent and found.state == "open" else None

    def read(self, token: str) -> Seat | None:
        """Return whom a token lets in, from the store; None for nobody."""
        changes, read_at = self._store.changes, time.monotonic()  # before what they stand for
        standing = self._store.standing(token)
        if standing is None:
            return None
        judge = standing.judge
        trail, version, walk = self._walk(judge.id, standing.sheet)
        seat = Seat(judge, standing.state, walk, trail, version, changes, read_at)
        with self._alone:
            self._seats[token] = seat
            _trim(self._seats)
        return seat

    def walk(self, judge: int, sheet: Sheet | None) -> Walk:
        """Return a judge's way with all that the store has noted by now."""
        return self._walk(judge, sheet)[2]

    def more_happened(self, judge: int) -> None:
        """Rely no longer on what was known of a judge."""
        with self._alone:
            trail = self._trails.get(judge)
            if trail is not None:
                trail.version += 1

    def _walk(self, judge: int, sheet: Sheet | None) -> tuple[Trail, int, Walk]:
        study = self._manual.now()
        with self._alone:
            trail = self._caught_up(judge)
            walk = Walk(study, sheet, trail.notes, datetime.now(UTC))
            return trail, trail.version, walk

    def _caught_up(self, judge: int) -> Trail:
        """Read what is new of all judges at work, and all of one who was not."""
        if not self._trails:
            self._followed = self._store.last_note()
        for note in self._store.notes(after=self._followed):
            self._followed = note.id
            known = None if note.judge is None else self._trails.get(note.judge)
            if known is not None and (not known.notes or known.notes[-1].id < note.id):
                known.notes += (note,)
                known.version += 1
        if judge not in self._trails:
            self._trails[judge] = Trail(tuple(self._store.notes(judge)))
            _trim(self._trails)
        self._trails.move_to_end(judge)
        return self._trails[judge]


def _trim(remembered: OrderedDict[str, Seat] | OrderedDict[int, Trail]) -> None:
    """Forget whoever came first where there are too many."""
    while len(remembered) > MOST_AT_WORK:
        remembered.popitem(last=False)
