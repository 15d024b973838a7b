"""Averages that must lie between the smallest and the largest value beside them."""

from __future__ import annotations

from collections.abc import Iterator

from covary.analysis.published.entry import Cell, Entry, EntryFault, Kind
from covary.analysis.published.fields import Field, names, rows, words
from covary.analysis.published.numbers import CheckedNumber, Part, counted

__all__ = ["RANGES"]


def _ranges(entry: Entry) -> tuple[Part, ...]:
    """Judge a table of averages with their smallest and largest values."""
    found = [each for row in entry["rows"] for each in _in_range(entry, row)]
    wrong = sum(number.verdict == "does not fit" for number in found)
    between = len(found) - wrong
    of_all = counted(len(found), "average")
    said = f"Between the smallest and the largest value: {between} of {of_all}."
    mixed = [row for row in entry.get("unnamed", ()) if row in entry["rows"]]
    if mixed:
        said += (
            f" The average of {', '.join(mixed)} means nothing: coefficients that are not named "
            "may be different ones."
        )
    return (entry.part(said, found),)


def _in_range(entry: Entry, row: str) -> Iterator[CheckedNumber]:
    cells = dict(zip(entry.columns, entry["rows"][row], strict=False))
    entry.check_width(f"row {row!r}", entry["rows"][row], "rows")
    keys = {key: entry.get(key, key) for key in ("average", "low", "high")}
    missing = next((key for key, column in keys.items() if column not in cells), None)
    if missing is not None:
        raise EntryFault(missing, f"there is no column {keys[missing]!r}; name it in columns")
    average, low, high = (cells[keys[key]] for key in ("average", "low", "high"))
    if average is None or low is None or high is None:
        return
    inside = low.low <= average.high and average.low <= high.high
    line = f"{low.text} ≤ {average.text} ≤ {high.text}"
    data = {"average": average.value, "low": low.value, "high": high.value}
    cell = Cell(row, keys["average"], average)
    if inside and row in entry.get("unnamed", ()):
        why = "the coefficients that are not named are all the same one"
        yield entry.number(cell, line, "fits only if", line, condition=why, data=data)
    else:
        yield entry.number(cell, line, "fits" if inside else "does not fit", line, data=data)


RANGES = Kind(
    "averages that must lie between their smallest and largest value",
    {
        "columns": Field(names, needed=True),
        "rows": Field(rows, needed=True),
        "average": Field(words),
        "low": Field(words),
        "high": Field(words),
        "unnamed": Field(names),
    },
    _ranges,
)
