"""What a command reads ratings from: a file, a folder, a pattern, or the address of a database."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from covary.formats.parts import is_pattern

__all__ = ["Place", "named_after"]


class Place(click.Path):
    """A path, or an address such as postgresql://… or hdfs://…, which is no path."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Path | str:
        if isinstance(value, str) and "://" in value:
            return value
        converted: Path = super().convert(value, param, ctx)  # type: ignore[assignment]
        return converted


def named_after(place: Path | str, query: str | None = None) -> Path:
    """Return the path that a report on a place is named after and put beside.

    Examples
    --------
    >>> str(named_after(Path("ratings/*.parquet")))
    'ratings'
    >>> str(named_after("postgresql://me:secret@host/studies", "fluency"))
    'fluency'
    """
    if isinstance(place, str):
        named = query if query and query.isidentifier() else Path(urlsplit(place).path).name
        return Path(named or "ratings")
    if is_pattern(place):
        plain = [part for part in place.parts if not any(mark in part for mark in "*?[")]
        return named_after(Path(*plain) if plain else Path.cwd())
    return place if place.name else place.resolve()
