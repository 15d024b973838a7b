"""Numbers as a paper prints them, arithmetic with them, and what is claimed of their p-values.

A printed number is text, because 0.2 does not claim as much as 0.20. It stands for every number
that rounds to it, or that it is when further digits are cut off.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from covary.errors import InvalidArgument

Exact = Fraction | float | int

FLOATING = Fraction(1, 10**9)
"""What floating-point arithmetic may add to a value that ends exactly at a printed digit."""

SHAPE = re.compile(
    r"(?:US)?[$€£]?\s*(?P<sign>[-−–+]?)\s*"
    r"(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d*)?|\.\d+)\s*"
    r"(?P<percent>%?)\s*(?P<marks>[*†‡]*)\s*"
    r"(?:[(,;]?\s*(?P<claim>p\s*[<>=≤≥]=?\s*\d*\.?\d+|n\.?\s?s\.?)\s*\)?)?"
)


@dataclass(frozen=True, kw_only=True)
class Printed:
    """A printed number: `unit` is one step of its last digit, `marks` are its stars.

    `claim` is what is printed about its p-value, such as `p < .01` or `ns`; a percentage has the
    value that is printed (18 for 18%).

    Examples
    --------
    >>> number = parse(".595*")
    >>> float(number.value), float(number.unit), number.marks
    (0.595, 0.001, '*')
    >>> parse("0.45").rounded_from(0.4575), parse("0.45").cut_off_from(0.4575)
    (False, True)
    """

    text: str
    value: Fraction
    unit: Fraction
    marks: str = ""
    claim: str = ""
    percent: bool = False

    @property
    def places(self) -> int:
        """How many decimals are printed."""
        return len(str(self.unit.denominator)) - 1

    @property
    def low(self) -> Fraction:
        """The smallest number that rounds to this one."""
        return self.value - self.unit / 2

    @property
    def high(self) -> Fraction:
        """The number below which everything rounds to this one."""
        return self.value + self.unit / 2

    def rounded_from(self, number: Exact) -> bool:
        """Say whether a number rounds to this one; a half may go up or to the even digit."""
        return any(
            self.value in (_shorten(near, self.unit, _half_up), _shorten(near, self.unit, round))
            for near in _neighbours(number)
        )

    def cut_off_from(self, number: Exact) -> bool:
        """Say whether a number is this one when its further digits are cut off."""
        near = _neighbours(number)
        return any(self.value == _shorten(value, self.unit, math.floor) for value in near)

    def shortened(self, number: Exact, *, cut_off: bool = False) -> Fraction:
        """Bring a number to as many decimals as are printed here."""
        towards = FLOATING if number >= 0 else -FLOATING
        slack = towards if isinstance(number, float) else Fraction(0)
        return _shorten(Fraction(number) + slack, self.unit, math.floor if cut_off else _half_up)

    def like(self, number: Exact, more: int = 0) -> str:
        """Write a number with as many decimals as are printed here, or some more."""
        return write_number(number, self.places + more)

    def expects(self, number: Exact, *, cut_off: bool = False) -> str:
        """Write what should be printed here where a number is right."""
        return self.like(self.shortened(number, cut_off=cut_off))

    def shown(self, number: Exact) -> str:
        """Write a number with the digits that are printed, and two more where it has them."""
        exactly = (Fraction(number) / self.unit).denominator == 1
        return self.like(number, 0 if exactly else 2)


def parse(text: str) -> Printed:
    """Read a printed number."""
    match = SHAPE.fullmatch(text.strip())
    if match is None:
        raise InvalidArgument("published.no-printed-number", value=text)
    digits = match["digits"].replace(",", "")
    decimals = len(digits.partition(".")[2])
    value = Fraction(f"0{digits}" if digits.startswith(".") else digits.rstrip("."))
    return Printed(
        text=text.strip(),
        value=-value if match["sign"] in ("-", "−", "–") else value,
        unit=Fraction(1, 10**decimals),
        marks=match["marks"],
        claim=match["claim"] or "",
        percent=bool(match["percent"]),
    )


def write_number(number: Exact, places: int) -> str:
    """Write a number with some decimals, without zeros that only fill them up.

    Examples
    --------
    >>> write_number(Fraction(183, 400), 4), write_number(6.0, 2), write_number(-0.00004, 3)
    ('0.4575', '6.00', '0.000')
    """
    kept = _shorten(Fraction(number), Fraction(1, 10**places), _half_up)
    return f"{float(kept):.{places}f}" if kept else f"{0:.{places}f}"


def write_amount(number: Fraction) -> str:
    """Write an amount with all its digits, at least two.

    Examples
    --------
    >>> write_amount(Fraction(1, 20)), write_amount(Fraction(125, 1000)), write_amount(Fraction(3))
    ('0.05', '0.125', '3.00')
    """
    places = next((p for p in range(2, 9) if (number * 10**p).denominator == 1), 9)
    return write_number(number, places)


def _neighbours(number: Exact) -> tuple[Fraction, ...]:
    value = Fraction(number)
    return (value - FLOATING, value, value + FLOATING) if isinstance(number, float) else (value,)


def _shorten(number: Fraction, unit: Fraction, shorten: Callable[[Any], int]) -> Fraction:
    """Shorten the size of a number to whole units, and keep its sign."""
    return shorten(abs(number) / unit) * unit * (-1 if number < 0 else 1)


def _half_up(number: Fraction) -> int:
    return math.floor(number + Fraction(1, 2))


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


def evaluate(text: str) -> Fraction:
    """Compute a line of arithmetic exactly.

    Examples
    --------
    >>> evaluate("405 * 3 * (0.05 + 0.01)")
    Fraction(729, 10)
    >>> evaluate("(7 > 8) + (15 > 14) + (25 > 24) + (26 > 23)")
    Fraction(3, 1)
    """
    plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text).replace("−", "-").replace("×", "*")
    if len(plain) > LONGEST:
        raise InvalidArgument("published.line-too-long", longest=LONGEST)
    try:
        tree = ast.parse(plain.strip(), mode="eval")
        return _value(tree.body, plain.strip())
    except (SyntaxError, RecursionError):
        raise InvalidArgument("published.no-arithmetic", value=text) from None
    except ZeroDivisionError:
        raise InvalidArgument("published.divides-by-zero", value=text) from None


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
    raise InvalidArgument("published.not-computable", value=ast.unparse(node))


MARKS: Mapping[str, Fraction] = {"*": Fraction(5, 100), "**": Fraction(1, 100)}
"""What stars mean unless a file says otherwise."""

CLAIM = re.compile(r"p\s*(?P<sign>[<>=≤≥])=?\s*(?P<p>\d*\.?\d+)", re.IGNORECASE)


@dataclass(frozen=True)
class Claim:
    """A claim about a p-value: in words, and whether a p-value makes it true."""

    text: str
    holds: Callable[[float], bool]
    expected: Callable[[float], str]


def claim_of(printed: Printed, of_all: str, marks: Mapping[str, Fraction] | None) -> Claim:
    """Return what is claimed about a number: its own words, the words for all, or its stars.

    Examples
    --------
    >>> claim = claim_of(parse(".595*"), "", None)
    >>> claim.text, claim.holds(0.03), claim.holds(0.003)
    ('*', True, False)
    """
    text = printed.claim or of_all
    if text:
        return _worded_claim(text)
    known = MARKS if marks is None else marks
    if printed.marks and printed.marks not in known:
        raise InvalidArgument("published.unexplained-mark", value=printed.text)
    return Claim(
        printed.marks or "no star",
        lambda p: stars_of(p, known) == printed.marks,
        lambda p: stars_of(p, known) or "no star",
    )


def stars_of(p: float, marks: Mapping[str, Fraction] = MARKS) -> str:
    """Return the mark that a p-value earns: that of the smallest threshold above it.

    Examples
    --------
    >>> stars_of(0.03), stars_of(0.003), stars_of(0.3)
    ('*', '**', '')
    """
    earned = [(limit, mark) for mark, limit in marks.items() if p < limit]
    return min(earned)[1] if earned else ""


def p_text(p: float) -> str:
    """Write a p-value with two digits that matter."""
    if p < 1e-4:
        return "0" if p == 0 else f"{p:.1e}".replace("e-0", "e-")
    return f"{p:.{min(max(1 - math.floor(math.log10(p)), 2), 5)}f}".lstrip("0") if p < 1 else "1"


def _worded_claim(text: str) -> Claim:
    if text.strip().lower().replace(" ", "").replace(".", "") == "ns":
        return Claim("not significant", lambda p: p >= float(MARKS["*"]), _p_equals)
    match = CLAIM.fullmatch(text.strip())
    if match is None:
        raise InvalidArgument("published.no-claim", value=text)
    limit = parse(match["p"])
    holds: dict[str, Callable[[float], bool]] = {
        "<": lambda p: p < limit.value,
        "≤": lambda p: p <= limit.value,
        ">": lambda p: p > limit.value,
        "≥": lambda p: p >= limit.value,
        "=": lambda p: limit.rounded_from(p) or limit.cut_off_from(p),
    }
    return Claim(text.strip(), holds[match["sign"]], _p_equals)


def _p_equals(p: float) -> str:
    return f"p = {p_text(p)}"
