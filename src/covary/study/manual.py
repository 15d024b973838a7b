"""The manual: the scheme (criteria, ranks, wording) and the guidelines, each with its version."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from covary.study.model import Criterion, Manual
from covary.study.scale_tables import as_table

__all__ = ["make_manual", "scheme_of"]

LENGTH = 12
"""Letters of a version: with 48 bits, two manuals of one study will not meet by chance."""


def make_manual(criteria: Sequence[Criterion], guidelines: str) -> Manual:
    """Return the manual of some criteria and guidelines, with its versions."""
    scheme = _digest(scheme_of(criteria))
    written = _digest(guidelines)
    return Manual(guidelines, _digest([scheme, written]), scheme, written)


def scheme_of(criteria: Sequence[Criterion]) -> list[dict[str, Any]]:
    """Return what the criteria say to a judge, as tables that can be written and compared."""
    return [
        {
            "name": each.name,
            "part": each.part,
            "question": each.question,
            "definition": each.definition,
            "scale": as_table(each.scale),
            "faces": each.faces,
            "vertical": each.vertical,
        }
        for each in criteria
    ]


def _digest(content: object) -> str:
    written = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()[:LENGTH]
