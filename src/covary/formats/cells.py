"""Cells of text turned into ratings, names and numbers, by DuckDB."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from covary.errors import RatingsError
from covary.records import dataclass
from covary.scales import as_scale
from covary.words import Note

Relation = Any  # DuckDB's relation: a query that has not run yet

MISSING_WORDS = (
    *("na", "n/a", "#n/a", "n.a.", "n.a", "n\\a", "n/d", "nan", "null", "nil", "<na>", "missing"),
    *(".", "-", "--", "–", "—", "?", "(blank)", "blank", "(empty)", "empty", "not applicable"),
    *("not available", "no answer", "no response", "no rating", "not rated", "don't know"),
    *("dont know", "do not know", "i don't know", "idk", "cannot judge", "can't judge"),
    *("prefer not to say", "skipped", "k.a.", "k. a.", "keine angabe", "keine antwort"),
    *("weiß nicht", "weiss nicht", "sans réponse", "ne sait pas", "je ne sais pas", "no sabe"),
    *(
        "no sé",
        "ns/nc",
        "sin respuesta",
        "non so",
        "não sei",
        "わからない",
        "無回答",
        "无",
        "不知道",
    ),
    *("#value!", "#div/0!", "#ref!", "#name?", "#null!", "#num!"),
)
MISSING = (*MISSING_WORDS, *(w.replace("'", "’") for w in MISSING_WORDS if "'" in w))
"""How missing ratings are written, in small letters; besides nothing at all."""

NONE = "none"
"""How Python writes a missing value; missing where all other answers are numbers."""

DECLINED = (
    *(r"(?:i |i['’]d )?(?:would )?(?:prefer|rather) not(?: to)? (?:say|answer|respond|disclose)",),
    *(r"(?:i )?(?:do not|don['’]?t) know", r"can(?:no|['’])t (?:judge|say|tell)", "no answer"),
    *("keine (?:angaben?|antwort)", "(?:ich )?wei(?:ß|ss) (?:ich )?nicht", "kann ich nicht .*"),
    *("(?:das )?möchte ich (?:lieber )?nicht .*", "no s(?:é|abe)(?:/no contesta)?", "no contesta"),
    *("prefiero no (?:contestar|responder|decirlo|decir)", "(?:je )?ne sais? pas"),
    *("(?:je )?préfère ne pas (?:répondre|le dire|dire)", "non so", "preferisco non .*"),
    *("não sei", "prefiro não .*", "(?:dat )?(?:weet|zeg) ik (?:liever )?niet", "わからない"),
    *("回答しない", "不知道", "不愿回答", "不想回答"),
)
"""How people say that they give no answer: in words, which forms offer beside the ratings."""

REASONED = (
    r"(?:n/?a|n\.a\.?|k\. ?a\.|keine angabe|not applicable|no answer|no rating|can(?:no|'|’)t "
    r"(?:judge|say|tell)|don['’]t know|unable to (?:judge|rate))\s*(?:[-–—:;,(\[].*)"
    r"|#(?:n/a|value!|div/0!|ref!|name\?|null!|num!)"
    rf"|(?:{'|'.join(DECLINED)})[.!]?"
)
"""A missing rating with its reason, 'N/A (did not understand)', a spreadsheet's error, or declined
in words."""


def is_reasoned(answer: str) -> bool:
    """Say whether an answer is none and says so in words.

    Examples
    --------
    >>> is_reasoned("N/A (did not load)"), is_reasoned("NA"), is_reasoned("n/a: cut off")
    (True, False, True)
    """
    return bool(re.fullmatch(REASONED, answer.strip().lower()))


RARE_SPACES = "\t\r\n\u00a0\u3000"

MEASURES = ("order", "seconds")

MOST_SHOWN, MOST_NAMED = 5, 20
"""So many wrong cells are named by their place, and so many different ones by what they say."""

HUNDRED = 100
MOST_LOOKED_AT = 1_000_000
"""So many numbers are looked through for points before thousands."""

DECIMAL_COMMA = "'[-+]?[0-9]+,[0-9]+'"
THOUSANDS = "'[-+]?[1-9][0-9]{0,2}(,[0-9]{3})+'"
WHOLE = "'0|-?[1-9][0-9]{0,17}'"


def identifier(column: str) -> str:
    """Write the name of a column for DuckDB."""
    return '"' + column.replace('"', '""') + '"'


def literal(value: str) -> str:
    """Write a text for DuckDB."""
    return "'" + value.replace("'", "''") + "'"


MOST_SIDE_BY_SIDE = 32
"""Of more columns than this each cell becomes a row: what an engine asks of a row of a thousand
answers costs the square of their number."""


def by_column(
    table: Relation, columns: Sequence[str], questions: Callable[[str], Sequence[str]]
) -> list[tuple[Any, ...]]:
    """Ask the same of each column, as text, in one pass; `questions` takes the SQL of a cell."""
    if not columns:
        return []
    cells = [f"cast({identifier(column)} as varchar)" for column in columns]
    if len(columns) <= MOST_SIDE_BY_SIDE:
        asked = [question for cell in cells for question in questions(cell)]
        answers = table.aggregate(", ".join(asked)).fetchone()
        width = len(asked) // len(columns)
        return [answers[width * n : width * (n + 1)] for n in range(len(columns))]
    each = ", ".join(questions("cell"))
    long = table.project(
        f"unnest(range({len(columns)})) as place, unnest([{', '.join(cells)}]) as cell"
    )
    known = {place: answer for place, *answer in long.aggregate(f"place, {each}", "1").fetchall()}
    nothing = long.limit(0).aggregate(each).fetchone()
    return [tuple(known.get(place, nothing)) for place in range(len(columns))]


def as_number(column: str) -> str:
    """Write 'the number in this column, or nothing' for DuckDB."""
    read = f"try_cast({identifier(column)} as double)"
    return f"case when isfinite({read}) then {read} end"


def refuse_timestamps(cells: Relation, rating: str, *, file: str) -> None:
    """Refuse ratings that are days or times by their kind."""
    kinds = dict(zip(cells.columns, map(str, cells.types), strict=True))
    if kinds[rating].startswith(("DATE", "TIME")):
        shown = cells.project(f"cast({identifier(rating)} as varchar)").distinct().limit(5)
        days = [day for (day,) in shown.fetchall() if day is not None]
        raise RatingsError("formats.dates", value=days, column=rating, file=file)


def holds_words(cells: Relation, column: str) -> bool:
    """Say whether a column of text holds anything that is not a number."""
    kinds = dict(zip(cells.columns, map(str, cells.types), strict=True))
    if kinds[column] != "VARCHAR":
        return False
    counts = f"count({identifier(column)}), count({as_number(column)})"
    present, numbers = cells.aggregate(counts).fetchone()
    return bool(present != numbers)


def missing_words(scale: Any = None) -> tuple[str, ...]:
    """Return the words for a missing rating that are no category of the scale."""
    possible = category_words(scale)
    return tuple(word for word in MISSING if word not in possible)


def silent_words(scale: Any = None) -> tuple[str, ...]:
    """Return the words for a missing rating of which nothing is said: NA, nan, a dash.

    What somebody answered in words instead of a rating is told.
    """
    return tuple(word for word in missing_words(scale) if not is_reasoned(word))


def category_words(scale: Any) -> set[str]:
    """Return the categories of a scale, or of several, in small letters."""
    given = scale.values() if isinstance(scale, Mapping) else [scale]
    scales = [as_scale(scale) if isinstance(scale, str) else scale for scale in given if scale]
    return {str(c).lower() for scale in scales for c in scale.categories or ()}


def trim(relation: Relation, used: Mapping[str, str], scale: Any) -> Relation:
    """Return a query for the used columns with nothing where a cell is empty or says so.

    `used` says which column is what. Rows in which every used cell is empty are left out, whatever
    their text says.
    """
    kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
    missing = silent_words(scale)
    telling = [column for column, role in used.items() if role != "text"]
    spaced = {column: _without_spaces(column, kinds[column]) for column in used}
    cells = {
        column: _cell(column, kinds[column], missing if role == "rating" else ())
        for column, role in used.items()
    }
    return (
        relation.filter(" or ".join(f"{identifier(column)} is not null" for column in telling))
        .project(", ".join(f"{cell} as {identifier(c)}" for c, cell in spaced.items()))
        .project(", ".join(f"{cell} as {identifier(c)}" for c, cell in cells.items()))
    )


@dataclass(frozen=True)
class CellTyper:
    """How the cells of one file become numbers where every cell of a column is a number.

    In a file of `literal` that may be any column; otherwise only ratings that are stored as words.
    `shown` are the columns that tell where a rating stands; without them its row is named, which
    `row_name` finds.
    """

    file: str
    text: bool
    notes: list[str]
    shown: Sequence[str] = ()
    row_name: Callable[[int], str] = "row {}".format

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
        kinds_of = _count_kinds(relation, words)
        tidy = {
            column: self._rating(relation, column, kinds_of[column])
            if role == "rating"
            else _typed_name(column, kinds_of[column], measure=role in MEASURES)
            for column, role in words.items()
        }
        return relation.project(
            ", ".join(f"{tidy.get(c, identifier(c))} as {identifier(c)}" for c in kinds)
        )

    def _rating(self, relation: Relation, column: str, kinds: tuple[int, int, int]) -> str:
        present, numbers, fractions = kinds
        commas = self._count_decimal_commas(relation, column) if numbers < present else 0
        if commas and numbers + commas == present:
            return f"cast(replace({identifier(column)}, ',', '.') as double)"
        if 0 < numbers + commas < present:
            few = relation.aggregate(f"count(distinct {identifier(column)})").fetchone()[0]
            words = 4 * (numbers + commas) < present and few > 2
            code = "numbers-among-words" if words else "words-among-numbers"
            number = f"({as_number(column)} is not null or {_comma(column)})"
            odd = f"{identifier(column)} is not null and {'' if words else 'not '}{number}"
            raise self._error(f"formats.{code}", relation, column, odd)
        if not numbers:
            return identifier(column)
        if self.text and present <= MOST_LOOKED_AT:
            self._refuse_thousands(relation, column)
        value = f"cast({identifier(column)} as double)"
        return value if fractions else f"cast({value} as bigint)"

    def _refuse_thousands(self, relation: Relation, column: str) -> None:
        """Refuse 1.000 among whole numbers of hundreds, which is one or a thousand."""
        cell, value = identifier(column), as_number(column)
        dotted = f"regexp_full_match({cell}, '[1-9]\\.[0-9]{{3}}')"
        points, fractions, most, shown = relation.aggregate(
            f"count_if({dotted}), count_if(contains({cell}, '.')), "
            f"max(case when not contains({cell}, '.') then {value} end), "
            f"list_slice(list_sort(list(distinct {cell}) filter ({dotted})), 1, {MOST_NAMED})"
        ).fetchone()
        if points and points == fractions and (most or 0) >= HUNDRED:
            facts = {"column": column, "file": self.file}
            raise RatingsError("formats.ambiguous-points", value=shown, **facts)

    def _count_decimal_commas(self, relation: Relation, column: str) -> int:
        """Count the numbers with a decimal comma; refuse what is unclear."""
        cell = identifier(column)
        comma, thousands, point, other = relation.aggregate(
            f"count_if({_comma(column)}), "
            f"count_if(regexp_full_match({cell}, {THOUSANDS})), "
            f"count_if({as_number(column)} is not null and contains({cell}, '.')), "
            f"count_if({cell} is not null and {as_number(column)} is null and not {_comma(column)})"
        ).fetchone()
        if comma and not other:
            if point or thousands == comma:
                raise self._error("formats.ambiguous-commas", relation, column, _comma(column))
            self.notes.append(Note("formats.decimal-commas", column=column))
        return int(comma)

    def _error(self, code: str, relation: Relation, column: str, condition: str) -> RatingsError:
        """Refuse a column, with the first of its rows that meet a condition."""
        places = [f"concat({literal(c + ' ')}, {identifier(c)})" for c in self.shown]
        where = f"concat_ws(', ', {', '.join(places)})" if places else "place"
        rows = (
            relation.project("row_number() over () as place, *")
            .filter(condition)
            .project(f"{where}, {identifier(column)}")
            .limit(MOST_SHOWN + 1)
            .fetchall()
        )
        more = len(rows) > MOST_SHOWN
        bad = f"list_slice(list_sort(list(distinct {identifier(column)})), 1, {MOST_NAMED})"
        (words,) = relation.filter(condition).aggregate(bad).fetchone()
        if not places:
            rows = [(self.row_name(place), cell) for place, cell in rows[:MOST_SHOWN]]
        facts: dict[str, Any] = {"file": self.file, "column": column, "more": more}
        return RatingsError(code, rows=rows[:MOST_SHOWN], words=words, **facts)


def _comma(column: str) -> str:
    """Whether a cell is a number with a decimal comma."""
    return f"regexp_full_match({identifier(column)}, {DECIMAL_COMMA})"


def _cell(column: str, kind: str, missing: tuple[str, ...]) -> str:
    if kind not in ("VARCHAR", "JSON"):
        return identifier(column)
    if not missing:
        return f"nullif({identifier(column)}, '')"
    words = ", ".join(literal(word) for word in ("", *missing))
    return f"case when lower({identifier(column)}) not in ({words}) then {identifier(column)} end"


def _without_spaces(column: str, kind: str) -> str:
    """Take off spaces of every kind; the slow way only where there is a rare one."""
    if kind not in ("VARCHAR", "JSON"):
        return identifier(column)
    cell = identifier(column) if kind == "VARCHAR" else f"({identifier(column)} ->> '$')"
    rare = " or ".join(f"contains({cell}, '{space}')" for space in RARE_SPACES)
    return f"case when {rare} then trim({cell}, ' {RARE_SPACES}') else trim({cell}) end"


def _count_kinds(relation: Relation, words: Mapping[str, str]) -> dict[str, tuple[int, int, int]]:
    """Count in one pass, for each column: cells, numbers, and numbers of the other kind.

    The other kind is whole numbers as people write them in names, and fractions elsewhere; numbers
    that no whole one of the engine holds count as fractions.
    """
    counts = []
    for column, role in words.items():
        value = as_number(column)
        counts += [f"count({identifier(column)})"]
        if role == "rating" or role in MEASURES:
            other = f"{value} != floor({value}) or abs({value}) > 1e15"
            counts += [f"count({value})", f"count_if({other})"]
        else:
            counts += [f"count_if(regexp_full_match({identifier(column)}, {WHOLE}))", "0"]
    totals = relation.aggregate(", ".join(counts)).fetchone()
    return {column: totals[3 * i : 3 * i + 3] for i, column in enumerate(words)}


def _typed_name(column: str, kinds: tuple[int, int, int], *, measure: bool) -> str:
    present, numbers, _ = kinds
    if not present or numbers < present:
        return identifier(column)
    return f"cast({identifier(column)} as {'double' if measure else 'bigint'})"
