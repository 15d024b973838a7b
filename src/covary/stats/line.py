"""Ratings on a line as they came: sums of them sort nothing, orders only each judge's ratings.

What draws items takes `Patterns` with the places of ratings among the distinct ones, whose rows are
sorted so that a seed gives the same draws whichever way the ratings came.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from covary.ratings import Ratings
from covary.ratings.matrix import BLOCK, place_numbers
from covary.scales import Level, Scale
from covary.stats.ordering import CommonRatings
from covary.stats.patterns import Codes, Floats, Ints, Patterns

DRAWN_UP_TO = 10_000
"""With more rows than this the default interval of a coefficient of sums draws nothing."""

MOST_JUDGES = 20
"""With more judges than this, columns of ratings are no longer multiplied with each other."""

BY_SUMS = (None, "analytic", "hughes", "jackknife")
"""The methods by which intervals of sums draw nothing, whatever the order of rows."""

BY_ORDER = (None, "analytic")
"""The same of what is read off the ratings' order, where rows are left out in random groups."""

LOOKED_AT = 200
"""So many items tell that ratings differ, where they do."""


class JudgeProducts(NamedTuple):
    """Of every two judges: the items that both rated, the first one's sum and sum of squares on
    these, and the sum of products.
    """

    n: Floats
    x: Floats
    xx: Floats
    xy: Floats


