"""Plain values as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

__all__ = ["written"]


def written(found: Mapping[str, Any]) -> str:
    """Write plain values as JSON; NaN becomes null, and nothing is rounded."""
    return json.dumps(_plain(found), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """Bring values to those that JSON has: NumPy's to Python's, NaN to None, keys to text."""
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool | int | str) or value is None:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return str(value)
