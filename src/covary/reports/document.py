"""What every written analysis shares: its forms, and a file that appears whole or not at all."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import methodcaller
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Protocol, Self, cast

from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.ratings.frames import make_frame
from covary.reports.blocks import Contents, Figure, Paragraph, Section, unique_keys
from covary.reports.docx import to_docx
from covary.reports.formatting import level_percent
from covary.reports.html import fragment, page
from covary.reports.latex import to_latex
from covary.reports.markdown import to_markdown
from covary.version import __version__
from covary.words import Note, word

WIDTH = 96
"""How wide a terminal may be counted on to be."""


def to_csv(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Write rows for a spreadsheet, with all digits; what is undefined or not there is empty.

    Examples
    --------
    >>> print(
    ...     to_csv([{"of": "fluency", "value": 0.1, "low": float("nan")}], ["of", "value", "low"])
    ... )
    of,value,low
    fluency,0.1,
    <BLANKLINE>
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(row.get(column)) for column in columns] for row in rows)
    return text.getvalue()


def to_json(values: Mapping[str, Any]) -> str:
    """Write plain values as JSON; NaN becomes null, and nothing is rounded."""
    return json.dumps(plain(values), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_terminal(
    heads: Sequence[str], rows: Iterable[Sequence[str]], sentences: Iterable[str] = ()
) -> str:
    """Write a table whose cells are written out already, and sentences below it.

    Examples
    --------
    >>> print(to_terminal(["criterion", "alpha"], [["fluency", ".53"]], ["One judge is strict."]))
    criterion  alpha
    fluency    .53
    One judge is strict.
    """
    below = (textwrap.fill(sentence, WIDTH) for sentence in sentences if sentence)
    return "\n".join([*align([heads, *rows]), *below])


def align(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Write rows as columns that stand under each other."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()


def plain(value: Any) -> Any:
    """Bring values to those that JSON has: NumPy's to Python's, NaN to None, keys to text."""
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool | int | str) or value is None:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return str(value)


def _cell(value: Any) -> Any:
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else ""
    return value


FilePath = str | os.PathLike[str]

OTHER_NAMES = {"htm": "html", "markdown": "md", "latex": "tex"}


class AnalysisResult(Protocol):
    """What an analysis returns: plain values, and the rows of its main table."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the main table, in order."""

    def rows(self) -> list[dict[str, Any]]:
        """Return the main table, not rounded."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, not rounded."""


class Document(ABC):
    """The result of an analysis in every form: a page, a paper, plain values, a table.

    A frozen dataclass that inherits from this has a field `contents`, which every form for
    readers says, and one for the result, which `found_in` names; it implements `short`.
    """

    contents: Contents
    found_in: ClassVar[str] = ""
    """The field that holds the result."""
    in_notebooks: ClassVar[tuple[str, ...]] = ()
    """The keys of the sections that a notebook shows, above the first picture."""

    @property
    def result(self) -> AnalysisResult:
        """What the document is about."""
        result: AnalysisResult = getattr(self, self.found_in)
        return result

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values, not rounded."""
        return {
            "software": f"covary {__version__}",
            "title": self.contents.title,
            self.found_in: self.result.to_dict(),
        }

    @property
    def figures(self) -> dict[str, Figure]:
        """The pictures by their keys; each can be saved as .pdf, .svg, .png or .json."""
        return self.contents.figures

    def to_frame(self, engine: str | None = None) -> Any:
        """Return the main table as a data frame: pandas, polars or pyarrow."""
        return make_frame(self.result.rows(), engine)

    def csv(self) -> str:
        """Return the main table for spreadsheets, not rounded."""
        return to_csv(self.result.rows(), self.result.columns)

    @abstractmethod
    def short(self) -> str:
        """Return the short form for a terminal."""

    def html(self) -> str:
        """Return one page that needs nothing else."""
        return page(self.contents)

    def markdown(self) -> str:
        """Return the report as Markdown, with the numbers of pictures and not the pictures."""
        return to_markdown(self.contents)

    def docx(self) -> bytes:
        """Return a Word document: headings, paragraphs and tables."""
        return to_docx(self.contents)

    def latex(self) -> str:
        """Return a LaTeX document that compiles."""
        return to_latex(self.contents)

    def json(self) -> str:
        """Return everything that was found, not rounded; what is undefined is null."""
        seals = {"seals": list(self.contents.seals)} if self.contents.seals else {}
        return to_json(self.to_dict() | seals)

    def sealed(self, *sources: Ratings | str) -> Self:
        """Return the document with the newest seals of studies: of their ratings, or as given.

        `covary check-store --head` says later whether the store still holds what was reported.
        Where simulated judges gave the ratings, the first lines say so.
        """
        seals = tuple(dict.fromkeys(seal for source in sources for seal in seals_of(source)))
        if not seals:
            return self
        subtitle = " · ".join((self.contents.subtitle, *(f"seal {seal}" for seal in seals)))
        contents = replace(self.contents, subtitle=subtitle, seals=seals)
        if any(is_simulated(source) for source in sources):
            first, *others = contents.sections
            warned = (Paragraph(word("report.simulated"), "warning"), *first.blocks)
            contents = replace(contents, sections=(replace(first, blocks=warned), *others))
        return cast("Self", replace(cast("Any", self), contents=contents))

    def write(self, path: FilePath, format: str | None = None) -> Path:  # noqa: A002
        """Write the report; the ending of the name says the format unless it is given.

        The file appears whole or not at all. Beside Markdown its pictures are drawn into a folder.
        """
        chosen = Path(path)
        form = _format(chosen, format)
        if form == "md":
            pictures = draw_figures(self.contents, chosen.with_name(f"{chosen.stem}-figures"))
            write_whole(chosen, to_markdown(self.contents, pictures))
        else:
            write_whole(chosen, FORMATS[form](self))
        return chosen

    def saved(self, path: FilePath | None, format: str | None = None) -> Self:  # noqa: A002
        """Return the document itself, written where a path is given."""
        if path is not None:
            self.write(path, format)
        return self

    def __str__(self) -> str:
        return self.short()

    def _repr_html_(self) -> str:
        first = next(iter(self.figures.values()), None)
        picture = "" if first is None else first._repr_html_()
        return fragment(self.contents, self.in_notebooks) + picture


def seals_of(source: Ratings | str) -> tuple[str, ...]:
    """Return the newest seal of the study that ratings are from; none where they are from a file.

    Examples
    --------
    >>> from covary import datasets
    >>> seals_of(datasets.load("latin-square-example")), seals_of("137:4be1c5d2a90f3b66")
    ((), ('137:4be1c5d2a90f3b66',))
    """
    if isinstance(source, str):
        return (source,)
    return tuple(
        note.data["head"]
        for note in source.notes
        if isinstance(note, Note) and note.code == "store.sealed"
    )


def is_simulated(source: Ratings | str) -> bool:
    """Whether simulated judges gave the ratings."""
    notes = () if isinstance(source, str) else source.notes
    return any(isinstance(note, Note) and note.code == "store.simulated" for note in notes)


FORMATS: Mapping[str, Callable[[Document], str | bytes]] = MappingProxyType(
    {
        "html": methodcaller("html"),
        "md": methodcaller("markdown"),
        "tex": methodcaller("latex"),
        "docx": methodcaller("docx"),
        "json": methodcaller("json"),
        "csv": methodcaller("csv"),
    }
)
"""The formats, by the ending of a file's name."""


