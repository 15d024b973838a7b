"""The one place that puts facts into words.

An error, a note, a finding or a verdict is a code with data. The catalogue holds a sentence for
every code: a template in `sentences/`, one file of plain text for each room, so that all of them
can be read from top to bottom; or a function of the facts, where a sentence depends on them.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from covary.words import collecting, comparisons, data, published, reliability, verdict
from covary.words.grammar import (
    PYTHON,
    TERMINAL,
    Facts,
    Voice,
    alternatives,
    capital,
    choose,
    counted,
    counted_range,
    describe_cells,
    describe_place,
    describe_records,
    did_you_mean,
    letters,
    listing,
    nearest,
    plain_list,
    plural,
    quoted_list,
    quoted_names,
    sentence,
    short_repr,
)

__all__ = [
    "CATALOGUE",
    "PYTHON",
    "TERMINAL",
    "Fact",
    "Note",
    "Voice",
    "capital",
    "choose",
    "counted",
    "describe_place",
    "describe_records",
    "did_you_mean",
    "letters",
    "listing",
    "nearest",
    "plain_list",
    "quoted_list",
    "quoted_names",
    "reword",
    "sentence",
    "short_repr",
    "word",
]

Sentence = str | Callable[[Facts], str]


class Catalogue(Mapping[str, Sentence]):
    """Sentences by their codes: those of a file are read when one of them is first asked for."""

    def __init__(self, written: Mapping[str, Sentence]) -> None:
        self._known = dict(written)
        self._unread: dict[Path, str] | None = None

    def __getitem__(self, code: str) -> Sentence:
        if code not in self._known:
            self._read(code)
        return self._known[code]

    def __iter__(self) -> Iterator[str]:
        self._read("")
        return iter(self._known)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _read(self, code: str) -> None:
        """Read the files that have a code: codes on lines of their own, the sentence indented."""
        if self._unread is None:
            files = sorted(Path(__file__).with_name("sentences").glob("*.txt"))
            self._unread = {file: file.read_text(encoding="utf-8") for file in files}
        for file, text in list(self._unread.items()):
            if code in text:
                for found, sentence in _sentences(text):
                    self._known.setdefault(found, sentence)
                self._unread.pop(file, None)


def _sentences(text: str) -> Iterator[tuple[str, str]]:
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        lines = [line for line in paragraph.splitlines() if not line.startswith("#")]
        sentence = " ".join(line.strip() for line in lines if line.startswith(" "))
        yield from ((code, sentence) for code in lines if not code.startswith(" "))


CATALOGUE: Mapping[str, Sentence] = Catalogue(
    collecting.SENTENCES
    | comparisons.SENTENCES
    | data.SENTENCES
    | published.SENTENCES
    | reliability.SENTENCES
    | verdict.SENTENCES
)
"""Every sentence, by the code of the fact that it words."""


class Fact(Protocol):
    """What can be worded again: an error, a note."""

    @property
    def code(self) -> str:
        """Which sentence."""

    @property
    def facts(self) -> Facts:
        """What the sentence speaks of."""


class Note(str):
    """A sentence that still knows what it says: the code and the data that it was made from.

    It is text to whoever reads it, and facts to whoever words it again (see `reword`).
    """

    __slots__ = ("code", "data")
    code: str
    data: Facts

    def __new__(cls, code: str, /, **data: Any) -> Note:
        note = super().__new__(cls, word(code, data))
        note.code, note.data = code, MappingProxyType(data)
        return note

    @property
    def facts(self) -> Facts:
        """What the sentence speaks of."""
        return self.data

    def __reduce__(self) -> tuple[Any, ...]:
        return _note, (self.code, dict(self.data))


def _note(code: str, data: dict[str, Any]) -> Note:
    return Note(code, **data)


def word(
    code: str,
    facts: Facts = MappingProxyType({}),
    voice: Voice = PYTHON,
    *,
    translate: Callable[[str], str] = str,
) -> str:
    """Put a fact into words; `translate` may put the template into another language first.

    Templates are `str.format` strings over the facts, with these additions: `{names:list}`,
    `{names:names}`, `{numbers:rows}`, `{names:plain}` and `{names:and}` write lists,
    `{numbers:or}` alternatives, `{value:short}` a value cut off where it is long,
    `{numbers:counts}` and `{numbers:lengths}` names and their numbers, `{n:count item}` a number
    with its noun,
    `{ends:range item}` the least and the most, `{given}` the argument as it was given,
    `{option.judges:'slots'}` and `{select.judge:'Ann'}` keywords in the reader's voice,
    `{without_judges}` how to leave out the judges that are spoken of,
    `{n:plural 1 item is|# items are}` the words for one or several, `{choice}` and `{meant}` the
    allowed values or the nearest of them, `{records}` and `{cells}` where the data are wrong.
    """
    sentence = CATALOGUE.get(code, code)
    if callable(sentence):
        return sentence({**facts, "voice": voice})
    if sentence is code:
        return code
    return _Template(voice).vformat(translate(sentence), (), facts)


def reword(fact: object, voice: Voice = PYTHON, **instead: Any) -> str:
    """Word an error or a note again, for another reader or with other names in it."""
    code, facts = getattr(fact, "code", None), getattr(fact, "facts", {})
    if code is None:
        return str(fact)
    return word(code, {**facts, **instead}, voice)


FORMATS: Mapping[str, Callable[[Any, str], str]] = MappingProxyType(
    {
        "list": lambda value, rest: quoted_list(value, int(rest or 10)),
        "names": lambda value, _: quoted_names(value),
        "plain": lambda value, rest: plain_list(value, int(rest or 20)) or "none",
        "and": lambda value, _: listing(value),
        "or": lambda value, rest: alternatives(value, rest),
        "clauses": lambda value, _: "; ".join(map(str, value)),
        "plural": lambda value, rest: plural(
            len(value) if hasattr(value, "__len__") else value, rest
        ),
        "short": lambda value, _: short_repr(value),
        "counts": lambda value, _: listing(
            f"{name} {number} times" for name, number in value.items() if number
        ),
        "lengths": lambda value, _: listing(f"{name} {n:,}" for name, n in value.items()),
        "rows": lambda value, _: ("row " if len(value) == 1 else "rows ") + listing(value),
        "count": lambda value, rest: counted(value, *rest.split(" ")),
        "range": lambda value, rest: counted_range(value[0], value[1], rest),
    }
)
"""What a format of a template writes, by its first word; the rest of it comes second."""


KEYS: Mapping[str, Callable[[Facts], str]] = MappingProxyType(
    {
        "choice": lambda facts: choose(facts["value"], facts["allowed"]),
        "meant": lambda facts: did_you_mean(facts["value"], facts["allowed"]),
        "records": lambda facts: describe_records(facts["rows"], facts.get("count", 0)),
        "cells": lambda facts: describe_cells(facts["rows"], more=facts.get("more", False)),
        "some_or_all": lambda facts: "all" if facts.get("all") else "some",
        "for_criterion": lambda facts: (
            ""
            if facts["criterion"] is None
            else f" for {quoted_names([facts['criterion'], *facts.get('also', ())])}"
        ),
    }
)
"""What a name in a template stands for that is not a fact by itself."""


class _Template(string.Formatter):
    """`str.format` with lists, counts and the reader's own names for keywords."""

    def __init__(self, voice: Voice) -> None:
        self.voice = voice

    def get_value(self, key: int | str, args: Any, kwargs: Facts) -> Any:
        if key == "given":
            return self.voice.option(kwargs["argument"], repr(kwargs["value"]))
        if key == "option":
            return _Keywords(self.voice.option)
        if key == "select":
            return _Keywords(self.voice.select)
        if key == "without_judges":
            named = kwargs["judges"] if "judges" in kwargs else [kwargs["judge"]]
            return self.voice.without("judge", list(named))
        if key in KEYS and key not in kwargs:
            return KEYS[str(key)](kwargs)
        return super().get_value(key, args, kwargs)

    def format_field(self, value: Any, format_spec: str) -> Any:
        if isinstance(getattr(value, "facts", None), Mapping):  # a fact within a fact
            return reword(value, self.voice)
        kind, _, rest = format_spec.partition(" ")
        if kind in FORMATS:
            return FORMATS[kind](value, rest)
        return super().format_field(value, format_spec)


class _Keywords:
    """`{option.name:value}`: the name as an attribute, the value as the format."""

    def __init__(self, spell: Callable[[str, str], str], name: str = "") -> None:
        self._spell, self._name = spell, name

    def __getattr__(self, name: str) -> _Keywords:
        return _Keywords(self._spell, name)

    def __format__(self, value: str) -> str:
        return self._spell(self._name, value)
