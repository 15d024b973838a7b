"""Cells of text turned into ratings, names and numbers, by DuckDB."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from covary.errors import RatingsError
from covary.scales import as_scale

__all__ = ["Relation", "name", "numbered", "trimmed"]

Relation = Any  # DuckDB's relation: a query that has not run yet

MISSING = ("na", "n/a", "#n/a", "nan", "null", "-")
"""How missing ratings are written, in small letters; besides nothing at all."""

MEASURES = ("order", "seconds")

DECIMAL_COMMA = "'[-+]?[0-9]+,[0-9]+'"
WHOLE = "'0|-?[1-9][0-9]{0,17}'"


def trimmed(relation: Relation, used: Mapping[Any, str], scale: Any) -> Relation:
    """Return a query for the same rows with nothing where a cell is empty or says so.

    `used` says which column is what; other columns keep only their names, for messages.
    """
    kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
    missing = _missing(scale)
    cells = {
        column: _cell(column, kind, missing if used.get(column) == "rating" else ())
        for column, kind in kinds.items()
    }
    cells |= {column: "null" for column in kinds if column not in used}
    return relation.project(", ".join(f"{cell} as {name(c)}" for c, cell in cells.items()))


def numbered(relation: Relation, used: Mapping[Any, str], file: str, *, text: bool) -> Relation:
    """Return a query for the same rows with numbers where every cell of a column is a number.

    In a file of `text` that may be any column; otherwise only ratings that are stored as words.
    """
    kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
    words = {
        column: role
        for column, role in used.items()
        if kinds.get(column) == "VARCHAR" and (text or role == "rating")
    }
    if not words:
        return relation
    found = _look_through(relation, words)
    tidy = {
        column: _rating(relation, column, *found[column], file)
        if role == "rating"
        else _other(column, *found[column], role in MEASURES)
        for column, role in words.items()
    }
    return relation.project(", ".join(f"{tidy.get(c, name(c))} as {name(c)}" for c in kinds))


def name(column: str) -> str:
    """Write the name of a column for DuckDB."""
    return '"' + column.replace('"', '""') + '"'


def _cell(column: str, kind: str, missing: tuple[str, ...]) -> str:
    if kind not in ("VARCHAR", "JSON"):
        return name(column)
    cell = f"trim({name(column)})" if kind == "VARCHAR" else f"trim({name(column)} ->> '$')"
    if not missing:
        return f"nullif({cell}, '')"
    words = ", ".join(f"'{word}'" for word in ("", *missing))
    return f"case when lower({cell}) not in ({words}) then {cell} end"


def _look_through(relation: Relation, words: Mapping[str, str]) -> dict[str, tuple[int, int, int]]:
    """Count in one pass, for each column: cells, numbers, and numbers of the other kind.

    The other kind is whole numbers as people write them in names, and fractions elsewhere.
    """
    counts = []
    for column, role in words.items():
        number = _number(column)
        counts += [f"count({name(column)})"]
        if role == "rating" or role in MEASURES:
            counts += [f"count({number})", f"count_if({number} != floor({number}))"]
        else:
            counts += [f"count_if(regexp_full_match({name(column)}, {WHOLE}))", "0"]
    found = relation.aggregate(", ".join(counts)).fetchone()
    return {column: found[3 * i : 3 * i + 3] for i, column in enumerate(words)}


def _rating(
    relation: Relation, column: str, present: int, numbers: int, fractions: int, file: str
) -> str:
    if numbers < present:
        _refuse_decimal_commas(relation, column, file)
    if 0 < numbers < present:
        condition = f"{name(column)} is not null and {_number(column)} is null"
        raise RatingsError(
            f"{file} has words among the numbers of the column {column!r}: "
            f"{_rows(relation, column, condition)}. Leave a cell empty where there is no rating, "
            "and keep criteria with words and criteria with numbers in files of their own"
        )
    if not numbers:
        return name(column)
    number = f"cast({name(column)} as double)"
    return number if fractions else f"cast({number} as bigint)"


def _refuse_decimal_commas(relation: Relation, column: str, file: str) -> None:
    shown = _rows(relation, column, f"regexp_full_match({name(column)}, {DECIMAL_COMMA})")
    if shown:
        raise RatingsError(
            f"{file} has decimal commas in the column {column!r}: {shown}. Write 3.5 and not 3,5"
        )


def _other(column: str, present: int, numbers: int, _: int, measure: bool) -> str:
    if not present or numbers < present:
        return name(column)
    return f"cast({name(column)} as {'double' if measure else 'bigint'})"


def _number(column: str) -> str:
    number = f"try_cast({name(column)} as double)"
    return f"case when isfinite({number}) then {number} end"


def _rows(relation: Relation, column: str, condition: str, limit: int = 5) -> str:
    """Describe the first rows that meet a condition; '' for none."""
    rows = (
        relation.project(f"row_number() over () as place, {name(column)}")
        .filter(condition)
        .limit(limit + 1)
        .fetchall()
    )
    shown = "; ".join(f"row {place}: {value!r}" for place, value in rows[:limit])
    return shown + (" and more" if len(rows) > limit else "")


def _missing(scale: Any) -> tuple[str, ...]:
    """Return the words for a missing rating that are no category of the scale."""
    given = scale.values() if isinstance(scale, Mapping) else [scale]
    scales = [as_scale(each) if isinstance(each, str) else each for each in given if each]
    possible = {str(c).lower() for each in scales for c in each.categories or ()}
    return tuple(word for word in MISSING if word not in possible)
