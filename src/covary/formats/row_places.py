"""Where a row of data stands in its file: the row of the sheet, the line of the text, the sheet."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from covary.formats.grid import data_rows, distinct_names, table_rows, transpose
from covary.formats.tables import (
    LINES,
    TEXT,
    TableOptions,
    all_cells,
    ending_of,
    read_printed,
)
from covary.formats.text_files import detect_encoding, open_bytes, read_header, read_start
from covary.records import dataclass
from covary.words import letters

MOST_NAMED = 5
"""So many rows are named where one example stands in several."""


@dataclass(frozen=True)
class RowPlace:
    """A row of data: its number, its line where that differs, its sheet or file, and its cells.

    In a table that was turned it is a column of the file, which has a letter instead of a number.
    """

    row: int
    cells: Mapping[str, str]
    line: int | None = None
    part: str = ""
    turned: bool = False

    def facts(self) -> dict[str, Any]:
        """Return what is said of it."""
        own: dict[str, Any] = {"row": self.row, "line": self.line}
        known = ({"column": letters(self.row)} if self.turned else own) | {"part": self.part}
        return {name: value for name, value in known.items() if value}


def places_in(file: Path, options: TableOptions, part: str = "") -> list[RowPlace]:
    """Return the rows of data of a file or sheet, in order; its columns where it was turned."""
    if ending_of(file) in LINES:
        return list(_json_places(file, part))
    cells = all_cells(file, options)
    shape = options.shape_of(cells)
    names, rows = table_rows(cells, shape)
    titles = [name.strip() for name in distinct_names(names)]
    if shape.transposed:
        columns = data_rows(transpose(cells), shape)
        return [
            RowPlace(number, dict(zip(titles, row, strict=False)), part=part, turned=True)
            for number, row in zip(columns, rows, strict=True)
        ]
    lines = _first_lines(file, options) if ending_of(file) in TEXT else []
    return [
        RowPlace(number, dict(zip(titles, row, strict=False)), _line(lines, number), part)
        for number, row in zip(data_rows(cells, shape), rows, strict=True)
    ]


def _line(lines: Sequence[int], number: int) -> int | None:
    """The line in which a row begins, where it is not the row's own number."""
    known = lines[number - 1] if number <= len(lines) else number
    return None if known == number else known


def _first_lines(file: Path, options: TableOptions) -> list[int]:
    """The line in which each row of a text file begins; a cell may hold several lines."""
    if read_printed(file, options) is not None:
        return []  # a row for each line
    encoding = detect_encoding(file)
    usual = TEXT[ending_of(file)]
    header = read_header(read_start(file, encoding), options.separator, usual, file.name)
    lines, before = [], 0
    with (
        open_bytes(file) as stream,
        io.TextIOWrapper(stream, encoding=encoding, newline="") as text,
    ):
        reader = csv.reader(text, delimiter=header.separator)
        for row in reader:
            if before or not re.fullmatch(r"sep=.?", "".join(row)):
                lines.append(before + 1)
            before = reader.line_num
    return lines


def _json_places(file: Path, part: str) -> Iterator[RowPlace]:
    """A record for each line that is not blank."""
    import json

    encoding = detect_encoding(file)
    with open_bytes(file) as stream, io.TextIOWrapper(stream, encoding=encoding) as text:
        for number, line in enumerate(text, 1):
            if line.strip():
                record = json.loads(line)
                named = record.items() if isinstance(record, dict) else ()
                yield RowPlace(number, {str(key): str(cell) for key, cell in named}, part=part)


def filled_places(places: Sequence[RowPlace], columns: Sequence[str]) -> list[RowPlace]:
    """Return the rows that have something in one of these columns."""
    return [place for place in places if any(place.cells.get(name, "").strip() for name in columns)]


def matching_places(
    places: Sequence[RowPlace], record: Mapping[str, Any], columns: Mapping[str, str]
) -> list[RowPlace]:
    """Return the rows in which an example stands, by what stands in the columns that name it."""
    wanted = {columns[role]: record[role] for role in columns if role in record}
    if not wanted:
        return []
    return [
        place
        for place in places
        if all(_same(place.cells.get(name, ""), value) for name, value in wanted.items())
    ]


def _same(cell: str, value: Any) -> bool:
    text = cell.strip()
    if value is None or text == str(value).strip():
        return value is not None or not text
    try:
        return float(text) == float(value)
    except (TypeError, ValueError):
        return False
