"""The short form of a report for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from covary.analysis.comparison import Reliability
from covary.analysis.forensics import Findings
from covary.report.rounding import with_interval
from covary.report.tables import reasons, sides, verdict_word

__all__ = ["WIDTH", "aligned", "short"]

HEADS = ("criterion", "agreement", "correlation", "verdict")
WIDTH = 96


def short(found: Reliability, findings: Findings) -> str:
    """Write the main table, why numbers are missing, and the serious defects."""
    rows = [
        (each.name, with_interval(each.overall.agreement),
         with_interval(each.overall.correlation), verdict_word(each.overall))
        for each in found.criteria
    ]  # fmt: skip
    said = [_names(found), reasons(sides(found.criteria))]
    lines = [*aligned([HEADS, *rows]), *(textwrap.fill(each, WIDTH) for each in said if each)]
    return "\n".join([*lines, *(f"\n{each}" for each in findings.serious)])


def _names(found: Reliability) -> str:
    """Name the coefficients in the table exactly, with their level."""
    overall = [each.overall for each in found.criteria]
    used = {
        "agreement": [each.agreement for each in overall],
        "correlation": [each.correlation for each in overall if each.correlation is not None],
    }
    parts = []
    for side, estimates in used.items():
        names = dict.fromkeys(f"{each.title} ({each.level})" for each in estimates)
        parts += [f"{side}: {', '.join(names)}"] if names else []
    return f"{'; '.join(parts)}. In brackets the {found.confidence:.0%} interval."


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Write rows as columns that stand under each other."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()
