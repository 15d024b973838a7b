"""One check of a file of numbers: how its keys are read, and what it says of each number."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Literal

from covary.analysis.published.digits import Printed, evaluate, parse
from covary.errors import InvalidArgument
from covary.words import Note, counted

FitVerdict = Literal["does not fit", "fits only if", "fits", "derived"]

VERDICTS: tuple[FitVerdict, ...] = ("does not fit", "fits only if", "fits", "derived")
"""The verdicts, the gravest first; what is derived only follows from printed numbers."""


@dataclass(frozen=True, kw_only=True)
class CheckedNumber:
    """One printed number and what arithmetic says about it.

    `place`, `row` and `column` say where it is printed, `expected` what it should be or which
    reading of it fits, `condition` completes "fits only if", and `arithmetic` shows the sum in a
    line. `data` holds the numbers, not rounded.

    Examples
    --------
    >>> print(
    ...     CheckedNumber(
    ...         kind="cost",
    ...         place="section 4",
    ...         printed="72.90",
    ...         expected="72.90",
    ...         verdict="fits",
    ...         arithmetic="405 × 3 × 0.06",
    ...     )
    ... )
    section 4: 72.90 fits; 405 × 3 × 0.06
    """

    kind: str
    place: str
    printed: str
    expected: str
    verdict: FitVerdict
    arithmetic: str
    row: str = ""
    column: str = ""
    condition: str = ""
    data: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def cell(self) -> str:
        """Its row and column."""
        return ", ".join(part for part in (self.row, self.column) if part)

    @property
    def where(self) -> str:
        """The place in a few words: table, row and column."""
        return ", ".join(part for part in (self.place, self.cell) if part)

    @property
    def judged(self) -> str:
        """The verdict in words, with its condition."""
        return f"{self.verdict} {self.condition}".strip()

    def __str__(self) -> str:
        return f"{self.where}: {self.printed} {self.judged}; {self.arithmetic}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {own.name: _plain(getattr(self, own.name)) for own in fields(self)}


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """What one check says: its numbers, and a sentence that sums them up.

    `remark` is what the file of numbers itself says about them.
    """

    kind: str
    place: str
    conclusion: str
    numbers: tuple[CheckedNumber, ...]
    remark: str = ""

    def count(self, verdict: FitVerdict) -> int:
        """Say how many numbers have a verdict."""
        return sum(number.verdict == verdict for number in self.numbers)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        head = {name: getattr(self, name) for name in ("kind", "place", "conclusion", "remark")}
        return {**head, "numbers": [number.to_dict() for number in self.numbers]}


WHERE = ("kind", "place", "row", "column")
NUMBER_COLUMNS = (*WHERE, "printed", "expected", "verdict", "condition", "arithmetic")


@dataclass(frozen=True, kw_only=True, repr=False)
class Audit:
    """What an audit of one file says; `title` and `source` say whose numbers they are."""

    columns: ClassVar[tuple[str, ...]] = ("title", *NUMBER_COLUMNS)
    """The columns of `rows`."""

    title: str
    source: str
    parts: tuple[CheckResult, ...]

    @property
    def numbers(self) -> tuple[CheckedNumber, ...]:
        """Every number that was looked at."""
        return tuple(number for part in self.parts for number in part.numbers)

    @property
    def misfits(self) -> tuple[CheckedNumber, ...]:
        """The numbers that do not fit."""
        return tuple(number for number in self.numbers if number.verdict == "does not fit")

    @property
    def conditional(self) -> tuple[CheckedNumber, ...]:
        """The numbers that fit only if something holds that is not printed."""
        return tuple(number for number in self.numbers if number.verdict == "fits only if")

    @property
    def summary(self) -> str:
        """Count the verdicts in a sentence."""
        return count_verdicts(self.numbers)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each number, with the title of its paper."""
        return [{"title": self.title} | number.to_dict() for number in self.numbers]

    def __iter__(self) -> Iterator[CheckedNumber]:
        return iter(self.numbers)

    def __repr__(self) -> str:
        return f"Audit({self.title!r}, {counted(len(self.numbers), 'number')})"

    def __str__(self) -> str:
        doubtful = [*self.misfits, *self.conditional]
        return "\n".join([self.summary, *(f"  {number}" for number in doubtful)])

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        head = {name: getattr(self, name) for name in ("title", "source", "summary")}
        return {**head, "parts": [part.to_dict() for part in self.parts]}


