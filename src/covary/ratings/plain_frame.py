"""Small plain columns as a frame that NumPy answers for, and any other frame behind Narwhals.

Both are asked the same questions (`ratings/expressions.py`) with the same answers. What NumPy does
not answer here, DuckDB does, which then holds the columns: it is the engine whose answers count.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from covary.ratings.expressions import in_narwhals
from covary.ratings.held_columns import held_by_duckdb
from covary.ratings.plain_columns import (
    NUMBERS,
    Array,
    Columns,
    Unanswered,
    Vector,
    aggregate,
    column_of,
    evaluate,
    is_aggregate,
    truth,
)

MOST_PLAIN = 10_000
"""So many rows are asked with NumPy; of more, an engine's answers are worth its start."""


class Kind:
    """The kind of a column, as Narwhals tells it."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def is_float(self) -> bool:
        """Whether it holds numbers with fractions."""
        return self.kind == "f"

    def is_integer(self) -> bool:
        """Whether it holds whole numbers."""
        return self.kind == "i"

    def is_numeric(self) -> bool:
        """Whether it holds numbers."""
        return self.kind in NUMBERS

    def __str__(self) -> str:
        return {"f": "Float64", "i": "Int64", "b": "Boolean", "O": "String"}[self.kind]


class Schema(dict[str, Any]):
    """The kinds of the columns by their names."""

    def names(self) -> list[str]:
        """The names of the columns."""
        return list(self)

    def dtypes(self) -> list[Any]:
        """Their kinds."""
        return list(self.values())


class Nobody:
    """The package that made plain columns: none."""

    value = "none"

    def __getattr__(self, name: str) -> Callable[[], bool]:
        return lambda: False


def plain_frame(columns: Mapping[str, Array]) -> PlainFrame | None:
    """Hold a few plain columns; None where they are many or of other kinds."""
    held: dict[str, Vector] = {}
    for name, values in columns.items():
        column = None if values.size > MOST_PLAIN else _plain_column(values)
        if column is None:
            return None
        held[name] = column
    return PlainFrame(held)


def _plain_column(values: Array) -> Vector | None:
    if values.dtype in (np.dtype(np.int64), np.dtype(float), np.dtype(bool)):
        return Vector(values)
    if values.dtype.kind == "U":
        return Vector(values.astype(object))
    if values.dtype != object:
        return None
    cells = values.tolist()
    missing = np.array([cell is None for cell in cells], dtype=bool)
    if any(type(cell) is not str for cell in itertools.compress(cells, ~missing)):
        return None
    return Vector(values, missing)


class EngineFrame:
    """A lazy frame of Narwhals that is asked questions which were written before it was loaded."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def __getattr__(self, verb: str) -> Any:
        found = getattr(self.frame, verb)
        if not callable(found) or verb in ("implementation", "schema"):
            return found

        def ask(*arguments: Any, **keywords: Any) -> Any:
            said = {name: native(value) for name, value in keywords.items()}
            answer = found(*map(native, arguments), **said)
            lazy = type(answer).__name__ in ("LazyFrame", "LazyGroupBy")
            return EngineFrame(answer) if lazy else answer

        return ask


def native(value: Any) -> Any:
    """What Narwhals takes: its own frames and questions."""
    if isinstance(value, PlainFrame):
        return value.in_engine.frame
    return value.frame if isinstance(value, EngineFrame) else in_narwhals(value)


