"""The same columns in every engine that covary takes."""

from __future__ import annotations

from typing import Any

import duckdb
import pandas
import polars
import pyarrow


def as_dict(columns: dict[str, list[Any]]) -> Any:
    return columns


def as_duckdb(columns: dict[str, list[Any]]) -> Any:
    table = as_pyarrow(columns)
    return duckdb.connect().from_arrow(table)


def as_pyarrow(columns: dict[str, list[Any]]) -> Any:
    return pyarrow.table(columns)


def as_lazy_polars(columns: dict[str, list[Any]]) -> Any:
    return polars.LazyFrame(columns)


ENGINES = {
    "dict": as_dict,
    "duckdb": as_duckdb,
    "pandas": pandas.DataFrame,
    "polars": polars.DataFrame,
    "lazy polars": as_lazy_polars,
    "pyarrow": as_pyarrow,
}
