"""Wide tables: one column per judge, and one row per item or per pattern of ratings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from covary.errors import InvalidArgument, RatingsError
from covary.formats.cells import Relation, identifier, literal
from covary.formats.column_roles import (
    NEEDED,
    guess,
    known_role,
    numbered_alike,
    plain,
    with_text,
)
from covary.formats.long import (
    SAME_ITEMS,
    matching_columns,
    melt,
    melt_names,
    nearly_numeric,
    number_counts,
    numeric_columns,
    only_numbers,
    row_within_part,
    without_constants,
)
from covary.formats.ratings_file import RatingsFile
from covary.formats.small_table import ONE
from covary.ratings import COLUMNS
from covary.ratings.checks import check_columns

NO_JUDGES = (
    "accuracy adequacy age appropriateness clarity coherence completeness consistency correctness "
    "count counts engagement faithfulness fluency freq frequency grammar grammaticality "
    "helpfulness informativeness items length meaning n naturalness nitems overall quality "
    "readability relevance specificity tokens usefulness variety words year"
)
"""Names of columns of numbers that are criteria or measures, and no persons."""

OF_VOTES = r"(?:vote|assignment|slot|hit)s?[0-9]{1,3}"
"""A column with the n-th vote on each item, whoever gave it."""


def recognises(file: RatingsFile, without: Sequence[str] = ()) -> bool:
    """A table is wide when it is said, or when only columns of judges are left to be found."""
    if file.wide is not None:
        return file.wide is not False
    if not file.is_table or {"judge", "rating"} & file.said.keys():
        return False
    if any(known_role(column) in ("judge", "rating") for column in file.columns):
        return False
    return bool(judge_columns(file, without))


def read(file: RatingsFile) -> Relation:
    """Read columns whose names say the judge, the item or the criterion, as `names` says.

    A row's number stands for the item or the judge that neither a column nor a name says.
    """
    if OF_MARKS in (file.names or ""):
        counted = file.keywords.get("judges") == "slots"
        return _read_answer_counts(file) if counted else _read_marks(file)
    _settle_source(file)
    inside = named_roles(file.names)
    file.takes_only(*(role for role in COLUMNS if role != "rating" and role not in inside))
    columns = judge_columns(file)
    if not columns:
        raise _which_judges(file)
    chosen = file.wide is None or file.wide is True
    _note_columns(file, columns, inside, chosen=chosen)
    names = {identifier(column): _name_parts(file, column) for column in columns}
    kept = kept_columns(file, columns, inside)
    kept = _unnamed_items(file, columns, (*kept, *inside)) | kept
    if chosen:
        _note_left_out(file, columns, kept)
    file.wide = columns if file.wide is None else file.wide
    slots = file.keywords.get("judges") == "slots"
    for role in ("item",) if slots else ("item", "judge"):
        if role not in kept and role not in inside:
            kept = {role: _row_name(file, role, inside)} | kept
    return melt_names(file, names, kept, file.table)


def _settle_source(file: RatingsFile) -> None:
    """Take the source for the item where names say no other: systems part it further."""
    roles = named_roles(file.names)
    if "source" in roles and "item" not in {*roles, *file.said}:
        file.names = str(file.names).replace("{source", "{item")


def _unnamed_items(
    file: RatingsFile, columns: Sequence[str], known: Sequence[str]
) -> dict[str, str]:
    """Take the first column for an unknown item: it has no name, and other words in each row."""
    first = file.columns[0]
    nameless = re.fullmatch("column 1|unnamed: 0", first.casefold())
    if "item" in known or not nameless or first in columns:
        return {}
    cell = identifier(first)
    rows, cells, kinds, numbers = file.table.aggregate(
        f"count(*), count({cell}), count(distinct {cell}), count(try_cast({cell} as double))"
    ).fetchone()
    if not rows == cells == kinds > numbers == 0:
        return {}
    file.roles["item"] = first
    file.note("formats.unnamed-items")
    return {"item": cell}


def _note_columns(
    file: RatingsFile, columns: Sequence[str], inside: Sequence[str], *, chosen: bool
) -> None:
    """Say what columns were read as, where covary chose them or they are votes."""
    if list(inside) == ["judge"] and all(re.fullmatch(OF_VOTES, plain(c)) for c in columns):
        file.slots = True
        file.note("formats.columns-are-votes", columns=columns)
    elif chosen:
        file.note("formats.columns-are-judges", columns=columns)


def _note_left_out(file: RatingsFile, columns: Sequence[str], kept: Mapping[str, str]) -> None:
    """Say which columns were not read."""
    used = {*columns, *file.said.values()}
    left = [c for c in file.columns if c not in used and identifier(c) not in kept.values()]
    if left:
        file.note("formats.columns-left-out", columns=left)


OF_MARKS = "{rating}"
"""The pattern of columns that are named after answers: the marked one was given."""

MARKS = "x 1 1.0 true yes ✓ ✔ ✅ ☑ ☒ ● • ◉ 🗹 ja wahr vrai oui"
BLANKS = "0 0.0 false no ☐ ○ ◯ □ - – ✗ ✘ ❌ nein falsch faux non"


def marked_cell(column: str) -> str:
    """Write 'whether this cell is marked; nothing where it is neither marked nor blank'."""
    return marked(f"cast({identifier(column)} as varchar)")


def marked(text: str) -> str:
    """Write the same of the SQL of a text."""
    cell = f"coalesce(lower(trim({text})), '')"
    marks, blanks = (", ".join(map(literal, words.split())) for words in (MARKS, BLANKS))
    return f"case when {cell} in ({marks}) then 1 when {cell} in ('', {blanks}) then 0 end"


def _read_marks(file: RatingsFile) -> Relation:
    """Read the name of the one column that is marked in each row as the rating."""
    file.takes_only(*(role for role in COLUMNS if role != "rating"))
    columns = judge_columns(file)
    marks = ", ".join(f"coalesce({marked_cell(column)}, 2)" for column in columns)
    rows = file.table.project(f"row_number() over () as place, list_sum([{marks}]) as marks, *")
    wrong = rows.filter("marks > 1").project("place").limit(5).fetchall()
    if wrong:
        numbers = [file.row_number(place) for (place,) in wrong]
        raise RatingsError(
            "formats.several-marks", file=file.path.name, numbers=numbers, columns=columns
        )
    kept = kept_columns(file, columns, ("rating",))
    if "item" not in kept:
        kept = {"item": _row_name(file, "item", ("rating",))} | kept
    cases = " ".join(f"when {marked_cell(c)} = 1 then {literal(c)}" for c in columns)
    cells = [f"{cell} as {identifier(role)}" for role, cell in kept.items()]
    long = file.table.project(", ".join([*cells, f"case {cases} end as rating"]))
    shown = [role for role in ("item", "judge") if role in kept]
    return file.rows(long, {role: role for role in (*kept, "rating")}, shown)


def _read_answer_counts(file: RatingsFile) -> Relation:
    """Read how many judges gave each answer: columns are answers, and judges are not known."""
    file.takes_only(*(role for role in COLUMNS if role not in ("rating", "judge")))
    columns = judge_columns(file)
    before, _, after = str(file.names).partition(OF_MARKS)
    answers = [c.removeprefix(before).removesuffix(after).strip() for c in columns]
    counts = [f"try_cast(trim(cast({identifier(c)} as varchar)) as bigint)" for c in columns]
    rows = file.table.project("row_number() over () as place, *")
    odd = " or ".join(f"coalesce({count}, -1) < 0" for count in counts)
    wrong = rows.filter(odd).project("place").limit(5).fetchall()
    if wrong:
        numbers = [file.row_number(place) for (place,) in wrong]
        raise RatingsError(
            "formats.bad-answer-counts", file=file.path.name, numbers=numbers, columns=columns
        )
    kept = kept_columns(file, columns, ("rating", "judge"))
    if "item" not in kept:
        kept = {"item": _row_name(file, "item", ("rating",))} | kept
    cells = [f"{cell} as {identifier(role)}" for role, cell in kept.items()]
    given = ", ".join(
        f"list_transform(range({count}), x -> {literal(answer)})"
        for answer, count in zip(answers, counts, strict=True)
    )
    long = file.table.project(", ".join([*cells, f"unnest(flatten([{given}])) as rating"]))
    return file.rows(long, {role: role for role in (*kept, "rating")}, ["item"])


def _row_name(file: RatingsFile, role: str, inside: Sequence[str]) -> str:
    """Say that rows are items or judges, or that there is one item, and return the SQL for it."""
    known = file.parts in SAME_ITEMS or file.keywords.get("judges") == "slots"
    alone = role == "item" and list(inside) == ["criterion"] and not known
    file.note("formats.one-item" if alone else f"formats.rows-are-{role}s")
    if not alone and file.parts in SAME_ITEMS:
        return row_within_part(file)
    return ONE if alone else "row_number() over ()"


NAME = r"\{(\w+)(#?)\}"


def named_roles(names: str | None) -> list[str]:
    """Return what the names of columns say, by the pattern: judge, item, criterion.

    Examples
    --------
    >>> named_roles("{judge}_{criterion}"), named_roles(None)
    (['judge', 'criterion'], ['judge'])
    """
    roles = [role for role, _ in re.findall(NAME, names or "{judge}")]
    wrong = [role for role in roles if role not in COLUMNS or role == "rating"]
    if wrong or not roles or len(set(roles)) < len(roles):
        allowed = [role for role in COLUMNS if role != "rating"]
        raise InvalidArgument("formats.names", argument="names", value=names, allowed=allowed)
    return roles


def _name_parts(file: RatingsFile, column: str) -> dict[str, str]:
    """Take the name of a column apart, by the pattern."""
    pattern = file.names or "{judge}"
    match = re.fullmatch(_expression(pattern), column)
    if match is None:
        raise InvalidArgument("formats.other-name", argument="names", value=pattern, column=column)
    return {role: text.strip() for role, text in match.groupdict().items()}


def _expression(pattern: str) -> str:
    """Write the pattern of names as a regular expression; a star stands for anything."""
    expression, place = "", 0
    for role in re.finditer(NAME, pattern):
        expression += re.escape(pattern[place : role.start()])
        expression += f"(?P<{role[1]}>{'[0-9]+' if role[2] else '.+'})"
        place = role.end()
    expression += re.escape(pattern[place:])
    expression = expression.replace(r"\*", ".*")
    return re.sub(r"(?:\\ )+(?=\\[\[(])", r"\\s*", expression)  # 'Q1 [{item}]' is Q1[SQ1], too


def columns_named(names: str, columns: Sequence[str]) -> list[str]:
    """Return the columns whose names fit a pattern and mean nothing else; none where any fits.

    Examples
    --------
    >>> columns_named("{item}: {criterion}", ["id", "a: style", "b: style"])
    ['a: style', 'b: style']
    >>> columns_named("{item}", ["id", "a"])
    []
    """
    named_roles(names)
    if re.fullmatch(NAME, names):
        return []
    fits = re.compile(_expression(names)).fullmatch
    return [column for column in columns if fits(column) and known_role(column) is None]


def judge_columns(file: RatingsFile, without: Sequence[str] = ()) -> list[str]:
    """Return the columns that hold one judge's ratings each; none where that is not clear."""
    if file.wide is not None and not isinstance(file.wide, bool):
        return matching_columns(file, file.wide, "wide")
    said = {*file.said.values(), *without}
    free = [column for column in file.columns if column not in said]
    alike = numbered_alike(free)
    free = [column for column in free if known_role(column) is None]
    if file.wide is True:
        return alike or list(numeric_columns(file.table, free))
    if alike:
        return alike
    counts = number_counts(file.table, free)
    numeric = only_numbers(counts)
    if len(numeric) < 2 or not _one_kind(numeric):
        return []
    lows, highs = zip(*numeric.values(), strict=True)
    spoilt = nearly_numeric(counts, min(lows), max(highs))
    return [column for column in free if column in numeric or column in spoilt]


