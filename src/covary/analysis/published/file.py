"""A file of numbers, read: every fault at once, with its line, or the checks it asks for."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from covary.analysis.published.entry import EVERY, Entry
from covary.analysis.published.fields import Bare, Field, nearest, words
from covary.analysis.published.kinds import KINDS
from covary.analysis.published.lines import Lines
from covary.analysis.published.survey import PAPER, Paper, coded
from covary.errors import InvalidArgument

__all__ = ["Fault", "Numbers", "NumbersError", "read_numbers"]

ABOVE = {"title": Field(words), "source": Field(words)}
"""The keys above the first check."""

SECTIONS = ("check", "paper")


@dataclass(frozen=True)
class Fault:
    """Something wrong with a file of numbers: its line, the key and what to do."""

    line: int
    where: str
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.where}: {self.message}"


class NumbersError(InvalidArgument):
    """A file of numbers that cannot be used as it is; `faults` holds every fault at once."""

    def __init__(self, name: str, faults: list[Fault]) -> None:
        self.name = name
        self.faults = tuple(sorted(faults, key=lambda fault: fault.line))
        count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        told = "\n".join(f"  {fault}" for fault in self.faults)
        super().__init__(f"{name} has {count}:\n{told}")


@dataclass(frozen=True)
class Numbers:
    """What a file of numbers asks for: checks and coded papers, with their number in the file."""

    title: str
    source: str
    entries: tuple[tuple[int, Entry], ...]
    papers: tuple[Paper, ...]
    faults: tuple[Fault, ...]
    lines: Lines


def read_numbers(text: str, name: str, folder: Path) -> Numbers:
    """Read a file of numbers; what is wrong with it is in `faults`."""
    document = _document(text, name)
    reading = _Reading(Lines(text))
    above = {key: value for key, value in document.items() if key not in SECTIONS}
    head = reading.keys(above, ABOVE, "", 0, "above the first [[check]]")
    checks = reading.sections(document, "check")
    entries = [(place, reading.entry(check, place, folder)) for place, check in enumerate(checks)]
    read = reading.sections(document, "paper")
    papers = [reading.paper(paper, place) for place, paper in enumerate(read)]
    if not checks and not read and not reading.faults:
        reading.add("", 0, "", "the file", "asks for nothing; write a [[check]] or a [[paper]]")
    return Numbers(
        head.get("title", name),
        head.get("source", ""),
        tuple((place, entry) for place, entry in entries if entry is not None),
        tuple(paper for paper in papers if paper is not None),
        tuple(reading.faults),
        reading.lines,
    )


def _document(text: str, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text, parse_float=Bare)
    except tomllib.TOMLDecodeError as error:
        raise InvalidArgument(
            f"{name} is no TOML: {error}. Numbers with stars, percent signs or decimals stand in "
            'quotes, such as ".595*"'
        ) from None


class _Reading:
    """Reads keys, and remembers faults instead of stopping at the first."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.faults: list[Fault] = []

    def add(self, section: str, place: int, key: str, where: str, message: str) -> None:
        self.faults.append(Fault(self.lines.of(section, place, key), where, message))

    def sections(self, document: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
        found = document.get(name, [])
        if isinstance(found, list) and all(isinstance(each, dict) for each in found):
            return found
        self.add("", 0, name, name, f"is written as [[{name}]], in double brackets")
        return []

    def entry(self, check: dict[str, Any], place: int, folder: Path) -> Entry | None:
        kind, before = check.get("kind"), len(self.faults)
        if kind not in KINDS:
            given = f"{kind!r} is no kind of check" if kind else "is missing"
            hint = nearest(str(kind or ""), KINDS)
            self.add("check", place, "kind", f"check {place + 1}, kind", f"{given}{hint}")
            return None
        fields = {**EVERY, **KINDS[str(kind)].fields}
        given_keys = {key: value for key, value in check.items() if key != "kind"}
        values = self.keys(given_keys, fields, "check", place, f"check {place + 1} ({kind})")
        return Entry(str(kind), values, folder) if len(self.faults) == before else None

    def paper(self, paper: dict[str, Any], place: int) -> Paper | None:
        before = len(self.faults)
        values = self.keys(paper, PAPER, "paper", place, f"paper {place + 1}")
        return coded(values) if len(self.faults) == before else None

    def keys(
        self, given: Mapping[str, Any], fields: Mapping[str, Field], section: str, place: int,
        where: str,
    ) -> dict[str, Any]:  # fmt: skip
        values = {}
        for key, value in given.items():
            if key not in fields:
                hint = nearest(key, fields)
                self.add(section, place, key, f"{where}, {key}", f"is no key here{hint}")
                continue
            read: Callable[[Any], Any] = fields[key].read
            try:
                values[key] = read(value)
            except ValueError as fault:
                self.add(section, place, key, f"{where}, {key}", str(fault))
        for key, field in fields.items():
            if field.needed and key not in given:
                self.add(section, place, "", where, f"{key} is missing")
        return values
