"""A report as a LaTeX document that compiles: booktabs tables that may run over pages.

A figure becomes its table. Only packages of a plain LaTeX installation are used, and
only ASCII characters; `characters.toml` says what is set instead of others.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

from covary.reports.blocks import (
    Block,
    Bullets,
    Code,
    Column,
    Contents,
    Figure,
    Paragraph,
    Section,
    Table,
    without_pictures,
)

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

Sizes = Sequence[tuple[int, str]]

SIZES: Sizes = ((93, r"\small"), (102, r"\footnotesize"), (109, r"\scriptsize"))
"""How many digits fit into a line of a table at each size of type."""

NARROW, BROAD = frozenset(" .,:;|!'()[]ijlt-"), frozenset("mwMW%–—→≥≤&")
"""Letters that take about half of a digit's width, and more than it."""

WRAPPED, NARROWEST, WIDEST = 24, 16, 60
"""A column with a longer cell may break its lines, after no fewer and no more digits."""


def escape(text: str) -> str:
    r"""Write text so that TeX sets it as it is.

    Characters that no standard font has are named by their number, such as `{[}U+4E2D{]}`.

    Examples
    --------
    >>> print(escape("α ≥ .8 – 50 % of J_1"))
    $\alpha$ $\geq$ .8 -- 50 \% of J\_1
    """
    one_line = re.sub(r"[ \t\r\n]+", " ", unicodedata.normalize("NFC", text)).strip(" ")
    apart = one_line.replace("--", "-\0-").replace("--", "-\0-")  # TeX would make dashes of these
    return "".join(_character(character) for character in apart)


OWN_GLYPHS = {"-": "{-}", "|": r"\char124{}"}
"""Characters that a typewriter font has at their own place."""


def typewriter(text: str) -> str:
    """Write a line to copy: hyphens stay hyphens, and the line may break after separators.

    A bar is typewriter's own: the usual command takes one of another font in older encodings.
    """
    indent = len(text) - len(text.lstrip(" "))
    pieces = ["~" * indent]
    for character in text[indent:]:
        glyph = OWN_GLYPHS.get(character) or _character(character)
        pieces.append(glyph + (r"\allowbreak{}" if character in "|:,/=" else ""))
    return "".join(pieces)


