"""Long tables: one row per rating, read and written; or one row per item and judge, with a column
per criterion.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from covary.errors import InvalidArgument, RatingsError
from covary.formats.cells import Relation, by_column, identifier, literal, missing_words
from covary.formats.column_roles import (
    NEEDED,
    Guess,
    guess,
    known_role,
    plain,
    with_text,
    without_hint,
)
from covary.formats.ratings_file import RatingsFile
from covary.formats.small_table import SmallTable, count_filled
from covary.formats.tables import LARGEST_SHEET, LINES, PARQUET, TEXT
from covary.ratings import COLUMNS, Ratings
from covary.ratings import expressions as nw
from covary.ratings.checks import check_columns
from covary.ratings.frames import held_in_duckdb
from covary.ratings.plain_frame import PlainFrame
from covary.scales import Level, NumberScale, Scale, VerbalScale
from covary.scales.scale import MOST_ORDERED_CATEGORIES
from covary.words import Note

MOST_CRITERIA = 50
"""A column with more distinct values is not a criterion, whatever its name is."""


def recognises(file: RatingsFile) -> bool:
    """Any table may be a long one."""
    return file.is_table


def read(file: RatingsFile) -> Relation:
    """Read one row per rating."""
    _with_row_items(file)
    given = file.keywords.get("rating")
    if given is not None and (not isinstance(given, str) or "*" in given):
        return _read_criteria(file, given)
    guessed = guess(file.columns, file.said)
    check_columns(file.columns, guessed.roles)
    _refuse_incomplete(file, guessed.roles)
    _refuse_row_numbers(file, guessed)
    guessed = without_constants(file, guessed)
    file.take_roles(guessed)
    roles = _without_odd_criterion(file, guessed)
    _take_ranks(file, roles)
    known = with_text(roles, file.columns)
    joined = (column for columns in file.joined.values() for column in columns)
    named = {*known.values(), *guessed.roles.values(), *joined}
    unread = [column for column in file.columns if column not in named]
    if unread and guessed.guessed:  # where the names say all, the rest is no surprise
        file.note("formats.columns-left-out", columns=unread)
    rows = _without_unrated(file, known)
    return file.rows(rows, {column: role for role, column in known.items()})


RANKS = ("rank", "ranking")
"""What a column of ranks is called; rank 1 is the best."""


def _take_ranks(file: RatingsFile, roles: Mapping[str, str]) -> None:
    """Take 1 for the best where the ratings are called ranks, unless a scale says what is."""
    column = roles.get("rating", "")
    if plain(without_hint(column)) not in RANKS:
        return
    scale, level = (file.keywords.get(key) for key in ("scale", "level"))
    if scale is not None or level is not None:
        own = scale.values() if isinstance(scale, Mapping) else [scale]
        if not all(isinstance(one, Scale) and one.best == "low" for one in own):
            file.note("formats.ranks-as-said", column=column)
        return
    rank = f"try_cast(trim(cast({identifier(column)} as varchar)) as double)"
    odd, low, high = file.table.aggregate(
        f"count_if({rank} < 1 or {rank} != floor({rank})), min({rank}), max({rank})"
    ).fetchone()
    if odd or low is None or not low < high:
        return
    ranks: Scale = NumberScale(1, high, best="low", level=Level.ORDINAL)
    if high <= MOST_ORDERED_CATEGORIES:
        ranks = VerbalScale(range(1, int(high) + 1), best="low")
    names: list[Any] = [None]
    if "criterion" in roles:
        found = file.table.project(f"{identifier(roles['criterion'])} as name").distinct()
        names = [name for (name,) in found.fetchall()]
    file.scales |= dict.fromkeys(names, ranks)
    file.note("formats.ranks", column=column, high=int(high))


def _without_unrated(file: RatingsFile, known: Mapping[str, str]) -> Relation:
    """Leave out the rows of a small file that have a judge and neither an item nor a rating.

    Experiments write such rows for their instructions.
    """
    size = sum(part.stat().st_size for part in file.files)
    if "judge" not in known or not file.is_text or not 0 < size <= LARGEST_SHEET:
        return file.table
    if isinstance(file.table, SmallTable):
        cells = (file.table.trimmed(known[role]) for role in NEEDED)
        nothing = {"", *missing_words()}
        if not any(
            judge and not item and rating.lower() in nothing
            for item, judge, rating in zip(*cells, strict=True)
        ):
            return file.table
    missing = ", ".join(literal(word) for word in ("", *missing_words()))
    item, judge, rating = (
        f"coalesce(lower(trim(cast({identifier(known[role])} as varchar))), '')" for role in NEEDED
    )
    unrated = f"{item} = '' and {judge} != '' and {rating} in ({missing})"
    (count,) = file.table.aggregate(f"count_if({unrated})").fetchone()
    if not count:
        return file.table
    file.note("formats.unrated-left-out", count=count)
    return file.table.filter(f"not ({unrated})")


def melt(
    file: RatingsFile, columns: dict[str, str], kept: dict[str, str], *, into: str, rows: Relation
) -> Relation:
    """Turn columns into rows: `columns` maps SQL to the name it gets in the column `into`."""
    return melt_names(file, {cell: {into: name} for cell, name in columns.items()}, kept, rows)


def melt_names(
    file: RatingsFile, columns: dict[str, dict[str, str]], kept: dict[str, str], rows: Relation
) -> Relation:
    """Turn columns into rows: `columns` maps SQL to what its name says, by role.

    `kept` maps the roles that stay to the SQL that gives them. Cells without a rating are left
    out, and a column without any is mentioned.
    """
    roles = list(next(iter(columns.values())))
    labels = {role: [names[role] for names in columns.values()] for role in roles}
    long = _long_rows(rows, list(columns), kept, labels)
    used = {role: role for role in (*kept, *roles, "rating")}
    tidy = file.rows(long, used, [role for role in ("item", "judge", "criterion") if role in used])
    if isinstance(tidy, PlainFrame):
        tidy = tidy.filter(~nw.col("rating").is_null())
        met = set(zip(*(tidy.held[role].values.tolist() for role in roles), strict=True))
    else:
        tidy = tidy.filter("rating is not null")
        met = tidy.project(", ".join(map(identifier, roles))).distinct().fetchall()
    present = {tuple(map(str, row)) for row in met}
    named = [tuple(names[role] for role in roles) for names in columns.values()]
    empty = [" / ".join(names) for names in named if names not in present]
    if empty:
        file.note("formats.empty-columns", columns=empty)
    return tidy


def _long_rows(
    rows: Relation,
    columns: Sequence[str],
    kept: Mapping[str, str],
    labels: Mapping[str, Sequence[str]],
) -> Relation:
    """Put columns, given in SQL, under each other with their labels."""

    def in_engine() -> Relation:
        stay = [f"{cell} as {identifier(role)}" for role, cell in kept.items()]
        stay += [
            f"unnest([{', '.join(map(literal, texts))}]) as {identifier(role)}"
            for role, texts in labels.items()
        ]
        cells = ", ".join(f"cast({cell} as varchar)" for cell in columns)
        return rows.project(", ".join([*stay, f"unnest([{cells}]) as rating"]))

    small = isinstance(rows, SmallTable) and rows.long(kept, labels, columns, in_engine)
    return small or in_engine()


def matching_columns(file: RatingsFile, wanted: str | Sequence[str], keyword: str) -> list[str]:
    """Return the columns that names, lists of names with commas, or patterns (J*) stand for.

    A comma may belong to a name ("Overall, how good is it? [Text *]"), so that a text is tried
    whole before it is taken for a list.
    """
    about: dict[str, Any] = {"argument": keyword, "allowed": file.columns, "file": file.path.name}
    texts = [wanted] if isinstance(wanted, str) else list(wanted)
    names = {name: [name] for name in file.columns}
    found: dict[str, None] = {}
    unknown = []
    for text in texts:
        whole = names.get(text) or _matches(text, file.columns)
        for name in [text] if whole else [name.strip() for name in text.split(",")]:
            matches = whole or names.get(name) or _matches(name, file.columns)
            found |= dict.fromkeys(matches)
            unknown += [] if matches else [name]
    chosen = list(found)
    if unknown and (chosen or len(unknown) > 1 or "*" not in unknown[0]):
        raise InvalidArgument("formats.unknown-columns", value=unknown[0], unknown=unknown, **about)
    if not chosen:
        raise InvalidArgument("formats.no-matching-column", value=wanted, **about)
    return chosen


def _matches(pattern: str, columns: Sequence[str]) -> list[str]:
    literal = pattern.replace("[", "[[]")  # names of columns often have brackets
    return [column for column in columns if fnmatchcase(column, literal)]


MANY_NAMES = 6
"""From so many columns on, patterns that stand for the same are shorter to say."""

MOST_PATTERNS = 100
"""With more patterns than this nobody would say them."""


def shorter_names(chosen: Any, columns: Sequence[str]) -> Any:
    """Write many chosen columns as patterns, where these stand for just them in their order.

    Examples
    --------
    >>> shorter_names([f"Fluent? [Text {n}]" for n in range(1, 9)], [])
    ['Fluent? [Text *']
    >>> shorter_names([f"Q{n}_{m}" for n in (1, 2, 3) for m in (1, 2)], [])
    ['Q*']
    >>> shorter_names([f"{n}. Text {n} [{c}]" for n in (1, 2, 3) for c in ("a", "b")], [])
    ['*. Text * [*]']
    """
    if not isinstance(chosen, list) or len(chosen) < MANY_NAMES:
        return chosen
    every = columns or chosen
    short = chosen
    for patterns in (
        *([re.sub(number, "*", name) for name in chosen] for number in (r"\d+\D*$", r"\d.*$")),
        _one_pattern(chosen),
    ):
        patterns = list(dict.fromkeys(patterns))
        few = len(patterns) < min(len(short) / 2, MOST_PATTERNS)
        if not few or not {*patterns}.isdisjoint([*every, "*"]):  # a star alone says nothing
            continue
        if [name for pattern in patterns for name in _matches(pattern, every)] == chosen:
            short = patterns
    return short


def _one_pattern(names: Sequence[str]) -> list[str]:
    """Return the pattern of names that have as many words, with a star for those that differ."""
    parts = [re.split(r"([\W_]+)", name) for name in names]
    if len(set(map(len, parts))) > 1:
        return list(names)
    words = [cells[0] if len(set(cells)) == 1 else "*" for cells in zip(*parts, strict=True)]
    return [re.sub(r"\*{2,}", "*", "".join(words))]


Counts = Mapping[str, tuple[Any, ...]]
"""What was counted of the numbers in each column."""


def numeric_columns(table: Relation, columns: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Return the columns that hold numbers and nothing else, each with its smallest and largest."""
    return only_numbers(number_counts(table, columns))


