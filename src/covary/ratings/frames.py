"""Data frames of any engine, and the way back to NumPy.

Plain columns (a dict of lists or arrays) are asked with NumPy where they are few and held by
DuckDB where they are many; any other frame is asked through Narwhals. At the end: results as data
frames, and as tables in notebooks.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.ratings import expressions as nw
from covary.ratings.held_columns import held_by_duckdb, without_mask
from covary.ratings.plain_frame import EngineFrame, PlainFrame, native, plain_frame
from covary.words.grammar import escaped

if TYPE_CHECKING:
    Frame = nw.LazyFrame[Any]
else:
    Frame = PlainFrame | EngineFrame
Columns = dict[str, npt.NDArray[Any]]

MANY_NAMES, MOST_NAMES = 20_000, 5_000
"""Columns longer than this, with no more different names than this, are numbered."""

_blocks = itertools.count(1)


def as_frame(data: object) -> Frame:
    """Take any data frame as it is, plain columns by name, or a list of records."""
    if isinstance(data, PlainFrame | EngineFrame):
        return cast("Frame", data)
    if isinstance(data, Mapping):
        return _plain_columns(data)
    if isinstance(data, list | tuple) and data and all(isinstance(row, Mapping) for row in data):
        names = dict.fromkeys(name for row in data for name in row)
        return _plain_columns({name: [row.get(name) for row in data] for name in names})
    import narwhals

    try:
        return _framed(narwhals.from_native(data).lazy())  # type: ignore[call-overload]
    except TypeError:
        raise InvalidArgument("ratings.unreadable", type=type(data).__name__) from None


def _as_plain(frame: object) -> PlainFrame | None:
    return frame if isinstance(frame, PlainFrame) else None


def _framed(frame: Any) -> Frame:
    return cast("Frame", EngineFrame(frame))


def of_native(table: Any) -> Frame:
    """Take a table of another package as a lazy frame."""
    import narwhals

    return _framed(narwhals.from_native(table).lazy())


def stacked(frames: Sequence[Frame]) -> Frame:
    """Put frames of one engine under each other."""
    import narwhals

    return _framed(narwhals.concat([native(frame) for frame in frames]))


def with_quick_names(frame: Frame, *columns: str) -> Frame:
    """Number the few names of long pandas columns once, else compared as Python's objects.

    The numbers follow the order of the names, so that they compare as these do.
    """
    if not frame.implementation.is_pandas():
        return frame
    table: Any = frame.to_native()
    names = {name: table[name] for name in columns if name in table.columns}
    slow = {name: part for name, part in names.items() if part.dtype == object}
    quick = {name: _numbered(part) for name, part in slow.items() if len(part) > MANY_NAMES}
    quick = {name: part for name, part in quick.items() if part is not None}
    return of_native(table.assign(**quick)) if quick else frame


def _numbered(column: Any) -> Any:
    """A pandas column as an ordered categorical one, where it holds nothing but few texts."""
    import pandas

    codes, names = pandas.factorize(column)
    if len(names) > MOST_NAMES or not all(isinstance(name, str) for name in names):
        return None
    order = np.argsort(names)
    places = np.append(np.argsort(order), -1)[codes]
    return pandas.Categorical.from_codes(places, categories=names[order], ordered=True)


def fetch(frame: Frame) -> Columns:
    """Bring a small result to NumPy; numbers keep their type and nulls become NaN or None."""
    plain = _as_plain(frame)
    if plain is not None:
        return plain.arrays()
    if frame.implementation.is_duckdb():
        arrays = frame.to_native().fetchnumpy()
        return {name: without_mask(arrays[name]) for name in frame.collect_schema().names()}
    collected = frame.collect()
    return {name: collected[name].to_numpy() for name in collected.columns}


def fetch_blocks(frame: Frame, rows: int) -> Iterator[Columns]:
    """Bring a result of DuckDB that may be large so many rows at a time.

    DuckDB holds it meanwhile, on the disk where it does not fit into its memory.
    """
    relation, number = frame.to_native(), next(_blocks)
    view, table = f"rows {number}", f'"block {number}"'
    relation.query(view, f'create temp table {table} as select * from "{view}"')
    try:
        count = relation.query(view, f"select count(*) from {table}").fetchone()[0]
        for start in range(0, count, rows):
            part = f"rowid >= {start} and rowid < {start + rows}"
            arrays = relation.query(view, f"select * from {table} where {part}").fetchnumpy()
            yield {name: without_mask(array) for name, array in arrays.items()}
    finally:
        relation.query(view, f"drop table {table}")
        relation.query(view, f'drop view "{view}"')


def distinct(frame: Frame, *columns: str) -> Frame:
    """Return the distinct values of columns, without those that hold nulls.

    They are grouped, because DuckDB would number all rows of each value for `unique`; and without
    nulls, on whose grouping engines differ.
    """
    frame = frame.select(*columns)  # pandas would copy the other columns too
    for column in columns:
        frame = frame.filter(~nw.col(column).is_null())
    return frame.group_by(*columns).agg(alike=nw.len()).select(*columns)


def column_values(frame: Frame, column: str) -> tuple[Any, ...]:
    """Return the distinct values of a column, sorted, without nulls."""
    values = fetch(distinct(frame, column))[column].tolist()
    return tuple(sorted(values, key=lambda value: (isinstance(value, str), value)))


def with_rows(frame: Frame) -> Frame:
    """Number the rows from 1, where the engine keeps them in order, for messages.

    Rows that were numbered before some of them were left out keep their numbers.
    """
    if "row" in frame.collect_schema().names():
        return frame
    if frame.implementation.is_duckdb():
        return of_native(frame.to_native().project('row_number() over () as "row", *'))
    plain = _as_plain(frame)
    if plain is not None:
        return cast("Frame", plain.with_rows())
    if frame.implementation.is_spark_like():
        return frame
    numbered = _framed(frame.collect().with_row_index("row").lazy())
    return numbered.with_columns(nw.col("row") + 1)


def with_groups(frame: Frame, column: str, groups: int) -> Frame:
    """Put the rows into groups (0, 1, …) by a fingerprint of a column's values.

    The fingerprint is the beginning of the MD5 of the value as text, so that DuckDB and Spark form
    the same groups. DuckDB takes over what neither of them holds.
    """
    if frame.implementation.is_spark_like():
        from pyspark.sql import functions

        start = functions.substring(functions.md5(functions.col(column).cast("string")), 1, 8)
        group = functions.conv(start, 16, 10).cast("bigint") % groups
        return of_native(frame.to_native().withColumn("group", group))
    if not frame.implementation.is_duckdb():
        frame = held_in_duckdb(frame)
    text = f'cast("{column}" as varchar)'
    number = f"cast('0x' || substr(md5({text}), 1, 8) as bigint) % {groups}"
    return of_native(frame.to_native().project(f'*, {number} as "group"'))


def held_in_duckdb(frame: Frame) -> Frame:
    """Let DuckDB take over a small frame of another engine."""
    plain = _as_plain(frame)
    if plain is not None:
        return cast("Frame", plain.in_engine)
    return _framed(held_by_duckdb(fetch(frame)))


def held_in_engine(frame: Frame) -> Frame:
    """Let DuckDB take over plain columns; other frames stay where they are."""
    return frame if _as_plain(frame) is None else held_in_duckdb(frame)


def _plain_columns(data: Mapping[Any, Any]) -> Frame:
    columns = {str(name): _as_column(name, values) for name, values in data.items()}
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise InvalidArgument("ratings.column-lengths", lengths=lengths)
    if not columns:
        raise InvalidArgument("ratings.no-columns")
    plain = plain_frame(columns)
    return _framed(held_by_duckdb(columns)) if plain is None else cast("Frame", plain)


def _as_column(name: object, values: Any) -> npt.NDArray[Any]:
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
        raise InvalidArgument("ratings.column-type", value=name, type=type(values).__name__)
    array = values if isinstance(values, np.ndarray) else _from_list(values)
    if array.ndim != 1:
        raise InvalidArgument("ratings.column-shape", value=name, dimensions=array.ndim)
    return array


def _from_list(values: Sequence[Any]) -> npt.NDArray[Any]:
    present = [value for value in values if value is not None]
    if all(isinstance(value, int | float) for value in present) and present:
        if len(present) == len(values):
            return np.asarray(values)
        return np.array([np.nan if value is None else value for value in values], dtype=float)
    array = np.empty(len(values), dtype=object)
    array[:] = [None if value is None or value != value else str(value) for value in values]
    return array


ENGINES = ("pandas", "polars", "pyarrow")
"""The packages whose frames can be made, in the order in which they are looked for."""

MOST_SHOWN = 20


class Tabular:
    """What holds rows and can be a data frame, and a table in a notebook, with its picture."""

    pictures: ClassVar[Callable[[object], str]] = staticmethod(lambda _: "")
    """Draws a result; `covary/__init__.py` puts here what the room that draws has."""

    def to_frame(self, engine: str | None = None) -> Any:
        """Return the rows as a data frame.

        Parameters
        ----------
        engine
            `"pandas"`, `"polars"` or `"pyarrow"`; the first of them that is installed by default.
        """
        return make_frame(rows_of(self), engine)

    def _repr_html_(self) -> str:
        return Tabular.pictures(self) + html_table(rows_of(self))


def rows_of(result: Any) -> list[dict[str, Any]]:
    """Return the rows of a result, or of several; one row of plain values where it has none."""
    if isinstance(result, Sequence) and not isinstance(result, str):
        return [row for part in result for row in rows_of(part)]
    method = getattr(result, "rows", None)
    if callable(method) and not inspect.signature(method).parameters:
        return [dict(row) for row in method()]
    inner = getattr(result, "result", None)
    if inner is not None:
        return rows_of(inner)
    return [_flat(result.to_dict())]


def make_frame(rows: Sequence[Mapping[str, Any]], engine: str | None = None) -> Any:
    """Make a data frame of rows; a column that a row lacks is empty there.

    Examples
    --------
    >>> make_frame([{"item": "a", "rating": 4}], "polars").columns
    ['item', 'rating']
    """
    if engine is not None and engine not in ENGINES:
        raise InvalidArgument(
            "ratings.unknown-choice", argument="engine", value=engine, allowed=ENGINES
        )
    chosen = engine or next((name for name in ENGINES if find_spec(name)), None)
    if chosen is None or not find_spec(chosen):
        raise InvalidArgument("ratings.no-frames", argument="engine", value=engine)
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: [_cell(row.get(name)) for row in rows] for name in names}
    package = import_module(chosen)
    if chosen == "pandas":
        return package.DataFrame(columns)
    if chosen == "polars":
        return package.DataFrame(columns, strict=False)
    return package.table(columns)


def html_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Write rows as a table for a notebook, the first ones where there are many."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    head = "".join(f"<th scope='col'>{escaped(name)}</th>" for name in names)
    body = "".join(
        f"<tr>{''.join(f'<td>{escaped(_shown(row.get(name)))}</td>' for name in names)}</tr>"
        for row in rows[:MOST_SHOWN]
    )
    more = len(rows) - MOST_SHOWN
    caption = f"<caption>the first {MOST_SHOWN} of {len(rows):,} rows</caption>" if more > 0 else ""
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _flat(values: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{before}{name}.")
        else:
            flat[f"{before}{name}"] = value
    return flat


def _cell(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return "; ".join(map(str, value))
    return str(value) if isinstance(value, Mapping) else value


def _shown(value: Any) -> str:
    return "" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