def kept_columns(
    file: RatingsFile, columns: list[str], inside: Sequence[str] = ("judge",)
) -> dict[str, str]:
    """Return the SQL of the further columns that are known, by role."""
    taken = set(columns)
    rest = [column for column in file.columns if column not in taken]
    settled = (*inside, "rating")
    said = {role: column for role, column in file.said.items() if role not in settled}
    guessed = guess(rest, said | dict.fromkeys(settled))
    check_columns(file.columns, guessed.roles)
    guessed = without_constants(file, guessed)
    file.take_roles(guessed)
    known = with_text(guessed.roles, rest)
    return {role: identifier(column) for role, column in known.items()}


def _which_judges(file: RatingsFile) -> InvalidArgument:
    return InvalidArgument("formats.which-judges", allowed=file.columns, file=file.path.name)


def _one_kind(numeric: dict[str, tuple[float, float]]) -> bool:
    """Whether columns of numbers can all be ratings on one scale, and have no telling names."""
    highs = [high for _, high in numeric.values()]
    alike = max(highs) <= 3 * max(1, min(highs)) and min(highs) > 0
    return alike and not any(plain(column) in NO_JUDGES.split() for column in numeric)


COUNTS = ("items", "count", "counts", "n", "frequency", "freq", "nitems", "numberofitems")


