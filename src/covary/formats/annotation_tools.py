"""Exports of annotation tools: Prodigy, Argilla, doccano, Label Studio's short forms, INCEpTION.

Prodigy (`db-out`): a record for each answer, with `_session_id` or `_annotator_id` (the judge),
`_input_hash` (the item), `answer` (accept, reject, ignore), and `accept` with the chosen options or
one `label` that was accepted or rejected. Argilla: a record for each item, with the columns
`<question>.responses`, `<question>.responses.users` and `<question>.responses.status`, or
`<question>` with the lists `user_id`, `value` and `status`. doccano: a file for each annotator, a
record for each text with its `id` and the list `label`. Label Studio's JSON-MIN and CSV: a record
for each annotation with `annotator`, `annotation_id` and `lead_time`, and a key for each control.
INCEpTION: a file of WebAnno TSV for each annotator, a line for each token and a column for each
feature.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from covary.errors import RatingsError
from covary.formats.cells import Relation
from covary.formats.column_roles import guess, records_of_one_kind
from covary.formats.ratings_file import (
    LARGEST_JSON,
    RatingsFile,
    distinguishing_names,
    load_json,
    load_lines,
)
from covary.formats.tables import LINES
from covary.formats.text_files import detect_encoding, open_bytes

RESPONSES = ".responses"


def load_records(file: RatingsFile) -> list[dict[str, Any]]:
    """Return a list of JSON objects, or a line for each; nothing where the file is none."""
    records = file.json if isinstance(file.json, list) else []
    return [record for record in records if isinstance(record, dict)]


def recognises_prodigy(file: RatingsFile) -> bool:
    """Lines that have Prodigy's own keys."""
    return any({"_input_hash", "answer"} <= record.keys() for record in load_records(file)[:5])


def read_prodigy(file: RatingsFile) -> Relation:
    """Read an accepted option, or whether the label was accepted; ignored answers are missing."""
    return read_records(
        file, "Prodigy", [r for record in load_records(file) for r in _prodigy(record)]
    )


