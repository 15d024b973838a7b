"""A report as a LaTeX document that compiles: booktabs tables that may run over pages.

A figure becomes its title and its table. Only packages of a plain LaTeX installation are used, and
only ASCII characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

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
from covary.report.escaping import escaped, typewriter

__all__ = ["to_latex"]

PREAMBLE = r"""\documentclass[11pt,a4paper]{article}
\usepackage[margin=2.2cm]{geometry}
\usepackage{array}
\usepackage{booktabs}
\usepackage{longtable}
\setlength{\parindent}{0pt}
\setlength{\parskip}{0.6em}
\setlength{\tabcolsep}{4pt}
\setlength{\LTcapwidth}{\textwidth}
\renewcommand{\labelitemi}{$\bullet$}
\emergencystretch=3em
"""

KINDS = {
    "text": "{}",
    "lead": "{}",
    "verdict": r"\textbf{{{}}}",
    "warning": r"\textbf{{Warning.}} {}",
    "note": r"{{\small {}}}",
}
"""How loud each kind of paragraph is."""

SIZES = ((93, r"\small"), (102, r"\footnotesize"), (109, r"\scriptsize"))
"""How many digits fit into a line of a table at each size of type."""

NARROW, BROAD = frozenset(" .,:;|!'()[]ijlt-"), frozenset("mwMW%–—→≥≤&")
"""Letters that take about half of a digit's width, and more than it."""

WRAPPED, NARROWEST, WIDEST = 24, 16, 60
"""A column with a longer cell may break its lines, after no fewer and no more digits."""


def to_latex(contents: Contents) -> str:
    r"""Write a report as a complete LaTeX document.

    Examples
    --------
    >>> from covary.report.contents import Contents, Paragraph, Section
    >>> blocks = (Paragraph("α is 50 % of γ_1"),)
    >>> text = to_latex(Contents("Report", "", (Section("verdict", "Verdict", blocks),)))
    >>> print(text.splitlines()[-3])
    $\alpha$ is 50 \% of $\gamma$\_1
    """
    title = escaped(contents.title)
    if contents.subtitle:
        title += rf"\\[0.6ex]\large {escaped(contents.subtitle)}"
    parts = [PREAMBLE + rf"\title{{{title}}}" + "\n\\author{}\n\\date{}\n\\begin{document}"]
    parts.append(r"\maketitle")
    for section in contents.sections:
        parts += _section(section)
    return "\n\n".join([*parts, "\\end{document}\n"])


def _section(section: Section) -> Iterator[str]:
    yield rf"\section{{{escaped(section.title)}}}\label{{sec:{_key(section.key)}}}"
    for block in section.blocks:
        yield from _block(block)


def _block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph():
            yield KINDS[block.kind].format(escaped(block.text))
        case Bullets():
            if block.items:
                yield _list(block.items)
        case Code():
            lines = "\\\\\n".join(
                rf"\mbox{{}}{typewriter(line)}" for line in block.text.split("\n")
            )
            yield rf"{{\small\ttfamily\raggedright {lines}\par}}"
        case Table():
            yield from _table(block)
        case Figure():
            yield from _figure(block)


def _code(text: str) -> str:
    lines = "\\\\\n".join(rf"\mbox{{}}{typewriter(line)}" for line in text.split("\n"))
    return rf"{{\footnotesize\ttfamily\raggedright {lines}\par}}"


def _list(items: Sequence[str]) -> str:
    lines = "\n".join(rf"\item {escaped(item)}" for item in items)
    return f"\\begin{{itemize}}\n{lines}\n\\end{{itemize}}"


def _figure(figure: Figure) -> Iterator[str]:
    yield rf"\textbf{{{escaped(figure.title)}}} {escaped(figure.description)}"
    if figure.table is not None:
        yield from _table(figure.table)


def _table(table: Table) -> Iterator[str]:
    """Set a table in one piece, or in several side parts where it is wider than the page."""
    parts = _parts([_width(table, place) for place in range(len(table.columns))])
    for number, places in enumerate(parts):
        more = f" (part {number + 1} of {len(parts)})" if len(parts) > 1 else ""
        label = rf"\label{{tab:{_key(table.key)}}}" if not number else ""
        yield _longtable(table, places, escaped(table.caption + more) + label)
    if table.note:
        yield rf"{{\footnotesize {escaped(table.note)}}}"


