"""A backup brought back into an empty place: a new file, or a PostgreSQL that holds no study yet.

Nothing is ever written over. What was written is read again and compared with the backup before it
counts: a file gets its name, a transaction is committed, only after that.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, func, select

from covary.errors import InvalidArgument
from covary.store.backup import (
    TABLES,
    Digest,
    copy_file,
    copy_rows,
    digests_of,
    drafted,
    row_counts,
    settle,
)
from covary.store.database import FILE_NAME, Database, Location, StoreError, open_database
from covary.store.schema import version_of
from covary.store.seals import upgrade


@dataclass(frozen=True)
class RestoredStore:
    """Where a backup was brought back to, and how many rows each table has there."""

    name: str
    rows: Mapping[str, int]


def restore(backup: Location, place: Location) -> RestoredStore:
    """Bring a backup back, and return when all of it is there, compared and durable.

    Parameters
    ----------
    backup
        A file that `Store.backup` made, or any `study.db` that nobody serves; it is only read.
        One of an older covary is upgraded on the way.
    place
        Where to: the path of a `study.db` that does not exist yet, its folder, or `postgresql://…`
        of a database (or schema) that holds no study.
    """
    source = Path(os.fspath(backup)).expanduser()
    if not source.is_file():
        raise InvalidArgument("store.no-backup", file=source)
    if "://" in os.fspath(place):
        return _into_server(source, os.fspath(place))
    file = Path(os.fspath(place)).expanduser()
    return _into_file(source, file / FILE_NAME if file.is_dir() else file)


def _into_file(source: Path, file: Path) -> RestoredStore:
    _refuse_present(file)
    if not file.parent.is_dir():
        raise InvalidArgument("store.no-folder", folder=file.parent)
    with drafted(file) as draft:
        expected = _upgraded_copy(source, draft)
        settle(draft)
        _give_name(draft, file)
    return RestoredStore(str(file), {name: digest.rows for name, digest in expected.items()})


def _give_name(draft: Path, file: Path) -> None:
    try:
        os.link(draft, file)  # unlike a renaming, it fails where somebody was quicker
    except OSError:
        _refuse_present(file)
        os.rename(draft, file)  # a drive that knows no links


def _refuse_present(file: Path) -> None:
    if file.exists():
        raise InvalidArgument("store.restore-over", file=file)


def _upgraded_copy(source: Path, draft: Path) -> dict[str, Digest]:
    """Copy a backup, look the copy through, and upgrade it where it is of an older covary."""
    try:
        copy_file(source, draft)
        _check_soundness(draft)
    except sqlite3.DatabaseError as error:
        raise StoreError("store.backup-damaged", file=source, reason=error) from None
    copy = open_database(draft)
    try:
        with copy.reading() as connection:
            if version_of(connection) == 0:
                raise StoreError("store.backup-empty", file=source)
        upgrade(copy)
        with copy.reading() as connection:
            return digests_of(connection)
    finally:
        copy.close()


def _check_soundness(draft: Path) -> None:
    """Let SQLite read every page and follow every reference."""
    with closing(sqlite3.connect(draft)) as copy:
        said = [line for (line,) in copy.execute("PRAGMA integrity_check(5)") if line != "ok"]
        loose = copy.execute("PRAGMA foreign_key_check").fetchone()
    if said or loose:
        raise sqlite3.DatabaseError("; ".join(said) or f"a row of {loose[0]} refers to nothing")


def _into_server(source: Path, address: str) -> RestoredStore:
    database = open_database(address)
    try:
        with database.explained():
            _refuse_study(database)
            rows = _copied_to(database, source)
    finally:
        database.close()
    return RestoredStore(database.name, rows)


def _refuse_study(database: Database) -> None:
    """Refuse a database that holds anything of a study; make the tables where there are none."""
    upgrade(database)
    with database.reading() as connection:
        _refuse_rows(connection, database.name)


def _refuse_rows(connection: Connection, name: str) -> None:
    present = [f"{number} {table}" for table, number in row_counts(connection).items() if number]
    if present:
        raise InvalidArgument("store.holds-a-study", store=name, rows=", ".join(present))


def _copied_to(database: Database, source: Path) -> dict[str, int]:
    """Copy everything in one transaction, which is undone unless all of it arrived."""
    with tempfile.TemporaryDirectory(prefix="covary-") as folder:
        draft = Path(folder) / source.name
        expected = _upgraded_copy(source, draft)
        copy = open_database(draft)
        try:
            with copy.reading() as rows, database.writing() as connection:
                _refuse_rows(connection, database.name)  # again: now nobody else writes
                copy_rows(rows, connection)
                _count_on(connection)
                _compare(expected, digests_of(connection), database.name)
        finally:
            copy.close()
    return {name: digest.rows for name, digest in expected.items()}


def _compare(expected: Mapping[str, Digest], restored: Mapping[str, Digest], name: str) -> None:
    wrong = [table for table in expected if expected[table] != restored[table]]
    if wrong:
        raise StoreError("store.restored-otherwise", store=name, tables=", ".join(wrong))


def _count_on(connection: Connection) -> None:
    """Let each table that numbers its rows go on after the highest number."""
    for table in TABLES:
        for column in table.primary_key.columns:
            sequence = connection.scalar(
                select(func.pg_get_serial_sequence(table.name, column.name))
            )
            highest = connection.scalar(select(func.max(column))) if sequence else None
            if highest is not None:
                connection.execute(select(func.setval(sequence, highest)))
