"""Incomplete blocks: each judge rates some of the systems, so that pairs of systems meet evenly.

Cyclic designs where the number of judges allows them, otherwise blocks found by exchange.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb, gcd, lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.design.plan import JudgeShare, random_stream
from covary.design.squares import Grid, grid_of
from covary.errors import InvalidArgument
from covary.study.model import DesignSettings, Item, Study

Floats = npt.NDArray[np.float64]

MOST_CANDIDATES = 4000
"""Initial blocks that are compared; where there are more, so many are drawn at random."""

RESTARTS = 60
"""Searches from another start, shared out over the initial blocks."""

EVENNESS = 0.3
"""What the spread of the eigenvalues counts beside the smallest one while searching."""


def judges_for_equal_use(systems: int, size: int) -> int:
    """Return the number of judges of which each multiple rates all systems equally often.

    Examples
    --------
    >>> judges_for_equal_use(7, 3), judges_for_equal_use(6, 3)
    (7, 2)
    """
    return systems // gcd(systems, size)


def judges_for_balance(systems: int, size: int) -> int:
    """Return the number of judges of which a multiple can let all pairs of systems meet alike.

    With r ratings of each system, r (k - 1) / (v - 1) must be whole, and no balanced design has
    fewer blocks than systems (Fisher 1940).

    Examples
    --------
    >>> (
    ...     judges_for_balance(7, 3),
    ...     judges_for_balance(7, 4),
    ...     judges_for_balance(8, 3),
    ...     judges_for_balance(6, 3),
    ... )
    (7, 7, 56, 10)
    """
    if size >= systems:
        return 1
    if size == 1:
        return systems
    times = lcm(size // gcd(systems, size), (systems - 1) // gcd(systems - 1, size - 1))
    judges = times * systems // size
    return judges * -(-systems // judges)


def efficiency_limit(systems: int, size: int) -> float:
    """Return the efficiency factor that a balanced design has, and no other exceeds.

    Examples
    --------
    >>> efficiency_limit(7, 3)
    0.7777
    """
    return systems * (size - 1) / (size * (systems - 1)) if systems > 1 else 1.0


@lru_cache(maxsize=64)
def initial_blocks(systems: int, size: int, number: int) -> tuple[tuple[int, ...], ...]:
    """Return the initial blocks with the largest smallest eigenvalue that a search finds.

    All pairs or the best of several ascents are tried; a balanced set ends the search.

    Examples
    --------
    >>> initial_blocks(7, 3, 1)
    ((0, 1, 3),)
    """
    candidates = _candidates(systems, size)
    power = _spectra(candidates, systems)
    wanted = size * number * (1 - efficiency_limit(systems, size)) * size
    best, least = np.arange(number) % len(candidates), np.inf
    for restart in range(max(RESTARTS // number, 3)):
        chosen = _start(len(candidates), number, restart)
        loss = _improve_blocks(power, chosen)
        if loss < least - 1e-9:
            best, least = chosen.copy(), loss
        if least <= wanted + 1e-6:
            break
    return tuple(tuple(map(int, candidates[i])) for i in best)


def _candidates(systems: int, size: int) -> Ints:
    """Return initial blocks that hold system 0, in order; one of them stands for its shifts."""
    if comb(systems - 1, size - 1) <= MOST_CANDIDATES:
        rest = list(combinations(range(1, systems), size - 1))
    else:
        rng = random_stream(0, "candidates", systems, size)
        drawn = (rng.permutation(systems - 1)[: size - 1] + 1 for _ in range(MOST_CANDIDATES))
        rest = sorted({tuple(sorted(block.tolist())) for block in drawn})
    return np.array([(0, *block) for block in rest], dtype=np.int64).reshape(len(rest), size)


def _spectra(blocks: Ints, systems: int) -> Floats:
    """Return |transform|² of each block at the frequencies other than 0."""
    marks = np.zeros((len(blocks), systems))
    np.put_along_axis(marks, blocks, 1, axis=1)
    if systems == 1:
        return np.zeros((len(blocks), 1))
    return np.abs(np.fft.rfft(marks, axis=1)[:, 1:]) ** 2


def _start(candidates: int, number: int, restart: int) -> Ints:
    if restart == 0:
        return np.zeros(number, dtype=np.int64)
    return random_stream(0, "start", restart).integers(candidates, size=number)


def _improve_blocks(power: Floats, chosen: Ints) -> float:
    """Exchange one initial block at a time for the best one; return the largest sum of power.

    The smallest eigenvalue of the information matrix is r minus this sum over k. Among equals the
    more even sums are taken, which lead off a plateau.
    """
    merit = _merit(power[chosen].sum(axis=0)[None])[0]
    while True:
        before = merit
        for place in range(len(chosen)):
            rest = power[chosen].sum(axis=0) - power[chosen[place]]
            merits = _merit(rest + power)
            best = int(merits.argmin())
            if merits[best] < merit - 1e-9:
                chosen[place], merit = best, merits[best]
        if merit >= before - 1e-9:
            return float(power[chosen].sum(axis=0).max())


def _merit(sums: Floats) -> Floats:
    return np.asarray(sums.max(axis=1) + EVENNESS * sums.std(axis=1))


STEPS = 60_000
WARMTH = 0.6
"""How much worse an exchange may be at the start, in squares of concurrences."""

NEVER = 1e6
"""What it costs to give a judge a system that is not in the block."""


@lru_cache(maxsize=64)
def annealed_blocks(systems: int, size: int, judges: int) -> tuple[tuple[int, ...], ...]:
    """Return blocks in which all systems occur equally often and pairs meet as evenly as found.

    Simulated annealing on the sum of squared concurrences; the order within blocks then puts each
    system into each position as evenly as can be. The number of ratings, `judges` × `size`, must
    be a multiple of the number of systems.

    Examples
    --------
    >>> blocks = annealed_blocks(4, 2, 6)
    >>> len({frozenset(block) for block in blocks})
    6
    """
    blocks = (np.arange(judges * size) % systems).reshape(judges, size)
    _anneal(blocks, systems, random_stream(0, "anneal", *(systems, size, judges)))
    return tuple(tuple(map(int, block)) for block in order_blocks(blocks, systems))


def _anneal(blocks: Ints, systems: int, rng: np.random.Generator) -> None:
    """Exchange systems between blocks, in place, until pairs meet evenly or the steps are over."""
    members = [set(block.tolist()) for block in blocks]
    meets = _concurrences(blocks, systems)
    judges, size = blocks.shape
    total = judges * size * (size - 1) // 2
    pairs = systems * (systems - 1) // 2
    low, extra = divmod(total, pairs)
    least = 2 * (pairs * low**2 + extra * (2 * low + 1))
    now = int((meets**2).sum())
    draws = rng.integers(0, [judges, judges, size, size], size=(STEPS, 4)).tolist()
    luck = (-np.log(rng.random(STEPS)) * WARMTH * np.linspace(1, 0, STEPS) ** 2).tolist()
    for (block, other, i, j), allowed in zip(draws, luck, strict=True):
        if now <= least:
            return
        gone, come = int(blocks[block, i]), int(blocks[other, j])
        if block == other or come in members[block] or gone in members[other]:
            continue
        change = _change_in_meetings(meets, members[block] - {gone}, gone, come)
        change += _change_in_meetings(meets, members[other] - {come}, come, gone)
        overlap = len((members[block] - {gone}) & (members[other] - {come}))
        if change - 8 * overlap <= 4 * allowed:
            _exchange_systems(meets, members, (block, other), (gone, come))
            blocks[block, i], blocks[other, j] = come, gone
            now = int((meets**2).sum())


def _change_in_meetings(meets: Ints, rest: set[int], gone: int, come: int) -> int:
    """Return by how much the sum of squares grows where `come` takes the place of `gone`."""
    row, column = meets[come], meets[gone]
    return sum(4 * int(row[system]) + 2 - 4 * int(column[system]) + 2 for system in rest)


def _exchange_systems(
    meets: Ints, members: list[set[int]], blocks: tuple[int, int], systems: tuple[int, int]
) -> None:
    for block, gone, come in zip(blocks, systems, systems[::-1], strict=True):
        members[block].remove(gone)
        for other in members[block]:
            meets[gone, other] -= 1
            meets[other, gone] -= 1
            meets[come, other] += 1
            meets[other, come] += 1
        members[block].add(come)


def _concurrences(blocks: Ints, systems: int) -> Ints:
    marks = np.zeros((len(blocks), systems), dtype=np.int64)
    np.put_along_axis(marks, blocks, 1, axis=1)
    meets = marks.T @ marks
    np.fill_diagonal(meets, 0)
    return meets


def order_blocks(blocks: Ints, systems: int, rng: np.random.Generator | None = None) -> Ints:
    """Order each block so that each system stands in each place about equally often.

    With `rng` it is a random one of such orders.
    """
    from scipy.optimize import linear_sum_assignment

    judges, size = blocks.shape
    left = np.zeros((judges, systems), dtype=bool)
    np.put_along_axis(left, blocks, True, axis=1)
    copies = int(left.sum(axis=0).max())
    ordered = np.empty_like(blocks)
    for position in range(size):
        wanted = left.sum(axis=0)[:, None] / (size - position)
        price = 2 * (np.arange(copies) - wanted) + 1  # of standing here once more
        cost = np.where(np.repeat(left, copies, axis=1), price.ravel(), NEVER)
        cost += 0 if rng is None else 0.5 / judges * rng.random(cost.shape)
        rows, columns = linear_sum_assignment(cost)
        ordered[rows, position] = columns // copies
        left[rows, columns // copies] = False
    return ordered


Ints = npt.NDArray[np.int64]

WHOLE_BATCH = 120
"""Up to so many blocks, where they are no whole orbits of shifts, are searched for as a whole."""


@dataclass(frozen=True, kw_only=True)
class BlockLayout:
    """A batch of blocks, cut into groups of judges who meet the same sources.

    `outputs` is how many outputs of each of their systems a judge rates.
    """

    grid: Grid
    seed: int
    blocks: Ints
    group: int
    outputs: int

    def shares(self, group: int) -> list[JudgeShare]:
        """Return the shares of one group of judges, in random order.

        Systems keep their positions over the group, or change them all alike. Which sources go
        with a system is drawn apart from its position, so that within a group each system meets
        each source equally often and no judge meets a source twice, if there are enough.
        """
        start = group * self.group % len(self.blocks)
        blocks = self.blocks[start : start + self.group]
        systems = len(self.grid.systems)
        sources = self._coloured(blocks, random_stream(self.seed, "colours", group))
        names = [
            self.grid.systems[i] for i in random_stream(self.seed, "names").permutation(systems)
        ]
        rng = random_stream(self.seed, "positions", group)
        orders = [rng.permutation(blocks.shape[1]) for _ in range(self.outputs)]
        return [
            JudgeShare(
                block_row(group * self.group + place),
                tuple(self._items(group, [names[system] for system in sources[row]])),
                tuple(tuple(names[system] for system in blocks[row][order]) for order in orders),
            )
            for place, row in enumerate(
                random_stream(self.seed, "rows", group).permutation(self.group)
            )
        ]

    def _coloured(self, blocks: Ints, rng: np.random.Generator) -> Ints:
        """Say by its place in the block which sources go with a system, orbit by orbit."""
        systems = len(self.grid.systems)
        step = systems if len(blocks) > WHOLE_BATCH else len(blocks)
        starts = range(0, max(len(blocks) - systems, 0) + 1, step)
        ends = [*starts[1:], len(blocks)]
        parts = [
            order_blocks(blocks[start:end], systems, rng)
            for start, end in zip(starts, ends, strict=True)
        ]
        return np.concatenate(parts)

    def _items(self, group: int, systems: Sequence[str]) -> Iterator[Item]:
        """Return the outputs of systems, each for the next sources of a shuffled list."""
        order = random_stream(self.seed, "sources").permutation(len(self.grid.sources))
        for turn, system in enumerate(systems, start=group * len(systems)):
            for place in range(turn * self.outputs, (turn + 1) * self.outputs):
                yield self.grid.item(self.grid.sources[order[place % len(order)]], system)


def block_row(index: int) -> str:
    """Name the block that the judge at this index rates."""
    return f"block {index + 1}"


def block_row_names(_study: Study, _wish: DesignSettings) -> Callable[[int], str]:
    """Return what names the blocks."""
    return block_row


def blocks_for(systems: int, size: int, judges: int) -> tuple[tuple[int, ...], ...]:
    """Return which systems each of some judges rates, in order of position.

    Examples
    --------
    >>> blocks_for(7, 3, 7)[:2]
    ((0, 1, 3), (1, 2, 4))
    """
    orbits = judges // systems
    if judges % systems:
        orbits = max(orbits - 1, 0) if judges > WHOLE_BATCH else 0
    shifted = tuple(
        tuple((system + shift) % systems for system in block)
        for block in (initial_blocks(systems, size, orbits) if orbits else ())
        for shift in range(systems)
    )
    rest = judges - len(shifted)
    return shifted + (annealed_blocks(systems, size, rest) if rest else ())


def block_shares(study: Study, wish: DesignSettings, indices: range) -> list[JudgeShare]:
    """Return the shares of some blocks; further judges begin the batch of blocks again."""
    grid = grid_of(study, wish.kind)
    systems = len(grid.systems)
    size = _check_blocks(grid, wish)
    layout = BlockLayout(
        grid=grid,
        seed=wish.seed,
        blocks=np.array(blocks_for(systems, size, wish.judges)),
        group=wish.judges if wish.judges % systems else systems,
        outputs=_outputs(grid, wish, size),
    )
    groups = {index // layout.group for index in indices}
    shares = {group: layout.shares(group) for group in groups}
    return [shares[index // layout.group][index % layout.group] for index in indices]


def _check_blocks(grid: Grid, wish: DesignSettings) -> int:
    """Refuse what no blocks can give, with the nearest that some can; return their size."""
    systems, size, judges = len(grid.systems), wish.per_judge, wish.judges
    facts: dict[str, Any] = {"judges": judges, "per_judge": size, "systems": systems}
    if wish.order == "williams":
        raise InvalidArgument("design.blocks-williams")
    if size is None:
        raise InvalidArgument("design.blocks-without-size", **facts)
    if not 2 <= size <= systems:
        raise InvalidArgument("design.blocks-size", **facts)
    step, even = judges_for_equal_use(systems, size), judges_for_balance(systems, size)
    if judges % step:
        below = judges // step * step
        near = [number for number in (below, below + step) if number]
        raise InvalidArgument("design.blocks-uneven", **facts, near=near, even=even)
    if judges * (size - 1) < systems - 1:
        needed = -(-(systems - 1) // (size - 1) // step) * step
        raise InvalidArgument("design.blocks-not-linked", **facts, needed=needed, even=even)
    return size


def _outputs(grid: Grid, wish: DesignSettings, size: int) -> int:
    """Return how many outputs of each of their systems a judge rates."""
    if wish.judges_per_item is None:
        return 1
    cells = len(grid.cells) * wish.judges_per_item
    outputs, rest = divmod(cells, wish.judges * size)
    if not rest and 1 <= outputs <= len(grid.sources):
        return outputs
    step = judges_for_equal_use(len(grid.systems), size)
    fit = [
        judges
        for judges in range(step, cells // size + 1, step)
        if cells % (judges * size) == 0 and cells // (judges * size) <= len(grid.sources)
    ]
    near = sorted(sorted(fit, key=lambda judges: abs(judges - wish.judges))[:2])
    raise InvalidArgument(
        "design.blocks-judges-per-item" if near else "design.blocks-no-judges-per-item",
        judges_per_item=wish.judges_per_item,
        judges=wish.judges,
        ratings=cells,
        size=size,
        near=near,
    )
