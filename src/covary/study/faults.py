"""Faults of a study's files, gathered so that all can be told at once."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from covary.errors import StudyError, StudyFault

__all__ = ["Faults", "near", "shown"]

LONGEST_SHOWN = 60


class Faults:
    """A list that fills while a study is read."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.found: list[StudyFault] = []

    def add(self, file: str, line: int | None, key: str, message: str) -> None:
        """Remember a fault and go on reading."""
        self.found.append(StudyFault(file, line, key, message))

    def raise_any(self) -> None:
        """Raise `StudyError` with every fault, file by file and line by line, if there are any."""
        if self.found:
            files = list(dict.fromkeys(each.file for each in self.found))
            self.found.sort(key=lambda each: (files.index(each.file), each.line or 0))
            raise StudyError(self.found, self.where)


def near(word: object, words: Iterable[str]) -> str:
    """Propose the nearest of the allowed words, or list them.

    Examples
    --------
    >>> near("critirion", ["criterion", "design"])
    "did you mean 'criterion'?"
    >>> near("x", ["criterion", "design"])
    "choose one of 'criterion', 'design'"
    """
    allowed = {each.casefold(): each for each in words}
    given = str(word).casefold()
    begun = [each for each in allowed if len(given) > 2 and each.startswith(given)]
    found = begun or difflib.get_close_matches(given, allowed, 1, 0.6)
    if found:
        return f"did you mean {allowed[found[0]]!r}?"
    return f"choose one of {', '.join(repr(each) for each in allowed.values())}"


def shown(value: object) -> str:
    """Write a value for a message, cut off where it is long."""
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"
