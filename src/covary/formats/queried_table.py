"""A table of PostgreSQL, or what a query of it gives."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from covary.errors import InvalidArgument, RatingsError
from covary.formats.cells import Relation
from covary.formats.ratings_file import RatingsFile
from covary.formats.tables import TableOptions, held_table, open_table
from covary.records import dataclass

SCHEMES = ("postgresql://", "postgres://")


def is_database(place: str) -> bool:
    """Say whether a place is the address of a database."""
    return place.startswith(SCHEMES)


@dataclass
class QueriedTable(RatingsFile):
    """A table of PostgreSQL, or what a query of it gives; `path` is only its name."""

    address: str = ""
    query: str = ""

    @property
    def files(self) -> tuple[Path, ...]:
        """No file holds the rows."""
        return ()

    @property
    def ending(self) -> str:
        """The rows come as text."""
        return ".csv"

    @cached_property
    def table(self) -> Relation:
        """The rows of the table, as text, in DuckDB; what does not fit in memory goes to disk."""
        with TemporaryDirectory() as folder:
            copy = Path(folder, "rows.csv")
            _copy_rows(self.address, self.query, copy)
            rows, _ = open_table(self.engine, [copy], TableOptions(separator=","), [])
            return held_table(self.engine, rows)

    @property
    def document(self) -> Any:
        """There is none."""
        return None

    def held(self, relation: Relation) -> Relation:
        return relation


def _copy_rows(address: str, query: str, copy: Path) -> None:
    """Let PostgreSQL write the rows into a file, one block after the other."""
    try:
        import psycopg
        from psycopg import sql
    except ImportError as error:
        raise InvalidArgument("formats.no-psycopg") from error
    table: sql.Composable = sql.SQL(query.strip().rstrip(";"))
    if re.fullmatch(r"\w+(\.\w+)?", query):
        table = sql.SQL("select * from {}").format(sql.Identifier(*query.split(".")))
    order = sql.SQL("copy ({}) to stdout with (format csv, header)").format(table)
    try:
        with (
            _read_only(psycopg.connect(address)) as database,
            database.cursor().copy(order) as blocks,
            copy.open("wb") as file,
        ):
            for block in blocks:
                file.write(block)
    except psycopg.Error as error:
        reason = next(iter(str(error).strip().splitlines()), repr(error))
        raise RatingsError("formats.postgres-refused", reason=reason) from error


def _read_only(database: Any) -> Any:
    database.read_only = True
    return database
