"""What an audit says: a verdict on each printed number, and a sentence on each check."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

__all__ = ["VERDICTS", "Audit", "CheckedNumber", "Part", "Verdict", "counted"]

Verdict = Literal["does not fit", "fits only if", "fits", "derived"]

VERDICTS: tuple[Verdict, ...] = ("does not fit", "fits only if", "fits", "derived")
"""The verdicts, the gravest first; what is derived only follows from printed numbers."""


@dataclass(frozen=True)
class CheckedNumber:
    """One printed number and what arithmetic says about it.

    `place`, `row` and `column` say where it is printed, `expected` what it should be or which
    reading of it fits, `condition` completes "fits only if", and `arithmetic` shows the sum in a
    line. `data` holds the numbers, not rounded.

    Examples
    --------
    >>> number = CheckedNumber("cost", "section 4", "72.90", "72.90", "fits", "405 × 3 × 0.06")
    >>> print(number)
    section 4: 72.90 fits; 405 × 3 × 0.06
    """

    kind: str
    place: str
    printed: str
    expected: str
    verdict: Verdict
    arithmetic: str
    row: str = ""
    column: str = ""
    condition: str = ""
    data: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def where(self) -> str:
        """The place in a few words: table, row and column."""
        return ", ".join(part for part in (self.place, self.row, self.column) if part)

    @property
    def judged(self) -> str:
        """The verdict in words, with its condition."""
        return f"{self.verdict} {self.condition}".strip()

    def __str__(self) -> str:
        return f"{self.where}: {self.printed} {self.judged}; {self.arithmetic}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {name: _plain(getattr(self, name)) for name in self.__dataclass_fields__}


@dataclass(frozen=True)
class Part:
    """What one check found: its numbers, and a sentence that sums them up.

    `remark` is what the file of numbers itself says about them.
    """

    kind: str
    place: str
    conclusion: str
    numbers: tuple[CheckedNumber, ...]
    remark: str = ""

    def count(self, verdict: Verdict) -> int:
        """Say how many numbers have a verdict."""
        return sum(number.verdict == verdict for number in self.numbers)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "kind": self.kind,
            "place": self.place,
            "conclusion": self.conclusion,
            "remark": self.remark,
            "numbers": [number.to_dict() for number in self.numbers],
        }


@dataclass(frozen=True, repr=False)
class Audit:
    """What an audit of one file found; `title` and `source` say whose numbers they are."""

    title: str
    source: str
    parts: tuple[Part, ...]

    @property
    def numbers(self) -> tuple[CheckedNumber, ...]:
        """Every number that was looked at."""
        return tuple(number for part in self.parts for number in part.numbers)

    @property
    def misfits(self) -> tuple[CheckedNumber, ...]:
        """The numbers that do not fit."""
        return self._of("does not fit")

    @property
    def conditional(self) -> tuple[CheckedNumber, ...]:
        """The numbers that fit only if something holds that is not printed."""
        return self._of("fits only if")

    @property
    def summary(self) -> str:
        """Count the verdicts in a sentence."""
        times = Counter(number.verdict for number in self.numbers)
        checked = sum(times.values()) - times["derived"]
        words: dict[Verdict, str] = {
            "does not fit": _agreeing(times["does not fit"], "does", "do") + " not fit",
            "fits only if": _agreeing(times["fits only if"], "fits", "fit") + " on a condition",
            "fits": _agreeing(times["fits"], "fits", "fit"),
        }
        parts = [f"{times[verdict]} {text}" for verdict, text in words.items() if times[verdict]]
        derived = f" {times['derived']} derived." if times["derived"] else ""
        if not checked:
            return derived.strip() or "There is no number to check."
        return f"{counted(checked, 'printed number')} checked: {', '.join(parts)}.{derived}"

    def _of(self, verdict: Verdict) -> tuple[CheckedNumber, ...]:
        return tuple(number for number in self.numbers if number.verdict == verdict)

    def __iter__(self) -> Iterator[CheckedNumber]:
        return iter(self.numbers)

    def __repr__(self) -> str:
        return f"Audit({self.title!r}, {counted(len(self.numbers), 'number')})"

    def __str__(self) -> str:
        told = [*self.misfits, *self.conditional]
        return "\n".join([self.summary, *(f"  {number}" for number in told)])

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "title": self.title,
            "source": self.source,
            "summary": self.summary,
            "parts": [part.to_dict() for part in self.parts],
        }


def counted(number: int, noun: str) -> str:
    """Write a number with its noun: `1 star`, `24 stars`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _agreeing(number: int, one: str, more: str) -> str:
    return one if number == 1 else more


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        value = float(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value
