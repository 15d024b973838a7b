"""The lines of a design.csv, cell by cell; whatever cannot be read becomes a fault."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import get_args

from covary.design.plan import TaskKind
from covary.study.faults import Faults, near, shown

__all__ = ["COLUMNS", "Line", "read_lines"]

COLUMNS = (
    "sheet", "row", "position", "item", "kind", "part", "occasion", "order", "settings",
)  # fmt: skip
NEEDED = ("sheet", "item")
KINDS: Mapping[str, TaskKind] = {each: each for each in get_args(TaskKind)}


@dataclass(frozen=True)
class Line:
    """One task as it stands in the file; `position` is 0 where the cell is empty."""

    line: int
    sheet: int
    row: str
    position: int
    item: str
    kind: TaskKind
    part: str
    occasion: int
    order: tuple[int, ...]
    settings: str


def read_lines(text: str, file: str, faults: Faults) -> list[Line]:
    """Read every line that can be read."""
    header = text.split("\n", 1)[0]
    separator = max(",;\t", key=header.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    names = [each.strip().casefold() for each in next(rows, [])]
    missing = [each for each in NEEDED if each not in names]
    if missing:
        faults.add(file, 1, "", f"the first row must name the columns {', '.join(missing)}")
        return []
    found = list(_lines(rows, names, file, faults))
    if not found and not faults.found:
        faults.add(file, None, "", "holds no tasks; 'covary design' writes them")
    return found


def _lines(
    rows: Iterator[list[str]], names: list[str], file: str, faults: Faults
) -> Iterator[Line]:
    cells: dict[str, str]
    reader = iter(rows)
    number = 1
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            faults.add(file, number + 1, "", f"cannot be read: {error}")
            return
        number += 1
        if any(each.strip() for each in row):
            cells = dict(zip(names, (each.strip() for each in row), strict=False))
            found = _line(number, cells, file, faults)
            if found is not None:
                yield found


def _line(number: int, cells: Mapping[str, str], file: str, faults: Faults) -> Line | None:
    before = len(faults.found)

    def whole(key: str, empty: int | None) -> int:
        cell = cells.get(key, "")
        if not cell and empty is not None:
            return empty
        if not (cell.isascii() and cell.isdigit() and int(cell) > 0):
            faults.add(file, number, key, f"{shown(cell)} must be a whole number of at least 1")
            return 0
        return int(cell)

    kind = cells.get("kind", "") or "item"
    if kind not in KINDS:
        faults.add(file, number, "kind", f"{shown(kind)} is no kind of task; {near(kind, KINDS)}")
    item = cells.get("item", "")
    if not item:
        faults.add(file, number, "item", "is empty; name the item")
    found = (whole("sheet", None), whole("position", 0), whole("occasion", 1))
    order = _order(cells.get("order", ""))
    if order is None:
        faults.add(
            file, number, "order",
            f"{shown(cells['order'])} must hold each place of a text once, like '2 1'",
        )  # fmt: skip
    if len(faults.found) > before or order is None:
        return None
    return Line(number, found[0], cells.get("row", ""), found[1], item, KINDS[kind],
                cells.get("part", ""), found[2], order, cells.get("settings", ""))  # fmt: skip


def _order(cell: str) -> tuple[int, ...] | None:
    """Read places counted from 1; None where some is missing or twice there."""
    parts = cell.split()
    if not all(each.isascii() and each.isdigit() for each in parts):
        return None
    order = tuple(int(each) - 1 for each in parts)
    return order if sorted(order) == list(range(len(order))) else None
