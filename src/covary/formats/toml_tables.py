"""A TOML file asked key by key: values, the line of every key, and all faults at once."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeVar

from covary.errors import CovaryError, StudyError, StudyFault
from covary.words import Note

T = TypeVar("T")

KeyPath = tuple[str | int, ...]
"""The way to a value: ('criterion', 0, 'scale', 'labels') is in the first of the criteria."""

TOKEN = re.compile(
    r"""
    (?P<blank>[ \t\r]+|\#[^\n]*)
  | (?P<end>\n)
  | (?P<text>\"{3}(?:\\.|[^\\])*?\"{3,5} | '{3}.*?'{3,5} | \"(?:\\.|[^\"\\\n])*\" | '[^'\n]*')
  | (?P<mark>[\[\]{}=,.])
  | (?P<bare>[^\s\#\"'\[\]{}=,.]+)
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class KeyLines:
    """The line of each key."""

    lines: Mapping[KeyPath, int]

    def line(self, path: KeyPath) -> int | None:
        """Return the line of a key; of what it would stand in, where it is missing."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path)


def find_key_lines(text: str) -> KeyLines:
    r"""Find the line of each key in a TOML text that is known to be right.

    Examples
    --------
    >>> find_key_lines("a = 1\n[b]\nc.d = [1,\n 2]").line(("b", "c", "d"))
    3
    """
    scan = _Scanner(text)
    scan.document()
    return KeyLines(scan.lines)


TOML_PLACE = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)")


def place_of_toml_error(error: Exception, text: str) -> tuple[int, str]:
    """Return the line at which a text is not TOML, and why: Python 3.11 tells it in words only."""
    match = TOML_PLACE.search(str(error))
    line = int(match[1]) if match and match[1] else text.count("\n") + 1
    return line, str(error)[: match.start()] if match else str(error)


class _Scanner:
    """One walk over the tokens of a text."""

    def __init__(self, text: str) -> None:
        self.lines: dict[KeyPath, int] = {}
        self.counts: dict[KeyPath, int] = {}
        self.place = 0
        self.tokens: list[tuple[str, str, int]] = []
        line = 1
        for match in TOKEN.finditer(text):
            if match.lastgroup != "blank":
                self.tokens.append((str(match.lastgroup), match[0], line))
            line += match[0].count("\n")

    def document(self) -> None:
        table: KeyPath = ()
        while self.place < len(self.tokens):
            if self._next("["):
                table = self._header()
            elif not self._take("\n"):
                self._pair(table)

    def _header(self) -> KeyPath:
        """Take a [table] or one more of [[tables]], and return the way to it."""
        self.place += 1
        several = self._take("[")
        line = self._line()
        *above, last = self._key()
        self.place += 1 + several
        path: KeyPath = ()
        for word in above:
            path = self._latest((*path, word))
        path = (*path, last)
        if several:
            self.counts[path] = self.counts.get(path, 0) + 1
            self.lines.setdefault(path, line)
            path = self._latest(path)
        self.lines.setdefault(path, line)
        return path

    def _latest(self, path: KeyPath) -> KeyPath:
        return (*path, self.counts[path] - 1) if path in self.counts else path

    def _pair(self, table: KeyPath) -> None:
        """Take `key = value`."""
        line, path = self._line(), table
        for word in self._key():
            path = (*path, word)
            self.lines.setdefault(path, line)
        self._take("=")
        self._value(path)

    def _key(self) -> list[str]:
        words = []
        while self.place < len(self.tokens):
            kind, text, _ = self.tokens[self.place]
            if kind == "text":
                text = tomllib.loads(f"key = {text}")["key"]
            words.append(text)
            self.place += 1
            if not self._take("."):
                break
        return words

    def _value(self, path: KeyPath) -> None:
        if self._take("["):
            self._list(path)
        elif self._take("{"):
            self._inline(path)
        else:
            while self.place < len(self.tokens) and not self._next("\n", ",", "]", "}"):
                self.place += 1

    def _list(self, path: KeyPath) -> None:
        number = 0
        while self.place < len(self.tokens) and not self._take("]"):
            if self._take("\n") or self._take(","):
                continue
            self.lines.setdefault((*path, number), self._line())
            self._value((*path, number))
            number += 1

    def _inline(self, path: KeyPath) -> None:
        while self.place < len(self.tokens) and not self._take("}"):
            if not (self._take("\n") or self._take(",")):
                self._pair(path)

    def _line(self) -> int:
        return self.tokens[self.place][2]

    def _next(self, *marks: str) -> bool:
        kind, text, _ = self.tokens[self.place]
        return kind in ("mark", "end") and text in marks

    def _take(self, mark: str) -> bool:
        """Step over a mark if it comes next."""
        found = self.place < len(self.tokens) and self._next(mark)
        self.place += found
        return found


class Faults:
    """A list that fills while a study is read."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.found: list[StudyFault] = []

    def add(self, file: str, line: int | None, key: str, code: str, /, **data: Any) -> None:
        """Remember a fault by its code and go on reading."""
        self.found.append(StudyFault(file, line, key, Note(code, **data)))

    def of(self, file: str) -> FileFaults:
        """Return where the faults of one file are added."""
        return FileFaults(file, self)

    def raise_any(self) -> None:
        """Raise `StudyError` with every fault, file by file and line by line, if there are any."""
        if self.found:
            files = list(dict.fromkeys(fault.file for fault in self.found))
            self.found.sort(key=lambda fault: (files.index(fault.file), fault.line or 0))
            raise StudyError(self.found, self.where)


@dataclass(frozen=True)
class FileFaults:
    """The faults of one file among all of them."""

    file: str
    all: Faults

    @property
    def count(self) -> int:
        """How many faults there are by now, in any file."""
        return len(self.all.found)

    def is_faulty(self) -> bool:
        """Say whether this file has a fault."""
        return any(fault.file == self.file for fault in self.all.found)

    def add(self, line: int | None, key: str, code: str, /, **data: Any) -> None:
        """Remember a fault by its code and go on reading."""
        self.all.add(self.file, line, key, code, **data)


UNSHOWABLE_CHARACTERS = re.compile("[\0\ud800-\udfff]")


def is_showable(text: str) -> bool:
    """Say whether a text holds only characters that files, pages and databases can hold."""
    return UNSHOWABLE_CHARACTERS.search(text) is None


@dataclass
class TomlTable:
    """The keys of a table. Each is asked for once; `done` reports those nobody asked for."""

    content: Mapping[str, Any]
    file: str
    faults: Faults
    places: KeyLines
    path: KeyPath = ()
    asked: list[str] = field(default_factory=list)

    @property
    def fault_count(self) -> int:
        """A mark to compare later: as long as it stays, no fault was found."""
        return len(self.faults.found)

    def fault(self, key: str, code: str, /, **data: Any) -> None:
        """Report a fault by its code at a key of this table, or at the table itself."""
        path = (*self.path, key) if key else self.path
        self.faults.add(self.file, self.places.line(path), dotted_key(path), code, **data)

    def done(self) -> None:
        """Report every key that nobody asked for."""
        for key in self.content:
            if key not in self.asked:
                self.fault(key, "toml.unknown-key", value=key, allowed=self.asked)

    def has(self, key: str) -> bool:
        """Say whether a key is there, and that it is known."""
        if key not in self.asked:
            self.asked.append(key)
        return key in self.content

    def read(self, key: str, reader: Callable[[Any], T], *, required: bool = False) -> T | None:
        """Return what a reader makes of a value; the error that it raises becomes the fault."""
        if not self.has(key):
            if required:
                self.fault(key, "toml.missing", name=key)
            return None
        try:
            return reader(self.content[key])
        except CovaryError as error:
            self.fault(key, error.code, **error.facts)
            return None

    def text(self, key: str, default: str = "", *, required: bool = False) -> str:
        """Return a text as it was written."""
        if not self.has(key):
            if required:
                self.fault(key, "toml.missing", name=key)
            return default
        value = self.content[key]
        if not isinstance(value, str):
            self.fault(key, "toml.no-text", name=key, value=value)
            return default
        if required and not value.strip():
            self.fault(key, "toml.empty")
        elif not is_showable(value):
            self.fault(key, "toml.unshowable")
        return value

    def name(self, key: str, *, required: bool = False) -> str:
        """Return a text of one line, without the spaces around it."""
        value = self.text(key, required=required).strip()
        if len(value.splitlines()) > 1 or not value.isprintable():
            self.fault(key, "toml.no-name", value=value)
        return value

    def choice(self, key: str, allowed: Sequence[str], default: str) -> Any:
        """Return one of a few words."""
        value = self.text(key, default)
        if value not in allowed:
            self.fault(key, "toml.no-choice", value=value, allowed=allowed)
            return default
        return value

    def flag(self, key: str, default: bool = False) -> bool:
        """Return true or false."""
        value = self.content[key] if self.has(key) else default
        if not isinstance(value, bool):
            self.fault(key, "toml.no-flag", value=value)
            return default
        return value

    def whole(self, key: str, default: Any, least: int) -> Any:
        """Return a whole number."""
        value = self.content[key] if self.has(key) else default
        if key in self.content and (type(value) is not int or value < least):
            self.fault(key, "toml.no-whole-number", value=value, least=least)
            return default
        return value

    def number(self, key: str, default: Any, least: float = -math.inf) -> Any:
        """Return a number."""
        if not self.has(key):
            return default
        value = self.content[key]
        if type(value) not in (int, float) or not math.isfinite(value) or value < least:
            code = "toml.no-number" if least == -math.inf else "toml.no-number-from"
            self.fault(key, code, value=value, least=least)
            return default
        return value

    def texts(self, key: str) -> tuple[str, ...] | None:
        """Return a list of different texts; None where something else is there."""
        values = self.content[key] if self.has(key) else ()
        code = _fault_of_texts(values)
        if code:
            self.fault(key, code, value=values)
            return None
        return tuple(values)

    def table(self, key: str) -> Self:
        """Return the table below a key, empty where there is none."""
        value = self.content[key] if self.has(key) else {}
        if not isinstance(value, dict):
            self.fault(key, "toml.no-table", name=key, value=value)
            value = {}
        return self._below(value, key)

    def tables(self, key: str) -> Iterator[Self]:
        """Return each of the [[tables]] of a key."""
        value = self.content[key] if self.has(key) else []
        if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
            self.fault(key, "toml.no-tables", name=key)
            return
        for number, content in enumerate(value):
            yield self._below(content, key, number)

    def _below(self, content: Mapping[str, Any], *way: str | int) -> Self:
        return replace(self, content=content, path=(*self.path, *way), asked=[])


def _fault_of_texts(values: Any) -> str:
    """Return the code of what is wrong with a list of texts, nothing where it is right."""
    if not isinstance(values, list | tuple) or not all(isinstance(text, str) for text in values):
        return "toml.no-texts"
    if any(not text.strip() for text in values):
        return "toml.empty-text"
    if not all(is_showable(text) for text in values):
        return "toml.unshowable"
    return "toml.same-text" if len(set(values)) < len(values) else ""


def dotted_key(path: KeyPath) -> str:
    """Write the way to a key as a person counts: the first criterion is criterion[1].

    Examples
    --------
    >>> dotted_key(("criterion", 0, "scale", "labels"))
    'criterion[1].scale.labels'
    """
    words = (f"[{key + 1}]" if isinstance(key, int) else f".{key}" for key in path)
    return "".join(words).removeprefix(".")
