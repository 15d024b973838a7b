"""Plain columns that DuckDB, the embedded engine, holds: it scans NumPy's arrays as they are."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def held_by_duckdb(columns: Mapping[str, Array], missing: Mapping[str, Array] | None = None) -> Any:
    """Let DuckDB hold columns of one length, and return them as a lazy frame of Narwhals.

    `missing` says where a number is missing; a missing text is None.
    """
    import narwhals

    gone = {name: mask for name, mask in (missing or {}).items() if mask.any()}
    masks = {f"{name} is missing": mask for name, mask in gone.items()}
    cells = (
        f"""case when not "{_quoted(f"{name} is missing")}" then "{_quoted(name)}" end as """
        f'"{_quoted(name)}"'
        if name in gone
        else f'"{_quoted(name)}"'
        for name in columns
    )
    scanned = dict(columns) | masks
    cursor = _connection().cursor()
    question = f"select {', '.join(cells)} from scanned"  # DuckDB finds the local name
    if gone or any(column.dtype.kind not in "biuf" for column in scanned.values()):
        # Else every question would look at Python's own objects, or sort all names, again.
        cursor.execute(f"create temp table held as {question}")
        return narwhals.from_native(cursor.table("held"))
    return narwhals.from_native(cursor.sql(question))


def without_mask(array: Array) -> Array:
    """Write NaN or None where an array of DuckDB's says that a value is missing."""
    # Masked arrays are not loaded for a plain one.
    if type(array) is np.ndarray or not isinstance(array, np.ma.MaskedArray):
        return array
    missing, values = np.ma.getmaskarray(array), np.ma.getdata(array)
    if not missing.any():
        return values
    values = values.astype(object if values.dtype == object else float)
    values[missing] = None if values.dtype == object else np.nan
    return values


def _quoted(name: str) -> str:
    return name.replace('"', '""')


@cache
def _connection() -> Any:
    import duckdb

    connection = duckdb.connect()
    connection.execute("set enable_progress_bar = false")
    return connection
