"""Percentages against counts, and means of whole numbers against how many there were.

A percentage of n things is k / n for a whole k, and a mean of n ratings in whole numbers is a
whole total divided by n (the GRIM test of Brown & Heathers, 2017). Not every printed number is.
"""

from __future__ import annotations

import math
from fractions import Fraction

from covary.analysis.published.digits import Printed, written
from covary.analysis.published.entry import ONE_OR_TABLE, Cell, Entry, EntryFault, Kind
from covary.analysis.published.fields import Field, number, numbers, shares, whole
from covary.analysis.published.numbers import CheckedNumber, Part, counted

__all__ = ["MEANS", "PERCENTAGES", "counts_for"]

SHOWN = 8
"""How many possible counts are listed."""


def counts_for(printed: Printed, n: int, *, cut_off: bool = False) -> list[int]:
    """Return the counts out of n that give a printed percentage.

    Examples
    --------
    >>> from covary.analysis.published.digits import parse
    >>> counts_for(parse("67%"), 24), counts_for(parse("25%"), 26)
    ([16], [])
    """
    fits = printed.cut_off_from if cut_off else printed.rounded_from
    near = float(printed.value) * n / 100
    tried = range(max(0, math.floor(near - n / 10) - 1), min(n, math.ceil(near + n / 10) + 1) + 1)
    return [count for count in tried if fits(Fraction(100 * count, n))]


def _percentages(entry: Entry) -> tuple[Part, ...]:
    cell = Cell("", "", entry["printed"])
    wholes: dict[str, int] = entry["of"]
    count = entry.get("count")
    if count is not None and count > max(wholes.values()):
        raise EntryFault("count", f"{count} is more than there are ({max(wholes.values())})")
    found = _of_nothing_said(entry, cell) if count is None else _of_count(entry, cell, count)
    return (entry.part(_says(found), (found,)),)


def _of_count(entry: Entry, cell: Cell, count: int) -> CheckedNumber:
    """Judge a percentage whose count is printed too, against each whole it may be out of."""
    printed, wholes = cell.printed, entry["of"]
    exact = {name: Fraction(100 * count, n) for name, n in wholes.items()}
    line = "; ".join(
        f"{count} / {n}{f' {name}' if name else ''} = {written(exact[name], printed.places + 2)}%"
        for name, n in wholes.items()
    )
    data = {"count": count, "shares": {name: value / 100 for name, value in exact.items()}}
    first = next(iter(exact.values()))
    expected = f"{printed.like(printed.shortened(first))}%"
    if printed.rounded_from(first):
        return entry.number(cell, expected, "fits", line, data=data)
    if printed.cut_off_from(first):
        why = "it was cut off, not rounded"
        return entry.number(cell, expected, "fits only if", line, condition=why, data=data)
    for name, value in exact.items():
        if printed.rounded_from(value) or printed.cut_off_from(value):
            why = f"it is of the {wholes[name]} {name}, not of the {counted_first(wholes)}"
            return entry.number(cell, expected, "fits only if", line, condition=why, data=data)
    return entry.number(cell, expected, "does not fit", line, data=data)


def _of_nothing_said(entry: Entry, cell: Cell) -> CheckedNumber:
    """Say which counts give a percentage, where none is printed."""
    printed, n = cell.printed, next(iter(entry["of"].values()))
    for cut_off in (False, True):
        counts = counts_for(printed, n, cut_off=cut_off)
        if counts:
            shown = ", ".join(f"{count} / {n}" for count in counts[:SHOWN])
            more = f" and {len(counts) - SHOWN} more" if len(counts) > SHOWN else ""
            line = f"{printed.text} is {shown}{more}"
            data = {"counts": counts}
            if cut_off:
                why = "it was cut off, not rounded"
                return entry.number(cell, shown, "fits only if", line, condition=why, data=data)
            return entry.number(cell, shown, "fits", line, data=data)
    below = math.floor(printed.value * n / 100)
    line = " and ".join(
        f"{count} / {n} = {written(Fraction(100 * count, n), printed.places + 1)}%"
        for count in (below, below + 1)
    )
    return entry.number(cell, f"no count out of {n}", "does not fit", line, data={"counts": []})


def counted_first(wholes: dict[str, int]) -> str:
    """Name the whole that comes first."""
    name, n = next(iter(wholes.items()))
    return f"{n} {name}".strip()


def _says(found: CheckedNumber) -> str:
    return f"{found.printed} {found.judged}: {found.arithmetic}."


def _means(entry: Entry) -> tuple[Part, ...]:
    found = [_mean(entry, cell) for cell in entry.cells]
    possible = sum(number.verdict != "does not fit" for number in found)
    n = entry["n"]
    said = f"{possible} of {counted(len(found), 'mean')} can be the mean of {n} whole numbers."
    if n >= cell_steps(entry):
        said += " With so many, every mean can; this test says nothing."
    return (entry.part(said, found),)


def cell_steps(entry: Entry) -> int:
    """Return how many steps of the last digit make one: with as many ratings all means exist."""
    return int(min(1 / cell.printed.unit for cell in entry.cells))


def _mean(entry: Entry, cell: Cell) -> CheckedNumber:
    printed, n = cell.printed, entry["n"]
    low, high = _ends(entry)
    near = math.floor(printed.value * n)
    totals = [total for total in (near, near + 1) if low * n <= total <= high * n]
    line = " and ".join(
        f"{total} / {n} = {written(Fraction(total, n), printed.places + 2)}" for total in totals
    )
    data = {"totals": totals}
    if not low <= printed.value <= high:
        line = f"the scale goes from {low} to {high}"
        return entry.number(cell, "a mean on the scale", "does not fit", line, data=data)
    rounded = [total for total in totals if printed.rounded_from(Fraction(total, n))]
    if rounded:
        line = f"{rounded[0]} / {n} = {written(Fraction(rounded[0], n), printed.places + 2)}"
        return entry.number(cell, f"{rounded[0]} / {n}", "fits", line, data=data)
    cut = [total for total in totals if printed.cut_off_from(Fraction(total, n))]
    if cut:
        why = "it was cut off, not rounded"
        return entry.number(cell, f"{cut[0]} / {n}", "fits only if", line, condition=why, data=data)
    near_by = " or ".join(printed.like(Fraction(total, n)) for total in totals)
    return entry.number(cell, near_by, "does not fit", line, data=data)


def _ends(entry: Entry) -> tuple[int | float, int | float]:
    ends: tuple[Printed, ...] | None = entry.get("scale")
    if ends is None:
        return -math.inf, math.inf
    if len(ends) != 2 or ends[0].value >= ends[1].value:
        raise EntryFault("scale", "has two ends, the lower one first, such as scale = [1, 5]")
    return int(ends[0].value), int(ends[1].value)


PERCENTAGES = Kind(
    "a percentage against its count and what it is of; without a count, which counts give it",
    {
        "printed": Field(number, needed=True),
        "of": Field(shares, needed=True),
        "count": Field(whole),
    },
    _percentages,
)
MEANS = Kind(
    "means of whole numbers: can so many whole numbers have this mean?",
    {**ONE_OR_TABLE, "n": Field(whole, needed=True), "scale": Field(numbers)},
    _means,
)
