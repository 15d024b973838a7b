"""A report as one HTML page that needs nothing else: no network, no script, light and dark.

The markup stands in `templates/`, where everything that is shown is escaped.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.resources import files
from importlib.util import cache_from_source
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from covary.reports.blocks import Block, Column, Contents, Paragraph, Table

if TYPE_CHECKING:
    from jinja2 import Environment, FileSystemBytecodeCache
    from jinja2.bccache import Bucket

PAGE, PHONE = 145, 46
"""Letters in a row up to which a table fits a page, and a phone."""

MOST_OPEN = 12
"""Rows up to which the numbers of a picture stand open beneath it; more of them are folded."""

SHORT = 24
"""A cell up to this length stays in one line."""

MINUS = re.compile(r"(?<![\w.-])-(?=\.?\d)")

RIGHT_TO_LEFT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
"""The letters of Hebrew, Arabic and their neighbours."""

NAME = re.compile(
    rf"[{RIGHT_TO_LEFT}](?:[ '\u2019_-]?[{RIGHT_TO_LEFT}]|[_-]?[0-9])*"  # words of one name
)
LATIN = re.compile("[A-Za-z]")


def page(contents: Contents) -> str:
    """Write a whole report as one page."""
    return _templates().get_template("page.html").render(contents=contents)


def fragment(contents: Contents, keys: tuple[str, ...]) -> str:
    """Write some sections for a notebook: words and tables, without pictures and style."""
    chosen = [section for section in contents.sections if section.key in keys]
    return _templates().get_template("fragment.html").render(sections=chosen)


@cache
def _templates() -> Environment:
    """The templates, loaded with the first page: most uses of covary write none."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    style = files("covary.reports").joinpath("style.css").read_text(encoding="utf-8")
    templates = Environment(
        loader=PackageLoader("covary.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        bytecode_cache=_compiled_templates(),
    )
    templates.globals |= {"style": Markup(style), "cells": _cells}
    templates.globals |= {
        "markup": Markup,
        "runs": _runs,
        "width_of": _width,
        "most_open": MOST_OPEN,
    }
    templates.filters["isolated"] = _isolated
    return templates


def _isolated(text: str) -> str:
    """Keep names that are written from right to left from moving the numbers beside them.

    A text without Latin letters is one such name, with its full stop.
    """
    from markupsafe import Markup, escape

    shown = str(escape(text))
    if not NAME.search(shown):
        return Markup(shown)
    whole = not LATIN.search(text)
    return Markup(f"<bdi>{shown}</bdi>" if whole else NAME.sub(r"<bdi>\g<0></bdi>", shown))


def _compiled_templates() -> FileSystemBytecodeCache | None:
    """Where templates are kept compiled: where Python keeps modules, if it keeps any."""
    from jinja2 import FileSystemBytecodeCache, __version__

    class CompiledTemplates(FileSystemBytecodeCache):
        """A full disk costs the compiled template, not the report."""

        def dump_bytecode(self, bucket: Bucket) -> None:
            with suppress(OSError):
                super().dump_bytecode(bucket)

    folder = Path(cache_from_source(str(Path(__file__).parent / "templates" / "page.py"))).parent
    with suppress(OSError):
        if not sys.dont_write_bytecode:
            folder.mkdir(parents=True, exist_ok=True)
    if sys.dont_write_bytecode or not os.access(folder, os.W_OK):
        return None
    return CompiledTemplates(str(folder), f"%s.jinja-{__version__}")


def _runs(blocks: tuple[Block, ...]) -> Iterator[list[Block]]:
    """Put verdicts that follow each other together, and leave every other block alone."""
    for verdict, several in groupby(blocks, _is_verdict):
        run = list(several)
        yield from [run] if verdict else ([block] for block in run)


def _is_verdict(block: Block) -> bool:
    return isinstance(block, Paragraph) and block.kind == "verdict"


def _width(table: Table) -> str:
    """Say on what a table does not fit and scrolls: "page", "phone" or nothing."""
    heads = (max(c.title.split(), key=len, default="") for c in table.columns)  # heads wrap
    columns = zip(*(tuple(heads), *table.rows), strict=True)
    letters = sum(min(max(map(len, cells)), SHORT + 4) + 2 for cells in columns)
    return "page" if letters > PAGE else "phone" if letters > PHONE else ""


def _cells(table: Table, row: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Each cell of a row with its class; numbers get a real minus sign."""
    for place, (cell, column) in enumerate(zip(row, table.columns, strict=True)):
        number = place > 0 and column.align == "right"
        text = MINUS.sub("−", cell) if number else cell
        yield {"text": text, "class": _cell_class(cell, column)}


def _cell_class(cell: str, column: Column) -> str:
    """Say how a cell leans, and whether it stays in one line."""
    return column.align if len(cell) > SHORT else f"{column.align} short"
