"""Spreadsheets (.xlsx, .xls, .ods), read by python-calamine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from covary.errors import InvalidArgument, RatingsError, listed, meant

__all__ = ["read_sheet"]


def read_sheet(
    file: Path, sheet: str | None, notes: list[str]
) -> tuple[list[str], Iterator[list[Any]]]:
    """Return the names of the columns and the rows of one sheet, as text."""
    import python_calamine

    try:
        book = python_calamine.CalamineWorkbook.from_path(file)
        chosen = _chosen(book, sheet, file, notes)
        rows = book.get_sheet_by_name(chosen).to_python()
    except (python_calamine.CalamineError, OSError) as error:
        raise RatingsError(f"{file.name} cannot be read as a spreadsheet: {error}") from error
    filled = [row for row in rows if any(_text(cell) for cell in row)]
    if not filled:
        raise RatingsError(f"the sheet {chosen!r} of {file.name} is empty")
    names = [_text(cell) or f"column {place}" for place, cell in enumerate(filled[0], start=1)]
    return names, ([_text(cell) for cell in row] for row in filled[1:])


def _chosen(book: Any, sheet: str | None, file: Path, notes: list[str]) -> str:
    names: list[str] = book.sheet_names
    if sheet is not None:
        if sheet not in names:
            raise InvalidArgument(
                f"sheet={sheet!r} is not in {file.name}, which has {listed(names)}"
                f"{meant(sheet, names)}"
            )
        return sheet
    filled = [each for each in names if book.get_sheet_by_name(each).height] or names[:1]
    if len(filled) > 1:
        notes.append(
            f"{file.name} has the sheets {listed(filled)}; {filled[0]!r} was read (sheet='…' "
            "chooses another)."
        )
    return filled[0]


def _text(cell: Any) -> str:
    if isinstance(cell, bool):
        return str(int(cell))
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()
