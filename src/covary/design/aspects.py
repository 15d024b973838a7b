"""One thing that a plan may balance, and the words for it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

__all__ = ["Aspect", "Balance", "counted", "even", "multiples_near", "range_of", "times"]


@dataclass(frozen=True)
class Aspect:
    """One thing that a plan may balance: what was found, in a word and in a sentence.

    `good` is None where there is nothing to be balanced; `low` and `high` are the smallest and the
    largest count.
    """

    name: str
    good: bool | None
    verdict: str
    words: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Balance:
    """What a plan balances, aspect by aspect."""

    judges: int
    items: int
    tasks: int
    aspects: tuple[Aspect, ...]

    def aspect(self, name: str) -> Aspect:
        """Return the aspect of this name."""
        return next(each for each in self.aspects if each.name == name)

    def __contains__(self, name: object) -> bool:
        return any(each.name == name for each in self.aspects)

    def sentences(self) -> tuple[str, ...]:
        """Say all of it, one sentence for each aspect."""
        return tuple(
            f"{each.name}: {f'{each.verdict}: ' if each.verdict else ''}{each.words}."
            for each in self.aspects
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, ready for JSON."""
        return {
            "judges": self.judges,
            "items": self.items,
            "tasks": self.tasks,
            "aspects": [asdict(each) for each in self.aspects],
        }


def even(
    name: str, low: float, high: float, words: str, advice: str = "", *, close: bool = False
) -> Aspect:
    """Say whether counts are equal; where they cannot be, `close` ones that differ by 1 will do."""
    if low == high:
        return Aspect(name, True, "balanced", words, low, high)
    if close and high - low == 1:
        return Aspect(name, True, "as even as can be", words, low, high)
    return Aspect(name, False, "not balanced", words + advice, low, high)


def times(low: float, high: float) -> str:
    """Write how often."""
    if low == high:
        return f"{low:g} time{'' if low == 1 else 's'}"
    return f"{low:g} to {high:g} times"


def counted(low: float, high: float, noun: str) -> str:
    """Write how many of something."""
    number = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    return f"{number} {noun}{'' if low == high == 1 else 's'}"


def range_of(values: Any) -> tuple[int, int]:
    """Return the smallest and the largest count; 0 and 0 where there is none."""
    found = np.asarray(values)
    return (int(found.min()), int(found.max())) if found.size else (0, 0)


def multiples_near(number: int, step: int) -> str:
    """Name the multiples of a step next to a number."""
    below = number // step * step
    return " or ".join(str(each) for each in (below, below + step) if each > 0)
