"""A report for programs: everything that was found, not rounded, as the shipped schema has it."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any, Protocol

from covary.analysis.comparison import Reliability
from covary.analysis.forensics.findings import Findings
from covary.analysis.judges import JudgeProfile
from covary.analysis.systems import Systems
from covary.report.contents import Contents
from covary.report.plain_json import written
from covary.report.systems.brief import brief_dict
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
    def systems(self) -> Systems | None:
        """A brief comparison of the systems, where the ratings know them."""

    @property
    def contents(self) -> Contents:
        """What the report says."""


def to_json(report: Reported) -> str:
    """Write a report as JSON."""
    found = {
        "version": VERSION,
        "software": f"covary {__version__}",
        "title": report.contents.title,
        "reliability": report.reliability.to_dict(),
        "findings": report.findings.to_dict()["findings"],
        "judges": [profile.to_dict() for profile in report.profiles],
    }
    if report.systems is not None:
        found["systems"] = brief_dict(report.systems)
    return written(found)


def schema() -> dict[str, Any]:
    """Return the JSON Schema that `to_json` keeps to."""
    text = files("covary.report").joinpath("schema.json").read_text(encoding="utf-8")
    read: dict[str, Any] = json.loads(text)
    return read
