"""The two databases: how they are opened, and what each needs to keep its promises."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.exc import TimeoutError as NoConnectionFree

from covary.errors import InvalidArgument
from covary.store.faults import StoreError, as_fault

__all__ = ["FILE_NAME", "Database", "Place", "open_database"]

FILE_NAME = "study.db"

Place = str | os.PathLike[str]

PATIENCE = 30  # seconds to wait for another process that writes

MOST_AT_ONCE = {"sqlite": 32, "postgresql": 16}
"""Connections of one process; a server takes 100 as it is installed, from several of them."""

ON_CONNECT = {
    # FULL: a commit waits until the disk has it, so that a power cut loses nothing acknowledged.
    "sqlite": (
        "PRAGMA journal_mode = WAL",
        "PRAGMA synchronous = FULL",
        f"PRAGMA busy_timeout = {PATIENCE * 1000}",
        "PRAGMA foreign_keys = ON",
        "PRAGMA journal_size_limit = 67108864",
    ),
    "postgresql": (
        # A server may be set to answer before its disk has the rows; ratings deserve better.
        "SELECT set_config('synchronous_commit', 'on', false) "
        "WHERE current_setting('synchronous_commit') = 'off'",
        f"SET lock_timeout = '{PATIENCE}s'",
        f"SET idle_in_transaction_session_timeout = '{2 * PATIENCE}s'",
    ),
}

ONE_WRITER = {
    # Numbers of rows are then in the order of commits, also with several processes.
    "postgresql": "SELECT pg_advisory_xact_lock('answers'::regclass::oid::bigint)",
}


class Database:
    """An open database: transactions that read and transactions that write."""

    def __init__(self, engine: Engine, file: Path | None) -> None:
        self.engine = engine
        self.file = file
        self._writes = engine.execution_options(covary_writes=True)

    @property
    def kind(self) -> str:
        """The database: sqlite or postgresql."""
        return self.engine.dialect.name

    @property
    def name(self) -> str:
        """Where it is, without a password."""
        if self.file is not None:
            return str(self.file)
        return self.engine.url.set(drivername="postgresql").render_as_string(hide_password=True)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Read; all statements see the same state."""
        with self.explained(), self._snapshot() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Write in one transaction, the only one that writes at this moment."""
        with self._writes.begin() as connection:
            if lock := ONE_WRITER.get(self.kind):
                connection.exec_driver_sql(lock)
            yield connection

    def migrating(self) -> Engine:
        """Return an engine whose transactions write from their beginning."""
        return self._writes

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Raise covary's own errors where the database raises its own."""
        try:
            yield
        except DBAPIError as error:
            raise as_fault(error, self.name) from error
        except NoConnectionFree:
            raise StoreError("too much is being read at once; try again") from None

    def close(self) -> None:
        """Give all connections back."""
        self.engine.dispose()

    def _snapshot(self) -> Connection:
        connection = self.engine.connect()
        if self.kind == "postgresql":
            connection = connection.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )
        return connection


def open_database(place: Place, *, create: bool = True) -> Database:
    """Open the file or the server that `place` names, without looking at what is in it."""
    text = os.fspath(place)
    if "://" in text:
        return Database(_engine(_server(text)), None)
    file = Path(text).expanduser()
    file = file / FILE_NAME if file.is_dir() else file
    _check_file(file, create)
    return Database(_engine(URL.create("sqlite", database=str(file))), file)


def _server(text: str) -> URL:
    scheme, _, rest = text.partition("://")
    if scheme not in ("postgresql", "postgres", "postgresql+psycopg"):
        raise InvalidArgument(
            f"the database {scheme}://… is not known; give the path of a study.db, or "
            "postgresql://user:password@host/database"
        )
    try:
        return make_url(f"postgresql+psycopg://{rest}")
    except (ArgumentError, ValueError):
        raise InvalidArgument(
            "the address of the database is not understood; write it like "
            "postgresql://user:password@host:5432/database"
        ) from None


def _check_file(file: Path, create: bool) -> None:
    if not file.exists() and not create:
        raise StoreError(f"'{file}' does not exist: no ratings have been collected there yet")
    if not file.parent.is_dir():
        raise InvalidArgument(f"the folder '{file.parent}' of the store does not exist")
    if not file.exists():
        # The file holds the study's secret; what SQLite puts beside it gets the same rights.
        os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
    elif not _is_sqlite(file):
        raise StoreError(f"'{file}' is not a store of covary; name the study's study.db")


def _is_sqlite(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(16) in (b"", b"SQLite format 3\x00")


def _engine(url: URL) -> Engine:
    try:
        engine = create_engine(
            url, pool_size=8, max_overflow=MOST_AT_ONCE[url.get_backend_name()] - 8,
            pool_timeout=PATIENCE, pool_pre_ping=url.drivername != "sqlite",
        )  # fmt: skip
    except (ImportError, NoSuchModuleError):
        raise StoreError(
            "a study on PostgreSQL needs psycopg, which is not installed: "
            "pip install covary[postgres]"
        ) from None
    event.listen(engine, "connect", _prepare(ON_CONNECT[engine.dialect.name]))
    if engine.dialect.name == "sqlite":
        event.listen(engine, "begin", _begin)
    return engine


def _prepare(statements: tuple[str, ...]) -> Any:
    def prepare(connection: Any, _: Any) -> None:
        if isinstance(connection, sqlite3.Connection):
            connection.isolation_level = None  # transactions begin when `_begin` says so
        cursor = connection.cursor()
        for statement in statements:
            cursor.execute(statement)
        cursor.close()
        if not isinstance(connection, sqlite3.Connection):
            connection.commit()

    return prepare


def _begin(connection: Connection) -> None:
    """Begin to read, or wait for the right to write before anything is read."""
    writes = connection.get_execution_options().get("covary_writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
