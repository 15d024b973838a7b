"""Averages and totals of printed cells: rounded, cut off, or computed before the cells were."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from covary.analysis.published.digits import Printed
from covary.analysis.published.entry import Cell, Entry, EntryFault, Kind
from covary.analysis.published.fields import Field, flag, names, numbers, rows, words
from covary.analysis.published.numbers import CheckedNumber, Part

__all__ = ["AVERAGES", "TOTALS"]

Combine = Callable[[Sequence[Fraction]], Fraction]


def _mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def _sum(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0))


def _averages(entry: Entry) -> tuple[Part, ...]:
    return _combined(entry, "average", _mean)


def _totals(entry: Entry) -> tuple[Part, ...]:
    return _combined(entry, "total", _sum)


def _combined(entry: Entry, key: str, combine: Combine) -> tuple[Part, ...]:
    said: tuple[Printed, ...] = entry[key]
    entry.check_width(f"the {key}", said, key)
    found = []
    for column, printed in zip(entry.columns, said, strict=True):
        cells = [cell.printed for cell in entry.cells if cell.column == column]
        if not cells:
            raise EntryFault("rows", f"column {column!r} has no cells")
        found.append(_judged(entry, Cell(entry.get("name", key), column, printed), cells, combine))
    return (entry.part(_conclusion(found, key), found),)


def _judged(entry: Entry, cell: Cell, cells: list[Printed], combine: Combine) -> CheckedNumber:
    """Try the readings of a combined number, the plainest first."""
    size = abs if entry.get("absolute") else Fraction
    value = combine([size(each.value) for each in cells])
    spread = combine([each.unit / 2 if each.unit < 1 else Fraction(0) for each in cells])
    printed = cell.printed
    readings = {
        "rounded": printed.rounded_from(value),
        "cut_off": printed.cut_off_from(value),
        "before": printed.low - spread < value < printed.high + spread,
    }
    line = f"{_sum_text(cells, combine, bool(entry.get('absolute')))} = {printed.shown(value)}"
    data = {"value": value, **readings}
    expected = _expected(printed, value)
    if readings["rounded"]:
        return entry.number(cell, expected, "fits", line, data=data)
    if readings["cut_off"]:
        why = "it was cut off, not rounded"
        return entry.number(cell, expected, "fits only if", line, condition=why, data=data)
    if readings["before"]:
        why = "it was computed before the cells were rounded"
        return entry.number(cell, expected, "fits only if", line, condition=why, data=data)
    return entry.number(cell, expected, "does not fit", line, data=data)


def _expected(printed: Printed, value: Fraction) -> str:
    rounded = printed.like(printed.shortened(value))
    cut = printed.like(printed.shortened(value, cut_off=True))
    return rounded if rounded == cut else f"{rounded} rounded, {cut} cut off"


def _sum_text(cells: list[Printed], combine: Combine, absolute: bool) -> str:
    shown = [each.like(abs(each.value) if absolute else each.value) for each in cells]
    text = " + ".join(shown).replace("+ -", "- ")
    return f"({text}) / {len(cells)}" if combine is _mean else text


def _conclusion(found: list[CheckedNumber], key: str) -> str:
    """Say which reading fits how many, and which fits all."""
    n = len(found)
    if n == 1:
        return f"{found[0].printed} {found[0].judged}: {found[0].arithmetic}."
    rounded, cut, before = (
        sum(number.data[way] for number in found) for way in ("rounded", "cut_off", "before")
    )
    counts = f"Of {n} printed {key}s, {rounded} fit when rounded and {cut} when cut off."
    if rounded == n or cut < n:
        return counts
    return (
        f"{counts} They were cut off, not rounded, unless they were computed before the cells "
        f"were shortened, which is possible for {before} of {n}."
    )


COMBINED = {"rows": Field(rows, needed=True), "columns": Field(names), "name": Field(words)}

AVERAGES = Kind(
    "a printed average against the printed cells above it",
    {**COMBINED, "average": Field(numbers, needed=True), "absolute": Field(flag)},
    _averages,
)
TOTALS = Kind(
    "a printed total against the printed cells above it",
    {**COMBINED, "total": Field(numbers, needed=True)},
    _totals,
)
