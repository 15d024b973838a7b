"""Folders of Parquet with made-up ratings, written by DuckDB piece by piece."""

from dataclasses import dataclass
from pathlib import Path

import duckdb

__all__ = ["Shape", "made"]

PIECE = 2_200_000  # items in a file


@dataclass(frozen=True)
class Shape:
    """So many items, each rated by `each` of the judges on so many categories; a twentieth missing.

    Judges see the same quality of an item, each with a severity and errors of their own.
    """

    items: int
    judges: int = 5
    categories: int = 5
    each: int = 5

    @property
    def ratings(self) -> int:
        return self.items * self.each

    @property
    def name(self) -> str:
        return f"{self.items}-{self.judges}-{self.categories}-{self.each}"


def made(shape: Shape, folder: Path) -> Path:
    """Write the ratings, and return their folder.

    Beyond the first piece the ratings repeat, on items of other names: making them anew would take
    longer than all that is measured.
    """
    place = folder / shape.name
    place.mkdir(parents=True)
    engine = duckdb.connect()
    engine.execute("set memory_limit = '2GB'; set preserve_insertion_order = false")
    engine.execute("set enable_progress_bar = false")
    engine.execute(f"create table piece as {_query(shape, min(PIECE, shape.items))}")
    for number, start in enumerate(range(0, shape.items, PIECE)):
        file, left = place / f"part-{number:04}.parquet", shape.items - start
        rows = f"select item + {start} as item, judge, rating from piece where item < {left}"
        engine.execute(f"copy ({rows}) to '{file}' (format parquet)")
    engine.close()
    return place


def _query(shape: Shape, items: int) -> str:
    apart = f"(1 + hash(item * 5 + 11) % {shape.judges // shape.each})"
    judge = f"(hash(item * 3 + 17) % {shape.judges} + slot * {apart}) % {shape.judges}"
    quality, error = _share("item * 7 + 1"), _share("item * 31 + slot * 977 + 5")
    severity = f"(judge / {shape.judges} - 0.5) * 0.2"
    return f"""
        with rated as (
            select item, slot, cast({judge} as double) as judge
            from (select range as item from range({items})),
                 (select unnest(range({shape.each})) as slot)
            where hash(item * 13 + slot * 7919) % 20 <> 0
        )
        select item, 'judge ' || cast(judge + 1 as int) as judge,
               cast(greatest(1, least({shape.categories}, floor(1 + {shape.categories}
                   * (0.6 * {quality} + 0.4 * {error} + {severity})))) as tinyint) as rating
        from rated
    """


def _share(expression: str) -> str:
    """A number from 0 to 1 that looks like chance and is the same in every run."""
    return f"(hash({expression}) % 999983 / 999983.0)"
