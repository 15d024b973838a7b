r"""A folder for a paper: fragments to `\input`, figures, a bibliography, and tables for Word."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from covary.reports.blocks import Bullets, Contents, Figure, Paragraph, Section, Table
from covary.reports.document import draw_figures, write_whole
from covary.reports.docx import to_docx
from covary.reports.latex_fragments import (
    HEADER,
    any_script,
    block,
    float_figure,
    float_table,
    fragment,
    prose,
)
from covary.reports.markdown import to_markdown
from covary.reports.references import Piece, bibliography, cited_keys, prose_text
from covary.reports.reliability.document import Report
from covary.reports.reliability.methods import cited_papers, full_methods
from covary.reports.reliability.paper_tables import WIDE, paper_table
from covary.reports.reliability.prose import methods_prose, results_prose
from covary.version import __version__

APPENDED = ("disagreement", "pairs", "judges", "groups", "stability", "further", "signatures")
"""The sections of a report whose tables go into the appendix."""

FONTS = {
    "CJK": "NotoSerifCJKjp",
    "HIRAGANA": "NotoSerifCJKjp",
    "KATAKANA": "NotoSerifCJKjp",
    "HANGUL": "NotoSerifCJKkr",
    "ARABIC": "NotoNaskhArabic:script=arab",
    "HEBREW": "NotoSerifHebrew:script=hebr",
    "DEVANAGARI": "NotoSerifDevanagari:script=dev2",
    "BENGALI": "NotoSerifBengali:script=bng2",
    "TAMIL": "NotoSerifTamil:script=tml2",
    "THAI": "NotoSerifThai:script=thai",
    "GEORGIAN": "NotoSerifGeorgian",
    "ARMENIAN": "NotoSerifArmenian",
    "CYRILLIC": "NotoSerif",
    "GREEK": "NotoSerif",
    "LATIN": "NotoSerif",
}
"""A free font for each script, by how Unicode begins the names of its letters, and its tag."""

EMOJI = "NotoColorEmoji"

EXAMPLE = r"""% Written by covary: the fragments of this folder in two columns of 7.7 cm.
% Compile with: lualatex example; bibtex example; lualatex example; lualatex example
\documentclass[11pt,a4paper,twocolumn]{article}
\usepackage[textwidth=16cm,textheight=24.7cm]{geometry}
\setlength{\columnsep}{0.6cm}
\usepackage{booktabs}
\usepackage{graphicx}
\newcommand{\covaryfolder}{}
\ifdefined\directlua\input{fonts}\fi
\emergencystretch=1em
COMMANDS\title{TITLE}
\author{}
\begin{document}
\maketitle
\section{Methods}
\input{methods}
\section{Results}
\input{results}
\input{table}
\input{table-wide}
FIGURES
\bibliographystyle{plain}
\bibliography{covary}
\appendix
\input{appendix}
\end{document}
"""

README = """# For the paper

Written by covary {version} from {ratings}.
covary writes these files anew with every run, so edit copies.

| file | what it is |
|---|---|
| `methods.tex`, `results.tex` | a paragraph each, to paste or to `\\input` |
| `table.tex` | the table for one column (7.7 cm) |
| `table-wide.tex` | the same with more columns, across both |
{further}| `appendix.tex` | the methods in full, further tables, the signature of every number |
| `covary.bib` | what they cite |
| `fonts.tex` | fonts for names in other scripts, for LuaLaTeX |
| `example.tex` | all of it in two columns, to look at |
| `report.md`, `figures/` | the whole report as Markdown, with its pictures |
| `tables.docx` | the paragraphs and tables for Word |

In the preamble:

```tex
\\usepackage{{booktabs}}
\\usepackage{{graphicx}}
\\newcommand{{\\covaryfolder}}{{{folder}/}}  % where this folder is, seen from your main file
```

and where they belong `\\input{{{folder}/methods}}`, `\\input{{{folder}/results}}`,
`\\input{{{folder}/table}}`, and `\\bibliography{{…,{folder}/covary}}`. Citations are `\\citep`
where the style has it, else `\\cite`.

