r"""Pieces of LaTeX to `\input` into a paper: floats that fit one column or two, prose that cites.

They compile in one column and in two, need `booktabs` and `graphicx` only, and hold names in any
script: LuaLaTeX and XeLaTeX set these as they are, pdfLaTeX by the numbers of their characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal

from covary.reports.blocks import Block, Bullets, Code, Figure, Paragraph, Table
from covary.reports.latex import escape, heading_lines, set_columns, table_widths, typewriter
from covary.reports.references import Citation, Piece, TableLink

Width = Literal["column", "page"]

SIZES: dict[Width, tuple[tuple[int, str], ...]] = {
    "column": ((42, r"\small"), (46, r"\footnotesize"), (50, r"\scriptsize")),
    "page": ((71, r"\small"), (78, r"\footnotesize"), (84, r"\scriptsize")),
}
"""How many digits fit into a line at each size of type: a column of 7.7 cm, and a page of 12 cm,
which is what a plain article has and less than two columns."""

MOST_ROWS = 40
"""Rows of a float; a longer table becomes several, because a float cannot break."""

HEADER = r"""% Written by covary. Needs \usepackage{booktabs} and \usepackage{graphicx}.
\providecommand{\citep}[1]{\cite{#1}}%
\providecommand{\covarytext}[2]{\ifdefined\directlua#1\else\ifdefined\XeTeXrevision#1\else#2\fi\fi}%
\providecommand{\covaryrtl}[2]{\ifdefined\directlua{\textdir TRT #1}\else
  \ifdefined\XeTeXrevision#1\else#2\fi\fi}%
"""
"""What every fragment begins with; commands that a paper has already stay as they are."""

RAGGED = r">{\raggedright\arraybackslash}"
"""What only the package `array` knows; a fragment does without."""

INTERVAL = re.compile(r"^(\S+) (\[.*\])$")


def any_script(text: str) -> str:
    r"""Write text so that every engine sets it, as it is where the engine knows its script.

    Examples
    --------
    >>> print(any_script("50 % of 中"))
    50 \% of \covarytext{中}{{[}U+4E2D{]}}
    """
    pieces = re.split("(\0+(?: \0+)*)", "".join(_mark(character) for character in _normal(text)))
    return "".join(_written(piece, _normal(text), start) for piece, start in _placed(pieces))


def _normal(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _mark(character: str) -> str:
    """Put a zero in the place of a character that only its number can stand for."""
    return "\0" if escape(character).startswith("{[}U+") else character


def _placed(pieces: Iterable[str]) -> Iterator[tuple[str, int]]:
    start = 0
    for piece in pieces:
        yield piece, start
        start += len(piece)


def _written(piece: str, text: str, start: int) -> str:
    own = text[start : start + len(piece)]
    if not piece.startswith("\0"):
        # A space at either end belongs to the text around it.
        inside = escape(own)
        return f"{' ' * own.startswith(' ')}{inside}{' ' * (own.endswith(' ') and bool(inside))}"
    leftwards = any(unicodedata.bidirectional(character) in ("R", "AL") for character in own)
    numbers = "".join(escape(character) or " " for character in own)
    return rf"\covary{'rtl' if leftwards else 'text'}{{{own}}}{{{numbers}}}"


def prose(pieces: Iterable[Piece]) -> str:
    """Write a paragraph with its citations and the tables that it points to."""
    text = "".join(_piece(piece) for piece in pieces)
    return f"{HEADER}{text}\n"


def _piece(piece: Piece) -> str:
    if isinstance(piece, Citation):
        return rf" \citep{{{','.join(piece)}}}"
    if isinstance(piece, TableLink):
        return rf"Table~\ref{{tab:{piece}}}"
    inner = any_script(piece.replace(" = ", "\u00a0=\u00a0"))
    return f"{' ' * (piece[:1] == ' ')}{inner.strip()}{' ' * (piece[-1:] == ' ' and piece != ' ')}"


def float_table(table: Table, width: Width = "column") -> str:
    """Set a table as a float: in a column where it fits there, else across both.

    Where it does not fit, intervals go below their values; a table that no page can hold is set in
    parts that repeat the first column.
    """
    for candidate in (table, _stacked(table)):
        if _fits(candidate, width):
            return _floats(candidate, width)
    return float_table(table, "page") if width == "column" else _floats(_stacked(table), "page")


def _fits(table: Table, width: Width) -> bool:
    sizes = SIZES[width]
    return len(set_columns(table, sizes)) == 1 and sum(table_widths(table)) <= sizes[-1][0]


def _stacked(table: Table) -> Table:
    """Put intervals below their values: the cell's two lines are parted by a line break."""
    rows = tuple(tuple(INTERVAL.sub("\\1\n\\2", cell) for cell in row) for row in table.rows)
    return replace(table, rows=rows)


def _floats(table: Table, width: Width) -> str:
    parts = [
        (replace(table, rows=table.rows[start : start + MOST_ROWS]), layout)
        for start in range(0, max(len(table.rows), 1), MOST_ROWS)
        for layout in set_columns(table, SIZES[width])
    ]
    return "\n\n".join(
        _float(part, layout, width, f" ({number + 1} of {len(parts)})" if len(parts) > 1 else "")
        for number, (part, layout) in enumerate(parts)
    )


def _float(table: Table, layout: tuple[list[int], str, str], width: Width, more: str) -> str:
    places, size, columns = layout
    columns = columns.replace(RAGGED, "")
    name = "table" if width == "column" else "table*"
    heads = " & ".join(
        _cell("\n".join(heading_lines(table, place)), table.columns[place].align[0])
        for place in places
    )
    rows = [
        " & ".join(_cell(row[place], table.columns[place].align[0]) for place in places)
        for row in table.rows
    ]
    label = "" if more and not more.startswith(" (1 ") else rf"\label{{tab:{table.key}}}"
    note = f" {table.note}" if table.note and label else ""
    lines = [
        rf"\begin{{{name}}}[!htbp]",
        rf"\centering{size}\setlength{{\tabcolsep}}{{3pt}}",
        rf"\begin{{tabular}}{{@{{}}{columns}@{{}}}}",
        r"\toprule",
        rf"{heads} \\",
        r"\midrule",
        *(rf"{row} \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        rf"\caption{{{any_script(f'{table.caption}{more}.{note}')}}}{label}",
        rf"\end{{{name}}}",
    ]
    return "\n".join(lines)


def _cell(text: str, align: str) -> str:
    if "\n" not in text:
        return any_script(text)
    lines = r"\\".join(any_script(line) for line in text.split("\n"))
    return rf"\shortstack[{align}]{{{lines}}}"


def float_figure(figure: Figure, file: str) -> str:
    """Set a picture as a float; `file` is its path as the paper sees it, without an ending."""
    caption = any_script(f"{figure.title.rstrip('.')}. {figure.description}")
    return "\n".join(
        [
            r"\begin{figure}[!htbp]",
            r"\centering",
            rf"\includegraphics[width=\linewidth,height=0.6\textheight,keepaspectratio]{{{file}}}",
            rf"\caption{{{caption}}}\label{{fig:covary-{figure.key}}}",
            r"\end{figure}",
        ]
    )


def block(item: Block) -> Iterator[str]:
    """Write a block of a report for one column or two; a figure is its table."""
    match item:
        case Paragraph():
            yield rf"{{\sloppy {any_script(item.text)}\par}}"
        case Bullets():
            lines = "\n".join(rf"\item {any_script(line.text)}" for line in item.lines)
            yield f"{{\\sloppy\\begin{{itemize}}\n{lines}\n\\end{{itemize}}}}" if item.items else ""
        case Code():
            lines = "\\\\\n".join(typewriter(line) for line in item.text.split("\n"))
            yield rf"{{\scriptsize\ttfamily\raggedright {lines}\par}}"
        case Table():
            yield float_table(replace(item, key=f"covary-{item.key}"))
        case Figure():
            if item.table is not None:
                yield from block(item.table)


def fragment(parts: Sequence[str]) -> str:
    """Put pieces together into a file to input."""
    return HEADER + "\n\n".join(part for part in parts if part) + "\n"
