"""Which difference a study would find, and how large it must be to find a given one.

Two systems are compared on the same sources by judges who rate both. The error of the difference
has three parts: texts (item), judges who like one system more (judge × system), and the rest; its
degrees of freedom are Satterthwaite's. The comparison keeps judges' opinions in its model where
they seem to be there, and with few judges chance often makes them seem so: the power of a complete
study is the mean over how they may look.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from covary.analysis.planning.components import GStudy
from covary.analysis.planning.forecast import StudySize, error_variances, fewest
from covary.analysis.systems.models import opinions_stay
from covary.errors import InvalidArgument
from covary.stats.distributions import range_quantile
from covary.stats.estimate import Result

Floats = npt.NDArray[np.float64]

FREEDOMS = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 13, 17, 23, 30, 45, 80, 200, 1e6)
"""Degrees of freedom at which Tukey's edges are computed; between them 1 / df is interpolated."""

CERTAIN = 30.0
"""So many standard errors beyond the edge, nothing is left to chance (nor to rounding)."""

LOOKS = 24
"""Ways that the judges' opinions may look, equally likely, over which the power is averaged."""

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
    looks = _looks(components, size, alpha, compared) if df > 0 else None
    return Power(
        size=size,
        standard_error=error,
        df=df,
        alpha=alpha,
        smallest=math.nan if looks is None else looks.smallest(at) * error,
        at=at,
        difference=difference,
        power=None if difference is None else _found(abs(difference), error, looks),
    )


def chance_to_find(
    components: GStudy, size: StudySize, difference: float, *, alpha: float, compared: int
) -> float:
    """The probability that a study of this size finds a difference, without all else of `power`."""
    error, df = difference_error(components, size)
    looks = _looks(components, size, alpha, compared) if df > 0 else None
    return _found(abs(difference), error, looks)


def _found(difference: float, error: float, looks: _Looks | None) -> float:
    """The probability that a study finds a difference; NaN where it has no error to compare."""
    if looks is None:
        return math.nan
    return looks.chance(difference / error) if error else 1.0


@dataclass(frozen=True, kw_only=True)
class _MeanSquares:
    """What a rating's share of the error is expected to be, and its degrees of freedom."""

    items: float
    judges: float
    rest: float
    freedom: tuple[int, int, int]

    @property
    def total(self) -> float:
        return self.items + self.judges - self.rest

    @property
    def df(self) -> float:
        squares = (self.items, self.judges, self.rest)
        spread = sum(ms**2 / df for ms, df in zip(squares, self.freedom, strict=True) if df > 0)
        return self.total**2 / spread


def _mean_squares(components: GStudy, size: StudySize) -> _MeanSquares:
    systems, shared = max(size.systems, 2), size.items * size.votes
    residual = components["residual"]
    rest = systems * shared - systems * (size.items + size.judges - 1)
    return _MeanSquares(
        items=residual + size.votes * components["item"],
        judges=residual + shared / size.judges * components["judge system"],
        rest=residual,
        freedom=((systems - 1) * (size.items - 1), (systems - 1) * (size.judges - 1), max(rest, 1)),
    )


def difference_error(components: GStudy, size: StudySize) -> tuple[float, float]:
    """Return the standard error of a difference of two systems, and its degrees of freedom."""
    relative, _ = error_variances(components, size, "systems")
    squares = _mean_squares(components, size)
    of_items, of_judges, _ = squares.freedom
    if not of_items or not (of_judges or not components["judge system"]):
        return math.sqrt(2 * relative), 0.0
    return math.sqrt(2 * relative), squares.df


@dataclass(frozen=True, kw_only=True)
class _Looks:
    """Equally likely ways a study may look: what each asks of a difference, and its error's df.

    `edges` are how many true standard errors a difference must have, `df` the degrees of freedom of
    the error that it is divided by.
    """

    edges: Floats
    df: Floats

    def chance(self, shift: float) -> float:
        """The probability that a two-sided test finds a difference of so many standard errors."""
        from scipy import special

        missed = special.nctdtr(self.df, shift, self.edges)
        turned = np.nan_to_num(special.nctdtr(self.df, shift, -self.edges))  # NaN: below 1e-30
        certain = shift > self.edges + CERTAIN
        return min(float(np.mean(np.where(certain, 1.0, 1 - missed + turned))), 1.0)

    def smallest(self, at: float) -> float:
        """How many standard errors a difference must have to be found with a chance."""
        low, high = 0.0, float(self.edges.max()) + CERTAIN
        while high - low > 1e-7 * high:
            middle = (low + high) / 2
            low, high = (low, middle) if self.chance(middle) >= at else (middle, high)
        return high


def _looks(components: GStudy, size: StudySize, alpha: float, compared: int) -> _Looks:
    """How the judges' opinions may look, and what the comparison then asks of a difference."""
    squares = _mean_squares(components, size)
    of_items, of_judges, of_rest = squares.freedom
    if of_judges <= 0 or size.votes < size.judges:  # mean squares are those of complete studies
        df = np.array([squares.df])
        return _Looks(edges=_edges(alpha, df, compared), df=df)
    seen = squares.judges * _quantiles(of_judges) / of_judges
    kept = opinions_stay(seen, squares.rest, (of_judges, of_rest), judges=size.judges)
    total = squares.items + np.where(kept, seen - squares.rest, 0.0)
    of_texts = squares.items**2 / of_items
    of_opinions = seen**2 / of_judges + squares.rest**2 / of_rest
    asked = _edges(alpha, total**2 / (of_texts + np.where(kept, of_opinions, 0.0)), compared)
    return _Looks(edges=asked * np.sqrt(total / squares.total), df=total**2 / of_texts)


@lru_cache(maxsize=1024)
def _quantiles(df: int) -> Floats:
    """Equally likely values of chi-square."""
    from scipy import special

    quantiles: Floats = special.chdtri(df, 1 - (np.arange(LOOKS) + 0.5) / LOOKS)
    return quantiles


def _edges(alpha: float, df: Floats, compared: int) -> Floats:
    """How many standard errors a difference must have, among all pairs of so many systems."""
    from scipy import special

    if compared <= 2:
        edges: Floats = special.stdtrit(df, 1 - alpha / 2)
        return edges
    places = [1 / own for own in reversed(FREEDOMS)]
    return np.interp(1 / np.maximum(df, 1.0), places, _tukey_edges(alpha, compared))


@lru_cache(maxsize=64)
def _tukey_edges(alpha: float, compared: int) -> tuple[float, ...]:
    """Tukey's edges at the degrees of freedom between which a plan interpolates."""
    return tuple(
        range_quantile(1 - alpha, compared, df) / math.sqrt(2) for df in reversed(FREEDOMS)
    )


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
        return chance_to_find(components, own, difference, alpha=alpha, compared=compared) >= at

    return fewest(enough, 2, MOST_ITEMS)
