"""design.csv: a plan written and read back, also one that was changed by hand."""

from __future__ import annotations

import csv
import io
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from covary.design.plan import LEAST, Plan, Sheet, Task, TaskKind
from covary.formats.toml_tables import Faults, FileFaults
from covary.study.files import StudyFileFault, csv_rows, read_text
from covary.study.model import Item, Study

COLUMNS = ("sheet", "row", "position", "item", "kind", "part", "occasion", "order", "settings")
REQUIRED_COLUMNS = ("sheet", "item")
TASK_KINDS: Mapping[str, TaskKind] = {kind: kind for kind in get_args(TaskKind)}


@dataclass(frozen=True, kw_only=True)
class PlanLine:
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


def read_lines(text: str, faults: FileFaults) -> list[PlanLine]:
    """Read every line that can be read."""
    separator = max(",;\t", key=text.split("\n", 1)[0].count)
    rows = csv_rows(text, separator, faults)
    names = [name.strip().casefold() for name in next(rows, (1, []))[1]]
    missing = [column for column in REQUIRED_COLUMNS if column not in names]
    if missing:
        faults.add(1, "", "design.no-columns", columns=", ".join(missing))
        return []
    cells = ((line, zip(names, map(str.strip, row), strict=False)) for line, row in rows)
    read = (_read_line(line, dict(named), faults) for line, named in cells)
    lines = [line for line in read if line is not None]
    if not lines and not faults.count:
        faults.add(None, "", "design.no-tasks")
    return lines


def _read_line(line: int, cells: Mapping[str, str], faults: FileFaults) -> PlanLine | None:
    before = faults.count

    def whole(key: str, empty: int | None) -> int:
        cell = cells.get(key, "")
        if not cell and empty is not None:
            return empty
        if not (cell.isascii() and cell.isdigit() and int(cell) > 0):
            faults.add(line, key, "toml.no-whole-number", value=cell, least=1)
            return 0
        return int(cell)

    kind = cells.get("kind", "") or "item"
    if kind not in TASK_KINDS:
        faults.add(line, "kind", "design.no-task-kind", value=kind, allowed=tuple(TASK_KINDS))
    if not cells.get("item"):
        faults.add(line, "item", "design.no-item")
    sheet, position, occasion = whole("sheet", None), whole("position", 0), whole("occasion", 1)
    order = _read_order(cells.get("order", ""))
    if order is None:
        faults.add(line, "order", "design.no-order", value=cells["order"])
    if faults.count > before or order is None:
        return None
    return PlanLine(
        line=line,
        sheet=sheet,
        row=cells.get("row", ""),
        position=position,
        item=cells["item"],
        kind=TASK_KINDS[kind],
        part=cells.get("part", ""),
        occasion=occasion,
        order=order,
        settings=cells.get("settings", ""),
    )


def _read_order(cell: str) -> tuple[int, ...] | None:
    """Read places counted from 1; None where some is missing or twice there."""
    words = cell.split()
    if not all(word.isascii() and word.isdigit() for word in words):
        return None
    order = tuple(int(word) - 1 for word in words)
    return order if sorted(order) == list(range(len(order))) else None


def check_lines(lines: Sequence[PlanLine], faults: FileFaults, study: Study | None = None) -> None:
    """Add every fault that the lines have together, and against the study where it is given."""
    for sheet in _by_sheet(lines).values():
        _check_rows(sheet, faults)
        _check_positions(sheet, faults)
        _check_tasks(sheet, faults)
    if study is not None:
        _check_against(lines, study, faults)


def _by_sheet(lines: Iterable[PlanLine]) -> dict[int, list[PlanLine]]:
    sheets: dict[int, list[PlanLine]] = {}
    for line in lines:
        sheets.setdefault(line.sheet, []).append(line)
    return sheets


def _check_rows(sheet: Sequence[PlanLine], faults: FileFaults) -> None:
    first = sheet[0].row
    other = next((line for line in sheet if line.row != first), None)
    if other is not None:
        faults.add(other.line, "row", "design.two-rows", sheet=other.sheet, value=first)


def _check_positions(sheet: Sequence[PlanLine], faults: FileFaults) -> None:
    if not any(line.position for line in sheet):
        return
    seen: dict[int, int] = {}
    for line in sheet:
        facts = {"position": line.position, "tasks": len(sheet), "sheet": line.sheet}
        if not line.position:
            faults.add(line.line, "position", "design.position-missing")
        elif line.position in seen:
            first = seen[line.position]
            faults.add(line.line, "position", "design.position-twice", **facts, first=first)
        elif line.position > len(sheet):
            faults.add(line.line, "position", "design.position-beyond", **facts)
        seen.setdefault(line.position, line.line)


