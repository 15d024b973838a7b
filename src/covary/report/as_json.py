"""A report for programs: everything that was found, not rounded, as the shipped schema has it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Protocol

from covary.analysis.comparison import Reliability
from covary.analysis.forensics.findings import Findings
from covary.analysis.judges import JudgeProfile
from covary.report.contents import Contents
from covary.version import __version__

__all__ = ["VERSION", "Reported", "schema", "to_json"]

VERSION = 1
"""The version of the form, which grows when a reader of the last one would be wrong."""


class Reported(Protocol):
    """What is needed of a report."""

    @property
    def reliability(self) -> Reliability:
        """Agreement beside correlation for every criterion."""

    @property
    def findings(self) -> Findings:
        """What is wrong with the ratings."""

    @property
    def profiles(self) -> tuple[JudgeProfile, ...]:
        """How each judge rates."""

    @property
    def contents(self) -> Contents:
        """What the report says."""


def to_json(report: Reported) -> str:
    """Write a report as JSON; NaN becomes null, and nothing is rounded."""
    found = {
        "version": VERSION,
        "software": f"covary {__version__}",
        "title": report.contents.title,
        "reliability": report.reliability.to_dict(),
        "findings": report.findings.to_dict()["findings"],
        "judges": [profile.to_dict() for profile in report.profiles],
    }
    return json.dumps(_plain(found), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def schema() -> dict[str, Any]:
    """Return the JSON Schema that `to_json` keeps to."""
    text = files("covary.report").joinpath("schema.json").read_text(encoding="utf-8")
    read: dict[str, Any] = json.loads(text)
    return read


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
