"""`covary.read`: a file of ratings, in whatever format, becomes ratings.

DuckDB reads tables. The whole file is looked through before anything is computed, so that what is
wrong with it is said at the door.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from covary.errors import InvalidArgument, RatingsError, listed, meant
from covary.formats.catalogue import format_of
from covary.formats.faults import faults_of
from covary.formats.from_postgres import Queried, is_database
from covary.formats.long import refuse_data
from covary.formats.on_spark import read_with_spark
from covary.formats.opened import Opened
from covary.formats.parts import files_of, is_pattern
from covary.formats.tables import ending_of
from covary.ratings import COLUMNS, Ratings
from covary.ratings.room import bytes_of

__all__ = ["read"]


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002
    wide: bool | str | Sequence[str] | None = None,
    sheet: str | None = None,
    separator: str | None = None,
    count: str | None = None,
    keep_rejected: bool = False,
    engine: str = "duckdb",
    memory: str | None = None,
    query: str | None = None,
    **keywords: Any,
) -> Ratings:
    r"""Read ratings from a file; `notes` of what comes back say what was guessed and left out.

    Parameters
    ----------
    path
        A table (.csv, .tsv, .txt, .xlsx, .xls, .ods, .parquet, .jsonl, .json; text also with .gz
        after it) that may be larger than memory, an export of Label Studio (.json), a batch of
        Mechanical Turk (.csv), judged questions in XML (.xml) or a folder of Potato. A folder of
        Parquet or text files, or a pattern (`"ratings/*.parquet"`), is one table; and so is a
        `query` of `"postgresql://…"`.
    format
        `"long"`, `"wide"`, `"counts"`, `"mturk"`, `"label-studio"`, `"potato"` or `"qg-stec"`,
        where it shall not be recognised.
    wide
        The columns that hold one judge's ratings each: their names, a pattern (`"J*"`), or True for
        all columns of numbers that are nothing else.
    sheet
        Which sheet of a spreadsheet; the first one that is not empty where it is not said.
    separator
        What stands between the cells of a text file; found where it is not said.
    count
        The column of a frequency table that says how many items have the pattern.
    keep_rejected
        Whether to keep the rejected assignments of Mechanical Turk.
    engine
        What reads and counts: `"duckdb"`, on this machine, or `"spark"`, which reads Parquet and
        plain text wherever its session can.
    memory
        How much memory may be used, such as `"2GB"`. DuckDB puts on the disk what does not fit, and
        ratings that would not fit are counted where they are and never brought into Python.
    query
        Which table, or what query, of a PostgreSQL.
    keywords
        The keywords of `Ratings`: which column holds what (`item="qid"`), the scale, the level.
        What is not said is guessed from the names of the columns. `rating` may be a list of
        columns, one for each criterion.

    Notes
    -----
    The names of the columns stand in the first row. Text is UTF-8, UTF-16 with its mark, or
    Windows-1252. Spaces around names and cells do not count. Empty cells are missing, and so are
    ratings written as NA, N/A, #N/A, nan, null, missing, `.` or `-`, unless the scale has a
    category of that name. A column in which every cell is a whole number holds numbers. Other words
    in a column of numbers are an error that names the rows.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "ratings.csv")
    ...     _ = file.write_text("qid,rater,score\nq1,Ann,4\nq1,Bo,5\nq2,Ann,1\nq2,Bo,NA\n")
    ...     ratings = read(file, scale="1-5")
    >>> ratings
    Ratings(3 ratings of 2 items by 2 judges)
    >>> print(*ratings.notes)
    By their names, the columns were read so: 'qid' as the item, 'rater' as the judge and 'score'
    as the rating.
    """
    options: dict[str, Any] = {
        "wide": wide, "sheet": sheet, "separator": separator, "count": count
    }  # fmt: skip
    if engine == "spark":
        _refuse_all_but_long(format, options | {"query": query})
        rows, notes = read_with_spark(str(path), keywords, memory)
        return _ratings(rows, keywords, notes, memory)
    if engine != "duckdb":
        raise InvalidArgument(f"engine={engine!r} is not known; choose 'duckdb' or 'spark'")
    options |= {"memory": None if memory is None else bytes_of(memory)}
    file = _opened(path, query, keywords, options | {"keep_rejected": keep_rejected})
    with faults_of(file.path):
        _check_options(file)
        if file.is_table and file.document is None:
            refuse_data(file)
        rows = format_of(file, format).read(file)
        slots = {"judges": "slots"} if file.slots else {}
        return _ratings(rows, slots | keywords, file.notes, memory)


def _ratings(
    rows: Any, keywords: Mapping[str, Any], notes: Sequence[str], memory: str | None
) -> Ratings:
    """Make ratings of rows that have covary's names already."""
    left = {key: value for key, value in keywords.items() if key not in COLUMNS}
    if left.get("judges") == "slots" and "judge" not in rows.columns:
        left["judge"] = None
    made = Ratings(rows, **left).with_notes(*notes)
    return made if memory is None else made.within(memory)


def _refuse_all_but_long(format: str | None, options: Mapping[str, Any]) -> None:  # noqa: A002
    given = [key for key, value in options.items() if value is not None]
    if given or format not in (None, "long"):
        raise InvalidArgument(
            "Spark reads long tables only, one row per rating; leave out "
            f"{listed(given or ['format'])}, or use engine='duckdb'"
        )


def _opened(
    path: str | os.PathLike[str], query: str | None, keywords: dict[str, Any], options: Any
) -> Opened:
    if not is_database(str(path)):
        if query is not None:
            raise InvalidArgument(f"query={query!r} is for postgresql://…, not for '{path}'")
        return Opened(_existing(path), keywords, **options)
    if not query:
        raise InvalidArgument(
            "which ratings of the database? Say query='ratings' with the name of a table, or "
            "query='select item, judge, rating from …'"
        )
    name = query if query.isidentifier() else "query"
    return Queried(Path(name), keywords, **options, address=str(path), query=query)


def _existing(path: str | os.PathLike[str]) -> Path:
    file = Path(path).expanduser()
    if is_pattern(file):
        if not files_of(file):
            raise InvalidArgument(f"path='{file}' matches no file with ratings")
        return file
    if not file.exists():
        beside = [each.name for each in file.parent.iterdir()] if file.parent.is_dir() else []
        raise InvalidArgument(f"path='{file}' does not exist{meant(file.name, beside)}")
    if file.is_file() and not file.stat().st_size:
        raise RatingsError(f"{file.name} is empty")
    return file


def _check_options(file: Opened) -> None:
    """Refuse options that this file cannot have."""
    given = {"wide": file.wide, "sheet": file.sheet, "separator": file.separator}
    wrong = [f"{key}={value!r}" for key, value in given.items() if value is not None]
    if wrong and not file.is_table and (file.path.is_dir() or ending_of(file.path) == ".xml"):
        raise InvalidArgument(f"{', '.join(wrong)}: '{file.path.name}' is no table")
