"""How data become the one table: columns renamed, repeats numbered, faults refused or set aside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.ratings import expressions as nw
from covary.ratings.checks import (
    IDENTITY,
    RatingsFault,
    Scales,
    check_columns,
    find_duplicates,
    resolve_scales,
)
from covary.ratings.frames import Frame, as_frame, distinct, fetch, held_in_duckdb, with_rows
from covary.ratings.matrix import MOST_CATEGORIES
from covary.ratings.numbered import NumberedRows, number_rows
from covary.records import dataclass
from covary.scales import Level, Scale, as_level, as_scale

FIRST_COLUMNS = ("item", "judge", "rating", "criterion", "system", "source", "group")
FURTHER_COLUMNS = ("occasion", "round", "manual", "cluster", "order", "seconds")
COLUMNS = (*FIRST_COLUMNS, *FURTHER_COLUMNS)
"""The columns that a table of ratings may have, in their order."""

TEXT = "text"
"""A column that is kept as it is: what the item says."""

ScaleLike = Scale | str | Mapping[Any, Scale | str] | None
LevelLike = Level | str | Mapping[Any, Level | str] | None


JOINT = " / "
"""What stands between the parts of a name that several columns give."""


@dataclass(frozen=True, kw_only=True)
class CheckedRatings:
    """The table as it can be used, its scales, and what was set aside."""

    table: Frame
    scales: Scales
    faults: tuple[RatingsFault, ...]
    numbered: NumberedRows | None


def check_ratings(
    table: Frame, n_rows: int, declared: Scales, levels: dict[Any, Level | None], *, faulty: str
) -> CheckedRatings:
    """Refuse ratings that cannot be used, or set them aside and say which."""
    faults = []
    numbered = number_rows(table) if table.implementation.is_pandas() else None
    duplicate = find_duplicates(table, n_rows, numbered)
    if duplicate:
        faults.append(_refuse_or_keep(duplicate, faulty))
    scales, off_scale = resolve_scales(table, declared, levels, numbered)
    for fault, outside in off_scale:
        faults.append(_refuse_or_keep(fault, faulty))
        table = table.with_columns(rating=nw.when(~outside).then(nw.col("rating")))
    if duplicate:
        table = keep_one(table, "first")
    if "row" in table.collect_schema().names():
        table = table.select(nw.exclude("row"))
    return CheckedRatings(
        table=table,
        scales=scales,
        faults=tuple(faults),
        numbered=None if faults else numbered,
    )


def part_by_system(table: Frame) -> tuple[Frame, int]:
    """Make a system's output the item where items stand under several systems.

    The item of the data is then the source, and the cluster of the intervals, unless there are
    others. Returned beside the table is how many items stood under several systems.
    """
    names = table.collect_schema().names()
    if "system" not in names:
        return table, 0
    pairs = distinct(table, "item", "system").group_by("item").agg(systems=nw.len())
    shared = pairs.filter(nw.col("systems") > 1).select(n=nw.len())
    count = int(fetch(shared)["n"][0])
    if not count:
        return table, 0
    item, system = (nw.col(name).cast(nw.String) for name in ("item", "system"))
    output = nw.concat_str([item, system], separator=JOINT)
    kept = {role: nw.col("item") for role in ("source", "cluster") if role not in names}
    named = nw.when(nw.col("system").is_null()).then(item).otherwise(output)
    return table.with_columns(**kept).with_columns(item=named), count


def join_columns(frame: Frame, named: Mapping[str, Any]) -> tuple[Frame, dict[str, str | None]]:
    """Make one column of several that name a thing together, such as document and system.

    Beside the system, the other columns of an item name its source and cluster.
    """
    single = dict(named)
    present = frame.collect_schema().names()
    parts = {role: list(name) for role, name in named.items() if _is_several(name)}
    item, system = parts.get("item", []), single.get("system") or "system"
    if system in item and len(item) > 1:
        rest = [column for column in item if column != system]
        free = [role for role in ("source", "cluster") if not single.get(role)]
        parts |= {role: rest for role in free if role not in present}
    for role, columns in parts.items():
        check_columns(present, {f"{role} {name}": name for name in columns})
        cells = [nw.col(column).cast(nw.String) for column in columns]
        single[role] = f"{role}: {JOINT.join(columns)}"
        frame = frame.with_columns(nw.concat_str(cells, separator=JOINT).alias(single[role]))
    return frame, single


def _is_several(name: object) -> bool:
    return isinstance(name, Sequence) and not isinstance(name, str)


def _refuse_or_keep(fault: RatingsFault, faulty: str) -> RatingsFault:
    if faulty == "refuse":
        raise fault.error
    return fault


def refuse_mixed(frame: object, rating: str) -> None:
    """Refuse a plain list of ratings that holds numbers and words."""
    column = frame.get(rating) if isinstance(frame, Mapping) else None
    if isinstance(column, list | tuple):
        words = {isinstance(value, str) for value in column if value is not None and value == value}
        if len(words) > 1:
            raise InvalidArgument("ratings.mixed-kinds")


def rename_columns(frame: Frame, named: Mapping[str, str | None], slots: bool) -> Frame:
    """Give the columns covary's names and the rating column one kind of value."""
    present = frame.collect_schema().names()
    used = {role: name for role, name in named.items() if name is not None}
    if not slots and "judge" not in used:
        raise InvalidArgument("ratings.judge-needed", argument="judge", value=None)
    check_columns(present, used)
    taken = set(used.values())
    by_itself = (role for role in (*COLUMNS, TEXT) if role not in used and role != "judge")
    used |= {role: role for role in by_itself if role in present and role not in taken}
    table = frame.select(**{role: nw.col(name) for role, name in used.items()})
    return table.with_columns(rating=_rating(table.collect_schema()["rating"]))