def only_numbers(counts: Counts) -> dict[str, tuple[float, float]]:
    """Return the columns of numbers alone, by what was counted."""
    return {
        column: (low, high)
        for column, (cells, numbers, low, high) in counts.items()
        if cells == numbers != 0
    }


def nearly_numeric(counts: Counts, low: float, high: float) -> set[str]:
    """Return the columns of such numbers among which a few cells hold something else."""
    return {
        column
        for column, (cells, numbers, least, most) in counts.items()
        if cells / 2 <= numbers < cells and numbers > 1 and low <= least and most <= high
    }


def number_counts(table: Relation, columns: Sequence[str]) -> Counts:
    """How many cells of each column hold something, how many a number, and the ends of these."""
    counts = None
    if isinstance(table, SmallTable):
        counts = table.number_counts(columns, {"", *missing_words()})
    if counts is None:
        counts = by_column(table, columns, _number_questions)
    return dict(zip(columns, counts, strict=True))


def _number_questions(cell: str) -> list[str]:
    missing = ", ".join(literal(word) for word in ("", *missing_words()))
    value = f"try_cast(replace(trim({cell}), ',', '.') as double)"
    return [
        f"count(case when lower(trim({cell})) not in ({missing}) then 1 end)",
        f"count(case when isfinite({value}) then 1 end)",
        f"min({value})",
        f"max({value})",
    ]