def assemble(
    title: str,
    counts: Iterable[str],
    confidence: float | None,
    sections: Iterable[Section | None],
) -> Contents:
    """Put a report together: counts below the title, then the sections that there are.

    `confidence` is None where no interval was computed.
    """
    intervals = [] if confidence is None else [f"{level_percent(confidence)} intervals"]
    below = (*counts, *intervals, f"covary {__version__}")
    shown = [section for section in sections if section is not None]
    return Contents(title, " · ".join(below), tuple(unique_keys(shown)))


def check_path(path: FilePath | None, format: str | None, caller: str = "report") -> None:  # noqa: A002
    """Refuse what cannot be written before anything is computed."""
    if path is None and format is not None:
        raise InvalidArgument(
            "report.format-without-path", argument="format", value=format, caller=caller
        )
    if path is not None:
        _format(Path(path), format)
        folder = Path(path).parent
        if not folder.is_dir():
            raise InvalidArgument("report.no-folder", argument="path", value=str(folder))


def _format(path: Path, format: str | None) -> str:  # noqa: A002
    name = (path.suffix if format is None else format).lower().lstrip(".")
    name = OTHER_NAMES.get(name, name)
    if name in FORMATS:
        return name
    if format is None:
        raise InvalidArgument(
            "report.ending-unknown", argument="path", value=name, allowed=FORMATS, file=path.name
        )
    raise InvalidArgument("report.format-unknown", argument="format", value=format, allowed=FORMATS)


def draw_figures(contents: Contents, folder: Path, *, pdf: bool = False) -> dict[str, str]:
    """Draw the pictures of a report into a folder; return their paths from beside it, by key.

    With `pdf` each is drawn for LaTeX too: as PDF, or as PNG where it holds a font of pictures,
    such as emoji, which PDF cannot take in.
    """
    figures = contents.figures.values()
    if figures:
        folder.mkdir(exist_ok=True)
    for figure in figures:
        drawn = figure.svg()
        write_whole(folder / f"{figure.key}.svg", drawn)
        if not pdf:
            continue
        for ending in ("pdf", "png"):
            (folder / f"{figure.key}.{ending}").unlink(missing_ok=True)
        import vl_convert

        try:
            write_whole(folder / f"{figure.key}.pdf", vl_convert.svg_to_pdf(drawn))
        except RuntimeError:
            write_whole(folder / f"{figure.key}.png", vl_convert.svg_to_png(drawn, scale=4))
    return {figure.key: f"{folder.name}/{figure.key}.svg" for figure in figures}


def write_whole(path: Path, content: str | bytes) -> None:
    """Write beside the file and rename, so that nobody ever sees half of it.

    A device or a pipe is written to as it is: a file must not take its place.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    content = content if isinstance(content, bytes) else content.encode("utf-8")
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        part.write_bytes(content)
        part.replace(path)
    except OSError as error:
        reason = error.strerror or error
        raise InvalidArgument(
            "report.not-writable", argument="path", value=str(path), reason=reason
        ) from error
    finally:
        part.unlink(missing_ok=True)
