"""Whether one more random factor beside those of a fitted model can have a variance at all.

The factor may have as many levels as judges meet systems. Of its equations only the diagonal is
needed, and where it meets the other factors, so that no table of its levels by its levels is made.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from covary.errors import ConvergenceError
from covary.stats.models.least_squares import Design
from covary.stats.models.reml import FIXED, Equations, sum_factors
from covary.stats.models.second_factor import EachLevel
from covary.stats.models.tables import (
    cholesky,
    column_squares,
    dense,
    solve_by_root,
    weighted_columns,
    weighted_rows,
)

Floats = npt.NDArray[np.float64]


def slope_at_zero(
    values: Floats, design: Design, ratios: Mapping[str, float], *, name: str, residual: float
) -> float:
    """How the deviance leaves a variance of 0 of a factor that is eliminated last, by its ratio.

    `ratios` are the other random factors' variances by the residual's. Costs the cube of the other
    levels only.
    """
    sums = sum_factors(values, design.without(name), each=True)
    known = Equations(sums, ratios)
    first, second, others = sums.first, sums.second, list(sums.rest)
    assert sums.levels is not None
    levels = known.second
    assert isinstance(levels, EachLevel)
    counts, totals, meets = sums.levels.counts, sums.levels.totals, sums.levels.meets
    own_meets, theta = design.table(first, name), ratios.get(first)
    left = np.zeros(counts.size) if theta is None else 1 / (counts * (1 + theta * counts))
    weights = left - 1 / counts
    centred = values - design.means(FIXED, values)[design.factors[FIXED]]
    rest = centred - (totals / counts)[design.factors[first]]

    own = design.counts[name] + column_squares(weights, own_meets)
    right = design.sums(name, rest) + own_meets.T @ (left * totals)
    across = dense(own_meets.T @ weighted_rows(weights, meets))
    if others:
        across += np.hstack([dense(design.table(name, other)) for other in others])
    across *= known.deviations
    if second is not None:
        between = weighted_columns(
            sums.levels.parents @ weighted_rows(counts * left, own_meets),
            np.full(own.size, levels.units.second),
        )
        own -= column_squares(1 / levels.diagonal, between)
        across -= dense(between.T @ levels.shares)
        right -= between.T @ (levels.totals / levels.diagonal)
    return _slope(known, float(own.sum()), (across, right), residual)


def _slope(known: Equations, own: float, rest: tuple[Floats, Floats], residual: float) -> float:
    """What the factor's levels determine beside the others, less their squares."""
    across, right = rest
    root = cholesky(known.table)
    if root is None:
        raise ConvergenceError("stats.reml-singular")
    solved = solve_by_root(root, np.column_stack([across.T, known.right]))
    determined = own - float(np.sum(across * solved[:, :-1].T))
    gone = right - across @ solved[:, -1]
    return determined - float(gone @ gone) / residual
