"""A copy of the whole store in one SQLite file, made while the study goes on.

The copy is an ordinary store: name it with --database, or bring it back with `restore`.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, RowMapping, Table, func, insert, select

from covary.errors import InvalidArgument
from covary.store.database import Database, StoreError, open_database
from covary.store.schema import metadata, migrations
from covary.store.seals import plain_values, row_digest, truth_places, upgrade

TABLES: tuple[Table, ...] = tuple(
    table for table in metadata.tables.values() if table is not migrations
)
"""As they are declared: nothing refers to what comes later. Each store makes its migrations."""

AT_ONCE = 1000


@dataclass(frozen=True)
class Digest:
    """What a table holds, in whatever order: how many rows, and a sum of their hashes.

    Two databases sort texts differently, so the digest must not depend on an order; a sum, unlike
    an exclusive or, does not lose a row that is there twice.
    """

    rows: int = 0
    total: int = 0

    def with_rows(self, table: Table, rows: Sequence[RowMapping]) -> Digest:
        """Return the digest with more rows."""
        total = sum(_number_of(table, row) for row in rows)
        return Digest(self.rows + len(rows), (self.total + total) % 2**256)


def copy_rows(source: Connection, target: Connection) -> dict[str, Digest]:
    """Copy all rows, and return the digests of what was read."""
    return {table.name: _digest_of(source, table, target) for table in TABLES}


def digests_of(connection: Connection) -> dict[str, Digest]:
    """Read all rows and return the digest of each table."""
    return {table.name: _digest_of(connection, table) for table in TABLES}


def row_counts(connection: Connection) -> dict[str, int]:
    """Return how many rows each table has."""
    return {
        table.name: connection.scalar(select(func.count()).select_from(table)) or 0
        for table in TABLES
    }


def _digest_of(connection: Connection, table: Table, target: Connection | None = None) -> Digest:
    """Read the rows of a table, copy them where there is a target, and return their digest."""
    digest = Digest()
    for part in _parts(connection, table):
        if target is not None:
            target.execute(insert(table), [dict(row) for row in part])
        digest = digest.with_rows(table, part)
    return digest


def _parts(connection: Connection, table: Table) -> Iterator[Sequence[RowMapping]]:
    query = select(table).order_by(*table.primary_key.columns)
    rows = connection.execute(query, execution_options={"yield_per": AT_ONCE})
    yield from rows.mappings().partitions(AT_ONCE)


def _number_of(table: Table, row: RowMapping) -> int:
    """Return a number for what a row says; whichever database says it, the number is the same."""
    names = table.columns.keys()
    values = [row[name] for name in names]
    return int.from_bytes(row_digest(plain_values(values, truth_places(table, names))))


def back_up(database: Database, path: str | os.PathLike[str]) -> Path:
    """Copy the store into a new file, look the copy through, and only then give it its name."""
    file = Path(path).expanduser()
    if file.exists():
        raise InvalidArgument("store.backup-exists", file=file)
    if not file.parent.is_dir():
        raise InvalidArgument("store.no-folder", folder=file.parent)
    with drafted(file) as draft:
        with database.explained():
            at_least, read = _copied(database, draft)
            _verify(draft, at_least, read)
        settle(draft)
        os.replace(draft, file)
    return file


@contextmanager
def drafted(file: Path) -> Iterator[Path]:
    """Make an empty file beside where it shall be, which only this user reads; leave none."""
    draft = file.with_name(f".{file.name}-{secrets.token_hex(4)}")
    try:
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        yield draft
    except sqlite3.Error as error:  # of the copy: those of the store are explained where it is read
        raise StoreError("store.database", place=file, reason=error) from error
    finally:
        for ending in ("", "-wal", "-shm"):
            Path(f"{draft}{ending}").unlink(missing_ok=True)


def copy_file(file: Path, draft: Path) -> None:
    """Copy an SQLite store in one step: writers go on, and the copy is of one moment."""
    with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(draft)) as copy:
        source.backup(copy)


def settle(draft: Path) -> None:
    """Put everything into the one file, and the file onto the disk."""
    with closing(sqlite3.connect(draft)) as copy:
        copy.execute("PRAGMA journal_mode = DELETE")
    with draft.open("rb+") as opened:
        os.fsync(opened.fileno())


def _copied(database: Database, draft: Path) -> tuple[dict[str, int], dict[str, Digest] | None]:
    """Copy, and return how many rows each table must have at least, and what was read of it."""
    with database.reading() as connection:
        counts = row_counts(connection)
        if database.file is None:
            return counts, _copied_rows(connection, draft)
    assert database.file is not None
    copy_file(database.file, draft)
    return counts, None


def _copied_rows(source: Connection, draft: Path) -> dict[str, Digest]:
    """Copy row by row, from another kind of database."""
    copy = open_database(draft)
    try:
        upgrade(copy)
        with copy.migrating().begin() as target:
            return copy_rows(source, target)
    finally:
        copy.close()


def _verify(draft: Path, at_least: dict[str, int], read: dict[str, Digest] | None) -> None:
    """Read the copy from end to end."""
    copy = open_database(draft)
    try:
        with copy.reading() as connection:
            sound = connection.exec_driver_sql("PRAGMA integrity_check").scalar()
            loose = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
            counts = row_counts(connection)
            wrong = [name for name, number in at_least.items() if counts[name] < number]
            if read is not None and not wrong:
                kept = digests_of(connection)
                wrong = [name for name in kept if kept[name] != read[name]]
    finally:
        copy.close()
    if sound != "ok" or loose is not None or wrong:
        raise StoreError("store.backup-unsound", sound=sound, tables=", ".join(wrong) or "nothing")
