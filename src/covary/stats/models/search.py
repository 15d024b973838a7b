"""The least value of a smooth function of a few numbers within bounds.

Broyden's, Fletcher's, Goldfarb's and Shanno's rule (1970) with the whole table of curvatures, which
suits the two to five variances of a model. Numbers at a bound stay there for as long as the slope
leads outwards (Bertsekas 1982).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from covary.records import dataclass

Floats = npt.NDArray[np.float64]
Function = Callable[[Floats], tuple[float, Floats]]

LEVEL = 1e-10
"""A slope that counts as none."""

LONGEST = 4.0
"""The longest step."""

DESCENT = 1e-4
"""A step must gain at least this share of what the slope promises (Armijo 1966)."""

HALVINGS = 30
"""How often a step is shortened before it is given up."""

HOPES = 10.0
"""How many times what a step promises it might gain."""

NOISE = 1e-11
"""Two values that differ by less, as a share, are told apart by their slopes."""


@dataclass(frozen=True, kw_only=True)
class Minimum:
    """Where a search ended; `value` is not the least where it was hopeless."""

    place: Floats
    value: float
    slopes: Floats
    steps: int


def minimise(
    function: Function,
    start: Floats,
    bounds: tuple[float, float],
    *,
    steps: int,
    gain: float,
    curvature: Floats | None = None,
    hopeless: float = math.inf,
) -> Minimum:
    """Go downhill from a start.

    Parameters
    ----------
    function
        Gives its value and its slopes.
    bounds
        The least and the largest that any of the numbers may be.
    steps
        The most steps.
    gain
        The search ends when a step gains less than this share of the value, or promises less.
    curvature
        Second derivatives near the start, where they are known.
    hopeless
        The search ends where a step would have to gain many times what it promises to get below.
    """
    place = np.clip(start, *bounds)
    value, slopes = function(place)
    unknown = curvature is None
    curvature, step = np.eye(place.size) if curvature is None else curvature, 0
    for step in range(1, steps + 1):
        free = _free(place, slopes, bounds)
        if _steepest(slopes, free) < LEVEL:
            break
        direction = _direction(curvature, slopes, free)
        promised = -float(slopes @ direction)
        if value - HOPES * promised > hopeless or promised < gain * max(abs(value), 1.0):
            break
        found = _along(function, (place, value, slopes), direction, bounds)
        if found is None:
            break
        moved, changed = found[0] - place, found[2] - slopes
        curvature = _updated(curvature, moved, changed, first=unknown and step == 1)
        gained = value - found[1]
        place, value, slopes = found
        if gain and gained < gain * max(abs(value), 1.0):
            break
    return Minimum(place=place, value=value, slopes=slopes, steps=step)


def _free(place: Floats, slopes: Floats, bounds: tuple[float, float]) -> npt.NDArray[np.bool_]:
    """Which numbers are not held at a bound."""
    low, high = bounds
    held = ((place <= low) & (slopes > 0)) | ((place >= high) & (slopes < 0))
    return np.asarray(~held)


def _steepest(slopes: Floats, free: npt.NDArray[np.bool_]) -> float:
    return float(np.abs(slopes[free]).max(initial=0.0))


def _direction(curvature: Floats, slopes: Floats, free: npt.NDArray[np.bool_]) -> Floats:
    direction = np.zeros(slopes.size)
    direction[free] = -np.linalg.solve(curvature[np.ix_(free, free)], slopes[free])
    length = float(np.linalg.norm(direction))
    return direction * min(1.0, LONGEST / length)


def _along(
    function: Function,
    here: tuple[Floats, float, Floats],
    direction: Floats,
    bounds: tuple[float, float],
) -> tuple[Floats, float, Floats] | None:
    """A step along a direction that leads down far enough, or None where none does."""
    place, value, slopes = here
    share = 1.0
    for _ in range(HALVINGS):
        moved = np.clip(place + share * direction, *bounds)
        there, slopes_there = function(moved)
        promised = float(slopes @ (moved - place))
        noise = NOISE * max(abs(value), 1.0)
        if there <= value + DESCENT * promised - noise:
            return moved, there, slopes_there
        if abs(there - value) <= noise:
            before = _steepest(slopes, _free(place, slopes, bounds))
            after = _steepest(slopes_there, _free(moved, slopes_there, bounds))
            return (moved, there, slopes_there) if after < before / 2 else None
        rise = there - value - promised
        best = -promised * share / (2 * rise) if np.isfinite(rise) and rise > 0 else 0.0
        share = min(max(best, share / 10), share / 2)
    return None


def _updated(curvature: Floats, moved: Floats, changed: Floats, *, first: bool) -> Floats:
    """The curvatures with what a step has shown; a step along which they fell shows nothing."""
    along = float(moved @ changed)
    if along <= 1e-12 * float(np.linalg.norm(moved) * np.linalg.norm(changed)):
        return curvature
    if first:
        curvature = np.eye(moved.size) * (float(changed @ changed) / along)
    carried = curvature @ moved
    return np.asarray(
        curvature
        + np.outer(changed, changed) / along
        - np.outer(carried, carried) / float(moved @ carried)
    )