pdfLaTeX prints a letter that its fonts lack by its number, such as [U+4E2D]. For names in other
scripts use LuaLaTeX, and put `\\input{{{folder}/fonts}}` into the preamble.
"""


def write_paper(
    report: Report,
    folder: Path,
    *,
    coefficients: Sequence[str] = (),
    table: Sequence[str] | None = None,
    source: str = "ratings",
) -> list[Path]:
    """Write a folder of fragments for a paper; return the files.

    `coefficients` and `table` choose the columns of the tables (see `paper_table`).
    """
    result = report.reliability
    narrow = paper_table(result, coefficients, table or ())
    wide = paper_table(result, coefficients, WIDE if table is None else table)
    wide = replace(wide, key=f"{wide.key}-wide")
    methods = methods_prose(result, report.ratings)
    results = results_prose(result, report.findings)
    folder.mkdir(parents=True, exist_ok=True)
    pictures = draw_figures(report.contents, folder / "figures", pdf=True)
    figures = list(report.figures.values())
    keys = {*cited_keys([*methods, *results]), *cited_papers(result)}
    systems = _systems(report)
    written: dict[str, str | bytes] = {
        "methods.tex": prose(methods),
        "results.tex": prose(results),
        "table.tex": fragment([float_table(narrow)]),
        "table-wide.tex": fragment([float_table(wide, "page")]),
        **{f"figure-{figure.key}.tex": _figure_file(figure, folder) for figure in figures},
        **({"systems.tex": fragment(systems)} if systems else {}),
        "appendix.tex": fragment([*_appendix(report)]),
        "covary.bib": f"% Written by covary.\n{bibliography(keys)}",
        "fonts.tex": fonts(_texts(report)),
        "example.tex": _example(report, figures[:1]),
        "README.md": _readme(report, folder.name or "paper", source),
        "report.md": to_markdown(report.contents, pictures),
        "tables.docx": to_docx(_for_word(report, (methods, results), (narrow, wide))),
    }
    for name, content in written.items():
        write_whole(folder / name, content)
    return [folder / name for name in written]


def _figure_file(figure: Figure, folder: Path) -> str:
    name = folder.name or "paper"
    path = rf"\providecommand{{\covaryfolder}}{{{name}/}}%" + "\n"
    return fragment([path + float_figure(figure, rf"\covaryfolder figures/{figure.key}")])


def _systems(report: Report) -> list[str]:
    """Write the sentences on the systems and their table, where the report compares systems."""
    return [
        text
        for section in report.contents.sections
        for item in section.blocks
        if section.key == "systems" and isinstance(item, Bullets | Table)
        for text in block(item)
    ]


def _appendix(report: Report) -> Iterator[str]:
    r"""The methods in full, and the tables of the report, two-column-proof."""
    yield r"\section{Reliability in full}\label{sec:covary-appendix}"
    for item in full_methods(report.reliability, report.ratings, report.findings):
        yield from block(item)
    for section in report.contents.sections:
        if section.key in APPENDED:
            yield from (text for item in section.blocks for text in block(item))


def _example(report: Report, figures: Sequence[Figure]) -> str:
    title = any_script(report.contents.title)
    inputs = "\n".join(rf"\input{{figure-{figure.key}}}" for figure in figures)
    values = {"COMMANDS": HEADER.partition("\n")[2], "TITLE": title, "FIGURES": inputs}
    return re.sub("|".join(values), lambda found: values[found[0]], EXAMPLE)


def _readme(report: Report, folder: str, source: str) -> str:
    rows = "".join(
        f"| `figure-{figure.key}.tex` | {figure.title.replace('|', '/')} |\n"
        for figure in report.figures.values()
    )
    systems = (
        "| `systems.tex` | the systems: which are apart, and the table of their means; `covary "
        "systems` says more |\n"
    )
    further = f"{systems if _systems(report) else ''}{rows}"
    return README.format(version=__version__, ratings=source, folder=folder, further=further)


def _texts(report: Report) -> str:
    """Everything that a fragment may hold, as one text."""
    return to_markdown(report.contents)


def fonts(text: str) -> str:
    r"""Write the fonts for LuaLaTeX that a text needs beside Latin Modern.

    Examples
    --------
    >>> print(fonts("Ann und 評価者").splitlines()[2])
    \directlua{luaotfload.add_fallback("covary", {"NotoSerifCJKjp:mode=harf;"})}
    """
    needed = dict.fromkeys(font for letter in sorted(set(text)) if (font := _font(letter)))
    lines = ["% Written by covary: for LuaLaTeX, with the fonts that the names need."]
    lines.append(r"\usepackage{fontspec}")
    if needed:
        names = ", ".join(f'"{_with_shaping(font)}"' for font in needed)
        lines.append(rf'\directlua{{luaotfload.add_fallback("covary", {{{names}}})}}')
        lines.append(r"\setmainfont{Latin Modern Roman}[RawFeature={fallback=covary}]")
        lines.append(r"\setmonofont{Latin Modern Mono}[RawFeature={fallback=covary}]")
    return "\n".join(lines) + "\n"


def _with_shaping(font: str) -> str:
    """Let letters join as their script has it: `NotoNaskhArabic:mode=harf;script=arab;`."""
    name, _, script = font.partition(":")
    return f"{name}:mode=harf;{f'{script};' if script else ''}"


def _font(letter: str) -> str:
    if ord(letter) < 0x250:
        return ""
    name = unicodedata.name(letter, "")
    if unicodedata.category(letter) == "So" or 0x1F000 <= ord(letter) < 0x20000:
        return EMOJI
    return next((font for script, font in FONTS.items() if name.startswith(script)), "")


def _for_word(
    report: Report, paragraphs: Sequence[Sequence[Piece]], tables: Sequence[Table]
) -> Contents:
    """What co-authors in Word need: both paragraphs, the tables, the references."""
    methods, results = (Paragraph(prose_text(pieces)) for pieces in paragraphs)
    references = full_methods(report.reliability, report.ratings, report.findings)[-1:]
    further = [section for section in report.contents.sections if section.key in APPENDED[:-1]]
    compared = [section for section in report.contents.sections if section.key == "systems"]
    sections = (
        Section("methods", "Methods", (methods,)),
        Section("results", "Results", (results, *tables)),
        *(replace(section, blocks=_only_tables(section)) for section in (*compared, *further)),
        Section("references", "References", references),
    )
    return Contents(report.contents.title, report.contents.subtitle, sections)


def _only_tables(section: Section) -> tuple[Table, ...]:
    tables = (item.table if isinstance(item, Figure) else item for item in section.blocks)
    return tuple(item for item in tables if isinstance(item, Table))
