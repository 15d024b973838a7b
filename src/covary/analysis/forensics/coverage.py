"""How many ratings items and judges have, and whether an item is one text."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from covary.analysis.forensics.findings import Finding, Seriousness, counted, named
from covary.analysis.forensics.sheet import Sheet

__all__ = [
    "few_ratings",
    "merged_conditions",
    "missing_ratings",
    "over_collected",
    "single_ratings",
]

PLANNED = 0.8
"""If so many items have the same number of ratings, this number was planned."""

MANY_SINGLE = 0.2
"""From a fifth of the items on, agreement speaks of a part of the study only."""

FEW, FEW_OF_USUAL = 10, 0.1
"""A judge with under ten ratings, or a tenth of what half of the judges gave, adds mostly noise."""


def single_ratings(sheet: Sheet) -> Iterator[Finding]:
    """Find items with one rating, which no coefficient of agreement can use."""
    single = sheet.per_unit == 1
    n, total = int(single.sum()), sheet.n_units
    if not n or sheet.n_judges < 2:
        return
    seriousness: Seriousness = "look" if n >= MANY_SINGLE * total else "note"
    yield Finding(
        "single-ratings", seriousness,
        "No item has two ratings." if n == total else "Some items have only one rating.",
        f"{counted(n, 'item')} of {total:,}: {named(_items(sheet, single))}.",
        "There is no agreement to compute; have some items rated twice." if n == total
        else "Agreement and correlation leave these items out; say so beside the coefficients.",
        data={"single": n, "items": total},
    )  # fmt: skip


def over_collected(sheet: Sheet) -> Iterator[Finding]:
    """Find items with more ratings than were planned."""
    counts = np.bincount(sheet.per_unit)
    usual = int(counts.argmax())
    more = sheet.per_unit > usual
    if counts[usual] < PLANNED * sheet.n_units or not more.any():
        return
    n, most = int(more.sum()), int(sheet.per_unit.max())
    yield Finding(
        "over-collected", "look",
        f"Some items have more than the usual {counted(usual, 'rating')}.",
        f"{counted(n, 'item')} of {sheet.n_units:,} have up to {most}: "
        f"{named(_items(sheet, more))}.",
        "See whether these items were given out twice or two items share one name; decide by a "
        "rule that does not look at the ratings which of them count.",
        data={"usual": usual, "more": n, "most": most, "items": sheet.n_units},
    )  # fmt: skip


def few_ratings(sheet: Sheet) -> Iterator[Finding]:
    """Find judges with hardly any ratings."""
    usual = float(np.median(sheet.per_judge))
    few = np.flatnonzero(sheet.per_judge < min(max(FEW, FEW_OF_USUAL * usual), usual))
    if sheet.n_judges < 2 or not few.size:
        return
    names = [sheet.judges[judge] for judge in few]
    shown = [f"{sheet.judges[judge]!r}: {sheet.per_judge[judge]:,}" for judge in few[:6]]
    more = f" and {few.size - 6:,} more judges" if few.size > 6 else ""
    yield Finding(
        "few-ratings", "note",
        f"Some judges gave very few ratings: {named(names)}.",
        f"{'; '.join(shown)}{more}; half of the judges gave {usual:g} or more.",
        "Say nothing about these judges by themselves, and see whether leaving them out changes "
        "the coefficients.",
        data={"usual": usual, "ratings": [[sheet.judges[j], int(sheet.per_judge[j])] for j in few]},
    )  # fmt: skip


def merged_conditions(sheet: Sheet) -> Iterator[Finding]:
    """Find items whose name stands for the texts of several systems or sources."""
    for column in ("system", "source"):
        if column not in sheet.others:
            continue
        found = sheet.others[column]
        known = found.codes >= 0
        pairs = np.unique(sheet.item[known] * len(found.names) + found.codes[known])
        times = np.bincount(pairs // max(len(found.names), 1), minlength=len(sheet.items))
        merged = np.flatnonzero(times > 1)
        if merged.size:
            total = int((times > 0).sum())
            yield _merged(column, [sheet.items[i] for i in merged[:7]], merged.size, total)


def _merged(column: str, names: list[object], n: int, total: int) -> Finding:
    shown = named(names[:6]) + (f" and {n - 6:,} more" if n > 6 else "")
    return Finding(
        "merged-conditions", "serious",
        f"One item name stands for several values of {column}, so judges rated different texts "
        "under it.",
        f"{counted(n, 'item')} of {total:,} occur with more than one {column}: {shown}.",
        f"Make the item names unique, for example item and {column} together; else judges seem to "
        "disagree who never saw the same text. If only a few items are concerned, look for slips.",
        data={"column": column, "merged": n, "items": total, "examples": names[:6]},
    )  # fmt: skip


def missing_ratings(sheet: Sheet) -> Iterator[Finding]:
    """Say which share of the items × judges table is empty."""
    cells = sheet.n_units * sheet.n_judges
    missing = cells - sheet.rating.size
    if not missing or sheet.n_judges < 2:
        return
    low, high = int(sheet.per_unit.min()), int(sheet.per_unit.max())
    each = counted(low, "rating") if low == high else f"{low} to {high} ratings"
    columns = "slots" if sheet.slots else "judges"
    empty = f" {counted(sheet.n_empty, 'row')} of the data hold no rating." if sheet.n_empty else ""
    yield Finding(
        "missing-ratings", "note",
        f"Not every item has a rating from each of the {sheet.n_judges:,} {columns}.",
        f"{missing / cells:.1%} of {cells:,} possible ratings are missing; items have {each}."
        f"{empty}",
        "Coefficients that need complete items (W, most forms of ICC) leave the others out; see "
        "how many they use. If ratings are missing for a reason that has to do with the items, no "
        "coefficient repairs that.",
        data={"missing": missing, "cells": cells, "share": missing / cells, "empty": sheet.n_empty},
    )  # fmt: skip


def _items(sheet: Sheet, units: npt.NDArray[np.bool_]) -> list[object]:
    """The names of the items of some units."""
    item = np.zeros(sheet.n_units, dtype=np.int64)
    item[sheet.unit] = sheet.item
    return [sheet.items[each] for each in item[units]]
