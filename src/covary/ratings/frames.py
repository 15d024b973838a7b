"""Data frames of any engine, through Narwhals, and the way back to NumPy.

Plain columns (a dict of lists or arrays) are held by DuckDB, the embedded engine, because it
scans NumPy arrays as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument

__all__ = ["Frame", "as_frame", "column_values", "distinct", "fetch", "with_groups", "with_rows"]

Frame = nw.LazyFrame[Any]
Columns = dict[str, npt.NDArray[Any]]


def as_frame(data: object) -> Frame:
    """Take any data frame as it is, or plain columns by name."""
    if isinstance(data, Mapping):
        return _held_by_duckdb(data)
    try:
        return nw.from_native(data).lazy()  # type: ignore[call-overload, no-any-return]
    except TypeError:
        raise InvalidArgument(
            f"ratings cannot be read from a {type(data).__name__}; give a data frame (Polars, "
            "pandas, PyArrow, DuckDB, Spark), a dict of columns, or use Ratings.from_wide for a "
            "matrix and covary.read for a file"
        ) from None


def fetch(frame: Frame) -> Columns:
    """Bring a small result to NumPy; numbers keep their type and nulls become NaN or None."""
    if frame.implementation.is_duckdb():
        arrays = frame.to_native().fetchnumpy()
        return {name: _without_mask(arrays[name]) for name in frame.collect_schema().names()}
    collected = frame.collect()
    return {name: collected[name].to_numpy() for name in collected.columns}


def distinct(frame: Frame, *columns: str) -> Frame:
    """Return the distinct values of columns, without those that hold nulls.

    They are grouped, because DuckDB would number all rows of each value for `unique`; and without
    nulls, on whose grouping engines differ.
    """
    for column in columns:
        frame = frame.filter(~nw.col(column).is_null())
    return frame.group_by(*columns).agg(alike=nw.len()).select(*columns)


def column_values(frame: Frame, column: str) -> tuple[Any, ...]:
    """Return the distinct values of a column, sorted, without nulls."""
    found = fetch(distinct(frame, column))[column].tolist()
    return tuple(sorted(found, key=lambda value: (isinstance(value, str), value)))


def with_rows(frame: Frame) -> Frame:
    """Number the rows from 1, where the engine keeps them in order, for messages."""
    if frame.implementation.is_duckdb():
        numbered = frame.to_native().project('row_number() over () as "row", *')
        return nw.from_native(numbered)  # type: ignore[no-any-return]
    if frame.implementation.is_spark_like():
        return frame
    eager = frame.collect().with_row_index("row")
    return eager.with_columns(nw.col("row") + 1).lazy()


def with_groups(frame: Frame, column: str, groups: int) -> Frame:
    """Put the rows into groups (0, 1, …) by a fingerprint of a column's values.

    The fingerprint is the beginning of the MD5 of the value as text, so that DuckDB and Spark form
    the same groups. DuckDB takes over what neither of them holds.
    """
    if frame.implementation.is_spark_like():
        from pyspark.sql import functions

        start = functions.substring(functions.md5(functions.col(column).cast("string")), 1, 8)
        group = functions.conv(start, 16, 10).cast("bigint") % groups
        return nw.from_native(frame.to_native().withColumn("group", group))  # type: ignore[no-any-return]
    if not frame.implementation.is_duckdb():
        frame = as_frame(fetch(frame))
    text = f'cast("{column}" as varchar)'
    number = f"cast('0x' || substr(md5({text}), 1, 8) as bigint) % {groups}"
    return nw.from_native(frame.to_native().project(f'*, {number} as "group"'))  # type: ignore[no-any-return]


def _held_by_duckdb(data: Mapping[Any, Any]) -> Frame:
    columns = {str(name): _as_column(name, values) for name, values in data.items()}
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise InvalidArgument(f"the columns have different lengths: {lengths}")
    if not columns:
        raise InvalidArgument("there are no columns; give at least item, judge and rating")
    cursor = _connection().cursor()
    relation = cursor.sql("select * from columns")  # DuckDB finds the local name
    if any(column.dtype == object for column in columns.values()):
        # Else every question would look at Python's own objects one by one again.
        cursor.execute("create temp table held as select * from columns")
        relation = cursor.table("held")
    return nw.from_native(relation)  # type: ignore[no-any-return]


def _as_column(name: object, values: Any) -> npt.NDArray[Any]:
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
        raise InvalidArgument(f"column {name!r} is a {type(values).__name__}, not a list or array")
    array = values if isinstance(values, np.ndarray) else _from_list(values)
    if array.ndim != 1:
        raise InvalidArgument(f"column {name!r} has {array.ndim} dimensions; a column has one")
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


@cache
def _connection() -> Any:
    import duckdb

    connection = duckdb.connect()
    connection.execute("set enable_progress_bar = false")
    return connection


def _without_mask(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if not isinstance(array, np.ma.MaskedArray):
        return array
    missing, values = np.ma.getmaskarray(array), np.ma.getdata(array)
    if not missing.any():
        return values
    values = values.astype(object if values.dtype == object else float)
    values[missing] = None if values.dtype == object else np.nan
    return values
