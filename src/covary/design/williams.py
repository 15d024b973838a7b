"""Williams squares: each system follows each other equally often, in each position equally often.

A square of an even number of systems has as many rows as systems; for an odd number it takes the
mirrored square besides, twice as many rows (Williams 1949).
"""

from __future__ import annotations

from covary.design.chance import stream

__all__ = ["rounds_of", "rows_needed", "williams_square"]


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
    rows = [tuple((each + shift) % size for each in first) for shift in range(size)]
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
    names = [systems[i] for i in stream(seed, "names", group).permutation(size)]
    pattern = _zigzag(size)
    if row >= size:
        pattern = pattern[::-1]
    shift = int(stream(seed, "rows", group).permutation(size)[row % size])
    rounds = []
    for turn in range(number):
        rounds.append(tuple(names[(each + shift) % size] for each in pattern))
        step = (group * (number - 1) + turn) % max(size - 1, 1) + 1
        shift += pattern[-1] + step - pattern[0]
    return tuple(rounds)


def _zigzag(size: int) -> list[int]:
    """Return 0, 1, n-1, 2, n-2, …: a row in which no step between neighbours occurs twice."""
    return [(turn + 1) // 2 if turn % 2 else (size - turn // 2) % size for turn in range(size)]
