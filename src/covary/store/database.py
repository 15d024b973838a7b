"""The two databases: how each is opened, what it needs to keep its promises, and how it fails."""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Condition
from typing import Any

from sqlalchemy import ClauseElement, Connection, Dialect, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, DisconnectionError, NoSuchModuleError
from sqlalchemy.exc import TimeoutError as NoConnectionFree

from covary.errors import CovaryError, InvalidArgument


class StoreError(CovaryError):
    """The store cannot be opened, read or written as things are."""


class StoreBusy(StoreError):
    """More is waiting to be written than can be written soon; nothing of this call was kept."""


def as_store_error(error: Exception, place: str = "the database") -> Exception:
    """Return a database's own error as one of covary's; others are left as they are."""
    if not isinstance(error, DBAPIError):
        return error
    reason = " ".join(str(error.orig).split())
    return StoreError("store.database", place=place, reason=reason)


class ServingLock:
    """Held as long as a process serves a study's file.

    It is an exclusive transaction on an empty database beside the file, which works alike on
    every system and cannot be left behind by a process that was killed.
    """

    def __init__(self, file: Path) -> None:
        beside = f"{file}-serving"
        os.close(os.open(beside, os.O_CREAT | os.O_RDWR, 0o600))
        self._connection = sqlite3.connect(
            beside, timeout=0, isolation_level=None, check_same_thread=False
        )
        try:
            self._connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            self._connection.close()
            raise StoreError("store.served", file=file) from None

    def release(self) -> None:
        """Let another process serve."""
        self._connection.close()


class FileWatch:
    """Whether a database is still the file of its name, and its journal beside it.

    A process that has files open does not notice when they are moved or removed: it goes on to
    write what nobody will find again.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._journal = Path(f"{file}-wal")
        self._known: dict[Path, tuple[int, int]] = {}

    def check(self) -> None:
        """Raise `StoreError` where a file that was there is gone, or another."""
        self._check(self._file)
        self.check_journal()

    def check_journal(self) -> None:
        """Raise `StoreError` where the journal that was there is gone, or another."""
        self._check(self._journal)

    def lost_journal(self) -> bool:
        """Say whether the journal alone is gone, so that only open files still have what it held.

        Whoever opens the database meanwhile makes an empty one in its place, which counts as none.
        Raises `StoreError` as `check` does where anything else is.
        """
        self._check(self._file)
        try:
            self._check(self._journal)
        except StoreError:
            if _identity(self._journal) is None or self._journal.stat().st_size == 0:
                return True
            raise
        return False

    def forget_journal(self) -> None:
        """Take whatever journal is there next for the right one."""
        self._known.pop(self._journal, None)

    def _check(self, file: Path) -> None:
        found = _identity(file)
        known = self._known.setdefault(file, found) if found else self._known.get(file)
        if known is not None and found != known:
            code = "store.file-gone" if found is None else "store.file-replaced"
            raise StoreError(code, file=file)


class ReadGate:
    """Readers pass at any time, unless somebody needs the database without any of them."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._inside = 0
        self._closed = False

    @contextmanager
    def passed(self) -> Iterator[None]:
        """Read; waits while the gate is closed."""
        with self._changed:
            self._changed.wait_for(lambda: not self._closed, PATIENCE)
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    @contextmanager
    def closed(self) -> Iterator[bool]:
        """Let nobody in, and say whether everybody has left in time."""
        with self._changed:
            self._closed = True
            left = self._changed.wait_for(lambda: self._inside == 0, PATIENCE_WITH_READERS)
        try:
            yield left
        finally:
            with self._changed:
                self._closed = False
                self._changed.notify_all()


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_dev, found.st_ino


LEAST_SPACE = 20_000_000
"""Bytes of a disk that are free; with less, the server says that it is not ready."""

FILE_NAME = "study.db"

Location = str | os.PathLike[str]

PATIENCE = 30  # seconds to wait for another process that writes
PATIENCE_WITH_READERS = 10

log = logging.getLogger(__name__)

ALWAYS_OPEN = 8

MOST_AT_ONCE = {"sqlite": 32, "postgresql": 16}
"""Connections of one process; a server takes 100 as it is installed, from several of them."""

