"""What a report says before it is a page, a paper or a file: sections of a few kinds of block.

Every form of a report (HTML, Markdown, LaTeX) renders the same blocks. Numbers are written out
here already, so that they are rounded once, and a block carries its tone, so that no form has to
read it out of a sentence.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Literal

from covary.errors import InvalidArgument
from covary.records import dataclass
from covary.reports.drawings import Panel, to_svg
from covary.reports.formatting import DASH, level_percent
from covary.reports.plots import printable
from covary.stats.estimate import Estimate
from covary.words.grammar import counted

Tone = Literal["good", "fair", "unclear", "bad", "none"]
"""How a verdict is marked in the margin; its words say the same."""

MOST_ROWS = 60
"""Rows up to which a table is shown whole; the JSON form of a report holds all of them."""


@dataclass(frozen=True)
class Paragraph:
    """Plain text; `kind` says how loud it is, and a verdict has a `tone`.

    `head` is set off before the body, and `advice` after it.
    """

    shape: ClassVar[str] = "paragraph"

    body: str
    kind: Literal["text", "lead", "verdict", "warning", "note"] = "text"
    tone: Tone = field(default="none", kw_only=True)
    head: str = field(default="", kw_only=True)
    advice: str = field(default="", kw_only=True)

    @property
    def text(self) -> str:
        """The whole paragraph in one line."""
        advice = f"→ {self.advice}" if self.advice else ""
        return " ".join(part for part in (self.head, self.body, advice) if part)


@dataclass(frozen=True)
class Bullets:
    """A list of plain sentences, or of paragraphs with a head and advice."""

    shape: ClassVar[str] = "bullets"

    items: tuple[str | Paragraph, ...]

    @property
    def lines(self) -> tuple[Paragraph, ...]:
        """The items, each as a paragraph."""
        return tuple(Paragraph(item) if isinstance(item, str) else item for item in self.items)


@dataclass(frozen=True)
class Code:
    """Text to copy as it is, such as a signature or a command."""

    shape: ClassVar[str] = "code"

    text: str


@dataclass(frozen=True)
class Column:
    """A column's heading and which way its cells lean."""

    title: str
    align: Literal["left", "right"] = "right"


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows of cells that are written out already; `note` explains dashes and marks."""

    shape: ClassVar[str] = "table"

    key: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A picture that can be saved, with what to see in it and its numbers in a table.

    `title` says what to see; `description` says it for those who cannot. `spec` is a Vega-Lite
    specification of the same marks, for Altair and others to restyle; `panels` are what a page and
    a file show.
    """

    shape: ClassVar[str] = "figure"

    key: str
    title: str
    description: str
    spec: dict[str, Any] = field(hash=False, repr=False)
    panels: tuple[Panel, ...] = field(repr=False)
    table: Table | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        assert self.panels, self.key
        # Names come from anybody's file, and the engine that draws falls over what XML forbids.
        object.__setattr__(self, "spec", printable(self.spec))

    def svg(self) -> str:
        """Return the picture as SVG, in light colours."""
        return to_svg(self.panels)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the picture to a file that ends in .svg, .pdf or .png, or its .json specification.

        A .png has two dots for each of the page, enough for print.
        """
        file = Path(path)
        if file.suffix.lower() not in FIGURE_ENDINGS:
            raise InvalidArgument(
                "report.figure-ending",
                argument="path",
                value=file.suffix,
                allowed=FIGURE_ENDINGS,
                file=file.name,
            )
        file.write_bytes(FIGURE_ENDINGS[file.suffix.lower()](self))
        return file

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        caption = f"<figcaption>{escape(self.title, quote=False)}</figcaption>"
        return f"<figure>{caption}{self.svg()}</figure>"


def _pdf(figure: Figure) -> bytes:
    import vl_convert

    drawn: bytes = vl_convert.svg_to_pdf(figure.svg())
    return drawn


def _png(figure: Figure) -> bytes:
    import vl_convert

    drawn: bytes = vl_convert.svg_to_png(figure.svg(), scale=2)
    return drawn


FIGURE_ENDINGS: Mapping[str, Callable[[Figure], bytes]] = MappingProxyType(
    {
        ".pdf": _pdf,
        ".svg": lambda figure: figure.svg().encode(),
        ".png": _png,
        ".json": lambda figure: json.dumps(figure.spec, indent=1).encode(),
    }
)
"""What a figure is saved as, by the ending of the file's name."""


Block = Paragraph | Bullets | Code | Table | Figure


