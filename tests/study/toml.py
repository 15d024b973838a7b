"""A plain writer of TOML, which Python reads but does not write."""

import json
from typing import Any


def written(content: dict[str, Any]) -> str:
    """Write one line `key = value` for each key."""
    return "".join(f"{_text(key)} = {value_of(value)}\n" for key, value in content.items())


def value_of(value: Any) -> str:
    """Write a value on one line."""
    if isinstance(value, dict):
        pairs = ", ".join(f"{_text(key)} = {value_of(each)}" for key, each in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, list):
        return f"[{', '.join(value_of(each) for each in value)}]"
    return _text(value) if isinstance(value, str) else json.dumps(value)


def _text(text: str) -> str:
    """Write a text: JSON's escapes are TOML's, but TOML wants one for DEL too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
