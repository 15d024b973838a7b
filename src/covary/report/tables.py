"""What several sections need to build their tables: columns, reasons for dashes, and limits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from covary.analysis.comparison import Comparison, CriterionReliability
from covary.report.contents import Column, Table
from covary.report.rounding import DASH, interval, with_interval
from covary.report.wording import counted, headed, percent
from covary.stats.estimate import Estimate, Interval

__all__ = [
    "Columns",
    "both",
    "comparison_table",
    "key_of",
    "left",
    "level_of",
    "limited",
    "reasons",
    "sides",
    "table",
    "titled",
    "verdict_word",
    "without_empty",
]

Columns = Sequence[Column | str]

MOST_ROWS = 60
"""Rows up to which a table is shown whole; the JSON form of a report holds all of them."""


def table(
    key: str,
    caption: str,
    columns: Columns,
    rows: Iterable[Sequence[str]],
    note: str = "",
) -> Table:
    """Build a table; a column given as its mere title leans right."""
    heads = (each if isinstance(each, Column) else Column(each) for each in columns)
    return Table(key, caption, tuple(heads), tuple(tuple(row) for row in rows), note)


def left(title: str) -> Column:
    """Build a column that leans left, as words do."""
    return Column(title, "left")


def key_of(*parts: Any) -> str:
    """Make a key for links: letters, digits and hyphens, whatever the names are."""
    text = "-".join(str(part) for part in parts).lower()
    plain = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in text)
    return "-".join(part for part in plain.split("-") if part) or "part"


def comparison_table(key: str, caption: str, first: str, found: Sequence[Comparison]) -> Table:
    """Build the table of agreement beside correlation, a row for each set of judges."""
    columns: Columns = [left(first), "judges", "items", "agreement", "other judges",
               "correlation", "other judges", left("verdict")]  # fmt: skip
    rows = [
        (each.label, str(len(each.judges)), f"{each.agreement.n_items:,}",
         *both(each.agreement, each.agreement_of_others),
         *both(each.correlation, each.correlation_of_others), verdict_word(each))
        for each in found[:MOST_ROWS]
    ]  # fmt: skip
    named = [(each.label, side) for each in found for side in (each.agreement, each.correlation)]
    note = " ".join([limited(len(found)), reasons(named)]).strip()
    return without_empty(table(key, caption, columns, rows, note))


def both(found: Estimate | None, others: Interval | None) -> tuple[str, str]:
    """Write a coefficient with its interval, and the interval for other judges."""
    return with_interval(found), interval(others)


def verdict_word(found: Comparison) -> str:
    """Write the verdict in a word, and whether its interval leaves a doubt."""
    return found.verdict.word + ("" if found.verdict.sure else " (unsure)")


def without_empty(whole: Table) -> Table:
    """Leave out columns that hold nothing but dashes."""
    kept = [
        place for place in range(len(whole.columns))
        if not whole.rows or any(row[place] != DASH for row in whole.rows)
    ]  # fmt: skip
    columns = tuple(whole.columns[place] for place in kept)
    rows = tuple(tuple(row[place] for place in kept) for row in whole.rows)
    return Table(whole.key, whole.caption, columns, rows, whole.note)


def reasons(named: Iterable[tuple[str, Estimate | None]]) -> str:
    """Say why coefficients have no value, each reason once; a name may be empty."""
    why: dict[str, list[str]] = {}
    for name, found in named:
        if found is not None and not found.defined:
            reason = found.notes[-1] if found.notes else "it has no value for these ratings"
            title = found.title or found.name
            why.setdefault(reason, []).append(f"{name}, {title}" if name else title)
    return " ".join(f"{DASH} {'; '.join(names)}: {reason}." for reason, names in why.items())


def limited(number: int, noun: str = "row", most: int = MOST_ROWS) -> str:
    """Say how many rows a table leaves out, if any."""
    if number <= most:
        return ""
    return f"{counted(number - most, noun)} more stand in the JSON form of this report."


def sides(criteria: Iterable[CriterionReliability]) -> list[tuple[str, Estimate | None]]:
    """Return agreement and correlation of each criterion with its name, where it has one."""
    return [
        ("" if each.criterion is None else each.name, side)
        for each in criteria
        for side in (each.overall.agreement, each.overall.correlation)
    ]


def titled(each: CriterionReliability, text: str) -> str:
    """Put a criterion's name before a title, where it has one."""
    return headed(None if each.criterion is None else each.name, text)


def level_of(confidence: float) -> str:
    """Name an interval by its confidence."""
    return f"{percent(confidence)} interval"
