"""The files of a study: only those inside its folder, and their text whatever saved it."""

from __future__ import annotations

import re
from pathlib import Path

from covary.errors import RatingsError
from covary.formats.encoding import encoding_of

__all__ = ["IMAGES", "StudyFileFault", "inside", "text_of"]

IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif")
"""Endings of images. SVG is not among them, because it may hold scripts."""


class StudyFileFault(Exception):
    """What is wrong with the name or the content of a file; it becomes a fault of the study."""


def inside(folder: Path, name: str) -> Path:
    """Return the file of a name inside the folder; refuse addresses and ways out of it."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", name) or name.startswith("//"):
        raise StudyFileFault(
            f"{name!r} is an address or a drive; covary fetches nothing, so put the file into the "
            "study's folder and write its name"
        )
    if "\\" in name:
        raise StudyFileFault(f"{name!r} has backslashes; write it with / between folders")
    path = Path(name)
    if path.is_absolute() or ".." in path.parts or not _is_below(folder, folder / path):
        raise StudyFileFault(f"{name!r} lies outside the study's folder; put the file inside it")
    if not _is_file(folder / path):
        raise StudyFileFault(f"{name!r} is missing; there is no such file in the study's folder")
    return folder / path


def text_of(file: Path) -> tuple[str, str]:
    """Return the text of a file, with plain line ends, and its encoding."""
    try:
        encoding = encoding_of(file)
        return _decoded(file, encoding), encoding
    except (RatingsError, OSError) as error:
        raise StudyFileFault(str(error)) from None


def _decoded(file: Path, encoding: str) -> str:
    try:
        text = file.read_bytes().decode(encoding)
    except UnicodeError:
        raise StudyFileFault(f"{file.name} is damaged {encoding.upper()} text") from None
    return text.replace("\r\n", "\n")


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long for any file
        return False


def _is_below(folder: Path, path: Path) -> bool:
    """Say whether a path stays below a folder when links are followed."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError):
        return False
