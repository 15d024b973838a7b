"""The ratings on one criterion as arrays: a number and the codes of its factors for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument, RatingsError, listed
from covary.ratings import Ratings
from covary.ratings.frames import fetch
from covary.ratings.room import refuse_many
from covary.scales import Level, Scale
from covary.stats.question import check_ratings

__all__ = ["FACTORS", "Layout", "layout"]

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]

FACTORS = ("system", "judge", "source", "item")
"""What a rating may depend on."""


@dataclass(frozen=True)
class Layout:
    """One row per rating, sorted by item and judge, so that every engine gives the same sums.

    `values` are the numbers of the scale (the ranks of categories that are words), `factors` the
    codes of each factor that is known, `names` what the codes stand for.
    """

    values: Floats
    factors: Mapping[str, Codes]
    names: Mapping[str, tuple[Any, ...]]

    @property
    def n_ratings(self) -> int:
        """How many ratings there are."""
        return int(self.values.size)

    def groups(self, factor: str = "system") -> tuple[Floats, ...]:
        """The ratings of each level of a factor."""
        codes = self.factors[factor]
        order = np.argsort(codes, kind="stable")
        ends = np.cumsum(np.bincount(codes, minlength=len(self.names[factor])))
        return tuple(np.split(self.values[order], ends[:-1]))

    def means(self, factor: str = "system") -> Floats:
        """The plain mean of the ratings of each level of a factor."""
        codes = self.factors[factor]
        sums = np.bincount(codes, self.values, minlength=len(self.names[factor]))
        return np.asarray(sums / np.bincount(codes, minlength=len(self.names[factor])))

    def table(self, rows: str = "judge", columns: str = "system") -> Floats:
        """Mean ratings, one row per level of one factor and one column per level of another.

        NaN where the two never met. Friedman's test and Kendall's W read it as blocks × systems.
        """
        shape = len(self.names[rows]), len(self.names[columns])
        places = self.factors[rows] * shape[1] + self.factors[columns]
        counts = np.bincount(places, minlength=shape[0] * shape[1])
        sums = np.bincount(places, self.values, minlength=shape[0] * shape[1])
        means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        return np.asarray(means.reshape(shape), dtype=float)


def layout(
    ratings: Ratings, criterion: Any = None, *, factors: Sequence[str] | None = None
) -> Layout:
    """Bring the ratings on one criterion to arrays.

    Parameters
    ----------
    ratings
        The ratings; they must say which system made each item.
    criterion
        The criterion, where there are several.
    factors
        Which of system, judge, source and item are wanted; all that are known by default.

    Returns
    -------
    Layout
        Words are numbered by their place on the scale; numbers stay as they are.

    Raises
    ------
    InvalidArgument
        The scale is nominal, a factor is not known, judges are asked for but only slots are
        known, or a judge counts twice because there are several occasions or rounds.

    Examples
    --------
    >>> from covary import datasets
    >>> found = layout(datasets.load("latin-square-example"))
    >>> found.n_ratings, found.names["system"]
    (32, ('0', '1', '2', '3'))
    """
    check_ratings("layout", ratings)
    chosen = ratings.one_criterion(criterion)
    scale = ratings.scales[chosen]
    _refuse_names(scale)
    wanted = _wanted(ratings, factors)
    _refuse_repeats(ratings)
    refuse_many(ratings, "a comparison of systems")
    frame = ratings.frame.filter(~nw.col("rating").is_null())
    if chosen is not None:
        frame = frame.filter(nw.col("criterion") == chosen)
    keys = dict.fromkeys([*wanted, "item", "judge"])
    columns = fetch(frame.select(*keys, "rating"))
    coded = {name: _coded(name, columns[name], columns["item"]) for name in keys}
    order = np.lexsort((coded["judge"][0], coded["item"][0]))
    return Layout(
        _numbers(columns["rating"], scale)[order],
        {name: coded[name][0][order] for name in wanted},
        {name: coded[name][1] for name in wanted},
    )


def _refuse_names(scale: Scale) -> None:
    if scale.level is Level.NOMINAL and not (scale.categories and len(scale.categories) == 2):
        raise InvalidArgument(
            "systems are compared by the order or the mean of their ratings, but this scale is "
            f"{scale.describe()}; declare the order with scale= and level='ordinal' if there is one"
        )


def _wanted(ratings: Ratings, factors: Sequence[str] | None) -> list[str]:
    known = [name for name in FACTORS if name in ratings.columns]
    if ratings.slots:
        known.remove("judge")
    for name in ["system"] if factors is None else factors:
        if name == "judge" and ratings.slots:
            raise InvalidArgument(
                "these ratings come from slots, so which judge gave them is not known; leave the "
                "judges out, or read the ratings with a column that names the judge"
            )
        if name not in known:
            raise InvalidArgument(
                f"the ratings do not say the {name}; name its column when they are read, with "
                f"{name}='…' in covary.read or Ratings, or --{name} on the command line"
            )
    return known if factors is None else list(dict.fromkeys(factors))


def _refuse_repeats(ratings: Ratings) -> None:
    for column in ("occasion", "round"):
        if column in ratings.columns and len(found := ratings.values(column)) > 1:
            raise InvalidArgument(
                f"the ratings come from several values of {column} ({listed(found)}), so a judge "
                f"counts twice or more; choose with ratings.select({column}={found[0]!r})"
            )


def _coded(
    name: str, column: npt.NDArray[Any], items: npt.NDArray[Any]
) -> tuple[Codes, tuple[Any, ...]]:
    """Number the distinct values of a column in their order."""
    if column.dtype.kind in "iub":
        found, codes = np.unique(column, return_inverse=True)
        return codes.astype(np.intp), tuple(found.tolist())
    values = column.tolist()
    empty = {place for place, value in enumerate(values) if value is None or value != value}
    if empty:
        raise RatingsError(
            f"{len(empty)} ratings have no {name}, such as those of the items "
            f"{listed(dict.fromkeys(items[sorted(empty)[:5]].tolist()))}; fill the column, or "
            "leave these items out"
        )
    names = sorted(set(values), key=lambda value: (isinstance(value, str), value))
    numbers = {value: number for number, value in enumerate(names)}
    return np.fromiter((numbers[v] for v in values), np.intp, len(values)), tuple(names)


def _numbers(ratings: npt.NDArray[Any], scale: Scale) -> Floats:
    if ratings.dtype.kind in "iuf" or scale.categories is None:
        return ratings.astype(float)
    places = dict(zip(scale.categories, scale.positions(Level.INTERVAL), strict=True))
    return np.array([places[rating] for rating in ratings.tolist()], dtype=float)