@cache
def _characters() -> dict[str, dict[str, str]]:
    text = files("covary.reports").joinpath("characters.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def _character(character: str) -> str:
    known = _characters()
    for table in ("ascii", "punctuation", "letters"):
        if character in known[table]:
            return known[table][character]
    if character in known["symbols"]:
        return f"${known['symbols'][character]}$"
    if character.isascii():
        return character if character.isprintable() else " "
    return _greek(character) or _accent(character) or f"{{[}}U+{ord(character):04X}{{]}}"


def _greek(character: str) -> str:
    name = unicodedata.name(character, "")
    if not name.startswith("GREEK") or " LETTER " not in name or " WITH " in name:
        return ""
    letter = name.rpartition(" ")[2].lower().replace("lamda", "lambda")
    if "SMALL" not in name:
        return _characters()["capitals"].get(letter, rf"$\{letter.capitalize()}$")
    if letter == "omicron":
        return "o"
    return rf"$\{'varsigma' if 'FINAL' in name else letter}$"


def _accent(character: str) -> str:
    parts = unicodedata.normalize("NFD", character)
    accents = _characters()["accents"]
    if len(parts) != 2 or not parts[0].isascii() or parts[1] not in accents:
        return ""
    base = {"i": r"\i", "j": r"\j"}.get(parts[0], parts[0])
    return f"{accents[parts[1]]}{{{base}}}"


def to_latex(contents: Contents) -> str:
    r"""Write a report as a complete LaTeX document.

    Examples
    --------
    >>> from covary.reports.blocks import Contents, Paragraph, Section
    >>> blocks = (Paragraph("α is 50 % of γ_1"),)
    >>> text = to_latex(Contents("Report", "", (Section("verdict", "Verdict", blocks),)))
    >>> print(text.splitlines()[-3])
    $\alpha$ is 50 \% of $\gamma$\_1
    """
    title = escape(contents.title)
    if contents.subtitle:
        title += rf"\\[0.6ex]\large {escape(contents.subtitle)}"
    parts = [PREAMBLE + rf"\title{{{title}}}" + "\n\\author{}\n\\date{}\n\\begin{document}"]
    parts.append(r"\maketitle")
    for section in without_pictures(contents).sections:
        parts += _section(section)
    return "\n\n".join([*parts, "\\end{document}\n"])


def _section(section: Section) -> Iterator[str]:
    yield rf"\section{{{escape(section.title)}}}\label{{sec:{_key(section.key)}}}"
    for block in section.blocks:
        yield from _block(block)


def _block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph():
            yield KINDS[block.kind].format(escape(block.text))
        case Bullets():
            if block.items:
                yield _list([line.text for line in block.lines])
        case Code():
            lines = "\\\\\n".join(
                rf"\mbox{{}}{typewriter(line)}" for line in block.text.split("\n")
            )
            yield rf"{{\small\ttfamily\raggedright {lines}\par}}"
        case Table():
            yield from _table(block)
        case Figure():
            yield from _figure(block)


def _list(items: Sequence[str]) -> str:
    lines = "\n".join(rf"\item {escape(item)}" for item in items)
    return f"\\begin{{itemize}}\n{lines}\n\\end{{itemize}}"


def _figure(figure: Figure) -> Iterator[str]:
    """Set the numbers of a picture, which has no place in a single file, and no caption without."""
    if figure.table is not None:
        yield from _table(figure.table)


def _table(table: Table) -> Iterator[str]:
    """Set a table in one piece, or in several side parts where it is wider than the page."""
    parts = _parts(table_widths(table))
    for number, places in enumerate(parts):
        more = f" (part {number + 1} of {len(parts)})" if len(parts) > 1 else ""
        label = rf"\label{{tab:{_key(table.key)}}}" if not number else ""
        yield _longtable(table, places, escape(table.caption + more) + label)
    if table.note:
        yield rf"{{\footnotesize {escape(table.note)}}}"


def _longtable(table: Table, places: Sequence[int], caption: str) -> str:
    columns = [table.columns[place] for place in places]
    widths = [_width(table, place) for place in places]
    head = rf"{' & '.join(_heading(table, place) for place in places)} \\"
    rows = [rf"{' & '.join(escape(row[place]) for place in places)} \\" for row in table.rows]
    opening = rf"\begin{{longtable}}{{@{{}}{_layout(columns, widths)}@{{}}}}"
    top = [r"\toprule", head, r"\midrule"]
    lines = [rf"{{{_size(widths)[1]}", opening, rf"\caption{{{caption}}}\\"]
    lines += [*top, r"\endfirsthead", *top, r"\endhead", r"\bottomrule", r"\endfoot"]
    lines += [*rows, r"\end{longtable}}"]
    return "\n".join(lines)


def _heading(table: Table, place: int) -> str:
    lines = heading_lines(table, place)
    if len(lines) == 1:
        return escape(lines[0])
    stacked = r"\\".join(escape(line) for line in lines)
    return rf"\shortstack[{table.columns[place].align[0]}]{{{stacked}}}"


def heading_lines(table: Table, place: int) -> list[str]:
    """Break a heading into two lines where it is wider than its column."""
    title = table.columns[place].title
    return _break(title) if _length(title) > _longest(table, place) else [title]


def _break(title: str) -> list[str]:
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
    lines = (line for row in table.rows for line in row[place].split("\n"))
    return max((_length(line) for line in lines), default=0)


def _width(table: Table, place: int) -> float:
    """The width of a column's longest line, and two digits for the space between columns."""
    heading = max(_length(line) for line in _break(table.columns[place].title))
    return max(_longest(table, place), heading) + 2


def _least(width: float) -> float:
    """The width that a column needs, where it may break its lines if it is long."""
    return width if width <= WRAPPED else NARROWEST


def table_widths(table: Table) -> list[float]:
    """How wide each column of a table is, in digits."""
    return [_width(table, place) for place in range(len(table.columns))]


def set_columns(table: Table, sizes: Sizes) -> list[tuple[list[int], str, str]]:
    """Share a table's columns among parts that fit; for each part the columns, size and layout."""
    widths = table_widths(table)
    parts = []
    for places in _parts(widths, sizes):
        own = [widths[place] for place in places]
        columns = [table.columns[place] for place in places]
        parts.append((places, _size(own, sizes)[1], _layout(columns, own, sizes)))
    return parts


def _parts(widths: Sequence[float], sizes: Sizes = SIZES) -> list[list[int]]:
    """Share columns among parts that fit the page; each part begins with the first column."""
    parts: list[list[int]] = [[0]] if widths else []
    used = _least(widths[0]) if widths else 0.0
    for place in range(1, len(widths)):
        if used + _least(widths[place]) > sizes[-1][0] and len(parts[-1]) > 1:
            parts.append([0])
            used = _least(widths[0])
        parts[-1].append(place)
        used += _least(widths[place])
    return parts


def _size(widths: Sequence[float], sizes: Sizes = SIZES) -> tuple[int, str]:
    """The largest type at which the columns fit, and how many digits a line has then."""
    least = sum(_least(width) for width in widths)
    return next((size for size in sizes if least <= size[0]), sizes[-1])


def _layout(columns: Sequence[Column], widths: Sequence[float], sizes: Sizes = SIZES) -> str:
    """Lay columns out side by side; where they are too wide, long ones break their lines."""
    limit = _size(widths, sizes)[0]
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
