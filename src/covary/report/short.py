"""The short form of a report for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from covary.analysis.comparison import Reliability
from covary.analysis.forensics import Findings
from covary.report.rounding import with_interval
from covary.report.tables import reasons, sides, verdict_word

__all__ = ["short"]

HEADS = ("criterion", "agreement", "correlation", "verdict")
WIDTH = 96


def short(found: Reliability, findings: Findings) -> str:
    """Write the main table, why numbers are missing, and the serious defects."""
    rows = [
        (each.name, with_interval(each.overall.agreement),
         with_interval(each.overall.correlation), verdict_word(each.overall))
        for each in found.criteria
    ]  # fmt: skip
    why = reasons(sides(found.criteria))
    lines = [*_aligned([HEADS, *rows]), *([textwrap.fill(why, WIDTH)] if why else [])]
    return "\n".join([*lines, *(f"\n{each}" for each in findings.serious)])


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()
