"""Items as they were judged: what an item says under a version, and what a change changes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from covary.study.manual import digest_of
from covary.study.model import Item, Study

FIELDS = (
    *("texts", "systems", "source", "input", "image_text"),
    *("context", "speaker", "cluster", "following"),
)
"""What an item says beside its files; what it is for and what is expected are not judged."""

FILES = ("image", "audio", "video")


@dataclass(frozen=True)
class ItemVersion:
    """What an item says: its content as plain values, empty ones left out, and their digest."""

    item: str
    content: Mapping[str, Any]

    @property
    def version(self) -> str:
        """The digest that answers point to."""
        return digest_of(self.content)

    @property
    def system(self) -> str | None:
        """The system, or the different systems of a set joined by ' / '."""
        return " / ".join(dict.fromkeys(self.content.get("systems", ()))) or None

    def differences(self, other: ItemVersion) -> tuple[str, ...]:
        """Name what another version of the item says differently."""
        names = dict.fromkeys((*self.content, *other.content))
        return tuple(name for name in names if self.content.get(name) != other.content.get(name))


def version_of(item: Item, folder: Path) -> ItemVersion:
    """Return what an item of a study's folder says now.

    Examples
    --------
    >>> version_of(Item("q1", ("Who lit it?",), ("a",)), Path()).content
    {'texts': ['Who lit it?'], 'systems': ['a']}
    """
    content = {name: _plain(getattr(item, name)) for name in FIELDS}
    for name in FILES:
        file = getattr(item, name)
        if file is not None:
            content[name] = _file_digest(folder / file)
    return ItemVersion(item.id, {name: value for name, value in content.items() if value})


def item_versions(study: Study) -> dict[str, ItemVersion]:
    """Return what each item of a study says now, by its id."""
    return {item.id: version_of(item, study.folder) for item in study.items}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return [value.speaker, value.text] if hasattr(value, "speaker") else value


def _file_digest(path: Path) -> str:
    """Return the digest of a picture or recording; one that is missing has none."""
    try:
        status = path.stat()
    except OSError:
        return ""
    return _digest_of_file(os.fspath(path), status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=4096)
def _digest_of_file(path: str, _modified: int, _size: int) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()
