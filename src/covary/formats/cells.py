"""Cells of text turned into ratings, names and numbers, by DuckDB."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from covary.errors import RatingsError
from covary.scales import as_scale

__all__ = ["Relation", "Tidy", "missing_words", "name", "number", "text", "trimmed"]

Relation = Any  # DuckDB's relation: a query that has not run yet

MISSING = ("na", "n/a", "#n/a", "n.a.", "nan", "null", "missing", ".", "-", "--", "–")
"""How missing ratings are written, in small letters; besides nothing at all."""

RARE_SPACES = "\t\r\n\u00a0\u3000"

MEASURES = ("order", "seconds")

DECIMAL_COMMA = "'[-+]?[0-9]+,[0-9]+'"
THOUSANDS = "'[-+]?[1-9][0-9]{0,2}(,[0-9]{3})+'"
WHOLE = "'0|-?[1-9][0-9]{0,17}'"


def name(column: str) -> str:
    """Write the name of a column for DuckDB."""
    return '"' + column.replace('"', '""') + '"'


def text(value: str) -> str:
    """Write a text for DuckDB."""
    return "'" + value.replace("'", "''") + "'"


def number(column: str) -> str:
    """Write 'the number in this column, or nothing' for DuckDB."""
    read = f"try_cast({name(column)} as double)"
    return f"case when isfinite({read}) then {read} end"


def missing_words(scale: Any = None) -> tuple[str, ...]:
    """Return the words for a missing rating that are no category of the scale."""
    given = scale.values() if isinstance(scale, Mapping) else [scale]
    scales = [as_scale(each) if isinstance(each, str) else each for each in given if each]
    possible = {str(c).lower() for each in scales for c in each.categories or ()}
    return tuple(word for word in MISSING if word not in possible)


def trimmed(relation: Relation, used: Mapping[str, str], scale: Any) -> Relation:
    """Return a query for the used columns with nothing where a cell is empty or says so.

    `used` says which column is what. Rows in which every used cell is empty are left out.
    """
    kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
    missing = missing_words(scale)
    spaced = {column: _without_spaces(column, kinds[column]) for column in used}
    cells = {
        column: _cell(column, kinds[column], missing if role == "rating" else ())
        for column, role in used.items()
    }
    return (
        relation.filter(" or ".join(f"{name(column)} is not null" for column in used))
        .project(", ".join(f"{cell} as {name(c)}" for c, cell in spaced.items()))
        .project(", ".join(f"{cell} as {name(c)}" for c, cell in cells.items()))
    )


@dataclass(frozen=True)
class Tidy:
    """How the cells of one file become numbers where every cell of a column is a number.

    In a file of `text` that may be any column; otherwise only ratings that are stored as words.
    `shown` are the columns that tell where a rating stands; without them its row is named.
    """

    file: str
    text: bool
    notes: list[str]
    shown: Sequence[str] = ()

    def numbered(self, relation: Relation, used: Mapping[str, str]) -> Relation:
        """Return a query for the same rows with numbers where there are numbers."""
        kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
        words = {
            column: role
            for column, role in used.items()
            if kinds[column] == "VARCHAR" and (self.text or role == "rating")
        }
        if not words:
            return relation
        found = _look_through(relation, words)
        tidy = {
            column: self._rating(relation, column, *found[column])
            if role == "rating"
            else _other(column, *found[column], role in MEASURES)
            for column, role in words.items()
        }
        return relation.project(", ".join(f"{tidy.get(c, name(c))} as {name(c)}" for c in kinds))

    def _rating(
        self, relation: Relation, column: str, present: int, numbers: int, fractions: int
    ) -> str:
        if numbers < present and self._has_decimal_commas(relation, column):
            return f"cast(replace({name(column)}, ',', '.') as double)"
        if 0 < numbers < present:
            odd = f"{name(column)} is not null and {number(column)} is null"
            raise RatingsError(
                f"{self.file} has words among the numbers of the column {column!r}: "
                f"{self._rows(relation, column, odd)}. Leave a cell empty where there is no "
                "rating, and keep criteria with words and criteria with numbers in files of "
                "their own"
            )
        if not numbers:
            return name(column)
        value = f"cast({name(column)} as double)"
        return value if fractions else f"cast({value} as bigint)"

    def _has_decimal_commas(self, relation: Relation, column: str) -> bool:
        """Whether all that is no number is one with a decimal comma; refuse what is unclear."""
        cell = name(column)
        comma, thousands, point, other = relation.aggregate(
            f"count_if(regexp_full_match({cell}, {DECIMAL_COMMA})), "
            f"count_if(regexp_full_match({cell}, {THOUSANDS})), "
            f"count_if({number(column)} is not null and contains({cell}, '.')), "
            f"count_if({cell} is not null and {number(column)} is null "
            f"and not regexp_full_match({cell}, {DECIMAL_COMMA}))"
        ).fetchone()
        if not comma or other:
            return False
        if point or thousands == comma:
            shown = self._rows(relation, column, f"regexp_full_match({cell}, {DECIMAL_COMMA})")
            raise RatingsError(
                f"{self.file} has commas in the numbers of the column {column!r} that may be "
                f"decimal commas or not: {shown}. Write 3.5 and not 3,5, and 1234 and not 1,234"
            )
        self.notes.append(f"Decimal commas in the column {column!r} were read as decimal points.")
        return True

    def _rows(self, relation: Relation, column: str, condition: str, limit: int = 5) -> str:
        """Describe the first rows that meet a condition; '' for none."""
        places = [f"concat({text(c + ' ')}, {name(c)})" for c in self.shown]
        where = f"concat_ws(', ', {', '.join(places)})" if places else "concat('row ', place)"
        rows = (
            relation.project("row_number() over () as place, *")
            .filter(condition)
            .project(f"{where}, {name(column)}")
            .limit(limit + 1)
            .fetchall()
        )
        shown = "; ".join(f"{place}: {value!r}" for place, value in rows[:limit])
        return shown + (" and more" if len(rows) > limit else "")


def _cell(column: str, kind: str, missing: tuple[str, ...]) -> str:
    if kind not in ("VARCHAR", "JSON"):
        return name(column)
    if not missing:
        return f"nullif({name(column)}, '')"
    words = ", ".join(text(word) for word in ("", *missing))
    return f"case when lower({name(column)}) not in ({words}) then {name(column)} end"


def _without_spaces(column: str, kind: str) -> str:
    """Take off spaces of every kind; the slow way only where there is a rare one."""
    if kind not in ("VARCHAR", "JSON"):
        return name(column)
    cell = name(column) if kind == "VARCHAR" else f"({name(column)} ->> '$')"
    rare = " or ".join(f"contains({cell}, '{space}')" for space in RARE_SPACES)
    return f"case when {rare} then trim({cell}, ' {RARE_SPACES}') else trim({cell}) end"


def _look_through(relation: Relation, words: Mapping[str, str]) -> dict[str, tuple[int, int, int]]:
    """Count in one pass, for each column: cells, numbers, and numbers of the other kind.

    The other kind is whole numbers as people write them in names, and fractions elsewhere.
    """
    counts = []
    for column, role in words.items():
        value = number(column)
        counts += [f"count({name(column)})"]
        if role == "rating" or role in MEASURES:
            counts += [f"count({value})", f"count_if({value} != floor({value}))"]
        else:
            counts += [f"count_if(regexp_full_match({name(column)}, {WHOLE}))", "0"]
    found = relation.aggregate(", ".join(counts)).fetchone()
    return {column: found[3 * i : 3 * i + 3] for i, column in enumerate(words)}


def _other(column: str, present: int, numbers: int, _: int, measure: bool) -> str:
    if not present or numbers < present:
        return name(column)
    return f"cast({name(column)} as {'double' if measure else 'bigint'})"
