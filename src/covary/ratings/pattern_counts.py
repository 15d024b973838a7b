"""What an engine counts of ratings on categories, so that only small tables come to Python.

A few questions, each with the same expressions in Polars, pandas, PyArrow, DuckDB and Spark: how
many items show each *pattern* (which judge gave which rating), how many show each *tally* (how
often each category was given, by whomever), how often two judges gave an item each *pair* of
ratings, and how often each judge *used* each category. At the end, how many of what was rated.

For patterns and tallies each rating becomes one digit of a number, so that one sum by item and one
count by sum are all that an engine does. The sums are floating-point numbers below 2⁵³, which every
engine adds exactly, in whatever order. There are no nulls among the keys, on whose grouping engines
differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import RatingsError
from covary.ratings import expressions as nw
from covary.ratings.frames import Frame, distinct, fetch, fetch_blocks, with_groups
from covary.records import dataclass

EXACT = 2**53
"""Whole numbers up to here are exact in the floating-point sums of every engine."""

MOST_PACKED = 64
"""With more judges every two of them are cross-tabulated by a join and not from patterns."""

BLOCK = 20_000
"""So many patterns come to Python at once where they are only passed through."""


def case(column: str, keys: Sequence[Any], values: Sequence[float]) -> nw.Expr:
    """Give each key of a column its value, and 0 to any other."""
    expression: Any = nw.lit(0.0)
    for key, value in zip(reversed(keys), reversed(values), strict=True):
        expression = nw.when(nw.col(column) == key).then(nw.lit(value)).otherwise(expression)
    return expression  # type: ignore[no-any-return]


def chunks(places: int, base: int) -> list[int]:
    """Split places so that the number of each part stays exact: how many places each part has."""
    room = 1
    while base ** (room + 1) < EXACT:
        room += 1
    return [min(room, places - start) for start in range(0, places, room)]


def digits(
    packed: npt.NDArray[np.float64], base: int, sizes: Sequence[int]
) -> npt.NDArray[np.int64]:
    """Read the digits back out of the numbers: a column for each place."""
    columns = []
    for number, size in enumerate(sizes):
        rest = packed[:, number].astype(np.int64)
        for _ in range(size):
            columns.append(rest % base)
            rest = rest // base
    return np.column_stack(columns)


Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class PatternCounts:
    """Distinct rows of digits from 0, how many items show each, and the cluster they are from."""

    digits: Ints
    counts: Ints
    clusters: npt.NDArray[Any] | None = None


def count_patterns(
    frame: Frame, judges: Sequence[Any], categories: Sequence[Any], *, most: int | None = None
) -> PatternCounts | None:
    """Count the items that show each pattern: a place for each judge, 0 where there is no rating.

    With more than `most` patterns there is no answer, because they would not be small.
    """
    keys = pattern_keys(judges, categories)
    return _count_sums(frame, keys, len(categories) + 1, len(judges), most=most)


def count_tallies(
    frame: Frame, categories: Sequence[Any], n_judges: int, *, most: int | None = None
) -> PatternCounts | None:
    """Count the items that show each tally: how often each category was given, by whomever.

    With more than `most` tallies there is no answer.
    """
    base = n_judges + 1
    keys = _powers("rating", categories, base)
    return _count_sums(frame, keys, base, len(categories), most=most)


def count_pairs(
    frame: Frame, judges: Sequence[Any], categories: Sequence[Any], groups: int
) -> npt.NDArray[np.float64]:
    """Cross-tabulate every two judges on the items that both rated, in each group of items.

    Items (or clusters, where there are any) fall into groups by a fingerprint of their names,
    which is the same in every engine. Returns pairs × groups × categories × categories, with the
    pairs in the order of `itertools.combinations(judges, 2)`.
    """
    unit = "cluster" if "cluster" in frame.collect_schema().names() else "item"
    if len(judges) > MOST_PACKED or frame.implementation.is_spark_like():
        return _join_pairs(with_groups(frame, unit, groups), judges, categories, groups)
    return _pack_pairs(frame, judges, categories, unit=unit, groups=groups)


def _pack_pairs(
    frame: Frame, judges: Sequence[Any], categories: Sequence[Any], *, unit: str, groups: int
) -> npt.NDArray[np.float64]:
    """Cross-tabulate from patterns that come to Python block by block and are not kept."""
    from scipy import sparse

    j, k, base = len(judges), len(categories), len(categories) + 1
    expressions = pattern_keys(judges, categories)
    keys = [f"key{number}" for number in range(len(expressions))]
    summed = frame.with_columns(**dict(zip(keys, expressions, strict=True)))
    own = [nw.col("cluster").min()] * (unit == "cluster")
    items = summed.group_by("item").agg(*(nw.col(key).sum() for key in keys), *own)
    kinds = with_groups(items, unit, groups).group_by(["group", *keys]).agg(n=nw.len())
    numbers = np.zeros((j, j), dtype=np.int64)
    numbers[np.triu_indices(j, 1)] = np.arange(j * (j - 1) // 2)
    tables = np.zeros((j * (j - 1) // 2, groups, k, k))
    for columns in fetch_blocks(kinds, BLOCK):
        packed = np.column_stack([columns[key].astype(float) for key in keys])
        given = digits(packed, base, chunks(j, base))
        row, judge = np.nonzero(given)
        cell = judge * k + given[row, judge] - 1
        group = columns["group"].astype(np.int64)[row]
        n, rows = columns["n"].astype(float)[row], len(given)
        one = sparse.csr_array((n, (row, group * j * k + cell)), shape=(rows, groups * j * k))
        other = sparse.csr_array((np.ones(row.size), (row, cell)), shape=(rows, j * k))
        both = (one.T @ other).tocoo()
        (group, first), second = np.divmod(both.row // k, j), both.col // k
        kept = first < second
        pair = numbers[first[kept], second[kept]]
        tables[pair, group[kept], both.row[kept] % k, both.col[kept] % k] += both.data[kept]
    return tables


def _join_pairs(
    grouped: Frame, judges: Sequence[Any], categories: Sequence[Any], groups: int
) -> npt.NDArray[np.float64]:
    """Cross-tabulate by a join of each item's ratings with each other, all in the engine."""
    one = grouped.select("item", "group", "judge", "rating")
    other = grouped.select("item", second="judge", other="rating")
    both = one.join(other, on="item", how="inner").filter(nw.col("judge") < nw.col("second"))
    keys = ["group", "judge", "second", "rating", "other"]
    cells = fetch(both.group_by(keys).agg(n=nw.len()))
    first, second = (_places(cells[name], judges) for name in ("judge", "second"))
    row, column = (_places(cells[name], categories) for name in ("rating", "other"))
    j, k = len(judges), len(categories)
    pair = first * (2 * j - first - 1) // 2 + second - first - 1
    tables = np.zeros((j * (j - 1) // 2, groups, k, k))
    tables[pair, cells["group"].astype(np.int64), row, column] = cells["n"]
    return tables


def count_uses(frame: Frame, judges: Sequence[Any], categories: Sequence[Any]) -> Ints:
    """Count how often each judge gave each rating: judges × categories."""
    cells = fetch(frame.group_by("judge", "rating").agg(n=nw.len()))
    uses = np.zeros((len(judges), len(categories)), dtype=np.int64)
    uses[_places(cells["judge"], judges), _places(cells["rating"], categories)] = cells["n"]
    return uses


def refuse_split_clusters(split: Sequence[Any]) -> None:
    """Refuse items that lie in more than one cluster."""
    if split:
        raise RatingsError("ratings.split-items", items=split)


def pattern_keys(judges: Sequence[Any], categories: Sequence[Any]) -> list[nw.Expr]:
    """What a rating adds to the numbers of its item's pattern: its digit at its judge's place."""
    base = len(categories) + 1
    digit = case("rating", categories, [float(k) for k in range(1, base)])
    return [digit * power for power in _powers("judge", judges, base)]


def _powers(column: str, names: Sequence[Any], base: int) -> list[nw.Expr]:
    """Give each name its place in a number, and as many numbers as stay exact."""
    expressions, start = [], 0
    for size in chunks(len(names), base):
        powers = [float(base**place) for place in range(size)]
        expressions.append(case(column, names[start : start + size], powers))
        start += size
    return expressions


def _count_sums(
    frame: Frame, sums: Sequence[nw.Expr], base: int, places: int, *, most: int | None = None
) -> PatternCounts | None:
    """Sum by item, then count by sum."""
    keys = [f"key{number}" for number in range(len(sums))]
    summed = frame.with_columns(**dict(zip(keys, sums, strict=True)))
    totals = [nw.col(key).sum() for key in keys]
    clustered = "cluster" in frame.collect_schema().names()
    if clustered:
        ends = [nw.col("cluster").min().alias("cluster"), nw.col("cluster").max().alias("other")]
        items = summed.group_by("item").agg(*totals, *ends)
        split = items.filter(nw.col("cluster") != nw.col("other")).select("item").head(5)
        refuse_split_clusters(fetch(split)["item"].tolist())
    else:
        items = summed.group_by("item").agg(*totals)
    by = ["cluster", *keys] if clustered else keys
    kinds = items.group_by(by).agg(n=nw.len())
    columns = fetch(kinds if most is None else kinds.head(most + 1))
    if most is not None and len(columns["n"]) > most:
        return None
    packed = np.column_stack([columns[key].astype(float) for key in keys])
    return PatternCounts(
        digits(packed, base, chunks(places, base)),
        columns["n"].astype(np.int64),
        columns["cluster"] if clustered else None,
    )


def _places(column: npt.NDArray[Any], names: Sequence[Any]) -> Ints:
    places = {name: place for place, name in enumerate(names)}
    return np.fromiter((places[value] for value in column.tolist()), np.int64, len(column))


@dataclass(frozen=True, kw_only=True)
class RatingCounts:
    """What was rated on one criterion.

    `least` and `most` are the ratings of an item; `sources` and `systems` are 0 where the ratings
    do not know them, and `crossed` says that every system has one item of every source.
    """

    criterion: Any
    items: int
    judges: int
    ratings: int
    least: int
    most: int
    systems: int = 0
    sources: int = 0
    crossed: bool = False

    @property
    def complete(self) -> bool:
        """Whether every judge rated every item."""
        return self.least == self.judges == self.most


def rating_counts(frame: Frame, criteria: Sequence[Any]) -> tuple[RatingCounts, ...]:
    """Count what was rated, criterion by criterion.

    Examples
    --------
    >>> from covary import datasets
    >>> ratings = datasets.load("latin-square-example")
    >>> (counts,) = rating_counts(ratings.frame, ratings.criteria)
    >>> counts.items, counts.sources, counts.systems, counts.crossed, counts.most
    (32, 8, 4, True, 1)
    """
    return tuple(_count_on(frame, criterion) for criterion in criteria)


def _count_on(frame: Frame, criterion: Any) -> RatingCounts:
    rated = frame.filter(~nw.col("rating").is_null())
    if criterion is not None:
        rated = rated.filter(nw.col("criterion") == criterion)
    columns = frame.collect_schema().names()
    known = [name for name in ("system", "source") if name in columns]
    values = {name: _distinct(rated, name) for name in known}
    items = fetch(rated.group_by("item").agg(n=nw.len()).group_by("n").agg(times=nw.len()))
    per_item = dict(zip(items["n"].tolist(), items["times"].tolist(), strict=True))
    n_items = sum(per_item.values())
    systems, sources = values.get("system", 0), values.get("source", 0)
    pairs = _distinct(rated, *known) if systems and sources else 0
    return RatingCounts(
        criterion=criterion,
        items=n_items,
        judges=_distinct(rated, "judge"),
        ratings=sum(n * times for n, times in per_item.items()),
        least=min(per_item, default=0),
        most=max(per_item, default=0),
        systems=systems,
        sources=sources,
        crossed=0 < systems * sources == n_items == pairs,
    )


def _distinct(rated: Frame, *columns: str) -> int:
    return int(fetch(distinct(rated, *columns).select(n=nw.len()))["n"][0])
