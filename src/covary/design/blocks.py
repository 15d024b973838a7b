"""Incomplete blocks: more systems than a judge can rate, so each judge rates some of them.

The pairs of systems that one judge rates should meet equally often over judges, because only then
all systems are compared equally well. `per_judge` is the number of systems that a judge rates, and
`judges_per_item`, where it is given, says how many outputs of each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from covary.design.chance import stream
from covary.design.cyclic import balanced_in, equal_in, initial_blocks
from covary.design.exchange import coloured, exchanged_blocks
from covary.design.grid import Grid, grid_of
from covary.design.share import Share
from covary.errors import InvalidArgument
from covary.study.model import DesignWish, Item, Study

__all__ = ["block_row", "block_shares", "blocks_for"]

Ints = npt.NDArray[np.int64]

WHOLE = 120
"""Up to so many blocks, where they are no whole orbits of shifts, are searched for as a whole."""


@dataclass(frozen=True)
class Layout:
    """A batch of blocks, cut into groups of judges who meet the same sources.

    `outputs` is how many outputs of each of their systems a judge rates.
    """

    grid: Grid
    seed: int
    blocks: Ints
    group: int
    outputs: int

    def shares(self, group: int) -> list[Share]:
        """Return the shares of one group of judges, in random order.

        Systems keep their positions over the group, or change them all alike. Which sources go
        with a system is drawn apart from its position, so that within a group each system meets
        each source equally often and no judge meets a source twice, if there are enough.
        """
        start = group * self.group % len(self.blocks)
        blocks = self.blocks[start : start + self.group]
        systems = len(self.grid.systems)
        sources = self._coloured(blocks, stream(self.seed, "colours", group))
        names = [self.grid.systems[i] for i in stream(self.seed, "names").permutation(systems)]
        rng = stream(self.seed, "positions", group)
        orders = [rng.permutation(blocks.shape[1]) for _ in range(self.outputs)]
        return [
            Share(
                block_row(group * self.group + place),
                tuple(self._items(group, [names[system] for system in sources[row]])),
                tuple(tuple(names[each] for each in blocks[row][order]) for order in orders),
            )
            for place, row in enumerate(stream(self.seed, "rows", group).permutation(self.group))
        ]

    def _coloured(self, blocks: Ints, rng: np.random.Generator) -> Ints:
        """Say by its place in the block which sources go with a system, orbit by orbit."""
        systems = len(self.grid.systems)
        step = systems if len(blocks) > WHOLE else len(blocks)
        starts = range(0, max(len(blocks) - systems, 0) + 1, step)
        ends = [*starts[1:], len(blocks)]
        parts = [
            coloured(blocks[start:end], systems, rng)
            for start, end in zip(starts, ends, strict=True)
        ]
        return np.concatenate(parts)

    def _items(self, group: int, systems: Sequence[str]) -> Iterator[Item]:
        """Return the outputs of systems, each for the next sources of a shuffled list."""
        order = stream(self.seed, "sources").permutation(len(self.grid.sources))
        for turn, system in enumerate(systems, start=group * len(systems)):
            for place in range(turn * self.outputs, (turn + 1) * self.outputs):
                yield self.grid.item(self.grid.sources[order[place % len(order)]], system)


def block_row(index: int) -> str:
    """Name the block that the judge at this index rates."""
    return f"block {index + 1}"


def blocks_for(systems: int, size: int, judges: int) -> tuple[tuple[int, ...], ...]:
    """Return which systems each of some judges rates, in order of position.

    Examples
    --------
    >>> blocks_for(7, 3, 7)[:2]
    ((0, 1, 3), (1, 2, 4))
    """
    orbits = judges // systems
    if judges % systems:
        orbits = max(orbits - 1, 0) if judges > WHOLE else 0
    shifted = tuple(
        tuple((each + shift) % systems for each in block)
        for block in (initial_blocks(systems, size, orbits) if orbits else ())
        for shift in range(systems)
    )
    rest = judges - len(shifted)
    return shifted + (exchanged_blocks(systems, size, rest) if rest else ())


def block_shares(study: Study, wish: DesignWish, indices: range) -> list[Share]:
    """Return the shares of some blocks; further judges begin the batch of blocks again."""
    grid = grid_of(study, wish.kind)
    systems = len(grid.systems)
    size = _check(grid, wish)
    layout = Layout(
        grid,
        wish.seed,
        np.array(blocks_for(systems, size, wish.judges)),
        wish.judges if wish.judges % systems else systems,
        _outputs(grid, wish, size),
    )
    groups = {index // layout.group for index in indices}
    shares = {group: layout.shares(group) for group in groups}
    return [shares[index // layout.group][index % layout.group] for index in indices]


def _check(grid: Grid, wish: DesignWish) -> int:
    """Refuse what no blocks can give, with the nearest that some can; return their size."""
    systems, size, judges = len(grid.systems), wish.per_judge, wish.judges
    if wish.order == "williams":
        raise InvalidArgument(
            "order = 'williams' is not possible with kind = 'blocks', which keeps positions "
            "balanced itself; leave the order out"
        )
    if size is None:
        raise InvalidArgument(
            "kind = 'blocks' needs per_judge: how many of the "
            f"{systems} systems a judge rates (2 to {systems})"
        )
    if not 2 <= size <= systems:
        raise InvalidArgument(
            f"per_judge = {size} is not possible with kind = 'blocks': it counts the systems that "
            f"a judge rates, and there are {systems}; use 2 to {systems}"
        )
    step, even = equal_in(systems, size), balanced_in(systems, size)
    if judges % step:
        near = [each for each in (judges // step * step, judges // step * step + step) if each]
        raise InvalidArgument(
            f"{judges} judges who rate {size} of {systems} systems cannot rate all systems equally "
            f"often; use {' or '.join(map(str, near))} judges. Pairs of systems can meet equally "
            f"often with {even} judges or a multiple of {even}"
        )
    if judges * (size - 1) < systems - 1:
        needed = -(-(systems - 1) // (size - 1) // step) * step
        raise InvalidArgument(
            f"{judges} judges who rate {size} of {systems} systems cannot link all systems with "
            f"each other; use {needed} judges, or {even} to let all pairs of systems meet alike"
        )
    return size


def _outputs(grid: Grid, wish: DesignWish, size: int) -> int:
    """Return how many outputs of each of their systems a judge rates."""
    if wish.judges_per_item is None:
        return 1
    cells = len(grid.cells) * wish.judges_per_item
    outputs, rest = divmod(cells, wish.judges * size)
    if not rest and 1 <= outputs <= len(grid.sources):
        return outputs
    step = equal_in(len(grid.systems), size)
    fit = [
        judges
        for judges in range(step, cells // size + 1, step)
        if cells % (judges * size) == 0 and cells // (judges * size) <= len(grid.sources)
    ]
    near = sorted(sorted(fit, key=lambda judges: abs(judges - wish.judges))[:2])
    advice = f"use {' or '.join(map(str, near))} judges" if near else "use another per_judge"
    raise InvalidArgument(
        f"judges_per_item = {wish.judges_per_item} does not fit: {wish.judges} judges cannot share "
        f"{cells} ratings evenly when each rates the same number of outputs of {size} systems; "
        f"{advice}, or leave judges_per_item out (one output of each system)"
    )
