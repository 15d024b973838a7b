"""Response times in which nobody can have read the item."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from covary.analysis.forensics.findings import Finding, counted, named
from covary.analysis.forensics.sheet import Sheet

__all__ = ["response_times"]

IMPOSSIBLE = 1.0
"""Seconds: to see an item, decide and move a hand takes longer, whatever the item."""

LEAST_RATINGS = 10
"""A judge with fewer times has no habit to speak of."""

OFTEN = 0.1
"""A slip of the finger may happen; in one rating of ten it is no slip."""

MOSTLY = 0.5
"""Half of the ratings without reading: the judge's ratings say little about the items."""


def response_times(sheet: Sheet) -> Iterator[Finding]:
    """Find judges who answered faster than anybody can read, and clocks that run backwards."""
    if "seconds" not in sheet.numbers:
        return
    seconds = sheet.numbers["seconds"]
    timed = ~np.isnan(seconds)
    yield from _backwards(seconds[timed])
    if not timed.any():
        return
    if float(np.median(seconds[timed])) < IMPOSSIBLE:
        yield _unit(float(np.median(seconds[timed])))
        return
    if not sheet.slots:
        yield from _hasty(sheet, seconds < IMPOSSIBLE, timed)


def _hasty(
    sheet: Sheet, short: npt.NDArray[np.bool_], timed: npt.NDArray[np.bool_]
) -> Iterator[Finding]:
    given = np.bincount(sheet.judge[timed], minlength=sheet.n_judges)
    fast = np.bincount(sheet.judge[short & timed], minlength=sheet.n_judges)
    share = fast / np.maximum(given, 1)
    hasty = np.flatnonzero((share >= OFTEN) & (given >= LEAST_RATINGS))
    if hasty.size:
        names = [sheet.judges[judge] for judge in hasty]
        shown = [f"{sheet.judges[j]!r}: {fast[j]:,} of {given[j]:,}" for j in hasty[:6]]
        yield Finding(
            "impossible-times", "serious" if (share[hasty] >= MOSTLY).any() else "look",
            f"Some ratings were given faster than anybody can read: by {named(names)}.",
            f"Ratings in less than {IMPOSSIBLE:g} second: {'; '.join(shown)}.",
            "Look at these ratings; show the coefficients with and without the judges.",
            data={sheet.judges[j]: {"short": int(fast[j]), "timed": int(given[j])} for j in hasty},
        )  # fmt: skip


def _backwards(seconds: npt.NDArray[np.float64]) -> Iterator[Finding]:
    negative = int((seconds < 0).sum())
    if negative:
        yield Finding(
            "negative-times", "look",
            "Some response times are negative.",
            f"{counted(negative, 'time')} of {seconds.size:,} lie below 0 seconds.",
            "See how the times were taken: a clock was set, or start and end are exchanged.",
            data={"negative": negative, "timed": int(seconds.size)},
        )  # fmt: skip


def _unit(median: float) -> Finding:
    return Finding(
        "unit-of-times", "note",
        "The response times are too short to be seconds.",
        f"Half of them are below {median:g}.",
        "Convert the column to seconds; it may hold minutes or be scaled.",
        data={"median": median},
    )  # fmt: skip
