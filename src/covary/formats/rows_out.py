"""Long tables written: one row per rating, with covary's names."""

from __future__ import annotations

from pathlib import Path

from covary.formats.cells import Relation, name
from covary.ratings import COLUMNS, Ratings
from covary.ratings.frames import as_frame, fetch

__all__ = ["write_csv", "write_json_lines", "write_parquet", "write_tsv"]


def write_csv(ratings: Ratings, file: Path) -> None:
    """Write cells separated by commas."""
    _relation(ratings).write_csv(str(file), sep=",", header=True)


def write_tsv(ratings: Ratings, file: Path) -> None:
    """Write cells separated by tabs."""
    _relation(ratings).write_csv(str(file), sep="\t", header=True)


def write_parquet(ratings: Ratings, file: Path) -> None:
    """Write Parquet, which keeps the kinds of columns."""
    _relation(ratings).write_parquet(str(file))


def write_json_lines(ratings: Ratings, file: Path) -> None:
    """Write one JSON object per line."""
    where = str(file).replace("'", "''")
    _relation(ratings).query("ratings", f"copy ratings to '{where}' (format json)")


def _relation(ratings: Ratings) -> Relation:
    frame = ratings.frame
    if not frame.implementation.is_duckdb():
        frame = as_frame(fetch(frame))
    names = [each for each in COLUMNS if each in ratings.columns]
    return frame.to_native().project(", ".join(name(each) for each in names))
