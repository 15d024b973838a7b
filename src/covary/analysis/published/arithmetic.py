"""Printed numbers against the arithmetic that should give them.

Averages and totals of printed cells; percentages of counts; means of whole numbers (the GRIM test
of Brown & Heathers, 2017: a mean of n ratings in whole numbers is a whole total divided by n);
averages between their smallest and largest value; what a crowd study cost and paid.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from covary.analysis.published.check import (
    ONE_OR_TABLE,
    CheckedNumber,
    CheckEntry,
    CheckKind,
    CheckResult,
    PrintedCell,
    amount,
    arithmetic,
    by_name,
    flag,
    names,
    number,
    numbers,
    rows,
    whole,
    words,
)
from covary.analysis.published.digits import Printed, evaluate, write_amount, write_number
from covary.errors import InvalidArgument
from covary.words import Note

CUT_OFF = Note("published.cut-off")


def _check_arithmetic(entry: CheckEntry) -> list[CheckResult]:
    checked = judge_value(entry, evaluate(entry["from"]), entry["from"])
    return [entry.result(_sentence(checked, entry), [checked])]


def judge_value(
    entry: CheckEntry, value: Fraction, line: str, *, only_if: Iterable[tuple[bool, str]] = ()
) -> CheckedNumber:
    """Judge the printed number by what it should be; `line` says how that was computed."""
    printed = entry.cell.printed
    return entry.judge(
        entry.cell,
        fits=printed.rounded_from(value),
        only_if=[(printed.cut_off_from(value), CUT_OFF), *only_if],
        expected=printed.expects(value),
        arithmetic=f"{line} = {printed.shown(value)}",
        data={"value": value},
    )


def _sentence(checked: CheckedNumber, entry: CheckEntry | None = None) -> Note:
    """Sum up a check of one number in a sentence."""
    facts = {name: getattr(checked, name) for name in ("printed", "judged", "arithmetic")}
    if entry is None:
        return Note("published.one-number", **facts)
    about = f"{entry['what']}: " if "what" in entry.values else ""
    return Note("published.computed-number", about=about, **facts)


ARITHMETIC = CheckKind(
    "a printed number against the arithmetic that should give it",
    _check_arithmetic,
    needed={"printed": number, "from": arithmetic},
    optional={"what": words},
)


Combine = Callable[[Sequence[Fraction]], Fraction]


def mean_of(values: Sequence[Fraction]) -> Fraction:
    """The exact mean."""
    return sum_of(values) / len(values)


def sum_of(values: Sequence[Fraction]) -> Fraction:
    """The exact sum."""
    return sum(values, Fraction(0))


def sum_line(cells: Sequence[str], *, mean: bool) -> str:
    """Write a sum of cells, or their mean, as a line of arithmetic."""
    text = " + ".join(cells).replace("+ -", "- ")
    return f"({text}) / {len(cells)}" if mean else text


def _check_averages(entry: CheckEntry) -> list[CheckResult]:
    return _check_combined(entry, "average", mean_of)


def _check_totals(entry: CheckEntry) -> list[CheckResult]:
    return _check_combined(entry, "total", sum_of)


def _check_combined(entry: CheckEntry, key: str, combine: Combine) -> list[CheckResult]:
    printed: tuple[Printed, ...] = entry[key]
    entry.check_width(f"the {key}", printed, key)
    checked = []
    for column, combined in zip(entry.columns, printed, strict=True):
        cells = [cell.printed for cell in entry.column(column)]
        if not cells:
            raise InvalidArgument("published.empty-column", argument="rows", column=column)
        cell = PrintedCell(entry.get("name", key), column, combined)
        checked.append(_judge_combined(entry, cell, cells, combine))
    if len(checked) == 1:
        return [entry.result(_sentence(checked[0]), checked)]
    counts = {
        way: sum(number.data[way] for number in checked) for way in ("rounded", "cut_off", "before")
    }
    conclusion = Note("published.combined", n=len(checked), key=key, **counts)
    return [entry.result(conclusion, checked)]


def _judge_combined(
    entry: CheckEntry, cell: PrintedCell, cells: Sequence[Printed], combine: Combine
) -> CheckedNumber:
    """Try the readings of a combined number, the plainest first."""
    absolute = entry.get("absolute", False)
    values = [abs(number.value) if absolute else number.value for number in cells]
    value = combine(values)
    spread = combine([number.unit / 2 if number.unit < 1 else Fraction(0) for number in cells])
    printed = cell.printed
    readings = {
        "rounded": printed.rounded_from(value),
        "cut_off": printed.cut_off_from(value),
        "before": printed.low - spread < value < printed.high + spread,
    }
    rounded, cut = printed.expects(value), printed.expects(value, cut_off=True)
    shown = [number.like(own) for number, own in zip(cells, values, strict=True)]
    return entry.judge(
        cell,
        fits=readings["rounded"],
        only_if=[
            (readings["cut_off"], CUT_OFF),
            (readings["before"], Note("published.computed-before")),
        ],
        expected=rounded if rounded == cut else f"{rounded} rounded, {cut} cut off",
        arithmetic=f"{sum_line(shown, mean=combine is mean_of)} = {printed.shown(value)}",
        data={"value": value, **readings},
    )


COMBINED = {"columns": names, "name": words}

AVERAGES = CheckKind(
    "a printed average against the printed cells above it",
    _check_averages,
    needed={"rows": rows, "average": numbers},
    optional={**COMBINED, "absolute": flag},
)
TOTALS = CheckKind(
    "a printed total against the printed cells above it",
    _check_totals,
    needed={"rows": rows, "total": numbers},
    optional=COMBINED,
)


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


def _check_percentages(entry: CheckEntry) -> list[CheckResult]:
    count, most = entry.get("count"), max(entry["of"].values())
    if count is not None and count > most:
        raise InvalidArgument("published.count-above-all", argument="count", value=count, most=most)
    checked = _judge_share(entry) if count is None else _judge_count(entry, count)
    return [entry.result(_sentence(checked), [checked])]


def _judge_count(entry: CheckEntry, count: int) -> CheckedNumber:
    """Judge a percentage whose count is printed too, against each whole it may be out of."""
    printed, wholes = entry.cell.printed, entry["of"]
    exact = {name: Fraction(100 * count, n) for name, n in wholes.items()}
    lines = [
        f"{count} / {f'{n} {name}'.strip()} = {write_number(exact[name], printed.places + 2)}%"
        for name, n in wholes.items()
    ]
    first, *others = wholes
    usual = f"{wholes[first]} {first}".strip()
    return entry.judge(
        entry.cell,
        fits=printed.rounded_from(exact[first]),
        only_if=[
            (printed.cut_off_from(exact[first]), CUT_OFF),
            *(
                (
                    printed.rounded_from(exact[name]) or printed.cut_off_from(exact[name]),
                    Note("published.other-whole", n=wholes[name], name=name, usual=usual),
                )
                for name in others
            ),
        ],
        expected=f"{printed.expects(exact[first])}%",
        arithmetic="; ".join(lines),
        data={"count": count, "shares": {name: value / 100 for name, value in exact.items()}},
    )


def _judge_share(entry: CheckEntry) -> CheckedNumber:
    """Say which counts give a percentage, where none is printed."""
    printed, n = entry.cell.printed, next(iter(entry["of"].values()))
    rounded = counts_for(printed, n)
    counts = rounded or counts_for(printed, n, cut_off=True)
    if counts:
        expected = ", ".join(f"{count} / {n}" for count in counts[:SHOWN])
        more = f" and {len(counts) - SHOWN} more" if len(counts) > SHOWN else ""
        line = f"{printed.text} is {expected}{more}"
    else:
        below, expected = math.floor(printed.value * n / 100), f"no count out of {n}"
        line = " and ".join(
            f"{count} / {n} = {write_number(Fraction(100 * count, n), printed.places + 1)}%"
            for count in (below, below + 1)
        )
    return entry.judge(
        entry.cell,
        fits=bool(rounded),
        only_if=[(bool(counts), CUT_OFF)],
        expected=expected,
        arithmetic=line,
        data={"counts": counts},
    )


def _check_means(entry: CheckEntry) -> list[CheckResult]:
    checked = [_judge_mean(entry, cell) for cell in entry.cells]
    steps = max(1 / cell.printed.unit for cell in entry.cells)  # with as many, all means exist
    possible = sum(number.verdict != "does not fit" for number in checked)
    facts = {"possible": possible, "means": len(checked), "n": entry["n"]}
    nothing = entry["n"] >= steps and possible == len(checked)
    return [entry.result(Note("published.means", **facts, all=nothing), checked)]


def _judge_mean(entry: CheckEntry, cell: PrintedCell) -> CheckedNumber:
    printed, n = cell.printed, entry["n"]
    low, high = _scale_ends(entry)
    near = math.floor(printed.value * n)
    totals = [total for total in (near, near + 1) if low * n <= total <= high * n]
    data = {"totals": totals}
    if not low <= printed.value <= high:
        line = f"the scale goes from {low} to {high}"
        return entry.judge(
            cell, fits=False, expected="a mean on the scale", arithmetic=line, data=data
        )
    rounded = [total for total in totals if printed.rounded_from(Fraction(total, n))]
    cut = [total for total in totals if printed.cut_off_from(Fraction(total, n))]
    lines = {
        total: f"{total} / {n} = {write_number(Fraction(total, n), printed.places + 2)}"
        for total in rounded[:1] or totals
    }
    fitting = [f"{total} / {n}" for total in rounded or cut]
    near_by = " or ".join(printed.like(Fraction(total, n)) for total in totals)
    return entry.judge(
        cell,
        fits=bool(rounded),
        only_if=[(bool(cut), CUT_OFF)],
        expected=fitting[0] if fitting else near_by,
        arithmetic=" and ".join(lines.values()),
        data=data,
    )


def _scale_ends(entry: CheckEntry) -> tuple[int | float, int | float]:
    ends: tuple[Printed, ...] | None = entry.get("scale")
    if ends is None:
        return -math.inf, math.inf
    if len(ends) != 2 or ends[0].value >= ends[1].value:
        raise InvalidArgument("published.no-scale-ends", argument="scale")
    return int(ends[0].value), int(ends[1].value)


PERCENTAGES = CheckKind(
    "a percentage against its count and what it is of; without a count, which counts give it",
    _check_percentages,
    needed={"printed": number, "of": by_name(whole)},
    optional={"count": whole},
)
MEANS = CheckKind(
    "means of whole numbers: can so many whole numbers have this mean?",
    _check_means,
    needed={"n": whole},
    optional={**ONE_OR_TABLE, "scale": numbers},
)


def _check_ranges(entry: CheckEntry) -> list[CheckResult]:
    """Judge a table of averages with their smallest and largest values."""
    checked = [number for row in entry["rows"] for number in _judge_range(entry, row)]
    between = sum(number.verdict != "does not fit" for number in checked)
    mixed = [row for row in entry.get("unnamed", ()) if row in entry["rows"]]
    conclusion = Note("published.ranges", between=between, n=len(checked), mixed=mixed)
    return [entry.result(conclusion, checked)]


def _judge_range(entry: CheckEntry, row: str) -> Iterator[CheckedNumber]:
    cells = dict(zip(entry.columns, entry["rows"][row], strict=False))
    entry.check_width(f"row {row!r}", entry["rows"][row], "rows")
    keys = {key: entry.get(key, key) for key in ("average", "low", "high")}
    for key, column in keys.items():
        if column not in cells:
            raise InvalidArgument("published.no-column", argument=key, value=column)
    average, low, high = (cells[column] for column in keys.values())
    if average is None or low is None or high is None:
        return
    inside = low.low <= average.high and average.low <= high.high
    unnamed = row in entry.get("unnamed", ())
    line = f"{low.text} ≤ {average.text} ≤ {high.text}"
    yield entry.judge(
        PrintedCell(row, keys["average"], average),
        fits=inside and not unnamed,
        only_if=[(inside, Note("published.same-coefficient"))],
        expected=line,
        arithmetic=line,
        data={"average": average.value, "low": low.value, "high": high.value},
    )


RANGES = CheckKind(
    "averages that must lie between their smallest and largest value",
    _check_ranges,
    needed={"columns": names, "rows": rows},
    optional={"average": words, "low": words, "high": words, "unnamed": names},
)


HOUR = 3600


def _check_cost(entry: CheckEntry) -> list[CheckResult]:
    pay, fee = entry["pay"], entry.get("fee", Fraction(0))
    items, assignments = entry["items"], entry["assignments"]
    price = f"({write_amount(pay)} + {write_amount(fee)})" if fee else write_amount(pay)
    rounded_from = entry.cell.printed.rounded_from
    checked = judge_value(
        entry,
        items * assignments * (pay + fee),
        f"{items} × {assignments} × {price}",
        only_if=[
            (rounded_from(items * assignments * pay), Note("published.fee-left-out")),
            (rounded_from(items * (pay + fee)), Note("published.paid-once")),
            (rounded_from(items * pay), Note("published.paid-once-without-fee")),
        ],
    )
    return [entry.result(_sentence(checked, entry), [checked])]


def _check_pay(entry: CheckEntry) -> list[CheckResult]:
    """Judge an hourly pay; the seconds may have been rounded, so they are a range."""
    printed, seconds = entry.cell.printed, entry["seconds"]
    for key, value in (("printed", printed.value), ("seconds", seconds.value)):
        if value <= 0:
            raise InvalidArgument("published.not-above-zero", argument=key)
    checked = _judge_hourly(entry, printed, seconds)
    return [entry.result(_sentence(checked, entry), [checked])]


def _judge_hourly(entry: CheckEntry, printed: Printed, seconds: Printed) -> CheckedNumber:
    pays: Mapping[str, Fraction] = entry["pay"]
    hourly = {name: pay * HOUR / seconds.value for name, pay in pays.items()}
    implied = {name: pay * HOUR / printed.value for name, pay in pays.items()}
    return entry.judge(
        entry.cell,
        fits=printed.rounded_from(hourly[next(iter(pays))]),
        only_if=_pay_conditions(pays, printed, seconds),
        expected=" or ".join(printed.like(value) for value in hourly.values()),
        arithmetic=_pay_line(pays, printed, seconds),
        data={
            "hourly": {name or "pay": value for name, value in hourly.items()},
            "seconds": {name or "pay": value for name, value in implied.items()},
        },
    )


def _pay_conditions(
    pays: Mapping[str, Fraction], printed: Printed, seconds: Printed
) -> Iterator[tuple[bool, str]]:
    """On which condition each pay gives the printed hourly one."""
    for name, pay in pays.items():
        exactly = printed.rounded_from(pay * HOUR / seconds.value)
        low, high = (pay * HOUR / end for end in (seconds.high, seconds.low))
        within = low - printed.unit / 2 <= printed.value <= high + printed.unit / 2
        yield exactly, Note("published.other-pay", name=name)
        yield within, Note("published.seconds-rounded", seconds=seconds.text)


def _pay_line(pays: Mapping[str, Fraction], printed: Printed, seconds: Printed) -> str:
    """What each pay comes to in an hour, and how long an assignment would have to take."""
    follow, implied = [], []
    for name, pay in pays.items():
        about = f" ({name})" if name else ""
        hourly = printed.like(pay * HOUR / seconds.value)
        follow.append(f"{write_amount(pay)}{about} × 3600 / {seconds.text} s = {hourly}")
        implied.append(f"{write_number(pay * HOUR / printed.value, 1)} s at {write_amount(pay)}")
    return f"{'; '.join(follow)}; {printed.text} an hour would be {' or '.join(implied)}"


COST = CheckKind(
    "what a crowd study cost: items × assignments × (pay + fee)",
    _check_cost,
    needed={"printed": number, "items": whole, "assignments": whole, "pay": amount},
    optional={"fee": amount, "what": words},
)
PAY = CheckKind(
    "hourly pay against the seconds and the pay of one assignment",
    _check_pay,
    needed={"printed": number, "seconds": number, "pay": by_name(amount)},
    optional={"what": words},
)
