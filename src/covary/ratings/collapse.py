"""What an engine counts of ratings on categories, so that only small tables come to Python.

A few questions, each with the same expressions in Polars, pandas, PyArrow, DuckDB and Spark: how
many items show each *pattern* (which judge gave which rating), how many show each *tally* (how
often each category was given, by whomever), how often two judges gave an item each *pair* of
ratings, and how often each judge *used* each category.

For patterns and tallies each rating becomes one digit of a number, so that one sum by item and one
count by sum are all that an engine does. There are no nulls among the keys, on whose grouping
engines differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from covary.errors import RatingsError, listed
from covary.ratings.digits import case, chunks, digits
from covary.ratings.frames import Frame, fetch, with_groups

__all__ = [
    "Counted",
    "count_pairs",
    "count_patterns",
    "count_tallies",
    "count_uses",
    "refuse_split_clusters",
]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Counted:
    """Distinct rows of digits from 0, how many items show each, and the cluster they are from."""

    digits: Ints
    counts: Ints
    clusters: npt.NDArray[Any] | None = None


def count_patterns(
    frame: Frame, judges: Sequence[Any], categories: Sequence[Any], *, most: int | None = None
) -> Counted | None:
    """Count the items that show each pattern: a place for each judge, 0 where there is no rating.

    With more than `most` patterns there is no answer, because they would not be small.
    """
    base = len(categories) + 1
    sizes = chunks(len(judges), base)
    digit = case("rating", categories, [float(k) for k in range(1, base)])
    keys, start = [], 0
    for size in sizes:
        powers = [float(base**place) for place in range(size)]
        keys.append(digit * case("judge", judges[start : start + size], powers))
        start += size
    return _counted(frame, keys, base, sizes, most)


def count_tallies(frame: Frame, categories: Sequence[Any], n_judges: int) -> Counted:
    """Count the items that show each tally: how often each category was given, by whomever."""
    base = n_judges + 1
    sizes = chunks(len(categories), base)
    keys, start = [], 0
    for size in sizes:
        powers = [float(base**place) for place in range(size)]
        keys.append(case("rating", categories[start : start + size], powers))
        start += size
    found = _counted(frame, keys, base, sizes, None)
    assert found is not None
    return found


def count_pairs(
    frame: Frame, judges: Sequence[Any], categories: Sequence[Any], groups: int
) -> npt.NDArray[np.float64]:
    """Cross-tabulate every two judges on the items that both rated, in each group of items.

    Items (or clusters, where there are any) fall into groups by a fingerprint of their names,
    which is the same in every engine. Returns pairs × groups × categories × categories, with the
    pairs in the order of `itertools.combinations(judges, 2)`.
    """
    unit = "cluster" if "cluster" in frame.collect_schema().names() else "item"
    grouped = with_groups(frame, unit, groups)
    one = grouped.select("item", "group", "judge", "rating")
    other = grouped.select("item", second="judge", other="rating")
    both = one.join(other, on="item", how="inner").filter(nw.col("judge") < nw.col("second"))
    found = fetch(both.group_by("group", "judge", "second", "rating", "other").agg(n=nw.len()))
    first, second = (_places(found[name], judges) for name in ("judge", "second"))
    given, taken = (_places(found[name], categories) for name in ("rating", "other"))
    j, k = len(judges), len(categories)
    pair = first * (2 * j - first - 1) // 2 + second - first - 1
    tables = np.zeros((j * (j - 1) // 2, groups, k, k))
    tables[pair, found["group"].astype(np.int64), given, taken] = found["n"]
    return tables


def count_uses(frame: Frame, judges: Sequence[Any], categories: Sequence[Any]) -> Ints:
    """Count how often each judge gave each rating: judges × categories."""
    found = fetch(frame.group_by("judge", "rating").agg(n=nw.len()))
    uses = np.zeros((len(judges), len(categories)), dtype=np.int64)
    uses[_places(found["judge"], judges), _places(found["rating"], categories)] = found["n"]
    return uses


def refuse_split_clusters(split: Sequence[Any]) -> None:
    """Refuse items that lie in more than one cluster."""
    if split:
        raise RatingsError(
            f"the items {listed(split)} lie in more than one cluster; an item belongs to "
            "one cluster (a dialogue, a document)"
        )


def _counted(
    frame: Frame, sums: Sequence[nw.Expr], base: int, sizes: Sequence[int], most: int | None
) -> Counted | None:
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
    found = fetch(kinds if most is None else kinds.head(most + 1))
    if most is not None and len(found["n"]) > most:
        return None
    packed = np.column_stack([found[key].astype(float) for key in keys])
    return Counted(
        digits(packed, base, sizes),
        found["n"].astype(np.int64),
        found["cluster"] if clustered else None,
    )


def _places(column: npt.NDArray[Any], names: Sequence[Any]) -> Ints:
    places = {name: place for place, name in enumerate(names)}
    return np.fromiter((places[value] for value in column.tolist()), np.int64, len(column))
