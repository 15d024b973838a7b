"""The formats that covary reads, in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path

from covary.errors import InvalidArgument
from covary.formats import (
    annotation_tools,
    campaigns,
    experiments,
    labelstudio,
    long,
    mturk,
    potato,
    qgstec,
    wide,
)
from covary.formats.cells import Relation
from covary.formats.ratings_file import RatingsFile
from covary.formats.tables import ENDINGS, LINES, PARQUET
from covary.ratings import Ratings
from covary.records import dataclass


@dataclass(frozen=True, kw_only=True)
class Format:
    """A format: its name, what it looks like, how it is recognised, read and written.

    `endings` are those of its files, where it has its own. `write` has a writer for
    each ending; most formats are only read.
    """

    name: str
    about: str
    recognises: Callable[[RatingsFile], bool]
    endings: tuple[str, ...] = ()
    read: Callable[[RatingsFile], Relation]
    write: Mapping[str, Callable[[Ratings, Path], None]] = field(default_factory=dict)


FORMATS = (
    Format(
        name="potato",
        about="a folder with <user>/user_state.json or <user>/annotated_instances.jsonl",
        recognises=potato.recognises,
        endings=("", *LINES),
        read=potato.read,
    ),
    Format(
        name="qg-stec",
        about="XML with a <question> for each item and its ratings inside",
        recognises=qgstec.recognises,
        endings=(".xml",),
        read=qgstec.read,
    ),
    Format(
        name="label-studio",
        about="JSON with a list of tasks and their annotations",
        recognises=labelstudio.recognises,
        endings=(".json",),
        read=labelstudio.read,
        write={".json": labelstudio.write},
    ),
    Format(
        name="prodigy",
        about="JSON lines with _input_hash, _session_id and answer",
        recognises=annotation_tools.recognises_prodigy,
        endings=(*LINES, ".json"),
        read=annotation_tools.read_prodigy,
    ),
    Format(
        name="argilla",
        about="JSON with the responses of several users to each question",
        recognises=annotation_tools.recognises_argilla,
        endings=(*LINES, ".json"),
        read=annotation_tools.read_argilla,
    ),
    Format(
        name="doccano",
        about="JSON lines with id, text and a list of labels, a file for each annotator",
        recognises=annotation_tools.recognises_doccano,
        endings=(*LINES, ".json"),
        read=annotation_tools.read_doccano,
    ),
    Format(
        name="label-studio-min",
        about="Label Studio's JSON-MIN or CSV, with annotator, annotation_id and lead_time",
        recognises=annotation_tools.recognises_label_studio_min,
        endings=(".json", ".csv", ".tsv"),
        read=annotation_tools.read_label_studio_min,
    ),
    Format(
        name="inception",
        about="WebAnno TSV, a file for each annotator",
        recognises=annotation_tools.recognises_inception,
        endings=(".tsv", ".txt", ".csv"),
        read=annotation_tools.read_inception,
    ),
    Format(
        name="wmt",
        about="JSON lines with esa_score, or with the scores of all systems",
        recognises=campaigns.recognises_scored_lines,
        endings=LINES,
        read=campaigns.read_scored_lines,
    ),
    Format(
        name="helm",
        about="JSON with request_states that judge models annotated",
        recognises=campaigns.recognises_helm,
        endings=(".json",),
        read=campaigns.read_helm,
    ),
    Format(
        name="jspsych",
        about="a table or a list of trials with trial_type, trial_index and response",
        recognises=experiments.recognises,
        endings=(".json", ".csv", ".tsv"),
        read=experiments.read,
    ),
    Format(
        name="mqm",
        about="a table with a row for each error: system, rater, category and severity",
        recognises=campaigns.recognises_mqm,
        read=campaigns.read_mqm,
    ),
    Format(
        name="appraise",
        about="Appraise's table without names: judge, system, segment, TGT, languages, score …",
        recognises=campaigns.recognises_appraise,
        endings=(".csv", ".tsv"),
        read=campaigns.read_appraise,
    ),
    Format(
        name="mturk",
        about="a table with HITId, AssignmentId, WorkerId and Answer.<name>",
        recognises=mturk.recognises,
        read=mturk.read,
    ),
    Format(
        name="counts",
        about="a table with one column per judge and a column of how many items show the pattern",
        recognises=wide.recognises_counts,
        read=wide.read_counts,
    ),
    Format(
        name="wide",
        about="a table with one row per item and one column per judge",
        recognises=wide.recognises,
        read=wide.read,
    ),
    Format(
        name="long",
        about="a table with one row per rating",
        recognises=long.recognises,
        read=long.read,
        write=dict.fromkeys((".csv", ".tsv", *LINES, *PARQUET), long.write_long),
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
    ending = file.ending
    fitting = (form for form in FORMATS if not form.endings or ending in form.endings)
    return next((form for form in fitting if form.recognises(file)), None)


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
