"""Who rated what on which part of the scale: ratings per item, judges by systems, categories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from covary.analysis.forensics.findings import Finding
from covary.analysis.forensics.sheet import MOST_JUDGES, Ints, Sheet, distinct, median
from covary.ratings import Ratings
from covary.scales import Level
from covary.stats.distributions import chi2_tail

PLANNED = 0.8
"""If so many items have the same number of ratings, this number was planned."""

EXAMPLES = 6
"""So many items are named where more are concerned."""

MANY_SINGLE = 0.2
"""From a fifth of the items on, agreement speaks of a part of the study only."""

FEW, FEW_OF_USUAL = 10, 0.1
"""A judge with under ten ratings, or a tenth of what half of the judges gave, adds mostly noise."""

CHANCE = 1e-6
"""How probable the imbalance may be if judges were assigned without regard to systems."""

SMALL, MEDIUM = 0.1, 0.3
"""Cohen's small and medium effect for Cramér's V (bias-corrected)."""

LEAST_EXPECTED, ALMOST_NONE = 10, 0.1
"""A hole: at most a tenth of the ratings expected without regard to systems, if these are ten."""

SPREAD = 0.5
"""Judges half a standard deviation apart in severity move a system's mean visibly."""

LEAST_FOR_SEVERITY = 20
"""A judge with fewer has no severity worth comparing."""

LEAST_COMMON = 10
"""On fewer common items pairwise coefficients are often undefined, and always useless."""

LEAST_FOR_USE = 30
"""In fewer ratings a category may be unused, or one may dominate, by chance."""

STRAY, LEAST_FOR_STRAY = 0.002, 500
"""Less than one rating in 500, which only 500 or more ratings can show."""

MOST_STRAYS, FEW_STRAYS, OF_CATEGORIES = 5, 2, 0.2
"""More uses than this are no slips of the finger, however many ratings there are; and where more
than two and a fifth of the values are rare, rare values are the rule (magnitude estimation)."""

FAR, BEYOND, LEAST_FOR_FAR = 5, 1.5, 20
"""So many points, and so many times the range of all others, beyond them: 44 for 4, 11 for 1."""

DOMINATING = 0.95
"""Above this, chance-corrected coefficients rest on a few items and swing with each of them."""

OUTER = 0.1
"""On a line, the outer tenth counts as its end."""


def single_ratings(sheet: Sheet) -> Iterator[Finding]:
    """Find items with one rating, which no coefficient of agreement can use."""
    single = sheet.per_unit == 1
    n, total = int(single.sum()), sheet.n_units
    if not n or (sheet.slots and n == total):
        return
    yield Finding(
        "single-ratings",
        "look" if n >= MANY_SINGLE * total else "note",
        variant="all" if n == total else "",
        data={"single": n, "items": total},
        detail={"names": _item_names(sheet, single)},
    )


def excess_ratings(sheet: Sheet) -> Iterator[Finding]:
    """Find items with more ratings than were planned."""
    counts = np.bincount(sheet.per_unit)
    usual = int(counts.argmax())
    more = sheet.per_unit > usual
    if counts[usual] < PLANNED * sheet.n_units or not more.any():
        return
    n, most = int(more.sum()), int(sheet.per_unit.max())
    yield Finding(
        "over-collected",
        "look",
        about={"usual": usual},
        data={"usual": usual, "more": n, "most": most, "items": sheet.n_units},
        detail={"names": _item_names(sheet, more)},
    )


def few_ratings(sheet: Sheet) -> Iterator[Finding]:
    """Find judges with hardly any ratings."""
    usual = median(sheet.per_judge)
    few = np.flatnonzero(sheet.per_judge < min(max(FEW, FEW_OF_USUAL * usual), usual))
    if sheet.n_judges < 2 or not few.size:
        return
    ratings = [[sheet.judges[judge], int(sheet.per_judge[judge])] for judge in few]
    yield Finding(
        "few-ratings",
        "note",
        about={"judges": tuple(judge for judge, _ in ratings)},
        data={"usual": usual, "ratings": ratings},
    )


