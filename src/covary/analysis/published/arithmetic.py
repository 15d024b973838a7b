"""A printed number against the arithmetic that should give it."""

from __future__ import annotations

from fractions import Fraction

from covary.analysis.published.entry import Cell, Entry, Kind
from covary.analysis.published.expression import evaluate
from covary.analysis.published.fields import Field, arithmetic, number, words
from covary.analysis.published.numbers import CheckedNumber, Part

__all__ = ["ARITHMETIC", "compared", "says"]


def _arithmetic(entry: Entry) -> tuple[Part, ...]:
    cell, line = Cell("", "", entry["printed"]), entry["from"]
    found = compared(entry, cell, evaluate(line), line)
    return (entry.part(says(entry, found), (found,)),)


def compared(entry: Entry, cell: Cell, value: Fraction, line: str) -> CheckedNumber:
    """Judge a printed number by what it should be; `line` says how that was computed."""
    printed, data = cell.printed, {"value": value}
    shown = f"{line} = {printed.shown(value)}"
    expected = printed.like(printed.shortened(value))
    if printed.rounded_from(value):
        return entry.number(cell, expected, "fits", shown, data=data)
    if printed.cut_off_from(value):
        why = "it was cut off, not rounded"
        return entry.number(cell, expected, "fits only if", shown, condition=why, data=data)
    return entry.number(cell, expected, "does not fit", shown, data=data)


def says(entry: Entry, found: CheckedNumber) -> str:
    """Sum up a check of one number in a sentence."""
    about = f"{entry['what']}: " if "what" in entry.values else ""
    return f"{about}{found.printed} {found.judged}; {found.arithmetic}."


ARITHMETIC = Kind(
    "a printed number against the arithmetic that should give it",
    {
        "printed": Field(number, needed=True),
        "from": Field(arithmetic, needed=True),
        "what": Field(words),
    },
    _arithmetic,
)
