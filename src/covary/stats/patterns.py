"""Items collapsed to distinct patterns of ratings, counted where the data live.

Each rating becomes one digit of a number: the category, in the place of its judge. The sum of
an item's digits is then its pattern, so one grouped sum by item and one count by pattern are all
that an engine has to do, and the same two steps run in Polars, pandas, PyArrow, DuckDB and Spark.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument, RatingsError, listed
from covary.ratings import Ratings
from covary.ratings.encode import Matrix
from covary.ratings.frames import Frame, fetch
from covary.scales import Level, Scale, is_number

__all__ = ["Patterns", "collapse"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]

EXACT = 2**53
"""Whole numbers up to here are exact in the floating-point sums of every engine."""

MOST_PLACES = 64
"""With more judges than this a pattern has too many places to be worth collapsing."""


@dataclass(frozen=True)
class Patterns:
    """Distinct rows of an items × judges matrix, and how many items show each.

    `codes` holds category numbers (-1 where a judge did not rate), `values` what they stand for.
    Where a scale is continuous every item is a row of its own and `values` are the distinct
    ratings in order. Rows are sorted, so that a seed gives the same draws in every engine.
    """

    codes: Codes
    counts: Ints
    values: tuple[Any, ...] | Floats
    judges: tuple[Any, ...]
    scale: Scale
    clusters: Ints | None = None

    @cached_property
    def rated(self) -> npt.NDArray[np.bool_]:
        """Where there is a rating."""
        return self.codes >= 0

    @property
    def n_values(self) -> int:
        """How many categories (or distinct ratings) there are."""
        return len(self.values)

    @property
    def continuous(self) -> bool:
        """Whether the ratings are numbers on a line and not categories."""
        return self.scale.categories is None

    @cached_property
    def n_items(self) -> int:
        """How many items there are, each with at least one rating."""
        return int(self.counts.sum())

    @cached_property
    def n_ratings(self) -> int:
        """How many ratings there are."""
        return int(self.rated.sum(axis=1) @ self.counts)

    def positions(self, level: Level | None = None) -> Floats:
        """Where each category stands on the scale at a level."""
        if self.continuous:
            return np.asarray(self.values, dtype=float)
        return np.asarray(self.scale.positions(level), dtype=float)

    def numbers(self, level: Level | None = None) -> Floats:
        """The ratings as numbers, NaN where there is none."""
        if not self.n_values:
            return np.full(self.codes.shape, np.nan)
        return np.where(self.rated, self.positions(level)[self.codes], np.nan)

    @cached_property
    def given(self) -> tuple[Ints, Ints, Codes]:
        """The ratings one by one: their row, their judge and their category."""
        rows, columns = np.nonzero(self.rated)
        return rows, columns, self.codes[rows, columns]

    def by_row(self, each: Floats) -> Floats:
        """Add up a number that belongs to each of the `given` ratings over each row."""
        return np.bincount(self.given[0], each, minlength=self.counts.size).astype(float)

    def judges_by_row(self, weights: Floats) -> Floats:
        """Add up the weights of the judges who rated each row."""
        return self.by_row(weights[self.given[1]])

    def tally(self, judge_weights: Floats | None = None) -> Floats:
        """How often each row holds each category: rows × categories."""
        rows, columns, codes = self.given
        places = rows * self.n_values + codes
        weights = None if judge_weights is None else judge_weights[columns]
        size = self.counts.size * self.n_values
        flat = np.bincount(places, weights=weights, minlength=size).astype(float)
        return flat.reshape(self.counts.size, self.n_values)

    def keep(self, rows: Any) -> Patterns:
        """Keep some of the rows, given as a mask or by number."""
        clusters = None if self.clusters is None else self.clusters[rows]
        return Patterns(
            self.codes[rows], self.counts[rows], self.values, self.judges, self.scale, clusters
        )

    def only(self, judges: Sequence[Any]) -> Patterns:
        """Keep some of the judges, and the items that they rated."""
        places = [self.judges.index(judge) for judge in judges]
        codes = self.codes[:, places]
        part = Patterns(codes, self.counts, self.values, tuple(judges), self.scale, self.clusters)
        return _merged(part.keep((codes >= 0).any(axis=1)))

    def without_judges(self) -> Patterns:
        """Merge the rows that differ only in who gave which rating."""
        if self.continuous or not self.codes.size:
            return self
        ordered = -np.sort(-self.codes, axis=1)  # the missing go last
        part = Patterns(ordered, self.counts, self.values, self.judges, self.scale, self.clusters)
        return _merged(part)


def collapse(ratings: Ratings, criterion: Any = None, *, named: bool = True) -> Patterns:
    """Collapse the ratings on one criterion to patterns, in the engine that holds them.

    Unless judges are `named`, a column may be "the n-th rating of the item" instead of a judge,
    which keeps the patterns narrow where many judges rate a few items each.
    """
    chosen = ratings.one_criterion(criterion)
    named = named or ratings.matrix is not None or len(ratings.judges) <= MOST_PLACES
    if (chosen, named) not in ratings.cache:
        ratings.cache[chosen, named] = _collapse(ratings, chosen, named)
    found: Patterns = ratings.cache[chosen, named]
    return found


def _collapse(ratings: Ratings, criterion: Any, named: bool) -> Patterns:
    scale = ratings.scales[criterion]
    if ratings.matrix is not None:
        return _from_matrix(ratings.matrix, scale)
    frame = ratings.frame.filter(~nw.col("rating").is_null())
    if criterion is not None:
        frame = frame.filter(nw.col("criterion") == criterion)
    _refuse_repeats(ratings, frame)
    judges = _sorted(fetch(frame.select("judge").unique())["judge"].tolist())
    clustered = "cluster" in ratings.columns
    if not judges:
        none, categories = np.empty((0, 0), np.int32), scale.categories or ()
        return Patterns(none, np.empty(0, np.int64), categories, (), scale)
    if scale.categories is None or len(judges) > MOST_PLACES:
        return _from_rows(frame, judges, scale, clustered, named)
    return _from_engine(frame, judges, scale, clustered)


def _refuse_repeats(ratings: Ratings, frame: Frame) -> None:
    for column in ("occasion", "round"):
        if column in ratings.columns:
            found = _sorted(fetch(frame.select(column).unique())[column].tolist())
            if len(found) > 1:
                raise InvalidArgument(
                    f"the ratings come from several values of {column} ({listed(found)}), so a "
                    f"judge counts twice or more; choose with ratings.select({column}={found[0]!r})"
                )


def _from_matrix(matrix: Matrix, scale: Scale) -> Patterns:
    codes, places = matrix.codes, len(matrix.judges)
    base = len(matrix.values) + 1
    if scale.categories is None or base**places >= EXACT:
        part = Patterns(codes, np.ones(len(codes), np.int64), matrix.values, matrix.judges, scale)
        part = part.keep((codes >= 0).any(axis=1))
        return _in_order(part) if scale.categories is None else _merged(part)
    keys = np.zeros(len(codes), dtype=np.int64)
    for place in range(places):
        keys += (codes[:, place].astype(np.int64) + 1) * base**place
    distinct, counts = _counted(keys, base**places)
    digits = _digits(distinct.astype(float)[:, None], base, [places])
    part = Patterns(digits, counts, matrix.values, matrix.judges, scale)
    return part.keep((digits >= 0).any(axis=1))


def _counted(keys: Ints, most: int) -> tuple[Ints, Ints]:
    """Count equal keys: by place where there are few, else by sorting."""
    if most <= max(1 << 16, keys.size):
        counts = np.bincount(keys, minlength=most)
        distinct = np.flatnonzero(counts)
        return distinct, counts[distinct]
    found, times = np.unique(keys, return_counts=True)
    return found, times


def _from_engine(frame: Frame, judges: list[Any], scale: Scale, clustered: bool) -> Patterns:
    """Group by item, then by pattern, with the expressions of the engine."""
    assert scale.categories is not None
    base = len(scale.categories) + 1
    chunks = _chunks(len(judges), base)
    digit = _case("rating", list(scale.categories), [float(k + 1) for k in range(base - 1)])
    keys, sums, start = [], [], 0
    for number, size in enumerate(chunks):
        place = _case("judge", judges[start : start + size], [float(base**p) for p in range(size)])
        sums.append((digit * place).alias(f"key{number}"))
        keys.append(f"key{number}")
        start += size
    totals = [nw.col(key).sum() for key in keys]
    if clustered:
        ends = [nw.col("cluster").min().alias("cluster"), nw.col("cluster").max().alias("other")]
        items = frame.with_columns(*sums).group_by("item").agg(*totals, *ends)
        split = items.filter(nw.col("cluster") != nw.col("other")).select("item").head(5)
        _refuse_split_clusters(fetch(split)["item"].tolist())
        keys = ["cluster", *keys]
    else:
        items = frame.with_columns(*sums).group_by("item").agg(*totals)
    found = fetch(items.group_by(keys).agg(n=nw.len()))
    packed = np.column_stack([found[f"key{number}"].astype(float) for number in range(len(chunks))])
    clusters = _numbered(found["cluster"]) if clustered else None
    order = np.lexsort([*packed.T, *([] if clusters is None else [clusters])])
    return Patterns(
        _digits(packed[order], base, chunks),
        found["n"].astype(np.int64)[order],
        scale.categories,
        tuple(judges),
        scale,
        None if clusters is None else clusters[order],
    )


def _from_rows(
    frame: Frame, judges: list[Any], scale: Scale, clustered: bool, named: bool
) -> Patterns:
    """Bring the ratings themselves: every item its own row, the distinct ratings as values."""
    wanted = ["item", "judge", "rating"] + (["cluster"] if clustered else [])
    columns = fetch(frame.select(wanted))
    item = _numbered(columns["item"])
    place = _numbered(columns["judge"]) if named else _slots(item)
    judges = judges if named else list(range(1, int(place.max()) + 2))
    values: Any = scale.categories
    if values is None:
        values, code = np.unique(columns["rating"].astype(float), return_inverse=True)
    else:
        code = _coded(columns["rating"], values).astype(np.int64)
    codes = np.full((int(item.max()) + 1, len(judges)), -1, dtype=np.int32)
    codes[item, place] = code
    clusters = None
    if clustered:
        own = _numbered(columns["cluster"])
        clusters = np.empty(len(codes), dtype=np.int64)
        clusters[item] = own
        split = columns["item"][clusters[item] != own].tolist()
        _refuse_split_clusters(list(dict.fromkeys(split))[:5])
    ones = np.ones(len(codes), dtype=np.int64)
    part = Patterns(codes, ones, values, tuple(judges), scale, clusters)
    return _in_order(part) if scale.categories is None else _merged(part)


def _slots(item: Ints) -> Ints:
    """Number the ratings of each item from 0."""
    order = np.argsort(item, kind="stable")
    sizes = np.bincount(item)
    slots = np.empty_like(item)
    slots[order] = np.arange(item.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return slots


def _refuse_split_clusters(split: list[Any]) -> None:
    if split:
        raise RatingsError(
            f"the items {listed(split)} lie in more than one cluster; an item belongs to "
            "one cluster (a dialogue, a document)"
        )


def _in_order(patterns: Patterns) -> Patterns:
    """Sort the rows, so that a seed gives the same draws whichever way the ratings came."""
    places, base = patterns.codes.shape[1], patterns.n_values + 1
    if base**places >= 2**62:
        return patterns.keep(np.lexsort(patterns.codes.T))
    keys = np.zeros(len(patterns.codes), dtype=np.int64)
    for place in range(places):  # one number for each row sorts quicker than its columns in turn
        keys += (patterns.codes[:, place].astype(np.int64) + 1) * base**place
    return patterns.keep(np.argsort(keys))


def _merged(patterns: Patterns) -> Patterns:
    """Merge equal rows and sort them."""
    table = patterns.codes
    if patterns.clusters is not None:
        table = np.column_stack([patterns.clusters, table])
    if not table.size:
        return patterns
    order = np.lexsort(table.T)
    ordered = table[order]
    new = np.ones(len(ordered), dtype=bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    counts = np.add.reduceat(patterns.counts[order], np.flatnonzero(new))
    clusters = None if patterns.clusters is None else patterns.clusters[order][new]
    codes = patterns.codes[order][new]
    return Patterns(codes, counts, patterns.values, patterns.judges, patterns.scale, clusters)


def _chunks(places: int, base: int) -> list[int]:
    """Split the judges' places so that each part's number stays exact."""
    room = 1
    while base ** (room + 1) < EXACT:
        room += 1
    return [min(room, places - start) for start in range(0, places, room)]


def _case(column: str, keys: Sequence[Any], values: Sequence[float]) -> nw.Expr:
    """Give each key of a column its value, and 0 to any other."""
    expression: Any = nw.lit(0.0)
    for key, value in zip(reversed(keys), reversed(values), strict=True):
        expression = nw.when(nw.col(column) == key).then(nw.lit(value)).otherwise(expression)
    return expression  # type: ignore[no-any-return]


def _digits(packed: Floats, base: int, chunks: list[int]) -> Codes:
    """Read the category numbers back out of the patterns' numbers."""
    columns = []
    for number, size in enumerate(chunks):
        rest = packed[:, number].astype(np.int64)
        for _ in range(size):
            columns.append(rest % base - 1)
            rest = rest // base
    return np.column_stack(columns).astype(np.int32)


def _coded(ratings: npt.NDArray[Any], categories: tuple[Any, ...]) -> Codes:
    if all(is_number(category) for category in categories):
        order = np.argsort(np.asarray(categories, dtype=float))
        ranked = np.asarray(categories, dtype=float)[order]
        return order[np.searchsorted(ranked, ratings.astype(float))].astype(np.int32)
    numbers = {category: number for number, category in enumerate(categories)}
    return np.array([numbers[rating] for rating in ratings.tolist()], dtype=np.int32)


def _numbered(column: npt.NDArray[Any]) -> Ints:
    """Number the distinct values of a column from 0 in their order."""
    if column.dtype != object:
        return np.unique(column, return_inverse=True)[1].astype(np.int64)
    numbers = {value: number for number, value in enumerate(_sorted(list(set(column.tolist()))))}
    return np.array([numbers[value] for value in column.tolist()], dtype=np.int64)


def _sorted(values: list[Any]) -> list[Any]:
    return sorted(values, key=lambda value: (isinstance(value, str), value))
