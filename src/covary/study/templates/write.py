"""New study folders to begin from: each is a whole study that works as it stands."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any

from covary.errors import InvalidArgument, listed
from covary.study.faults import near
from covary.study.templates.dialogue import turns
from covary.study.templates.weather import pairs, single

__all__ = ["TEMPLATES", "Template", "write_template"]


@dataclass(frozen=True)
class Template:
    """A study to begin from: what it is, and what makes its items where code does."""

    name: str
    about: str
    make_items: Callable[[], Iterable[Mapping[str, Any]]] | None = None
    items: str = "items.csv"

    def contents(self) -> dict[str, str]:
        """Return the text of each file by its name."""
        place = files("covary.study.templates") / self.name
        names = ["study.toml", "guidelines.md"]
        found = {name: place.joinpath(name).read_text(encoding="utf-8") for name in names}
        if self.make_items is None:
            found[self.items] = place.joinpath(self.items).read_text(encoding="utf-8")
        else:
            rows = list(self.make_items())
            found[self.items] = _lines(rows) if self.items.endswith(".jsonl") else _table(rows)
        return found


TEMPLATES: Mapping[str, Template] = MappingProxyType(
    {
        each.name: each
        for each in (
            Template(
                "verbal-and-visual",
                "seven categories against a line, as in Belz & Kow (2011)",
                single,
            ),
            Template("duc-5", "five categories from Very Poor to Very Good, as in DUC"),
            Template("qg-stec", "five criteria for pairs of questions; 1 is best"),
            Template(
                "dialogue", "turns of a chat: valid, acceptable or invalid", turns, "items.jsonl"
            ),
            Template("guidelines", "judges write their guidelines in rounds of training"),
            Template("preference", "which of two outputs is better, or neither", pairs),
        )
    }
)
"""The studies that `write_template` can write, by name."""


def write_template(folder: str | Path, template: str = "verbal-and-visual") -> list[Path]:
    """Write a new study into a folder, and return the files in the order to read them.

    Nothing is overwritten: a file that is there already is an `InvalidArgument`, before anything
    is written.
    """
    if template not in TEMPLATES:
        raise InvalidArgument(f"template={template!r} is not known; {near(template, TEMPLATES)}")
    place = Path(folder)
    if place.exists() and not place.is_dir():
        raise InvalidArgument(f"'{place}' is a file; name a folder for the study")
    contents = TEMPLATES[template].contents()
    taken = [name for name in (*contents, "study.db", "design.csv") if (place / name).exists()]
    if taken:
        raise InvalidArgument(
            f"the folder '{place}' holds {listed(taken)} already, and nothing is overwritten; "
            "name another folder"
        )
    place.mkdir(parents=True, exist_ok=True)
    return [_written(place / name, text) for name, text in contents.items()]


def _written(path: Path, text: str) -> Path:
    with path.open("x", encoding="utf-8", newline="\n") as file:  # x: never over a file
        file.write(text)
    return path


def _table(rows: Iterable[Mapping[str, Any]]) -> str:
    rows = list(rows)
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def _lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
