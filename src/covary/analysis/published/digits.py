"""A number as a paper prints it: its digits, its stars, and what may have become of it.

A printed number is text, because 0.2 does not claim as much as 0.20. It stands for every number
that rounds to it, or that it is when further digits are cut off.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["Exact", "Printed", "exact", "parse", "plain", "written"]

Exact = Fraction | float | int

FLOATING = Fraction(1, 10**9)
"""What floating-point arithmetic may add to a value that ends exactly at a printed digit."""

SHAPE = re.compile(
    r"(?:US)?[$€£]?\s*(?P<sign>[-−–+]?)\s*"
    r"(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d*)?|\.\d+)\s*"
    r"(?P<percent>%?)\s*(?P<marks>[*†‡]*)\s*"
    r"(?:[(,;]?\s*(?P<claim>p\s*[<>=≤≥]=?\s*\d*\.?\d+|n\.?\s?s\.?)\s*\)?)?"
)


@dataclass(frozen=True)
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
            self.value in (_signed(near, self.unit, _half_up), _signed(near, self.unit, round))
            for near in _near(number)
        )

    def cut_off_from(self, number: Exact) -> bool:
        """Say whether a number is this one when its further digits are cut off."""
        return any(self.value == _signed(near, self.unit, math.floor) for near in _near(number))

    def shortened(self, number: Exact, *, cut_off: bool = False) -> Fraction:
        """Bring a number to as many decimals as are printed here."""
        towards = FLOATING if number >= 0 else -FLOATING
        slack = towards if isinstance(number, float) else Fraction(0)
        return _signed(Fraction(number) + slack, self.unit, math.floor if cut_off else _half_up)

    def like(self, number: Exact, more: int = 0) -> str:
        """Write a number with as many decimals as are printed here, or some more."""
        return written(number, self.places + more)

    def shown(self, number: Exact) -> str:
        """Write a number with the digits that are printed, and two more where it has them."""
        exactly = (Fraction(number) / self.unit).denominator == 1
        return self.like(number, 0 if exactly else 2)


def parse(text: str) -> Printed:
    """Read a printed number; a `ValueError` says what is allowed."""
    found = SHAPE.fullmatch(text.strip())
    if found is None:
        raise ValueError(
            f"{text!r} is no printed number; write its digits as they are printed, with stars or "
            "a percent sign if it has them, such as '.595*', '-0.05', '18%', '1,215'"
        )
    digits = found["digits"].replace(",", "")
    decimals = len(digits.partition(".")[2])
    value = Fraction(f"0{digits}" if digits.startswith(".") else digits.rstrip("."))
    return Printed(
        text.strip(),
        -value if found["sign"] in ("-", "−", "–") else value,
        Fraction(1, 10**decimals),
        found["marks"],
        found["claim"] or "",
        bool(found["percent"]),
    )


def exact(text: str) -> Fraction:
    """Read a number whose digits are all there are.

    Examples
    --------
    >>> exact("0.05")
    Fraction(1, 20)
    """
    return parse(text).value


def written(number: Exact, places: int) -> str:
    """Write a number with some decimals, without zeros that only fill them up.

    Examples
    --------
    >>> written(Fraction(183, 400), 4), written(6.0, 2), written(-0.00004, 3)
    ('0.4575', '6.00', '0.000')
    """
    kept = _signed(Fraction(number), Fraction(1, 10**places), _half_up)
    return f"{float(kept):.{places}f}" if kept else f"{0:.{places}f}"


def plain(number: Fraction) -> str:
    """Write an amount with all its digits, at least two.

    Examples
    --------
    >>> plain(Fraction(1, 20)), plain(Fraction(125, 1000)), plain(Fraction(3))
    ('0.05', '0.125', '3.00')
    """
    places = next((p for p in range(2, 9) if (number * 10**p).denominator == 1), 9)
    return written(number, places)


def _near(number: Exact) -> tuple[Fraction, ...]:
    value = Fraction(number)
    return (value - FLOATING, value, value + FLOATING) if isinstance(number, float) else (value,)


def _signed(number: Fraction, unit: Fraction, shorten: object) -> Fraction:
    """Shorten the size of a number to whole units, and keep its sign."""
    assert callable(shorten)
    size: int = shorten(abs(number) / unit)
    return size * unit * (-1 if number < 0 else 1)


def _half_up(number: Fraction) -> int:
    return math.floor(number + Fraction(1, 2))
