"""Columns of one kind in NumPy's arrays, and what is asked of them.

A question (`ratings/expressions.py`) is answered as DuckDB answers it, nulls as in SQL. Whatever
could be answered in another way is left to DuckDB.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.ratings import expressions as nw

Array = npt.NDArray[Any]

NUMBERS = "if"


class Unanswered(Exception):
    """A question that is left to DuckDB."""


class Vector:
    """Values of one kind (int64, float64, bool or text), and where there is none."""

    __slots__ = ("missing", "values")

    def __init__(self, values: Array, missing: Array | None = None) -> None:
        self.values = values
        self.missing = np.zeros(values.size, dtype=bool) if missing is None else missing

    @property
    def kind(self) -> str:
        """The kind of NumPy: i, f, b or O."""
        return self.values.dtype.kind

    def taken(self, rows: Any) -> Vector:
        """The same column with some of its rows."""
        return Vector(self.values[rows], self.missing[rows])

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


class Columns:
    """Columns of one length by their names."""

    def __init__(self, held: Mapping[str, Vector]) -> None:
        self.held = dict(held)

    @property
    def size(self) -> int:
        """How many rows there are."""
        return next((column.values.size for column in self.held.values()), 0)


def column_of(frame: Columns, name: str) -> Vector:
    """The column of a name; DuckDB says what is wrong where there is none."""
    if name not in frame.held:
        raise Unanswered
    return frame.held[name]


AGGREGATES = ("len", "max", "min", "n_unique", "sum")


def is_aggregate(question: Any) -> bool:
    """Whether a question has one answer for many rows."""
    if not isinstance(question, nw.Expr):
        raise Unanswered
    step: Any = question
    if step.verb in ("alias", "cast", "__sub__"):
        return is_aggregate(step.of)
    return step.verb in AGGREGATES


def aggregate(question: Any, frame: Columns, by: tuple[Array, int]) -> Vector:
    """Answer a question for each group of rows."""
    if not isinstance(question, nw.Expr):
        raise Unanswered
    step: Any = question
    group, count = by
    if step.verb == "alias":
        return aggregate(step.of, frame, by)
    if step.verb == "len":
        return Vector(np.bincount(group, minlength=count).astype(np.int64))
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
        pairs = np.unique(group * max(kinds, 1) + codes, return_counts=True)[0]
        return Vector(np.bincount(pairs // max(kinds, 1), minlength=count).astype(np.int64))
    if step.verb == "sum":
        if column.kind not in NUMBERS:
            raise Unanswered
        return _summed(values, group, filled)
    return _end(column, values, group, filled, largest=step.verb == "max")


def _summed(values: Array, group: Array, filled: Array) -> Vector:
    if values.dtype.kind == "i" and values.size and np.abs(values).max() > 2**52 // values.size:
        raise Unanswered
    total = np.bincount(group, values, minlength=filled.size)
    if values.dtype.kind == "i":
        total = total.astype(np.int64)
    return Vector(total, filled == 0)


def _end(column: Vector, values: Array, group: Array, filled: Array, *, largest: bool) -> Vector:
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
    return Vector(ranked[np.where(missing, 0, best)], missing)


def evaluate(question: Any, frame: Columns) -> Vector:
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


def _literal(value: Any, size: int) -> Vector:
    if type(value) is str:
        return Vector(np.full(size, value, dtype=object))
    if type(value) not in (bool, int, float) or value != value:
        raise Unanswered
    return Vector(np.full(size, value))


def _start(step: Any, frame: Columns) -> Vector:
    if step.verb == "col" and len(step.arguments) == 1:
        return column_of(frame, step.arguments[0])
    if step.verb == "lit" and not step.keywords:
        return _literal(step.arguments[0], frame.size)
    if step.verb == "any_horizontal":
        columns = [evaluate(question, frame) for question in step.arguments]
        return functools.reduce(_or, columns)
    if step.verb == "concat_str":
        return _joined([evaluate(each, frame) for each in step.arguments[0]], **step.keywords)
    raise Unanswered


def _joined(columns: Sequence[Vector], *, separator: str) -> Vector:
    if any(column.kind != "O" for column in columns):
        raise Unanswered
    missing = functools.reduce(np.logical_or, [column.missing for column in columns])
    cells = zip(*(column.values.tolist() for column in columns), strict=True)
    texts = [
        None if gone else separator.join(row) for row, gone in zip(cells, missing, strict=True)
    ]
    values = np.empty(len(texts), dtype=object)
    values[:] = texts
    return Vector(values, missing)


def _chosen(step: Any, frame: Columns) -> Vector:
    """One answer where a condition is met, and another where it is not."""
    then = step if step.verb == "then" else step.of
    if then.verb != "then" or then.of.verb != "when" or len(then.of.arguments) != 1:
        raise Unanswered
    met = evaluate(then.of.arguments[0], frame)
    mask = truth(met) & ~met.missing
    one = evaluate(then.arguments[0], frame)
    if step is then:
        return Vector(one.values, one.missing | ~mask)
    other = evaluate(step.arguments[0], frame)
    if one.kind != other.kind and not {one.kind, other.kind} <= set(NUMBERS):
        raise Unanswered
    return Vector(
        np.where(mask, one.values, other.values), np.where(mask, one.missing, other.missing)
    )


def truth(column: Vector) -> Array:
    """Where a condition is met."""
    if column.kind != "b":
        raise Unanswered
    return column.values


def _and(one: Vector, other: Vector) -> Vector:
    a, b = truth(one), truth(other)
    untrue = (~a & ~one.missing) | (~b & ~other.missing)
    return Vector(a & b, (one.missing | other.missing) & ~untrue)


def _or(one: Vector, other: Vector) -> Vector:
    a, b = truth(one), truth(other)
    true = (a & ~one.missing) | (b & ~other.missing)
    return Vector(a | b | true, (one.missing | other.missing) & ~true)


def _comparison(
    compare: Callable[[Array, Array], Any],
) -> Callable[[Vector, Vector], Vector]:
    def compared(one: Vector, other: Vector) -> Vector:
        texts = one.kind == other.kind == "O"
        if not texts and not {one.kind, other.kind} <= set(NUMBERS):
            raise Unanswered
        missing = one.missing | other.missing
        if texts and compare not in (np.equal, np.not_equal):
            raise Unanswered
        if any(c.kind == "f" and np.isnan(c.values[~missing]).any() for c in (one, other)):
            raise Unanswered
        met = np.asarray(compare(one.values, other.values), dtype=bool)
        return Vector(met, missing)

    return compared


def _arithmetic(
    compute: Callable[[Array, Array], Any],
) -> Callable[[Vector, Vector], Vector]:
    def computed(one: Vector, other: Vector) -> Vector:
        if not {one.kind, other.kind} <= set(NUMBERS) or "f" not in (one.kind, other.kind):
            raise Unanswered
        return Vector(compute(one.values, other.values), one.missing | other.missing)

    return computed


OPERATIONS: dict[str, Callable[[Vector, Vector], Vector]] = {
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


def _fill_nan(column: Vector, value: None) -> Vector:
    if column.kind != "f" or value is not None:
        raise Unanswered
    return Vector(column.values, column.missing | np.isnan(column.values))


def _is_in(column: Vector, values: Sequence[Any]) -> Vector:
    kinds = {type(value) for value in values}
    if kinds <= {str} and column.kind == "O":
        return Vector(np.array([v in values for v in column.values.tolist()], bool), column.missing)
    if kinds <= {int, float} and column.kind in NUMBERS:
        return Vector(np.isin(column.values, list(values)), column.missing)
    raise Unanswered


def _cast(column: Vector, kind: Any) -> Vector:
    wanted = kind().verb
    if wanted == "String" and column.kind == "O":
        return column
    if wanted == "String" and column.kind == "i":
        texts = np.empty(column.values.size, dtype=object)
        texts[:] = list(map(str, column.values.tolist()))
        return Vector(texts, column.missing)
    if wanted == "Float64" and column.kind in NUMBERS:
        return Vector(column.values.astype(float), column.missing)
    if wanted == "Int64" and column.kind in "bi":
        return Vector(column.values.astype(np.int64), column.missing)
    raise Unanswered


def _finite(column: Vector) -> Vector:
    if column.kind != "f":
        raise Unanswered
    return Vector(np.isfinite(column.values), column.missing)


def _abs(column: Vector) -> Vector:
    if column.kind not in NUMBERS:
        raise Unanswered
    return Vector(np.abs(column.values), column.missing)


STEPS: dict[str, Callable[..., Vector]] = {
    "__invert__": lambda column: Vector(~truth(column), column.missing),
    "abs": _abs,
    "cast": _cast,
    "fill_nan": _fill_nan,
    "is_finite": _finite,
    "is_in": _is_in,
    "is_null": lambda column: Vector(column.missing),
}