def _check_tasks(sheet: Sequence[PlanLine], faults: FileFaults) -> None:
    first: dict[tuple[str, str, int], PlanLine] = {}
    begun: PlanLine | None = None
    for line in sorted(sheet, key=lambda line: line.position):
        key = (line.item, line.part, line.occasion)
        if line.kind == "repeat" and key not in first:
            faults.add(line.line, "kind", "design.repeat-before", value=line.item)
        if line.kind != "repeat" and key in first:
            facts = {"value": line.item, "first": first[key].line, "sheet": line.sheet}
            faults.add(line.line, "item", "design.item-twice", **facts)
        first.setdefault(key, line)
        if line.kind == "practice" and begun is not None:
            faults.add(line.line, "kind", "design.practice-late", first=begun.line)
        if line.kind != "practice":
            begun = begun or line


def _check_against(lines: Sequence[PlanLine], study: Study, faults: FileFaults) -> None:
    items = {item.id: item for item in study.items}
    for line in lines:
        if line.part not in study.parts:
            faults.add(line.line, "part", "design.no-part", value=line.part, allowed=study.parts)
        item = items.get(line.item)
        if item is None:
            faults.add(line.line, "item", "design.unknown-item", value=line.item)
        else:
            _check_item(line, item, faults)


def _check_item(line: PlanLine, item: Item, faults: FileFaults) -> None:
    kinds = ("repeat", item.kind) if item.kind in ("item", "anchor") else (item.kind,)
    if line.kind not in kinds:
        faults.add(line.line, "kind", "design.other-kind", value=line.item, kind=item.kind)
    texts = len(item.texts)
    if len(line.order) != (texts if texts > 1 else 0):
        facts = {"value": line.item, "texts": texts, "order": len(line.order)}
        faults.add(line.line, "order", "design.other-order", **facts)


def write_plan(plan: Plan, path: str | os.PathLike[str]) -> Path:
    """Write a plan as CSV; an existing file is replaced once the new one is complete."""
    file = Path(path)
    text = _csv_text(plan)
    draft = file.with_name(f".{file.stem}-{secrets.token_hex(4)}{file.suffix}")
    try:
        encoding = "utf-8" if text.isascii() else "utf-8-sig"  # the mark tells Excel
        draft.write_text(text, encoding=encoding, newline="")
        os.replace(draft, file)
    finally:
        draft.unlink(missing_ok=True)
    return file


def read_plan(path: str | os.PathLike[str], study: Study | None = None) -> Plan:
    """Read a plan, also one that was changed by hand.

    Rows may stand in any order. A sheet whose positions are all empty takes them from its rows.

    Parameters
    ----------
    path
        A `design.csv`, with commas, semicolons or tabs between the cells.
    study
        Where it is given, items, kinds, parts and orders of texts are compared with it.

    Raises
    ------
    StudyError
        With every fault at once, each with its line.
    """
    file = Path(path)
    faults = Faults(file.name)
    own = faults.of(file.name)
    lines: list[PlanLine] = []
    try:
        lines = read_lines(read_text(file)[0], own)
    except StudyFileFault as fault:
        own.add(None, "", fault.code, **fault.facts)
    check_lines(lines, own, study)
    faults.raise_any()
    settings = _read_settings(next((line.settings for line in lines if line.settings), ""))
    kind, seed = settings.pop("kind", ""), settings.pop("seed", 0)
    return Plan(kind, seed, tuple(_make_sheets(lines)), tuple(settings.items()))


def _csv_text(plan: Plan) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
    writer.writeheader()
    settings = {"kind": plan.kind, "seed": plan.seed, **dict(plan.settings)}
    cell = "; ".join(f"{name}={value}" for name, value in settings.items())
    for sheet in plan.sheets:
        for task in sheet.tasks:
            order = " ".join(str(place + 1) for place in task.order)
            own = {"sheet": sheet.number, "row": sheet.row, "order": order, "settings": cell}
            writer.writerow({**vars(task), **own})
            cell = ""  # once is enough
    return stream.getvalue()


def _read_settings(text: str) -> dict[str, Any]:
    """Read the cell of settings back; what has no = is not one."""
    pairs = (pair.partition("=") for pair in text.split(";"))
    settings = {name.strip(): value.strip() for name, sign, value in pairs if sign}
    return {
        name: int(value) if name in LEAST and value.isdigit() else value
        for name, value in settings.items()
    }


def _make_sheets(lines: Sequence[PlanLine]) -> Iterator[Sheet]:
    for number, sheet in sorted(_by_sheet(lines).items()):
        placed = sorted(sheet, key=lambda line: line.position)  # stable where positions are empty
        tasks = (_make_task(place, line) for place, line in enumerate(placed, start=1))
        yield Sheet(number, tuple(tasks), placed[0].row)


def _make_task(position: int, line: PlanLine) -> Task:
    names = ("item", "kind", "part", "occasion", "order")
    return Task(position, **{name: getattr(line, name) for name in names})
