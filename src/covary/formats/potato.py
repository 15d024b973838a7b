"""A folder of Potato: `<user>/user_state.json` for each judge.

Read is `instance_id_to_label_to_value`, which maps each item to its answers: a list of
`[{"schema": …, "name": …}, value]`, or `{schema: {name: value}}`, or `{schema: value}`. The schema
is the criterion. A value of true, "true" or "on" says that the option `name` was chosen; any other
value is the rating itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from covary.errors import RatingsError
from covary.formats.cells import Relation
from covary.formats.kinds import records_of_one_kind
from covary.formats.opened import Opened, load_json

__all__ = ["read", "recognises"]

STATE, ANSWERS = "user_state.json", "instance_id_to_label_to_value"


def recognises(file: Opened) -> bool:
    """A folder with a user state in it."""
    return file.path.is_dir() and bool(_states(file.path))


def read(file: Opened) -> Relation:
    """Read the answers of every user; more than one answer to one question is left out."""
    file.takes_only("rating")
    states = _states(file.path) if file.path.is_dir() else []
    if not states:
        raise RatingsError(f"{file.path.name} is no folder of Potato: it has no <user>/{STATE}")
    file.notes.append(f"{file.path.name} was read as a folder of Potato with {len(states)} users.")
    records, several = [], 0
    for state in states:
        for (item, criterion), answers in _answers(state).items():
            if len(answers) > 1:
                several += 1
            else:
                judge = state.parent.name
                records.append(
                    {"item": item, "judge": judge, "rating": answers[0], "criterion": criterion}
                )
    if several:
        file.notes.append(
            f"Questions with more than one answer by one user were left out: {several:,}."
        )
    records = records_of_one_kind(records, file.keywords.get("rating"), file.notes)
    relation = file.records(records)
    return file.rows(relation, {each: each for each in relation.columns}, ("item", "judge"))


def _states(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"*/{STATE}")) or sorted(folder.glob(STATE))


def _answers(state: Path) -> dict[tuple[str, str], list[Any]]:
    """Return the different answers of one user, by item and criterion."""
    content = load_json(state)
    where = f"{state.parent.name}/{STATE}"
    if not isinstance(content, dict) or not isinstance(content.get(ANSWERS), dict):
        raise RatingsError(f"{where} has no {ANSWERS!r}")
    found: dict[tuple[str, str], list[Any]] = {}
    for item, given in content[ANSWERS].items():
        for schema, option, value in _given(given, f"{where}, item {item!r}"):
            chosen = option if str(value).lower() in ("true", "on") and option else value
            answers = found.setdefault((item, schema), [])
            if chosen not in (None, "", False, "false") and chosen not in answers:
                answers.append(chosen)
    return {key: answers for key, answers in found.items() if answers}


def _given(given: Any, where: str) -> Iterator[tuple[str, str, Any]]:
    """Give schema, option and value of each answer, whichever way they are written."""
    if isinstance(given, dict):
        for schema, value in given.items():
            if isinstance(value, dict):
                yield from ((schema, option, each) for option, each in value.items())
            else:
                yield schema, "", value
        return
    for entry in given if isinstance(given, list) else [given]:
        match entry:
            case [{"schema": schema, **label}, value]:
                yield str(schema), str(label.get("name") or ""), value
            case _:
                raise RatingsError(f"{where}: {entry!r} is no answer of the form [label, value]")
