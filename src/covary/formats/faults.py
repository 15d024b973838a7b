"""What DuckDB says about a file that it cannot read, in words that help."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from covary.errors import RatingsError
from covary.formats.encoding import ADVICE

__all__ = ["faults_of"]


@contextmanager
def faults_of(file: Path) -> Iterator[None]:
    """Turn errors of DuckDB and of unpacking into covary's."""
    import duckdb

    try:
        yield
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise RatingsError(f"{file.name} cannot be unpacked: {error}") from error
    except duckdb.Error as error:
        raise RatingsError(explained(file.name, str(error))) from error


def explained(file: str, message: str) -> str:
    """Say in a sentence what is wrong with a file.

    Examples
    --------
    >>> explained("a.csv", "CSV Error on Line: 7 ... Expected Number of Columns: 3 Found: 4 ...")
    'a.csv, line 7: 4 cells where the first row has 3; put quotation marks around text ...'
    """
    line = re.search(r"CSV Error on Line: (\d+)", message)
    where = f"{file}, line {line[1]}" if line else file
    if cells := re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message):
        return (
            f"{where}: {cells[2]} cells where the first row has {cells[1]}; put quotation marks "
            "around text that holds the separator, or fill the row up"
        )
    if "unterminated quote" in message:
        return f"{where}: a quotation mark is opened and never closed"
    if "utf-8" in message.lower() or "unicode" in message.lower():
        return f"{where}: the file is not UTF-8 text; {ADVICE}"
    if "invalid state" in message:
        return f"{where}: the line ends or quotation marks are mixed; save it again as plain CSV"
    return f"{where} cannot be read: {message.splitlines()[0]}"
