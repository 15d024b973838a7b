"""One check of a file of numbers, read and ready to be computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from covary.analysis.published.digits import Printed
from covary.analysis.published.fields import Field, names, number, rows, words
from covary.analysis.published.numbers import CheckedNumber, Part, Verdict

__all__ = ["EVERY", "ONE_OR_TABLE", "Cell", "Entry", "EntryFault", "Kind"]


class EntryFault(Exception):
    """Something wrong with a key of a check, which only shows when keys are put together."""

    def __init__(self, key: str, sentence: str) -> None:
        super().__init__(sentence)
        self.key = key


@dataclass(frozen=True)
class Cell:
    """A printed number in its row and column."""

    row: str
    column: str
    printed: Printed


@dataclass(frozen=True)
class Entry:
    """The keys of a check, read; `folder` is where the files lie that it names."""

    kind: str
    values: Mapping[str, Any]
    folder: Path = Path()

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a key that may be left out."""
        return self.values.get(key, default)

    @property
    def place(self) -> str:
        """Where in the paper the numbers stand."""
        return str(self.values["place"])

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns; one without a name where there are none."""
        return tuple(self.values.get("columns", ("",)))

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The printed numbers, row by row, without empty cells."""
        if "rows" not in self.values:
            if "printed" not in self.values:
                raise EntryFault("printed", "is missing; give printed, or rows with columns")
            return (Cell("", "", self.values["printed"]),)
        return tuple(self._table())

    def _table(self) -> Iterator[Cell]:
        for row, line in self.values["rows"].items():
            self.check_width(f"row {row!r}", line, "rows")
            for column, printed in zip(self.columns, line, strict=True):
                if printed is not None:
                    yield Cell(row, column, printed)

    def check_width(self, what: str, line: tuple[Any, ...], key: str) -> None:
        """Refuse a line of a table that has not one cell for each column."""
        if len(line) != len(self.columns):
            there = "no columns are named" if self.columns == ("",) else "there are "
            raise EntryFault(
                key,
                f"{what} has {len(line)} cells, and {there}"
                f"{'' if self.columns == ('',) else f'{len(self.columns)} columns'}",
            )

    def number(
        self, cell: Cell, expected: str, verdict: Verdict, arithmetic: str, **more: Any
    ) -> CheckedNumber:
        """Write down what was found about a cell."""
        more = {"row": cell.row, "column": cell.column} | more
        return CheckedNumber(
            self.kind, self.place, cell.printed.text, expected, verdict, arithmetic, **more
        )

    def part(self, conclusion: str, numbers: Any) -> Part:
        """Write down what the check as a whole found."""
        return Part(self.kind, self.place, conclusion, tuple(numbers), self.get("remark", ""))


@dataclass(frozen=True)
class Kind:
    """A kind of check: what it asks, which keys it has, and what computes it."""

    about: str
    fields: Mapping[str, Field]
    run: Callable[[Entry], tuple[Part, ...]]


ONE_OR_TABLE = {"printed": Field(number), "columns": Field(names), "rows": Field(rows)}
"""The keys of a printed number, or of a table of them."""

EVERY = {"place": Field(words, needed=True), "remark": Field(words)}
"""The keys that every check has."""