SAME_ITEMS = ("criterion", "judge", "round", "occasion")
"""What several files may be called after that are about the same items, row by row."""


def row_within_part(file: RatingsFile) -> str:
    """Return the SQL for a row's number in its own file; files of unequal length are named."""
    rows = file.rows_of_parts
    most = max(rows.values(), default=0)
    short = {part: number for part, number in rows.items() if number < most}
    if short:
        file.note("formats.rows-short", short=short, most=most, parts=len(rows))
    before, start = [], 0
    for part, number in rows.items():
        before.append(f"when {literal(part)} then {start}")
        start += number
    column = identifier(str(file.part_column))
    return f"row_number() over () - case {column} {' '.join(before)} end"


ROW_IN_PART = "row in its file"
"""The column with a row's number, where the rows of several files are the same items."""


def _with_row_items(file: RatingsFile) -> None:
    """Let a row's number name the item, where several files are about the same and none names it.

    One file's rows are then judged by what the file is called after.
    """
    named = any(known_role(column) in ("item", "source") for column in file.columns)
    if file.parts not in SAME_ITEMS or named or "item" in file.said:
        return
    file.note("formats.rows-are-items")
    numbered = f"*, {row_within_part(file)} as {identifier(ROW_IN_PART)}"
    file.__dict__["table"] = file.table.project(numbered)
    file.__dict__.pop("columns", None)
    file.keywords["item"] = ROW_IN_PART


