"""Folders of Parquet with made-up ratings, written by DuckDB piece by piece."""

from dataclasses import dataclass
from pathlib import Path

import duckdb

__all__ = ["Crossed", "Shape", "made"]

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


@dataclass(frozen=True)
class Crossed:
    """So many sources, each given to every system, each output rated by every judge on 1 to 5.

    A twentieth is missing. Sources, judges and systems have effects, and so have texts.
    """

    sources: int
    systems: int = 3
    judges: int = 4
    categories: int = 5

    @property
    def items(self) -> int:
        return self.sources

    @property
    def name(self) -> str:
        return f"{self.sources}-sources-{self.systems}-{self.judges}"


def made(shape: Shape | Crossed, folder: Path) -> Path:
    """Write the ratings, and return their folder.

    Beyond the first piece the ratings repeat, on items of other names: making them anew would take
    longer than all that is measured.
    """
    place = folder / shape.name
    place.mkdir(parents=True)
    engine = duckdb.connect()
    engine.execute("set memory_limit = '2GB'; set preserve_insertion_order = false")
    engine.execute("set enable_progress_bar = false")
    crossed = isinstance(shape, Crossed)
    piece = min(PIECE // 3 if crossed else PIECE, shape.items)
    engine.execute(f"create table piece as {(_crossed if crossed else _query)(shape, piece)}")
    for number, start in enumerate(range(0, shape.items, piece)):
        file, left = place / f"part-{number:04}.parquet", shape.items - start
        rows = f"select item + {start} as item, judge, rating from piece where item < {left}"
        if crossed:
            rows = f"""select (source + {start}) * {shape.systems} + slot as item,
                'text ' || (source + {start}) as source, 'system ' || slot as system, judge, rating
                from piece where source < {left}"""
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


def _crossed(shape: Crossed, sources: int) -> str:
    level = f"""2.2 + 1.6 * {_share("source * 7 + 1")} + 0.15 * slot
        + 0.8 * {_share("source * 31 + slot * 977 + 5")} + 0.2 * judge / {shape.judges}
        + 0.2 * {_share("slot * 11 + judge * 3 + 2")}
        + 1.6 * ({_share("source * 131 + slot * 977 + judge * 7877 + 3")} - 0.5)"""
    return f"""
        select source, slot, 'judge ' || judge as judge,
               cast(greatest(1, least({shape.categories}, round({level}))) as tinyint) as rating
        from (select range as source from range({sources})),
             (select unnest(range({shape.systems})) as slot),
             (select unnest(range({shape.judges})) as judge)
        where hash(source * 13 + slot * 7919 + judge * 104729) % 20 <> 0
    """


def _share(expression: str) -> str:
    """A number from 0 to 1 that looks like chance and is the same in every run."""
    return f"(hash({expression}) % 999983 / 999983.0)"
