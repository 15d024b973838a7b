"""The rows of a small text file, asked without an engine.

Starting DuckDB takes longer than reading a few hundred rows. This table answers the questions that
every plain file is asked, exactly as DuckDB does, and knows what it does not know: a question
whose answer is None, and whatever else is asked of a relation, goes to DuckDB, which then reads it.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from covary.formats.cells import Relation, identifier
from covary.ratings.plain_columns import Vector
from covary.ratings.plain_frame import PlainFrame

LARGEST_SMALL = 1 << 18
"""Text files up to so many bytes are read without an engine."""

MANY_COLUMNS = 500
"""Tables with more columns are, too: an engine is asked about each column, and has to plan each
question."""

SEPARATORS = ",;\t|"
SPACES = " \t\r\n\u00a0\u3000"

NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")
WHOLE = re.compile("0|-?[1-9][0-9]{0,17}")
WORD = re.compile(r"[^\W\d_].*|.*[^-+.,_0-9a-zA-Z\s].*", re.DOTALL)
NO_WORD = re.compile(r"[+-]?(?:inf|nan)", re.IGNORECASE)
SIGNS = set(".-–—?")
THOUSAND = re.compile(r"[1-9]\.[0-9]{3}")

ONE = "cast(1 as bigint)"
"""The SQL for the item of rows that are all about one."""

LARGEST_RATING = 30_000
"""A larger number may be a day, as spreadsheets count them, which DuckDB's questions find out."""

Cells = list[Any]


class Unsure(Exception):
    """A cell that DuckDB may read in another way."""


def number_in(text: str) -> float | None:
    """Return the number that a text is, or None where it is none, or refuse to say.

    Examples
    --------
    >>> number_in("-4.5"), number_in("Ann")
    (-4.5, None)
    """
    if NUMBER.fullmatch(text):
        return float(text)
    if not text or (WORD.fullmatch(text) and not NO_WORD.match(text)):
        return None
    raise Unsure


def is_plain_text(file: Path, separator: str) -> bool:
    """Whether Python and DuckDB take the lines and the quoted cells of a file in the same way."""
    content = file.read_bytes()
    if separator not in SEPARATORS or file.suffix.lower() == ".gz":
        return False
    windows = content.count(b"\r\n")
    if content.count(b"\r") != windows or windows not in (0, content.count(b"\n")):
        return False
    if b'"' not in content:
        return True
    mark = re.escape(separator.encode())
    cell = rb"(?:^|(?<=" + mark + rb'))"((?:[^"]|"")*)"(?=' + mark + rb"|\r?$)"
    empty = any(not quoted[1] for quoted in re.finditer(cell, content, re.MULTILINE))
    return not empty and b'"' not in re.sub(cell, b"", content, flags=re.MULTILINE)


