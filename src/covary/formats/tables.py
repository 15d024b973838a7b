"""Files that hold a table (text, spreadsheet, Parquet, JSON lines) as a query for DuckDB.

A large text file stays where it lies and every question reads what it needs of it; a small one is
taken into DuckDB's memory later on, because reading text again and again is slow.
"""

from __future__ import annotations

import csv
import glob
import itertools
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any

from covary.errors import InvalidArgument, RatingsError, listed
from covary.formats.cells import Relation, name
from covary.formats.encoding import copied_as_utf_8, encoding_of, start_of
from covary.formats.header import Header, read_header, spoken
from covary.formats.sheets import read_sheet

__all__ = [
    "ENDINGS",
    "LINES",
    "PARQUET",
    "SHEETS",
    "TEXT",
    "ending_of",
    "from_records",
    "new_engine",
    "open_table",
]

TEXT = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "\t"}
"""Endings of text files, and what usually separates their cells."""

SHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
PARQUET = (".parquet", ".pq")
LINES = (".jsonl", ".ndjson")
ENDINGS = (*TEXT, *PARQUET, *LINES, ".json", *SHEETS)

SHARE = 0.65
"""How much of the memory DuckDB gets; the rest is for Python and for what DuckDB does not count."""

_engines = itertools.count(1)


def ending_of(file: Path) -> str:
    """Return the ending that says what a file is: .csv also for ratings.csv.gz."""
    packed = file.suffix.lower() == ".gz"
    ending = Path(file.stem if packed else file.name).suffix.lower()
    return f"{ending}.gz" if packed and ending in (*PARQUET, *SHEETS) else ending


def open_table(
    engine: Any,
    files: Sequence[Path],
    *,
    separator: str | None,
    sheet: str | None,
    notes: list[str],
) -> Relation:
    """Return a query for the rows of files that are one table; what was found out is noted."""
    file = files[0]
    ending = ending_of(file)
    if separator is not None and (ending not in TEXT or len(separator) != 1):
        raise InvalidArgument(
            f"separator={separator!r} must be one character, and only .csv and .tsv files have one"
        )
    if sheet is not None and ending not in SHEETS:
        raise InvalidArgument(f"sheet={sheet!r}: only spreadsheets have sheets, not {file.name}")
    if ending in TEXT:
        relation = _read_text(engine, files, separator, notes)
    elif ending in SHEETS:
        names, rows = read_sheet(file, sheet, notes)
        relation = _taken(engine, names, rows)
    elif ending in PARQUET:
        relation = engine.read_parquet(_each(files), hive_partitioning=_by_value(files))
    else:
        # All lines are looked at for the kind of a column, so that a late word is no surprise.
        kind = "newline_delimited" if ending in LINES else "array"
        relation = engine.read_json(_each(files), format=kind, sample_size=-1)
    return _well_named(relation, file)


def from_records(engine: Any, records: Sequence[dict[str, Any]], file: Path) -> Relation:
    """Hold records in DuckDB; a column is numeric where every value is a number."""
    if not records:
        raise RatingsError(f"{file.name} holds no ratings")
    names = list(dict.fromkeys(k for record in records for k, v in record.items() if v is not None))
    held = _taken(engine, names, ([record.get(key) for key in names] for record in records))
    kinds = {key: _kind([record.get(key) for record in records]) for key in names}
    return held.project(", ".join(f"cast({name(k)} as {kinds[k]}) as {name(k)}" for k in names))


def new_engine(memory: int | None = None) -> Any:
    """Return a DuckDB of its own for each file, which goes when its rows go.

    What does not fit in its share of the memory is put on the disk for the time being.
    """
    import duckdb

    # DuckDB shall not download anything.
    settings: dict[str, Any] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "temp_directory": str(Path(gettempdir(), f"covary-{os.getpid()}-{next(_engines)}")),
    }
    if memory is not None:
        settings["memory_limit"] = f"{round(memory * SHARE)}B"
    engine = duckdb.connect(config=settings)
    engine.execute("set enable_progress_bar = false")  # covary has one of its own
    return engine


