"""Two columns that say which systems were compared, and winners that are named by their system."""

from __future__ import annotations

import re
from collections.abc import Sequence

from covary.errors import RatingsError
from covary.formats.cells import MOST_SHOWN, identifier, literal, missing_words
from covary.formats.column_roles import known_role, plain
from covary.formats.long import numeric_columns
from covary.formats.preference_answers import read_preference, tie_words
from covary.formats.ratings_file import RatingsFile

THING = r"(?P<thing>system|model|method|candidate)(?:name|id)?"
SIDE = r"(?P<side>a|b|1|2|left|right|first|second)"
PAIRED = (rf"{THING}{SIDE}(?:name|id)?", rf"{SIDE}{THING}")
"""The columns that say which systems were compared: system_a, model_1_name, left_system."""


COMPARISONS = ("comparison", "comparisonrating", "comparisonscore", "cmos")
"""What a column of answers is called that says nothing by itself, but beside two systems does."""


def pair_systems(file: RatingsFile) -> None:
    """Take two columns of systems for the pair that was compared, and name winners by their side.

    `--system model_a,model_b` says the same.
    """
    if file.wide is not None:
        return
    said = file.keywords.get("system")
    pair = [part.strip() for part in said.split(",")] if isinstance(said, str) else []
    if "system" not in file.keywords:
        pair = _pair_columns(file.columns)
        if len(pair) == 2 and _name_systems(file, pair):
            file.keywords["system"] = ",".join(pair)
            if (answers := _comparison_column(file)) is not None:
                file.keywords["rating"] = answers
            file.note("formats.systems-paired", columns=pair)
    if len(pair) == 2 and set(pair) <= set(file.columns):
        _name_sides(file, *pair)
        _note_orders(file, *pair)


def _note_orders(file: RatingsFile, first: str, second: str) -> None:
    """Say where judges saw two outputs of one item in different orders: they are compared apart."""
    said = file.keywords.get("item")
    items = [said] if said else [c for c in file.columns if known_role(c) in ("item", "source")]
    if not items or not isinstance(items[0], str) or items[0] not in file.columns:
        return
    a, b, item = _text(first), _text(second), identifier(items[0])
    pairs = file.table.aggregate(
        f"count(distinct {a}) as orders", f"{item}, least({a}, {b}), greatest({a}, {b})"
    )
    (both,) = pairs.filter("orders > 1").aggregate("count(*)").fetchone()
    if both:
        file.note("formats.pairs-in-both-orders", count=both)


def _name_systems(file: RatingsFile, pair: Sequence[str]) -> bool:
    """Whether columns hold names beside an answer, and no ratings of the two systems."""
    answered = any(known_role(column) == "rating" for column in file.columns)
    return (answered or _comparison_column(file) is not None) and not numeric_columns(
        file.table, pair
    )


def _comparison_column(file: RatingsFile) -> str | None:
    """Find the one column of comparisons where no column is called after ratings."""
    compared = [column for column in file.columns if plain(column) in COMPARISONS]
    known = "rating" in file.keywords or any(known_role(c) == "rating" for c in file.columns)
    return compared[0] if len(compared) == 1 and not known else None


def _pair_columns(columns: Sequence[str]) -> list[str]:
    """Find the two columns of systems; none where there are not just two of one kind."""
    places: dict[str, dict[str, str]] = {}
    for column in columns:
        for match in filter(None, (re.fullmatch(pattern, plain(column)) for pattern in PAIRED)):
            places.setdefault(match["thing"], {}).setdefault(match["side"], column)
    pairs = [list(dict(sorted(own.items())).values()) for own in places.values() if len(own) == 2]
    taken = any(known_role(column) == "system" for column in columns)
    return pairs[0] if len(pairs) == 1 and not taken else []


def _name_sides(file: RatingsFile, first: str, second: str) -> None:
    """Write A and B in the place of the winners' names, where answers are names of systems."""
    said = file.keywords.get("rating")
    fits = [said] if said else [c for c in file.columns if known_role(c) == "rating"]
    if len(fits) != 1 or not isinstance(fits[0], str) or fits[0] not in file.columns:
        return
    a, b, won = (_text(column) for column in (first, second, fits[0]))
    ties = ", ".join(map(literal, tie_words()))
    simple = f"trim(regexp_replace({won}, '[^[:alnum:]]+', ' ', 'g'))"
    missing = ", ".join(map(literal, ("", *missing_words())))
    other = f"{won} not in ({a}, {b}, {missing}) and {simple} not in ({ties})"
    odd, named = file.table.aggregate(
        f"count_if({other}), count_if({won} in ({a}, {b}) and {a} != {b})"
    ).fetchone()
    if not named or (odd and not _named_mostly(file, fits[0], odd=odd, named=named)):
        return
    if odd:
        _refuse_others(file, fits[0], other)
    cell = identifier(fits[0])
    side = f"case when {won} = {a} then 'A' when {won} = {b} then 'B' else {cell} end"
    file.__dict__["table"] = file.table.project(f"* replace ({side} as {cell})")
    file.note("formats.winners-by-side", first=first, second=second)


def _named_mostly(file: RatingsFile, column: str, *, odd: int, named: int) -> bool:
    """Whether answers are names of systems, and no sides or grades that some are called like."""
    cells = file.table.project(f"trim(cast({identifier(column)} as varchar))").distinct()
    words = [word for (word,) in cells.fetchall() if word]
    return named > odd and read_preference(words, column) is None


def _refuse_others(file: RatingsFile, column: str, condition: str) -> None:
    """Refuse winners that are neither of the two systems of their row."""
    rows = file.table.project("row_number() over () as place, *").filter(condition)
    others = (
        rows.project(f"place, {identifier(column)}").order("place").limit(MOST_SHOWN).fetchall()
    )
    raise RatingsError(
        "formats.winners-of-neither",
        file=file.path.name,
        column=column,
        numbers=[file.row_number(place) for place, _ in others],
        values=list(dict.fromkeys(str(value) for _, value in others)),
    )


def _text(column: str) -> str:
    return f"coalesce(lower(trim(cast({identifier(column)} as varchar))), '')"