@dataclass(frozen=True)
class Section:
    """A part of the report under a heading; `key` names it in links and in the documentation.

    A page folds a section that has a line `inside`, which says what the fold holds.
    """

    key: str
    title: str
    blocks: tuple[Block, ...]
    inside: str = ""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The pictures of the section."""
        return tuple(block for block in self.blocks if isinstance(block, Figure))


@dataclass(frozen=True)
class Contents:
    """A whole report; `seals` are the newest seals of the studies that it is about."""

    title: str
    subtitle: str
    sections: tuple[Section, ...]
    seals: tuple[str, ...] = ()

    @property
    def figures(self) -> dict[str, Figure]:
        """Every picture, by its key."""
        return {figure.key: figure for section in self.sections for figure in section.figures}

    @property
    def folds(self) -> bool:
        """Whether a page shows some of the sections folded."""
        return any(section.inside for section in self.sections)


def without_pictures(contents: Contents) -> Contents:
    """Leave out sections that are about a picture alone, for forms that have no pictures."""
    return replace(
        contents,
        sections=tuple(section for section in contents.sections if not _is_picture(section)),
    )


def _is_picture(section: Section) -> bool:
    others = [block for block in section.blocks if not isinstance(block, Paragraph)]
    return bool(others) and all(
        isinstance(block, Figure) and block.table is None for block in others
    )


def unique_keys(sections: Sequence[Section]) -> Iterator[Section]:
    """Number keys that occur twice, since names of criteria may differ in signs only."""
    seen = Counter(section.key for section in sections)

    def own(key: str) -> str:
        seen[key] += 1
        return key if seen[key] == 1 else own(f"{key}-{seen[key]}")

    def renamed(block: Block) -> Block:
        if isinstance(block, Figure):
            table = block.table and replace(block.table, key=own(block.table.key))
            return replace(block, key=own(block.key), table=table)
        return replace(block, key=own(block.key)) if isinstance(block, Table) else block

    for section in sections:
        yield replace(section, blocks=tuple(renamed(block) for block in section.blocks))


Columns = Sequence[Column | str]


def table(
    key: str, caption: str, columns: Columns, rows: Iterable[Sequence[str]], *, note: str = ""
) -> Table:
    """Build a table; a column given as its mere title leans right."""
    heads = tuple(head if isinstance(head, Column) else Column(head) for head in columns)
    cells = tuple(tuple(row) for row in rows)
    return Table(key=key, caption=caption, columns=heads, rows=cells, note=note)


def columns(text: str) -> list[Column]:
    """Build columns from one line; `<` leans left.

    Examples
    --------
    >>> [(column.title, column.align) for column in columns("<system | mean")]
    [('system', 'left'), ('mean', 'right')]
    """
    titles = (title.strip() for title in text.split("|"))
    return [left(title[1:]) if title.startswith("<") else Column(title) for title in titles]


def left(title: str) -> Column:
    """Build a column that leans left, as words do."""
    return Column(title, "left")


def key_of(*parts: Any) -> str:
    """Make a key for links: letters, digits and hyphens, whatever the names are."""
    text = "-".join(str(part) for part in parts).lower()
    plain = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in text)
    return "-".join(part for part in plain.split("-") if part) or "part"


def without_empty(whole: Table) -> Table:
    """Leave out columns that hold nothing but dashes."""
    places = range(len(whole.columns))
    kept = [n for n in places if not whole.rows or any(row[n] != DASH for row in whole.rows)]
    rows = tuple(tuple(row[place] for place in kept) for row in whole.rows)
    return replace(whole, columns=tuple(whole.columns[place] for place in kept), rows=rows)


def reasons(named: Iterable[tuple[str, Estimate | None]]) -> str:
    """Say why coefficients have no value, each reason once; a name may be empty."""
    why: dict[str, list[str]] = {}
    for name, estimate in named:
        if estimate is not None and not estimate.defined:
            reason = estimate.notes[-1] if estimate.notes else "it has no value for these ratings"
            title = estimate.title or estimate.name
            why.setdefault(reason, []).append(f"{name}, {title}" if name else title)
    return " ".join(f"{DASH} {'; '.join(names)}: {reason}." for reason, names in why.items())


def omission_note(number: int, noun: str = "row", most: int = MOST_ROWS) -> str:
    """Say how many rows a table leaves out, if any."""
    if number <= most:
        return ""
    return f"Only in the JSON form of this report: {counted(number - most, noun)} more."


def interval_name(confidence: float) -> str:
    """Name an interval by its confidence."""
    return f"{level_percent(confidence)} interval"
