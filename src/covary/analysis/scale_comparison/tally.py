"""Which of two experiments is ahead, in how many cases, and in how many of them clearly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Tally", "tally"]


@dataclass(frozen=True)
class Tally:
    """In how many cases one experiment is ahead of another, and in how many of these clearly."""

    first: str
    second: str
    ahead_first: int
    ahead_second: int
    cases: int
    clear: int

    def sentence(self, verb: str, noun: str = "criterion", plural: str = "criteria") -> str:
        """Say it: `VAS finds more differences between systems on 3 of 4 criteria`.

        Examples
        --------
        The counts of significant differences that Belz & Kow (2011) print for both scales:

        >>> found = tally("VDS", "VAS", [(8, 7), (14, 15), (24, 25), (23, 26)])
        >>> found.sentence("finds more differences", "case", "cases")
        'VAS finds more differences in 3 of 4 cases.'
        """
        if not self.cases:
            return ""
        where, of = "in" if noun == "case" else "on", _of(self.cases, noun, plural)
        both = {self.first: self.ahead_first, self.second: self.ahead_second}
        if self.ahead_first == self.ahead_second:
            start = f"Each of {self.first} and {self.second}"
            if not self.ahead_first:
                return f"Neither {self.first} nor {self.second} {verb} {where} any of {of}."
            return f"{start} {verb} {where} {self.ahead_first} of {of}."
        name = max(both, key=lambda each: both[each])
        return f"{name} {verb} {where} {both[name]} of {of}."


def tally(
    first: str,
    second: str,
    cases: Sequence[tuple[float, float]],
    clear: Sequence[bool] = (),
) -> Tally:
    """Count who is ahead; cases without a number on either side do not count."""
    known = [(a, b) for a, b in cases if not (math.isnan(a) or math.isnan(b))]
    return Tally(
        first,
        second,
        sum(a > b for a, b in known),
        sum(b > a for a, b in known),
        len(known),
        sum(clear),
    )


def _of(number: int, noun: str, plural: str) -> str:
    return f"{number} {noun if number == 1 else plural}"
