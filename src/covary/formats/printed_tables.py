"""Tables as programs print them.

Columns are aligned by spaces, as R, pandas and terminals do, or stand between bars, as databases
and Markdown do.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

MARKS = ",;\t"
"""What separates the cells of a text file that was not printed."""

RULE = r"[\s|:+=\-─━┼│┬┴╞╡╪═]+"
COMMENT = r"\s*#.*|\s*\(\d+ rows?\)\s*|\s*ℹ.*|\s*\[\d+ rows x \d+ columns\]\s*"
KINDS = r"\s*(?:<\w+>\s*)+"
"""The row in which R says of each column what it holds: <chr> <dbl>."""

FEWEST_LINES = 3
MOST_LINES = 20_000


def printed_cells(text: str) -> list[list[str]] | None:
    r"""Return the cells of a printed table, a row for each line; None where it is none.

    Lines that belong to the print alone, such as rules, are empty rows, so that rows are lines.

    Examples
    --------
    >>> printed_cells("  item Ann\n1   S1   4\n2   S2   5\n")
    [['', 'item', 'Ann'], ['1', 'S1', '4'], ['2', 'S2', '5']]
    >>> printed_cells("item,Ann\nS1,4\nS2,5\n") is None
    True
    """
    lines = [_without_places(line) for line in text.splitlines()]
    kept = ["" if _is_print_alone(line) else line.rstrip() for line in lines]
    filled = [line for line in kept if line]
    if not filled or len(lines) > MOST_LINES or _has_mark(lines[0]) or _has_mark(filled[0]):
        return None
    if "|" in filled[0] or "│" in filled[0]:
        ruled = len(filled) < sum(bool(line.strip()) for line in lines)
        return _between_bars(kept) if ruled else None
    cells = _between_spaces(filled)
    if cells is None:
        return None
    rows = iter(cells)
    return [next(rows) if line else [] for line in kept]


def _between_spaces(lines: Sequence[str]) -> list[list[str]] | None:
    """Take lines apart at their spaces, in the first way that fits all of them."""
    if len(lines) < FEWEST_LINES:
        return None
    if all(line[0] == line[-1] == '"' and line.count('"') == 2 for line in lines):
        lines = [line[1:-1] for line in lines]  # a program quoted each line as one cell
    ways = (look(lines) for look in (_quoted, _aligned, _spaced))
    return next((cells for cells in ways if cells is not None), None)


def _has_mark(line: str) -> bool:
    return any(mark in line for mark in MARKS)


def _without_places(line: str) -> str:
    """Write the places that R prints around a matrix, [1,] and [,1], without their commas."""
    if not re.match(r"\s*\[(?:,[0-9]+|[0-9]+,)\]", line):
        return line
    return re.sub(r"\[,([0-9]+)\]", r" V\1 ", re.sub(r"\[([0-9]+),\]", r" \1  ", line))


def _is_print_alone(line: str) -> bool:
    alone = (RULE, COMMENT, KINDS)
    return not line.strip() or any(re.fullmatch(pattern, line) for pattern in alone)


def _between_bars(lines: Sequence[str]) -> list[list[str]] | None:
    """Take lines apart at their bars; what stands outside of the first and the last is nothing."""
    rows = []
    for line in lines:
        bare = line.strip().replace("│", "|").removeprefix("|").removesuffix("|")
        rows.append([cell.strip() for cell in bare.split("|")] if "|" in bare else [])
    widths = {len(row) for row in rows if row}
    return rows if len(widths) == 1 and sum(map(bool, rows)) > 1 else None


def _quoted(lines: Sequence[str]) -> list[list[str]] | None:
    """Cells with a space between them and text in quotation marks, as R's write.table writes."""
    if '"' not in lines[0]:
        return None
    try:
        rows = list(csv.reader(io.StringIO("\n".join(lines)), delimiter=" ", strict=True))
    except csv.Error:
        return None
    return _even(rows) if len(rows) == len(lines) else None


def _aligned(lines: Sequence[str]) -> list[list[str]] | None:
    """Cells in columns that are parted by a space in all lines, or else by two."""
    if any("\t" in line for line in lines):
        return None
    return _in_columns(lines, 1) or _in_columns(lines, 2)


def _in_columns(lines: Sequence[str], apart: int) -> list[list[str]] | None:
    width = max(map(len, lines))
    padded = [line.ljust(width) for line in lines]
    used = [any(line[place] != " " for line in padded) for place in range(width)]
    starts = [p for p in range(width) if used[p] and not any(used[max(0, p - apart) : p])]
    starts = [p for n, p in enumerate(starts) if not n or _is_named(lines[0], starts, n)]
    ends = [*starts[1:], width]
    rows = [
        [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]
        for line in padded
    ]
    columns = list(zip(*rows[1:], strict=True))
    filled = all(2 * sum(map(bool, column)) >= len(column) for column in columns)
    return rows if filled and len(starts) > 1 else None


def _is_named(names: str, starts: Sequence[int], place: int) -> bool:
    """Whether the first line has something in a column; else it goes on with the one before."""
    end = starts[place + 1] if place + 1 < len(starts) else len(names)
    return bool(names[starts[place] : end].strip())


def _spaced(lines: Sequence[str]) -> list[list[str]] | None:
    """Cells with any number of spaces between them, as many in each line."""
    return _even([line.split() for line in lines])


def _even(rows: list[list[str]]) -> list[list[str]] | None:
    """Rows of one length; the names may lack that of the rows' names."""
    widths = {len(row) for row in rows[1:]}
    if len(widths) != 1 or (width := widths.pop()) < 2:
        return None
    if len(rows[0]) == width - 1:
        return [["", *rows[0]], *rows[1:]]
    return rows if len(rows[0]) == width else None
