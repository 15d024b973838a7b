"""What a report says, before it is a page, a paper or a file.

Sections hold blocks of a few kinds; every form of the report (HTML, Markdown, LaTeX) renders the
same blocks. Numbers are already written out here, so that they are rounded once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

__all__ = [
    "Block",
    "Bullets",
    "Code",
    "Column",
    "Contents",
    "Figure",
    "Paragraph",
    "Section",
    "Table",
    "with_own_keys",
]


@dataclass(frozen=True)
class Paragraph:
    """Plain text; `kind` says how loud it is."""

    text: str
    kind: Literal["text", "lead", "verdict", "warning", "note"] = "text"


@dataclass(frozen=True)
class Bullets:
    """A list of plain sentences."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Code:
    """Text to copy as it is, such as a signature or a command."""

    text: str


@dataclass(frozen=True)
class Column:
    """A column's heading and which way its cells lean."""

    title: str
    align: Literal["left", "right"] = "right"


@dataclass(frozen=True)
class Table:
    """Rows of cells that are written out already; `note` explains dashes and marks."""

    key: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass(frozen=True)
class Figure:
    """A picture as a Vega-Lite specification, with what to see in it and its numbers in a table.

    `title` says what to see; `description` says it for those who cannot.
    """

    key: str
    title: str
    description: str
    spec: dict[str, Any] = field(hash=False)
    table: Table | None = None


Block = Paragraph | Bullets | Code | Table | Figure


@dataclass(frozen=True)
class Section:
    """A part of the report under a heading; `key` names it in links and in the documentation."""

    key: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Contents:
    """A whole report."""

    title: str
    subtitle: str
    sections: tuple[Section, ...]


def with_own_keys(sections: Sequence[Section]) -> Iterator[Section]:
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
