"""Squares: items laid out by source and system, Latin squares, Williams squares, and designs in
which everyone rates everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.design.plan import JudgeShare, random_stream, row_word, system_of
from covary.errors import InvalidArgument
from covary.study.model import DesignSettings, Item, Study
from covary.words import Note


@dataclass(frozen=True)
class Grid:
    """The items by source and system; `sources` and `systems` in the order of the study."""

    sources: tuple[str, ...]
    systems: tuple[str, ...]
    cells: dict[tuple[str, str], Item]

    def item(self, source: str, system: str) -> Item:
        """Return what this system made of this source."""
        return self.cells[source, system]


def grid_of(study: Study, kind: str) -> Grid:
    """Lay the items out as a grid, or say at once everything that is in the way.

    Items without any source are taken as outputs for one and the same source, if each system has
    one only.
    """
    items = study.items_of("item")
    faults = list(_unnamed_items(items)) or list(_uneven_cells(items))
    if faults:
        raise InvalidArgument("design.no-grid", kind=kind, faults=faults)
    cells = {_cell(item): item for item in items}
    return Grid(
        tuple(dict.fromkeys(source for source, _ in cells)),
        tuple(dict.fromkeys(system for _, system in cells)),
        cells,
    )


def _cell(item: Item) -> tuple[str, str]:
    return item.source or "", system_of(item) or ""


def _unnamed_items(items: Sequence[Item]) -> Iterator[Note]:
    if not items:
        yield Note("design.grid-no-items")
    without = [item.id for item in items if not item.systems]
    if without:
        yield Note("design.grid-no-system", items=without)
    bare = [item.id for item in items if item.source is None]
    if 0 < len(bare) < len(items):
        yield Note("design.grid-no-source", items=bare)


def _uneven_cells(items: Sequence[Item]) -> Iterator[Note]:
    """Find cells of the grid that hold two items or none."""
    cells: dict[tuple[str, str], list[str]] = {}
    for item in items:
        cells.setdefault(_cell(item), []).append(item.id)
    for (source, system), ids in cells.items():
        if len(ids) > 1:
            facts = {"system": system, "source": source}
            yield Note("design.grid-two-items", **facts, number=len(ids), items=ids)
    sources = dict.fromkeys(source for source, _ in cells)
    systems = dict.fromkeys(system for _, system in cells)
    pairs = ((source, system) for source in sources for system in systems)
    missing = [pair for pair in pairs if pair not in cells]
    if missing:
        yield Note("design.grid-gaps", missing=missing)


def williams_square(size: int) -> list[tuple[int, ...]]:
    """Return the rows of a Williams square.

    Examples
    --------
    >>> for row in williams_square(4):
    ...     print(*row)
    0 1 3 2
    1 2 0 3
    2 3 1 0
    3 0 2 1
    """
    first = _zigzag(size)
    rows = [tuple((place + shift) % size for place in first) for shift in range(size)]
    return rows if size % 2 == 0 else rows + [row[::-1] for row in rows]


def rows_needed(size: int) -> int:
    """Return how many judges make carry-over balanced: a multiple of this number."""
    return size if size % 2 == 0 else 2 * size


def rounds_of(
    systems: tuple[str, ...], number: int, index: int, seed: int
) -> tuple[tuple[str, ...], ...]:
    """Return the order of the systems for one judge, over some rounds.

    In each round the judges of a group (as many as `rows_needed` says) go through a whole Williams
    square. From one round to the next each of them moves to another row, so that the system that
    opens a round follows the one that closed the last by a step that goes through all steps in
    turn: carry-over from round to round is as even as it can be, and no system follows itself.
    """
    size = len(systems)
    group, row = divmod(index, rows_needed(size))
    names = [systems[i] for i in random_stream(seed, "names", group).permutation(size)]
    pattern = _zigzag(size)
    if row >= size:
        pattern = pattern[::-1]
    shift = int(random_stream(seed, "rows", group).permutation(size)[row % size])
    rounds = []
    for turn in range(number):
        rounds.append(tuple(names[(place + shift) % size] for place in pattern))
        step = (group * (number - 1) + turn) % max(size - 1, 1) + 1
        shift += pattern[-1] + step - pattern[0]
    return tuple(rounds)


def _zigzag(size: int) -> list[int]:
    """Return 0, 1, n-1, 2, n-2, …: a row in which no step between neighbours occurs twice."""
    return [(turn + 1) // 2 if turn % 2 else (size - turn // 2) % size for turn in range(size)]


def latin_square(size: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return a Latin square with its rows, columns and symbols in random order.

    Examples
    --------
    >>> import numpy as np
    >>> drawn = latin_square(4, np.random.default_rng(1))
    >>> [sorted(row.tolist()) for row in drawn] == [[0, 1, 2, 3]] * 4
    True
    """
    rows, columns, symbols = (rng.permutation(size) for _ in range(3))
    return np.asarray(symbols[(rows[:, None] + columns) % size])


def latin_row(index: int, grid: Grid, wish: DesignSettings) -> str:
    """Name the row of a square that the judge at this index stands for."""
    group, row = divmod(index, len(grid.systems))
    return f"square {group + 1} {row_word(wish)} {row + 1}"


