"""`covary.write`: ratings become a file with one row per rating, or one for Label Studio."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from covary.errors import InvalidArgument, listed
from covary.formats.catalogue import FORMATS
from covary.formats.faults import faults_of
from covary.ratings import Ratings

__all__ = ["write"]


def write(ratings: Ratings, path: str | os.PathLike[str]) -> Path:
    r"""Write ratings to a file, whose ending says how.

    Parameters
    ----------
    ratings
        What to write; columns get covary's names.
    path
        .csv, .tsv, .jsonl, .ndjson, .parquet and .pq have one row per rating; .json is for Label
        Studio. An existing file is replaced, once the new one is complete.

    Returns
    -------
    Path
        Where the file is.

    Notes
    -----
    Text files do not know kinds: an item named by the text '12' comes back as the number 12.
    Parquet keeps what there was.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> ratings = Ratings({"item": ["q1", "q2"], "judge": ["Ann", "Ann"], "rating": [4, 5]})
    >>> with TemporaryDirectory() as folder:
    ...     write(ratings, Path(folder, "ratings.csv")).read_text()
    'item,judge,rating\nq1,Ann,4\nq2,Ann,5\n'
    """
    file = Path(path).expanduser()
    ending = file.suffix.lower()
    writers = {end: writer for each in FORMATS for end, writer in each.write.items()}
    if ending not in writers:
        raise InvalidArgument(f"path='{file.name}' must end in one of {listed(writers)}")
    if not file.parent.is_dir():
        raise InvalidArgument(f"path='{file}': the folder '{file.parent}' does not exist")
    draft = file.with_name(f".{file.stem}-{secrets.token_hex(4)}{ending}")
    try:
        with faults_of(file):
            writers[ending](ratings, draft)
        os.replace(draft, file)
    finally:
        draft.unlink(missing_ok=True)
    return file
