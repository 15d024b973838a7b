"""What is wrong with the tasks of a design.csv as a whole, and against its study."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from covary.design.lines import Line
from covary.study.faults import Faults, near, shown
from covary.study.model import Study

__all__ = ["look_through"]

Found = tuple[Line, str, str]
"""The line, the column and what is wrong with it."""


def look_through(
    lines: Sequence[Line], file: str, faults: Faults, study: Study | None = None
) -> None:
    """Add every fault that the lines have together, and against the study where it is given."""
    sheets: dict[int, list[Line]] = {}
    for each in lines:
        sheets.setdefault(each.sheet, []).append(each)
    for sheet in sheets.values():
        _add(file, faults, _rows(sheet), _positions(sheet), _tasks(sheet))
    if study is not None:
        _add(file, faults, _against(lines, study))


def _add(file: str, faults: Faults, *found: Iterable[Found]) -> None:
    for each in found:
        for line, column, message in each:
            faults.add(file, line.line, column, message)


def _rows(sheet: Sequence[Line]) -> Iterator[Found]:
    for each in sheet:
        if each.row != sheet[0].row:
            yield each, "row", f"sheet {each.sheet} has another row, {shown(sheet[0].row)}, above"
            return


def _positions(sheet: Sequence[Line]) -> Iterator[Found]:
    if not any(each.position for each in sheet):
        return
    seen: dict[int, int] = {}
    for each in sheet:
        if not each.position:
            yield each, "position", "is empty; fill it, or empty it in the whole sheet"
        elif each.position in seen:
            yield each, "position", f"{each.position} stands in line {seen[each.position]} already"
        elif each.position > len(sheet):
            yield (
                each,
                "position",
                f"{each.position} is more than the {len(sheet)} tasks of sheet {each.sheet}; "
                f"number them 1 to {len(sheet)}, or empty the column for the order of the rows",
            )
        seen.setdefault(each.position, each.line)


def _tasks(sheet: Sequence[Line]) -> Iterator[Found]:
    first: dict[tuple[str, str, int], Line] = {}
    begun: Line | None = None
    for each in sorted(sheet, key=lambda line: line.position):
        key = (each.item, each.part, each.occasion)
        if each.kind == "repeat" and key not in first:
            yield each, "kind", f"repeats {shown(each.item)}, which does not come before it"
        if each.kind != "repeat" and key in first:
            yield (
                each,
                "item",
                f"{shown(each.item)} stands in line {first[key].line} of sheet {each.sheet} "
                "already; leave it out, or say kind repeat",
            )
        first.setdefault(key, each)
        if each.kind == "practice" and begun is not None:
            yield each, "kind", f"practice must come first, but line {begun.line} comes before it"
        if each.kind != "practice":
            begun = begun or each


def _against(lines: Sequence[Line], study: Study) -> Iterator[Found]:
    items = {each.id: each for each in study.items}
    for each in lines:
        if each.part not in study.parts:
            yield each, "part", f"{shown(each.part)} is no part; {near(each.part, study.parts)}"
        item = items.get(each.item)
        if item is None:
            yield each, "item", f"{shown(each.item)} is not among the items of the study"
            continue
        kinds = ("repeat", item.kind) if item.kind in ("item", "anchor") else (item.kind,)
        if each.kind not in kinds:
            yield each, "kind", f"the study calls {shown(each.item)} {item.kind!r}"
        if len(each.order) != (len(item.texts) if len(item.texts) > 1 else 0):
            yield (
                each,
                "order",
                f"{shown(each.item)} has {len(item.texts)} text"
                f"{'' if len(item.texts) == 1 else 's'}, but the order has {len(each.order)}",
            )
