"""Frozen dataclasses as plain values, ready for JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from covary.scales import Level

__all__ = ["plain"]


def plain(value: Any) -> Any:
    """Return plain values: NaN becomes None, arrays and tuples lists, dataclasses dicts,
    levels their names.

    Fields that do not show in a dataclass's `repr` are left out: they are not results.

    Examples
    --------
    >>> plain({"f": float("nan"), "df": (3, 28)})
    {'f': None, 'df': [3, 28]}
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value) if each.repr}
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value) if isinstance(value, Level) else value
