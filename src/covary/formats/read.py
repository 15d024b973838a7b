"""`covary.read`: a file of ratings, in whatever format, becomes ratings.

DuckDB reads tables. The whole file is looked through before anything is computed, so that what is
wrong with it is said at the door.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from covary.errors import InvalidArgument, RatingsError
from covary.formats.catalogue import format_of
from covary.formats.faults import faults_of
from covary.formats.long import refuse_data
from covary.formats.opened import Opened
from covary.formats.tables import ending_of
from covary.ratings import COLUMNS, Ratings

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
    **keywords: Any,
) -> Ratings:
    r"""Read ratings from a file; `notes` of what comes back say what was guessed and left out.

    Parameters
    ----------
    path
        A table (.csv, .tsv, .txt, .xlsx, .xls, .ods, .parquet, .jsonl, .json; text also with .gz
        after it) that may be larger than memory, an export of Label Studio (.json), a batch of
        Mechanical Turk (.csv), judged questions in XML (.xml) or a folder of Potato.
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
    file = Opened(_existing(path), keywords, wide, sheet, separator, count, keep_rejected)
    with faults_of(file.path):
        _check_options(file)
        if file.is_table and file.document is None:
            refuse_data(file)
        rows = format_of(file, format).read(file)
        left = {key: value for key, value in keywords.items() if key not in COLUMNS}
        if left.get("judges") == "slots" and "judge" not in rows.columns:
            left["judge"] = None
        return Ratings(rows, **left).with_notes(*file.notes)


def _existing(path: str | os.PathLike[str]) -> Path:
    file = Path(path).expanduser()
    if not file.exists():
        beside = [each.name for each in file.parent.iterdir()] if file.parent.is_dir() else []
        near = difflib.get_close_matches(file.name, beside, 1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise InvalidArgument(f"path='{file}' does not exist{hint}")
    if file.is_file() and not file.stat().st_size:
        raise RatingsError(f"{file.name} is empty")
    return file


def _check_options(file: Opened) -> None:
    """Refuse options that this file cannot have."""
    given = {"wide": file.wide, "sheet": file.sheet, "separator": file.separator}
    wrong = [f"{key}={value!r}" for key, value in given.items() if value is not None]
    if wrong and (file.path.is_dir() or ending_of(file.path) == ".xml"):
        raise InvalidArgument(f"{', '.join(wrong)}: '{file.path.name}' is no table")