def _or_engine(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Let DuckDB answer what NumPy does not."""

    @functools.wraps(verb)
    def ask(frame: PlainFrame, *arguments: Any, **keywords: Any) -> Any:
        try:
            return verb(frame, *arguments, **keywords)
        except Unanswered:
            return getattr(frame.in_engine, verb.__name__)(*arguments, **keywords)

    return ask


class PlainFrame(Columns):
    """Columns in NumPy's arrays, asked as a lazy frame of Narwhals is."""

    implementation = Nobody()

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.held)

    @cached_property
    def in_engine(self) -> EngineFrame:
        """The same rows, held by DuckDB."""
        arrays = {n: c.plain if c.kind == "O" else c.values for n, c in self.held.items()}
        missing = {n: c.missing for n, c in self.held.items() if c.kind != "O"}
        return EngineFrame(held_by_duckdb(arrays, missing))

    def arrays(self) -> dict[str, Array]:
        """The columns as plain arrays."""
        return {name: column.plain for name, column in self.held.items()}

    def __getattr__(self, verb: str) -> Any:
        if verb.startswith("__"):
            raise AttributeError(verb)
        return getattr(self.in_engine, verb)

    def collect_schema(self) -> Schema:
        """The kinds of the columns."""
        return Schema({name: Kind(column.kind) for name, column in self.held.items()})

    @_or_engine
    def select(self, *asked: Any, **named: Any) -> Any:
        """Answer questions, one row for each or one row for all."""
        return PlainFrame(_side_by_side(_answers(self, asked, named)))

    @_or_engine
    def with_columns(self, *asked: Any, **named: Any) -> Any:
        """Add answers to the columns."""
        return PlainFrame(_side_by_side(self.held | _answers(self, asked, named)))

    @_or_engine
    def filter(self, *conditions: Any) -> Any:
        """Keep the rows that meet all conditions."""
        kept = np.ones(self.size, dtype=bool)
        for condition in conditions:
            met = evaluate(condition, self)
            kept &= truth(met) & ~met.missing
        return self.taken(kept)

    def taken(self, rows: Any) -> PlainFrame:
        """Some of the rows."""
        return PlainFrame({name: column.taken(rows) for name, column in self.held.items()})

    def with_rows(self) -> PlainFrame:
        """Number the rows from 1."""
        return PlainFrame({"row": Vector(np.arange(1, self.size + 1))} | self.held)

    def head(self, count: int) -> PlainFrame:
        """The first rows."""
        return self.taken(slice(count))

    @_or_engine
    def sort(self, *names: str, descending: bool = False) -> Any:
        """The rows in the order of some columns."""
        keys = [self.held[name] for name in names]
        if any(key.missing.any() or key.kind not in "iO" for key in keys):
            raise Unanswered
        cells = list(zip(*(key.values.tolist() for key in keys), strict=True))
        order = sorted(range(self.size), key=cells.__getitem__, reverse=descending)
        return self.taken(np.array(order, dtype=np.int64))

    def group_by(self, *names: Any) -> Groups:
        """Part the rows by the values of some columns."""
        flat = [n for name in names for n in ([name] if isinstance(name, str) else name)]
        return Groups(self, flat)

    def lazy(self) -> PlainFrame:
        """The same."""
        return self


class Groups:
    """Rows that have the same values in some columns."""

    def __init__(self, frame: PlainFrame, names: Sequence[str]) -> None:
        self.frame, self.names = frame, list(names)

    def agg(self, *asked: Any, **named: Any) -> Any:
        """Answer questions, one row for each group."""
        try:
            return self._answered(*asked, **named)
        except Unanswered:
            return self.frame.in_engine.group_by(*self.names).agg(*asked, **named)

    def _answered(self, *asked: Any, **named: Any) -> PlainFrame:
        code = np.zeros(self.frame.size, dtype=np.int64)
        for name in self.names:
            own, count = self.frame.held[name].codes()
            code = np.unique(code * count + own, return_inverse=True)[1]
        _, first, group = np.unique(code, return_index=True, return_inverse=True)
        keys = {name: self.frame.held[name].taken(first) for name in self.names}
        by = (group, first.size)
        answers = {_name(question): aggregate(question, self.frame, by) for question in asked}
        answers |= {name: aggregate(question, self.frame, by) for name, question in named.items()}
        return PlainFrame(keys | answers)


def _answers(
    frame: PlainFrame, asked: Sequence[Any], named: Mapping[str, Any]
) -> dict[str, tuple[Vector, bool] | Vector]:
    """Answer questions by name; beside an answer whether it is one for all rows."""
    answers: dict[str, Any] = {}
    for question in asked:
        if isinstance(question, list | tuple):
            answers |= _answers(frame, question, {})
        elif isinstance(question, str):
            answers[question] = column_of(frame, question)
        elif getattr(question, "verb", "") == "exclude":
            left = {name: c for name, c in frame.held.items() if name not in question.arguments}
            answers |= left
        else:
            answers[_name(question)] = _answer(question, frame)
    return answers | {name: _answer(question, frame) for name, question in named.items()}


def _answer(question: Any, frame: PlainFrame) -> Any:
    if isinstance(question, str):
        return column_of(frame, question)
    if is_aggregate(question):
        whole = (np.zeros(frame.size, dtype=np.int64), 1)
        return aggregate(question, frame, whole), True
    return evaluate(question, frame)


def _side_by_side(answers: Mapping[str, Any]) -> dict[str, Vector]:
    """Put answers beside each other, one for all rows below each of them."""
    rows = [answer for answer in answers.values() if isinstance(answer, Vector)]
    if rows and len(rows) < len(answers):
        raise Unanswered
    return {name: a if isinstance(a, Vector) else a[0] for name, a in answers.items()}


def _name(question: Any) -> str:
    step = question
    while step is not None:
        if step.verb in ("alias", "col"):
            return str(step.arguments[0])
        step = step.of
    raise Unanswered
