"""Which difference a study would find, and how large it must be to find a given one.

Two systems are compared on the same sources by judges who rate both. The error of the difference
has three parts: texts (item), judges who like one system more (judge × system), and the rest; its
degrees of freedom are Satterthwaite's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from covary.analysis.planning.components import GStudy
from covary.analysis.planning.forecast import StudySize, fewest, forecast
from covary.errors import InvalidArgument
from covary.stats.distributions import range_quantile, t_quantile
from covary.stats.estimate import Result

FREEDOMS = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 13, 17, 23, 30, 45, 80, 200, 1e6)
"""Degrees of freedom at which Tukey's edges are computed; between them 1 / df is interpolated."""

CERTAIN = 30.0
"""So many standard errors beyond the edge, nothing is left to chance (nor to rounding)."""

MOST_ITEMS = 1_000_000
"""Items beyond which a search gives up: then judges are the limit, not items."""


@dataclass(frozen=True, kw_only=True)
class Power(Result):
    """The chance that a study finds a difference, and the smallest it finds with a given chance.

    `standard_error` is that of the difference of two systems' means, `df` its degrees of freedom.
    """

    size: StudySize
    standard_error: float
    df: float
    alpha: float
    smallest: float
    at: float
    difference: float | None = None
    power: float | None = None


def power(
    components: GStudy,
    size: StudySize,
    *,
    difference: float | None = None,
    at: float = 0.8,
    alpha: float = 0.05,
    compared: int = 2,
) -> Power:
    """Say which difference between two systems a study of this size would find.

    Parameters
    ----------
    components
        Where the variation comes from.
    size
        The study: its items are those of each system.
    difference
        A difference whose chance of being found is wanted.
    at
        The chance at which the smallest difference is given.
    alpha
        The error rate of the two-sided test.
    compared
        Of how many systems all pairs are compared, which Tukey's procedure makes up for; 2 for the
        t test of one difference.
    """
    for name, value in (("at", at), ("alpha", alpha)):
        if not 0 < value < 1:
            raise InvalidArgument("planning.share", argument=name, value=value)
    error, df = difference_error(components, size)
    edge = _edge(alpha, df, compared) if df > 0 else math.nan
    smallest = (edge + t_quantile(at, df)) * error if df > 0 else math.nan
    return Power(
        size=size,
        standard_error=error,
        df=df,
        alpha=alpha,
        smallest=smallest,
        at=at,
        difference=difference,
        power=None if difference is None else _chance(abs(difference), error, df, edge),
    )


def difference_error(components: GStudy, size: StudySize) -> tuple[float, float]:
    """Return the standard error of a difference of two systems, and its degrees of freedom."""
    systems = max(size.systems, 2)
    relative = forecast(components, replace(size, systems=systems), object="systems").relative
    shared = size.items * size.votes
    residual = components["residual"]
    squares = {
        "items": residual + size.votes * components["item"],
        "judges": residual + shared / size.judges * components["judge system"],
        "rest": residual,
    }
    freedom = {
        "items": (systems - 1) * (size.items - 1),
        "judges": (systems - 1) * (size.judges - 1),
        "rest": max(systems * shared - systems * (size.items + size.judges - 1), 1),
    }
    total = squares["items"] + squares["judges"] - squares["rest"]
    spread = sum(squares[name] ** 2 / df for name, df in freedom.items() if df > 0)
    if not freedom["items"] or not (freedom["judges"] or not components["judge system"]):
        return math.sqrt(2 * relative), 0.0
    return math.sqrt(2 * relative), total**2 / spread


def _edge(alpha: float, df: float, compared: int) -> float:
    """How many standard errors a difference must have, among all pairs of so many systems."""
    if compared <= 2:
        return t_quantile(1 - alpha / 2, df)
    edges = _tukey_edges(alpha, compared)
    return float(np.interp(1 / max(df, 1.0), [1 / own for own in reversed(FREEDOMS)], edges))


@lru_cache(maxsize=64)
def _tukey_edges(alpha: float, compared: int) -> tuple[float, ...]:
    """Tukey's edges at the degrees of freedom between which a plan interpolates."""
    return tuple(
        range_quantile(1 - alpha, compared, df) / math.sqrt(2) for df in reversed(FREEDOMS)
    )


def _chance(difference: float, error: float, df: float, edge: float) -> float:
    """The probability that a two-sided test finds a difference."""
    from scipy import special

    if df <= 0:
        return math.nan
    if not error:
        return 1.0
    shift = difference / error
    if shift > edge + CERTAIN:
        return 1.0
    missed, turned = (float(special.nctdtr(df, shift, end)) for end in (edge, -edge))
    return 1 - missed + (0.0 if math.isnan(turned) else turned)  # NaN where it is below 1e-30


def items_needed(
    components: GStudy,
    size: StudySize,
    difference: float,
    *,
    at: float = 0.8,
    alpha: float = 0.05,
    compared: int = 2,
) -> int | None:
    """Say how many items of each system find a difference with a chance, all else as in `size`.

    None where no number does: judges who differ in which system they like set the limit, and
    only more judges help.
    """

    def enough(items: int) -> bool:
        own = replace(size, items=items)
        found = power(components, own, difference=difference, alpha=alpha, compared=compared)
        return (found.power or 0.0) >= at

    return fewest(enough, 2, MOST_ITEMS)