SILENCE: dict[str, Any] = {
    "connect_timeout": 10,
    "keepalives_idle": 15,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": PATIENCE * 1000,
}
"""A network that drops everything is noticed within half a minute, as libpq is told to."""

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

CANNOT_WRITE = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
"""What a connection says that may not have been opened for writing."""

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
        self._watch = None if file is None else FileWatch(file)
        self._gate = ReadGate()
        self._generation = 0
        if self._watch is not None:
            # A connection that is opened beside a journal of its own would mix two of them.
            event.listen(engine, "connect", self._check_journal, insert=True)
            event.listen(engine, "connect", self._note_generation)
            event.listen(engine, "checkout", self._check_generation)

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
        with (
            self._gate.passed(),
            self.explained(),
            self._snapshot() as connection,
            connection.begin(),
        ):
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Write in one transaction, the only one that writes at this moment."""
        self._keep_place()
        with self._renewed_after_failure(), self._writes.begin() as connection:
            if lock := ONE_WRITER.get(self.kind):
                connection.exec_driver_sql(lock)
            yield connection
        self._keep_place()  # a commit into a file that is gone is none

    @contextmanager
    def _renewed_after_failure(self) -> Iterator[None]:
        """Use no connection again that was opened before the file could not be written.

        SQLite opens a file that is read-only at that moment for reading alone, and never says so:
        such a connection would refuse to write long after the file can be written again.
        """
        try:
            yield
        except DBAPIError as error:
            if getattr(error.orig, "sqlite_errorcode", 0) & 0xFF in CANNOT_WRITE:
                self._generation += 1
                error.connection_invalidated = True  # worth another attempt, on a new connection
            raise

    def _note_generation(self, _: Any, record: Any) -> None:
        record.info["generation"] = self._generation

    def _check_generation(self, _: Any, record: Any, __: Any) -> None:
        if record.info["generation"] != self._generation:
            raise DisconnectionError

    def check_place(self) -> None:
        """Raise `StoreError` unless the open files are still those of their names."""
        if self._watch is not None:
            self._watch.check()

    def _keep_place(self) -> None:
        """Do as `check_place`, and first save what only a journal that was removed has held."""
        if self._watch is None:
            return
        if not self._connections():
            self._watch.forget_journal()
        if self._watch.lost_journal():
            self._save_journal(self._watch)
            self._watch.check()

    def _save_journal(self, watch: FileWatch) -> None:
        """Write what the open, nameless journal holds into the database, and begin a new one.

        Nobody may read meanwhile: all connections are closed, so that SQLite lets go of the old
        journal and makes a new one when it is opened again.
        """
        with self._gate.closed() as everybody_left:
            if not everybody_left:
                return
            with closing(self.engine.raw_connection()) as connection:
                cursor = connection.cursor()
                # Emptied too: put back later, it would write old pages over new ones.
                busy, *_ = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if busy:
                return
            self.engine.dispose()
            watch.forget_journal()
            log.warning("the journal of %s was removed; what it held is in the file", self.file)

    def _check_journal(self, *_: Any) -> None:
        assert self._watch is not None
        if self._connections() > 1:
            self._watch.check_journal()
        else:  # the last connection that is closed takes the journal away, as it should
            self._watch.forget_journal()

    def _connections(self) -> int:
        """Return how many connections are open, with the one that is being opened."""
        pool: Any = self.engine.pool
        return int(pool.checkedin() + pool.checkedout())

    def check_space(self) -> None:
        """Raise `StoreError` where the disk has hardly any room left."""
        if self.file is not None:
            free = shutil.disk_usage(self.file.parent).free
            if free < LEAST_SPACE:
                raise StoreError("store.disk-full", file=self.file, megabytes=free // 10**6)

    def migrating(self) -> Engine:
        """Return an engine whose transactions write from their beginning."""
        return self._writes

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Raise covary's own errors where the database raises its own."""
        try:
            yield
        except DBAPIError as error:
            raise as_store_error(error, self.name) from error
        except NoConnectionFree:
            raise StoreError("store.crowded") from None

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


