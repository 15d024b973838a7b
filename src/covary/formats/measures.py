"""Small tables beside ratings: a measure per system, and the scale that each judge prefers."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Iterator
from pathlib import Path

from covary.errors import InvalidArgument, RatingsError, listed

__all__ = ["read_measures", "read_preferences"]

Place = str | os.PathLike[str]

SYSTEMS = ("system", "model")
JUDGES = ("judge", "annotator", "rater", "worker", "participant")
PREFERENCES = ("preference", "preferred", "prefers")


def read_measures(path: Place) -> dict[str, dict[str, float]]:
    r"""Read one row per system: its name, and a number for each measure.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "accuracy.csv")
    ...     _ = file.write_text("system,accuracy,seconds\nA,0.91,12.5\nB,0.74,\n")
    ...     read_measures(file)
    {'accuracy': {'A': 0.91, 'B': 0.74}, 'seconds': {'A': 12.5}}
    """
    heads, rows = _table(path)
    system = _column(path, heads, SYSTEMS)
    found: dict[str, dict[str, float]] = {head: {} for head in heads if head != system}
    if not found:
        raise RatingsError(
            f"{Path(path).name} has no column beside {system!r}; add one with the measure"
        )
    seen: set[str] = set()
    for line, row in rows:
        name = row[system]
        if name in seen:
            raise RatingsError(
                f"{Path(path).name}, line {line}: the system {name!r} stands there twice; give one "
                "row per system"
            )
        seen.add(name)
        for measure in found:
            if row[measure]:
                found[measure][name] = _number(path, line, measure, row[measure])
    return found


def read_preferences(path: Place) -> dict[str, str]:
    """Read which scale each judge prefers: a column with the judge, one with the preference.

    A file of ratings with a column `preference` does as well, as long as a judge says one thing.
    """
    heads, rows = _table(path)
    judge, preference = _column(path, heads, JUDGES), _column(path, heads, PREFERENCES)
    found: dict[str, str] = {}
    for line, row in rows:
        name, said = row[judge], row[preference]
        if found.setdefault(name, said) != said:
            raise RatingsError(
                f"{Path(path).name}, line {line}: the judge {name!r} prefers both "
                f"{found[name]!r} and {said!r}; keep one"
            )
    return found


def _table(path: Place) -> tuple[list[str], Iterator[tuple[int, dict[str, str]]]]:
    file = Path(path).expanduser()
    if not file.is_file():
        raise InvalidArgument(f"path='{file}' does not exist")
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise RatingsError(f"{file.name} is no text in UTF-8; save it as CSV in UTF-8") from None
    if not lines:
        raise RatingsError(f"{file.name} is empty")
    mark = max((",", ";", "\t"), key=lines[0].count)
    heads = [cell.strip() for cell in next(csv.reader([lines[0]], delimiter=mark))]

    def rows() -> Iterator[tuple[int, dict[str, str]]]:
        for line, cells in enumerate(csv.reader(lines[1:], delimiter=mark), 2):
            if not cells:
                continue
            if len(cells) != len(heads):
                raise RatingsError(
                    f"{file.name}, line {line}: {len(cells)} cells, but the first line names "
                    f"{len(heads)} columns"
                )
            yield line, dict(zip(heads, (cell.strip() for cell in cells), strict=True))

    return heads, rows()


def _column(path: Place, heads: list[str], names: tuple[str, ...]) -> str:
    for name in names:
        for head in heads:
            if head.lower() == name:
                return head
    raise RatingsError(
        f"{Path(path).name} has no column {names[0]!r}, only {listed(heads)}; name it so"
    )


def _number(path: Place, line: int, measure: str, cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise RatingsError(
            f"{Path(path).name}, line {line}: {cell!r} in the column {measure!r} is no number"
        )
    return value
