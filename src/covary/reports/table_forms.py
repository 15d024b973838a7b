"""The forms that every result has by its rows: CSV, JSON and a table for the terminal."""

from __future__ import annotations

import csv
import io
import json
import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

WIDTH = 96
"""How wide a terminal may be counted on to be."""


def to_csv(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Write rows for a spreadsheet, with all digits; what is undefined or not there is empty.

    Examples
    --------
    >>> print(
    ...     to_csv([{"of": "fluency", "value": 0.1, "low": float("nan")}], ["of", "value", "low"])
    ... )
    of,value,low
    fluency,0.1,
    <BLANKLINE>
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(row.get(column)) for column in columns] for row in rows)
    return text.getvalue()


def to_json(values: Mapping[str, Any]) -> str:
    """Write plain values as JSON; NaN becomes null, and nothing is rounded."""
    return json.dumps(plain(values), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_terminal(
    heads: Sequence[str], rows: Iterable[Sequence[str]], sentences: Iterable[str] = ()
) -> str:
    """Write a table whose cells are written out already, and sentences below it.

    Examples
    --------
    >>> print(to_terminal(["criterion", "alpha"], [["fluency", ".53"]], ["One judge is strict."]))
    criterion  alpha
    fluency    .53
    One judge is strict.
    """
    below = (textwrap.fill(sentence, WIDTH) for sentence in sentences if sentence)
    return "\n".join([*align([heads, *rows]), *below])


def align(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Write rows as columns that stand under each other."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()


def plain(value: Any) -> Any:
    """Bring values to those that JSON has: NumPy's to Python's, NaN to None, keys to text."""
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool | int | str) or value is None:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return str(value)


def _cell(value: Any) -> Any:
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else ""
    return value
