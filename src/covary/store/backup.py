"""A copy of the whole store in one SQLite file, made while the study goes on.

To restore is to open the copy: put it where the study's `study.db` was, or name it.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import Connection, Table, func, insert, select

from covary.errors import InvalidArgument
from covary.store.database import Database, open_database
from covary.store.faults import StoreError
from covary.store.migrations import migrate
from covary.store.tables import (
    answers,
    issues,
    judges,
    migrations,
    notes,
    researchers,
    settings,
    sheets,
)

__all__ = ["back_up"]

TABLES = (settings, researchers, judges, sheets, issues, answers, notes)
"""In an order in which nothing refers to what comes later."""

AT_ONCE = 1000


def back_up(database: Database, path: str | os.PathLike[str]) -> Path:
    """Copy the store into a new file, look the copy through, and only then give it its name."""
    file = Path(path).expanduser()
    if file.exists():
        raise InvalidArgument(f"'{file}' exists already; a backup never replaces a file")
    if not file.parent.is_dir():
        raise InvalidArgument(f"the folder '{file.parent}' does not exist; make it first")
    draft = file.with_name(f".{file.name}-{secrets.token_hex(4)}")
    try:
        with database.explained():
            at_least = _copied(database, draft)
            _verify(draft, at_least)
        _settle(draft)
        os.replace(draft, file)
    finally:
        for ending in ("", "-wal", "-shm"):
            Path(f"{draft}{ending}").unlink(missing_ok=True)
    return file


def _copied(database: Database, draft: Path) -> dict[str, int]:
    """Copy, and return how many rows each table must have at least."""
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    with database.reading() as connection:
        counts = _counts(connection)
        if database.file is None:
            _copy_rows(connection, draft)
            return counts
    assert database.file is not None
    with closing(sqlite3.connect(database.file)) as source, closing(sqlite3.connect(draft)) as copy:
        source.backup(copy)  # in one step: writers go on, and the copy is of one moment
    return counts


def _copy_rows(source: Connection, draft: Path) -> None:
    """Copy row by row, from another kind of database."""
    copy = open_database(draft)
    try:
        migrate(copy.migrating())
        with copy.migrating().begin() as target:
            for table in TABLES:
                rows = source.execution_options(yield_per=AT_ONCE).execute(select(table))
                for part in rows.mappings().partitions(AT_ONCE):
                    target.execute(insert(table), [dict(row) for row in part])
    finally:
        copy.close()


def _verify(draft: Path, at_least: dict[str, int]) -> None:
    """Read the copy from end to end."""
    copy = open_database(draft)
    try:
        with copy.reading() as connection:
            sound = connection.exec_driver_sql("PRAGMA integrity_check").scalar()
            loose = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
            short = [n for n, number in _counts(connection).items() if number < at_least[n]]
    finally:
        copy.close()
    if sound != "ok" or loose is not None or short:
        raise StoreError(
            f"the backup is not sound ({sound}; too short: {', '.join(short) or 'nothing'}), and "
            "was not kept; run covary check-store on the study and try again"
        )


def _counts(connection: Connection) -> dict[str, int]:
    return {table.name: _count(connection, table) for table in (*TABLES, migrations)}


def _count(connection: Connection, table: Table) -> int:
    return connection.scalar(select(func.count()).select_from(table)) or 0


def _settle(draft: Path) -> None:
    """Put everything into the one file, and the file onto the disk."""
    with closing(sqlite3.connect(draft)) as copy:
        copy.execute("PRAGMA journal_mode = DELETE")
    with draft.open("rb+") as opened:
        os.fsync(opened.fileno())