class LinePatterns(Patterns):
    """Every item a row, in the order in which they came, with the ratings themselves in `table`."""

    table: Floats

    def __new__(cls, **fields: Any) -> Any:
        """Give plain patterns where fields are replaced."""
        return Patterns(**fields)

    @classmethod
    def of(cls, table: Floats, judges: tuple[Any, ...], scale: Scale) -> LinePatterns:
        """Take items × judges, NaN where there is no rating."""
        made: LinePatterns = object.__new__(cls)
        counts = np.ones(len(table), dtype=np.int64)
        made.__dict__.update(table=table, judges=judges, scale=scale, counts=counts)
        return made

    @cached_property
    def codes(self) -> Codes:
        """The place of each rating among the distinct ones."""
        return self._places[0]

    @cached_property
    def values(self) -> Floats:
        """The distinct ratings in order."""
        return self._places[1]

    @cached_property
    def _places(self) -> tuple[Codes, Floats]:
        return place_numbers(self.table)

    @cached_property
    def rated(self) -> npt.NDArray[np.bool_]:
        return ~np.isnan(self.table)

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest rating."""
        low, high = np.fmin.reduce(self.table, axis=None), np.fmax.reduce(self.table, axis=None)
        return float(low), float(high)

    @cached_property
    def middle(self) -> float:
        """A rating that was given, in the middle of the first ones."""
        some = self.table[:LOOKED_AT]
        some = np.sort(some[~np.isnan(some)])
        return float(some[some.size // 2]) if some.size else self.ends[0]

    @cached_property
    def n_items(self) -> int:
        return len(self.table)

    @cached_property
    def n_ratings(self) -> int:
        return int(np.count_nonzero(self.rated))

    @cached_property
    def n_informative(self) -> int:
        """How many of the first items show another rating than others do; of all, where few do."""
        some = self.table[:LOOKED_AT]
        places, _ = place_numbers(some)
        alike = places[(places == places.max(axis=1, keepdims=True)).all(axis=1), 0]
        telling = len(some) - int(np.bincount(alike, minlength=1).max())
        return telling if 2 * telling > len(some) else Patterns(**self._fields).n_informative

    @property
    def _fields(self) -> dict[str, Any]:
        known = {"judges": self.judges, "scale": self.scale, "counts": self.counts}
        return known | {"codes": self.codes, "values": self.values}

    @cached_property
    def common(self) -> CommonRatings:
        table = self.table
        return CommonRatings(
            rated=self.rated,
            counts=self.counts.astype(float),
            codes=lambda: place_numbers(table)[0],
            n_values=self.table.size + 1,
            shared=self.products.n,
        )

    @cached_property
    def sizes(self) -> npt.NDArray[np.int64]:
        total = np.zeros(len(self.table), dtype=np.int8)
        for column in self.rated.T:
            total += column
        return total.astype(np.int64)

    @cached_property
    def standard(self) -> tuple[float, float]:
        """The middle of the line and half its length, which keep sums of squares exact."""
        low, high = self.ends
        return (low + high) / 2, (high - low) / 2 or 1.0

    @cached_property
    def products(self) -> JudgeProducts:
        """The sums of all judges' standard numbers and of every two judges' products."""
        return _products(self.table.T, *self.standard)

    def numbers(self, level: Level | None = None) -> Floats:  # noqa: ARG002 - a line is a line
        return self.table

    def keep(self, rows: Any) -> LinePatterns:
        kept = np.array([column[rows] for column in self.table.T]).T
        return LinePatterns.of(kept, self.judges, self.scale)

    @cached_property
    def _orders(self) -> list[Ints]:
        """The rows that each judge rated, from the lowest rating to the highest."""
        return [
            np.argsort(column)[: np.count_nonzero(rated)]
            for column, rated in zip(self.table.T, self.rated.T, strict=True)
        ]

    def codes_of(self, judge: int, rows: npt.NDArray[np.bool_] | None = None) -> Ints:
        order, column = self._orders[judge], self.table[:, judge]
        if rows is not None:
            order = order[rows[order]]
        ordered, codes = column[order], np.full(column.size, -1, dtype=np.int64)
        new = np.ones(order.size, dtype=np.int64)
        new[1:] = ordered[1:] != ordered[:-1]
        codes[order] = np.cumsum(new) - 1
        return codes

    def shared_codes(self, pair: int) -> tuple[Ints, Ints, Ints]:
        first, second = self.common.pairs[pair].tolist()
        both = self.rated[:, first] & self.rated[:, second]
        if both.all():
            return self.codes_of(first), self.codes_of(second), np.arange(both.size)
        rows = np.flatnonzero(both)
        return self.codes_of(first, both)[rows], self.codes_of(second, both)[rows], rows

    def has_few_values(self, most: int) -> bool:
        """Say so without sorting all ratings, where some of them are enough."""
        some = self.table[: LOOKED_AT + most]
        return np.unique(some[~np.isnan(some)]).size <= most and self.n_values <= most

    def columns(self, judges: Sequence[Any]) -> LinePatterns:
        places = [self.judges.index(judge) for judge in judges]
        return LinePatterns.of(self.table[:, places], tuple(judges), self.scale)

    def only(self, judges: Sequence[Any]) -> LinePatterns:
        part = self.columns(judges)
        return part.keep(part.sizes > 0)


def _products(columns: Floats, middle: float, unit: float) -> JudgeProducts:
    """Multiply judges' columns in blocks of rows that stay in the processor's cache."""
    judges, rows = columns.shape
    n, x, xx, xy = (np.zeros((judges, judges)) for _ in range(4))
    step = max(1, BLOCK // judges)
    for start in range(0, rows, step):
        block = (columns[:, start : start + step] - middle) / unit
        rated = ~np.isnan(block)
        if rated.all():
            n += block.shape[1]
            x += block.sum(axis=1)[:, None]
            xx += np.einsum("ji,ji->j", block, block)[:, None]
        else:
            block[~rated] = 0.0
            mask = rated.astype(float)
            n += mask @ mask.T
            x += block @ mask.T
            xx += (block * block) @ mask.T
        xy += block @ block.T
    return JudgeProducts(n, x, xx, xy)


def unsorted(
    ratings: Ratings, method: str | None, draw_nothing: Sequence[str | None]
) -> LinePatterns | None:
    """Ratings that came as a matrix of numbers on a line, where an interval by this method draws
    nothing; None where they must be sorted.
    """
    line = None if ratings.matrix is None else ratings.matrix.line
    if line is None or line.shape[1] > MOST_JUDGES:
        return None
    if method not in draw_nothing and (method != "auto" or len(line) <= DRAWN_UP_TO):
        return None
    if (None, "line") not in ratings.cache:
        whole = LinePatterns.of(line, ratings.judges, ratings.scale())
        rated = whole.sizes > 0
        whole = whole if rated.all() else whole.keep(rated)
        ratings.cache[None, "line"] = whole
    patterns: LinePatterns = ratings.cache[None, "line"]
    return patterns
