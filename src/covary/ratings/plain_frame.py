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
import numpy.typing as npt

from covary.ratings import expressions as nw
from covary.ratings.expressions import in_narwhals
from covary.ratings.held_columns import held_by_duckdb

Array = npt.NDArray[Any]

MOST_PLAIN = 10_000
"""So many rows are asked with NumPy; of more, an engine's answers are worth its start."""

NUMBERS = "if"


class Unanswered(Exception):
    """A question that is left to DuckDB."""


class Column:
    """Values of one kind (int64, float64, bool or text), and where there is none."""

    __slots__ = ("missing", "values")

    def __init__(self, values: Array, missing: Array | None = None) -> None:
        self.values = values
        self.missing = np.zeros(values.size, dtype=bool) if missing is None else missing

    @property
    def kind(self) -> str:
        """The kind of NumPy: i, f, b or O."""
        return self.values.dtype.kind

    def taken(self, rows: Any) -> Column:
        """The same column with some of its rows."""
        return Column(self.values[rows], self.missing[rows])

    @property
    def plain(self) -> Array:
        """One array, in which a missing number is NaN and a missing text None."""
        if not self.missing.any():
            return self.values
        values = self.values.astype(object if self.kind in "Ob" else float)
        values[self.missing] = None if self.kind in "Ob" else np.nan
        return values

    def codes(self) -> tuple[Array, int]:
        """Number the values in the order in which they first appear; nothing may be missing."""
        if self.missing.any() or (self.kind == "f" and np.isnan(self.values).any()):
            raise Unanswered
        places: dict[Any, int] = {}
        values = self.values.tolist()
        codes = [places.setdefault(value, len(places)) for value in values]
        return np.array(codes, dtype=np.int64), len(places)


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
    held: dict[str, Column] = {}
    for name, values in columns.items():
        column = None if values.size > MOST_PLAIN else _plain_column(values)
        if column is None:
            return None
        held[name] = column
    return PlainFrame(held)


def _plain_column(values: Array) -> Column | None:
    if values.dtype in (np.dtype(np.int64), np.dtype(float), np.dtype(bool)):
        return Column(values)
    if values.dtype.kind == "U":
        return Column(values.astype(object))
    if values.dtype != object:
        return None
    cells = values.tolist()
    missing = np.array([cell is None for cell in cells], dtype=bool)
    if any(type(cell) is not str for cell in itertools.compress(cells, ~missing)):
        return None
    return Column(values, missing)


class EngineFrame:
    """A lazy frame of Narwhals that is asked questions which were written before it was loaded."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def __getattr__(self, verb: str) -> Any:
        found = getattr(self.frame, verb)
        if not callable(found) or verb in ("implementation", "schema"):
            return found

        def ask(*arguments: Any, **keywords: Any) -> Any:
            said = {name: _native(value) for name, value in keywords.items()}
            answer = found(*map(_native, arguments), **said)
            lazy = type(answer).__name__ in ("LazyFrame", "LazyGroupBy")
            return EngineFrame(answer) if lazy else answer

        return ask


def _native(value: Any) -> Any:
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


class PlainFrame:
    """Columns in NumPy's arrays, asked as a lazy frame of Narwhals is."""

    implementation = Nobody()

    def __init__(self, columns: Mapping[str, Column]) -> None:
        self.held = dict(columns)

    @property
    def size(self) -> int:
        """How many rows there are."""
        return next((column.values.size for column in self.held.values()), 0)

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
            kept &= _truth(met) & ~met.missing
        return self.taken(kept)

    def taken(self, rows: Any) -> PlainFrame:
        """Some of the rows."""
        return PlainFrame({name: column.taken(rows) for name, column in self.held.items()})

    def with_rows(self) -> PlainFrame:
        """Number the rows from 1."""
        return PlainFrame({"row": Column(np.arange(1, self.size + 1))} | self.held)

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
        answers = {_name(question): _aggregate(question, self.frame, by) for question in asked}
        answers |= {name: _aggregate(question, self.frame, by) for name, question in named.items()}
        return PlainFrame(keys | answers)


def _answers(
    frame: PlainFrame, asked: Sequence[Any], named: Mapping[str, Any]
) -> dict[str, tuple[Column, bool] | Column]:
    """Answer questions by name; beside an answer whether it is one for all rows."""
    answers: dict[str, Any] = {}
    for question in asked:
        if isinstance(question, list | tuple):
            answers |= _answers(frame, question, {})
        elif isinstance(question, str):
            answers[question] = _of(frame, question)
        elif getattr(question, "verb", "") == "exclude":
            left = {name: c for name, c in frame.held.items() if name not in question.arguments}
            answers |= left
        else:
            answers[_name(question)] = _answer(question, frame)
    return answers | {name: _answer(question, frame) for name, question in named.items()}


def _answer(question: Any, frame: PlainFrame) -> Any:
    if isinstance(question, str):
        return _of(frame, question)
    if _is_aggregate(question):
        whole = (np.zeros(frame.size, dtype=np.int64), 1)
        return _aggregate(question, frame, whole), True
    return evaluate(question, frame)


