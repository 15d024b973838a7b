"""Group commit: one thread writes everything that waits in one transaction, then answers all."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from functools import wraps
from itertools import groupby
from threading import Condition, Thread
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from covary.store.database import Database, StoreBusy, StoreError, as_store_error

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
    future: Future[Any] | asyncio.Future[Any] = field(default_factory=Future)
    loop: asyncio.AbstractEventLoop | None = None

    def fail(self, error: Exception) -> None:
        """Tell whoever waits that it was not done."""
        settle([(self, None, error)])


Settled = tuple[Job, Any, Exception | None]
"""A job with its reply, or with why it was not done."""


def settle(settled: Sequence[Settled]) -> None:
    """Tell everybody who waits; each loop is woken once."""
    in_loops: dict[asyncio.AbstractEventLoop, list[Settled]] = {}
    for each in settled:
        job = each[0]
        if job.loop is None:
            _resolve(each)
        else:
            in_loops.setdefault(job.loop, []).append(each)
    for loop, own in in_loops.items():
        with suppress(RuntimeError):  # the loop has ended, and nobody waits
            loop.call_soon_threadsafe(_resolve_all, own)


def _resolve_all(settled: Sequence[Settled]) -> None:
    for each in settled:
        _resolve(each)


def _resolve(settled: Settled) -> None:
    job, reply, error = settled
    if job.future.done():  # whoever waited has left
        return
    if error is None:
        job.future.set_result(reply)
    else:
        job.future.set_exception(error)


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
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()  # accepted is accepted, whoever stops waiting
        self._accept(Job(work, request, repeatable, future))
        self._wake()
        return future

    def submit_in_loop(
        self, work: Work, request: Any, *, repeatable: bool = False
    ) -> asyncio.Future[Any]:
        """Do as `submit`, for a coroutine of the loop that runs now.

        The thread is woken when the turn of the loop is over, so that it commits together what
        the loop submits in one turn.
        """
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        self._accept(Job(work, request, repeatable, future, loop=loop))
        loop.call_soon(self._wake)
        return future

    def _accept(self, job: Job) -> None:
        with self._changed:
            if self._closed:
                raise StoreError("store.closed")
            if len(self._waiting) >= self._most:
                raise StoreBusy("store.busy", waiting=self._most)
            self._waiting.append(job)
            if self._thread is None:
                self._thread = Thread(target=self._run, name="covary-store", daemon=True)
                self._thread.start()

    def _wake(self) -> None:
        """Let the thread look at what waits, unless it is at work and will look anyway."""
        with self._changed:
            self._changed.notify()

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
            settle([(job, reply, None) for job, reply in zip(jobs, replies, strict=True)])

    def _one_by_one(self, jobs: Sequence[Job], error: Exception) -> None:
        """Find the request that fails; after a lost connection repeat only what may be repeated."""
        lost = isinstance(error, DBAPIError) and error.connection_invalidated
        for job in jobs:
            if (lost and not job.repeatable) or (not lost and len(jobs) == 1):
                job.fail(as_store_error(error))
                continue
            try:
                settle([(job, self._attempt([job])[0], None)])
            except Exception as own:
                job.fail(as_store_error(own))

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


Own = TypeVar("Own", bound="StoreSection")
Arguments = ParamSpec("Arguments")
Reply = TypeVar("Reply")


class Transactions:
    """An open database and its one writer; `changes` counts writes that did more than add rows.

    What was read before holds as long as that number stays, unless another process writes.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        self.writer = Writer(database.writing)
        self.changes = 0

    def write(self, work: Callable[[Connection], Reply], *, changes: int = 1) -> Reply:
        """Let the writer do something, and wait until it is durable."""

        def alone(connection: Connection, _: list[Any]) -> list[Reply]:
            return [work(connection)]

        written: Future[Reply] = self.writer.submit(alone, None)
        try:
            return written.result()
        finally:
            self.changes += changes


class StoreSection:
    """A part of the store: the only place that knows the SQL of its tables."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions


def reads(
    work: Callable[Concatenate[Own, Connection, Arguments], Reply],
) -> Callable[Concatenate[Own, Arguments], Reply]:
    """Give a method a connection on which all that it reads is of one moment."""

    @wraps(work)
    def read(own: Own, /, *arguments: Arguments.args, **named: Arguments.kwargs) -> Reply:
        with own._transactions.database.reading() as connection:
            return work(own, connection, *arguments, **named)

    return read


def writes(
    work: Callable[Concatenate[Own, Connection, Arguments], Reply],
) -> Callable[Concatenate[Own, Arguments], Reply]:
    """Let the writer run a method; it returns when what it wrote is durable."""
    return _through_the_writer(work, changes=1)


def appends(
    work: Callable[Concatenate[Own, Connection, Arguments], Reply],
) -> Callable[Concatenate[Own, Arguments], Reply]:
    """Do as `writes`, for rows that are only ever added: nothing read before becomes untrue."""
    return _through_the_writer(work, changes=0)


def _through_the_writer(
    work: Callable[Concatenate[Own, Connection, Arguments], Reply], *, changes: int
) -> Callable[Concatenate[Own, Arguments], Reply]:
    @wraps(work)
    def write(own: Own, /, *arguments: Arguments.args, **named: Arguments.kwargs) -> Reply:
        def with_arguments(connection: Connection) -> Reply:
            return work(own, connection, *arguments, **named)

        return own._transactions.write(with_arguments, changes=changes)

    return write
