"""Who rated what: judges bound to systems, groups of judges without a link, thin pairs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from covary.analysis.forensics.findings import Finding, counted, named
from covary.analysis.forensics.pairs import MOST_JUDGES
from covary.analysis.forensics.sheet import Sheet
from covary.stats.distributions import chi2_tail

__all__ = ["confounded", "few_common_items", "unconnected"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

CHANCE = 1e-6
"""How probable the imbalance may be if judges were assigned without regard to systems."""

SMALL, MEDIUM = 0.1, 0.3
"""Cohen's small and medium effect for Cramér's V (bias-corrected)."""

LEAST_EXPECTED, ALMOST_NONE = 10, 0.1
"""A hole: at most a tenth of the ratings expected without regard to systems, if these are ten."""

SPREAD = 0.5
"""Judges half a standard deviation apart in severity move a system's mean visibly."""

LEAST_RATINGS = 20
"""A judge with fewer has no severity worth comparing."""

LEAST_COMMON = 10
"""On fewer common items pairwise coefficients are often undefined, and always useless."""


def confounded(sheet: Sheet) -> Iterator[Finding]:
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
        yield _confounding(sheet, counts, names, holes.tolist(), effect)


def _confounding(
    sheet: Sheet, counts: Ints, names: list[object], holes: list[list[int]], effect: float
) -> Finding:
    spread, unit = _severity_spread(sheet), float(sheet.rating.std())
    sure = len(holes) > 0 and spread >= SPREAD * unit
    cells = {
        str(judge): {str(name): int(n) for name, n in zip(names, row, strict=True)}
        for judge, row in zip(sheet.judges, counts, strict=True)
    }
    gaps = [
        f"{sheet.judges[j]!r} rated {int(counts[j, s])} of system {names[s]!r}" for j, s in holes
    ]
    shown = "; ".join(gaps[:8]) + (f" and {len(gaps) - 8} more" if len(gaps) > 8 else "")
    return Finding(
        "judge-system-confounding", "serious" if sure else "look",
        "Judges and systems are confounded: not all judges rated all systems alike often.",
        f"{shown + '; ' if shown else ''}Cramér's V is {effect:.2f}, and the judges' severities on "
        f"common items lie {spread:.2f} apart (the ratings' standard deviation is {unit:.2f}).",
        "Do not compare plain means of systems: a system with strict judges looks worse. Compare "
        "them with the judges' severities taken out, or have the missing ratings collected.",
        data={"ratings": cells, "cramer_v": effect, "severity_spread": spread,
              "holes": [[sheet.judges[j], names[s], int(counts[j, s])] for j, s in holes]},
    )  # fmt: skip


def _judges_by_systems(sheet: Sheet) -> tuple[Ints, list[object]] | None:
    system = sheet.others.get("system")
    if system is None or sheet.n_judges < 2:
        return None
    known = system.codes >= 0
    width = len(system.names)
    flat = np.bincount(sheet.judge[known] * width + system.codes[known],
                       minlength=sheet.n_judges * width)  # fmt: skip
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
    severity = sheet.pairs.severity[sheet.per_judge[sheet.pairs.kept] >= LEAST_RATINGS]
    severity = severity[~np.isnan(severity)]
    return float(np.ptp(severity)) if severity.size else 0.0


def unconnected(sheet: Sheet) -> Iterator[Finding]:
    """Find groups of judges who share no item with the others, directly or through somebody."""
    if sheet.n_judges < 2 or not (sheet.per_unit > 1).any():
        return
    group = _groups(sheet)
    n = int(group.max()) + 1
    if n < 2:
        return
    members = [[sheet.judges[j] for j in np.flatnonzero(group == g)] for g in range(n)]
    shown = "; ".join(named(each) for each in members[:5]) + (f"; {n - 5} more" if n > 5 else "")
    bound = _bound_systems(sheet, group)
    yield Finding(
        "unconnected-judges", "serious" if bound else "look",
        f"The judges fall into {n} groups that have no item in common.",
        f"The groups are {shown}."
        + (f" Only one group rated system {named(bound)}." if bound else ""),
        "Severity cannot be compared between the groups, and neither can items or systems that "
        "different groups rated. Report each group by itself, or have some items rated by all.",
        data={"groups": members, "systems_of_one_group": bound},
    )  # fmt: skip


def _groups(sheet: Sheet) -> Ints:
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
        yield _limited(sheet)
    thin = np.argwhere(np.triu((pairs.common > 0) & (pairs.common < LEAST_COMMON), 1)).tolist()
    if not thin:
        return
    found = [(sheet.judges[pairs.kept[a]], sheet.judges[pairs.kept[b]], int(pairs.common[a, b]))
             for a, b in thin]  # fmt: skip
    shown = "; ".join(f"{a!r} and {b!r}: {counted(n, 'item')}" for a, b, n in found[:6])
    more = f" and {len(found) - 6:,} more pairs" if len(found) > 6 else ""
    total = int(np.triu(pairs.common > 0, 1).sum())
    yield Finding(
        "few-common-items", "look",
        f"{'A pair' if len(found) == 1 else 'Some pairs'} of judges rated fewer than "
        f"{LEAST_COMMON} items in common.",
        f"{shown}{more}, of {counted(total, 'pair')} with common items.",
        "Leave coefficients of these pairs out: they rest on next to nothing. Coefficients over "
        "all judges that pool the items are not hurt by this.",
        data={"pairs": [list(each) for each in found], "pairs_with_common_items": total},
    )  # fmt: skip


def _limited(sheet: Sheet) -> Finding:
    return Finding(
        "pairs-left-out", "note",
        f"Only the {MOST_JUDGES} judges with the most ratings were compared with each other.",
        f"There are {sheet.n_judges:,} judges, and their pairs grow with the square.",
        "Check a part of the judges with ratings.select(judge=[…]) to compare others.",
        data={"judges": sheet.n_judges, "compared": MOST_JUDGES},
    )  # fmt: skip
