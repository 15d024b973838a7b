"""The guideline cycle of a study, kept in its store: many people at once, one order of events."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from threading import RLock
from typing import Any

from sqlalchemy import Connection, func, insert, or_, select

from covary.errors import InvalidArgument
from covary.store.database import StoreBusy, StoreError
from covary.store.records import CycleEvent, as_time, check_text, microseconds, now
from covary.store.schema import cycle_events
from covary.store.seals import seal_added
from covary.store.writer import StoreSection, Transactions, appends, reads
from covary.study.manual import Edition, apply_edition
from covary.study.model import Study
from covary.training import Cycle, Event, Refused, as_dict, as_event

MOST_TRIES = 50
"""So often may somebody else be quicker before an event is given back."""

BESIDE = ("at", "seconds")
"""What may differ when the same event is sent twice: when it was sent, how long it took."""

WITH_EDITION = ("Began", "Changed")
"""The events that hold an edition of the manual; each is written with its kind first."""


class Training(StoreSection):
    """The guideline cycle of a store: what is decided is durable before anybody is told.

    An event is tried on the cycle as the store has it, and added under the next number. If
    somebody else was quicker, it is tried again on the cycle with what they did, and refused
    where it no longer fits. May be used from any thread, and from several processes at once.

    Examples
    --------
    >>> import tempfile
    >>> from covary.scales import VerbalScale
    >>> from covary.store import Store
    >>> from covary.study.model import Criterion
    >>> from covary.study.manual import Edition
    >>> from covary.training import Began
    >>> relevance = Criterion("relevance", "How relevant?", VerbalScale([1, 2, 3, 4], best="low"))
    >>> with tempfile.TemporaryDirectory() as folder, Store.open(folder) as store:
    ...     store.training.apply(Began(Edition((relevance,), "1 is best."), ("Ann", "Bo"))).phase
    'ready'
    """

    def __init__(self, transactions: Transactions) -> None:
        super().__init__(transactions)
        self._cycle = Cycle()
        self._sent: dict[str, Mapping[str, Any]] = {}
        self._lock = RLock()

    def cycle(self) -> Cycle:
        """Return the cycle as it stands now; only what is new is read from the store."""
        with self._lock:
            for event in self.events(after=len(self._cycle.events)):
                self._fold(event)
            return self._cycle

    def apply(self, event: Event, key: str | None = None) -> Cycle:
        """Let an event happen, and return the cycle after it, once that is durable.

        Parameters
        ----------
        event
            What happens; without a time of its own it gets that of the server's clock.
        key
            A name for this event, so that sending it twice is the same as once. Another event
            under a key that was used is refused: it would be lost otherwise.

        Raises
        ------
        Refused
            With the reason, where the event does not fit the cycle as it is now; `StaleEdit`,
            which keeps the text, for an edit that began from an older manual.
        """
        if key is not None:
            check_text("key", key)
        event = event if event.at else replace(event, at=now().isoformat(timespec="seconds"))
        sent = json.loads(_serialise(as_dict(event)))
        with self._lock:
            for _ in range(MOST_TRIES):
                cycle = self.cycle()
                if key is not None and key in self._sent:
                    if _content(self._sent[key]) != _content(sent):
                        raise Refused("training.key-reused")
                    return cycle
                cycle.apply(event)  # may refuse; nothing has been written then
                if self.add(sent, len(cycle.events) + 1, key):
                    return self.cycle()
        raise StoreBusy("store.cycle-busy")

    def in_force(self, study: Study) -> Study:
        """Return the study under the last edition of its manual, where a cycle wrote one."""
        edition = self.last_edition()
        return study if edition is None else apply_edition(study, Edition.from_dict(edition))

    @reads
    def events(self, connection: Connection, after: int = 0) -> list[CycleEvent]:
        """Return the events after a number, in their order."""
        query = select(cycle_events).where(cycle_events.c.number > after)
        rows = connection.execute(query.order_by(cycle_events.c.number))
        return [
            CycleEvent(
                number=row.number,
                event=_parse(row.number, row.event),
                key=row.event_key,
                at=as_time(row.at),
            )
            for row in rows
        ]

    def add(self, event: Mapping[str, Any], number: int, key: str | None = None) -> bool:
        """Add an event as the one that follows; False when its number or key is taken already."""
        return self._add(_serialise(event), number, key)

    @appends
    def _add(self, connection: Connection, event: str, number: int, key: str | None) -> bool:
        last = connection.scalar(select(func.max(cycle_events.c.number))) or 0
        if number > last + 1:
            raise InvalidArgument("store.event-order", last=last, next=last + 1, number=number)
        same_key = select(cycle_events.c.number).where(cycle_events.c.event_key == key)
        if number <= last or (key is not None and connection.scalar(same_key) is not None):
            return False
        values = {"number": number, "event": event, "event_key": key, "at": microseconds(now())}
        connection.execute(insert(cycle_events).values(**values))
        seal_added(connection, cycle_events)
        return True

    @reads
    def last_edition(self, connection: Connection) -> Mapping[str, Any] | None:
        """Return the newest edition of the manual in the cycle; None where none has begun."""
        kinds = [cycle_events.c.event.startswith(f'{{"event": "{kind}"') for kind in WITH_EDITION]
        query = select(cycle_events).where(or_(*kinds)).order_by(cycle_events.c.number.desc())
        row = connection.execute(query.limit(1)).first()
        edition: Mapping[str, Any] | None = None
        if row is not None:
            edition = _parse(row.number, row.event).get("edition")
        return edition

    def _fold(self, kept: CycleEvent) -> None:
        expected = len(self._cycle.events) + 1
        if kept.number != expected:
            raise StoreError("store.event-missing", number=expected)
        try:
            self._cycle = self._cycle.apply(as_event(kept.event))
        except (InvalidArgument, KeyError, TypeError) as error:
            raise StoreError("store.event-misfit", number=kept.number, reason=error) from error
        if kept.key is not None:
            self._sent[kept.key] = kept.event


def _serialise(event: Mapping[str, Any]) -> str:
    """Write an event as it is kept; what could not be given back unchanged is refused."""
    _check_texts(event)
    try:
        return json.dumps(dict(event), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidArgument("store.event-unkept", reason=error) from None


def _check_texts(value: Any) -> None:
    """Refuse characters that no text has, wherever they stand in an event."""
    if isinstance(value, str):
        check_text("text", value)
    elif isinstance(value, Mapping):
        for part in (*value.keys(), *value.values()):
            _check_texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            _check_texts(part)


def _parse(number: int, event: str) -> Any:
    try:
        return json.loads(event)
    except ValueError:
        raise StoreError("store.event-unreadable", number=number) from None


def _content(event: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in event.items() if name not in BESIDE}
