"""How the scale was used: ratings off it, ends and categories without ratings, strays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from covary.analysis.forensics.findings import Finding, counted, named
from covary.analysis.forensics.sheet import Sheet
from covary.ratings import Ratings
from covary.scales import Level

__all__ = ["dominating_category", "faults", "stray_categories", "unused_categories"]

LEAST_RATINGS = 30
"""In fewer ratings a category may be unused, or one may dominate, by chance."""

STRAY, LEAST_FOR_STRAY = 0.002, 500
"""Less than one rating in 500, which only 500 or more ratings can show."""

MOST_STRAYS = 5
"""More uses than this are no slips of the finger, however many ratings there are."""

DOMINATING = 0.95
"""Above this, chance-corrected coefficients rest on a few items and swing with each of them."""

OUTER = 0.1
"""On a line, the outer tenth counts as its end."""


def faults(ratings: Ratings, sheets: Sequence[Sheet]) -> Iterator[Finding]:
    """Report the rows that were set aside when the ratings were read."""
    criteria = {sheet.criterion for sheet in sheets}
    for fault in ratings.faults:
        if fault.criterion is not None and fault.criterion not in criteria:
            continue
        off = fault.kind == "off-scale"
        yield Finding(
            "off-scale" if off else "duplicates", "serious",
            "Some ratings are not possible on the scale." if off
            else "A judge rated the same item more than once.",
            f"{counted(fault.count, 'rating')}: {fault.rows}.",
            "They count as missing until they are corrected or the scale that was used is declared."
            if off else "Only the first counts until one is removed, the occasion column is named, "
            "or items that share a name get their own.",
            fault.criterion, {"count": fault.count, "rows": fault.rows},
        )  # fmt: skip


def unused_categories(sheet: Sheet) -> Iterator[Finding]:
    """Find ends of a declared scale, and categories between them, that nobody used."""
    if not sheet.scale.declared or sheet.rating.size < LEAST_RATINGS:
        return
    if sheet.continuous:
        yield from _unused_ends_of_line(sheet)
        return
    times = _times(sheet)
    unused = np.flatnonzero(times == 0).tolist()
    ends = [c for c in unused if c in (0, times.size - 1) and sheet.scale.level > Level.NOMINAL]
    between = [c for c in unused if c not in ends]
    if ends:
        yield _unused(sheet, [sheet.shown(c) for c in ends], "unused-end", "look")
    if between:
        yield _unused(sheet, [sheet.shown(c) for c in between], "unused-category", "note")


def _unused(sheet: Sheet, names: list[object], code: str, seriousness: str) -> Finding:
    what = "end of the scale" if code == "unused-end" else "category"
    return Finding(
        code, "look" if seriousness == "look" else "note",
        f"Nobody used the {what} {named(names)}.",
        f"0 of {counted(sheet.rating.size, 'rating')} (the scale is {sheet.scale.describe()}).",
        "See whether the declared scale is the one that the judges saw. If it is, say that it was "
        "used in part: coefficients that count possible categories (weighted kappas, AC1) depend "
        "on it.",
        data={"unused": names, "ratings": int(sheet.rating.size)},
    )  # fmt: skip


def _unused_ends_of_line(sheet: Sheet) -> Iterator[Finding]:
    low, high = sheet.scale.low, sheet.scale.high
    least, most = float(sheet.rating.min()), float(sheet.rating.max())
    reach = OUTER * (high - low)
    ends = [end for end, away in ((low, least - low), (high, high - most)) if away > reach]
    if ends:
        yield Finding(
            "unused-end", "look",
            f"Nobody used the end of the scale {named(ends)}.",
            f"{counted(sheet.rating.size, 'rating')} lie between {least:g} and {most:g} on a scale "
            f"from {low:g} to {high:g}.",
            "See whether the ratings were recorded in other units than the declared scale.",
            data={"unused": ends, "lowest": least, "highest": most},
        )  # fmt: skip


def stray_categories(sheet: Sheet) -> Iterator[Finding]:
    """Find categories that were used so rarely that a typing slip is likely."""
    if sheet.continuous or sheet.rating.size < LEAST_FOR_STRAY:
        return
    times, n = _times(sheet), int(sheet.rating.size)
    for code in np.flatnonzero((times > 0) & (times <= min(STRAY * n, MOST_STRAYS))).tolist():
        used, name = int(times[code]), sheet.shown(code)
        rows = np.flatnonzero(sheet.rating == code)
        shown = [(sheet.items[sheet.item[r]], sheet.judges[sheet.judge[r]]) for r in rows]
        where = "; ".join(f"item {item!r} by judge {judge!r}" for item, judge in shown)
        yield Finding(
            "stray-category", "look",
            f"The category {name!r} was used {counted(used, 'time')} in {n:,} ratings: typing "
            f"{'slips' if used > 1 else 'slip'}?",
            f"{where}.",
            "Look at these ratings. If the category is not on the judges' scale, declare the scale "
            "without it and correct them or set them aside.",
            data={"category": name, "times": used, "ratings": n, "rows": [list(r) for r in shown]},
        )  # fmt: skip


def dominating_category(sheet: Sheet) -> Iterator[Finding]:
    """Say when almost all ratings are in one category."""
    if sheet.continuous or sheet.rating.size < LEAST_RATINGS:
        return
    times = _times(sheet)
    share = float(times.max() / sheet.rating.size)
    if share >= DOMINATING:
        name = sheet.shown(int(times.argmax()))
        yield Finding(
            "dominating-category", "note",
            f"Almost all ratings are {name!r}.",
            f"{int(times.max()):,} of {sheet.rating.size:,} ratings ({share:.1%}).",
            "Items hardly differ, so chance-corrected coefficients and correlations are unstable: "
            "report the percentage of agreement and the distribution beside them.",
            data={"category": name, "times": int(times.max()), "share": share},
        )  # fmt: skip


def _times(sheet: Sheet) -> npt.NDArray[np.int64]:
    assert sheet.scale.categories is not None
    return np.bincount(sheet.value, minlength=len(sheet.scale.categories))