class SmallTable:
    """Columns of texts, or of whole numbers that count rows; None where a cell is empty.

    `relation` returns the same table in DuckDB.
    """

    def __init__(self, cells: Mapping[str, Cells], relation: Callable[[], Any]) -> None:
        self.cells, self.relation = dict(cells), relation

    @cached_property
    def in_engine(self) -> Any:
        """The same rows in DuckDB."""
        return self.relation()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.in_engine, name)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.cells)

    @cached_property
    def size(self) -> int:
        """How many rows there are."""
        return len(next(iter(self.cells.values())))

    def distinct_rows(self, columns: Sequence[str]) -> int:
        """How many different rows some columns have."""
        return len(set(zip(*(self.cells[column] for column in columns), strict=True)))

    def filled(self, column: str) -> Cells:
        """The cells of a column that hold something."""
        return [cell for cell in self.cells[column] if cell is not None]

    def trimmed(self, column: str) -> list[str]:
        """The texts of a column without spaces around them, in small letters for comparisons."""
        return ["" if cell is None else str(cell).strip(" ") for cell in self.cells[column]]

    def numbers(self, texts: Sequence[str]) -> list[float | None]:
        """The numbers that texts are; each different text is looked at once."""
        known = {text: number_in(text) for text in dict.fromkeys(texts)}
        return [known[text] for text in texts]

    def profiles(
        self, columns: Sequence[str], nothing: Callable[[str], bool], none: str, most: int
    ) -> list[tuple[Any, ...]] | None:
        """Answer what is asked of columns for their profiles; `nothing` says what is no answer."""
        try:
            return [self._profile(column, nothing, none, most) for column in columns]
        except Unsure:
            return None

    def _profile(
        self, column: str, nothing: Callable[[str], bool], none: str, most: int
    ) -> tuple[Any, ...]:
        times = Counter(text for text in self.trimmed(column) if text)
        given = {text: count for text, count in times.items() if not nothing(text.lower())}
        numbers = {text: number_in(text.replace(",", ".")) for text in given}
        values = [number for number in numbers.values() if number is not None]
        return (
            sum(given.values()),
            sum(count for text, count in given.items() if numbers[text] is not None),
            len(given),
            min(values, default=None),
            max(values, default=None),
            max(map(len, given), default=None),
            sorted(given)[:most],
            sum(count for text, count in given.items() if text.lower() == none),
        )

    def number_counts(
        self, columns: Sequence[str], nothing: Collection[str]
    ) -> list[tuple[Any, ...]] | None:
        """Count the cells of columns that hold something, and numbers; None if unsure."""
        try:
            return [self._number_counts(column, nothing) for column in columns]
        except Unsure:
            return None

    def _number_counts(self, column: str, nothing: Collection[str]) -> tuple[Any, ...]:
        times = Counter(text for text in self.trimmed(column) if text)
        signs = {text for text in times if set(text) <= SIGNS}  # no number to DuckDB either
        numbers = {text: number_in(text.replace(",", ".")) for text in times if text not in signs}
        values = {text: number for text, number in numbers.items() if number is not None}
        return (
            sum(count for text, count in times.items() if text.lower() not in nothing),
            sum(times[text] for text in values),
            min(values.values(), default=None),
            max(values.values(), default=None),
        )

    def totals(self, columns: Sequence[str]) -> tuple[Any, ...] | None:
        """How many rows hold whole numbers from 0 alone, the ends of their sums, the least."""
        try:
            rows = [self.numbers(["" if c is None else c for c in self.cells[n]]) for n in columns]
        except Unsure:
            return None
        if any(number is None for row in rows for number in row):
            return (0, None, None, None)
        cells = np.array(rows, dtype=float)
        whole = ((cells >= 0) & (cells == np.floor(cells))).all(axis=0)
        sums = functools.reduce(np.add, cells)
        return int(whole.sum()), float(sums.min()), float(sums.max()), float(cells.min())

    def marks(
        self, columns: Sequence[str], marks: Collection[str], blanks: Collection[str]
    ) -> tuple[list[str], int, int]:
        """The columns of nothing but marks and blanks, and the rows with one mark and with more."""
        known = {}
        for column in columns:
            cells = [text.lower() for text in self.trimmed(column)]
            if {*cells} <= {"", *marks, *blanks} and not {*marks}.isdisjoint(cells):
                known[column] = [cell in marks for cell in cells]
        times = [sum(row) for row in zip(*known.values(), strict=True)]
        return list(known), times.count(1), sum(count > 1 for count in times)

    def long(
        self,
        kept: Mapping[str, str],
        labels: Mapping[str, Sequence[Any]],
        columns: Sequence[str],
        relation: Callable[[], Any],
    ) -> SmallTable | None:
        """Put columns under each other, row by row, with `labels` for each; `kept` stay beside.

        All are given in SQL: a column, the number of the row, or 1; None for all else.
        """
        named = {identifier(column): cells for column, cells in self.cells.items()}
        named |= {"row_number() over ()": list(range(1, self.size + 1)), ONE: [1] * self.size}
        if not {*kept.values(), *columns} <= named.keys():
            return None
        width = len(columns)
        cells: dict[str, Cells] = {
            role: [cell for cell in named[question] for _ in range(width)]
            for role, question in kept.items()
        }
        cells |= {role: list(texts) * self.size for role, texts in labels.items()}
        ratings = zip(*(named[column] for column in columns), strict=True)
        return SmallTable(cells | {"rating": [r for row in ratings for r in row]}, relation)

    def tidy(
        self,
        used: Mapping[str, str],
        *,
        missing: Sequence[str],
        measures: Sequence[str],
        codes: Collection[float],
    ) -> PlainFrame | None:
        """Return rows with the names of their roles, where every rating is a number; else None.

        `missing` are the words for a missing rating, `measures` the roles that are measured, and
        `codes` the numbers that may be no ratings.
        """
        telling = [self.cells[column] for column, role in used.items() if role != "text"]
        kept = [any(cell is not None for cell in row) for row in zip(*telling, strict=True)]
        nothing = {"", *missing}
        held: dict[str, Vector] = {}
        try:
            for column, role in used.items():
                cells = [c for c, keep in zip(self.cells[column], kept, strict=True) if keep]
                if role == "rating":
                    held[role] = _rating(_stripped(cells), nothing, codes)
                else:
                    held[role] = _named(_stripped(cells), measure=role in measures)
        except Unsure:
            return None
        return PlainFrame(held)


