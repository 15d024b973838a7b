"""A table in several files: a folder of them, or a pattern such as 'ratings/*.parquet'."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from pathlib import Path

from covary.errors import InvalidArgument, RatingsError, listed
from covary.formats.tables import LINES, PARQUET, TEXT, ending_of

__all__ = ["files_of", "is_pattern", "one_kind"]

SPLIT = (*PARQUET, *TEXT, *LINES)
"""Endings of tables that are often split into several files."""

OF_POTATO = "user_state.json"
"""Folders with such a file have a format of their own."""


def is_pattern(path: Path) -> bool:
    """Say whether a path stands for all files that match it."""
    return glob.has_magic(str(path)) and not path.exists()


def files_of(path: Path) -> tuple[Path, ...]:
    """Return the files of a table: the file itself, those of a folder, or those that match."""
    if is_pattern(path):
        found = sorted(Path(each) for each in glob.glob(str(path), recursive=True))
        return tuple(file for each in found if _is_data(each.name) for file in files_of(each))
    if path.is_dir():
        return _in_folder(path)
    return (path,)


def one_kind(files: Sequence[Path], path: Path) -> str:
    """Return the ending that all files share, or refuse."""
    endings = sorted({ending_of(file) for file in files})
    if len(endings) > 1:
        raise InvalidArgument(
            f"path='{path}' stands for files of several kinds ({listed(endings)}); name one kind, "
            f"such as '{path if path.is_dir() else path.parent}/*{endings[0]}'"
        )
    for file in files:
        if not file.stat().st_size:
            raise RatingsError(f"{file} is empty; remove it, or write it again")
    return endings[0]


def _in_folder(folder: Path) -> tuple[Path, ...]:
    """Find the tables in a folder, also where they were put into folders by value."""
    if any(folder.rglob(OF_POTATO)):
        return ()
    inside = sorted(file for file in folder.rglob("*") if file.is_file())
    return tuple(
        file
        for file in inside
        if ending_of(file) in SPLIT
        and all(_is_data(part) for part in file.relative_to(folder).parts)
    )


def _is_data(name: str) -> bool:
    """What begins with a point or an underscore is what a program noted for itself."""
    return not name.startswith((".", "_"))
