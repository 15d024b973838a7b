"""design.csv: a plan as a table that a spreadsheet opens, one row per task.

The columns say it all: `sheet`, `row` (of the design), `position`, `item`, `kind`, `part`,
`occasion`, and `order`: where an item has several texts, their places from left to right, counted
from 1. `settings` holds, in one cell, the seed and what else the plan was made from.
"""

from __future__ import annotations

import csv
import io
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from covary.design.lines import COLUMNS, Line, read_lines
from covary.design.plan import Plan, Sheet, Task
from covary.design.soundness import look_through
from covary.study.faults import Faults
from covary.study.files import StudyFileFault, text_of
from covary.study.model import Study

__all__ = ["read_plan", "write_plan"]

NUMBERS = {
    "seed", "judges", "per_judge", "judges_per_item", "repeats", "repeat_distance",
    "source_distance", "occasions",
}  # fmt: skip


def write_plan(plan: Plan, path: str | os.PathLike[str]) -> Path:
    """Write a plan as CSV; an existing file is replaced once the new one is complete."""
    file = Path(path)
    text = _written(plan)
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
    try:
        text = text_of(file)[0]
    except StudyFileFault as fault:
        faults.add(file.name, None, "", str(fault))
        faults.raise_any()
        raise
    lines = read_lines(text, file.name, faults)
    look_through(lines, file.name, faults, study)
    faults.raise_any()
    settings = _settings(next((each.settings for each in lines if each.settings), ""))
    kind, seed = settings.pop("kind", ""), settings.pop("seed", 0)
    return Plan(kind, seed, tuple(_sheets(lines)), tuple(settings.items()))


def _written(plan: Plan) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    said = {"kind": plan.kind, "seed": plan.seed, **dict(plan.settings)}
    settings = "; ".join(f"{name}={value}" for name, value in said.items())
    for sheet in plan.sheets:
        for task in sheet.tasks:
            order = " ".join(str(place + 1) for place in task.order)
            writer.writerow([sheet.number, sheet.row, task.position, task.item, task.kind,
                             task.part, task.occasion, order, settings])  # fmt: skip
            settings = ""
    return stream.getvalue()


def _settings(text: str) -> dict[str, Any]:
    """Read the cell of settings back; what has no = is not one."""
    pairs = (each.partition("=") for each in text.split(";"))
    found = {name.strip(): value.strip() for name, sign, value in pairs if sign}
    return {
        name: int(value) if name in NUMBERS and value.isdigit() else value
        for name, value in found.items()
    }


def _sheets(lines: list[Line]) -> Iterator[Sheet]:
    sheets: dict[int, list[Line]] = {}
    for each in lines:
        sheets.setdefault(each.sheet, []).append(each)
    for number, tasks in sorted(sheets.items()):
        placed = sorted(tasks, key=lambda each: each.position)  # stable where positions are empty
        yield Sheet(
            number,
            tuple(
                Task(place, each.item, each.kind, each.part, each.occasion, each.order)
                for place, each in enumerate(placed, start=1)
            ),
            placed[0].row,
        )
