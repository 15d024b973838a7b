"""How data become the one table: columns renamed, repeats numbered, faults refused or set aside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument, RatingsError, listed
from covary.ratings.checks import (
    IDENTITY,
    Fault,
    Scales,
    check_columns,
    find_duplicates,
    scales_of,
)
from covary.ratings.encode import MOST_CATEGORIES
from covary.ratings.frames import Frame, as_frame, fetch, with_rows
from covary.scales import Level, Scale, as_level, as_scale

__all__ = [
    "COLUMNS",
    "LevelLike",
    "ScaleLike",
    "checked",
    "expanded",
    "in_steps",
    "levels_given",
    "numbered",
    "refuse_mixed",
    "renamed",
    "scales_given",
]

COLUMNS = (
    "item", "judge", "rating", "criterion", "system", "source", "group",
    "occasion", "round", "manual", "cluster", "order", "seconds",
)  # fmt: skip
"""The columns that a table of ratings may have, in their order."""

MIXED = (
    "the rating column mixes kinds of values (numbers and words); make it all numbers, with "
    "nothing where there is no rating, or all words"
)

ScaleLike = Scale | str | Mapping[Any, Scale | str] | None
LevelLike = Level | str | Mapping[Any, Level | str] | None


def checked(
    table: Frame, n_rows: int, declared: Scales, levels: dict[Any, Level | None], faulty: str
) -> tuple[Frame, Scales, tuple[Fault, ...]]:
    """Refuse ratings that cannot be used, or set them aside and say which."""
    faults = []
    if duplicate := find_duplicates(table, n_rows):
        faults.append(_met(duplicate, faulty))
        copies = numbered(table, "copy", without=("copy",))
        table = copies.filter(nw.col("copy") == 1).select(nw.exclude("copy"))
    scales, off_scale = scales_of(table, declared, levels)
    for fault, outside in off_scale:
        faults.append(_met(fault, faulty))
        table = table.with_columns(rating=nw.when(~outside).then(nw.col("rating")))
    return table, scales, tuple(faults)


def _met(fault: Fault, faulty: str) -> Fault:
    if faulty == "refuse":
        raise RatingsError(fault.message)
    return fault


def refuse_mixed(frame: object, rating: str) -> None:
    """Refuse a plain list of ratings that holds numbers and words."""
    column = frame.get(rating) if isinstance(frame, Mapping) else None
    if isinstance(column, list | tuple):
        words = {isinstance(value, str) for value in column if value is not None and value == value}
        if len(words) > 1:
            raise InvalidArgument(MIXED)


def renamed(frame: Frame, named: Mapping[str, str | None], slots: bool) -> Frame:
    """Give the columns covary's names and the rating column one kind of value."""
    present = frame.collect_schema().names()
    used = {role: name for role, name in named.items() if name is not None}
    if not slots and "judge" not in used:
        raise InvalidArgument("judge=None is only possible with judges='slots'")
    check_columns(present, used)
    taken = set(used.values())
    by_itself = (role for role in COLUMNS if role not in used and role != "judge")
    used |= {role: role for role in by_itself if role in present and role not in taken}
    table = frame.select(**{role: nw.col(name) for role, name in used.items()})
    return table.with_columns(rating=_rating(table.collect_schema()["rating"]))


def _rating(dtype: nw.dtypes.DType) -> nw.Expr:
    """Bring ratings to numbers or text, with one kind of missing value."""
    rating = nw.col("rating")
    if dtype.is_float():
        return rating.fill_nan(None)
    if dtype.is_integer():
        return rating
    if dtype == nw.Boolean:
        return rating.cast(nw.Int64)
    if dtype.is_numeric():
        return rating.cast(nw.Float64)
    if dtype == nw.Object:
        raise InvalidArgument(MIXED)
    return rating.cast(nw.String)


def numbered(frame: Frame, column: str, *, without: tuple[str, ...]) -> Frame:
    """Number the rows that are otherwise the same rating: 1, 2, … in the order of the rows."""
    if frame.implementation.is_spark_like():
        raise InvalidArgument(
            f"Spark keeps its rows in no order, so they cannot be numbered; name the {column}"
        )
    if frame.implementation.is_pyarrow():  # has no windows, so DuckDB holds the table instead
        frame = as_frame(fetch(frame))
    table = (
        frame.select(nw.exclude(*without)) if column in frame.collect_schema().names() else frame
    )
    rows = with_rows(table)
    keys = [n for n in IDENTITY if n in table.collect_schema().names() and n not in without]
    place = nw.col("row").rank(method="ordinal").over(*keys).cast(nw.Int64)
    return rows.with_columns(place.alias(column)).select(nw.exclude("row"))


