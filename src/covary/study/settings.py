"""Settings written into study.toml: the values change, comments and layout stay."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from covary.errors import InvalidArgument
from covary.formats.toml_tables import KeyLines, find_key_lines
from covary.study.read import FILE

TABLE = "design"

HEADER = re.compile(r"\s*\[\s*design\s*\]\s*(#.*)?")

VALUE = re.compile(
    r"""(?P<key>\s*[\w-]+\s*=\s*)(?P<value>"[^"]*"|'[^']*'|[^#\s]+)(?P<rest>\s*(#.*)?)"""
)


def set_design(folder: str | Path, settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Write settings of [design] into a study's study.toml; return the names that changed.

    Parameters
    ----------
    folder
        The study's folder.
    settings
        Whole numbers and words by their keys; None takes a key out.

    Raises
    ------
    InvalidArgument
        The table is written in a way that cannot be changed line by line; nothing is written.
    """
    path = Path(folder) / FILE
    text = path.read_bytes().decode("utf-8")
    before = tomllib.loads(text)
    changed = {
        key: value for key, value in settings.items() if before.get(TABLE, {}).get(key) != value
    }
    if not changed:
        return ()
    after = _rewritten(text, changed, path)
    wanted = {**before.get(TABLE, {}), **changed}
    wanted = {key: value for key, value in wanted.items() if value is not None}
    if tomllib.loads(after) != {**before, TABLE: wanted}:
        raise _elsewhere(path, changed)
    path.write_bytes(after.encode("utf-8"))
    return tuple(changed)


def _rewritten(text: str, settings: Mapping[str, Any], path: Path) -> str:
    end = "\r\n" if "\r\n" in text else "\n"
    lines, known = text.split(end), find_key_lines(text.replace("\r\n", "\n"))
    header = known.lines.get((TABLE,))
    if header is None:
        written = [
            f"{key} = {_toml(value)}" for key, value in settings.items() if value is not None
        ]
        return text.rstrip() + end + end + end.join([f"[{TABLE}]", *written]) + end
    if not HEADER.fullmatch(lines[header - 1]):
        raise _elsewhere(path, settings)
    last = header
    removed = set()
    for key, line in _keys(known).items():
        last = max(last, line)
        if key not in settings:
            continue
        match = VALUE.fullmatch(lines[line - 1])
        if match is None:
            raise _elsewhere(path, settings)
        if settings[key] is None:
            removed.add(line)
        else:
            lines[line - 1] = f"{match['key']}{_toml(settings[key])}{match['rest']}"
    new = [
        f"{key} = {_toml(value)}"
        for key, value in settings.items()
        if value is not None and key not in _keys(known)
    ]
    kept = [line for number, line in enumerate(lines[:last], start=1) if number not in removed]
    return end.join([*kept, *new, *lines[last:]])


def _keys(known: KeyLines) -> dict[str, int]:
    """The line of each key of the table."""
    return {
        str(path[1]): line
        for path, line in known.lines.items()
        if len(path) == 2 and path[0] == TABLE
    }


def _toml(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def _elsewhere(path: Path, settings: Mapping[str, Any]) -> InvalidArgument:
    lines = [f"{key} = {_toml(value)}" for key, value in settings.items() if value is not None]
    return InvalidArgument("study.set-by-hand", path=path, table=TABLE, lines=lines)
