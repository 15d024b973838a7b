"""Questions about columns, in the words of Narwhals, written before it is known who answers them.

Small plain columns are asked with NumPy (`ratings/plain_frame.py`) and every other frame with
Narwhals, which takes a third of the time of a small check to load and is loaded only then. To type
checkers these are the functions of Narwhals themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from narwhals import (
        Expr,
        Float64,
        Int64,
        LazyFrame,
        Object,
        String,
        any_horizontal,
        col,
        concat_str,
        exclude,
        lit,
        when,
    )
    from narwhals import len as len  # noqa: A004
    from narwhals.dtypes import DType

    __all__ = ["DType", "Expr", "Float64", "Int64", "LazyFrame", "Object", "String"]
    __all__ += ["any_horizontal", "col", "concat_str", "exclude", "len", "lit", "when"]
else:

    class Expr:
        """One step of a question: a verb, what it is asked of, and what with."""

        __slots__ = ("arguments", "keywords", "of", "verb")
        __hash__ = None

        def __init__(
            self, verb: str, of: Expr | None, arguments: tuple[Any, ...], keywords: dict[str, Any]
        ) -> None:
            self.verb, self.of, self.arguments, self.keywords = verb, of, arguments, keywords

        def __getattr__(self, verb: str) -> Callable[..., Expr]:
            if verb.startswith("__"):
                raise AttributeError(verb)
            return lambda *arguments, **keywords: Expr(verb, self, arguments, keywords)

    def _operator(verb: str) -> Callable[..., Expr]:
        return lambda own, *other: Expr(verb, own, other, {})

    OPERATORS = "eq ne lt le gt ge and or invert add sub mul truediv floordiv mod pow"
    OPERATORS += " radd rsub rmul rtruediv rfloordiv rmod rpow rand ror"
    for _verb in OPERATORS.split():
        setattr(Expr, f"__{_verb}__", _operator(f"__{_verb}__"))

    def _first(verb: str) -> Callable[..., Expr]:
        return lambda *arguments, **keywords: Expr(verb, None, arguments, keywords)

    VERBS = ("any_horizontal", "col", "concat_str", "exclude", "len", "lit", "when")
    any_horizontal, col, concat_str, exclude, len, lit, when = map(_first, VERBS)  # noqa: A001
    Float64, Int64, Object, String = map(_first, ("Float64", "Int64", "Object", "String"))


def in_narwhals(value: Any) -> Any:
    """Write a question, or a list of them, with Narwhals; whatever else is given stays as it is."""
    import narwhals

    if isinstance(value, list | tuple):
        return type(value)(map(in_narwhals, value))
    if callable(value) and getattr(value, "__module__", "") == __name__:
        value = value()  # a kind of column that is named without brackets
    if not isinstance(value, Expr):
        return value
    step: Any = value
    start = narwhals if step.of is None else in_narwhals(step.of)
    keywords = {name: in_narwhals(given) for name, given in step.keywords.items()}
    return getattr(start, step.verb)(*map(in_narwhals, step.arguments), **keywords)