def _read_text(
    engine: Any, files: Sequence[Path], separator: str | None, notes: list[str]
) -> Relation:
    file, usual = files[0], TEXT[ending_of(files[0])]
    encoding = encoding_of(file)
    header = read_header(start_of(file, encoding), separator, usual, file.name)
    if separator is None and header.separator != usual and len(header.names) > 1:
        notes.append(f"The cells of {file.name} are separated by {spoken(header.separator)}.")
    for other in files[1:]:
        _refuse_different(other, header, file, encoding)
    if encoding == "utf-8-sig":
        return _read_csv(engine, files, header)
    notes.append(f"{file.name} was read as {encoding.upper()} text.")
    with TemporaryDirectory() as folder:
        copies = [
            copied_as_utf_8(each, encoding, Path(folder, f"copy{place}.csv"))
            for place, each in enumerate(files)
        ]
        _read_csv(engine, copies, header).create("copied")
    return engine.table("copied")


def _refuse_different(other: Path, header: Header, first: Path, encoding: str) -> None:
    """Refuse a file that is not a part of the same table as the first one."""
    own = encoding_of(other)
    if own != encoding:
        raise RatingsError(
            f"{other} is {own.upper()} text and {first.name} is {encoding.upper()}; save both alike"
        )
    found = read_header(start_of(other, own), header.separator, header.separator, other.name)
    if found != header:
        raise RatingsError(
            f"{other} has the columns {listed(found.names)}, but {first.name} has "
            f"{listed(header.names)}; the files of one table have the same first row"
        )


def _read_csv(engine: Any, files: Sequence[Path], header: Header) -> Relation:
    return engine.read_csv(
        _each(files),
        sep=header.separator,
        columns={f"c{place}": "VARCHAR" for place in range(len(header.names))},
        header=header.above,
        skiprows=header.skip,
        auto_detect=False,
        quotechar='"',
        escapechar='"',
    ).project(", ".join(f"c{place} as {name(each)}" for place, each in enumerate(header.names)))


def _taken(engine: Any, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Relation:
    """Take rows of Python values into DuckDB as text.

    They go through a file, because DuckDB wants pandas for everything else that is not a number.
    """
    with TemporaryDirectory() as folder:
        file = Path(folder, "rows.csv")
        with file.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
        _read_csv(engine, [file], Header(tuple(names), ",", 0, above=False)).create("taken")
    return engine.table("taken").project(
        ", ".join(f"nullif({name(each)}, '') as {name(each)}" for each in names)
    )


def _kind(values: Sequence[Any]) -> str:
    present = [value for value in values if value is not None]
    if not present or not all(type(value) in (int, float) for value in present):
        return "VARCHAR"
    return "BIGINT" if all(type(value) is int for value in present) else "DOUBLE"


def _by_value(files: Sequence[Path]) -> bool:
    """Say whether files were put into folders that are named after values: criterion=fluency."""
    shared = Path(os.path.commonpath([file.parent for file in files]))
    return any("=" in part for file in files for part in file.relative_to(shared).parts[:-1])


def _each(files: Sequence[Path]) -> list[str]:
    """Write paths so that brackets and stars in them stand for themselves."""
    return [glob.escape(str(file)) for file in files]


def _well_named(relation: Relation, file: Path) -> Relation:
    """Take the spaces off the names of columns, and refuse two columns of one name."""
    names = [each.strip() for each in relation.columns]
    seen: dict[str, str] = {}
    for each in names:
        if each.lower() in seen:
            raise RatingsError(
                f"{file.name} has two columns called {seen[each.lower()]!r} and {each!r}; "
                "rename or remove one"
            )
        seen[each.lower()] = each
    pairs = zip(relation.columns, names, strict=True)
    return relation.project(", ".join(f"{name(old)} as {name(new)}" for old, new in pairs))