class QuickStatement:
    """A statement that is compiled once for each database and goes straight to its driver.

    A save takes half a dozen statements, on each of which SQLAlchemy would spend more time than
    the database. Values are given in the order in which they stand in the statement. What goes
    wrong is raised as SQLAlchemy raises it.
    """

    def __init__(self, statement: ClauseElement) -> None:
        self._statement = statement
        self._compiled: dict[str, str] = {}

    def rows(self, connection: Connection, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run it, and return what it found."""
        text = self.text(connection.dialect)
        with _driven(connection, text) as cursor:
            cursor.execute(text, values)
            found: list[tuple[Any, ...]] = cursor.fetchall()
            return found

    def run(self, connection: Connection, *values: Sequence[Any]) -> None:
        """Run it with each of these values."""
        text = self.text(connection.dialect)
        with _driven(connection, text) as cursor:
            cursor.executemany(text, values)

    def text(self, dialect: Dialect) -> str:
        """Return the statement as a driver takes it."""
        known = self._compiled.get(dialect.name)
        if known is None:
            in_order = type(dialect)(paramstyle=IN_ORDER[dialect.name])  # type: ignore[call-arg]
            known = self._compiled[dialect.name] = str(self._statement.compile(dialect=in_order))
        return known


IN_ORDER = {"sqlite": "qmark", "postgresql": "format"}
"""How a driver takes values without names."""


@contextmanager
def _driven(connection: Connection, text: str) -> Iterator[Any]:
    dialect = connection.dialect
    cursor = connection.connection.cursor()
    try:
        yield cursor
    except dialect.loaded_dbapi.Error as error:
        lost = dialect.is_disconnect(error, connection.connection, cursor)
        if lost:
            connection.invalidate(error)
        raise DBAPIError.instance(
            text,
            None,
            error,
            dialect.loaded_dbapi.Error,
            connection_invalidated=lost,
            dialect=dialect,
        ) from error
    finally:
        if not connection.invalidated:
            cursor.close()


def private_opener(path: str, flags: int) -> int:
    """Open a file for `open` so that only this user reads it, if it is a new one."""
    return os.open(path, flags, 0o600)


def open_database(place: Location, *, create: bool = True) -> Database:
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
        raise InvalidArgument("store.unknown-database", scheme=scheme)
    try:
        return make_url(f"postgresql+psycopg://{rest}")
    except (ArgumentError, ValueError):
        raise InvalidArgument("store.bad-address") from None


def _check_file(file: Path, create: bool) -> None:
    if not file.exists() and not create:
        raise StoreError("store.missing", file=file)
    if not create and file.stat().st_size == 0:
        raise StoreError("store.empty-file", file=file)
    if not file.parent.is_dir():
        raise InvalidArgument("store.no-folder", folder=file.parent)
    if not file.exists():
        # The file holds the study's secret; what SQLite puts beside it gets the same rights.
        os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
    elif not _is_sqlite(file):
        raise StoreError("store.not-a-store", file=file)


def _is_sqlite(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(16) in (b"", b"SQLite format 3\x00")


def _engine(url: URL) -> Engine:
    try:
        engine = create_engine(
            url,
            pool_size=ALWAYS_OPEN,
            max_overflow=MOST_AT_ONCE[url.get_backend_name()] - ALWAYS_OPEN,
            pool_timeout=PATIENCE,
            pool_pre_ping=url.drivername != "sqlite",
            connect_args=_usual_arguments(url),
        )
    except (ImportError, NoSuchModuleError):
        raise StoreError("store.no-psycopg") from None
    event.listen(engine, "connect", _prepare(ON_CONNECT[engine.dialect.name]))
    if engine.dialect.name == "sqlite":
        event.listen(engine, "begin", _begin)
    return engine


def _usual_arguments(url: URL) -> dict[str, Any]:
    """Return how long a silent server is waited for, where the address says nothing else."""
    usual = SILENCE if url.get_backend_name() == "postgresql" else {}
    return {name: value for name, value in usual.items() if name not in url.query}


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
    text = "BEGIN IMMEDIATE" if writes else "BEGIN"
    with _driven(connection, text) as cursor:
        cursor.execute(text)