def _side_by_side(answers: Mapping[str, Any]) -> dict[str, Column]:
    """Put answers beside each other, one for all rows below each of them."""
    rows = [answer for answer in answers.values() if isinstance(answer, Column)]
    if rows and len(rows) < len(answers):
        raise Unanswered
    return {name: a if isinstance(a, Column) else a[0] for name, a in answers.items()}


def _of(frame: PlainFrame, name: str) -> Column:
    if name not in frame.held:
        raise Unanswered
    return frame.held[name]


def _name(question: Any) -> str:
    step = question
    while step is not None:
        if step.verb in ("alias", "col"):
            return str(step.arguments[0])
        step = step.of
    raise Unanswered


AGGREGATES = ("len", "max", "min", "n_unique", "sum")


def _is_aggregate(question: Any) -> bool:
    """Whether a question has one answer for many rows."""
    if not isinstance(question, nw.Expr):
        raise Unanswered
    step: Any = question
    if step.verb in ("alias", "cast", "__sub__"):
        return _is_aggregate(step.of)
    return step.verb in AGGREGATES


def _aggregate(question: Any, frame: PlainFrame, by: tuple[Array, int]) -> Column:
    """Answer a question for each group of rows."""
    if not isinstance(question, nw.Expr):
        raise Unanswered
    step: Any = question
    group, count = by
    if step.verb == "alias":
        return _aggregate(step.of, frame, by)
    if step.verb == "len":
        return Column(np.bincount(group, minlength=count).astype(np.int64))
    if step.verb not in AGGREGATES:
        raise Unanswered
    column = evaluate(step.of, frame)
    present = ~column.missing
    values, group = column.values[present], group[present]
    filled = np.bincount(group, minlength=count)
    if step.verb == "n_unique":
        if column.missing.any():
            raise Unanswered
        codes, kinds = column.codes()
        pairs = np.unique(group * max(kinds, 1) + codes)
        return Column(np.bincount(pairs // max(kinds, 1), minlength=count).astype(np.int64))
    if step.verb == "sum":
        if column.kind not in NUMBERS:
            raise Unanswered
        return _summed(values, group, filled)
    return _end(column, values, group, filled, largest=step.verb == "max")


def _summed(values: Array, group: Array, filled: Array) -> Column:
    if values.dtype.kind == "i" and values.size and np.abs(values).max() > 2**52 // values.size:
        raise Unanswered
    total = np.bincount(group, values, minlength=filled.size)
    if values.dtype.kind == "i":
        total = total.astype(np.int64)
    return Column(total, filled == 0)


def _end(column: Column, values: Array, group: Array, filled: Array, *, largest: bool) -> Column:
    """The smallest or the largest value of each group."""
    if column.kind == "f" and np.isnan(values).any():
        raise Unanswered
    ranked = np.array(sorted(set(values.tolist())), dtype=values.dtype)
    ranks = np.searchsorted(ranked, values)
    best = np.full(filled.size, -1 if largest else ranked.size, dtype=np.int64)
    (np.maximum if largest else np.minimum).at(best, group, ranks)
    missing = filled == 0
    if not ranked.size:
        raise Unanswered
    return Column(ranked[np.where(missing, 0, best)], missing)


def evaluate(question: Any, frame: PlainFrame) -> Column:
    """Answer a question for each row."""
    if not isinstance(question, nw.Expr):
        return _literal(question, frame.size)
    step: Any = question
    if step.of is None:
        return _start(step, frame)
    if step.verb in ("otherwise", "then"):
        return _chosen(step, frame)
    if step.verb == "alias":
        return evaluate(step.of, frame)
    first = evaluate(step.of, frame)
    if step.verb in OPERATIONS:
        return OPERATIONS[step.verb](first, evaluate(step.arguments[0], frame))
    if step.verb in STEPS and not step.keywords:
        return STEPS[step.verb](first, *step.arguments)
    raise Unanswered


def _literal(value: Any, size: int) -> Column:
    if type(value) is str:
        return Column(np.full(size, value, dtype=object))
    if type(value) not in (bool, int, float) or value != value:
        raise Unanswered
    return Column(np.full(size, value))


def _start(step: Any, frame: PlainFrame) -> Column:
    if step.verb == "col" and len(step.arguments) == 1:
        return _of(frame, step.arguments[0])
    if step.verb == "lit" and not step.keywords:
        return _literal(step.arguments[0], frame.size)
    if step.verb == "any_horizontal":
        columns = [evaluate(question, frame) for question in step.arguments]
        return functools.reduce(_or, columns)
    if step.verb == "concat_str":
        return _joined([evaluate(each, frame) for each in step.arguments[0]], **step.keywords)
    raise Unanswered


def _joined(columns: Sequence[Column], *, separator: str) -> Column:
    if any(column.kind != "O" for column in columns):
        raise Unanswered
    missing = functools.reduce(np.logical_or, [column.missing for column in columns])
    cells = zip(*(column.values.tolist() for column in columns), strict=True)
    texts = [
        None if gone else separator.join(row) for row, gone in zip(cells, missing, strict=True)
    ]
    values = np.empty(len(texts), dtype=object)
    values[:] = texts
    return Column(values, missing)


def _chosen(step: Any, frame: PlainFrame) -> Column:
    """One answer where a condition is met, and another where it is not."""
    then = step if step.verb == "then" else step.of
    if then.verb != "then" or then.of.verb != "when" or len(then.of.arguments) != 1:
        raise Unanswered
    met = evaluate(then.of.arguments[0], frame)
    mask = _truth(met) & ~met.missing
    one = evaluate(then.arguments[0], frame)
    if step is then:
        return Column(one.values, one.missing | ~mask)
    other = evaluate(step.arguments[0], frame)
    if one.kind != other.kind and not {one.kind, other.kind} <= set(NUMBERS):
        raise Unanswered
    return Column(
        np.where(mask, one.values, other.values), np.where(mask, one.missing, other.missing)
    )


def _truth(column: Column) -> Array:
    if column.kind != "b":
        raise Unanswered
    return column.values


def _and(one: Column, other: Column) -> Column:
    a, b = _truth(one), _truth(other)
    untrue = (~a & ~one.missing) | (~b & ~other.missing)
    return Column(a & b, (one.missing | other.missing) & ~untrue)


def _or(one: Column, other: Column) -> Column:
    a, b = _truth(one), _truth(other)
    true = (a & ~one.missing) | (b & ~other.missing)
    return Column(a | b | true, (one.missing | other.missing) & ~true)


def _comparison(compare: Callable[[Array, Array], Any]) -> Callable[[Column, Column], Column]:
    def compared(one: Column, other: Column) -> Column:
        texts = one.kind == other.kind == "O"
        if not texts and not {one.kind, other.kind} <= set(NUMBERS):
            raise Unanswered
        missing = one.missing | other.missing
        if texts and compare not in (np.equal, np.not_equal):
            raise Unanswered
        if any(c.kind == "f" and np.isnan(c.values[~missing]).any() for c in (one, other)):
            raise Unanswered
        met = np.asarray(compare(one.values, other.values), dtype=bool)
        return Column(met, missing)

    return compared


def _arithmetic(compute: Callable[[Array, Array], Any]) -> Callable[[Column, Column], Column]:
    def computed(one: Column, other: Column) -> Column:
        if not {one.kind, other.kind} <= set(NUMBERS) or "f" not in (one.kind, other.kind):
            raise Unanswered
        return Column(compute(one.values, other.values), one.missing | other.missing)

    return computed


OPERATIONS: dict[str, Callable[[Column, Column], Column]] = {
    "__and__": _and,
    "__or__": _or,
    "__eq__": _comparison(np.equal),
    "__ne__": _comparison(np.not_equal),
    "__lt__": _comparison(np.less),
    "__le__": _comparison(np.less_equal),
    "__gt__": _comparison(np.greater),
    "__ge__": _comparison(np.greater_equal),
    "__add__": _arithmetic(np.add),
    "__sub__": _arithmetic(np.subtract),
    "__mul__": _arithmetic(np.multiply),
}


def _fill_nan(column: Column, value: None) -> Column:
    if column.kind != "f" or value is not None:
        raise Unanswered
    return Column(column.values, column.missing | np.isnan(column.values))


def _is_in(column: Column, values: Sequence[Any]) -> Column:
    kinds = {type(value) for value in values}
    if kinds <= {str} and column.kind == "O":
        return Column(np.array([v in values for v in column.values.tolist()], bool), column.missing)
    if kinds <= {int, float} and column.kind in NUMBERS:
        return Column(np.isin(column.values, list(values)), column.missing)
    raise Unanswered


def _cast(column: Column, kind: Any) -> Column:
    wanted = kind().verb
    if wanted == "String" and column.kind == "O":
        return column
    if wanted == "String" and column.kind == "i":
        texts = np.empty(column.values.size, dtype=object)
        texts[:] = list(map(str, column.values.tolist()))
        return Column(texts, column.missing)
    if wanted == "Float64" and column.kind in NUMBERS:
        return Column(column.values.astype(float), column.missing)
    if wanted == "Int64" and column.kind in "bi":
        return Column(column.values.astype(np.int64), column.missing)
    raise Unanswered


def _finite(column: Column) -> Column:
    if column.kind != "f":
        raise Unanswered
    return Column(np.isfinite(column.values), column.missing)


def _abs(column: Column) -> Column:
    if column.kind not in NUMBERS:
        raise Unanswered
    return Column(np.abs(column.values), column.missing)


STEPS: dict[str, Callable[..., Column]] = {
    "__invert__": lambda column: Column(~_truth(column), column.missing),
    "abs": _abs,
    "cast": _cast,
    "fill_nan": _fill_nan,
    "is_finite": _finite,
    "is_in": _is_in,
    "is_null": lambda column: Column(column.missing),
}
