"""What a paper claims about a p-value: stars, a bound, or the value itself."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from covary.analysis.published.digits import Printed, parse

__all__ = ["MARKS", "Claim", "claim_of", "p_text", "stars_of"]

MARKS: Mapping[str, Fraction] = {"*": Fraction(5, 100), "**": Fraction(1, 100)}
"""What stars mean unless a file says otherwise."""

CLAIM = re.compile(r"p\s*(?P<sign>[<>=≤≥])=?\s*(?P<p>\d*\.?\d+)", re.IGNORECASE)


@dataclass(frozen=True)
class Claim:
    """Something said about a p-value: in words, and whether a p-value makes it true."""

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
        return _worded(text)
    known = MARKS if marks is None else marks
    if printed.marks and printed.marks not in known:
        raise ValueError(
            f"{printed.text!r} has a mark that is not explained; write marks = "
            '{ "*" = ".05", "**" = ".01", "***" = ".001" }'
        )
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


def _worded(text: str) -> Claim:
    if text.strip().lower().replace(" ", "").replace(".", "") == "ns":
        return Claim("not significant", lambda p: p >= float(MARKS["*"]), _as_p)
    found = CLAIM.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text!r} claims nothing about p; write 'p < .01', 'p = .034' or 'ns'")
    limit = parse(found["p"])
    holds: dict[str, Callable[[float], bool]] = {
        "<": lambda p: p < limit.value,
        "≤": lambda p: p <= limit.value,
        ">": lambda p: p > limit.value,
        "≥": lambda p: p >= limit.value,
        "=": lambda p: limit.rounded_from(p) or limit.cut_off_from(p),
    }
    return Claim(text.strip(), holds[found["sign"]], _as_p)


def _as_p(p: float) -> str:
    return f"p = {p_text(p)}"