def _read_criteria(file: RatingsFile, given: str | Sequence[str]) -> Relation:
    """Read one row per item and judge with a column per criterion, named by rating=[…]."""
    chosen = matching_columns(file, given, "rating")
    said = {r: c for r, c in file.said.items() if r not in ("rating", "criterion")}
    taken = set(chosen)
    rest = [column for column in file.columns if column not in taken]
    guessed = guess(rest, said | {"rating": None, "criterion": None})
    check_columns(file.columns, guessed.roles)
    _refuse_incomplete(file, guessed.roles | {"rating": chosen[0]})
    guessed = without_constants(file, guessed)
    file.take_roles(guessed)
    known = with_text(guessed.roles, rest)
    kept = {role: identifier(column) for role, column in known.items()}
    cells = {identifier(column): column for column in chosen}
    return melt(file, cells, kept, into="criterion", rows=file.table)


def without_constants(file: RatingsFile, guessed: Guess) -> Guess:
    """Drop a guessed cluster that is the same in all rows, or not the same for one item.

    PsychoPy's `session` counts the visits of a participant, and is not a set of items.
    """
    column, item = guessed.roles.get("cluster"), guessed.roles.get("item")
    if column is None or "cluster" not in guessed.guessed:
        return guessed
    name = identifier(column)
    several = "1" if item is None else f"count(distinct {identifier(item)})"
    kinds, items = file.table.aggregate(f"count(distinct {name}), {several}").fetchone()
    most = 1
    if item is not None and kinds > 1:
        by_item = file.table.aggregate(f"count(distinct {name}) as kinds", identifier(item))
        (most,) = by_item.aggregate("max(kinds)").fetchone()
    if (kinds > 1 or items < 2) and most == 1:
        return guessed
    file.note("formats.not-a-cluster", column=column, kinds=kinds)
    others = {role: c for role, c in guessed.roles.items() if role != "cluster"}
    notes = [
        note for note in guessed.notes if getattr(note, "code", "") != "formats.guessed-columns"
    ]
    named = {r: others[r] for r in guessed.guessed if r in others}
    said = [Note("formats.guessed-columns", roles=named)] if named else []
    return Guess(others, tuple(named), (*said, *notes))


def parting_column(file: RatingsFile) -> str | None:
    """Return the column that tells several ratings of one item by one judge apart, if one does.

    Of several, the one with the fewest values: two criteria tell more than ninety timestamps.
    """
    named = [file.roles[role] for role in COLUMNS if role in file.roles and role != "rating"]
    if not file.is_table or not {"item", "judge"} <= file.roles.keys() or not file.is_text:
        return None
    free = [c for c in file.columns if c not in (*named, file.roles.get("rating"))]
    counts = [f"count({identifier(c)}), count(distinct {identifier(c)})" for c in free]
    rows, *profile = file.table.aggregate(", ".join(["count(*)", *counts])).fetchone()
    filled = zip(free, profile[::2], profile[1::2], strict=True)
    few = [(kinds, c) for c, cells, kinds in filled if cells == rows and 1 < kinds < rows / 2]
    for _, column in sorted(few, key=lambda pair: pair[0]):
        keys = file.table.project(", ".join(map(identifier, (*named, column))))
        if keys.distinct().shape[0] == rows:
            return column
    return None


def _refuse_row_numbers(file: RatingsFile, guessed: Guess) -> None:
    """Ask what the items are where the guessed column differs in every row and others do not."""
    item = guessed.roles["item"]
    others = [c for c in file.columns if c != item and known_role(c) in ("item", "source")]
    if "item" not in guessed.guessed or not others:
        return
    counts = ", ".join(f"count(distinct {identifier(column)})" for column in (item, *others))
    rows, kinds, *repeated = file.table.aggregate(f"count(*), {counts}").fetchone()
    again = [c for c, n in zip(others, repeated, strict=True) if 1 < n < rows and n != kinds]
    alone = kinds == rows or _one_judge_each(file, item, guessed.roles.get("judge"))
    if alone and again:
        readings = [{"item": column} for column in (*again, item)]
        kinds_of = ["items"] * len(readings)
        raise RatingsError(
            "formats.two-readings", file=file.path.name, readings=readings, kinds=kinds_of
        )


