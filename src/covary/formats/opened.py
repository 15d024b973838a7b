"""A file or folder that was named to `read`, and what was said about it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from covary.errors import InvalidArgument, RatingsError
from covary.formats.cells import Relation, Tidy, name, trimmed
from covary.formats.encoding import encoding_of, opened
from covary.formats.parts import files_of, one_kind
from covary.formats.tables import (
    ENDINGS,
    PARQUET,
    SHEETS,
    TEXT,
    ending_of,
    from_records,
    new_engine,
    open_table,
)
from covary.ratings import COLUMNS

__all__ = ["Opened", "load_json"]

LARGEST_HELD = 1 << 28
"""Text files up to so many bytes are taken into memory."""


@dataclass
class Opened:
    """A path with the keywords of `read`; its table and document are read when first asked for.

    `slots` becomes true where the names of columns say that they are no persons.
    """

    path: Path
    keywords: dict[str, Any]
    wide: bool | str | Sequence[str] | None = None
    sheet: str | None = None
    separator: str | None = None
    count: str | None = None
    keep_rejected: bool = False
    slots: bool = False
    memory: int | None = None
    notes: list[str] = field(default_factory=list)

    @cached_property
    def files(self) -> tuple[Path, ...]:
        """The files that are this table; none where the path is a folder of something else."""
        return files_of(self.path)

    @cached_property
    def ending(self) -> str:
        """The ending that all files share."""
        return one_kind(self.files, self.path) if self.files else ""

    @property
    def is_table(self) -> bool:
        """Whether the ending is that of files with rows and columns."""
        return self.ending in ENDINGS

    @property
    def is_text(self) -> bool:
        """Whether every cell is text, so that numbers have to be recognised."""
        return self.ending in (*TEXT, *SHEETS)

    @cached_property
    def engine(self) -> Any:
        """The DuckDB that holds the rows."""
        return new_engine(self.memory)

    @cached_property
    def table(self) -> Relation:
        """The rows and columns of the file, as they are."""
        return open_table(
            self.engine, self.files, separator=self.separator, sheet=self.sheet, notes=self.notes
        )

    @cached_property
    def columns(self) -> list[str]:
        """The names of the columns; none where the file is no table."""
        return list(self.table.columns) if self.is_table else []

    @cached_property
    def document(self) -> Any:
        """The content of a .json file; None where it is none."""
        if not self.path.is_file() or ending_of(self.path) != ".json":
            return None
        return load_json(self.path)

    @property
    def said(self) -> dict[str, Any]:
        """Which column holds what, as far as the caller said so."""
        return {role: self.keywords[role] for role in COLUMNS if role in self.keywords}

    def one_column(self, role: str) -> str | None:
        """Return the column that the caller named for a role, which must be one name."""
        column = self.keywords.get(role)
        if column is not None and not isinstance(column, str):
            raise InvalidArgument(f"{role}={column!r} must be the name of one column")
        return column

    def takes_only(self, *roles: str) -> None:
        """Refuse keywords for columns that this format does not let choose."""
        wrong = [f"{role}={column!r}" for role, column in self.said.items() if role not in roles]
        if wrong:
            raise InvalidArgument(
                f"{', '.join(wrong)} cannot be chosen in {self.path.name}, whose format says what "
                "it is; leave it out, or say another format='…'"
            )

    def rows(self, relation: Relation, used: dict[str, str], shown: Sequence[str] = ()) -> Relation:
        """Return tidy rows with covary's names; `used` says which column is what."""
        cells = self.held(trimmed(relation, used, self.keywords.get("scale")))
        tidy = Tidy(self.path.name, self.is_text, self.notes, shown).numbered(cells, used)
        return tidy.project(", ".join(f"{name(c)} as {name(r)}" for c, r in used.items()))

    def records(self, records: Sequence[dict[str, Any]]) -> Relation:
        """Hold records with covary's names."""
        return from_records(self.engine, records, self.path)

    def held(self, relation: Relation) -> Relation:
        """Take the rows of a small text file into memory, for as long as somebody uses them."""
        size = sum(file.stat().st_size for file in self.files)
        if self.ending in PARQUET or size > LARGEST_HELD:
            return relation
        relation.create("held")
        return self.engine.table("held")


def load_json(file: Path) -> Any:
    """Read a JSON file, and say where it is broken."""
    with opened(file) as stream:
        content = stream.read()
    try:
        return json.loads(content.decode(encoding_of(file)))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise RatingsError(f"{file.name} cannot be read as JSON: {error}") from error
