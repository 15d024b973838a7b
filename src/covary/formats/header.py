"""The first rows of a text file: the names of its columns and what separates its cells."""

from __future__ import annotations

import csv
import io
import itertools
import re
from dataclasses import dataclass

from covary.errors import RatingsError

__all__ = ["Header", "read_header", "spoken"]

MARKS = ",;\t|"

LOOKED_AT = 20
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


@dataclass(frozen=True)
class _Start:
    rows: list[list[str]]
    skip: int

    @property
    def width(self) -> int:
        return len(self.rows[0])

    @property
    def even(self) -> bool:
        """Whether there are columns, and all rows have as many cells."""
        return self.width > 1 and len({len(_without_last_blank(row)) for row in self.rows}) == 1


def read_header(text: str, separator: str | None, usual: str, file: str) -> Header:
    """Find the names of the columns, and the separator where it is not given."""
    if not text.strip():
        raise RatingsError(f"{file} is empty")
    if separator is None and (said := re.match(r"sep=(.)\r?\n", text)):
        start = _start(text, said[1], file)  # a line that Excel writes for itself
        return _header(_Start(start.rows[1:], start.skip + 1), said[1], file)
    if separator is not None:
        return _header(_start(text, separator, file), separator, file)
    starts = {mark: _start(text, mark, file) for mark in usual + MARKS.replace(usual, "")}
    even = [mark for mark, start in starts.items() if start.even]
    widest = max(starts, key=lambda mark: starts[mark].width)
    chosen = even[0] if even else usual if starts[usual].width > 1 else widest
    return _header(starts[chosen], chosen, file)


def spoken(separator: str) -> str:
    """Name a separator in words."""
    return {"\t": "tabs", ",": "commas", ";": "semicolons"}.get(separator, repr(separator))


def _start(text: str, separator: str, file: str) -> _Start:
    """Return the first rows that are not blank."""
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    skip, rows = 0, []
    try:
        for row in lines:
            if any(cell.strip() for cell in row):
                rows.append(row)
            elif not rows:
                skip = lines.line_num
            if len(rows) > LOOKED_AT:
                break
    except csv.Error as error:  # a huge cell below the names does no harm here
        if rows:
            return _Start(rows, skip)
        raise RatingsError(f"{file}, line {lines.line_num}: {error}") from None
    if not rows:
        raise RatingsError(f"{file} has no row with the names of its columns")
    # The text may end within its last row.
    return _Start(rows[:-1] if len(rows) > LOOKED_AT else rows, skip)


def _header(start: _Start, separator: str, file: str) -> Header:
    if not start.rows:
        raise RatingsError(f"{file} has no row with the names of its columns")
    names, rest = start.rows[0], start.rows[1:]
    widths = {len(row) for row in rest}
    named = [each.strip() or f"column {place}" for place, each in enumerate(names, start=1)]
    if widths == {len(names) + 1} and not any(row[-1].strip() for row in rest):
        extra = (*named, f"column {len(names) + 1}")
        return Header(extra, separator, start.skip + 1, above=False)
    if widths == {len(names) - 1} and not names[-1].strip():
        return Header(tuple(named[:-1]), separator, start.skip + 1, above=False)
    return Header(tuple(named), separator, start.skip)


def _without_last_blank(row: list[str]) -> list[str]:
    blank = len(list(itertools.takewhile(lambda cell: not cell.strip(), reversed(row))))
    return row[:-1] if blank and len(row) > 1 else row
