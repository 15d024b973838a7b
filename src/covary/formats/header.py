"""The first row of a text file: the names of its columns, its separator, its encoding."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
from dataclasses import dataclass
from pathlib import Path

from covary.errors import RatingsError

__all__ = ["NOT_UTF_8", "Header", "read_header"]

ENOUGH = 1 << 20
"""The bytes within which the first row ends."""

USUAL = {".csv": ",", ".tsv": "\t"}

NOT_UTF_8 = (
    "is not UTF-8 text (Excel's plain 'CSV' is Windows-1252); save it as UTF-8, in Excel as "
    "'CSV UTF-8 (Comma delimited)'"
)


@dataclass(frozen=True)
class Header:
    """The names of the columns, what separates them, and how many lines stand before them."""

    names: tuple[str, ...]
    separator: str
    skip: int


def read_header(file: Path, separator: str | None) -> Header:
    """Read the names of the columns of a text file, and refuse what is no such file."""
    mark = separator or USUAL[Path(file.stem if file.suffix == ".gz" else file.name).suffix.lower()]
    names, skip = _first_row(_text(file), mark, file)
    if len(names) == 1 and (other := _other_separator(names[0], mark)):
        raise RatingsError(
            f"{file.name} has a single column named {names[0]!r}: its cells are separated by "
            f"{_spoken(other)} and not by {_spoken(mark)}; say separator={other!r}"
        )
    named = [each.strip() or f"column {place}" for place, each in enumerate(names, start=1)]
    return Header(tuple(named), mark, skip)


def _text(file: Path) -> str:
    unpack = gzip.open if file.suffix.lower() == ".gz" else open
    with unpack(file, "rb") as stream:
        start = stream.read(ENOUGH)
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\0" in start:
        raise RatingsError(f"{file.name} {NOT_UTF_8}")
    try:
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(start)
    except UnicodeDecodeError as error:
        line = start[: error.start].count(b"\n") + 1
        raise RatingsError(f"{file.name}, line {line}: the file {NOT_UTF_8}") from None
    if not text.strip():
        raise RatingsError(f"{file.name} is empty")
    return text


def _first_row(text: str, separator: str, file: Path) -> tuple[list[str], int]:
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    skip = 0
    try:
        for row in rows:
            if any(cell.strip() for cell in row):
                return row, skip
            skip = rows.line_num
    except csv.Error as error:
        raise RatingsError(f"{file.name}, line {rows.line_num}: {error}") from None
    raise RatingsError(f"{file.name} has no row with the names of its columns")


def _other_separator(only: str, separator: str) -> str:
    return next((mark for mark in ";\t,|" if mark in only and mark != separator), "")


def _spoken(separator: str) -> str:
    return {"\t": "tabs", ",": "commas", ";": "semicolons"}.get(separator, repr(separator))
