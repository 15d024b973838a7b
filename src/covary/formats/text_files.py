"""Text files: their encoding, the names of their columns, and what is wrong with a broken one."""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from covary.errors import RatingsError
from covary.records import dataclass

BLOCK = 1 << 20
"""The bytes within which the first rows end."""

MOST_DECODED = 1 << 28
"""The bytes that are looked through for letters that are not UTF-8."""

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def detect_encoding(file: Path) -> str:
    """Return `utf-8-sig`, `utf-16`, `utf-32` or `windows-1252`; refuse what is not text."""
    with open_bytes(file) as stream:
        start = stream.read(BLOCK)
    for mark, encoding in BYTE_ORDER_MARKS:
        if start.startswith(mark):
            return encoding
    if b"\0" in start:
        raise RatingsError("formats.not-text", file=file.name)
    if _decodes_as(file, "utf-8"):
        return "utf-8-sig"
    if _is_mostly_utf_8(start):
        raise _damaged(file, "utf-8")
    if _decodes_as(file, "windows-1252"):
        return "windows-1252"
    raise RatingsError("formats.unknown-encoding", file=file.name)


def read_start(file: Path, encoding: str) -> str:
    """Return the first part of a file as text."""
    with open_bytes(file) as stream:
        start = stream.read(BLOCK)
    try:
        return codecs.getincrementaldecoder(encoding)().decode(start)
    except UnicodeDecodeError:
        raise _damaged(file, encoding) from None


def copy_as_utf_8(file: Path, encoding: str, copy: Path) -> Path:
    """Write a copy of a file in UTF-8."""
    import shutil  # which plain files do without

    try:
        with (
            open_bytes(file) as stream,
            io.TextIOWrapper(stream, encoding=encoding, newline="") as text,
            copy.open("w", encoding="utf-8", newline="") as target,
        ):
            shutil.copyfileobj(text, target)
    except UnicodeError:
        raise _damaged(file, encoding) from None
    return copy


def open_bytes(file: Path) -> IO[bytes]:
    """Open a file for its bytes, unpacked where it is a .gz."""
    if file.suffix.lower() == ".gz":
        import gzip

        return gzip.open(file, "rb")  # type: ignore[return-value]
    return file.open("rb")


def _damaged(file: Path, encoding: str) -> RatingsError:
    return RatingsError("formats.damaged-text", file=file.name, encoding=encoding.upper())


def _is_mostly_utf_8(start: bytes) -> bool:
    r"""Whether most letters beyond ASCII are whole: Windows-1252 has hardly any that look so.

    Examples
    --------
    >>> _is_mostly_utf_8("好,差".encode() + b"\xe5"), _is_mostly_utf_8("é,ü,ß".encode("cp1252"))
    (True, False)
    """
    text = start.decode("utf-8", errors="replace")
    broken = text.count("\ufffd")
    return sum(letter > "\x7f" for letter in text) > 2 * broken


