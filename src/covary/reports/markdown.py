"""A report as Markdown; a figure is its picture, where there is one, and its table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from urllib.parse import quote

from covary.reports.blocks import (
    Block,
    Bullets,
    Code,
    Contents,
    Figure,
    Paragraph,
    Section,
    Table,
    without_pictures,
)

SPECIAL = re.compile(r"([\\`*_\[\]~|$])")
HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
STARTS = re.compile(r"^(\d*)([#+.)-])(?=\s|#)")

KINDS = {
    "text": "{}",
    "lead": "{}",
    "verdict": "**{}**",
    "warning": "> [!WARNING]\n> {}",
    "note": "> {}",
}
"""How loud each kind of paragraph is."""


Pictures = Mapping[str, str]
"""Where the picture of a figure is, by the figure's key."""

NO_PICTURES: Pictures = MappingProxyType({})


def to_markdown(contents: Contents, pictures: Pictures = NO_PICTURES) -> str:
    r"""Write a report as Markdown, with the pictures that there are beside it.

    Examples
    --------
    >>> from covary.reports.blocks import Contents, Paragraph, Section
    >>> blocks = (Paragraph("alpha < .5 | gamma 1"),)
    >>> print(to_markdown(Contents("Report", "", (Section("verdict", "Verdict", blocks),))))
    # Report
    <BLANKLINE>
    ## Verdict
    <BLANKLINE>
    alpha &lt; .5 \| gamma 1
    <BLANKLINE>
    """
    parts = [f"# {_plain(contents.title)}"]
    if contents.subtitle:
        parts.append(f"*{_plain(contents.subtitle)}*")
    for section in (contents if pictures else without_pictures(contents)).sections:
        parts += _section(section, pictures)
    return "\n\n".join(parts) + "\n"


def _section(section: Section, pictures: Pictures) -> Iterator[str]:
    yield f"## {_plain(section.title)}"
    for block in section.blocks:
        yield from _block(block, pictures)


def _block(block: Block, pictures: Pictures) -> Iterator[str]:
    match block:
        case Paragraph():
            yield KINDS[block.kind].format(_plain(block.text))
        case Bullets():
            yield "\n".join(f"- {_plain(line.text)}" for line in block.lines)
        case Code():
            yield _code(block.text)
        case Table():
            yield from _table(block)
        case Figure():
            yield from _figure(block, pictures)


def _figure(figure: Figure, pictures: Pictures) -> Iterator[str]:
    if figure.key in pictures:
        yield f"![{_plain(figure.description)}]({quote(pictures[figure.key])})"
        yield f"**{_plain(figure.title)}**"
    if figure.table is not None:
        yield from _table(figure.table)


def _table(table: Table) -> Iterator[str]:
    yield f"**{_plain(table.caption)}**"
    lines = [_row([column.title for column in table.columns])]
    lines.append(_row_of(["---:" if c.align == "right" else ":---" for c in table.columns]))
    lines += [_row(row) for row in table.rows]
    yield "\n".join(lines)
    if table.note:
        yield _plain(table.note)


def _row(cells: Sequence[str]) -> str:
    return _row_of([_escape(cell) for cell in cells])


def _row_of(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _code(text: str) -> str:
    """Fence text with more backticks than it holds."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def _plain(text: str) -> str:
    """Escape text that stands alone, so that it starts no list and no heading."""
    return STARTS.sub(r"\1\\\2", _escape(text))


def _escape(text: str) -> str:
    """Make every character mean itself, in one line."""
    one_line = " ".join(text.split())
    html = re.sub("[&<>]", lambda sign: HTML[sign[0]], one_line)
    return SPECIAL.sub(r"\\\1", html)