def _longtable(table: Table, places: Sequence[int], caption: str) -> str:
    columns = [table.columns[place] for place in places]
    widths = [_width(table, place) for place in places]
    head = rf"{' & '.join(_heading(table, place) for place in places)} \\"
    rows = [rf"{' & '.join(escaped(row[place]) for place in places)} \\" for row in table.rows]
    lines = [
        rf"{{{_size(widths)[1]}",
        rf"\begin{{longtable}}{{@{{}}{_layout(columns, widths)}@{{}}}}",
        rf"\caption{{{caption}}}\\", r"\toprule", head, r"\midrule", r"\endfirsthead",
        r"\toprule", head, r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot",
        *rows, r"\end{longtable}}",
    ]  # fmt: skip
    return "\n".join(lines)


def _heading(table: Table, place: int) -> str:
    """Write a heading, in two lines where it is wider than its column."""
    column = table.columns[place]
    wide = _length(column.title) > _longest(table, place)
    lines = _broken(column.title) if wide else [column.title]
    if len(lines) == 1:
        return escaped(column.title)
    stacked = r"\\".join(escaped(line) for line in lines)
    return rf"\shortstack[{column.align[0]}]{{{stacked}}}"


def _broken(title: str) -> list[str]:
    """Break a title at the space nearest to its middle."""
    spaces = [place for place, character in enumerate(title) if character == " "]
    if not spaces:
        return [title]
    best = min(spaces, key=lambda place: abs(place - len(title) / 2))
    return [title[:best], title[best + 1 :]]


def _length(text: str) -> float:
    """How wide a text is, in digits."""
    return sum(0.6 if c in NARROW else 1.5 if c in BROAD or c.isupper() else 1 for c in text)


def _longest(table: Table, place: int) -> float:
    return max((_length(row[place]) for row in table.rows), default=0)


def _width(table: Table, place: int) -> float:
    """The width of a column's longest line, and two digits for the space between columns."""
    heading = max(_length(line) for line in _broken(table.columns[place].title))
    return max(_longest(table, place), heading) + 2


def _least(width: float) -> float:
    """The width that a column needs, where it may break its lines if it is long."""
    return width if width <= WRAPPED else NARROWEST


def _parts(widths: Sequence[float]) -> list[list[int]]:
    """Share columns among parts that fit the page; each part begins with the first column."""
    parts: list[list[int]] = [[0]] if widths else []
    used = _least(widths[0]) if widths else 0.0
    for place in range(1, len(widths)):
        if used + _least(widths[place]) > SIZES[-1][0] and len(parts[-1]) > 1:
            parts.append([0])
            used = _least(widths[0])
        parts[-1].append(place)
        used += _least(widths[place])
    return parts


def _size(widths: Sequence[float]) -> tuple[int, str]:
    """The largest type at which the columns fit, and how many digits a line has then."""
    least = sum(_least(width) for width in widths)
    return next((size for size in SIZES if least <= size[0]), SIZES[-1])


def _layout(columns: Sequence[Column], widths: Sequence[float]) -> str:
    """Lay columns out side by side; where they are too wide, long ones break their lines."""
    limit = _size(widths)[0]
    wraps = [width > WRAPPED and sum(widths) > limit for width in widths]
    fixed = sum(width for width, wrapped in zip(widths, wraps, strict=True) if not wrapped)
    wished = sum(min(w, WIDEST) for w, wrapped in zip(widths, wraps, strict=True) if wrapped)
    room = 0.92 * max(1 - fixed / limit, 0.1)
    return "".join(
        rf">{{\raggedright\arraybackslash}}p{{{room * min(width, WIDEST) / wished:.3f}\linewidth}}"
        if wrapped
        else column.align[0]
        for column, width, wrapped in zip(columns, widths, wraps, strict=True)
    )


def _key(key: str) -> str:
    return re.sub(r"[^A-Za-z0-9-]+", "-", key)
