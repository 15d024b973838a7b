"""Long tables: one row per rating; or one row per item and judge, with a column per criterion."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from covary.errors import InvalidArgument, RatingsError, listed, meant
from covary.formats.cells import Relation, missing_words, name, text
from covary.formats.guess import NEEDED, Guess, guess, known_role
from covary.formats.opened import Opened
from covary.ratings.checks import check_columns

__all__ = ["chosen_columns", "melted", "numeric_columns", "read", "recognises", "refuse_data"]

MOST_CRITERIA = 50
"""A column with more distinct values is no criterion, whatever its name is."""


def recognises(file: Opened) -> bool:
    """Any table may be a long one."""
    return file.is_table


def read(file: Opened) -> Relation:
    """Read one row per rating."""
    given = file.keywords.get("rating")
    if given is not None and (not isinstance(given, str) or "*" in given):
        return _read_criteria(file, given)
    found = guess(file.columns, file.said)
    roles = found.roles
    check_columns(file.columns, roles)
    _refuse_incomplete(file, roles)
    file.notes.extend(found.notes)
    roles = _without_odd_criterion(file, found)
    return file.rows(file.table, {column: role for role, column in roles.items()})


def melted(
    file: Opened, columns: dict[str, str], kept: dict[str, str], into: str, rows: Relation
) -> Relation:
    """Turn columns into rows: `columns` maps SQL to the name it gets in the column `into`.

    `kept` maps the roles that stay to the SQL that gives them. Cells without a rating are left
    out, and a column without any is mentioned.
    """
    labels = ", ".join(text(label) for label in columns.values())
    cells = ", ".join(f"cast({cell} as varchar)" for cell in columns)
    stay = "".join(f"{cell} as {name(role)}, " for role, cell in kept.items())
    long = rows.project(f"{stay}unnest([{labels}]) as {into}, unnest([{cells}]) as rating")
    used = {role: role for role in (*kept, into, "rating")}
    tidy = file.rows(long, used, [each for each in ("item", "judge", "criterion") if each in used])
    tidy = tidy.filter("rating is not null")
    present = {str(value) for (value,) in tidy.project(into).distinct().fetchall()}
    empty = [label for label in columns.values() if label not in present]
    if empty:
        file.notes.append(f"There is no rating in the columns {listed(empty)}.")
    return tidy


def chosen_columns(file: Opened, wanted: str | Sequence[str], keyword: str) -> list[str]:
    """Return the columns that a list of names or a pattern such as 'J*' stands for."""
    if isinstance(wanted, str):
        found = [column for column in file.columns if fnmatchcase(column, wanted)]
    else:
        found = list(wanted)
    unknown = [column for column in found if column not in file.columns]
    if unknown or not found:
        raise InvalidArgument(
            f"{keyword}={wanted!r} names no column of {file.path.name}, which has "
            f"{listed(file.columns)}"
            if not unknown
            else f"{keyword} names {listed(unknown)}, but {file.path.name} has "
            f"{listed(file.columns)}{meant(unknown[0], file.columns)}"
        )
    return found


def numeric_columns(table: Relation, columns: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Return the columns that hold numbers and nothing else, each with its smallest and largest."""
    if not columns:
        return {}
    missing = ", ".join(text(word) for word in ("", *missing_words()))
    asked = []
    for column in columns:
        cell = f"trim(cast({name(column)} as varchar))"
        value = f"try_cast(replace({cell}, ',', '.') as double)"
        asked += [
            f"count(case when lower({cell}) not in ({missing}) then 1 end)",
            f"count(case when isfinite({value}) then 1 end)",
            f"min({value})",
            f"max({value})",
        ]
    found = table.aggregate(", ".join(asked)).fetchone()
    each = {column: found[4 * i : 4 * i + 4] for i, column in enumerate(columns)}
    return {
        c: (low, high) for c, (cells, numbers, low, high) in each.items() if cells == numbers != 0
    }


def refuse_data(file: Opened) -> None:
    """Refuse a table whose first row is data and not the names of columns."""
    named = any(known_role(column) for column in file.columns)
    numbers = [column for column in file.columns if _is_number(column)]
    if not named and numbers and not file.said and not file.wide and not file.count:
        raise RatingsError(
            f"the first row of {file.path.name} holds data ({listed(file.columns)}) and not the "
            "names of the columns; write a first row such as item,judge,rating, or for one column "
            "per judge item,Ann,Bo"
        )


def _read_criteria(file: Opened, given: str | Sequence[str]) -> Relation:
    """Read one row per item and judge with a column per criterion, named by rating=[…]."""
    chosen = chosen_columns(file, given, "rating")
    said = {r: c for r, c in file.said.items() if r not in ("rating", "criterion")}
    rest = [column for column in file.columns if column not in chosen]
    found = guess(rest, said | {"rating": None, "criterion": None})
    check_columns(file.columns, found.roles)
    _refuse_incomplete(file, found.roles | {"rating": chosen[0]})
    file.notes.extend(found.notes)
    kept = {role: name(column) for role, column in found.roles.items()}
    return melted(file, {name(c): c for c in chosen}, kept, "criterion", file.table)


def _refuse_incomplete(file: Opened, roles: dict[str, str]) -> None:
    slots = file.keywords.get("judges") == "slots" and file.keywords.get("judge") is None
    needed = [role for role in NEEDED if not (slots and role == "judge")]
    absent = [role for role in needed if role not in roles]
    if not absent:
        return
    found = [f"{roles[role]!r} is the {role}" for role in needed if role in roles]
    raise InvalidArgument(
        f"{file.path.name} has no column whose name says that it holds the "
        f"{' or the '.join(absent)}; its columns are {listed(file.columns)}"
        + (f" ({', '.join(found)})" if found else "")
        + f". {_advice(file, absent)}"
    )


def _advice(file: Opened, absent: list[str]) -> str:
    say = "Say which column it is: " + ", ".join(f"{role}='…'" for role in absent)
    free = [column for column in file.columns if known_role(column) is None]
    numeric = list(numeric_columns(file.table, free))
    if absent == ["rating"] and numeric:
        return f"{say}; or, for one column per criterion, rating={numeric!r}"
    if "rating" in absent and "judge" in absent and len(numeric) > 1:
        return f"{say}; or, for one column per judge, wide={numeric!r}"
    if absent == ["judge"]:
        return f"{say}; or judges='slots' where it is not known who gave which rating"
    if len(absent) == len(NEEDED):
        return f"{say}. The first row must hold the names of the columns: item,judge,rating"
    return say


def _without_odd_criterion(file: Opened, found: Guess) -> dict[str, str]:
    """Drop a guessed criterion that has so many values that it cannot be one."""
    column = found.roles.get("criterion")
    if column is None or "criterion" not in found.guessed:
        return found.roles
    (kinds,) = file.table.aggregate(f"count(distinct {name(column)})").fetchone()
    if kinds <= MOST_CRITERIA:
        return found.roles
    file.notes.append(
        f"The column {column!r} has {kinds:,} different values and was not taken for the "
        f"criterion after all (criterion={column!r} insists)."
    )
    return {role: each for role, each in found.roles.items() if role != "criterion"}


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace(",", "."))
    except ValueError:
        return False
    return True
