"""The values that papers print about the shipped ratings, to the digit."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from covary.errors import InvalidArgument, choose

__all__ = ["printed"]


def printed(table: str) -> dict[str, Any]:
    """Return a table as its paper prints it: the cells as text, and the paper as `source`.

    The cells are text because a paper that prints 0.2 does not claim 0.20.

    Examples
    --------
    >>> printed("godwin-piwek-2016-table-6")["reevaluated"]["variety"]
    '0.904'
    """
    known = tomllib.loads(_text())
    if table not in known:
        raise InvalidArgument(f"table={table!r} is not known; {choose(table, known)}")
    chosen: dict[str, Any] = known[table]
    return chosen


@cache
def _text() -> str:
    return files("covary.datasets").joinpath("data", "printed.toml").read_text(encoding="utf-8")
