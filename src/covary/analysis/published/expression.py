"""Arithmetic in a line of text: `405 * 3 * (0.05 + 0.01)`, computed exactly."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

__all__ = ["evaluate"]

OPERATIONS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.Gt: operator.gt,
    ast.LtE: operator.le,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
}

LONGEST = 1000
"""The longest line that is read; a table with more numbers is a `totals` or an `averages`."""

ALLOWED = "numbers, + - * / ( ) and comparisons such as (26 > 23), which count as 1 or 0"


def evaluate(text: str) -> Fraction:
    """Compute a line of arithmetic exactly; a `ValueError` says what is allowed.

    Examples
    --------
    >>> evaluate("405 * 3 * (0.05 + 0.01)")
    Fraction(729, 10)
    >>> evaluate("(7 > 8) + (15 > 14) + (25 > 24) + (26 > 23)")
    Fraction(3, 1)
    """
    plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text).replace("−", "-").replace("×", "*")
    if len(plain) > LONGEST:
        raise ValueError(f"this line is longer than {LONGEST:,} characters")
    try:
        tree = ast.parse(plain.strip(), mode="eval")
        return _value(tree.body, plain.strip())
    except (SyntaxError, RecursionError):
        raise ValueError(f"{text!r} is no arithmetic; it can have {ALLOWED}") from None
    except ZeroDivisionError:
        raise ValueError(f"{text!r} divides by zero") from None


def _value(node: ast.expr, text: str) -> Fraction:
    match node:
        case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
            return Fraction(ast.get_source_segment(text, node) or "0")
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, text)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in OPERATIONS:
            return OPERATIONS[type(sign)](_value(left, text), _value(right, text))
        case ast.Compare(left=left, ops=signs, comparators=rest) if {
            type(sign) for sign in signs
        } <= COMPARISONS.keys():
            sides = [_value(side, text) for side in (left, *rest)]
            pairs = zip(sides, signs, sides[1:], strict=False)
            return Fraction(all(COMPARISONS[type(sign)](a, b) for a, sign, b in pairs))
    raise ValueError(f"{ast.unparse(node)!r} cannot be computed here; use {ALLOWED}")
