"""Block designs that are no shifts of a few blocks: found by exchanging systems between judges."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from covary.design.chance import stream

__all__ = ["coloured", "exchanged_blocks"]

Ints = npt.NDArray[np.int64]

STEPS = 60_000
WARMTH = 0.6
"""How much worse an exchange may be at the start, in squares of concurrences."""

NEVER = 1e6
"""What it costs to give a judge a system that is not in the block."""


@lru_cache(maxsize=64)
def exchanged_blocks(systems: int, size: int, judges: int) -> tuple[tuple[int, ...], ...]:
    """Return blocks in which all systems occur equally often and pairs meet as evenly as found.

    Simulated annealing on the sum of squared concurrences; the order within blocks then puts each
    system into each position as evenly as can be. The number of ratings, `judges` × `size`, must
    be a multiple of the number of systems.

    Examples
    --------
    >>> blocks = exchanged_blocks(4, 2, 6)
    >>> len({frozenset(block) for block in blocks})
    6
    """
    blocks = (np.arange(judges * size) % systems).reshape(judges, size)
    _anneal(blocks, systems, stream(0, "anneal", systems, size, judges))
    return tuple(tuple(int(each) for each in block) for block in coloured(blocks, systems))


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
    for (one, other, i, j), allowed in zip(draws, luck, strict=True):
        if now <= least:
            return
        gone, come = int(blocks[one, i]), int(blocks[other, j])
        if one == other or come in members[one] or gone in members[other]:
            continue
        change = _change(meets, members[one] - {gone}, gone, come)
        change += _change(meets, members[other] - {come}, come, gone)
        overlap = len((members[one] - {gone}) & (members[other] - {come}))
        if change - 8 * overlap <= 4 * allowed:
            _exchange(meets, members, (one, other), (gone, come))
            blocks[one, i], blocks[other, j] = come, gone
            now = int((meets**2).sum())


def _change(meets: Ints, rest: set[int], gone: int, come: int) -> int:
    """Return by how much the sum of squares grows where `come` takes the place of `gone`."""
    row, column = meets[come], meets[gone]
    return sum(4 * int(row[each]) + 2 - 4 * int(column[each]) + 2 for each in rest)


def _exchange(
    meets: Ints, members: list[set[int]], blocks: tuple[int, int], systems: tuple[int, int]
) -> None:
    for block, gone, come in zip(blocks, systems, systems[::-1], strict=True):
        members[block].remove(gone)
        for each in members[block]:
            meets[gone, each] -= 1
            meets[each, gone] -= 1
            meets[come, each] += 1
            meets[each, come] += 1
        members[block].add(come)


def _concurrences(blocks: Ints, systems: int) -> Ints:
    marks = np.zeros((len(blocks), systems), dtype=np.int64)
    np.put_along_axis(marks, blocks, 1, axis=1)
    meets = marks.T @ marks
    np.fill_diagonal(meets, 0)
    return meets


def coloured(blocks: Ints, systems: int, rng: np.random.Generator | None = None) -> Ints:
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
