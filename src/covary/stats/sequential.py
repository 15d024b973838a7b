"""Looking at a study again and again without being fooled: bounds that hold at every look.

A test at 5 % that is repeated while ratings come in is wrong far more often than in 5 % of studies.
A confidence sequence is an interval for every moment that holds at all of them together; a
group-sequential test spends its error on a number of looks that was fixed before.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.stats import special
from covary.stats.distributions import find_root, normal_quantile

Floats = npt.NDArray[np.float64]

STEP = 0.02
"""The step of the grid on which looks are integrated, in standard deviations."""

FARTHEST = 8.0
"""Where the grid ends: what lies beyond has no weight."""


def sequence_bound(information: float, *, planned: float, alpha: float = 0.05) -> float:
    """How many standard errors an estimate must lie from 0, whenever somebody looks.

    Parameters
    ----------
    information
        What is known now: 1 / the squared standard error of the estimate.
    planned
        The information around which the study is expected to end, fixed before it begins: there
        the bound is tightest. It holds everywhere.
    alpha
        The chance, under no difference, of ever being beyond the bound.

    Notes
    -----
    Robbins' normal mixture: with η = planned / (-2 log α + log(1 - 2 log α)) the bound on |z| is
    √((1 + η / I) log((I + η) / (η α²))), which a process with independent normal increments passes
    at any time with probability α at most. Estimates from more and more of the same ratings behave
    so in large samples, with I = 1 / SE².

    References
    ----------
    Robbins (1970), Annals of Mathematical Statistics 41; Howard, Ramdas, McAuliffe & Sekhon (2021),
    Annals of Statistics 49, equation 14; Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas (2024).

    Examples
    --------
    At the planned moment it asks for 3 standard errors, where a single look asks for 1.96:

    >>> f"{sequence_bound(100.0, planned=100.0):.2f}"
    '3.04'
    """
    for name, value in (("information", information), ("planned", planned)):
        if not (math.isfinite(value) and value > 0):
            raise InvalidArgument("planning.positive", argument=name, value=value)
    if not 0 < alpha < 1:
        raise InvalidArgument("planning.share", argument="alpha", value=alpha)
    prior = planned / (-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha)))
    now = information + prior
    return math.sqrt(now / information * (math.log(now / prior) - 2 * math.log(alpha)))


def equivalent_t(bound: float, df: float) -> float:
    """The t of so many degrees of freedom that is as rare as a normal deviate."""
    if not math.isfinite(df):
        return bound
    return float(-special.stdtrit(df, special.ndtr(-bound)))


def group_sequential_bounds(
    looks: int, *, alpha: float = 0.05, shape: str = "obrien-fleming"
) -> tuple[float, ...]:
    """The bounds on |z| of so many equally spaced looks, fixed before the study begins.

    `shape` is "pocock" (the same bound at every look) or "obrien-fleming" (high at first, nearly
    the ordinary one at the end).

    Notes
    -----
    The chance of passing a bound at any look is integrated look by look (Armitage, McPherson & Rowe
    1969) and the bounds scaled until it is α. Checked against Jennison & Turnbull (2000), Tables
    2.1 and 2.3.

    Examples
    --------
    >>> [f"{bound:.2f}" for bound in group_sequential_bounds(5)]
    ['4.56', '3.23', '2.63', '2.28', '2.04']
    >>> f"{group_sequential_bounds(5, shape='pocock')[0]:.3f}"
    '2.413'
    """
    if looks < 1:
        raise InvalidArgument("planning.count", argument="looks", value=looks)
    shapes = {"pocock": 0.0, "obrien-fleming": 0.5}
    if shape not in shapes:
        raise InvalidArgument("planning.shape", argument="shape", value=shape, allowed=shapes)
    relative = [(looks / look) ** shapes[shape] for look in range(1, looks + 1)]
    single = normal_quantile(1 - alpha / 2)

    def excess(scale: float) -> float:
        return crossing_chance([scale * bound for bound in relative]) - alpha

    scale = find_root(excess, single, 2 * single, 1e-7) if looks > 1 else single
    return tuple(float(scale * bound) for bound in relative)


def crossing_chance(bounds: list[float]) -> float:
    """The chance that a fair walk is beyond its bound at any of equally spaced looks."""
    grid = np.arange(-FARTHEST * math.sqrt(len(bounds)), FARTHEST * math.sqrt(len(bounds)), STEP)
    steps = np.arange(-FARTHEST, FARTHEST + STEP / 2, STEP)
    kernel = np.exp(-(steps**2) / 2) / math.sqrt(2 * math.pi) * STEP
    inside = np.exp(-(grid**2) / 2) / math.sqrt(2 * math.pi)
    beyond = 2 * float(special.ndtr(-bounds[0]))
    for look, (last, bound) in enumerate(pairwise(bounds), start=2):
        edge, next_edge = last * math.sqrt(look - 1), bound * math.sqrt(look)
        kept = inside * _share_within(grid, edge)
        tails = special.ndtr(-(next_edge - grid)) + special.ndtr(-(next_edge + grid))
        beyond += float(np.sum(kept * tails) * STEP)
        inside = np.convolve(kept, kernel, mode="same")
    return beyond


def _share_within(grid: Floats, edge: float) -> Floats:
    """How much of each cell of the grid lies within the edges."""
    return np.clip((edge - np.abs(grid)) / STEP + 0.5, 0, 1)
