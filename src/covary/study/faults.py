"""Faults of a study's files, gathered so that all can be told at once."""

from __future__ import annotations

from covary.errors import StudyError, StudyFault
from covary.errors import choose as near

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


def shown(value: object) -> str:
    """Write a value for a message, cut off where it is long."""
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"