def _one_judge_each(file: RatingsFile, item: str, judge: str | None) -> bool:
    """Whether nobody rated what another judge rated, which then is a task and no item."""
    if judge is None:
        return False
    judges = f"count(distinct {identifier(judge)}) as judges"
    by_item = file.table.aggregate(judges, identifier(item)).aggregate("max(judges), count(*)")
    most, items = by_item.fetchone()
    return bool(most == 1 and items > 1)


def _refuse_incomplete(file: RatingsFile, roles: dict[str, str]) -> None:
    slots = file.keywords.get("judges") == "slots" and file.keywords.get("judge") is None
    needed = [role for role in NEEDED if not (slots and role == "judge")]
    absent = [role for role in needed if role not in roles]
    if not absent:
        return
    free = [column for column in file.columns if known_role(column) is None]
    _refuse_one_column(file, roles, free)
    numeric = list(numeric_columns(file.table, free)) or answer_columns(file.table, free)
    raise InvalidArgument(
        "formats.incomplete",
        allowed=file.columns,
        file=file.path.name,
        absent=absent,
        roles={role: roles[role] for role in needed if role in roles},
        numeric=shorter_names(numeric, file.columns),
    )


def _refuse_one_column(file: RatingsFile, roles: Mapping[str, str], free: Sequence[str]) -> None:
    """Say what can be done with one column of ratings that nothing says the judge of."""
    numeric = [roles["rating"]] if "rating" in roles else list(numeric_columns(file.table, free))
    keys = [roles["item"]] if "item" in roles else [c for c in file.columns if c not in numeric]
    others = [column for column in free if column not in (*numeric, *keys)]
    if "judge" in roles or len(numeric) != 1 or len(keys) > 1 or others:
        return
    if file.said.get("rating"):
        return
    header = {} if file.shape is None or file.shape.names else {"header": 0}
    alone = {"wide": numeric, "names": "{judge}"} if not keys else {"rating": numeric[0]}
    named = {"item": keys[0], "judges": "slots"} if keys else {}
    raise RatingsError(
        "formats.one-column-of-ratings",
        file=file.path.name,
        column=numeric[0],
        keywords=header | alone | named,
    )


def _answer_questions(cell: str) -> list[str]:
    short = f"trim({cell}) != '' and length(trim({cell})) <= 60"
    return [f"list_slice(list(distinct trim({cell})) filter ({short}), 1, 13)"]


def answer_columns(table: Relation, columns: Sequence[str]) -> list[str]:
    """Return the columns of a few short words, where several have words in common."""
    found = [set(kinds or ()) for (kinds,) in by_column(table, columns, _answer_questions)]
    words = dict(zip(columns, found, strict=True))
    few = {column: kinds for column, kinds in words.items() if 0 < len(kinds) <= 12}
    return [c for c, kinds in few.items() if any(kinds & few[o] for o in few if o != c)]


def _without_odd_criterion(file: RatingsFile, guessed: Guess) -> dict[str, str]:
    """Drop a guessed criterion that has so many values that it cannot be one."""
    column = guessed.roles.get("criterion")
    if column is None or "criterion" not in guessed.guessed:
        return guessed.roles
    _, kinds = count_filled(file.table, column)
    if kinds <= MOST_CRITERIA:
        return guessed.roles
    file.note("formats.not-a-criterion", column=column, count=kinds)
    return {role: name for role, name in guessed.roles.items() if role != "criterion"}


def write(ratings: Ratings, file: Path) -> None:
    """Write one row per rating, with covary's names for the columns."""
    frame = ratings.frame
    if not frame.implementation.is_duckdb():
        frame = held_in_duckdb(frame)
    names = [name for name in COLUMNS if name in ratings.columns]
    write_rows(frame.to_native().project(", ".join(identifier(name) for name in names)), file)


def write_rows(rows: Relation, file: Path) -> None:
    """Write the rows of a query, in the form that the ending says; Parquet keeps their kinds."""
    ending = file.suffix.lower()
    if ending in PARQUET:
        rows.write_parquet(str(file))
    elif ending in LINES:
        rows.query("rows", f"copy rows to {literal(str(file))} (format json)")
    else:
        rows.write_csv(str(file), sep=TEXT[ending], header=True)