def recognises_counts(file: RatingsFile) -> bool:
    """A table of judges' columns with a column that counts, and none that names the item."""
    if file.count is not None:
        return True
    counting = _count_columns(file)
    named = any(known_role(column) == "item" for column in file.columns)
    if len(counting) != 1 or named or "item" in file.said:
        return False
    return recognises(file, counting)


def read_counts(file: RatingsFile) -> Relation:
    """Write each pattern out as often as it counts, and number the items."""
    count = _count_column(file)
    file.takes_only(*(role for role in COLUMNS if role not in NEEDED))
    judges = judge_columns(file, [count])
    if not judges:
        raise _which_judges(file)
    if not file.wide or file.wide is True:
        file.note("formats.columns-are-judges", columns=judges)
    file.note("formats.rows-are-patterns", column=count)
    kept = kept_columns(file, [*judges, count])
    rows = file.table.project(
        f"*, unnest(range({_times(file, count)})) as {identifier('copy of row')}"
    )
    cells = {identifier(judge): judge for judge in judges}
    return melt(file, cells, {"item": "row_number() over ()"} | kept, into="judge", rows=rows)


def _count_column(file: RatingsFile) -> str:
    if file.count is not None and file.count not in file.columns:
        raise InvalidArgument(
            "formats.no-such-column", argument="count", value=file.count, allowed=file.columns
        )
    fits = _count_columns(file)
    if file.count is None and len(fits) != 1:
        raise InvalidArgument(
            "formats.which-count", allowed=fits or file.columns, file=file.path.name
        )
    return file.count or fits[0]


def _count_columns(file: RatingsFile) -> list[str]:
    return [column for column in file.columns if plain(column) in COUNTS]


def _times(file: RatingsFile, count: str) -> str:
    """Return the SQL of a row's count, once all rows were seen to have one."""
    times = f"try_cast(trim(cast({identifier(count)} as varchar)) as double)"
    odd = f"{times} is null or {times} < 0 or {times} != floor({times})"
    rows = file.table.project(f"row_number() over () as place, {identifier(count)}, *")
    wrong = rows.filter(odd).project(f"place, {identifier(count)}").limit(5).fetchall()
    if wrong:
        raise RatingsError(
            "formats.bad-counts",
            rows=[(f"row {place}", value) for place, value in wrong],
            column=count,
            file=file.path.name,
        )
    return f"cast({times} as bigint)"
