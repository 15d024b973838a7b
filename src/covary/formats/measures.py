"""Small tables beside ratings: measures of systems, preferences of judges, known answers."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from covary.errors import InvalidArgument, RatingsError

PathLike = str | os.PathLike[str]

SYSTEMS = ("system", "model")
JUDGES = ("judge", "annotator", "rater", "worker", "participant")
PREFERENCES = ("preference", "preferred", "prefers")
ITEMS = ("item", "id", "task")
ANSWERS = ("answer", "gold", "rating", "label")
KNOWN = ("gold", "answer", "label", "rating")
CRITERIA = ("criterion", "quality", "dimension", "aspect")


def read_measures(path: PathLike) -> dict[str, dict[str, float]]:
    r"""Read one row per system: its name, and a number for each measure.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "accuracy.csv")
    ...     _ = file.write_text("system,accuracy,seconds\nA,0.91,12.5\nB,0.74,\n")
    ...     read_measures(file)
    {'accuracy': {'A': 0.91, 'B': 0.74}, 'seconds': {'A': 12.5}}
    """
    heads, rows = _table(path)
    file, system = Path(path).name, _column(path, heads, SYSTEMS)
    measures: dict[str, dict[str, float]] = {head: {} for head in heads if head != system}
    if not measures:
        raise RatingsError("formats.no-measure", file=file, column=system)
    seen: set[str] = set()
    for line, row in rows:
        name = row[system]
        if name in seen:
            raise RatingsError("formats.system-twice", file=file, line=line, system=name)
        seen.add(name)
        for measure, values in measures.items():
            if row[measure]:
                values[name] = _number(path, line, measure, row[measure])
    return measures


def read_preferences(path: PathLike) -> dict[str, str]:
    """Read which scale each judge prefers: a column with the judge, one with the preference.

    A file of ratings with a column `preference` does as well, as long as a judge says one thing.
    """
    heads, rows = _table(path)
    judge, preference = _column(path, heads, JUDGES), _column(path, heads, PREFERENCES)
    preferences: dict[str, str] = {}
    for line, row in rows:
        name, second = row[judge], row[preference]
        first = preferences.setdefault(name, second)
        if first != second:
            raise RatingsError(
                "formats.two-preferences",
                file=Path(path).name,
                line=line,
                judge=name,
                first=first,
                second=second,
            )
    return preferences


def read_gold(path: PathLike) -> dict[str | None, dict[str, tuple[int, str]]]:
    r"""Read the known answers of items for each criterion: the line of the file, and the answer.

    Without a column `criterion` the criterion is None. Items without an answer are left out, so
    that a file of ratings with a column `gold` does as well.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "gold.csv")
    ...     _ = file.write_text("item,criterion,answer\nq1,fluency,3\nq2,fluency,\n")
    ...     read_gold(file)
    {'fluency': {'q1': (2, '3')}}
    """
    heads, rows = _table(path)
    item, answer = _column(path, heads, ITEMS), _column(path, heads, KNOWN)
    named = next((head for head in heads if head.lower() in CRITERIA), None)
    gold: dict[str | None, dict[str, tuple[int, str]]] = {}
    for line, row in rows:
        name, second = row[item], row[answer]
        if not second:
            continue
        answers = gold.setdefault(None if named is None else row[named], {})
        _, first = answers.setdefault(name, (line, second))
        if first != second:
            facts = {"item": name, "first": first, "second": second}
            raise RatingsError("formats.two-answers", file=Path(path).name, line=line, **facts)
    return gold


def read_answers(path: PathLike) -> dict[str, tuple[int, str]]:
    """Read the known answers of items: for each item the line of the file, and the answer."""
    heads, rows = _table(path)
    item, answer = _column(path, heads, ITEMS), _column(path, heads, ANSWERS)
    answers: dict[str, tuple[int, str]] = {}
    for line, row in rows:
        name, second = row[item], row[answer]
        _, first = answers.setdefault(name, (line, second))
        if first != second:
            facts = {"item": name, "first": first, "second": second}
            raise RatingsError("formats.two-answers", file=Path(path).name, line=line, **facts)
    return answers


def _table(path: PathLike) -> tuple[list[str], Iterator[tuple[int, dict[str, str]]]]:
    file = Path(path).expanduser()
    if not file.is_file():
        raise InvalidArgument("formats.not-found", argument="path", value=str(file))
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise RatingsError("formats.measures-not-utf-8", file=file.name) from None
    if not lines:
        raise RatingsError("formats.empty", file=file.name)
    mark = max((",", ";", "\t"), key=lines[0].count)
    heads = [cell.strip() for cell in next(csv.reader([lines[0]], delimiter=mark))]

    def rows() -> Iterator[tuple[int, dict[str, str]]]:
        for line, cells in enumerate(csv.reader(lines[1:], delimiter=mark), 2):
            if not cells:
                continue
            if len(cells) != len(heads):
                counts: dict[str, Any] = {"cells": len(cells), "columns": len(heads)}
                raise RatingsError("formats.measures-cells", file=file.name, line=line, **counts)
            yield line, dict(zip(heads, (cell.strip() for cell in cells), strict=True))

    return heads, rows()


def _column(path: PathLike, heads: list[str], names: tuple[str, ...]) -> str:
    for name in names:
        for head in heads:
            if head.lower() == name:
                return head
    raise RatingsError(
        "formats.measures-column", allowed=heads, file=Path(path).name, column=names[0]
    )


def _number(path: PathLike, line: int, measure: str, cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise RatingsError(
            "formats.not-a-number", value=cell, file=Path(path).name, line=line, column=measure
        )
    return value
