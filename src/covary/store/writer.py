"""Group commit: one thread writes everything that waits in one transaction, then answers all."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import groupby
from threading import Condition, Thread
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from covary.store.faults import StoreBusy, StoreError, as_fault

__all__ = ["Work", "Writer"]

Work = Callable[[Connection, list[Any]], list[Any]]
"""Takes several requests of one kind and returns a reply to each, in one transaction."""

MOST_WAITING = 20_000
MOST_AT_ONCE = 500


@dataclass(frozen=True)
class Job:
    """One request; `repeatable` when doing it twice leaves what doing it once leaves."""

    work: Work
    request: Any
    repeatable: bool
    future: Future[Any] = field(default_factory=Future)


class Writer:
    """The only thread of a process that writes.

    A commit waits for the disk. While one waits, more requests arrive, and the next commit takes
    them all: the busier it is, the less each of them costs. A future is resolved only after the
    commit that holds its rows. If a transaction fails, each of its requests is tried on its own,
    so that a faulty one fails alone. `commits` and `written` count transactions and requests.
    """

    def __init__(
        self,
        transaction: Callable[[], AbstractContextManager[Connection]],
        most_waiting: int = MOST_WAITING,
    ) -> None:
        self._transaction = transaction
        self._most = most_waiting
        self._waiting: deque[Job] = deque()
        self._changed = Condition()
        self._closed = False
        self._thread: Thread | None = None
        self.commits = 0
        self.written = 0

    @property
    def waiting(self) -> int:
        """How many requests wait to be written."""
        return len(self._waiting)

    def submit(self, work: Work, request: Any, *, repeatable: bool = False) -> Future[Any]:
        """Queue a request; the future is resolved when its effect is durable."""
        job = Job(work, request, repeatable)
        job.future.set_running_or_notify_cancel()  # accepted is accepted, whoever stops waiting
        with self._changed:
            if self._closed:
                raise StoreError("the store is closed")
            if len(self._waiting) >= self._most:
                raise StoreBusy(f"{self._most} answers wait to be written; try again in a moment")
            self._waiting.append(job)
            if self._thread is None:
                self._thread = Thread(target=self._run, name="covary-store", daemon=True)
                self._thread.start()
            self._changed.notify()
        return job.future

    def close(self) -> None:
        """Finish what was accepted, then stop."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while jobs := self._take():
            self._together(jobs)

    def _take(self) -> list[Job]:
        """Wait for requests and take what is there; nothing after the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            return [self._waiting.popleft() for _ in range(min(len(self._waiting), MOST_AT_ONCE))]

    def _together(self, jobs: Sequence[Job]) -> None:
        try:
            replies = self._attempt(jobs)
        except Exception as error:
            self._one_by_one(jobs, error)
        else:
            for job, reply in zip(jobs, replies, strict=True):
                job.future.set_result(reply)

    def _one_by_one(self, jobs: Sequence[Job], error: Exception) -> None:
        """Find the request that fails; after a lost connection repeat only what may be repeated."""
        lost = isinstance(error, DBAPIError) and error.connection_invalidated
        for job in jobs:
            if (lost and not job.repeatable) or (not lost and len(jobs) == 1):
                job.future.set_exception(as_fault(error))
                continue
            try:
                job.future.set_result(self._attempt([job])[0])
            except Exception as own:
                job.future.set_exception(as_fault(own))

    def _attempt(self, jobs: Sequence[Job]) -> list[Any]:
        with self._transaction() as connection:
            replies = [reply for group in _alike(jobs) for reply in _done(connection, group)]
        self.commits += 1
        self.written += len(jobs)
        return replies


def _alike(jobs: Sequence[Job]) -> Iterator[list[Job]]:
    """Put neighbours that ask for the same work together."""
    return (list(group) for _, group in groupby(jobs, key=lambda job: job.work))


def _done(connection: Connection, jobs: list[Job]) -> list[Any]:
    return jobs[0].work(connection, [job.request for job in jobs])
