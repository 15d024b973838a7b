"""New study folders to begin from: each is a whole study that works as it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

from covary.errors import InvalidArgument


@dataclass(frozen=True)
class Template:
    """A study to begin from: what it is, and the name of its file of items."""

    name: str
    about: str
    items: str = "items.csv"

    def contents(self) -> dict[str, str]:
        """Return the text of each file by its name, in the order to read them."""
        place = files("covary.study.templates") / self.name
        names = ("study.toml", "guidelines.md", self.items)
        return {name: place.joinpath(name).read_text(encoding="utf-8") for name in names}


TEMPLATES: Mapping[str, Template] = MappingProxyType(
    {
        template.name: template
        for template in (
            Template(
                "verbal-and-visual", "seven categories against a line, as in Belz & Kow (2011)"
            ),
            Template("duc-5", "five categories from Very Poor to Very Good, as in DUC"),
            Template("qg-stec", "five criteria for pairs of questions; 1 is best"),
            Template("dialogue", "turns of a chat: valid, acceptable or invalid", "items.jsonl"),
            Template("guidelines", "judges write their guidelines in rounds of training"),
            Template("crowd", "people from Prolific, with practice, checks, codes and pay"),
            Template("preference", "which of two outputs is better, or neither"),
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
        raise InvalidArgument(
            "study.no-template", argument="template", value=template, allowed=TEMPLATES
        )
    place = Path(folder)
    if place.exists() and not place.is_dir():
        raise InvalidArgument("study.folder-is-file", folder=place)
    contents = TEMPLATES[template].contents()
    taken = [name for name in (*contents, "study.db", "design.csv") if (place / name).exists()]
    if taken:
        raise InvalidArgument("study.folder-taken", folder=place, files=taken)
    place.mkdir(parents=True, exist_ok=True)
    return [_write_new(place / name, text) for name, text in contents.items()]


def _write_new(path: Path, text: str) -> Path:
    with path.open("x", encoding="utf-8", newline="\n") as file:  # x: never over a file
        file.write(text)
    return path
