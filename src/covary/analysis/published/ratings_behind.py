"""The ratings behind printed numbers: a table that ships, or a file of the reader's own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from covary.analysis.published.candidates import batch
from covary.analysis.published.entry import ONE_OR_TABLE, Cell, Entry, EntryFault, Kind
from covary.analysis.published.fields import Field, nearest, words
from covary.analysis.published.numbers import Part, Verdict
from covary.datasets import load, names
from covary.errors import CovaryError, listed
from covary.formats import read
from covary.ratings import Ratings

__all__ = ["BATCHES", "BEHIND", "ratings_behind"]

EVERYONE = ("", "all", "all judges")
"""What a column is called that is about all judges."""


def ratings_behind(entry: Entry) -> list[Ratings]:
    """Return the ratings behind each cell: its row is a criterion, its column the judges.

    Where `data` names a table for each column, the columns are about all judges.
    """
    data: dict[str, str] = entry["data"]
    tables = {name: _load(entry, source) for name, source in data.items()}
    found = {}
    for cell in entry.cells:
        ratings = tables.get(cell.column, tables.get(""))
        if ratings is None:
            raise EntryFault("data", f"names no ratings for column {cell.column!r}")
        judges = () if cell.column in data else _judges(cell.column, ratings)
        found[cell.row, cell.column] = batch(ratings, _criterion(entry, cell, ratings), judges)
    return [found[cell.row, cell.column] for cell in entry.cells]


def _load(entry: Entry, source: str) -> Ratings:
    if source in names():
        return load(source, judges="named")  # as papers read it
    path = Path(entry.folder, source).expanduser()
    if not path.exists():
        raise EntryFault(
            "data", f"{source!r} is neither a file nor a table that ships{nearest(source, names())}"
        )
    try:
        scale = {"scale": entry["scale"]} if "scale" in entry.values else {}
        return read(path, **scale)
    except CovaryError as fault:
        raise EntryFault("data", str(fault)) from None


def _criterion(entry: Entry, cell: Cell, ratings: Ratings) -> Any:
    known = {str(name).lower(): name for name in ratings.criteria if name is not None}
    if not known:
        return None
    asked = entry.get("criterion", cell.row)
    if asked.lower() in known:
        return known[asked.lower()]
    if len(known) == 1:
        return next(iter(known.values()))
    key = "criterion" if "criterion" in entry.values or not cell.row else "rows"
    raise EntryFault(key, f"{asked!r} is no criterion of the ratings{nearest(asked, known)}")


def _judges(column: str, ratings: Ratings) -> tuple[Any, ...]:
    if column.lower() in EVERYONE:
        return ()
    known = {str(name): name for name in ratings.judges}
    asked = [part.strip() for part in re.split(r"\s+and\s+|,|&|-", column)]
    wrong = [name for name in asked if name not in known]
    if wrong:
        raise EntryFault(
            "columns",
            f"{column!r} names no judges of these ratings ({wrong[0]!r} is none of them); there "
            f"are {listed(known, 20)}, written as 'J1-J2', or 'all'",
        )
    return tuple(known[name] for name in asked)


def sources(value: Any) -> dict[str, str]:
    """Read the name of a table or file, or one for each column."""
    if isinstance(value, Mapping) and value:
        return {name: words(each) for name, each in value.items()}
    return {"": words(value)}


BEHIND = {"data": Field(sources, needed=True), "scale": Field(words)}
"""The keys that name the ratings."""


def _batches(entry: Entry) -> tuple[Part, ...]:
    ratings = _load(entry, next(iter(entry["data"].values())))
    found = []
    for cell in entry.cells:
        criterion = _criterion(entry, Cell(entry.get("criterion", ""), "", cell.printed), ratings)
        n = batch(ratings, criterion, _judges(cell.row, ratings)).n_items
        verdict: Verdict = "fits" if cell.printed.value == n else "does not fit"
        line = f"{cell.row} rated {n} items together"
        found.append(entry.number(cell, f"{n}", verdict, line, data={"items": n}))
    right = sum(number.verdict == "fits" for number in found)
    total = sum(number.data["items"] for number in found)
    said = f"{right} of {len(found)} batches are as printed; they hold {total:,} items."
    return (entry.part(said, found),)


BATCHES = Kind(
    "how many items judges rated together, against the ratings",
    {**ONE_OR_TABLE, **BEHIND, "criterion": Field(words)},
    _batches,
)
