"""One table of study.toml, asked key by key; whatever is wrong becomes a fault with its line."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from covary.study.faults import Faults, near, shown
from covary.study.places import Path, Places

__all__ = ["Table", "plain"]

UNSHOWABLE = re.compile("[\0\ud800-\udfff]")
FORBIDDEN = "a character that no page can show (NUL or half of a surrogate pair)"


def plain(text: str) -> bool:
    """Say whether a text holds only characters that files, pages and databases can hold."""
    return UNSHOWABLE.search(text) is None


@dataclass
class Table:
    """The keys of a table. Each is asked for once; `done` reports those nobody asked for."""

    content: Mapping[str, Any]
    file: str
    faults: Faults
    places: Places
    path: Path = ()
    asked: list[str] = field(default_factory=list)

    @property
    def right(self) -> int:
        """A mark to compare later: as long as it stays, no fault was found."""
        return len(self.faults.found)

    def fault(self, key: str, message: str) -> None:
        """Report a fault at a key of this table, or at the table itself."""
        path = (*self.path, key) if key else self.path
        self.faults.add(self.file, self.places.line(path), spoken(path), message)

    def done(self) -> None:
        """Report every key that nobody asked for."""
        for key in self.content:
            if key not in self.asked:
                self.fault(key, f"unknown key; {near(key, self.asked)}")

    def has(self, key: str) -> bool:
        """Say whether a key is there, and that it is known."""
        self.asked.append(key)
        return key in self.content

    def text(self, key: str, default: str = "", *, required: bool = False) -> str:
        """Return a text as it was written."""
        if not self.has(key):
            if required:
                self.fault(key, f'is missing; say {key} = "…"')
            return default
        found = self.content[key]
        if not isinstance(found, str):
            self.fault(key, f'{shown(found)} is not text; write {key} = "…"')
            return default
        if required and not found.strip():
            self.fault(key, "is empty")
        elif not plain(found):
            self.fault(key, f"holds {FORBIDDEN}")
        return found

    def name(self, key: str, *, required: bool = False) -> str:
        """Return a text of one line, without the spaces around it."""
        found = self.text(key, required=required).strip()
        if len(found.splitlines()) > 1 or not found.isprintable():
            self.fault(key, f"{shown(found)} must be one line of letters that can be printed")
        return found

    def choice(self, key: str, allowed: Sequence[str], default: str) -> Any:
        """Return one of a few words."""
        found = self.text(key, default)
        if found not in allowed:
            self.fault(key, f"{shown(found)} is not allowed; {near(found, allowed)}")
            return default
        return found

    def flag(self, key: str, default: bool = False) -> bool:
        """Return true or false."""
        found = self.content[key] if self.has(key) else default
        if not isinstance(found, bool):
            self.fault(key, f"{shown(found)} must be true or false, without quotation marks")
            return default
        return found

    def whole(self, key: str, default: Any, least: int) -> Any:
        """Return a whole number."""
        found = self.content[key] if self.has(key) else default
        if key in self.content and (type(found) is not int or found < least):
            self.fault(key, f"{shown(found)} must be a whole number of at least {least}")
            return default
        return found

    def number(self, key: str, default: Any, least: float = -math.inf) -> Any:
        """Return a number."""
        found = self.content[key] if self.has(key) else default
        if key not in self.content:
            return default
        if type(found) not in (int, float) or not math.isfinite(found) or found < least:
            limit = "" if least == -math.inf else f" of at least {least:g}"
            self.fault(key, f"{shown(found)} must be a number{limit}")
            return default
        return found

    def texts(self, key: str) -> tuple[str, ...] | None:
        """Return a list of different texts; None where something else is there."""
        found = self.content[key] if self.has(key) else ()
        if not isinstance(found, list | tuple) or not all(isinstance(each, str) for each in found):
            self.fault(key, f'{shown(found)} must be a list of texts: ["…", "…"]')
            return None
        if any(not each.strip() for each in found):
            self.fault(key, "holds an empty text")
            return None
        if not all(plain(each) for each in found):
            self.fault(key, f"holds {FORBIDDEN}")
            return None
        if len(set(found)) < len(found):
            self.fault(key, "holds the same text twice")
            return None
        return tuple(found)

    def table(self, key: str) -> Table:
        """Return the table below a key, empty where there is none."""
        found = self.content[key] if self.has(key) else {}
        if not isinstance(found, dict):
            self.fault(key, f"{shown(found)} must be a table: [{key}] on a line of its own")
            found = {}
        return self._below(found, key)

    def tables(self, key: str) -> Iterator[Table]:
        """Return each of the [[tables]] of a key."""
        found = self.content[key] if self.has(key) else []
        if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
            self.fault(key, f"must be written with two brackets: [[{key}]]")
            return
        for number, each in enumerate(found):
            yield self._below(each, key, number)

    def _below(self, content: Mapping[str, Any], *way: str | int) -> Table:
        return Table(content, self.file, self.faults, self.places, (*self.path, *way))


def spoken(path: Path) -> str:
    """Write the way to a key as a person counts: the first criterion is criterion[1].

    Examples
    --------
    >>> spoken(("criterion", 0, "scale", "labels"))
    'criterion[1].scale.labels'
    """
    words = (f"[{each + 1}]" if isinstance(each, int) else f".{each}" for each in path)
    return "".join(words).removeprefix(".")
