"""Data of jsPsych: a row for each trial, with the response as a number or an object of answers.

PsychoPy and oTree write plain tables, which `layouts.py` recognises.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from covary.errors import InvalidArgument
from covary.formats.annotation_tools import load_records, read_records
from covary.formats.cells import Relation
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
    return _is_trial(file.columns)


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
    columns = list(dict.fromkeys(key for trial in trials for key in trial))
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
    kind = str(trial.get("trial_type") or "")
    known = {role: trial.get(column) for role, column in roles.items()}
    if not any(word in kind for word in RATED) or known["item"] is None:
        return
    known["item"] = re.sub(r"<[^>]+>", "", str(known["item"])).strip()
    given = (trial.get(name) for name in RESPONSES)
    response = next((answer for answer in given if answer not in NO_ANSWER), None)
    for criterion, answer in _answers(response):
        yield known | {"criterion": criterion, "rating": answer}


def _answers(response: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(response, str) and response.strip().startswith("{"):
        try:
            response = json.loads(response)
        except (json.JSONDecodeError, RecursionError):
            return
    if isinstance(response, dict):
        yield from ((str(k), v) for k, v in response.items() if not isinstance(v, dict | list))
    elif response not in NO_ANSWER:
        yield "response", response
