"""Repeated Latin squares: one output per source for each judge, all systems equally often.

The sources are cut at random into blocks of as many sources as there are systems, the judges into
groups of as many judges. Every group meets every block in a random square of its own, so that
within a square each judge rates each system once and each output is rated once (Belz & Kow 2011).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from covary.design.chance import stream
from covary.design.grid import Grid, grid_of
from covary.design.share import Share, row_word
from covary.design.williams import rounds_of
from covary.errors import InvalidArgument
from covary.study.model import DesignWish, Study

__all__ = ["check_latin", "latin_row", "latin_shares", "square"]


def square(size: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return a Latin square with its rows, columns and symbols in random order.

    Examples
    --------
    >>> import numpy as np
    >>> drawn = square(4, np.random.default_rng(1))
    >>> [sorted(row.tolist()) for row in drawn] == [[0, 1, 2, 3]] * 4
    True
    """
    rows, columns, symbols = (rng.permutation(size) for _ in range(3))
    return np.asarray(symbols[(rows[:, None] + columns) % size])


def latin_row(index: int, grid: Grid, wish: DesignWish) -> str:
    """Name the row of a square that the judge at this index stands for."""
    group, row = divmod(index, len(grid.systems))
    return f"square {group + 1} {row_word(wish)} {row + 1}"


def latin_shares(study: Study, wish: DesignWish, indices: range) -> list[Share]:
    """Return the shares of some rows; each depends on the seed and its index only."""
    grid = grid_of(study, wish.kind)
    if wish.kind == "williams" and len(grid.sources) == 1:
        return [_all_systems(grid, wish, index) for index in indices]
    check_latin(grid, wish)
    blocks = _blocks(grid, wish.seed)
    return [_share(grid, wish, blocks, index) for index in indices]


def _share(grid: Grid, wish: DesignWish, blocks: list[list[str]], index: int) -> Share:
    size = len(grid.systems)
    group, row = divmod(index, size)
    number = (wish.per_judge or len(grid.sources)) // size
    items = []
    for turn in range(number):
        which = (group * number + turn) % len(blocks)
        drawn = square(size, stream(wish.seed, "square", group, which))[row]
        items += [
            grid.item(source, grid.systems[system])
            for source, system in zip(blocks[which], drawn, strict=True)
        ]
    keep = wish.kind == "williams" or wish.order == "williams"
    rounds = rounds_of(grid.systems, number, index, wish.seed) if keep else ()
    return Share(latin_row(index, grid, wish), tuple(items), rounds)


def _all_systems(grid: Grid, wish: DesignWish, index: int) -> Share:
    """Return a row of a Williams square for the outputs of a single source."""
    if wish.per_judge not in (None, len(grid.systems)):
        raise InvalidArgument(
            f"per_judge = {wish.per_judge} is not possible with kind = 'williams' and one source: "
            f"each judge rates each of the {len(grid.systems)} systems once; leave it out, or use "
            "kind = 'blocks'"
        )
    rounds = rounds_of(grid.systems, 1, index, wish.seed)
    return Share(latin_row(index, grid, wish), tuple(grid.cells.values()), rounds)


def _blocks(grid: Grid, seed: int) -> list[list[str]]:
    shuffled = [grid.sources[i] for i in stream(seed, "sources").permutation(len(grid.sources))]
    size = len(grid.systems)
    return [shuffled[start : start + size] for start in range(0, len(shuffled), size)]


def check_latin(grid: Grid, wish: DesignWish) -> None:
    """Refuse what no Latin square can give, with the nearest that one can."""
    systems, sources = len(grid.systems), len(grid.sources)
    if sources % systems:
        few, more = _around(sources, systems)
        raise InvalidArgument(
            f"kind = '{wish.kind}' needs a multiple of the {systems} systems as the number of "
            f"sources, so that each judge rates each system equally often, but there are {sources} "
            f"sources; use {f'{few} or ' if few else ''}{more}"
        )
    rated = wish.per_judge or sources
    if rated > sources or rated % systems:
        few, more = _around(min(rated, sources), systems)
        near = dict.fromkeys(str(each) for each in (few, more) if 0 < each <= sources)
        raise InvalidArgument(
            f"per_judge = {rated} is not possible with kind = '{wish.kind}': a judge rates one "
            f"output per source ({sources}), and each of the {systems} systems equally often; use "
            f"{' or '.join(near)}"
        )
    _check_ratings_per_item(wish, systems * sources, rated)


def _check_ratings_per_item(wish: DesignWish, cells: int, rated: int) -> None:
    if wish.judges_per_item is None or wish.judges * rated == cells * wish.judges_per_item:
        return
    needed = cells * wish.judges_per_item / rated
    given = wish.judges * rated / cells
    raise InvalidArgument(
        f"judges_per_item = {wish.judges_per_item} does not fit: {wish.judges} judges with {rated} "
        f"items each give each of the {cells} items {given:g} ratings; use {np.ceil(needed):.0f} "
        "judges, or leave judges_per_item out"
    )


def _around(number: int, step: int) -> tuple[int, int]:
    """Return the multiples of a step at or below a number, and above it."""
    below = number // step * step
    return below, below + step if below < number or below == 0 else below
