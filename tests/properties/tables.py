"""Small tables of ratings, and the changes to them that a coefficient may or must not notice.

A table holds category numbers (None where a judge did not rate), so that the categories can be
renamed, moved or stretched without touching the ratings.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from covary import Ratings, VerbalScale

Cell = int | None
Row = tuple[Cell, ...]


@dataclass(frozen=True)
class Table:
    """Items × judges, the categories that the numbers stand for, and the level of the scale."""

    rows: tuple[Row, ...]
    categories: tuple[float, ...]
    level: str

    @property
    def n_judges(self) -> int:
        return len(self.rows[0])

    @property
    def n_categories(self) -> int:
        return len(self.categories)

    @property
    def values(self) -> list[list[float | None]]:
        return [[None if c is None else self.categories[c] for c in row] for row in self.rows]

    @property
    def pairable(self) -> list[Row]:
        """The items with two ratings or more."""
        return [row for row in self.rows if sum(c is not None for c in row) > 1]

    def ratings(self) -> Ratings:
        return Ratings.from_wide(self.values, scale=VerbalScale(self.categories, level=self.level))


@dataclass(frozen=True)
class Kind:
    """Which tables a coefficient can be computed from."""

    level: str
    judges: tuple[int, int] = (2, 4)
    categories: tuple[int, int] = (2, 5)
    complete: bool = False
    items: tuple[int, int] = (2, 9)


@st.composite
def tables(draw, kind: Kind) -> Table:
    """Any table of a kind, with holes where the kind allows them.

    All cells come from one draw of bytes, which is much quicker than a draw for each.
    """
    n_judges, k = draw(st.integers(*kind.judges)), draw(st.integers(*kind.categories))
    low, high = (n_judges * n for n in kind.items)
    cells = [
        b % (k if kind.complete else k + 1) for b in draw(st.binary(min_size=low, max_size=high))
    ]
    codes = [None if c == k else c for c in cells]
    rows = [tuple(codes[i : i + n_judges]) for i in range(0, len(codes) - n_judges + 1, n_judges)]
    return Table(tuple(rows), tuple(range(1, k + 1)), kind.level)


def some_tables(kind: Kind, times: int = 12) -> list[Table]:
    """Tables of a kind in which judges agree somewhat, the same ones every time."""
    return [_somewhat_agreeing(random.Random(seed), kind) for seed in range(times)]


def _somewhat_agreeing(rng: random.Random, kind: Kind) -> Table:
    k, n_judges = kind.categories[1], kind.judges[1]
    rows = []
    for number in range(12):
        truth = rng.randrange(k)
        row = [truth if rng.random() < 0.6 else rng.randrange(k) for _ in range(n_judges)]
        if not kind.complete and number % 3 == 0 and n_judges > 2:
            row[rng.randrange(n_judges)] = None
        rows.append(tuple(row))
    return Table(tuple(rows), tuple(range(1, k + 1)), kind.level)


Change = Callable[[Table, random.Random], Table]


def judges_in_another_order(table: Table, rng: random.Random) -> Table:
    order = rng.sample(range(table.n_judges), table.n_judges)
    return replace(table, rows=tuple(tuple(row[j] for j in order) for row in table.rows))


def items_in_another_order(table: Table, rng: random.Random) -> Table:
    return replace(table, rows=tuple(rng.sample(table.rows, len(table.rows))))


def ratings_exchanged_within_items(table: Table, rng: random.Random) -> Table:
    return replace(table, rows=tuple(tuple(rng.sample(row, len(row))) for row in table.rows))


def categories_exchanged(table: Table, rng: random.Random) -> Table:
    new = rng.sample(range(table.n_categories), table.n_categories)
    rows = tuple(tuple(None if c is None else new[c] for c in row) for row in table.rows)
    return replace(table, rows=rows)


def categories_renamed_in_order(table: Table, rng: random.Random) -> Table:
    places = sorted(rng.sample(range(1, 60), table.n_categories))
    return replace(table, categories=tuple(places))


def scale_moved(table: Table, rng: random.Random) -> Table:
    by = rng.choice([3, 10, 0.5])
    return replace(table, categories=tuple(c + by for c in table.categories))


def scale_stretched(table: Table, rng: random.Random) -> Table:
    by = rng.choice([2, 10, 0.25])
    return replace(table, categories=tuple(c * by for c in table.categories))


def scale_reversed(table: Table, rng: random.Random) -> Table:
    last = table.n_categories - 1
    rows = tuple(tuple(None if c is None else last - c for c in row) for row in table.rows)
    return replace(table, rows=rows)


def items_without_ratings_added(table: Table, rng: random.Random) -> Table:
    empty = ((None,) * table.n_judges,) * rng.randint(1, 3)
    return replace(table, rows=table.rows + empty)


def items_with_one_rating_added(table: Table, rng: random.Random) -> Table:
    alone = []
    for _ in range(rng.randint(1, 3)):
        row: list[Cell] = [None] * table.n_judges
        row[rng.randrange(table.n_judges)] = rng.randrange(table.n_categories)
        alone.append(tuple(row))
    return replace(table, rows=table.rows + tuple(alone))


def every_item_twice(table: Table, rng: random.Random) -> Table:
    return replace(table, rows=table.rows * 2)


def unused_category_added(table: Table, rng: random.Random) -> Table:
    beyond = 2 * table.categories[-1] - table.categories[-2]
    return replace(table, categories=(*table.categories, beyond))


CHANGES: dict[str, Change] = {
    change.__name__: change
    for change in (
        judges_in_another_order,
        items_in_another_order,
        ratings_exchanged_within_items,
        categories_exchanged,
        categories_renamed_in_order,
        scale_moved,
        scale_stretched,
        scale_reversed,
        items_without_ratings_added,
        items_with_one_rating_added,
        every_item_twice,
        unused_category_added,
    )
}
