"""All rows from one store to another, whatever databases they are, with a digest of each table.

Which tables there are is read from `tables.metadata`, so that a new one cannot be forgotten.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Boolean, Connection, RowMapping, Table, func, insert, select

from covary.store.tables import metadata, migrations

__all__ = ["TABLES", "Digest", "copy_rows", "digests_of", "row_counts"]

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

    def with_rows(self, table: Table, given: Sequence[RowMapping]) -> Digest:
        """Return the digest with more rows."""
        total = sum(_number_of(table, row) for row in given)
        return Digest(self.rows + len(given), (self.total + total) % 2**256)


def copy_rows(source: Connection, target: Connection) -> dict[str, Digest]:
    """Copy all rows, and return the digests of what was read."""
    return {table.name: _copy_table(source, target, table) for table in TABLES}


def digests_of(connection: Connection) -> dict[str, Digest]:
    """Read all rows and return the digest of each table."""
    return {table.name: _digest_of(connection, table) for table in TABLES}


def row_counts(connection: Connection) -> dict[str, int]:
    """Return how many rows each table has."""
    return {
        table.name: connection.scalar(select(func.count()).select_from(table)) or 0
        for table in TABLES
    }


def _digest_of(connection: Connection, table: Table) -> Digest:
    found = Digest()
    for part in _parts(connection, table):
        found = found.with_rows(table, part)
    return found


def _copy_table(source: Connection, target: Connection, table: Table) -> Digest:
    found = Digest()
    for part in _parts(source, table):
        target.execute(insert(table), [dict(row) for row in part])
        found = found.with_rows(table, part)
    return found


def _parts(connection: Connection, table: Table) -> Iterator[Sequence[RowMapping]]:
    query = select(table).order_by(*table.primary_key.columns)
    rows = connection.execute(query, execution_options={"yield_per": AT_ONCE})
    yield from rows.mappings().partitions(AT_ONCE)


def _number_of(table: Table, row: RowMapping) -> int:
    """Return a number for what a row says; whichever database says it, the number is the same."""
    values = [_plain(column.type, row[column.name]) for column in table.columns]
    text = json.dumps(values, ensure_ascii=True)
    return int.from_bytes(hashlib.sha256(text.encode()).digest())


def _plain(kind: Any, value: Any) -> Any:
    return bool(value) if isinstance(kind, Boolean) and value is not None else value