def merged_conditions(sheet: Sheet) -> Iterator[Finding]:
    """Find items whose name stands for texts of several sources."""
    if "source" not in sheet.others:
        return
    codes, names = sheet.others["source"].codes, sheet.others["source"].names
    known = codes >= 0
    pairs = distinct(sheet.item[known] * len(names) + codes[known])
    times = np.bincount(pairs // max(len(names), 1), minlength=len(sheet.items))
    merged = np.flatnonzero(times > 1)
    if merged.size:
        examples = [sheet.items[item] for item in merged[:EXAMPLES]]
        data = {"merged": merged.size, "items": int((times > 0).sum()), "examples": examples}
        about = {"column": "source"}
        yield Finding("merged-conditions", "serious", about=about, data=about | data)


def missing_ratings(sheet: Sheet) -> Iterator[Finding]:
    """Say which share of the items × judges table is empty."""
    cells = sheet.n_units * sheet.n_judges
    missing = cells - sheet.rating.size
    if not missing or sheet.n_judges < 2:
        return
    data = {"missing": missing, "cells": cells, "share": missing / cells, "empty": sheet.n_empty}
    yield Finding(
        "missing-ratings",
        "note",
        about={"n": sheet.n_judges, "columns": "slots" if sheet.slots else "judges"},
        data=data,
        detail={"fewest": int(sheet.per_unit.min()), "most": int(sheet.per_unit.max())},
    )


def _item_names(sheet: Sheet, units: npt.NDArray[np.bool_]) -> list[object]:
    """The names of the items of some units."""
    item = np.zeros(sheet.n_units, dtype=np.int64)
    item[sheet.unit] = sheet.item
    return [sheet.items[place] for place in item[units]]


def confounding(sheet: Sheet) -> Iterator[Finding]:
    """Find systems that not all judges rated alike often, so that severity looks like quality."""
    table = _judges_by_systems(sheet)
    if table is None:
        return
    counts, names = table
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    square = float(((counts - expected) ** 2 / expected).sum())
    effect = _cramer(square, counts)
    holes = np.argwhere((expected >= LEAST_EXPECTED) & (counts <= ALMOST_NONE * expected))
    freedom = float((counts.shape[0] - 1) * (counts.shape[1] - 1))
    worth = effect >= MEDIUM or (effect >= SMALL and len(holes) > 0)
    if worth and chi2_tail(square, freedom) < CHANCE:
        yield _confounding_finding(sheet, counts, names, holes=holes.tolist(), effect=effect)


def _confounding_finding(
    sheet: Sheet, counts: Ints, names: list[object], *, holes: list[list[int]], effect: float
) -> Finding:
    spread, deviation = _severity_spread(sheet), float(sheet.rating.std())
    cells = {
        str(judge): {str(name): int(n) for name, n in zip(names, row, strict=True)}
        for judge, row in zip(sheet.judges, counts, strict=True)
    }
    data = {
        "ratings": cells,
        "cramer_v": effect,
        "severity_spread": spread,
        "holes": [[sheet.judges[j], names[s], int(counts[j, s])] for j, s in holes],
    }
    sure = len(holes) > 0 and spread >= SPREAD * deviation
    return Finding(
        "judge-system-confounding",
        "serious" if sure else "look",
        data=data,
        detail={"deviation": deviation},
    )


def _judges_by_systems(sheet: Sheet) -> tuple[Ints, list[object]] | None:
    system = sheet.others.get("system")
    if system is None or sheet.n_judges < 2:
        return None
    known = system.codes >= 0
    width = len(system.names)
    flat = np.bincount(
        sheet.judge[known] * width + system.codes[known], minlength=sheet.n_judges * width
    )
    counts = flat.reshape(sheet.n_judges, width)
    used = [
        s for s in sorted(range(width), key=lambda s: str(system.names[s])) if counts[:, s].any()
    ]
    if len(used) < 2 or not counts.sum(axis=1).all():
        return None
    return counts[:, used], [system.names[s] for s in used]


def _cramer(square: float, counts: Ints) -> float:
    """Cramér's V with Bergsma's (2013) correction for the bias of small tables."""
    n, (rows, columns) = int(counts.sum()), counts.shape
    freedom = (rows - 1) * (columns - 1) / max(n - 1, 1)
    smaller = min(
        rows - (rows - 1) ** 2 / max(n - 1, 1), columns - (columns - 1) ** 2 / max(n - 1, 1)
    )
    return float(np.sqrt(max(0.0, square / n - freedom) / max(smaller - 1, 1e-9)))


def _severity_spread(sheet: Sheet) -> float:
    severity = sheet.pairs.severity[sheet.per_judge[sheet.pairs.kept] >= LEAST_FOR_SEVERITY]
    severity = severity[~np.isnan(severity)]
    return float(np.ptp(severity)) if severity.size else 0.0


def unconnected_judges(sheet: Sheet) -> Iterator[Finding]:
    """Find groups of judges who share no item with the others, directly or through somebody."""
    if sheet.n_judges < 2 or not (sheet.per_unit > 1).any():
        return
    group = _connected_groups(sheet)
    n = int(group.max()) + 1
    if n < 2:
        return
    members = [[sheet.judges[j] for j in np.flatnonzero(group == g)] for g in range(n)]
    bound = _bound_systems(sheet, group)
    yield Finding(
        "unconnected-judges",
        "serious" if bound else "look",
        about={"n": n},
        data={"groups": members, "systems_of_one_group": bound},
    )


def _connected_groups(sheet: Sheet) -> Ints:
    """Number the connected parts of the graph of judges and items."""
    group = np.arange(sheet.n_judges)
    while True:
        lowest = np.full(sheet.n_units, sheet.n_judges)
        np.minimum.at(lowest, sheet.unit, group[sheet.judge])
        joined = group.copy()
        np.minimum.at(joined, sheet.judge, lowest[sheet.unit])
        joined = joined[joined]
        if np.array_equal(joined, group):
            return np.unique(group, return_inverse=True)[1].astype(np.int64)
        group = joined


def _bound_systems(sheet: Sheet, group: Ints) -> list[object]:
    """The systems that only one of the groups rated."""
    system = sheet.others.get("system")
    if system is None:
        return []
    known = system.codes >= 0
    seen = np.unique(np.stack([system.codes[known], group[sheet.judge[known]]]), axis=1)
    times = np.bincount(seen[0], minlength=len(system.names))
    return [name for name, n in zip(system.names, times, strict=True) if n == 1]


def few_common_items(sheet: Sheet) -> Iterator[Finding]:
    """Find pairs of judges with a handful of common items, and say when pairs were left out."""
    pairs = sheet.pairs
    if pairs.limited:
        data = {"judges": sheet.n_judges, "compared": MOST_JUDGES}
        yield Finding("pairs-left-out", "note", data=data)
    thin = np.argwhere(np.triu((pairs.common > 0) & (pairs.common < LEAST_COMMON), 1)).tolist()
    if not thin:
        return
    counts = [
        [sheet.judges[pairs.kept[a]], sheet.judges[pairs.kept[b]], int(pairs.common[a, b])]
        for a, b in thin
    ]
    total = int(np.triu(pairs.common > 0, 1).sum())
    yield Finding(
        "few-common-items",
        "look",
        variant="one" if len(counts) == 1 else "",
        data={"pairs": counts, "pairs_with_common_items": total},
        detail={"least": LEAST_COMMON},
    )


def rows_set_aside(ratings: Ratings, sheets: Sequence[Sheet]) -> Iterator[Finding]:
    """Report the rows that were set aside when the ratings were read."""
    criteria = {sheet.criterion for sheet in sheets}
    for fault in ratings.faults:
        if fault.criterion is not None and fault.criterion not in criteria:
            continue
        yield Finding(
            "off-scale" if fault.kind == "off-scale" else "duplicates",
            "serious",
            criterion=fault.criterion,
            variant="between" if fault.finer else "",
            data={"count": fault.count, "rows": fault.rows},
            detail={"finer": fault.finer},
        )


def unused_categories(sheet: Sheet) -> Iterator[Finding]:
    """Find ends of a declared scale, and categories between them, that nobody used."""
    if not sheet.scale.declared or sheet.rating.size < LEAST_FOR_USE:
        return
    if sheet.continuous:
        yield from _unused_ends_of_line(sheet)
        return
    times = _category_counts(sheet)
    unused = np.flatnonzero(times == 0).tolist()
    ends = [c for c in unused if c in (0, times.size - 1) and sheet.scale.level > Level.NOMINAL]
    between = [c for c in unused if c not in ends]
    for code, categories in (("unused-end", ends), ("unused-category", between)):
        if categories:
            names = [sheet.shown(category) for category in categories]
            yield Finding(
                code,
                "look" if code == "unused-end" else "note",
                about={"unused": tuple(names)},
                data={"unused": names, "ratings": int(sheet.rating.size)},
                detail={"scale": sheet.scale.describe()},
            )


def _unused_ends_of_line(sheet: Sheet) -> Iterator[Finding]:
    low, high = sheet.scale.low, sheet.scale.high
    least, most = float(sheet.rating.min()), float(sheet.rating.max())
    reach = OUTER * (high - low)
    ends = [end for end, away in ((low, least - low), (high, high - most)) if away > reach]
    if ends:
        yield Finding(
            "unused-end",
            "look",
            variant="line",
            about={"unused": tuple(ends)},
            data={"unused": ends, "lowest": least, "highest": most},
            detail={"ratings": int(sheet.rating.size), "low": low, "high": high},
        )


def stray_categories(sheet: Sheet) -> Iterator[Finding]:
    """Find categories that were used so rarely that a typing slip is likely."""
    if sheet.continuous:
        return
    times, n = _category_counts(sheet), int(sheet.rating.size)
    strays = np.flatnonzero((times > 0) & (times <= min(STRAY * n, MOST_STRAYS)))
    many = strays.size > max(FEW_STRAYS, OF_CATEGORIES * int((times > 0).sum()))
    rare = set() if many or n < LEAST_FOR_STRAY else set(strays.tolist())
    for code in sorted(rare | _far_away(sheet, times)):
        used, name = int(times[code]), sheet.shown(code)
        rows = np.flatnonzero(sheet.rating == code)
        where = [[sheet.items[sheet.item[row]], sheet.judges[sheet.judge[row]]] for row in rows]
        about = {"category": name, "times": used, "ratings": n}
        yield Finding(
            "stray-category",
            "look",
            variant="once" if used == 1 else "",
            about=about,
            data=about | {"rows": where},
        )


def _far_away(sheet: Sheet, times: npt.NDArray[np.int64]) -> set[int]:
    """Find numbers, given once or twice on a scale nobody declared, far beyond all others: a 44."""
    used = np.flatnonzero(times)
    names = [sheet.shown(int(code)) for code in used]
    numbers = all(isinstance(name, int | float) for name in names)
    if sheet.scale.declared or not numbers or times.sum() < LEAST_FOR_FAR:
        return set()
    values = np.asarray(names, dtype=float)
    order = np.argsort(values)
    for end in (order, order[::-1]):
        for number in range(1, min(FEW_STRAYS, len(end) - 2) + 1):
            far, rest = end[-number:], values[end[:-number]]
            gap = float(abs(values[far[0]] - rest[-1]))
            few = times[used[far]].sum() <= FEW_STRAYS
            if few and gap >= max(FAR, BEYOND * float(np.ptp(rest))):
                return set(used[far].tolist())
    return set()


def dominating_category(sheet: Sheet) -> Iterator[Finding]:
    """Say when almost all ratings are in one category."""
    if sheet.continuous or sheet.rating.size < LEAST_FOR_USE:
        return
    times = _category_counts(sheet)
    share = float(times.max() / sheet.rating.size)
    if share >= DOMINATING:
        name = sheet.shown(int(times.argmax()))
        yield Finding(
            "dominating-category",
            "note",
            about={"category": name},
            data={"category": name, "times": int(times.max()), "share": share},
            detail={"ratings": int(sheet.rating.size)},
        )


def _category_counts(sheet: Sheet) -> npt.NDArray[np.int64]:
    assert sheet.scale.categories is not None
    return np.bincount(sheet.value, minlength=len(sheet.scale.categories))
