"""Columns whose names say nothing, read by what they hold: which two name each rating."""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any

from covary.formats.cells import identifier
from covary.formats.column_roles import known_role
from covary.formats.long import SAME_ITEMS
from covary.formats.table_columns import LONGEST_ANSWER, Layout, TableColumns, said_roles

FURTHER = ("criterion", "system", "source", "occasion", "round")
"""What may part ratings beside the item and the judge."""


def readings_by_content(table: TableColumns) -> list[Layout]:
    """Find the columns that name the item and the judge by what they hold.

    Together they must tell all rows apart, and alone they must not. With two such columns either
    may be the item.
    """
    roles = table.roles
    ratings = _ratings(table)
    if not ratings or {"item", "judge", "rating"} <= roles.keys():
        return []
    if not table.free and not roles:
        return []
    item = roles.get("item") or roles.get("source")
    judge = roles.get("judge")
    if item is None and judge is None:
        pairs = [pair for pair in combinations(_keys(table, ratings), 2) if _cross(table, *pair)]
        return [] if len(pairs) != 1 else _both_ways(table, ratings, pairs[0])
    if judge is None:
        return _by_item(table, ratings, str(item))
    if item is None:
        return _by_judge(table, ratings, judge)
    return [_reading(table, ratings)] if "rating" not in roles else []


def _by_item(table: TableColumns, ratings: list[str], item: str) -> list[Layout]:
    """The item is known: the judge is a column that crosses it.

    Where nobody shares an item with another, it is a task, and another column may name the item.
    """
    named = [c for c in table.file.columns if known_role(c) in ("item", "source") and c != item]
    pairs = [
        (column, key)
        for column in (item, *named)
        for key in _keys(table, ratings)
        if key not in named and _cross(table, column, key)
    ]
    shared = [pair for pair in pairs if _is_shared(table, *pair)] or pairs
    return [_reading(table, ratings, item=column, judge=key) for column, key in shared]


def _is_shared(table: TableColumns, item: str, judge: str) -> bool:
    """Whether several judges rated an item."""
    counted = table.file.table.aggregate(
        f"count(distinct {identifier(judge)}) as judges", identifier(item)
    )
    return bool(counted.aggregate("max(judges)").fetchone()[0] > 1)


def _ratings(table: TableColumns) -> list[str]:
    if "rating" in table.roles:
        return [table.roles["rating"]]
    words = [c for c in table.free if table.profiles[c].word_like]
    clear = len(words) == 1 or all(re.fullmatch("column [0-9]+", c) for c in table.file.columns)
    return table.ratings or (words[-1:] if clear else [])


def _keys(table: TableColumns, ratings: list[str]) -> list[str]:
    """Return the columns that may name something: filled in every row, and not the same in all."""
    profiles = table.profiles
    names = [c for c in table.free if c not in ratings and profiles[c].cells == table.n_rows]
    named = [c for c in names if profiles[c].kinds > 1 and profiles[c].longest <= LONGEST_ANSWER]
    return [*([table.index] if table.index else []), *named]


def _cross(table: TableColumns, first: str, second: str) -> bool:
    """Whether two columns tell all rows apart together, and neither alone."""
    further = [table.roles[role] for role in FURTHER if role in table.roles]
    further = [column for column in further if column not in (first, second)]
    if table.distinct([first, second, *further]) < table.n_rows:
        return False
    return all(table.distinct([column]) < table.n_rows for column in (first, second))


def _both_ways(table: TableColumns, ratings: list[str], pair: tuple[str, str]) -> list[Layout]:
    """Either column may be the item; the one with more names is likelier."""
    more, fewer = sorted(pair, key=lambda column: -table.distinct([column]))
    return [
        _reading(table, ratings, item=more, judge=fewer),
        _reading(table, ratings, item=fewer, judge=more),
    ]


def _by_judge(table: TableColumns, ratings: list[str], judge: str) -> list[Layout]:
    """The judge is known: the item is a column that tells a judge's rows apart, or the row."""
    further = [table.roles[role] for role in FURTHER if role in table.roles]
    for key in _keys(table, ratings):
        if table.distinct([judge, key, *further]) == table.n_rows:
            return [_reading(table, ratings, item=key)]
    nameless = not _keys(table, ratings) and table.file.parts in SAME_ITEMS
    return [_reading(table, ratings)] if nameless else []


def _reading(table: TableColumns, ratings: list[str], **found: str) -> Layout:
    rating: Any = ratings if len(ratings) > 1 else ratings[0]
    keywords = {"rating": rating} | said_roles(table, "item", "judge") | found
    left = table.left_out([*ratings, *found.values()])
    return Layout(name="by-content", keywords=keywords, left_out=left)
