"""Label Studio's JSON: a list of tasks with their annotations, read and written.

An item is a task: its `data.item` where there is one (covary writes it), else its id; `item="key"`
takes another key of `data`. A judge is `completed_by`, by e-mail where it is known. Each result of
the kind choices, rating or number is a rating on the criterion `from_name`, and `lead_time` gives
its seconds.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from covary.errors import InvalidArgument, RatingsError
from covary.formats.cells import Relation
from covary.formats.column_roles import guess, records_of_one_kind
from covary.formats.ratings_file import RatingsFile
from covary.ratings import COLUMNS, Ratings

KINDS = ("choices", "rating", "number")
FURTHER = ("system", "source", "group", "occasion", "round", "manual", "cluster", "order")
UNNAMED = "rating"
"""The `from_name` of ratings that have no criterion."""


def recognises(file: RatingsFile) -> bool:
    """A .json file with a list of tasks that have annotations."""
    tasks = file.document
    return isinstance(tasks, list) and any(
        isinstance(task, dict) and isinstance(task.get("annotations"), list) for task in tasks
    )


def read(file: RatingsFile) -> Relation:
    """Read every answer that was not cancelled."""
    if not recognises(file):
        raise RatingsError("formats.not-label-studio", file=file.path.name)
    file.takes_only("item", "rating", *FURTHER)
    file.note("formats.read-as-label-studio", file=file.path.name)
    tasks = [task for task in file.document if isinstance(task, dict)]
    keys = _keys(file, tasks)
    left_out: Counter[str] = Counter()
    records = [record for task in tasks for record in _of_task(task, keys, left_out)]
    for code, count in left_out.items():
        file.note(code, count=count)
    records = records_of_one_kind(records, file.keywords.get("rating"), file.notes)
    if {record["criterion"] for record in records} == {UNNAMED}:
        records = [{k: v for k, v in record.items() if k != "criterion"} for record in records]
    return file.records(records)


def _keys(file: RatingsFile, tasks: list[dict[str, Any]]) -> dict[str, str]:
    """Return which key of a task's data has which role."""
    data = list(dict.fromkeys(key for task in tasks for key in task.get("data") or {}))
    said = {r: c for r, c in file.said.items() if r in ("item", *FURTHER)}
    unknown = [column for column in said.values() if column is not None and column not in data]
    if unknown:
        raise InvalidArgument("formats.no-task-data", allowed=data, unknown=unknown)
    guessed = guess(data, said, FURTHER)
    file.notes.extend(guessed.notes)
    return ({"item": "item"} if "item" in data and "item" not in said else {}) | guessed.roles


def _of_task(
    task: dict[str, Any], keys: dict[str, str], left_out: Counter[str]
) -> Iterator[dict[str, Any]]:
    data = task.get("data") or {}
    known = {"item": task.get("id")} | {role: data.get(key) for role, key in keys.items()}
    for annotation in task.get("annotations") or []:
        if annotation.get("was_cancelled"):
            left_out["formats.cancelled-left-out"] += 1
            continue
        judge = {"judge": _judge(annotation.get("completed_by"))}
        for result in annotation.get("result") or []:
            rating = _rating(result, left_out)
            if rating is None:
                continue
            meta = {r: v for r, v in (result.get("meta") or {}).items() if r in FURTHER}
            answer = {"rating": rating, "criterion": result.get("from_name")}
            yield known | judge | answer | meta | {"seconds": annotation.get("lead_time")}


def _rating(result: dict[str, Any], left_out: Counter[str]) -> Any:
    """Return the answer, or None where there is none or not exactly one."""
    value = result.get("value")
    kind = next((kind for kind in KINDS if isinstance(value, dict) and kind in value), None)
    if kind is None:
        left_out["formats.results-left-out"] += 1
        return None
    answer = value[kind]  # type: ignore[index]
    if not isinstance(answer, list):
        return answer
    if len(answer) > 1:
        left_out["formats.choices-left-out"] += 1
    return answer[0] if len(answer) == 1 else None


def _judge(who: Any) -> Any:
    return who.get("email") or who.get("id") if isinstance(who, dict) else who


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
    names = [name for name in COLUMNS if name in ratings.columns]
    frame = ratings.frame.select(*names)
    if frame.implementation.is_duckdb():
        rows = frame.to_native().fetchall()
    else:
        rows = frame.collect().rows()
    for row in rows:
        known = dict(zip(names, row, strict=True))
        if known["rating"] is not None:
            yield known
