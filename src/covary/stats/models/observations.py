"""The ratings on one criterion as arrays: a number and the codes of its factors for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument, RatingsError
from covary.ratings import Ratings
from covary.ratings import expressions as nw
from covary.ratings.frames import fetch
from covary.ratings.memory_limit import refuse_many
from covary.records import dataclass
from covary.scales import Level, Scale
from covary.stats.coefficient import check_ratings
from covary.stats.patterns import refuse_repeats, scale_numbers
from covary.stats.posthoc.effects import EffectSize, cliffs_delta

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]

FACTORS = ("system", "judge", "source", "item")
"""What a rating may depend on."""


@dataclass(frozen=True)
class Observations:
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

    @property
    def n_items(self) -> int:
        """How many items were rated."""
        return len(self.names["item"])

    @property
    def mean(self) -> float:
        """The mean of all ratings."""
        return float(self.values.mean())

    def counts(self, factor: str = "system") -> npt.NDArray[np.int64]:
        """How many ratings each level of a factor has."""
        return np.bincount(self.factors[factor], minlength=len(self.names[factor]))

    def meetings(self) -> Floats:
        """How often each system was rated by each judge."""
        shape = len(self.names["system"]), len(self.names["judge"])
        places = self.factors["system"] * shape[1] + self.factors["judge"]
        return np.bincount(places, minlength=shape[0] * shape[1]).reshape(shape).astype(float)

    def units_of(self, unit: str) -> npt.NDArray[np.int64]:
        """How many items (or sources) of each system were rated."""
        system, size = self.factors["system"].astype(np.int64), len(self.names[unit])
        met = np.unique(system * size + self.factors[unit])
        return np.bincount(met // size, minlength=len(self.names["system"]))

    def delta(self, first: int, second: int, confidence: float) -> EffectSize:
        """Cliff's delta of two systems, by their places."""
        groups = self._groups
        return cliffs_delta(groups[first], groups[second], confidence=confidence)

    @cached_property
    def _groups(self) -> tuple[Floats, ...]:
        return self.groups("system")

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


def observations(
    ratings: Ratings, criterion: Any = None, *, factors: Sequence[str] | None = None
) -> Observations:
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
    >>> rows = observations(datasets.load("latin-square-example"))
    >>> rows.n_ratings, rows.names["system"]
    (32, ('0', '1', '2', '3'))
    """
    check_ratings("observations", ratings)
    chosen = ratings.one_criterion(criterion)
    scale = ratings.scales[chosen]
    refuse_names(scale)
    chosen_factors = _factor_names(ratings, factors)
    refuse_repeats(ratings, ratings.values)
    refuse_many(ratings, "a comparison of systems")
    frame = ratings.frame.filter(~nw.col("rating").is_null())
    if chosen is not None:
        frame = frame.filter(nw.col("criterion") == chosen)
    keys = dict.fromkeys([*chosen_factors, "item", "judge"])
    columns = fetch(frame.select(*keys, "rating"))
    coded = {name: encode(name, columns[name], columns["item"]) for name in keys}
    if "system" in chosen_factors:
        coded["item"] = _texts(coded)
    order = np.lexsort((coded["judge"][0], coded["item"][0]))
    return Observations(
        scale_numbers(columns["rating"], scale)[order],
        {name: coded[name][0][order] for name in chosen_factors},
        {name: coded[name][1] for name in chosen_factors},
    )


def _texts(coded: dict[str, tuple[Codes, tuple[Any, ...]]]) -> tuple[Codes, tuple[Any, ...]]:
    """What was rated: the items, or where systems share an item, what each made of it."""
    (item, names), (system, systems) = coded["item"], coded["system"]
    pairs = item * len(systems) + system
    met, codes = np.unique(pairs, return_inverse=True)
    if met.size == len(names):
        return item, names
    if "source" not in coded:
        coded["source"] = item, names
    places = [divmod(pair, len(systems)) for pair in met.tolist()]
    return codes.astype(np.intp), tuple((names[i], systems[s]) for i, s in places)


def refuse_names(scale: Scale) -> None:
    """Refuse names without order, which have no mean."""
    if scale.level is Level.NOMINAL and not (scale.categories and len(scale.categories) == 2):
        raise InvalidArgument("stats.systems-nominal", scale=scale.describe())


def _factor_names(ratings: Ratings, factors: Sequence[str] | None) -> list[str]:
    known = [name for name in FACTORS if name in ratings.columns]
    if ratings.slots:
        known.remove("judge")
    for name in ["system"] if factors is None else factors:
        if name == "judge" and ratings.slots:
            raise InvalidArgument("stats.judge-unknown")
        if name not in known:
            by_item = "-of-items" if name in ("system", "source", "cluster") else ""
            raise InvalidArgument(f"stats.factor-unknown{by_item}", factor=name)
    return known if factors is None else list(dict.fromkeys(factors))


def encode(
    name: str, column: npt.NDArray[Any], items: npt.NDArray[Any]
) -> tuple[Codes, tuple[Any, ...]]:
    """Number the distinct values of a column in their order; `items` say where one is empty."""
    if column.dtype.kind in "iub":
        names, codes = np.unique(column, return_inverse=True)
        return codes.astype(np.intp), tuple(names.tolist())
    values = column.tolist()
    empty = [place for place, value in enumerate(values) if value is None or value != value]
    if empty:
        some = dict.fromkeys(items[empty[:5]].tolist())
        raise RatingsError("stats.factor-empty", rows=some, n=len(empty), factor=name)
    different = _in_order(set(values))
    numbers = {value: number for number, value in enumerate(different)}
    codes = np.fromiter(map(numbers.__getitem__, values), np.intp, len(values))
    return codes, tuple(different)


def _in_order(values: set[Any]) -> list[Any]:
    """Numbers before words."""
    words = [value for value in values if isinstance(value, str)]
    return [*sorted(values.difference(words)), *sorted(words)]
