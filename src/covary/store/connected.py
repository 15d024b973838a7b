"""The database of a study, opened: one thread writes, anybody reads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from sqlalchemy import Connection

from covary.store import cycles, events
from covary.store.database import Database, Place, open_database
from covary.store.migrations import migrate
from covary.store.serving import ServingLock
from covary.store.writer import Writer

__all__ = ["Connected"]

Given = ParamSpec("Given")
Reply = TypeVar("Reply")


class Connected:
    """A database that is open, with its one writer, the study's secret, and what has changed."""

    def __init__(self, database: Database, lock: ServingLock | None = None) -> None:
        self.database = database
        self._lock = lock
        self._writer = Writer(database.writing)
        self._secret: bytes | None = None
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

    @property
    def changes(self) -> int:
        """How often this process has changed anything but answers, notes and the cycle.

        What was read before holds as long as this number stays, unless another process writes.
        """
        return self._changes

    def secret(self) -> bytes:
        """Return the study's own secret, made on first use and kept in the store."""
        if self._secret is None:
            self._secret = bytes.fromhex(self._write(events.make_secret))
        return self._secret

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