def latin_row_names(study: Study, wish: DesignSettings) -> Callable[[int], str]:
    """Return what names the rows of a study's squares."""
    grid = grid_of(study, wish.kind)
    return lambda index: latin_row(index, grid, wish)


def latin_shares(study: Study, wish: DesignSettings, indices: range) -> list[JudgeShare]:
    """Return the shares of some rows; each depends on the seed and its index only."""
    grid = grid_of(study, wish.kind)
    if wish.kind == "williams" and len(grid.sources) == 1:
        return [_all_systems(grid, wish, index) for index in indices]
    check_latin(grid, wish)
    blocks = _latin_blocks(grid, wish.seed)
    return [_latin_share(grid, wish, blocks, index) for index in indices]


def _latin_share(
    grid: Grid, wish: DesignSettings, blocks: list[list[str]], index: int
) -> JudgeShare:
    size = len(grid.systems)
    group, row = divmod(index, size)
    number = (wish.per_judge or len(grid.sources)) // size
    items = []
    for turn in range(number):
        which = (group * number + turn) % len(blocks)
        drawn = latin_square(size, random_stream(wish.seed, "square", group, which))[row]
        items += [
            grid.item(source, grid.systems[system])
            for source, system in zip(blocks[which], drawn, strict=True)
        ]
    keep = wish.kind == "williams" or wish.order == "williams"
    rounds = rounds_of(grid.systems, number, index, wish.seed) if keep else ()
    return JudgeShare(latin_row(index, grid, wish), tuple(items), rounds)


def _all_systems(grid: Grid, wish: DesignSettings, index: int) -> JudgeShare:
    """Return a row of a Williams square for the outputs of a single source."""
    if wish.per_judge not in (None, len(grid.systems)):
        raise InvalidArgument(
            "design.one-source", per_judge=wish.per_judge, systems=len(grid.systems)
        )
    rounds = rounds_of(grid.systems, 1, index, wish.seed)
    return JudgeShare(latin_row(index, grid, wish), tuple(grid.cells.values()), rounds)


def _latin_blocks(grid: Grid, seed: int) -> list[list[str]]:
    shuffled = [
        grid.sources[i] for i in random_stream(seed, "sources").permutation(len(grid.sources))
    ]
    size = len(grid.systems)
    return [shuffled[start : start + size] for start in range(0, len(shuffled), size)]


def check_latin(grid: Grid, wish: DesignSettings) -> None:
    """Refuse what no Latin square can give, with the nearest that one can."""
    systems, sources = len(grid.systems), len(grid.sources)
    facts: dict[str, Any] = {"kind": wish.kind, "systems": systems, "sources": sources}
    if sources % systems:
        near = [number for number in _nearest_multiples(sources, systems) if number]
        raise InvalidArgument("design.sources-no-multiple", **facts, near=near)
    rated = wish.per_judge or sources
    if rated > sources or rated % systems:
        around = _nearest_multiples(min(rated, sources), systems)
        near = list(dict.fromkeys(number for number in around if 0 < number <= sources))
        raise InvalidArgument("design.latin-per-judge", **facts, per_judge=rated, near=near)
    _check_ratings_per_item(wish, systems * sources, rated)


def _check_ratings_per_item(wish: DesignSettings, cells: int, rated: int) -> None:
    if wish.judges_per_item is None or wish.judges * rated == cells * wish.judges_per_item:
        return
    raise InvalidArgument(
        "design.latin-judges-per-item",
        judges_per_item=wish.judges_per_item,
        judges=wish.judges,
        rated=rated,
        cells=cells,
        ratings=wish.judges * rated / cells,
        needed=np.ceil(cells * wish.judges_per_item / rated),
    )


def _nearest_multiples(number: int, step: int) -> tuple[int, int]:
    """Return the multiples of a step at or below a number, and above it."""
    below = number // step * step
    return below, below + step if below < number or below == 0 else below


def everyone_row(index: int, wish: DesignSettings) -> str:
    """Name the row of the judge at this index."""
    return f"{row_word(wish)} {index + 1}"


def everyone_row_names(_study: Study, wish: DesignSettings) -> Callable[[int], str]:
    """Return what names the rows."""
    return lambda index: everyone_row(index, wish)


def everyone_shares(study: Study, wish: DesignSettings, indices: range) -> list[JudgeShare]:
    """Return the share of each row: all items, in rounds of all systems if Williams is asked."""
    items = study.items_of("item")
    _check_everyone(len(items), wish)
    if wish.order != "williams":
        return [JudgeShare(everyone_row(index, wish), items) for index in indices]
    grid = grid_of(study, "everyone' with order = 'williams")
    number = len(grid.sources)
    rounds = (rounds_of(grid.systems, number, index, wish.seed) for index in indices)
    return [
        JudgeShare(everyone_row(index, wish), items, systems)
        for index, systems in zip(indices, rounds, strict=True)
    ]


def _check_everyone(items: int, wish: DesignSettings) -> None:
    if wish.per_judge not in (None, items):
        raise InvalidArgument("design.everyone-per-judge", per_judge=wish.per_judge, items=items)
    if wish.judges_per_item not in (None, wish.judges):
        raise InvalidArgument(
            "design.everyone-judges-per-item",
            judges_per_item=wish.judges_per_item,
            judges=wish.judges,
        )
