"""Ratings on a line as they came: sums of them sort nothing, orders only each judge's ratings.

What draws items takes `Patterns` with the places of ratings among the distinct ones, whose rows are
sorted so that a seed gives the same draws whichever way the ratings came.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from covary.ratings import Ratings
from covary.ratings.matrix import BLOCK, place_numbers
from covary.scales import Level, Scale
from covary.stats.inversions import line_order
from covary.stats.ordering import CommonRatings
from covary.stats.patterns import Codes, Floats, Ints, Patterns

Mask = npt.NDArray[np.bool_]

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
    """Every item a row, in the order in which they came, with the ratings themselves in `table`.

    Items that are left out stay in `whole`, and `chosen` says which are not: copying these would
    cost as much as adding them up.
    """

    whole: Floats
    chosen: Mask | None

    def __new__(cls, **fields: Any) -> Any:
        """Give plain patterns where fields are replaced."""
        return Patterns(**fields)

    @classmethod
    def of(
        cls,
        whole: Floats,
        judges: tuple[Any, ...],
        scale: Scale,
        chosen: Mask | None = None,
        **known: Any,
    ) -> LinePatterns:
        """Take items × judges, NaN where there is no rating, and which of the items count."""
        made: LinePatterns = object.__new__(cls)
        made.__dict__.update(whole=whole, chosen=chosen, judges=judges, scale=scale, **known)
        return made

    @cached_property
    def counts(self) -> Ints:
        return np.broadcast_to(np.int64(1), (self.n_items,))

    @cached_property
    def times(self) -> Floats:
        return np.broadcast_to(np.float64(1.0), (self.n_items,))

    @cached_property
    def table(self) -> Floats:
        """The ratings of the items that count."""
        return self.whole if self.chosen is None else self.whole.T.compress(self.chosen, axis=1).T

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
    def without_gaps(self) -> bool:
        """Whether `whole` is known to have a rating in every place."""
        return False

    @cached_property
    def _given(self) -> Mask:
        """Where there is a rating in `whole`."""
        if self.without_gaps:
            return np.broadcast_to(np.True_, self.whole.shape)
        return ~np.isnan(self.whole)

    @cached_property
    def _times(self) -> npt.NDArray[np.int8]:
        """How many ratings each item of `whole` has."""
        if self.without_gaps:
            return np.broadcast_to(np.int8(len(self.judges)), len(self.whole))
        total = np.zeros(len(self.whole), dtype=np.int8)
        for column in self._given.T:
            total += column
        return total

    @cached_property
    def rated(self) -> Mask:
        return np.asarray(_chosen_rows(self._given, self.chosen))

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest rating, of items that are left out too."""
        low, high = np.fmin.reduce(self.whole, axis=None), np.fmax.reduce(self.whole, axis=None)
        return float(low), float(high)

    @cached_property
    def _first(self) -> Floats:
        """The first of the items that count."""
        if self.chosen is None:
            return self.whole[:LOOKED_AT]
        return self.whole[np.flatnonzero(self.chosen)[:LOOKED_AT]]

    @cached_property
    def middle(self) -> float:
        """A rating that was given, in the middle of the first ones."""
        some = np.sort(self._first[~np.isnan(self._first)])
        return float(some[some.size // 2]) if some.size else self.ends[0]

    @cached_property
    def n_items(self) -> int:
        return len(self.whole) if self.chosen is None else int(np.count_nonzero(self.chosen))

    @cached_property
    def n_ratings(self) -> int:
        return int(_chosen_rows(self._times, self.chosen).sum())

    @cached_property
    def n_informative(self) -> int:
        """How many of the first items show another rating than others do; of all, where few do."""
        places, _ = place_numbers(self._first)
        alike = places[(places == places.max(axis=1, keepdims=True)).all(axis=1), 0]
        telling = len(places) - int(np.bincount(alike, minlength=1).max())
        return telling if 2 * telling > len(places) else Patterns(**self._fields).n_informative

    @property
    def _fields(self) -> dict[str, Any]:
        known = {"judges": self.judges, "scale": self.scale, "counts": self.counts}
        return known | {"codes": self.codes, "values": self.values}

    @cached_property
    def common(self) -> CommonRatings:
        whole, given, chosen = self.whole, self._given, self.chosen
        return CommonRatings(
            rated=lambda: _chosen_rows(given, chosen),
            counts=self.times,
            codes=lambda: place_numbers(_chosen_rows(whole, chosen))[0],
            n_values=whole.size + 1,
            n_judges=len(self.judges),
            shared=self._shared_items,
        )

    @cached_property
    def _shared_items(self) -> Floats:
        """How many items every two judges share (above the diagonal)."""
        given = self._given if self._shared is self.whole else self.rated
        items = np.zeros((len(self.judges),) * 2)
        for first, second in combinations(range(len(self.judges)), 2):
            items[first, second] = np.count_nonzero(given[:, first] & given[:, second])
        return items

    @cached_property
    def sizes(self) -> Ints:
        return np.asarray(_chosen_rows(self._times, self.chosen), dtype=np.int64)

    @cached_property
    def several(self) -> Mask:
        return np.asarray(_chosen_rows(self._times, self.chosen) > 1)

    @cached_property
    def standard(self) -> tuple[float, float]:
        """A rating in the middle and half the line's length, which keep sums of squares exact."""
        low, high = self.ends
        return self.middle, high / 2 - low / 2 or 1.0

    @cached_property
    def products(self) -> JudgeProducts:
        """The sums of all judges' standard numbers and of every two judges' products.

        Items with one rating count for that judge alone, whether they are left out or not.
        """
        return judge_products(self._shared.T, *self.standard)

    @cached_property
    def _shared(self) -> Floats:
        """A table with all items that count and none of the others that two judges rated."""
        if self.chosen is not None and self._times[~self.chosen].max(initial=0) > 1:
            return self.table
        return self.whole

    def quadratic_slopes(self, terms: PairTerms) -> Floats:
        """Evaluate a polynomial of every two judges' standard numbers for each item."""
        table = self._shared
        slopes, nothing = np.empty(len(table)), np.zeros_like(terms.xy)
        every = np.block([[terms.xy, terms.x], [nothing, terms.alone], [nothing, terms.xx]])
        for rows, block, gaps in standard_blocks(table.T, *self.standard):
            if gaps:
                parts = block.reshape(len(every), -1)
                np.einsum("ji,ji->i", parts, every @ parts[: every.shape[1]], out=slopes[rows])
            else:
                slopes[rows] = _evaluate(terms, block[0])
        return slopes if slopes.size == self.n_items else slopes[self.chosen]

    def numbers(self, level: Level | None = None) -> Floats:  # noqa: ARG002 - a line is a line
        return self.table

    def keep(self, rows: Any) -> LinePatterns:
        rows = np.asarray(rows)
        if rows.dtype != bool:
            kept = np.array([column[rows] for column in self.table.T]).T
            return LinePatterns.of(kept, self.judges, self.scale)
        if self.chosen is not None:
            chosen = self.chosen.copy()
            chosen[self.chosen] = rows
            rows = chosen
        known = {"_given": self._given, "_times": self._times, "ends": self.ends}
        known["without_gaps"] = self.without_gaps
        return LinePatterns.of(self.whole, self.judges, self.scale, rows, **known)

    @cached_property
    def _ranks(self) -> list[Ints]:
        """The places of each judge's ratings among those of the judge, -1 where there is none."""
        return [
            _places_of(column, None if rated.all() else np.flatnonzero(rated))
            for column, rated in zip(self.table.T, self.rated.T, strict=True)
        ]

    def codes_of(self, judge: int) -> Ints:
        return self._ranks[judge]

    def shared_codes(self, pair: int) -> tuple[Ints, Ints, Ints | slice]:
        first, second = self.common.pairs[pair].tolist()
        both = self.rated[:, first] & self.rated[:, second]
        if both.all():
            return self._ranks[first], self._ranks[second], slice(None)
        rows = np.flatnonzero(both)
        return self._ranks[first][rows], self._ranks[second][rows], rows

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


class PairTerms(NamedTuple):
    """A polynomial of every two judges' numbers x and y: the sum over pairs of what stands before
    x y, before x and x² (judges × judges whose item it is too), and alone.
    """

    xy: Floats
    x: Floats
    xx: Floats
    alone: Floats


def _places_of(column: Floats, rows: Ints | None) -> Ints:
    """The places of numbers among the distinct ones; those of some rows, and -1 for the others."""
    numbers = column if rows is None else column[rows]
    order = line_order(numbers)
    ordered, places = numbers[order], np.arange(order.size)
    new = ordered[1:] != ordered[:-1]
    if not new.all():
        places[1:] = np.cumsum(new)
    codes = np.full(column.size, -1, dtype=np.int64)
    codes[order if rows is None else rows[order]] = places
    return codes


def _chosen_rows(rows: Any, chosen: Mask | None) -> Any:
    """Some of the rows, of a table in the order of its columns."""
    if chosen is None:
        return rows
    return rows[chosen] if rows.ndim == 1 else rows.T.compress(chosen, axis=1).T


def _evaluate(terms: PairTerms, numbers: Floats) -> Floats:
    """The polynomial of each item (a column) that all judges rated."""
    inner = (terms.xy + np.diag(terms.xx.sum(axis=1))) @ numbers
    inner += terms.x.sum(axis=1)[:, None]
    return np.asarray(np.einsum("ji,ji->i", inner, numbers) + terms.alone.sum())


def standard_blocks(
    columns: Floats, middle: float, unit: float
) -> Iterator[tuple[slice, Floats, bool]]:
    """Blocks of judges' columns that stay in the processor's cache: which rows, a block (3 ×
    judges × rows) and whether it has gaps.

    A block has the numbers from the middle in a unit, 0 where there is no rating; 1 where there is
    one, else 0; and, if there are gaps, the squares. The next block takes its place.
    """
    judges, n_rows = columns.shape
    step = max(1, min(BLOCK // judges, n_rows))
    kept, per = np.empty((3, judges, step)), 1 / unit
    for start in range(0, n_rows, step):
        some = columns[:, start : start + step]
        block = kept[:, :, : some.shape[1]]
        numbers, rated, squares = block
        np.subtract(some, middle, out=numbers)
        numbers *= per
        missing = np.isnan(numbers)
        gaps = bool(missing.any())
        if gaps:
            numbers[missing] = 0.0
            np.multiply(numbers, numbers, out=squares)
        np.subtract(1.0, missing, out=rated)
        yield slice(start, start + some.shape[1]), block, gaps


def judge_products(columns: Floats, middle: float, unit: float) -> JudgeProducts:
    """Add up and multiply judges' columns."""
    judges = len(columns)
    total, every = np.zeros((3, judges, 2, judges)), np.arange(judges)
    for _, block, gaps in standard_blocks(columns, middle, unit):
        parts = block.reshape(3 * judges, -1)
        both = parts[: 2 * judges].T
        if gaps:
            total += (parts @ both).reshape(total.shape)
        else:
            sums = (parts[:judges] @ both).reshape(total.shape[1:])
            total[0] += sums
            total[1, :, 1] += parts.shape[1]
            total[2, :, 1] += sums[every, 0, every][:, None]
    (xy, x), (_, n), (_, xx) = total.swapaxes(1, 2)
    return JudgeProducts(n, x, xx, xy)


def unsorted(
    ratings: Ratings, method: str | None, draw_nothing: Sequence[str | None]
) -> LinePatterns | None:
    """Ratings that came as a matrix of numbers on a line, where an interval by this method draws
    nothing; None where they must be sorted.
    """
    matrix = ratings.matrix
    line = None if matrix is None else matrix.line
    if matrix is None or line is None or line.shape[1] > MOST_JUDGES:
        return None
    if method not in draw_nothing and (method != "auto" or len(line) <= DRAWN_UP_TO):
        return None
    if (None, "line") not in ratings.cache:
        known: dict[str, Any] = {} if matrix.ends is None else {"ends": matrix.ends}
        known["without_gaps"] = matrix.without_gaps
        whole = LinePatterns.of(line, ratings.judges, ratings.scale(), **known)
        rated = whole._times > 0
        whole = whole if rated.all() else whole.keep(rated)
        ratings.cache[None, "line"] = whole
    patterns: LinePatterns = ratings.cache[None, "line"]
    return patterns
