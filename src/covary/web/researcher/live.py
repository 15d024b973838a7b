"""Agreement and correlation while a study runs, worked out in a thread beside the pages.

Nothing here is asked for by a judge's page. A look at the ratings is taken when answers have come
since the last one, and pauses ten times as long as it took, so that it never has more than a
small share of the machine.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Event, Lock, Thread
from typing import Any

from covary.ratings import Ratings
from covary.store.export import Collected, collect
from covary.store.store import Store
from covary.study.model import Criterion, Study
from covary.web.researcher.flags import (
    Flag,
    Known,
    flags_of,
    known_answers,
    seconds_per_item,
    too_many,
)
from covary.web.researcher.reliability import Line, line_of
from covary.web.researcher.report import stop_at_the_end

__all__ = ["Live", "Snapshot", "look", "split"]

LEAST_SECONDS = 5.0
"""Looks are at least so far apart."""

SHARE = 10
"""After a look there is a pause of so many times its length."""

MOST_ANSWERS = 500_000
"""With more, to read them all again and again would be felt by judges."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Snapshot:
    """What the ratings say at one moment.

    `lines` has a line for each criterion, `flags` what is notable about judges, by their names,
    `pace` each judge's median seconds per item, `known` how each judge did where answers are known.
    `trouble` says why there is none of this.
    """

    mark: Hashable
    at: datetime
    lines: tuple[Line, ...] = ()
    flags: Mapping[str, tuple[Flag, ...]] = field(default_factory=dict)
    pace: Mapping[str, float] = field(default_factory=dict)
    known: Mapping[str, Mapping[str, Known]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    trouble: str = ""


class Live:
    """The newest snapshot; another is taken in a thread when the study has moved on."""

    def __init__(self, study: Study, store: Store, *, least_seconds: float = LEAST_SECONDS) -> None:
        self._study = study
        self._store = store
        self._least = least_seconds
        self._alone = Lock()
        self._newest: Snapshot | None = None
        self._running = False
        self._ready = Event()
        self._not_before = 0.0

    def newest(self, mark: Hashable, patience: float = 0.0) -> Snapshot | None:
        """Return the newest snapshot, and have another taken if it is not of this `mark`.

        Where there is none yet, wait for the first one with some `patience` (seconds), which is
        enough for a small study.
        """
        with self._alone:
            if self._due(mark):
                self._running = True
                self._ready.clear()
                Thread(target=self._take, args=(mark,), name="covary-live").start()
        if self._newest is None and patience:
            self._ready.wait(patience)
        return self._newest

    def _due(self, mark: Hashable) -> bool:
        fresh = self._newest is not None and self._newest.mark == mark
        return not (fresh or self._running or time.monotonic() < self._not_before)

    def _take(self, mark: Hashable) -> None:
        began = time.monotonic()
        try:
            taken = Snapshot(mark, datetime.now(UTC), **look(self._study, self._store))
        except Exception:
            log.exception("the ratings could not be looked at")
            words = "The numbers could not be worked out; the server's log says why."
            taken = Snapshot(mark, datetime.now(UTC), trouble=words)
        ended = time.monotonic()
        with self._alone:
            self._newest = taken
            self._running = False
            self._not_before = ended + max(self._least, SHARE * (ended - began))
            self._ready.set()


def look(study: Study, store: Store) -> dict[str, Any]:
    """Read what was collected, and say what there is to say about it."""
    answers = store.counts().answers
    if answers > MOST_ANSWERS:
        words = (
            f"With {answers:,} answers, agreement is not worked out while judges are at work. "
            "Export the ratings, or run 'covary report' with the study's folder."
        )
        return {"trouble": words}
    found = collect(study, store)
    parts = dict(split(found))
    pace, known = seconds_per_item(found), known_answers(study, store)
    return {
        "lines": tuple(_lines(study, parts)),
        "flags": flags_of(found, parts, pace=pace, known=known),
        "pace": pace,
        "known": known,
        "notes": (*found.notes, *_left_undone(parts)),
    }


def _left_undone(parts: Mapping[str, Ratings]) -> Iterator[str]:
    if any(map(too_many, parts.values())):
        yield "There are too many judges to compare each with the others while the study runs."


def _lines(study: Study, parts: Mapping[str, Ratings]) -> Iterator[Line]:
    for each in study.criteria:
        stop_at_the_end(each.key)
        yield line_of(each, parts.get(each.key))


def split(found: Collected) -> Iterator[tuple[str, Ratings]]:
    """Return the ratings of each criterion by itself, because some may be words, some numbers."""
    columns = found.shown()
    rows: dict[str, list[int]] = {}
    for row, key in enumerate(columns["criterion"]):
        rows.setdefault(key, []).append(row)
    for key, chosen in rows.items():
        own = {name: [values[row] for row in chosen] for name, values in columns.items()}
        scale = _scale(found.criteria[key])
        if any(rating is not None for rating in own["rating"]):
            yield key, Ratings(own, scale=scale, faulty="set-aside")


def _scale(criterion: Criterion) -> dict[Any, Any]:
    return {criterion.key: criterion.scale}
