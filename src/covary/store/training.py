"""The guideline cycle of a study, kept in its store: many people at once, one order of events."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from threading import RLock
from typing import Any

from covary.errors import InvalidArgument
from covary.store.acceptance import check_text
from covary.store.cycles import written_event
from covary.store.faults import StoreBusy, StoreError
from covary.store.records import CycleEvent
from covary.store.store import Store
from covary.store.times import now
from covary.study.in_force import in_force
from covary.study.model import Study
from covary.study.versions import Edition
from covary.training import Cycle, Event, Refused, as_dict, as_event

__all__ = ["Training", "as_in_force"]

MOST_TRIES = 50
"""So often may somebody else be quicker before an event is given back."""

BESIDE = ("at", "seconds")
"""What may differ when the same event is sent twice: when it was sent, how long it took."""


class Training:
    """The guideline cycle of a store: what is decided is durable before anybody is told.

    An event is tried on the cycle as the store has it, and added under the next number. If
    somebody else was quicker, it is tried again on the cycle with what they did, and refused
    where it no longer fits. May be used from any thread, and from several processes at once.

    Examples
    --------
    >>> import tempfile
    >>> from covary.scales import VerbalScale
    >>> from covary.store.store import Store
    >>> from covary.study.model import Criterion
    >>> from covary.study.versions import Edition
    >>> from covary.training import Began
    >>> relevance = Criterion("relevance", "How relevant?", VerbalScale([1, 2, 3, 4], best="low"))
    >>> with tempfile.TemporaryDirectory() as folder, Store.open(folder) as store:
    ...     training = Training(store)
    ...     training.apply(Began(Edition((relevance,), "1 is best."), ("Ann", "Bo"))).phase
    'ready'
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._cycle = Cycle()
        self._sent: dict[str, dict[str, Any]] = {}
        self._lock = RLock()

    def cycle(self) -> Cycle:
        """Return the cycle as it stands now; only what is new is read from the store."""
        with self._lock:
            for each in self._store.cycle_events(after=len(self._cycle.events)):
                self._fold(each)
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
        written = json.loads(written_event(as_dict(event)))
        with self._lock:
            for _ in range(MOST_TRIES):
                cycle = self.cycle()
                if key is not None and key in self._sent:
                    return self._again(key, written)
                cycle.apply(event)  # may refuse; nothing has been written then
                if self._store.add_cycle_event(written, len(cycle.events) + 1, key):
                    return self.cycle()
        raise StoreBusy("others change the cycle all the time; try again in a moment")

    def _again(self, key: str, written: Mapping[str, Any]) -> Cycle:
        if _content(self._sent[key]) != _content(written):
            raise Refused(
                "this was sent before with other content, which is kept; load the page again and "
                "send it anew"
            )
        return self._cycle

    def _fold(self, kept: CycleEvent) -> None:
        expected = len(self._cycle.events) + 1
        if kept.number != expected:
            raise StoreError(
                f"event {expected} of the guideline cycle is missing; run covary check-store"
            )
        try:
            self._cycle = self._cycle.apply(as_event(kept.event))
        except (InvalidArgument, KeyError, TypeError) as error:
            raise StoreError(
                f"event {kept.number} of the guideline cycle does not fit those before it "
                f"({error}); run covary check-store"
            ) from error
        if kept.key is not None:
            self._sent[kept.key] = dict(kept.event)


def as_in_force(study: Study, store: Store) -> Study:
    """Return the study under the last edition of its manual, where a guideline cycle wrote one."""
    edition = store.last_edition()
    return study if edition is None else in_force(study, Edition.from_dict(edition))


def _content(written: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in written.items() if name not in BESIDE}
