"""Ratings in a table or a query of PostgreSQL, copied once into DuckDB."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from covary.errors import InvalidArgument, RatingsError
from covary.formats.cells import Relation
from covary.formats.opened import Opened
from covary.formats.tables import open_table

__all__ = ["Queried", "is_database"]

SCHEMES = ("postgresql://", "postgres://")


def is_database(place: str) -> bool:
    """Say whether a place is the address of a database."""
    return place.startswith(SCHEMES)


@dataclass
class Queried(Opened):
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
            _copied(self.address, self.query, copy)
            rows = open_table(self.engine, [copy], separator=",", sheet=None, notes=[])
            rows.create("copied")
        return self.engine.table("copied")

    @property
    def document(self) -> Any:
        """There is none."""
        return None

    def held(self, relation: Relation) -> Relation:
        return relation


def _copied(address: str, query: str, copy: Path) -> None:
    """Let PostgreSQL write the rows into a file, one block after the other."""
    try:
        import psycopg
        from psycopg import sql
    except ImportError as error:
        raise InvalidArgument(
            "reading from PostgreSQL needs psycopg, which is not installed: "
            "pip install 'covary[postgres]'"
        ) from error
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
        said = str(error).strip().splitlines()
        raise RatingsError(f"PostgreSQL refused: {said[0] if said else error!r}") from error


def _read_only(database: Any) -> Any:
    database.read_only = True
    return database
