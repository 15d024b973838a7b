"""The formats that covary reads, in the order in which they are tried."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from covary.errors import InvalidArgument
from covary.formats.cells import Relation
from covary.formats.ratings_file import RatingsFile
from covary.formats.tables import ENDINGS, LINES, PARQUET
from covary.formats.text_files import open_bytes
from covary.ratings import Ratings
from covary.records import dataclass


@dataclass(frozen=True, kw_only=True)
class Format:
    """A format: its name, what it looks like, and the module that recognises, reads and writes it.

    `endings` are those of its files, where it has its own; `writes` those that it can be written
    with. `part` ends the names of its functions where a module has several formats. The module is
    loaded for files that may be of this format: a table that has all `columns` (in small letters,
    `|` between names that do as well) and, for each of `words`, a column whose name holds it; a
    text that `begins` so.
    """

    name: str
    about: str
    module: str
    part: str = ""
    endings: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    begins: str = ""
    writes: tuple[str, ...] = ()

    def recognises(self, file: RatingsFile) -> bool:
        """Say whether a file is of this format."""
        if self.endings and file.ending not in self.endings:
            return False
        return self._may_be(file) and bool(self._function("recognises")(file))

    def read(self, file: RatingsFile) -> Relation:
        """Read the ratings of a file."""
        return self._function("read")(file)

    @property
    def write(self) -> Mapping[str, Callable[[Ratings, Path], None]]:
        """A writer for each ending; most formats are only read."""
        return dict.fromkeys(self.writes, self._function("write")) if self.writes else {}

    def _may_be(self, file: RatingsFile) -> bool:
        if self.begins:
            return bool(file.files) and _begins(file.files[0], self.begins)
        if not (self.columns or self.words) or file.ending in (*LINES, ".json"):
            return True
        names = {column.casefold() for column in file.columns}
        if not all(any(re.search(word, name) for name in names) for word in self.words):
            return False
        return all(not names.isdisjoint(either.split("|")) for either in self.columns)

    def _function(self, verb: str) -> Callable[..., Any]:
        module = import_module(f"covary.formats.{self.module}")
        function: Callable[..., Any] = getattr(module, f"{verb}_{self.part}".rstrip("_"))
        return function


def _begins(file: Path, text: str) -> bool:
    with open_bytes(file) as stream:
        return stream.read(len(text)) == text.encode()


FORMATS = (
    Format(
        name="potato",
        about="a folder with <user>/user_state.json or <user>/annotated_instances.jsonl",
        module="potato",
        endings=("", *LINES),
    ),
    Format(
        name="qg-stec",
        about="XML with a <question> for each item and its ratings inside",
        module="qgstec",
        endings=(".xml",),
    ),
    Format(
        name="label-studio",
        about="JSON with a list of tasks and their annotations",
        module="labelstudio",
        endings=(".json",),
        writes=(".json",),
    ),
    Format(
        name="prodigy",
        about="JSON lines with _input_hash, _session_id and answer",
        module="annotation_tools",
        part="prodigy",
        endings=(*LINES, ".json"),
    ),
    Format(
        name="argilla",
        about="JSON with the responses of several users to each question",
        module="annotation_tools",
        part="argilla",
        endings=(*LINES, ".json"),
    ),
    Format(
        name="doccano",
        about="JSON lines with id, text and a list of labels, a file for each annotator",
        module="annotation_tools",
        part="doccano",
        endings=(*LINES, ".json"),
    ),
    Format(
        name="label-studio-min",
        about="Label Studio's JSON-MIN or CSV, with annotator, annotation_id and lead_time",
        module="annotation_tools",
        part="label_studio_min",
        endings=(".json", ".csv", ".tsv"),
        columns=("annotator", "annotation_id", "lead_time"),
    ),
    Format(
        name="inception",
        about="WebAnno TSV, a file for each annotator",
        module="annotation_tools",
        part="inception",
        endings=(".tsv", ".txt", ".csv"),
        begins="#FORMAT=WebAnno TSV",
    ),
    Format(
        name="wmt",
        about="JSON lines with esa_score, or with the scores of all systems",
        module="campaigns",
        part="scored_lines",
        endings=LINES,
    ),
    Format(
        name="helm",
        about="JSON with request_states that judge models annotated",
        module="campaigns",
        part="helm",
        endings=(".json",),
    ),
    Format(
        name="jspsych",
        about="a table or a list of trials with trial_type, trial_index and response",
        module="experiments",
        endings=(".json", ".csv", ".tsv"),
        columns=("response|responses|button_pressed",),
    ),
    Format(
        name="mqm",
        about="a table with a row for each error: system, rater, category and severity",
        module="campaigns",
        part="mqm",
        columns=("system", "rater", "category", "severity"),
    ),
    Format(
        name="appraise",
        about="Appraise's table without names: judge, system, segment, TGT, languages, score …",
        module="campaigns",
        part="appraise",
        endings=(".csv", ".tsv"),
        columns=("column 1|tgt|ref|bad|chk|src",),
    ),
    Format(
        name="mturk",
        about="a table with HITId, AssignmentId, WorkerId and Answer.<name>",
        module="mturk",
        columns=("hitid", "assignmentid", "workerid"),
    ),
    Format(
        name="best-worst",
        about="a table with three or more columns of what was shown, the best and the worst of it",
        module="best_worst",
        words=("best|most", "worst|least"),
    ),
    Format(
        name="counts",
        about="a table with one column per judge and a column of how many items show the pattern",
        module="wide",
        part="counts",
    ),
    Format(
        name="wide",
        about="a table with one row per item and one column per judge",
        module="wide",
    ),
    Format(
        name="long",
        about="a table with one row per rating",
        module="long",
        writes=(".csv", ".tsv", *LINES, *PARQUET),
    ),
)
"""The formats that can be read, in the order in which a file is asked for them."""


def find_format(file: RatingsFile, wanted: str | None) -> Format:
    """Return the format of that name, or the first that recognises the file."""
    if wanted is not None:
        chosen = next((form for form in FORMATS if form.name == wanted), None)
        if chosen is None:
            names = [form.name for form in FORMATS]
            raise InvalidArgument(
                "formats.unknown-format", argument="format", value=wanted, allowed=names
            )
        _refuse_no_table(file, chosen)
        return chosen
    recognised = recognised_format(file)
    if recognised is not None:
        return recognised
    if file.path.is_dir():
        raise InvalidArgument("formats.no-tables", argument="path", value=str(file.path))
    raise InvalidArgument(
        "formats.unknown-ending", value=file.path.name, allowed=(*ENDINGS, ".xml")
    )


def recognised_format(file: RatingsFile) -> Format | None:
    """Return the first format that recognises the file."""
    return next((form for form in FORMATS if form.recognises(file)), None)


def _refuse_no_table(file: RatingsFile, chosen: Format) -> None:
    if chosen.name == "potato" or (chosen.name == "qg-stec" and file.path.is_file()):
        return
    if not file.is_table:
        raise InvalidArgument(
            "formats.other-format",
            argument="format",
            value=chosen.name,
            allowed=ENDINGS,
            about=chosen.about,
            file=file.path.name,
        )
