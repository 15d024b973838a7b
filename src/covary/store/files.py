"""What was collected, as files: the ratings in any format, or everything as it came."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from covary.errors import InvalidArgument, RatingsError
from covary.formats.write import write
from covary.ratings import Ratings
from covary.store.background import backgrounds, groups_of, last_said
from covary.store.export import collect
from covary.store.records import CycleEvent
from covary.store.store import Store
from covary.study.model import Study

__all__ = ["LOG", "TRAINING", "for_spreadsheet", "write_everything", "write_ratings"]

LOG = ("answers.csv", "judges.csv", "notes.csv")

TRAINING = "training.jsonl"
"""The events of the guideline cycle; `Cycle.of` makes the cycle of what each has as `event`."""

ANSWERS = (
    "number", "judge", "sheet", "position", "occasion", "kind", "item", "criterion", "rating",
    "touched", "late", "change", "seconds", "shown_at", "answered_at", "order_shown", "manual",
    "page", "sequence", "key",
)  # fmt: skip

DANGEROUS = ("=", "+", "-", "@", "\t", "\r")


def write_ratings(
    study: Study,
    store: Store,
    path: str | os.PathLike[str],
    *,
    part: str | None = None,
    practice: bool = False,
    spreadsheet: bool = False,
) -> tuple[Path, tuple[str, ...]]:
    """Write the ratings to a file whose ending says how; return it, and notes on what is in it.

    Where some criteria are answered in numbers and others in words, all ratings are written as
    text, which in a text file looks the same. With `spreadsheet`, texts that a spreadsheet would
    take for a formula get an apostrophe before them.
    """
    found = collect(study, store, part=part, practice=practice)
    columns = found.shown()
    if not columns["item"]:
        raise RatingsError(f"no ratings have been collected yet{found.because}")
    if spreadsheet and Path(path).suffix.lower() not in (".csv", ".tsv"):
        raise InvalidArgument("only .csv and .tsv files can be written for a spreadsheet")
    if spreadsheet:
        columns = {name: [for_spreadsheet(v) for v in values] for name, values in columns.items()}
    if found.is_mixed or spreadsheet:
        columns["rating"] = [None if r is None else str(r) for r in columns["rating"]]
        return write(Ratings(columns, level="nominal"), path), found.notes
    return write(Ratings(columns, scale=found.scales, faulty="set-aside"), path), found.notes


def write_everything(
    study: Study, store: Store, folder: str | os.PathLike[str], *, spreadsheet: bool = False
) -> list[Path]:
    """Write three files: every answer as it came, the judges, and what happened.

    Where a guideline cycle has begun, a fourth has its events, one JSON object on each line.
    Nothing in them lets anyone in: tokens are not kept, and their digests stay in the store.
    """
    place = Path(folder)
    made = (_answers(store), _judges(study, store), _notes(store))
    files = [
        _written(place / name, rows, spreadsheet) for name, rows in zip(LOG, made, strict=True)
    ]
    happened = store.cycle_events()
    return [*files, _training(place / TRAINING, happened)] if happened else files


def for_spreadsheet(value: Any) -> Any:
    """Return a text that no spreadsheet takes for a formula.

    Examples
    --------
    >>> for_spreadsheet("=1+1")
    "'=1+1"
    >>> for_spreadsheet(-1)
    -1
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(DANGEROUS) else value


def _answers(store: Store) -> Iterator[Sequence[Any]]:
    names = {judge.id: judge.name for judge in store.judges()}
    yield ANSWERS
    for number, change, each in store.log():
        yield (
            number, names[each.judge], each.sheet, each.position, each.occasion, each.kind,
            each.item, each.criterion, each.rating, each.touched, each.late, change, each.seconds,
            each.shown_at, each.answered_at, " ".join(map(str, each.order)), each.manual,
            each.page, each.sequence, each.key,
        )  # fmt: skip


def _judges(study: Study, store: Store) -> Iterator[Sequence[Any]]:
    said, groups = backgrounds(store), groups_of(study, store)
    preferred, remarks = last_said(store, "preferred"), last_said(store, "remarks")
    asked = list(dict.fromkeys((*(b.name for b in study.background), *_names(said.values()))))
    sheets = {judge: sheet for sheet, judge in store.holders().items()}
    yield ("judge", "group", "added_at", "revoked", "sheet", *asked,
           "preferred", "preferred_because", "remarks", "attributes")  # fmt: skip
    for judge in store.judges():
        own, likes = said.get(judge.id, {}), preferred.get(judge.id, {})
        yield (
            judge.name, groups.get(judge.id, judge.group), judge.created_at, judge.revoked,
            sheets.get(judge.id), *(own.get(name) for name in asked), likes.get("part"),
            likes.get("reason"), remarks.get(judge.id, {}).get("text"),
            _json(judge.attributes) if judge.attributes else None,
        )  # fmt: skip


def _notes(store: Store) -> Iterator[Sequence[Any]]:
    names = {judge.id: judge.name for judge in store.judges()}
    yield ("number", "judge", "at", "kind", "data")
    for note in store.notes():
        who = None if note.judge is None else names[note.judge]
        yield (note.id, who, note.at, note.kind, _json(note.data))


def _training(file: Path, happened: Sequence[CycleEvent]) -> Path:
    lines = [
        json.dumps({"number": each.number, "at": each.at.isoformat(), "event": dict(each.event)},
                   ensure_ascii=False)
        for each in happened
    ]  # fmt: skip
    with _draft(file) as opened:
        opened.write("".join(f"{line}\n" for line in lines))
    return file


def _names(said: Iterable[Any]) -> Iterator[str]:
    return (name for answers in said for name in answers)


def _json(data: Any) -> str:
    return json.dumps(dict(data), ensure_ascii=False)


def _written(file: Path, rows: Iterable[Sequence[Any]], spreadsheet: bool) -> Path:
    """Write a table."""
    with _draft(file) as opened:
        out = csv.writer(opened, lineterminator="\n")
        for row in rows:
            out.writerow([_cell(value, spreadsheet) for value in row])
    return file


@contextmanager
def _draft(file: Path) -> Iterator[TextIO]:
    """Open a new file, which gets its name when it is complete."""
    draft = file.with_name(f".{file.name}-draft")
    try:
        with draft.open("w", encoding="utf-8", newline="") as opened:
            yield opened
        os.replace(draft, file)
    finally:
        draft.unlink(missing_ok=True)


def _cell(value: Any, spreadsheet: bool) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if hasattr(value, "isoformat"):
        return value.isoformat(timespec="microseconds")
    return for_spreadsheet(value) if spreadsheet else value
