"""Rows found by several columns at once, through their index."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import chain
from typing import Any

from sqlalchemy import Column, Connection, RowMapping, TextClause, text

__all__ = ["looked_up"]

Columns = tuple[Column[Any], ...]

MOST = 1024  # sought by one statement


def looked_up(
    connection: Connection, columns: Columns, wanted: Collection[tuple[Any, ...]], query: str
) -> Iterator[RowMapping]:
    """Run a query on a table `wanted`, which has these columns and holds the wanted values.

    The plain way to find rows by several columns, `(a, b) IN (…)`, makes SQLite look through the
    whole table, and a statement for each number of values would have to be prepared for each. So
    the values are a table to be joined, as long as the next power of two: what is missing repeats
    the last.
    """
    left = list(wanted)
    while left:
        part, left = left[:MOST], left[MOST:]
        size = 1 << (len(part) - 1).bit_length()
        part += [part[-1]] * (size - len(part))
        sought = {f"v{n}": value for n, value in enumerate(chain.from_iterable(part))}
        yield from connection.execute(_statement(columns, size, query), sought).mappings()


@lru_cache(maxsize=64)
def _statement(columns: Columns, size: int, query: str) -> TextClause:
    width = len(columns)
    first = (f"CAST(:v{n} AS {each.type})" for n, each in enumerate(columns))
    others = (f":v{n}" for n in range(width, width * size))
    rows = (f"({', '.join(row)})" for row in zip(*[chain(first, others)] * width, strict=True))
    names = ", ".join(each.name for each in columns)
    return text(f"WITH wanted ({names}) AS (VALUES {', '.join(rows)}) {query}")
