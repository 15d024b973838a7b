"""Spreadsheets: the cells of a sheet as text, with merged cells filled and dates told apart."""

from __future__ import annotations

import datetime
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from covary.errors import InvalidArgument, RatingsError
from covary.words import Note

if TYPE_CHECKING:
    from zipfile import ZipFile

MOST_BYTES = 250_000_000
MOST_CELLS = 20_000_000
"""What a spreadsheet may hold when it is unpacked."""

SHEETS = "xl/worksheets/"
REFERENCE = rb'<(?:c|row)\s(?:[^<>]*\s)?r="([A-Z]{0,3})(\d{1,7})"'


def read_sheet(file: Path, sheet: str | None, notes: list[str]) -> list[list[str]]:
    """Return the cells of one sheet as text; what other sheets there are is noted."""
    book = _open_book(file)
    names: list[str] = book.sheet_names
    if sheet is not None and sheet not in names:
        raise InvalidArgument(
            "formats.unknown-sheet", argument="sheet", value=sheet, allowed=names, file=file.name
        )
    chosen = sheet
    if chosen is None:
        filled = filled_sheets(file)
        chosen = filled[0]
        if len(filled) > 1:
            facts: dict[str, Any] = {"sheets": filled, "chosen": chosen}
            notes.append(Note("formats.several-sheets", file=file.name, **facts))
    cells = _cells(_sheet(book, chosen, file))
    if not any(cell for row in cells for cell in row):
        raise RatingsError("formats.empty-sheet", sheet=chosen, file=file.name)
    return cells


def filled_sheets(file: Path) -> list[str]:
    """Return the sheets that hold anything; the first where none does."""
    book = _open_book(file)
    names: list[str] = book.sheet_names
    if not names:
        raise RatingsError("formats.no-sheet-in-it", file=file.name)
    return [name for name in names if _sheet(book, name, file).height] or names[:1]


def _sheet(book: Any, name: str, file: Path) -> Any:
    import python_calamine

    try:
        return book.get_sheet_by_name(name)
    except python_calamine.CalamineError as error:
        reason = f"{name}: {error}"
        raise RatingsError("formats.bad-spreadsheet", file=file.name, reason=reason) from error


def _open_book(file: Path) -> Any:
    import python_calamine

    _check_size(file)
    try:
        return python_calamine.CalamineWorkbook.from_path(file)
    except (python_calamine.CalamineError, OSError) as error:
        if _holds_text(file):
            raise RatingsError("formats.text-as-spreadsheet", file=file.name) from error
        raise RatingsError("formats.bad-spreadsheet", file=file.name, reason=error) from error


def _holds_text(file: Path) -> bool:
    """Whether a file begins with lines of text: a table that was only given another ending."""
    with file.open("rb") as stream:
        start = stream.read(1000)
    return b"\n" in start and not any(byte < 9 for byte in start) and not start.startswith(b"PK")


def _check_size(file: Path) -> None:
    """Refuse a spreadsheet that would fill the memory when it is opened, however small its file.

    A sheet is as large as its last cell is far from its first, and text that repeats is packed to a
    thousandth of its size.
    """
    import zipfile  # which no text needs
    import zlib

    if not zipfile.is_zipfile(file):
        return
    try:
        with zipfile.ZipFile(file) as packed:
            unpacked = sum(part.file_size for part in packed.infolist())
            if unpacked > MOST_BYTES:
                large, most = unpacked // 10**6, MOST_BYTES // 10**6
                raise RatingsError(
                    "formats.spreadsheet-too-large", file=file.name, megabytes=large, most=most
                )
            for name in packed.namelist():
                if name.startswith(SHEETS) and name.endswith(".xml"):
                    _check_extent(packed, name, file)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise RatingsError("formats.bad-spreadsheet", file=file.name, reason=error) from error


def _check_extent(packed: ZipFile, name: str, file: Path) -> None:
    """Refuse a sheet whose cells lie too far apart, by the references that it holds."""
    rows, columns, rest = 0, 0, b""
    with packed.open(name) as sheet:
        while part := sheet.read(1 << 20):
            for letters, number in re.findall(REFERENCE, rest + part):
                rows = max(rows, int(number))
                columns = max(columns, _column_number(letters))
                if rows * columns > MOST_CELLS:
                    cell = f"{letters.decode()}{number.decode()}"
                    raise RatingsError("formats.far-cell", file=file.name, cell=cell)
            rest = part[-32:]


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - ord("A") + 1
    return number


def _cells(sheet: Any) -> list[list[str]]:
    rows = [[_cell_text(cell) for cell in row] for row in sheet.to_python(skip_empty_area=False)]
    for (top, left), (bottom, right) in getattr(sheet, "merged_cell_ranges", None) or ():
        # A title may lie over the whole table; names and items are repeated where they stand for
        # several columns or rows.
        if top == bottom and right - left + 1 >= max(map(len, rows)):
            continue
        for row in range(top, bottom + 1):
            for column in range(left, right + 1):
                if row < len(rows) and column < len(rows[row]):
                    rows[row][column] = rows[top][left]
    return rows


def _cell_text(cell: Any) -> str:
    if isinstance(cell, bool):
        return str(int(cell))
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        return cell.date().isoformat()
    return str(cell).strip()
