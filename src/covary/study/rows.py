"""The rows of items.csv, items.tsv or items.jsonl, each with its line and its known columns."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from covary.errors import RatingsError
from covary.formats.header import read_header, spoken
from covary.study.faults import Faults, near, shown
from covary.study.files import StudyFileFault, text_of

__all__ = ["COLUMNS", "Row", "read_rows"]

USUAL = {".csv": ",", ".tsv": "\t"}
COLUMNS = (
    "item", "text", "system", "source", "kind", "input", "image", "image_text", "speaker",
    "cluster", "expected", "set",
)  # fmt: skip
NUMBERED = ("text", "system", "previous")
LISTS = ("texts", "systems", "context")
"""Columns of JSON lines that hold a list."""

ELSEWHERE = {
    "id": "item", "output": "text", "model": "system", "prompt": "input", "context": "previous_1",
    "document": "source", "dialogue": "cluster",
}  # fmt: skip
"""What other people's tables call a column."""


@dataclass(frozen=True)
class Row:
    """One row: its line, and its cells by column; empty cells are left out."""

    line: int
    cells: Mapping[str, Any]

    def numbered(self, column: str) -> list[Any]:
        """Return the cells of text_1, text_2, … up to the last that is filled; None for gaps."""
        found = {
            int(name[len(column) + 1 :]): cell
            for name, cell in self.cells.items()
            if name.startswith(f"{column}_") and name[-1].isdecimal()
        }
        return [found.get(number) for number in range(1, max(found, default=0) + 1)]


def read_rows(file: Path, faults: Faults, notes: list[str]) -> list[Row]:
    """Read the rows of a file of items; what is wrong with them becomes faults."""
    try:
        text, encoding = text_of(file)
    except StudyFileFault as fault:
        faults.add(file.name, None, "", str(fault))
        return []
    if encoding != "utf-8-sig":
        notes.append(f"{file.name} was read as {encoding.upper()} text.")
    if file.suffix.lower() == ".jsonl":
        rows = list(_json_rows(text, file.name, faults))
    else:
        rows = list(_csv_rows(text, file, faults, notes))
    if not rows and not any(each.file == file.name for each in faults.found):
        faults.add(file.name, None, "", "holds no items; write one row for each")
    return rows


def column_of(name: str) -> str | None:
    """Return covary's name of a column, None where there is none; capitals do not matter.

    Examples
    --------
    >>> column_of(" Image Text"), column_of("Text_2"), column_of("colour")
    ('image_text', 'text_2', None)
    """
    plain = re.sub(r"[\s_]+", "_", name.strip()).casefold()
    if plain in COLUMNS or re.fullmatch(rf"({'|'.join(NUMBERED)})_[1-9]\d?", plain):
        return plain
    if plain.startswith("expected_"):
        return f"expected_{name.strip()[len('expected_') :].strip()}"
    return None


def _csv_rows(text: str, file: Path, faults: Faults, notes: list[str]) -> Iterator[Row]:
    usual = USUAL[file.suffix.lower()]
    try:
        separator = read_header(text, None, usual, file.name).separator
    except RatingsError as error:
        faults.add(file.name, None, "", str(error))
        return
    if separator != usual:
        notes.append(f"The cells of {file.name} are separated by {spoken(separator)}.")
    lines = _cells(text, separator, file.name, faults)
    first, names = next(lines, (1, []))
    columns = _columns(names, first, file.name, faults)
    if "item" not in columns:
        _no_item_column(names, first, file.name, faults)
        return
    for line, cells in lines:
        if len(cells) != len(names) and any(each.strip() for each in cells[len(names) :]):
            faults.add(
                file.name, line, "",
                f"{len(cells)} cells where the first row has {len(names)}; put quotation marks "
                "around text that holds the separator",
            )  # fmt: skip
        elif len(cells) < len(names):
            faults.add(
                file.name, line, "", f"{len(cells)} cells where the first row has {len(names)}"
            )
        else:
            found = zip(columns, cells, strict=False)
            yield Row(line, {name: cell for name, cell in found if name and cell.strip()})


def _cells(text: str, separator: str, file: str, faults: Faults) -> Iterator[tuple[int, list[str]]]:
    """Return rows that are not blank, each with the line in which it begins."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    begins = 1
    try:
        for cells in reader:
            said = begins == 1 and re.fullmatch(r"sep=.?", "".join(cells))  # Excel's own line
            if any(each.strip() for each in cells) and not said:
                yield begins, cells
            begins = reader.line_num + 1
    except csv.Error as error:
        faults.add(file, begins, "", _explained(str(error)))


def _explained(message: str) -> str:
    if "unexpected end" in message:
        return "a quotation mark is opened here and never closed"
    if "field limit" in message:
        return "a cell is too long for a table; keep such texts in a .jsonl file"
    if "expected after" in message:
        return 'a quotation mark stands inside a quoted cell; write it twice: ""'
    return f"cannot be read: {message}"


def _columns(names: Sequence[str], line: int, file: str, faults: Faults) -> list[str | None]:
    found: list[str | None] = []
    for name in names:
        column = column_of(name)
        if column is None and name.strip() and not name.strip().startswith("_"):
            faults.add(file, line, name.strip(), unknown(name))
        if column is not None and column in found:
            faults.add(file, line, name.strip(), "there are two columns of this name")
        found.append(column)
    return found


def unknown(name: str) -> str:
    """Say that a column is not known, with the nearest that is."""
    known = (*COLUMNS, "text_1", "text_2", "system_1", "system_2", "previous_1", *LISTS)
    elsewhere = ELSEWHERE.get(name.strip().casefold())
    advice = f"covary calls it {elsewhere!r}" if elsewhere else near(name.strip(), known)
    return f"unknown column; {advice}; columns of your own begin with _"


def _no_item_column(names: Sequence[str], line: int, file: str, faults: Faults) -> None:
    message = "there is no column called item, which names each item"
    if len(names) == 1:
        message += f"; the first row is one cell, {shown(names[0])}: are commas missing?"
    faults.add(file, line, "item", message)


def _json_rows(text: str, file: str, faults: Faults) -> Iterator[Row]:
    for line, content in enumerate(text.split("\n"), start=1):
        if not content.strip():
            continue
        try:
            record = json.loads(content, object_pairs_hook=_without_doubles)
        except (ValueError, RecursionError) as error:
            faults.add(file, line, "", f"is no JSON: {getattr(error, 'msg', error)}")
            continue
        if not isinstance(record, dict):
            faults.add(file, line, "", f'{shown(record)} must be an object: {{"item": "…", …}}')
            continue
        yield Row(line, _known(record, line, file, faults))


def _known(record: dict[str, Any], line: int, file: str, faults: Faults) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in record.items():
        column = name if name in LISTS else column_of(name)
        if column is None and not name.startswith("_"):
            faults.add(file, line, name, unknown(name))
        elif column is not None and value not in (None, "", [], {}):
            found[column] = value
    return found


class _Twice(ValueError):
    """A key that stands twice in one object."""


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise _Twice(f"the key {twice!r} stands twice")
    return dict(pairs)
