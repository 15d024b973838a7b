"""What a crowd study cost, and what an hour of it paid."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from covary.analysis.published.arithmetic import compared, says
from covary.analysis.published.digits import Printed, plain, written
from covary.analysis.published.entry import Cell, Entry, EntryFault, Kind
from covary.analysis.published.fields import Field, amount, amounts, number, whole, words
from covary.analysis.published.numbers import CheckedNumber, Part

__all__ = ["COST", "PAY"]

HOUR = 3600


def _cost(entry: Entry) -> tuple[Part, ...]:
    pay, fee = entry["pay"], entry.get("fee", Fraction(0))
    ratings = entry["items"] * entry["assignments"]
    price = f"({plain(pay)} + {plain(fee)})" if fee else plain(pay)
    line = f"{entry['items']} × {entry['assignments']} × {price}"
    cell = Cell("", "", entry["printed"])
    found = compared(entry, cell, ratings * (pay + fee), line)
    if found.verdict == "does not fit":
        found = _other_cost(entry, cell, found)
    return (entry.part(says(entry, found), (found,)),)


def _other_cost(entry: Entry, cell: Cell, found: CheckedNumber) -> CheckedNumber:
    """Look whether a cost leaves something out."""
    pay, fee = entry["pay"], entry.get("fee", Fraction(0))
    items, assignments = entry["items"], entry["assignments"]
    readings = {
        "the fee was left out": items * assignments * pay,
        "each item was paid once": items * (pay + fee),
        "each item was paid once, without the fee": items * pay,
    }
    for why, value in readings.items():
        if cell.printed.rounded_from(value):
            return entry.number(
                cell, found.expected, "fits only if", found.arithmetic, condition=why,
                data=found.data,
            )  # fmt: skip
    return found


def _pay(entry: Entry) -> tuple[Part, ...]:
    """Judge an hourly pay; the seconds may have been rounded, so they are a range."""
    cell, seconds = Cell("", "", entry["printed"]), entry["seconds"]
    found = _hourly(entry, cell, seconds)
    return (entry.part(says(entry, found), (found,)),)


def _hourly(entry: Entry, cell: Cell, seconds: Printed) -> CheckedNumber:
    printed, pays = cell.printed, entry["pay"]
    for key, given in (("printed", printed.value), ("seconds", seconds.value)):
        if given <= 0:
            raise EntryFault(key, "must be above 0")
    hourly = {name: pay * HOUR / seconds.value for name, pay in pays.items()}
    expected = " or ".join(printed.like(each) for each in hourly.values())
    line = _arithmetic(pays, printed, seconds)
    data = {
        "hourly": {name or "pay": each for name, each in hourly.items()},
        "seconds": {name or "pay": pay * HOUR / printed.value for name, pay in pays.items()},
    }
    reached = {name: how for name in pays if (how := _reached(pays[name], printed, seconds))}
    if not reached:
        return entry.number(cell, expected, "does not fit", line, data=data)
    name, how = next(iter(reached.items()))
    if how == "exact" and name == next(iter(pays)):
        return entry.number(cell, expected, "fits", line, data=data)
    why = f"{seconds.text} s was rounded" if how == "range" else f"it is the {name}"
    return entry.number(cell, expected, "fits only if", line, condition=why, data=data)


def _reached(pay: Fraction, printed: Printed, seconds: Printed) -> str:
    """Say how a pay gives the printed hourly one: `exact`, in the `range` of rounding, or ''."""
    if printed.rounded_from(pay * HOUR / seconds.value):
        return "exact"
    low, high = (pay * HOUR / end for end in (seconds.high, seconds.low))
    within = low - printed.unit / 2 <= printed.value <= high + printed.unit / 2
    return "range" if within else ""


def _arithmetic(pays: Mapping[str, Fraction], printed: Printed, seconds: Printed) -> str:
    """What each pay comes to in an hour, and how long an assignment would have to take."""
    follow, implied = [], []
    for name, pay in pays.items():
        about = f" ({name})" if name else ""
        hourly = printed.like(pay * HOUR / seconds.value)
        follow.append(f"{plain(pay)}{about} × 3600 / {seconds.text} s = {hourly}")
        implied.append(f"{written(pay * HOUR / printed.value, 1)} s at {plain(pay)}")
    return f"{'; '.join(follow)}; {printed.text} an hour would be {' or '.join(implied)}"


COST = Kind(
    "what a crowd study cost: items × assignments × (pay + fee)",
    {
        "printed": Field(number, needed=True),
        "items": Field(whole, needed=True),
        "assignments": Field(whole, needed=True),
        "pay": Field(amount, needed=True),
        "fee": Field(amount),
        "what": Field(words),
    },
    _cost,
)
PAY = Kind(
    "hourly pay against the seconds and the pay of one assignment",
    {
        "printed": Field(number, needed=True),
        "seconds": Field(number, needed=True),
        "pay": Field(amounts, needed=True),
        "what": Field(words),
    },
    _pay,
)