def _stripped(cells: Cells) -> Cells:
    return [cell.strip(SPACES) if isinstance(cell, str) else cell for cell in cells]


def _rating(cells: Cells, nothing: Collection[str], codes: Collection[float]) -> Vector:
    """Ratings as numbers, whole ones where all are."""
    kinds = {cell: None for cell in cells if cell is not None and cell.lower() not in nothing}
    numbers = {cell: number_in(cell) for cell in kinds}
    values = [number for number in numbers.values() if number is not None]
    if not values or len(values) < len(numbers) or max(values) > LARGEST_RATING:
        raise Unsure
    if any(value in codes for value in values) or any(map(THOUSAND.fullmatch, numbers)):
        raise Unsure
    whole = all(value == int(value) for value in values)
    return _numeric([numbers.get(cell) for cell in cells], whole=whole)


def _named(cells: Cells, *, measure: bool) -> Vector:
    """Names as whole numbers, or a measure as numbers, where all are; else as texts."""
    if cells and all(type(cell) is int for cell in cells):
        return Vector(np.array(cells, dtype=np.int64))
    kinds = [cell for cell in dict.fromkeys(cells) if cell]
    numbers: dict[str, Any] = {}
    if measure:
        numbers = {cell: number_in(cell) for cell in kinds}
    elif all(map(WHOLE.fullmatch, kinds)):
        numbers = {cell: int(cell) for cell in kinds}
    if numbers and None not in numbers.values():
        return _numeric(list(map(numbers.get, cells)), whole=not measure)
    values = np.empty(len(cells), dtype=object)
    values[:] = [cell or None for cell in cells]
    return Vector(values, np.array([not cell for cell in cells], dtype=bool))


def _numeric(numbers: Sequence[float | None], *, whole: bool) -> Vector:
    missing = np.array([number is None for number in numbers], dtype=bool)
    kind = np.int64 if whole else np.float64
    return Vector(np.array([number or 0 for number in numbers], dtype=kind), missing)


def count_rows(table: Relation) -> int:
    """Count the rows of a table."""
    if isinstance(table, SmallTable):
        return table.size
    return int(table.aggregate("count(*)").fetchone()[0])


def count_filled(table: Relation, column: str) -> tuple[int, int]:
    """Count the cells of a column that hold something, and how many of them differ."""
    if isinstance(table, SmallTable):
        cells = table.filled(column)
        return len(cells), len(set(cells))
    name = identifier(column)
    cells, kinds = table.aggregate(f"count({name}), count(distinct {name})").fetchone()
    return cells, kinds


def first_cells(table: Relation, column: str, count: int) -> list[Any]:
    """Return the first cells of a column."""
    if isinstance(table, SmallTable):
        return list(table.cells[column][:count])
    rows = table.project(f"cast({identifier(column)} as varchar)").limit(count).fetchall()
    return [cell for (cell,) in rows]