def _decodes_as(file: Path, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    left = MOST_DECODED
    try:
        with open_bytes(file) as stream:
            while left > 0 and (part := stream.read(BLOCK)):
                decoder.decode(part)
                left -= len(part)
        decoder.decode(b"", final=left > 0)
    except UnicodeDecodeError:
        return False
    return True


SEPARATORS = ",;\t|"

ROWS_COMPARED = 20
"""So many rows must have as many cells as the first one, for a separator to be believed."""


@dataclass(frozen=True)
class Header:
    """The names of the columns, what separates them, and how many lines stand before the data.

    `above` says whether the skipped lines end above the names (they are the next line) or below.
    """

    names: tuple[str, ...]
    separator: str
    skip: int
    above: bool = True

    @property
    def width(self) -> int:
        """How many cells a row has."""
        return len(self.names)


@dataclass(frozen=True)
class _FirstRows:
    rows: list[list[str]]
    skip: int

    @property
    def width(self) -> int:
        return len(self.rows[0])

    @property
    def even(self) -> bool:
        """Whether there are columns, and all rows have as many cells."""
        return self.width > 1 and len({len(_without_last_blank(row)) for row in self.rows}) == 1

    @property
    def steadiness(self) -> int:
        """How many cells stand in rows of the commonest length above one."""
        lengths = Counter(len(row) for row in self.rows if len(row) > 1)
        return max((length * times for length, times in lengths.items()), default=0)


def read_header(text: str, separator: str | None, usual: str, file: str) -> Header:
    """Find the names of the columns, and the separator where it is not given."""
    if not text.strip():
        raise RatingsError("formats.empty", file=file)
    if separator is None and (line := re.match(r"sep=(.)\r?\n", text)):
        start = _first_rows(text, line[1], file)  # a line that Excel writes for itself
        return _header(_FirstRows(start.rows[1:], start.skip + 1), line[1], file)
    if separator is not None:
        return _header(_first_rows(text, separator, file), separator, file)
    starts = {mark: _first_rows(text, mark, file) for mark in usual + SEPARATORS.replace(usual, "")}
    if max(start.width for start in starts.values()) == 1:
        spaced = _first_rows(text, " ", file)
        if spaced.even and spaced.width > 2 and len(spaced.rows) > 2:
            return _header(spaced, " ", file)
    even = [mark for mark, start in starts.items() if start.even]
    steadiest = max(starts, key=lambda mark: (starts[mark].steadiness, starts[mark].width))
    chosen = even[0] if even else usual if starts[usual].width > 1 else steadiest
    return _header(starts[chosen], chosen, file)


def read_cells(file: Path, encoding: str, separator: str) -> list[list[str]] | None:
    """Return all cells of a text file; None where its quotation marks do not fit."""
    with (
        open_bytes(file) as stream,
        io.TextIOWrapper(stream, encoding=encoding, newline="") as text,
    ):
        try:
            rows = list(csv.reader(text, delimiter=separator, strict=True))
        except (csv.Error, UnicodeDecodeError):
            return None
    return rows[1:] if rows and re.fullmatch(r"sep=.?", "".join(rows[0])) else rows


def _first_rows(text: str, separator: str, file: str) -> _FirstRows:
    """Return the first rows that are not blank."""
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    skip, rows = 0, []
    try:
        for row in lines:
            if any(cell.strip() for cell in row):
                rows.append(row)
            elif not rows:
                skip = lines.line_num
            if len(rows) > ROWS_COMPARED:
                break
    except csv.Error as error:  # a huge cell below the names does no harm here
        if rows:
            return _FirstRows(rows, skip)
        raise RatingsError(
            "formats.bad-csv", file=file, line=lines.line_num, reason=error
        ) from None
    if not rows:
        raise RatingsError("formats.no-header", file=file)
    # The text may end within its last row.
    return _FirstRows(rows[:-1] if len(rows) > ROWS_COMPARED else rows, skip)


UNFILLED = ["Approve", "Reject"]
"""The last names of a batch of Mechanical Turk, which no row has cells for."""


def _header(start: _FirstRows, separator: str, file: str) -> Header:
    if not start.rows:
        raise RatingsError("formats.no-header", file=file)
    names, rest = start.rows[0], start.rows[1:]
    widths = {len(row) for row in rest}
    named = [name.strip() or f"column {place}" for place, name in enumerate(names, start=1)]
    if widths == {len(names) + 1} and not any(row[-1].strip() for row in rest):
        extra = (*named, f"column {len(names) + 1}")
        return Header(extra, separator, start.skip + 1, above=False)
    if widths == {len(names) - 1} and not names[-1].strip():
        return Header(tuple(named[:-1]), separator, start.skip + 1, above=False)
    if widths == {len(names) - 2} and named[-2:] == UNFILLED:
        return Header(tuple(named[:-2]), separator, start.skip + 1, above=False)
    return Header(tuple(named), separator, start.skip)


def _without_last_blank(row: list[str]) -> list[str]:
    blank = len(list(itertools.takewhile(lambda cell: not cell.strip(), reversed(row))))
    return row[:-1] if blank and len(row) > 1 else row


def find_csv_fault(file: Path, separator: str | None, usual: str) -> RatingsError | None:
    """Find the first row that is not like the others, reading as slowly as Python does."""
    encoding = detect_encoding(file)
    header = read_header(read_start(file, encoding), separator, usual, file.name)
    names_end = header.skip + header.above
    with (
        open_bytes(file) as stream,
        io.TextIOWrapper(stream, encoding=encoding, newline="") as text,
    ):
        lines = iter(text)
        rows = csv.reader(lines, delimiter=header.separator, strict=True)
        begins = 1
        try:
            for cells in rows:
                if cells and begins > names_end and len(cells) != header.width:
                    place = f"{file.name}, line {begins}"
                    counts: dict[str, Any] = {"cells": len(cells), "columns": header.width}
                    return RatingsError("formats.cell-count", place=place, **counts)
                begins = rows.line_num + 1
        except csv.Error:
            code = "formats.mixed-line-ends" if next(lines, None) else "formats.open-quote"
            return RatingsError(code, place=f"{file.name}, line {begins}")
        except UnicodeDecodeError:
            return RatingsError("formats.not-utf-8", place=file.name)
    return RatingsError("formats.mixed-line-ends", place=file.name) if _mixes_ends(file) else None


def _mixes_ends(file: Path) -> bool:
    """Say whether some lines end as on Windows and others do not."""
    with open_bytes(file) as stream:
        return len({line.endswith(b"\r\n") for line in stream}) > 1


def _errors_of(module: str, name: str = "error") -> tuple[type[Exception], ...]:
    """The errors of a module; none where it was never loaded."""
    loaded = sys.modules.get(module)
    return () if loaded is None else (getattr(loaded, name),)


@contextmanager
def explain_errors(file: Path, find_fault: Callable[[], RatingsError | None]) -> Iterator[None]:
    """Turn errors of DuckDB and of unpacking into covary's; `find_fault` looks for the reason."""
    try:
        yield
    except Exception as error:
        if isinstance(error, (EOFError, *_errors_of("gzip", "BadGzipFile"), *_errors_of("zlib"))):
            raise RatingsError("formats.packed", file=file.name, reason=error) from error
        if not isinstance(error, _errors_of("duckdb", "Error")):
            raise
        reason = str(error).splitlines()[0]
        fault = find_fault() or RatingsError("formats.unreadable", place=file.name, reason=reason)
        raise fault from error
