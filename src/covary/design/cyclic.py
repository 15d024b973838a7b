"""Cyclic block designs: initial blocks whose shifts compare all systems as precisely as can be.

A block holds the systems that one judge rates. Shifting it by 1, 2, … (mod the number of systems)
gives as many blocks as there are systems, in which each system stands once in each position. The
concurrence of two systems (in how many blocks they meet) then depends on their difference only, and
the eigenvalues of the information matrix are a Fourier transform (John & Williams 1995).
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import comb, gcd, lcm

import numpy as np
import numpy.typing as npt

from covary.design.chance import stream

__all__ = ["balanced_in", "efficiency_limit", "equal_in", "initial_blocks"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MOST_CANDIDATES = 4000
"""Initial blocks that are compared; where there are more, so many are drawn at random."""

RESTARTS = 60
"""Searches from another start, shared out over the initial blocks."""

EVENNESS = 0.3
"""What the spread of the eigenvalues counts beside the smallest one while searching."""


def equal_in(systems: int, size: int) -> int:
    """Return the number of judges of which each multiple rates all systems equally often.

    Examples
    --------
    >>> equal_in(7, 3), equal_in(6, 3)
    (7, 2)
    """
    return systems // gcd(systems, size)


def balanced_in(systems: int, size: int) -> int:
    """Return the number of judges of which a multiple can let all pairs of systems meet alike.

    With r ratings of each system, r (k - 1) / (v - 1) must be whole, and no balanced design has
    fewer blocks than systems (Fisher 1940).

    Examples
    --------
    >>> balanced_in(7, 3), balanced_in(7, 4), balanced_in(8, 3), balanced_in(6, 3)
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
        loss = _ascend(power, chosen)
        if loss < least - 1e-9:
            best, least = chosen.copy(), loss
        if least <= wanted + 1e-6:
            break
    return tuple(tuple(int(each) for each in candidates[i]) for i in best)


def _candidates(systems: int, size: int) -> Ints:
    """Return initial blocks that hold system 0, in order; one of them stands for its shifts."""
    if comb(systems - 1, size - 1) <= MOST_CANDIDATES:
        rest = list(combinations(range(1, systems), size - 1))
    else:
        rng = stream(0, "candidates", systems, size)
        drawn = (rng.permutation(systems - 1)[: size - 1] + 1 for _ in range(MOST_CANDIDATES))
        rest = sorted({tuple(sorted(each.tolist())) for each in drawn})
    return np.array([(0, *each) for each in rest], dtype=np.int64).reshape(len(rest), size)


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
    return stream(0, "start", restart).integers(candidates, size=number)


def _ascend(power: Floats, chosen: Ints) -> float:
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
