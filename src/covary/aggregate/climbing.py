"""Climbing a likelihood step by step, with a look ahead at every second step.

Steps of EM are safe and slow near the top. SQUAREM (Varadhan & Roland 2008, scheme S3) extrapolates
two of them; where that would lose height, the plain step is taken instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from covary.aggregate.votes import Floats
from covary.errors import ConvergenceError

__all__ = ["State", "climbed"]

State = tuple[Floats, ...]

LONGEST = 64.0
"""How many steps at once an extrapolation may stand for."""

NEAR = 100.0
"""So many tolerances from a known top count as close to it."""


def climbed(
    step: Callable[[State], tuple[State, float]],
    repaired: Callable[[State, State], State],
    state: State,
    *,
    tolerance: float,
    max_steps: int,
    known: State | None = None,
) -> tuple[State, int]:
    """Step until nothing changes any more; return where that is and how many steps it took.

    Parameters
    ----------
    step
        Gives the next state, and the height of the given one.
    repaired
        Brings an extrapolated state back to what is possible; it also gets the last plain one.
    state
        Where to begin.
    tolerance
        The climb ends when no number changes by more in one step.
    max_steps
        How many steps count as not converged, which raises `ConvergenceError` with the last state.
    known
        A top found before; a climb that comes close to it ends there, because the rest of the way
        is known.
    """
    steps = 0
    while True:
        first, height = step(state)
        steps += 1
        if _change(state, first) < tolerance:
            return first, steps
        if known is not None and _change(known, first) < NEAR * tolerance:
            return known, steps
        if steps >= max_steps:
            raise ConvergenceError(
                f"the model did not settle within {max_steps} steps (the largest change was "
                f"{_change(state, first):.2g}); allow more with max_iterations=, a larger "
                "tolerance=, or steady it with more smoothing=",
                state=first,
            )
        second, first_height = step(first)
        ahead = repaired(_extrapolated(state, first, second), second)
        landed, ahead_height = step(ahead)
        steps += 2
        state = landed if ahead_height >= max(height, first_height) else second


def _extrapolated(start: State, first: State, second: State) -> State:
    once = [b - a for a, b in zip(start, first, strict=True)]
    bend = [c - b - r for b, c, r in zip(first, second, once, strict=True)]
    length, curve = _squares(once), _squares(bend)
    stride = min(max(1.0, float(np.sqrt(length / curve))), LONGEST) if curve > 0 else 1.0
    return tuple(
        a + 2 * stride * r + stride**2 * v for a, r, v in zip(start, once, bend, strict=True)
    )


def _squares(parts: list[Any]) -> float:
    return sum(float((part**2).sum()) for part in parts)


def _change(before: State, after: State) -> float:
    return max(float(np.abs(a - b).max()) for a, b in zip(before, after, strict=True))
