"""What every written analysis shares: its forms, and a file that appears whole or not at all."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from operator import methodcaller
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

from covary.errors import InvalidArgument, choose
from covary.report.contents import Contents, Section, with_own_keys
from covary.report.html import fragment, page
from covary.report.latex import to_latex
from covary.report.markdown import to_markdown
from covary.report.plain_json import written
from covary.report.wording import percent
from covary.version import __version__

__all__ = ["FORMATS", "Document", "Place", "assembled", "check_place"]

Place = str | os.PathLike[str]


class Document(ABC):
    """Something that was found, in every form: a page, a paper, plain values, a table.

    A frozen dataclass that inherits from this has a field `contents`, which every form for
    readers says, and one for what was found, which `found_in` names; it implements `csv` and
    `short`.
    """

    contents: Contents
    found_in: ClassVar[str] = ""
    """The field that holds what was found."""
    in_notebooks: ClassVar[tuple[str, ...]] = ()
    """The keys of the sections that a notebook shows, without pictures."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything that was found as plain values, not rounded."""
        return {
            "software": f"covary {__version__}",
            "title": self.contents.title,
            self.found_in: getattr(self, self.found_in).to_dict(),
        }

    @abstractmethod
    def csv(self) -> str:
        """Return the main table for spreadsheets, not rounded."""

    @abstractmethod
    def short(self) -> str:
        """Return the short form for a terminal."""

    def html(self) -> str:
        """Return one page that needs nothing else."""
        return page(self.contents)

    def markdown(self) -> str:
        """Return the report as Markdown."""
        return to_markdown(self.contents)

    def latex(self) -> str:
        """Return a LaTeX document that compiles."""
        return to_latex(self.contents)

    def json(self) -> str:
        """Return everything that was found, not rounded; what is undefined is null."""
        return written(self.to_dict())

    def write(self, path: Place, format: str | None = None) -> Path:  # noqa: A002
        """Write the report; the ending of the name says the format unless it is given.

        The file appears whole or not at all.
        """
        chosen = Path(path)
        _write_whole(chosen, FORMATS[_format(chosen, format)](self))
        return chosen

    def __str__(self) -> str:
        return self.short()

    def _repr_html_(self) -> str:
        return fragment(self.contents, self.in_notebooks)


FORMATS: Mapping[str, Callable[[Document], str]] = MappingProxyType(
    {
        "html": methodcaller("html"),
        "md": methodcaller("markdown"),
        "tex": methodcaller("latex"),
        "json": methodcaller("json"),
        "csv": methodcaller("csv"),
    }
)
"""The formats, by the ending of a file's name."""


def assembled(
    title: str, facts: Iterable[str], confidence: float, sections: Iterable[Section | None]
) -> Contents:
    """Put a report together: a few facts below the title, then the sections that there are."""
    below = (*facts, f"{percent(confidence)} intervals", f"covary {__version__}")
    shown = [section for section in sections if section is not None]
    return Contents(title, " · ".join(below), tuple(with_own_keys(shown)))


OTHER_NAMES = {"htm": "html", "markdown": "md", "latex": "tex"}


def check_place(path: Place | None, format: str | None, caller: str = "report") -> None:  # noqa: A002
    """Refuse what cannot be written before anything is computed."""
    if path is None and format is not None:
        raise InvalidArgument(
            f"{caller} got format={format!r} and no path; give the path of the file to write, or "
            "use the methods of the report that is returned"
        )
    if path is not None:
        _format(Path(path), format)
        if not Path(path).parent.is_dir():
            raise InvalidArgument(f"path: there is no folder {str(Path(path).parent)!r}; make it")


def _format(path: Path, format: str | None) -> str:  # noqa: A002
    name = (path.suffix if format is None else format).lower().lstrip(".")
    name = OTHER_NAMES.get(name, name)
    if name not in FORMATS:
        asked = f"the ending of {path.name!r}" if format is None else f"format={format!r}"
        raise InvalidArgument(f"{asked} is none that a report has; {choose(name, FORMATS)}")
    return name


def _write_whole(path: Path, text: str) -> None:
    """Write beside the file and rename, so that nobody ever sees half of it."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise InvalidArgument(
            f"the report cannot be written to {str(path)!r}: {error.strerror or error}"
        ) from error
    finally:
        part.unlink(missing_ok=True)
