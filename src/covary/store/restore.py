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
from covary.store.backup import copy_file, drafted, settle
from covary.store.copying import TABLES, Digest, copy_rows, digests_of, row_counts
from covary.store.database import FILE_NAME, Database, Place, open_database
from covary.store.faults import StoreError
from covary.store.migrations import migrate, version_of

__all__ = ["Restored", "restore"]


@dataclass(frozen=True)
class Restored:
    """Where a backup was brought back to, and how many rows each table has there."""

    name: str
    rows: Mapping[str, int]


def restore(backup: Place, place: Place) -> Restored:
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
        raise InvalidArgument(
            f"there is no backup '{source}'; name the file that covary backup made"
        )
    if "://" in os.fspath(place):
        return _into_server(source, os.fspath(place))
    file = Path(os.fspath(place)).expanduser()
    return _into_file(source, file / FILE_NAME if file.is_dir() else file)


def _into_file(source: Path, file: Path) -> Restored:
    _refuse_present(file)
    if not file.parent.is_dir():
        raise InvalidArgument(f"the folder '{file.parent}' does not exist; make it first")
    with drafted(file) as draft:
        expected = _upgraded_copy(source, draft)
        settle(draft)
        _give_name(draft, file)
    return Restored(str(file), {name: digest.rows for name, digest in expected.items()})


def _give_name(draft: Path, file: Path) -> None:
    try:
        os.link(draft, file)  # unlike a renaming, it fails where somebody was quicker
    except OSError:
        _refuse_present(file)
        os.rename(draft, file)  # a drive that knows no links


def _refuse_present(file: Path) -> None:
    if file.exists():
        raise InvalidArgument(
            f"'{file}' exists already, and a backup is never restored over a study: move it away "
            "first, or restore elsewhere"
        )


def _upgraded_copy(source: Path, draft: Path) -> dict[str, Digest]:
    """Copy a backup, look the copy through, and upgrade it where it is of an older covary."""
    try:
        copy_file(source, draft)
        _check_soundness(draft)
    except sqlite3.DatabaseError as error:
        raise StoreError(
            f"the backup '{source}' is damaged, or is none ({error}), and nothing was restored; "
            "use an earlier one"
        ) from None
    copy = open_database(draft)
    try:
        with copy.reading() as connection:
            if version_of(connection) == 0:
                raise StoreError(f"'{source}' holds no study; name a file of covary backup")
        migrate(copy.migrating())
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


def _into_server(source: Path, address: str) -> Restored:
    database = open_database(address)
    try:
        with database.explained():
            _refuse_study(database)
            rows = _copied_to(database, source)
    finally:
        database.close()
    return Restored(database.name, rows)


def _refuse_study(database: Database) -> None:
    """Refuse a database that holds anything of a study; make the tables where there are none."""
    migrate(database.migrating())
    with database.reading() as connection:
        _refuse_rows(connection, database.name)


def _refuse_rows(connection: Connection, name: str) -> None:
    present = [f"{number} {table}" for table, number in row_counts(connection).items() if number]
    if present:
        raise InvalidArgument(
            f"{name} holds a study already ({', '.join(present)}), and a backup is never restored "
            "over a study: make a new database (createdb), or a new schema"
        )


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


def _compare(expected: Mapping[str, Digest], found: Mapping[str, Digest], name: str) -> None:
    wrong = [table for table in expected if expected[table] != found[table]]
    if wrong:
        raise StoreError(
            f"what arrived in {name} is not what the backup holds ({', '.join(wrong)}), and "
            "nothing was restored; look at the server's log and try again"
        )


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