def _rating(dtype: nw.DType) -> nw.Expr:
    """Bring ratings to numbers or text, with one kind of missing value."""
    rating = nw.col("rating")
    if dtype.is_float():
        return rating.fill_nan(None)
    if dtype.is_integer():
        return rating
    if str(dtype) == "Boolean":
        return rating.cast(nw.Int64)
    if dtype.is_numeric():
        return rating.cast(nw.Float64)
    if str(dtype) == "Object":
        raise InvalidArgument("ratings.mixed-kinds")
    return rating.cast(nw.String)


def number_repeats(frame: Frame, column: str, *, without: tuple[str, ...]) -> Frame:
    """Number the rows that are otherwise the same rating: 1, 2, … in the order of the rows."""
    if frame.implementation.is_spark_like():
        raise InvalidArgument("ratings.unordered-rows", column=column)
    if frame.implementation.is_pyarrow():  # has no windows, so DuckDB holds the table instead
        frame = held_in_duckdb(frame)
    present = frame.collect_schema().names()
    rows = with_rows(frame.select(nw.exclude(*without)) if column in present else frame)
    keys = [n for n in IDENTITY if n in present and n not in without]
    place = nw.col("row").rank(method="ordinal").over(*keys).cast(nw.Int64)
    numbered = rows.with_columns(place.alias(column)).sort("row")
    return numbered if "row" in present else numbered.select(nw.exclude("row"))


def pseudonyms(judges: Sequence[Any]) -> dict[Any, str]:
    """Call judges J1, J2, … in their order, with as many digits as the last one needs."""
    width = len(str(len(judges)))
    return {judge: f"J{number:0{width}}" for number, judge in enumerate(judges, 1)}


def rename_judges(frame: Frame, names: Mapping[Any, str]) -> Frame:
    """Give judges other names."""
    renamed = nw.col("judge").replace_strict(
        [*names], [*names.values()], default=nw.lit(""), return_dtype=nw.String
    )
    return frame.with_columns(judge=renamed)


def name_items(
    frame: Frame, columns: Mapping[str, Mapping[Any, str]], *, large: bool = False
) -> Frame:
    """Give items further columns, each a value by item; empty where there is none."""
    if not large:
        cells = fetch(frame)
        items = cells["item"].tolist()
        named = {role: [own.get(item) for item in items] for role, own in columns.items()}
        return as_frame({**cells, **named})
    known = {
        role: nw.col("item").replace_strict(
            [*values], [*values.values()], default=nw.lit(None), return_dtype=nw.String
        )
        for role, values in columns.items()
    }
    return frame.with_columns(**known)


def in_steps(frame: Frame, scales: Scales, steps: int) -> tuple[Frame, Scales]:
    """Put ratings on continuous scales into steps of equal width, numbered from 1."""
    if not 2 <= steps <= MOST_CATEGORIES:
        raise InvalidArgument(
            "ratings.steps-range", argument="steps", value=steps, most=MOST_CATEGORIES
        )
    rating: Any = nw.col("rating")
    stepped, names = dict(scales), frame.collect_schema().names()
    for criterion, scale in scales.items():
        if scale.categories is None:
            width = (scale.high - scale.low) / steps
            step = ((nw.col("rating") - scale.low) / width).floor().clip(0, steps - 1) + 1
            own = nw.col("criterion") == criterion if "criterion" in names else nw.lit(True)
            rating = nw.when(own).then(step.cast(nw.Float64)).otherwise(rating)
            kinds = tuple(range(1, steps + 1))
            stepped[criterion] = Scale(
                level=scale.level,
                categories=kinds,
                low=1.0,
                high=float(steps),
                best=scale.best,
                declared=scale.declared,
            )
    return frame.with_columns(rating=rating), stepped


def expand_counts(
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
        raise InvalidArgument("ratings.negative-counts", value=name)
    if not np.array_equal(numbers, np.round(numbers)):
        rows = np.flatnonzero(numbers != np.round(numbers)) + 1
        raise InvalidArgument("ratings.fractional-counts", value=name, rows=rows.tolist())
    return numbers.astype(np.int64)


def parse_scales(scale: ScaleLike, levels: Mapping[Any, Level | None]) -> Scales:
    """Read the scales that were declared, by criterion; None stands for every criterion."""
    if scale is None:
        return {}
    given = scale if isinstance(scale, Mapping) else {None: scale}
    named = (*given, *(name for name in levels if name not in given and None in given))
    return {
        name: scale_at_level(given.get(name, given.get(None)), levels.get(name, levels.get(None)))
        for name in named
    }


def scale_at_level(scale: Scale | str | None, level: Level | None) -> Scale:
    """Read a scale; one that has a level of its own takes no other."""
    assert scale is not None
    if isinstance(scale, str):
        return as_scale(scale, level=level)
    if level not in (None, scale.level):
        raise InvalidArgument(
            "ratings.level-mismatch", argument="level", value=str(level), level=scale.level
        )
    return scale


def parse_levels(level: LevelLike) -> dict[Any, Level | None]:
    """Read the levels that were declared, by criterion; None stands for every criterion."""
    if level is None:
        return {}
    given = level if isinstance(level, Mapping) else {None: level}
    return {name: as_level(value) for name, value in given.items()}


def keep_one(frame: Frame, which: str) -> Frame:
    """Keep the first or the last of several ratings by one judge of one item, with its row."""
    table = number_repeats(with_rows(frame), "copy", without=("copy",))
    keys = [n for n in IDENTITY if n in table.collect_schema().names()]
    copy = nw.col("copy")
    wanted = copy == 1 if which == "first" else copy == copy.max().over(*keys)
    return table.filter(wanted).sort("row").select(nw.exclude("copy"))
