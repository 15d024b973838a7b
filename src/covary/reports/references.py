"""Where coefficients, intervals and bands come from: the papers in `references.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple


class Reference(NamedTuple):
    """A paper as it is named in a sentence, and as it stands in a list."""

    short: str
    full: str


class _Section(Mapping[str, Any]):
    """A section of the file, which is read when something is looked up first."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __getitem__(self, key: str) -> Any:
        entry = _read()[self.name][key]
        return Reference(*entry) if self.name == "papers" else tuple(entry)

    def __iter__(self) -> Iterator[str]:
        return iter(_read()[self.name])

    def __len__(self) -> int:
        return len(_read()[self.name])


@cache
def _read() -> dict[str, dict[str, list[str]]]:
    text = files("covary.reports").joinpath("references.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


PAPERS: Mapping[str, Reference] = _Section("papers")
"""Every paper that a report may cite."""

COEFFICIENTS: Mapping[str, tuple[str, ...]] = _Section("coefficients")
"""The papers that define each coefficient, the weighted form apart where it has its own."""

INTERVALS: Mapping[str, tuple[str, ...]] = _Section("intervals")
"""The papers that define each method of making an interval."""

COMPARISONS: Mapping[str, tuple[str, ...]] = _Section("comparisons")
"""The papers behind a comparison of systems: each procedure, and whatever else it uses."""


def cite(keys: Iterable[str]) -> str:
    """Write papers as they are named in a sentence: `Cohen 1960; Cohen 1968`."""
    return "; ".join(PAPERS[key].short for key in keys)


def reference_list(keys: Iterable[str], more: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the full references to papers, and further ones, once each and in order."""
    return tuple(sorted({*(PAPERS[key].full for key in keys), *more}))


class Citation(tuple[str, ...]):
    """Papers, by their keys, that a piece of prose cites."""

    __slots__ = ()


class TableLink(str):
    """A table, by its key, that a piece of prose points to."""

    __slots__ = ()


Piece = str | Citation | TableLink
"""A part of prose: text, papers to cite, or a table to point to."""


def prose_text(pieces: Iterable[Piece]) -> str:
    """Write prose as plain text, with papers as they are named in a sentence.

    Examples
    --------
    >>> prose_text(["We report alpha", Citation(["krippendorff-2004"]), "."])
    'We report alpha (Krippendorff 2004).'
    """
    return "".join(_plain_piece(piece) for piece in pieces)


def cited_keys(pieces: Iterable[Piece]) -> tuple[str, ...]:
    """Return the keys of the papers that prose cites, once each and in order."""
    return tuple(dict.fromkeys(k for piece in pieces if isinstance(piece, Citation) for k in piece))


def _plain_piece(piece: Piece) -> str:
    if isinstance(piece, Citation):
        return f" ({cite(piece)})"
    return "the table" if isinstance(piece, TableLink) else piece


def bibliography(keys: Iterable[str]) -> str:
    """Write papers as a BibTeX file.

    Examples
    --------
    >>> print(bibliography(["artstein-poesio"]))
    @article{artstein-poesio,
      author = {Artstein, R. and Poesio, M.},
      year = {2008},
      title = {{Inter-coder agreement for computational linguistics}},
      journal = {Computational Linguistics},
      volume = {34},
      number = {4},
      pages = {555--596},
    }
    <BLANKLINE>
    """
    return "\n".join(_entry(key, PAPERS[key].full) for key in sorted(set(keys)))


WHOLE = re.compile(r"^(?P<author>.+?) \((?P<year>\d{4})\)\. (?P<rest>.+)$")
TITLE = re.compile(r"(?<!vs)(?P<end>[.?]) (?=[A-Za-z])")
ARTICLE = re.compile(
    r"^(?P<journal>.+?) (?P<volume>\d+)(?:\((?P<number>\d+)\))?, (?P<pages>[\d–]+)$"
)
PROCEEDINGS = re.compile(r"^(?P<booktitle>Proceedings .+?), (?P<pages>[\d–]+)$")
NAMES = re.compile(r"(?<=\.), | & ")


def _entry(key: str, full: str) -> str:
    """Take a reference apart: authors, year, title, and where it appeared."""
    whole = WHOLE.match(full)
    assert whole is not None, full
    title, mark, place = _title_and_place(whole["rest"])
    kind, where = _venue(place)
    fields = {
        "author": " and ".join(NAMES.split(whole["author"])),
        "year": whole["year"],
        "title": f"{{{title}{'?' if mark == '?' else ''}}}",
        **where,
    }
    lines = [f"  {name} = {{{_bibtex(text)}}}," for name, text in fields.items() if text]
    return "\n".join([f"@{kind}{{{key},", *lines, "}", ""])


def _title_and_place(rest: str) -> tuple[str, str, str]:
    end = next(TITLE.finditer(rest))
    return rest[: end.start()], end["end"], rest[end.end() :].removesuffix(".")


def _venue(place: str) -> tuple[str, dict[str, str]]:
    for kind, pattern in (("article", ARTICLE), ("inproceedings", PROCEEDINGS)):
        if found := pattern.match(place):
            return kind, {name: text or "" for name, text in found.groupdict().items()}
    if place.startswith("arXiv:"):
        return "misc", {"howpublished": place}
    report = place.endswith("report") or place.startswith("University")
    return ("misc", {"howpublished": place}) if report else ("book", {"publisher": place})


def _bibtex(text: str) -> str:
    return text.replace("–", "--").replace("&", r"\&").replace("“", "``").replace("”", "''")
