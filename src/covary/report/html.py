"""The report as one HTML page that needs nothing else: no network, no script, light and dark."""

from __future__ import annotations

import re
from functools import cache
from html import escape
from importlib.resources import files

from covary.report.contents import (
    Block,
    Bullets,
    Code,
    Column,
    Contents,
    Figure,
    Paragraph,
    Section,
    Table,
)
from covary.report.svg import drawn

__all__ = ["fragment", "page"]

TONES = {
    "interchangeable": "good",
    "reliable": "good",
    "consistent, different severity": "fair",
    "little variation": "unclear",
    "not reliable": "bad",
}
"""How a verdict is marked in the margin; the words say the same."""

SENTENCE = re.compile(r"(.+?[.?!])(?: (.*))?", re.DOTALL)
MINUS = re.compile(r"(?<![\w.-])-(?=\.?\d)")
WIDE = 560
"""A picture wider than this scrolls in its own box on a phone."""

SHORT = 24
"""A cell up to this length stays in one line."""


def page(contents: Contents) -> str:
    """Write a whole report as one page."""
    title = escape(contents.title)
    links = "".join(_link(section) for section in contents.sections)
    parts = "\n".join(_section(section) for section in contents.sections)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="light dark">\n<title>{title}</title>\n'
        f"<style>\n{_style()}</style>\n</head>\n<body>\n"
        f'<a class="skip" href="#report">Skip to the report</a>\n'
        f'<header>\n<h1>{title}</h1>\n<p class="subtitle">{escape(contents.subtitle)}</p>\n'
        f'<nav aria-label="Sections"><ol>{links}</ol></nav>\n</header>\n'
        f'<main id="report" tabindex="-1">\n{parts}\n</main>\n</body>\n</html>\n'
    )


def fragment(contents: Contents, keys: tuple[str, ...]) -> str:
    """Write some sections for a notebook: words and tables, without pictures and style."""
    chosen = (section for section in contents.sections if section.key in keys)
    blocks = (block for section in chosen for block in section.blocks)
    return "\n".join(_plain(block) for block in blocks)


def _plain(block: Block) -> str:
    if isinstance(block, Figure):
        return "" if block.table is None else _table(block.table)
    return _block(block)


@cache
def _style() -> str:
    return files("covary.report").joinpath("style.css").read_text(encoding="utf-8")


def _link(section: Section) -> str:
    return f'<li><a href="#{escape(section.key)}">{escape(section.title)}</a></li>'


def _section(section: Section) -> str:
    blocks = "\n".join(_block(block) for block in section.blocks)
    head = f"<h2>{escape(section.title)}</h2>"
    return f'<section id="{escape(section.key)}">\n{head}\n{blocks}\n</section>'


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return _paragraph(block)
    if isinstance(block, Bullets):
        return f"<ul>{''.join(f'<li>{_told(item)}</li>' for item in block.items)}</ul>"
    if isinstance(block, Code):
        label = 'tabindex="0" role="group" aria-label="Text to copy"'
        return f'<pre class="scroll" {label}><code>{escape(block.text)}</code></pre>'
    return _figure(block) if isinstance(block, Figure) else _table(block)


def _paragraph(block: Paragraph) -> str:
    if block.kind == "verdict":
        head = _first_sentence(block.text)[0].rstrip(".").lower()
        tones = [tone for word, tone in TONES.items() if head == word or head.endswith(f" {word}")]
        return f'<p class="verdict {tones[-1] if tones else "none"}">{_strong(block.text)}</p>'
    return f'<p class="{block.kind}">{_told(block.text)}</p>'


def _told(text: str) -> str:
    """Write a sentence; a finding gets its title set off from what shows it and what to do."""
    said, arrow, advice = text.partition(" → ")
    if not arrow:
        return escape(text)
    return f'{_strong(said)} <span class="advice">→ {escape(advice)}</span>'


def _strong(text: str) -> str:
    first, rest = _first_sentence(text)
    return f"<strong>{escape(first)}</strong> {escape(rest)}".rstrip()


def _first_sentence(text: str) -> tuple[str, str]:
    found = SENTENCE.fullmatch(text)
    return (text, "") if found is None else (found[1], found[2] or "")


def _figure(figure: Figure) -> str:
    picture = drawn(figure)
    width = re.search(r'width="(\d+)', picture)
    wide = " wide" if width is not None and int(width[1]) > WIDE else ""
    key = escape(figure.key)
    below = "" if figure.table is None else _table(figure.table)
    label = f'tabindex="0" role="group" aria-labelledby="{key}-caption"' if wide else ""
    return (
        f'<figure id="{key}" class="picture{wide}">\n<figcaption>'
        f'<strong id="{key}-caption">{escape(figure.title)}</strong> '
        f"<span>{escape(figure.description)}</span></figcaption>\n"
        f'<div class="scroll" {label}>{picture}</div>\n</figure>\n{below}'
    )


def _table(table: Table) -> str:
    key = f"table-{escape(table.key)}"
    heads = "".join(_head(column) for column in table.columns)
    rows = "\n".join(_row(row, table.columns) for row in table.rows)
    caption = f'<span id="{key}-caption">{escape(table.caption)}</span>'
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-labelledby="{key}-caption">\n'
        f'<table id="{key}">\n<caption>{caption}</caption>\n'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>\n</div>\n{note}"
    )


def _head(column: Column) -> str:
    return f'<th scope="col" class="{column.align}">{escape(column.title)}</th>'


def _row(row: tuple[str, ...], columns: tuple[Column, ...]) -> str:
    first, *rest = row
    cells = "".join(
        f'<td class="{_kind(cell, column)}">{_cell(cell, column)}</td>'
        for cell, column in zip(rest, columns[1:], strict=True)
    )
    return (
        f'<tr><th scope="row" class="{_kind(first, columns[0])}">{escape(first)}</th>{cells}</tr>'
    )


def _kind(cell: str, column: Column) -> str:
    """Say how a cell leans, and whether it stays in one line."""
    return column.align if len(cell) > SHORT else f"{column.align} short"


def _cell(cell: str, column: Column) -> str:
    """Write a cell; numbers get a real minus sign."""
    return escape(cell) if column.align == "left" else MINUS.sub("−", escape(cell))
