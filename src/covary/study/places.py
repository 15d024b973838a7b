"""In which line of a TOML file each key stands, which the reader of Python does not say."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Path", "Places", "find_places"]

Path = tuple[str | int, ...]
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
class Places:
    """The line of each key."""

    lines: Mapping[Path, int]

    def line(self, path: Path) -> int | None:
        """Return the line of a key; of what it would stand in, where it is missing."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path)


def find_places(text: str) -> Places:
    r"""Find the line of each key in a TOML text that is known to be right.

    Examples
    --------
    >>> find_places("a = 1\n[b]\nc.d = [1,\n 2]").line(("b", "c", "d"))
    3
    """
    scan = _Scan(text)
    scan.document()
    return Places(scan.lines)


class _Scan:
    """One walk over the tokens of a text."""

    def __init__(self, text: str) -> None:
        self.lines: dict[Path, int] = {}
        self.counts: dict[Path, int] = {}
        self.place = 0
        self.tokens: list[tuple[str, str, int]] = []
        line = 1
        for match in TOKEN.finditer(text):
            if match.lastgroup != "blank":
                self.tokens.append((str(match.lastgroup), match[0], line))
            line += match[0].count("\n")

    def document(self) -> None:
        table: Path = ()
        while self.place < len(self.tokens):
            if self._next("["):
                table = self._header()
            elif not self._take("\n"):
                self._pair(table)

    def _header(self) -> Path:
        """Take a [table] or one more of [[tables]], and return the way to it."""
        self.place += 1
        several = self._take("[")
        line = self._line()
        *above, last = self._key()
        self.place += 1 + several
        path: Path = ()
        for word in above:
            path = self._latest((*path, word))
        path = (*path, last)
        if several:
            self.counts[path] = self.counts.get(path, 0) + 1
            self.lines.setdefault(path, line)
            path = self._latest(path)
        self.lines.setdefault(path, line)
        return path

    def _latest(self, path: Path) -> Path:
        return (*path, self.counts[path] - 1) if path in self.counts else path

    def _pair(self, table: Path) -> None:
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

    def _value(self, path: Path) -> None:
        if self._take("["):
            self._list(path)
        elif self._take("{"):
            self._inline(path)
        else:
            while self.place < len(self.tokens) and not self._next("\n", ",", "]", "}"):
                self.place += 1

    def _list(self, path: Path) -> None:
        number = 0
        while self.place < len(self.tokens) and not self._take("]"):
            if self._take("\n") or self._take(","):
                continue
            self.lines.setdefault((*path, number), self._line())
            self._value((*path, number))
            number += 1

    def _inline(self, path: Path) -> None:
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
