"""The formats that covary reads, in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from covary.errors import InvalidArgument, choose, listed
from covary.formats import counts, labelstudio, long, mturk, potato, qgstec, rows_out, wide
from covary.formats.cells import Relation
from covary.formats.opened import Opened
from covary.formats.tables import ENDINGS
from covary.ratings import Ratings

__all__ = ["FORMATS", "Format", "format_of"]


@dataclass(frozen=True)
class Format:
    """A format: its name, what it looks like, how it is recognised, read and written.

    `write` has a writer for each ending; most formats are only read.
    """

    name: str
    about: str
    recognises: Callable[[Opened], bool]
    read: Callable[[Opened], Relation]
    write: Mapping[str, Callable[[Ratings, Path], None]] = field(default_factory=dict)


FORMATS = (
    Format(
        "potato",
        "a folder with <user>/user_state.json",
        potato.recognises,
        potato.read,
    ),
    Format(
        "qg-stec",
        "XML with a <question> for each item and its ratings inside",
        qgstec.recognises,
        qgstec.read,
    ),
    Format(
        "label-studio",
        "JSON with a list of tasks and their annotations",
        labelstudio.recognises,
        labelstudio.read,
        {".json": labelstudio.write},
    ),
    Format(
        "mturk",
        "a table with HITId, AssignmentId, WorkerId and Answer.<name>",
        mturk.recognises,
        mturk.read,
    ),
    Format(
        "counts",
        "a table with one column per judge and a column of how many items show the pattern",
        counts.recognises,
        counts.read,
    ),
    Format(
        "wide",
        "a table with one row per item and one column per judge",
        wide.recognises,
        wide.read,
    ),
    Format(
        "long",
        "a table with one row per rating",
        long.recognises,
        long.read,
        {
            ".csv": rows_out.write_csv,
            ".tsv": rows_out.write_tsv,
            ".jsonl": rows_out.write_json_lines,
            ".ndjson": rows_out.write_json_lines,
            ".parquet": rows_out.write_parquet,
            ".pq": rows_out.write_parquet,
        },
    ),
)
"""The formats that can be read, in the order in which a file is asked for them."""


def format_of(file: Opened, wanted: str | None) -> Format:
    """Return the format of that name, or the first that recognises the file."""
    if wanted is not None:
        chosen = next((each for each in FORMATS if each.name == wanted), None)
        if chosen is None:
            raise InvalidArgument(
                f"format={wanted!r} is not known; {choose(wanted, (f.name for f in FORMATS))}"
            )
        _refuse_no_table(file, chosen)
        return chosen
    found = next((each for each in FORMATS if each.recognises(file)), None)
    if found is None and file.path.is_dir():
        raise InvalidArgument(
            f"path='{file.path}' is a folder without tables (.parquet, .csv) and not one of "
            "Potato; name a file in it"
        )
    if found is None:
        raise InvalidArgument(
            f"path='{file.path.name}' has an ending that covary cannot read; it reads "
            f"{listed((*ENDINGS, '.xml'), 20)}. A data frame can be given to covary.Ratings"
        )
    return found


def _refuse_no_table(file: Opened, chosen: Format) -> None:
    if chosen.name == "potato" or (chosen.name == "qg-stec" and file.path.is_file()):
        return
    if not file.is_table:
        raise InvalidArgument(
            f"format={chosen.name!r} is {chosen.about}, and '{file.path.name}' is no such file; "
            f"covary reads {listed(ENDINGS, 20)}"
        )
