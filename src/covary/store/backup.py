"""A copy of the whole store in one SQLite file, made while the study goes on.

The copy is an ordinary store: name it with --database, or bring it back with `restore`.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import Connection

from covary.errors import InvalidArgument
from covary.store.copying import Digest, copy_rows, digests_of, row_counts
from covary.store.database import Database, open_database
from covary.store.faults import StoreError
from covary.store.migrations import migrate

__all__ = ["back_up", "copy_file", "drafted", "settle"]


def back_up(database: Database, path: str | os.PathLike[str]) -> Path:
    """Copy the store into a new file, look the copy through, and only then give it its name."""
    file = Path(path).expanduser()
    if file.exists():
        raise InvalidArgument(f"'{file}' exists already; a backup never replaces a file")
    if not file.parent.is_dir():
        raise InvalidArgument(f"the folder '{file.parent}' does not exist; make it first")
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
        migrate(copy.migrating())
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
            found = row_counts(connection)
            wrong = [name for name, number in at_least.items() if found[name] < number]
            if read is not None and not wrong:
                kept = digests_of(connection)
                wrong = [name for name in kept if kept[name] != read[name]]
    finally:
        copy.close()
    if sound != "ok" or loose is not None or wrong:
        raise StoreError(
            f"the backup is not sound ({sound}; not as in the study: "
            f"{', '.join(wrong) or 'nothing'}), and was not kept; run covary check-store on the "
            "study and try again"
        )
