"""A folder of Potato: `<user>/user_state.json` or `<user>/annotated_instances.jsonl` of each judge.

Read is `instance_id_to_label_to_value`, which maps each item to its answers: a list of
`[{"schema": …, "name": …}, value]`, or `{schema: {name: value}}`, or `{schema: value}`. The schema
is the criterion. A value of true, "true" or "on" says that the option `name` was chosen; any other
value is the rating itself. The lines of `annotated_instances.jsonl` have the same answers under
`label_annotations`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from covary.errors import RatingsError
from covary.formats.annotation_tools import first_records
from covary.formats.cells import Relation
from covary.formats.column_roles import records_of_one_kind
from covary.formats.ratings_file import RatingsFile, load_json, load_lines

STATE, ANSWERS = "user_state.json", "instance_id_to_label_to_value"
LABELS = "label_annotations"


def recognises(file: RatingsFile) -> bool:
    """A folder with a user state in it, or lines with annotations."""
    if file.path.is_dir() and _states(file.path):
        return True
    return any(LABELS in record for record in first_records(file))


def read(file: RatingsFile) -> Relation:
    """Read the answers of every user; more than one answer to one question is left out."""
    file.takes_only("rating")
    states = _states(file.path) if file.path.is_dir() else []
    found = [(state.parent.name, _answers(state)) for state in states] or list(_lines(file))
    if not found:
        raise RatingsError("formats.not-potato", file=file.path.name, state=STATE)
    users = len({judge for judge, _ in found})
    file.note("formats.read-as-potato", file=file.path.name, users=users)
    records, several = [], 0
    for judge, by_question in found:
        for (item, criterion), answers in by_question.items():
            if len(answers) > 1:
                several += 1
            else:
                records.append(
                    {"item": item, "judge": judge, "rating": answers[0], "criterion": criterion}
                )
    file.parts = None
    if several:
        file.note("formats.questions-left-out", count=several)
    return file.records(records_of_one_kind(records, file.keywords.get("rating"), file.notes))


def _lines(file: RatingsFile) -> Iterator[tuple[str, dict[tuple[str, str], list[Any]]]]:
    """Give the answers of each line, with the user that the line or its folder names."""
    for path in file.files:
        for record in load_lines(path) or []:
            if isinstance(record, dict) and LABELS in record:
                item = str(record.get("id", record.get("instance_id")))
                judge = str(record.get("user_id") or record.get("user") or path.parent.name)
                where = f"{path.parent.name}/{path.name}"
                yield judge, _by_question({item: record[LABELS]}, where)


def _states(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"*/{STATE}")) or sorted(folder.glob(STATE))


def _answers(state: Path) -> dict[tuple[str, str], list[Any]]:
    """Return the different answers of one user, by item and criterion."""
    content = load_json(state)
    where = f"{state.parent.name}/{STATE}"
    if not isinstance(content, dict) or not isinstance(content.get(ANSWERS), dict):
        raise RatingsError("formats.no-potato-answers", place=where, key=ANSWERS)
    return _by_question(content[ANSWERS], where)


def _by_question(items: dict[str, Any], where: str) -> dict[tuple[str, str], list[Any]]:
    by_question: dict[tuple[str, str], list[Any]] = {}
    for item, given in items.items():
        for schema, option, value in _given(given, f"{where}, item {item!r}"):
            chosen = option if str(value).lower() in ("true", "on") and option else value
            answers = by_question.setdefault((item, schema), [])
            if chosen not in (None, "", False, "false") and chosen not in answers:
                answers.append(chosen)
    return {key: answers for key, answers in by_question.items() if answers}


def _given(given: Any, where: str) -> Iterator[tuple[str, str, Any]]:
    """Give schema, option and value of each answer, whichever way they are written."""
    if isinstance(given, dict):
        for schema, value in given.items():
            if isinstance(value, dict):
                yield from ((schema, option, chosen) for option, chosen in value.items())
            else:
                yield schema, "", value
        return
    for entry in given if isinstance(given, list) else [given]:
        match entry:
            case [{"schema": schema, **label}, value]:
                yield str(schema), str(label.get("name") or ""), value
            case _:
                raise RatingsError("formats.bad-potato-answer", place=where, answer=entry)
