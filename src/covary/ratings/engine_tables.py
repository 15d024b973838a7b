"""Small tables beside the ratings, in the engine that holds them, and large ones on their way out.

What was found about a few kinds of items goes back to the engine, which joins it to all items.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from covary.errors import InvalidArgument
from covary.ratings.frames import Columns, Frame, as_frame, fetch, of_native

_tables = itertools.count(1)


def table_beside(frame: Frame, columns: Columns) -> Frame:
    """Put a small table into the engine of a frame, so that the two can be joined."""
    if frame.implementation.is_duckdb():
        return _in_duckdb(frame.to_native(), columns)
    if frame.implementation.is_spark_like():
        rows = list(zip(*(column.tolist() for column in columns.values()), strict=True))
        session = frame.to_native().sparkSession
        return of_native(session.createDataFrame(rows, list(columns)))
    import narwhals

    return of_native(narwhals.from_dict(dict(columns), backend=frame.collect().implementation))


def _in_duckdb(relation: Any, columns: Columns) -> Frame:
    """Hand the table over as a file, because it belongs to a connection that is not known here."""
    number = next(_tables)
    view, table = f"beside {number}", f'"table {number}"'
    from tempfile import TemporaryDirectory  # which plain columns do without

    with TemporaryDirectory(prefix="covary-") as folder:
        file = str(Path(folder, "table.parquet"))
        as_frame(columns).to_native().write_parquet(file)
        relation.query(view, f"create temp table {table} as select * from read_parquet('{file}')")
    held = relation.query(view, f"select * from {table}")
    relation.query(view, f'drop view "{view}"')
    return of_native(held)


@contextmanager
def kept(frame: Frame) -> Iterator[Frame]:
    """Compute a table once, for several questions, in its engine; it goes afterwards.

    DuckDB and Spark put on the disk what does not fit into their memory.
    """
    if frame.implementation.is_duckdb():
        relation, number = frame.to_native(), next(_tables)
        view, table = f"kept {number}", f'"table {number}"'
        _create(relation, view, f'create temp table {table} as select * from "{view}"')
        try:
            yield of_native(relation.query(view, f"select * from {table}"))
        finally:
            relation.query(view, f"drop table {table}")
            relation.query(view, f'drop view "{view}"')
    elif frame.implementation.is_spark_like():
        held = frame.to_native().persist()
        try:
            yield of_native(held)
        finally:
            held.unpersist()
    else:
        yield as_frame(frame.collect().to_native())


def _create(relation: Any, view: str, statement: str) -> None:
    import duckdb

    try:
        relation.query(view, statement)
    except duckdb.OutOfMemoryException:
        raise InvalidArgument("ratings.engine-memory", argument="memory") from None


def as_relation(frame: Frame) -> Any:
    """Return a table as a relation of DuckDB, which can write it to any kind of file.

    What Spark holds passes through files in the folder for temporary files, which go when the
    relation goes.
    """
    if frame.implementation.is_duckdb():
        return frame.to_native()
    if not frame.implementation.is_spark_like():
        return as_frame(fetch(frame)).to_native()
    import shutil
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="covary-"))
    frame.to_native().write.mode("overwrite").parquet(str(folder / "rows"))
    import duckdb

    relation = duckdb.connect().read_parquet(str(folder / "rows" / "*.parquet"))
    weakref.finalize(relation, shutil.rmtree, folder, ignore_errors=True)
    return relation