def in_steps(frame: Frame, scales: Scales, steps: int) -> tuple[Frame, Scales]:
    """Put ratings on continuous scales into steps of equal width, numbered from 1."""
    if not 2 <= steps <= MOST_CATEGORIES:
        raise InvalidArgument(f"steps={steps!r} must be a whole number from 2 to {MOST_CATEGORIES}")
    rating: Any = nw.col("rating")
    made, names = dict(scales), frame.collect_schema().names()
    for criterion, scale in scales.items():
        if scale.categories is None:
            width = (scale.high - scale.low) / steps
            step = ((nw.col("rating") - scale.low) / width).floor().clip(0, steps - 1) + 1
            own = nw.col("criterion") == criterion if "criterion" in names else nw.lit(True)
            rating = nw.when(own).then(step.cast(nw.Float64)).otherwise(rating)
            kinds = tuple(range(1, steps + 1))
            made[criterion] = Scale(
                scale.level, kinds, 1.0, float(steps), scale.best, scale.declared
            )
    return frame.with_columns(rating=rating), made


def expanded(
    columns: dict[str, npt.NDArray[Any]], judges: tuple[str, ...], count: str, kept: dict[str, str]
) -> dict[str, npt.NDArray[Any]]:
    """Write a frequency table out as one row per rating."""
    times = _times(columns[count], count)
    pattern = np.repeat(np.arange(times.size), times)
    long: dict[str, list[npt.NDArray[Any]]] = {"item": [], "judge": [], "rating": []}
    long |= {role: [] for role in kept}
    for judge in judges:
        ratings = columns[judge][pattern]
        item = np.flatnonzero(np.array([r is not None and r == r for r in columns[judge]])[pattern])
        long["item"].append(item)
        long["judge"].append(np.full(item.size, judge, dtype=object))
        long["rating"].append(ratings[item])
        for role, name in kept.items():
            long[role].append(columns[name][pattern][item])
    return {name: np.concatenate(parts) for name, parts in long.items()}


def _times(column: npt.NDArray[Any], name: str) -> npt.NDArray[np.int64]:
    """Read how many items show each pattern."""
    numbers = np.array([np.nan if n is None else n for n in column.tolist()], dtype=float)
    if (numbers < 0).any():
        raise InvalidArgument(f"the column {name!r} holds negative numbers of items")
    if not np.array_equal(numbers, np.round(numbers)):
        rows = np.flatnonzero(numbers != np.round(numbers)) + 1
        raise InvalidArgument(
            f"the column {name!r} must hold a whole number of items in every row; look at rows "
            f"{listed(rows.tolist(), 5)}"
        )
    return numbers.astype(np.int64)


def scales_given(scale: ScaleLike, levels: Mapping[Any, Level | None]) -> Scales:
    """Read the scales that were declared, by criterion; None stands for every criterion."""
    if scale is None:
        return {}
    given = scale if isinstance(scale, Mapping) else {None: scale}
    named = (*given, *(name for name in levels if name not in given and None in given))
    return {
        name: scale_with(given.get(name, given.get(None)), levels.get(name, levels.get(None)))
        for name in named
    }


def scale_with(scale: Scale | str | None, level: Level | None) -> Scale:
    """Read a scale; one that has a level of its own takes no other."""
    assert scale is not None
    if isinstance(scale, str):
        return as_scale(scale, level=level)
    if level not in (None, scale.level):
        raise InvalidArgument(
            f"level='{level}' does not fit the scale, which is {scale.level}; give the level to "
            "the scale itself"
        )
    return scale


def levels_given(level: LevelLike) -> dict[Any, Level | None]:
    """Read the levels that were declared, by criterion; None stands for every criterion."""
    if level is None:
        return {}
    given = level if isinstance(level, Mapping) else {None: level}
    return {name: as_level(each) for name, each in given.items()}
