"""How each key of a check is read; a `ValueError` says what is wrong with its value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from covary.analysis.published.digits import Printed, exact, parse
from covary.analysis.published.expression import evaluate
from covary.errors import listed, meant

__all__ = [
    "Bare",
    "Field",
    "amount",
    "amounts",
    "arithmetic",
    "choice",
    "degrees",
    "flag",
    "names",
    "nearest",
    "number",
    "numbers",
    "rows",
    "shares",
    "thresholds",
    "whole",
    "wholes",
    "words",
]

EMPTY = ("", "-", "–", "—")
"""What stands for a cell that is empty in the paper."""


class Bare(str):
    """The digits of a number that was written without quotes."""


@dataclass(frozen=True)
class Field:
    """How a key is read, and whether it must be there."""

    read: Callable[[Any], Any]
    needed: bool = False


def nearest(given: str, known: Iterable[str]) -> str:
    """Say which known name may have been meant, and which there are."""
    names = list(known)
    return f"{meant(given, names) or '.'} There are {listed(names, 30)}"


def words(value: Any) -> str:
    """Read plain text."""
    if isinstance(value, str) and not isinstance(value, Bare):
        return value
    raise ValueError(f"{_shown(value)} is no text; put it in quotes")


def flag(value: Any) -> bool:
    """Read true or false."""
    if isinstance(value, bool):
        return value
    raise ValueError(f"{_shown(value)} is neither true nor false (without quotes)")


def number(value: Any) -> Printed:
    """Read a printed number, which must be text unless it is a whole one."""
    if isinstance(value, Bare):
        raise ValueError(
            f'{value} stands without quotes; write "{value}". A printed number is text, because '
            "0.2 and 0.20 do not claim the same and programs drop the zero"
        )
    if isinstance(value, int) and not isinstance(value, bool):
        return parse(str(value))
    if isinstance(value, str):
        return parse(value)
    raise ValueError(f"{_shown(value)} is no printed number")


def numbers(value: Any) -> tuple[Printed, ...]:
    """Read one or several printed numbers."""
    return tuple(number(each) for each in (value if isinstance(value, list) else [value]))


def names(value: Any) -> tuple[str, ...]:
    """Read a list of names."""
    if isinstance(value, list) and value:
        return tuple(words(each) for each in value)
    raise ValueError(f'{_shown(value)} is no list of names, such as ["All", "Native"]')


def rows(value: Any) -> dict[str, tuple[Printed | None, ...]]:
    """Read the rows of a table: a name and its cells; an empty cell is ""."""
    if not isinstance(value, Mapping) or not value:
        raise ValueError('these are no rows; write them as rows."name" = ["0.36", "0.59"]')
    return {
        name: tuple(_cell(each, name) for each in _listed(line)) for name, line in value.items()
    }


def whole(value: Any) -> int:
    """Read a positive whole number."""
    if isinstance(value, str) and not isinstance(value, Bare) and value.replace(",", "").isdigit():
        value = int(value.replace(",", ""))
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    raise ValueError(f"{_shown(value)} is no whole number above 0")


def wholes(value: Any) -> dict[str, int]:
    """Read names with whole numbers."""
    if isinstance(value, Mapping) and value:
        return {name: whole(each) for name, each in value.items()}
    raise ValueError(f"{_shown(value)} names no numbers, such as {{ System = 8, Judge = 8 }}")


def amount(value: Any) -> Fraction:
    """Read a number whose digits are all there are, such as a price."""
    return number(value).value


def amounts(value: Any) -> dict[str, Fraction]:
    """Read an amount, or several with names."""
    if isinstance(value, Mapping) and value:
        return {name: amount(each) for name, each in value.items()}
    return {"": amount(value)}


def shares(value: Any) -> dict[str, int]:
    """Read a whole number, or several with names."""
    return wholes(value) if isinstance(value, Mapping) else {"": whole(value)}


def thresholds(value: Any) -> dict[str, Fraction]:
    """Read what stars mean: each mark with its p."""
    if not isinstance(value, Mapping) or not value:
        raise ValueError('marks are written as { "*" = ".05", "**" = ".01" }')
    read = {mark: exact(words(p)) for mark, p in value.items()}
    if any(not 0 < p < 1 for p in read.values()):
        raise ValueError("the p of a mark lies between 0 and 1")
    return read


def degrees(value: Any) -> dict[str, tuple[int, ...]]:
    """Read degrees of freedom, for all rows or for each row by its name."""
    if isinstance(value, Mapping):
        return {name: _degrees(each) for name, each in value.items()}
    return {"": _degrees(value)}


def arithmetic(value: Any) -> str:
    """Read a line of arithmetic, and see that it can be computed."""
    line = str(value) if isinstance(value, int) else words(value)
    evaluate(line)
    return line


def choice(*allowed: str) -> Callable[[Any], str]:
    """Read one of some words."""

    def read(value: Any) -> str:
        if value in allowed:
            return str(value)
        raise ValueError(f"{_shown(value)} is not known{nearest(str(value), allowed)}")

    return read


def _degrees(value: Any) -> tuple[int, ...]:
    return tuple(whole(each) for each in _listed(value))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _cell(value: Any, row: str) -> Printed | None:
    if isinstance(value, str) and value.strip() in EMPTY:
        return None
    try:
        return number(value)
    except ValueError as fault:
        raise ValueError(f"row {row!r}: {fault}") from None


def _shown(value: Any) -> str:
    return str(value) if isinstance(value, Bare) else repr(value)