def _prodigy(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    judge = record.get("_annotator_id") or record.get("_session_id")
    known = {"item": str(record.get("_input_hash")), "judge": judge, "criterion": "answer"}
    answer, options = record.get("answer"), record.get("accept")
    if answer == "ignore" or judge is None:
        return
    if isinstance(options, list):
        if len(options) == 1 and answer == "accept":
            yield known | {"rating": options[0]}
    elif record.get("label") is not None:
        yield known | {"criterion": record["label"], "rating": answer}
    else:
        yield known | {"rating": answer}


def recognises_argilla(file: RatingsFile) -> bool:
    """Records with the responses of several users to a question."""
    return any(_questions(record) for record in load_records(file)[:5])


def read_argilla(file: RatingsFile) -> Relation:
    """Read every submitted response with one value."""
    records = load_records(file)
    rows = [r for place, record in enumerate(records, 1) for r in _argilla(record, place)]
    return read_records(file, "Argilla", rows)


def _questions(record: Mapping[str, Any]) -> dict[str, tuple[Any, Any, Any]]:
    """Return the users, values and statuses of each question."""
    questions = {}
    for key, value in record.items():
        users = record.get(f"{key}.users")
        if key.endswith(RESPONSES) and isinstance(value, list) and isinstance(users, list):
            status = record.get(f"{key}.status") or ["submitted"] * len(value)
            questions[key.removesuffix(RESPONSES)] = (users, value, status)
        elif isinstance(value, dict) and {"user_id", "value", "status"} <= value.keys():
            questions[key] = (value["user_id"], value["value"], value["status"])
    return questions


def _argilla(record: Mapping[str, Any], place: int) -> Iterator[dict[str, Any]]:
    item = record.get("id") or record.get("external_id") or place
    for question, (users, values, statuses) in _questions(record).items():
        for user, value, status in zip(users, values, statuses, strict=False):
            if status == "submitted" and user is not None and not isinstance(value, list | dict):
                answer = {"rating": value, "criterion": question}
                yield {"item": item, "judge": user} | answer


def read_records(file: RatingsFile, tool: str, records: list[dict[str, Any]]) -> Relation:
    """Hold the ratings that were found in the export of a tool, and say which it was."""
    if file.parts is not None:  # the names of files were taken for judges before
        file.keywords.pop(file.parts, None)
        file.parts = None
    file.takes_only("rating")
    if not records:
        raise RatingsError("formats.no-ratings", file=file.path.name)
    odd = next((r["rating"] for r in records if isinstance(r["rating"], list | dict)), None)
    if odd is not None:
        reason = f"an answer is {str(odd)[:40]}"
        raise RatingsError("formats.other-structure", file=file.path.name, reason=reason)
    for record in records:  # as the file writes it, and not as Python does
        if isinstance(record["rating"], bool):
            record["rating"] = str(record["rating"]).lower()
    file.note("formats.read-as-tool", file=file.path.name, tool=tool)
    records = records_of_one_kind(records, file.keywords.get("rating"), file.notes)
    if len({record["criterion"] for record in records}) == 1:
        records = [{k: v for k, v in record.items() if k != "criterion"} for record in records]
    return file.records(records)


def named_records(file: RatingsFile) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Give the records of each file with what its name tells it from the others."""
    if file.ending not in (*LINES, ".json"):
        return
    names = distinguishing_names([path.name for path in file.files])
    for name, path in zip(names, file.files, strict=True):
        content = load_json(path) if file.ending == ".json" else load_lines(path)
        records = content if isinstance(content, list) else []
        yield name, [record for record in records if isinstance(record, dict)]


def first_records(file: RatingsFile) -> list[dict[str, Any]]:
    """Return some records of the first file; none where it is not a list of records."""
    if not file.files or not file.files[0].is_file() or file.files[0].stat().st_size > LARGEST_JSON:
        return []
    if len(file.files) == 1:
        return load_records(file)[:5]
    return next(named_records(file), ("", []))[1][:5]


def recognises_doccano(file: RatingsFile) -> bool:
    """Records with an id, what was labelled, and a list of labels."""
    return any(
        isinstance(record.get("label"), list)
        and "id" in record
        and {"text", "data", "filename"} & record.keys()
        and all(isinstance(label, str) for label in record["label"])
        for record in first_records(file)
    )


def read_doccano(file: RatingsFile) -> Relation:
    """Read the label of each text by each annotator; more than one label is left out."""
    rows, several = [], 0
    for judge, records in named_records(file):
        for record in records:
            labels = record.get("label") or []
            several += len(labels) > 1
            if len(labels) == 1:
                known = {"item": record["id"], "judge": judge, "criterion": "label"}
                rows.append(known | {"rating": labels[0]})
    if several:
        file.note("formats.choices-left-out", count=several)
    return read_records(file, "doccano", rows)


OF_LABEL_STUDIO = {"annotator", "annotation_id", "lead_time"}


def recognises_label_studio_min(file: RatingsFile) -> bool:
    """A record or a row for each annotation, with the keys that Label Studio always writes."""
    if file.ending == ".json":
        return any(record.keys() >= OF_LABEL_STUDIO for record in load_records(file)[:5])
    return set(file.columns) >= OF_LABEL_STUDIO


def read_label_studio_min(file: RatingsFile) -> Relation:
    """Read the answers to choices, stars and numbers; texts and areas are left out."""
    records = load_records(file)
    if file.ending != ".json":
        rows = file.table.fetchall()
        records = [dict(zip(file.columns, row, strict=True)) for row in rows]
    own = {*OF_LABEL_STUDIO, "id", "created_at", "updated_at"}
    keys = [k for k in dict.fromkeys(k for r in records for k in r) if k not in own]
    answers = {k: [_short_answer(record.get(k)) for record in records] for k in keys}
    further = guess([k for k in keys if not _are_answers(answers[k])], {}, FURTHER).roles
    items = [str(record.get("id")) for record in records]
    controls = [
        key
        for key in keys
        if key not in further.values()
        and _are_answers(answers[key])
        and not _follows(answers[key], items)
    ]
    rated = [
        {"item": record.get("id"), "judge": record.get("annotator"), "criterion": key}
        | {role: record.get(column) for role, column in further.items()}
        | {"rating": answers[key][place], "seconds": record.get("lead_time")}
        for place, record in enumerate(records)
        for key in controls
        if answers[key][place] is not None
    ]
    return read_records(file, "Label Studio", rated)


FURTHER = ("system", "source", "group", "cluster")


def _short_answer(value: Any) -> Any:
    """Return the one answer: a choice, or the number in [{"rating": 4}]; else nothing."""
    if isinstance(value, str) and value[:1] in ("[", "{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return value
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, dict):
        chosen = next((value[k] for k in ("rating", "number", "choices") if k in value), None)
        return None if isinstance(chosen, list | dict) else chosen
    return None if isinstance(value, list) else value


def _are_answers(values: list[Any]) -> bool:
    """Whether values can be answers: numbers, or words that come again and are short."""
    present = [value for value in values if value is not None]
    if not present or any(len(str(value)) > LONGEST_CHOICE for value in present):
        return False
    if all(isinstance(value, int | float) for value in present):
        return True
    return len(set(map(str, present))) <= min(MOST_CHOICES, len(present) - 1)


def _follows(values: list[Any], items: list[str]) -> bool:
    """Whether words are data of the task, the same whoever answered, and other for each task."""
    by_item: dict[str, set[Any]] = {}
    for item, value in zip(items, values, strict=True):
        by_item.setdefault(item, set()).add(value)
    alike = all(len(kinds) == 1 for kinds in by_item.values())
    kinds = {value for kinds in by_item.values() for value in kinds}
    words = any(isinstance(value, str) for value in kinds)
    return words and alike and len(kinds) == len(by_item) < len(items)


LONGEST_CHOICE, MOST_CHOICES = 60, 12

LAYER = re.compile(r"#T_(?:SP|CH|RL)=([^|]+)\|?(.*)")
UNLABELLED = "none"


def recognises_inception(file: RatingsFile) -> bool:
    """Text whose first line says so, which the catalogue has seen already."""
    return bool(file.files)


def read_inception(file: RatingsFile) -> Relation:
    """Read the label of each token by each annotator, on a criterion for each feature."""
    by_folder = len({path.parent for path in file.files}) > 1
    judges = distinguishing_names([path.name for path in file.files])
    rows = [
        {"item": f"{path.parent.name} {place}" if by_folder else place, "judge": judge} | label
        for judge, path in zip(judges, file.files, strict=True)
        for place, label in _tokens(path)
    ]
    file.note("formats.tokens-are-items", none=UNLABELLED)
    return read_records(file, "INCEpTION", rows)


def _tokens(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Give the place of each token, and each label on it."""
    features: list[str] = []
    with open_bytes(path) as stream:
        lines = stream.read().decode(detect_encoding(path)).splitlines()
    for line in lines:
        if layer := LAYER.fullmatch(line):
            name = layer[1].rpartition(".")[2]
            features += [f"{name}.{feature}" for feature in layer[2].split("|") if feature]
        elif line and not line.startswith("#"):
            place, _, _, *cells = line.rstrip("\t").split("\t")
            for feature, cell in zip(features, cells, strict=False):
                label = re.sub(r"\[[0-9]+\]", "", cell).replace("\\_", "_")
                empty = label in ("_", "*", "")
                yield place, {"criterion": feature, "rating": UNLABELLED if empty else label}
