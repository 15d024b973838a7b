"""Data of jsPsych: a row for each trial, with the response as a number or an object of answers.

jsPsych 7 and later call it `response`; in jsPsych 6 surveys write `responses`, the object as text,
and buttons `button_pressed`. PsychoPy and oTree write plain tables, which `layouts.py` recognises.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from covary.errors import InvalidArgument
from covary.formats.annotation_tools import load_records, read_records
from covary.formats.cells import Relation, identifier
from covary.formats.column_roles import guess
from covary.formats.ratings_file import RatingsFile

OF_TRIALS = {"trial_type", "trial_index"}
RESPONSES = ("response", "responses", "button_pressed")
"""Where the answer stands: in jsPsych 7, and in surveys and buttons of jsPsych 6."""

NO_ANSWER = (None, "", "null")

RATED = ("slider", "likert", "button", "survey", "rating", "vas")
"""What the kinds of trials are called in which something is rated."""


def recognises(file: RatingsFile) -> bool:
    """A table or a list of trials."""
    if file.json is not None:
        return any(_is_trial(record.keys()) for record in load_records(file)[:20])
    return _is_trial(file.columns) or _holds_objects(file)


def _holds_objects(file: RatingsFile) -> bool:
    """Whether the responses are objects as text, though somebody took other columns out."""
    columns = [name for name in RESPONSES if name in file.columns]
    if not columns or not file.is_table or file.said.get("rating"):
        return False
    cells = f"trim(cast({identifier(columns[0])} as varchar))"
    filled = file.table.filter(f"{cells} != ''")
    total, objects = filled.aggregate(
        f"count(*), count_if({cells} like '{{%}}' and json_valid({cells}))"
    ).fetchone()
    return bool(total) and total == objects


def _is_trial(names: Collection[str]) -> bool:
    return set(names) >= OF_TRIALS and any(name in names for name in RESPONSES)


def read(file: RatingsFile) -> Relation:
    """Read the response of every trial in which something was rated, by participants."""
    trials = load_records(file)
    if file.json is None:
        trials = [dict(zip(file.columns, row, strict=True)) for row in file.table.fetchall()]
    said: dict[str, str | None] = {
        role: file.one_column(role) for role in ("item", "judge") if role in file.keywords
    }
    for role in said:
        file.keywords.pop(role)
    rated = [trial for trial in trials if any(_answers(_response(trial)))]
    columns = list(
        dict.fromkeys(
            k for trial in rated or trials for k, v in trial.items() if v not in ("", None)
        )
    )
    roles = guess(columns, said, ("item", "judge", "system", "source", "seconds")).roles
    absent = [role for role in ("item", "judge") if role not in roles]
    if absent:
        raise InvalidArgument(
            "formats.incomplete",
            allowed=columns,
            file=file.path.name,
            absent=absent,
            roles=roles,
            numeric=(),
        )
    file.roles |= roles
    rows = [row for trial in trials for row in _ratings(trial, roles)]
    left_out = sum(not any(_ratings(trial, roles)) for trial in trials)
    if left_out:
        file.note("formats.trials-left-out", count=left_out)
    return read_records(file, "jsPsych", rows)


def _ratings(trial: Mapping[str, Any], roles: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Give what was rated in a trial; nothing where it was instructions or a pause."""
    kind = str(trial.get("trial_type") or RATED[0])
    known = {role: trial.get(column) for role, column in roles.items()}
    if not any(word in kind for word in RATED) or known["item"] is None:
        return
    known["item"] = re.sub(r"<[^>]+>", "", str(known["item"])).strip()
    for criterion, answer in _answers(_response(trial)):
        yield known | {"criterion": criterion, "rating": answer}


def _response(trial: Mapping[str, Any]) -> Any:
    given = (trial.get(name) for name in RESPONSES)
    return next((answer for answer in given if answer not in NO_ANSWER), None)


def _answers(response: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(response, str) and response.strip().startswith("{"):
        try:
            response = json.loads(response)
        except (ValueError, RecursionError):
            return
    if isinstance(response, dict):
        yield from ((str(k), v) for k, v in response.items() if not isinstance(v, dict | list))
    elif response not in NO_ANSWER:
        yield "response", response
