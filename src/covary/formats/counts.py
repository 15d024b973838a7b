"""Frequency tables: one row per pattern of ratings, and how many items show it."""

from __future__ import annotations

from covary.errors import InvalidArgument, RatingsError, listed, meant
from covary.formats.cells import Relation, name
from covary.formats.guess import NEEDED, known_role, plain
from covary.formats.long import melted
from covary.formats.opened import Opened
from covary.formats.wide import judge_columns, kept_columns
from covary.formats.wide import recognises as is_wide
from covary.ratings import COLUMNS

__all__ = ["read", "recognises"]

COUNTS = ("items", "count", "counts", "n", "frequency", "freq", "nitems", "numberofitems")


def recognises(file: Opened) -> bool:
    """A table of judges' columns with a column that counts, and none that names the item."""
    if file.count is not None:
        return True
    counting = _counting(file)
    named = any(known_role(column) == "item" for column in file.columns)
    if len(counting) != 1 or named or "item" in file.said:
        return False
    return is_wide(file, counting)


def read(file: Opened) -> Relation:
    """Write each pattern out as often as it counts, and number the items."""
    count = _counting_column(file)
    file.takes_only(*(role for role in COLUMNS if role not in NEEDED))
    judges = judge_columns(file, [count])
    if not judges:
        raise InvalidArgument(f"say which columns are judges: wide={file.columns!r}")
    if not file.wide or file.wide is True:
        file.notes.append(f"Each of the columns {listed(judges)} was read as one judge's ratings.")
    file.notes.append(f"Each row stands for as many items as the column {count!r} says.")
    kept = kept_columns(file, [*judges, count])
    rows = file.table.project(f"*, unnest(range({_times(file, count)})) as {name('copy of row')}")
    cells = {name(judge): judge for judge in judges}
    return melted(file, cells, {"item": "row_number() over ()"} | kept, "judge", rows)


def _counting_column(file: Opened) -> str:
    if file.count is not None and file.count not in file.columns:
        raise InvalidArgument(
            f"count={file.count!r} is not a column: {listed(file.columns)}"
            f"{meant(file.count, file.columns)}"
        )
    fits = _counting(file)
    if file.count is None and len(fits) != 1:
        raise InvalidArgument(
            f"which column of {file.path.name} counts the items? Say count='…' with one of "
            f"{listed(fits or file.columns)}"
        )
    return file.count or fits[0]


def _counting(file: Opened) -> list[str]:
    return [column for column in file.columns if plain(column) in COUNTS]


def _times(file: Opened, count: str) -> str:
    """Return the SQL of a row's count, once all rows were seen to have one."""
    times = f"try_cast(trim(cast({name(count)} as varchar)) as double)"
    odd = f"{times} is null or {times} < 0 or {times} != floor({times})"
    rows = file.table.project(f"row_number() over () as place, {name(count)}, *")
    wrong = rows.filter(odd).project(f"place, {name(count)}").limit(5).fetchall()
    if wrong:
        shown = "; ".join(f"row {place}: {value!r}" for place, value in wrong)
        raise RatingsError(
            f"the column {count!r} of {file.path.name} must hold numbers of items: {shown}"
        )
    return f"cast({times} as bigint)"
