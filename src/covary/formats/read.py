"""`covary.read`: a file with one row per rating becomes ratings, whatever its size.

DuckDB reads the file. A large one stays where it lies and every question reads what it needs of it;
a small text file is taken into DuckDB's memory, because reading text again and again is slow. The
whole file is looked through before anything is computed, so that what is wrong with it is said at
the door.
"""

from __future__ import annotations

import difflib
import glob
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from covary.errors import InvalidArgument, RatingsError, listed
from covary.formats.cells import Relation, name, numbered, trimmed
from covary.formats.faults import faults_of
from covary.formats.header import read_header
from covary.ratings import COLUMNS, Ratings

__all__ = ["read"]

Reader = Callable[[Any, Path, str | None], Relation]

LARGEST_HELD = 1 << 28
"""Text files up to so many bytes are taken into memory."""


def read(path: str | os.PathLike[str], *, separator: str | None = None, **keywords: Any) -> Ratings:
    r"""Read ratings from a file with one row per rating.

    Parameters
    ----------
    path
        A file that ends in .csv, .tsv, .parquet, .pq, .jsonl or .ndjson (the text formats also with
        .gz after it). It may be larger than memory.
    separator
        What stands between the cells of a .csv or .tsv file, where it is no comma or tab.
    keywords
        The keywords of `Ratings`: which column holds what (`item="qid"`), the scale, the level.
        Columns that have covary's own names are found by themselves.

    Notes
    -----
    Text files are UTF-8, with the names of the columns in the first row. Spaces around names and
    cells do not count. Empty cells are missing, and so are ratings written as NA, N/A, #N/A, nan,
    null or `-`, unless the scale has a category of that name. A column in which every cell is a
    whole number holds numbers. Other words in a column of numbers are an error that names the rows.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "ratings.csv")
    ...     _ = file.write_text("qid,who,score\nq1,Ann,4\nq1,Bo,5\nq2,Ann,1\nq2,Bo,NA\n")
    ...     read(file, item="qid", judge="who", rating="score", scale="1-5")
    Ratings(3 ratings of 2 items by 2 judges)
    """
    file = _existing(path)
    reader = _reader(file)
    if separator is not None and (reader is not _read_text or len(separator) != 1):
        raise InvalidArgument(
            f"separator={separator!r} must be one character, and only .csv and .tsv files have one"
        )
    used = {keywords.get(role, role): role for role in COLUMNS}
    with faults_of(file):
        engine = _engine()
        named = _well_named(reader(engine, file, separator), file)
        rows = trimmed(named, used, keywords.get("scale"))
        if reader is not _read_parquet and file.stat().st_size <= LARGEST_HELD:
            rows = _held(engine, rows)
        rows = numbered(rows, used, file.name, text=reader is _read_text)
        return Ratings(rows, **keywords)


def _existing(path: str | os.PathLike[str]) -> Path:
    file = Path(path).expanduser()
    if file.is_dir():
        raise InvalidArgument(f"path='{file}' is a folder; name a file in it")
    if not file.exists():
        beside = [each.name for each in file.parent.iterdir()] if file.parent.is_dir() else []
        near = difflib.get_close_matches(file.name, beside, 1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise InvalidArgument(f"path='{file}' does not exist{hint}")
    if not file.stat().st_size:
        raise RatingsError(f"{file.name} is empty")
    return file


def _reader(file: Path) -> Reader:
    ending = Path(file.stem if file.suffix.lower() == ".gz" else file.name).suffix.lower()
    if ending in READERS and not (file.suffix.lower() == ".gz" and ending in (".parquet", ".pq")):
        return READERS[ending]
    advice = " Save the sheet as 'CSV UTF-8'." if ending in (".xls", ".xlsx", ".ods") else ""
    raise InvalidArgument(
        f"path='{file.name}' has an ending that covary cannot read; it reads {listed(READERS)}."
        f"{advice} A data frame can be given to covary.Ratings"
    )


def _read_text(engine: Any, file: Path, separator: str | None) -> Relation:
    header = read_header(file, separator)
    return engine.read_csv(
        _one(file),
        sep=header.separator,
        columns={f"c{place}": "VARCHAR" for place in range(len(header.names))},
        header=True,
        skiprows=header.skip,
        auto_detect=False,
        quotechar='"',
        escapechar='"',
    ).project(", ".join(f"c{place} as {name(each)}" for place, each in enumerate(header.names)))


def _read_parquet(engine: Any, file: Path, _: str | None) -> Relation:
    return engine.read_parquet(_one(file))


def _read_json_lines(engine: Any, file: Path, _: str | None) -> Relation:
    # All lines are looked at for the kind of a column, so that a late word is no surprise.
    return engine.read_json(_one(file), format="newline_delimited", sample_size=-1)


READERS: dict[str, Reader] = {
    ".csv": _read_text,
    ".tsv": _read_text,
    ".parquet": _read_parquet,
    ".pq": _read_parquet,
    ".jsonl": _read_json_lines,
    ".ndjson": _read_json_lines,
}


def _one(file: Path) -> str:
    """Write a path so that brackets and stars in it stand for themselves."""
    return glob.escape(str(file))


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


def _held(engine: Any, relation: Relation) -> Relation:
    """Take the rows into DuckDB's memory, for as long as somebody uses them."""
    relation.create("held")
    return engine.table("held")


def _engine() -> Any:
    """Return a DuckDB of its own for each file, which goes when its rows go."""
    import duckdb

    # DuckDB shall not download anything.
    return duckdb.connect(
        config={"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    )
