"""Label Studio's JSON: a list of tasks with their annotations, read and written.

An item is a task: its `data.item` where there is one (covary writes it), else its id; `item="key"`
takes another key of `data`. A judge is `completed_by`, by e-mail where it is known. Each result of
the kind choices, rating or number is a rating on the criterion `from_name`, and `lead_time` gives
its seconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from covary.errors import InvalidArgument, RatingsError, listed
from covary.formats.cells import Relation
from covary.formats.guess import guess
from covary.formats.kinds import records_of_one_kind
from covary.formats.opened import Opened
from covary.ratings import COLUMNS, Ratings

__all__ = ["read", "recognises", "write"]

KINDS = ("choices", "rating", "number")
FURTHER = ("system", "source", "group", "occasion", "round", "manual", "cluster", "order")
UNNAMED = "rating"
"""The `from_name` of ratings that have no criterion."""


def recognises(file: Opened) -> bool:
    """A .json file with a list of tasks that have annotations."""
    tasks = file.document
    return isinstance(tasks, list) and any(
        isinstance(task, dict) and isinstance(task.get("annotations"), list) for task in tasks
    )


def read(file: Opened) -> Relation:
    """Read every answer that was not cancelled."""
    if not recognises(file):
        raise RatingsError(
            f"{file.path.name} is no export of Label Studio: it must hold a list of tasks, each "
            "with 'annotations' (export as JSON, not JSON-MIN)"
        )
    file.takes_only("item", "rating", *FURTHER)
    file.notes.append(f"{file.path.name} was read as an export of Label Studio.")
    tasks = [task for task in file.document if isinstance(task, dict)]
    keys = _keys(file, tasks)
    left_out: dict[str, int] = {}
    records = [r for task in tasks for r in _of_task(task, keys, left_out)]
    file.notes.extend(f"{what}: {times:,}." for what, times in left_out.items())
    records = records_of_one_kind(records, file.keywords.get("rating"), file.notes)
    if {record["criterion"] for record in records} == {UNNAMED}:
        records = [{k: v for k, v in r.items() if k != "criterion"} for r in records]
    relation = file.records(records)
    return file.rows(relation, {each: each for each in relation.columns}, ("item", "judge"))


def _keys(file: Opened, tasks: list[dict[str, Any]]) -> dict[str, str]:
    """Return which key of a task's data has which role."""
    data = list(dict.fromkeys(key for task in tasks for key in task.get("data") or {}))
    said = {r: c for r, c in file.said.items() if r in ("item", *FURTHER)}
    unknown = [column for column in said.values() if column is not None and column not in data]
    if unknown:
        raise InvalidArgument(
            f"{listed(unknown)} is not among the data of the tasks, which have {listed(data)}"
        )
    found = guess(data, said, FURTHER)
    file.notes.extend(found.notes)
    return ({"item": "item"} if "item" in data and "item" not in said else {}) | found.roles


def _of_task(
    task: dict[str, Any], keys: dict[str, str], left_out: dict[str, int]
) -> Iterator[dict[str, Any]]:
    data = task.get("data") or {}
    known = {"item": task.get("id")} | {role: data.get(key) for role, key in keys.items()}
    for annotation in task.get("annotations") or []:
        if annotation.get("was_cancelled"):
            _count(left_out, "Cancelled annotations were left out")
            continue
        judge = {"judge": _judge(annotation.get("completed_by"))}
        for result in annotation.get("result") or []:
            rating = _rating(result, left_out)
            if rating is None:
                continue
            meta = {r: v for r, v in (result.get("meta") or {}).items() if r in FURTHER}
            answer = {"rating": rating, "criterion": result.get("from_name")}
            yield known | judge | answer | meta | {"seconds": annotation.get("lead_time")}


def _rating(result: dict[str, Any], left_out: dict[str, int]) -> Any:
    """Return the answer, or None where there is none or not exactly one."""
    value = result.get("value")
    kind = next((each for each in KINDS if isinstance(value, dict) and each in value), None)
    if kind is None:
        _count(left_out, "Results that are neither choices nor rating nor number were left out")
        return None
    answer = value[kind]  # type: ignore[index]
    if not isinstance(answer, list):
        return answer
    if len(answer) > 1:
        _count(left_out, "Answers with more than one choice were left out")
    return answer[0] if len(answer) == 1 else None


def _judge(who: Any) -> Any:
    return who.get("email") or who.get("id") if isinstance(who, dict) else who


def _count(left_out: dict[str, int], what: str) -> None:
    left_out[what] = left_out.get(what, 0) + 1


def write(ratings: Ratings, path: Path) -> None:
    """Write ratings as tasks, one for each item, with an annotation for each judge."""
    tasks = _tasks(ratings)
    lines = ",\n".join(json.dumps(task, ensure_ascii=False) for task in tasks)
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def _tasks(ratings: Ratings) -> list[dict[str, Any]]:
    by_item: dict[Any, dict[Any, list[dict[str, Any]]]] = {}
    for row in _rows(ratings):
        # What Label Studio knows once for an annotation must be the same in all its results.
        one = (row["judge"], row.get("occasion"), row.get("round"), row.get("seconds"))
        by_item.setdefault(row["item"], {}).setdefault(one, []).append(row)
    numbers = {judge: number for number, judge in enumerate(ratings.judges, start=1)}
    return [
        {
            "id": number,
            "data": {"item": item},
            "annotations": [_annotation(rows, numbers) for rows in given.values()],
            "predictions": [],
        }
        for number, (item, given) in enumerate(by_item.items(), start=1)
    ]


def _annotation(rows: list[dict[str, Any]], numbers: dict[Any, int]) -> dict[str, Any]:
    judge = rows[0]["judge"]
    who = judge if isinstance(judge, int) else {"id": numbers[judge], "email": str(judge)}
    return {
        "completed_by": who,
        "was_cancelled": False,
        "lead_time": rows[0].get("seconds"),
        "result": [_result(row) for row in rows],
    }


def _result(row: dict[str, Any]) -> dict[str, Any]:
    rating = row["rating"]
    kind = "choices" if isinstance(rating, str) else "number"
    return {
        "from_name": row.get("criterion", UNNAMED),
        "to_name": "text",
        "type": kind,
        "value": {kind: [rating] if kind == "choices" else rating},
        "meta": {role: row[role] for role in FURTHER if row.get(role) is not None},
    }


def _rows(ratings: Ratings) -> Iterator[dict[str, Any]]:
    """Give the ratings row by row, as plain Python values."""
    names = [each for each in COLUMNS if each in ratings.columns]
    frame = ratings.frame.select(*names)
    if frame.implementation.is_duckdb():
        rows = frame.to_native().fetchall()
    else:
        rows = frame.collect().rows()
    for row in rows:
        known = dict(zip(names, row, strict=True))
        if known["rating"] is not None:
            yield known