def count_verdicts(numbers: Iterable[CheckedNumber]) -> Note:
    """Count in a sentence how many numbers have each verdict."""
    return Note("published.summary", verdicts=Counter(number.verdict for number in numbers))


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        value = float(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value


EMPTY = ("", "-", "–", "—")
"""What stands for a cell that is empty in the paper."""


class Bare(str):
    """The digits of a number that was written without quotes."""

    def __repr__(self) -> str:
        return str(self)


Reader = Callable[[Any], Any]
"""How a key is read; an `InvalidArgument` says what is wrong with its value."""


def words(value: Any) -> str:
    """Read plain text."""
    if isinstance(value, str) and not isinstance(value, Bare):
        return value
    raise InvalidArgument("published.no-text", value=value)


def one_or_several(value: Any) -> tuple[str, ...]:
    """Read plain text, or a list of it."""
    return names(value) if isinstance(value, list) else (words(value),)


def flag(value: Any) -> bool:
    """Read true or false."""
    if isinstance(value, bool):
        return value
    raise InvalidArgument("published.no-flag", value=value)


def number(value: Any) -> Printed:
    """Read a printed number, which must be text unless it is a whole one."""
    if isinstance(value, Bare):
        raise InvalidArgument("published.without-quotes", value=value)
    if isinstance(value, int) and not isinstance(value, bool):
        return parse(str(value))
    if isinstance(value, str):
        return parse(value)
    raise InvalidArgument("published.no-printed-number", value=value)


def numbers(value: Any) -> tuple[Printed, ...]:
    """Read one or several printed numbers."""
    return tuple(number(text) for text in _as_list(value))


def names(value: Any) -> tuple[str, ...]:
    """Read a list of names."""
    if isinstance(value, list) and value:
        return tuple(words(name) for name in value)
    raise InvalidArgument("published.no-names", value=value)


def rows(value: Any) -> dict[str, tuple[Printed | None, ...]]:
    """Read the rows of a table: a name and its cells; an empty cell is ""."""
    if not isinstance(value, Mapping) or not value:
        raise InvalidArgument("published.no-rows")
    return {
        name: tuple(_read_cell(cell, name) for cell in _as_list(line))
        for name, line in value.items()
    }


def whole(value: Any) -> int:
    """Read a positive whole number."""
    if isinstance(value, str) and not isinstance(value, Bare) and value.replace(",", "").isdigit():
        value = int(value.replace(",", ""))
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    raise InvalidArgument("published.no-whole-number", value=value)


def wholes(value: Any) -> dict[str, int]:
    """Read names with whole numbers."""
    if isinstance(value, Mapping) and value:
        return {name: whole(number) for name, number in value.items()}
    raise InvalidArgument("published.no-named-numbers", value=value)


def amount(value: Any) -> Fraction:
    """Read a number whose digits are all there are, such as a price."""
    return number(value).value


def by_name(read: Reader) -> Reader:
    """Read one value, or several with names."""

    def read_named(value: Any) -> dict[str, Any]:
        named = value if isinstance(value, Mapping) and value else {"": value}
        return {name: read(own) for name, own in named.items()}

    return read_named


def thresholds(value: Any) -> dict[str, Fraction]:
    """Read what stars mean: each mark with its p."""
    if not isinstance(value, Mapping) or not value:
        raise InvalidArgument("published.no-marks")
    limits = {mark: parse(words(p)).value for mark, p in value.items()}
    if any(not 0 < p < 1 for p in limits.values()):
        raise InvalidArgument("published.mark-without-p")
    return limits


def degrees(value: Any) -> tuple[int, ...]:
    """Read one or several degrees of freedom."""
    return tuple(whole(df) for df in _as_list(value))


def arithmetic(value: Any) -> str:
    """Read a line of arithmetic, and see that it can be computed."""
    line = str(value) if isinstance(value, int) else words(value)
    evaluate(line)
    return line


def choice(*allowed: str) -> Reader:
    """Read one of some words."""

    def read(value: Any) -> str:
        if value in allowed:
            return str(value)
        raise InvalidArgument("published.unknown-word", value=value, allowed=allowed)

    return read


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _read_cell(value: Any, row: str) -> Printed | None:
    if isinstance(value, str) and value.strip() in EMPTY:
        return None
    try:
        return number(value)
    except InvalidArgument as fault:
        raise InvalidArgument("published.in-row", row=row, fault=fault) from None


@dataclass(frozen=True)
class PrintedCell:
    """A printed number in its row and column."""

    row: str
    column: str
    printed: Printed


@dataclass(frozen=True)
class CheckEntry:
    """The keys of a check, read; `folder` is where the files lie that it names.

    Whatever is wrong with the keys together is an `InvalidArgument` whose argument is the key.
    """

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
    def cell(self) -> PrintedCell:
        """The only printed number."""
        if "printed" not in self.values:
            raise InvalidArgument("published.nothing-printed", argument="printed")
        return PrintedCell("", "", self.values["printed"])

    @property
    def cells(self) -> tuple[PrintedCell, ...]:
        """The printed numbers, row by row, without empty cells."""
        return tuple(self._table()) if "rows" in self.values else (self.cell,)

    def _table(self) -> Iterator[PrintedCell]:
        for row, line in self.values["rows"].items():
            self.check_width(f"row {row!r}", line, "rows")
            for column, printed in zip(self.columns, line, strict=True):
                if printed is not None:
                    yield PrintedCell(row, column, printed)

    def column(self, name: str) -> list[PrintedCell]:
        """The printed numbers of one column."""
        return [cell for cell in self.cells if cell.column == name]

    def check_width(self, what: str, line: tuple[Any, ...], key: str) -> None:
        """Refuse a line of a table that has not one cell for each column."""
        if len(line) != len(self.columns):
            named = 0 if self.columns == ("",) else len(self.columns)
            raise InvalidArgument(
                "published.wrong-width", argument=key, what=what, cells=len(line), columns=named
            )

    def number(self, cell: PrintedCell, **facts: Any) -> CheckedNumber:
        """Write down what is said about a cell."""
        about = {"kind": self.kind, "place": self.place, "row": cell.row, "column": cell.column}
        return CheckedNumber(**{**about, "printed": cell.printed.text, **facts})

    def judge(
        self,
        cell: PrintedCell,
        *,
        fits: bool,
        only_if: Iterable[tuple[bool, str]] = (),
        **facts: Any,
    ) -> CheckedNumber:
        """Say whether a number fits, or only on the first of some conditions that holds."""
        condition = "" if fits else next((why for holds, why in only_if if holds), "")
        verdict = "fits" if fits else "fits only if" if condition else "does not fit"
        return self.number(cell, verdict=verdict, condition=condition, **facts)

    def result(self, conclusion: str, checked: Iterable[CheckedNumber]) -> CheckResult:
        """Write down what the check as a whole says."""
        return CheckResult(
            kind=self.kind,
            place=self.place,
            conclusion=conclusion,
            numbers=tuple(checked),
            remark=self.get("remark", ""),
        )


@dataclass(frozen=True)
class CheckKind:
    """A kind of check: what it asks, what computes it, and how each of its keys is read."""

    about: str
    run: Callable[[CheckEntry], list[CheckResult]]
    needed: Mapping[str, Reader] = field(kw_only=True, default_factory=dict)
    optional: Mapping[str, Reader] = field(kw_only=True, default_factory=dict)

    @property
    def fields(self) -> dict[str, Reader]:
        """Every key that is its own."""
        return {**self.needed, **self.optional}


ONE_OR_TABLE: Mapping[str, Reader] = {"printed": number, "columns": names, "rows": rows}
"""The keys of a printed number, or of a table of them."""
