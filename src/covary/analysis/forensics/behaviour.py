"""How single judges rated: copies of another judge, one rating throughout, hardly any variation."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.analysis.forensics.findings import Finding, Seriousness, counted
from covary.analysis.forensics.sheet import Sheet
from covary.scales import Level

__all__ = ["constant_judges", "copying_judges", "narrow_judges"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

LEAST_COMMON = 20
"""Fewer common items cannot tell a copy from good agreement."""

ALIKE, COPY = 0.95, 0.98
"""A copy may have been retouched: from this share of equal ratings it is looked at, or serious."""

UNLIKE_OTHERS = 0.2
"""A pair that is merely better than others differs less often; a copy a fifth as often or less."""

SUSPICION, CERTAINTY = 1e-4, 1e-6
"""Chances over all pairs (judges) of a clean study to be looked at, or to be called serious."""

LEAST_OF_CONSTANT = 10
"""A judge with fewer equal ratings may have had few items to tell apart."""

LEAST_OF_NARROW, NARROW = 30, 0.25
"""Entropy needs some thirty ratings; a quarter of the others' is about one in ten varying."""

BINS = 10
"""The line is cut into tenths for entropies."""


def copying_judges(sheet: Sheet) -> Iterator[Finding]:
    """Find two judges who are alike far beyond their likeness to everybody else.

    Both their equal ratings and their correlation must exceed the highest that either has with
    another judge: two judges of one severity among others of another only agree more often.
    """
    pairs = sheet.pairs
    enough = np.triu(pairs.common >= LEAST_COMMON, 1)
    n_pairs = int(enough.sum())
    alike = enough & (pairs.equal >= ALIKE * pairs.common)
    for a, b in np.argwhere(alike).tolist():
        chance = _chance_of_likeness(sheet, a, b) * n_pairs
        apart = chance < SUSPICION and _stands_out(sheet, a, b)
        if apart and _varies(sheet, a) and _varies(sheet, b):
            yield _copy(sheet, a, b, chance)


def _copy(sheet: Sheet, a: int, b: int, chance: float) -> Finding:
    pairs = sheet.pairs
    one, other = (sheet.judges[pairs.kept[place]] for place in (a, b))
    common, equal = int(pairs.common[a, b]), int(pairs.equal[a, b])
    alone = not _comparable(sheet, a, b).any()
    sure = not alone and equal >= COPY * common and chance < CERTAINTY
    seriousness: Seriousness = "serious" if sure else "look"
    return Finding(
        "copying-judge", seriousness,
        f"Judges {one!r} and {other!r} may not be independent: their ratings are nearly the same."
        if equal < common
        else f"Judges {one!r} and {other!r} may not be independent: their ratings are the same.",
        f"{equal:,} of {common:,} common items have equal ratings"
        + (" (there is no third judge to compare with)." if alone else _beside(sheet, a, b)),
        "Ask whether one was copied from the other, the two worked together, or one file was "
        "loaded twice; until then count them as one judge.",
        data={"judges": [one, other], "common": common, "equal": equal, "chance": chance},
    )  # fmt: skip


def _beside(sheet: Sheet, a: int, b: int) -> str:
    shares = _shares(sheet)[_comparable(sheet, a, b)]
    return f"; with any other judge, either has at most {float(shares.max()):.0%} equal."


def _stands_out(sheet: Sheet, a: int, b: int) -> bool:
    """Whether two judges differ from each other far less often than from anybody else."""
    others, shares = _comparable(sheet, a, b), _shares(sheet)
    return not others.any() or bool(1 - shares[a, b] <= UNLIKE_OTHERS * (1 - shares[others].max()))


def _shares(sheet: Sheet) -> Floats:
    return np.asarray(sheet.pairs.equal / np.maximum(sheet.pairs.common, 1))


def _comparable(sheet: Sheet, a: int, b: int) -> npt.NDArray[np.bool_]:
    """The other pairs in which one of two judges takes part."""
    enough = sheet.pairs.common >= LEAST_COMMON
    part = np.zeros_like(enough)
    part[[a, b]] = enough[[a, b]]
    part[a, b] = part[b, a] = False
    return part


def _chance_of_likeness(sheet: Sheet, a: int, b: int) -> float:
    """The larger chance of the two likenesses, given how alike either judge is to the others."""
    from scipy import special

    pairs, others = sheet.pairs, _comparable(sheet, a, b)
    common, equal = int(pairs.common[a, b]), int(pairs.equal[a, b])
    if not others.any():
        rate = _independent(sheet, a, b)
        return float(rate**common) if equal == common else 1.0
    n, k = pairs.common[others] + 4, pairs.equal[others] + 2  # Agresti and Coull's upper bound
    highest = np.minimum(k / n + 2 * np.sqrt(k / n * (1 - k / n) / n), 1 - 1e-9).max()
    by_count = float(special.bdtrc(equal - 1, common, highest))
    if sheet.scale.level == Level.NOMINAL:
        return by_count
    return max(by_count, _chance_of_correlation(pairs.correlation, others, (a, b), common))


def _chance_of_correlation(
    correlation: Floats, others: npt.NDArray[np.bool_], pair: tuple[int, int], common: int
) -> float:
    """Fisher's z for the difference between a pair's correlation and the highest of the others."""
    rest = correlation[others & ~np.isnan(correlation)]
    if not rest.size:
        return 0.0
    own, best = (float(np.clip(r, -1 + 1 / common, 1 - 1 / common**2)) for r in
                 (correlation[pair], rest.max()))  # fmt: skip
    z = (np.arctanh(own) - np.arctanh(best)) * np.sqrt((common - 3) / 2)
    return math.erfc(float(z) / math.sqrt(2)) / 2


def _independent(sheet: Sheet, a: int, b: int) -> float:
    """How often two judges rate alike if they only share how often they use each category."""
    one, other = (_used(sheet, sheet.pairs.kept[place]) for place in (a, b))
    return float(one @ other)


def _used(sheet: Sheet, judge: int) -> Floats:
    times = np.bincount(sheet.value[sheet.judge == judge], minlength=int(sheet.value.max()) + 1)
    return np.asarray(times / times.sum())


def _varies(sheet: Sheet, place: int) -> bool:
    ratings = sheet.value[sheet.judge == sheet.pairs.kept[place]]
    return bool((ratings != ratings[0]).any())


def constant_judges(sheet: Sheet) -> Iterator[Finding]:
    """Find judges who gave one rating throughout where the others varied."""
    value = sheet.value
    low = np.full(sheet.n_judges, value.max())
    high = np.zeros(sheet.n_judges, dtype=np.int64)
    np.minimum.at(low, sheet.judge, value)
    np.maximum.at(high, sheet.judge, value)
    times = np.bincount(value)
    for judge in np.flatnonzero((low == high) & (sheet.per_judge >= LEAST_OF_CONSTANT)).tolist():
        given, others = int(sheet.per_judge[judge]), value.size - int(sheet.per_judge[judge])
        rate = (int(times[low[judge]]) - given) / others if others else 1.0
        chance = sheet.n_judges * rate**given
        if chance < SUSPICION:
            yield _constant(sheet, judge, rate, chance)


def _constant(sheet: Sheet, judge: int, rate: float, chance: float) -> Finding:
    name, given = sheet.judges[judge], int(sheet.per_judge[judge])
    rating: Any = sheet.rating[sheet.judge == judge][0].item()
    rating = rating if sheet.continuous else sheet.shown(int(rating))
    return Finding(
        "constant-judge", "serious" if given >= LEAST_COMMON and chance < CERTAINTY else "look",
        f"Judge {name!r} gave the same rating throughout.",
        f"All {given:,} ratings are {rating!r}, which the others used in {rate:.0%} of theirs.",
        "This judge tells no item from another. Look at how the ratings were collected, and show "
        "the coefficients with and without the judge.",
        data={"judge": name, "ratings": given, "rating": rating, "share_of_others": rate},
    )  # fmt: skip


def narrow_judges(sheet: Sheet) -> Iterator[Finding]:
    """Find judges who vary, but far less than the others do."""
    entropy = _entropies(sheet)
    many = np.flatnonzero(sheet.per_judge >= LEAST_OF_NARROW)
    for judge in many.tolist() if many.size > 2 else []:
        usual = float(np.median(entropy[many[many != judge]]))
        if 0 < entropy[judge] < NARROW * usual:
            name, given = sheet.judges[judge], counted(int(sheet.per_judge[judge]), "rating")
            yield Finding(
                "narrow-judge", "look",
                f"Judge {name!r} hardly varies.",
                f"The entropy of {given} is {entropy[judge]:.2f} bits; half of the other judges "
                f"have more than {usual:.2f}.",
                "See whether the items of this judge were alike; if not, the judge may have "
                "answered without reading. Show the coefficients with and without the judge.",
                data={"judge": name, "entropy": float(entropy[judge]), "median_of_others": usual},
            )  # fmt: skip


def _entropies(sheet: Sheet) -> Floats:
    """Each judge's entropy over the categories, or over tenths of the line, in bits."""
    cells, kinds = sheet.value, int(sheet.value.max()) + 1
    if sheet.continuous:
        low, high = sheet.rating.min(), sheet.rating.max()
        width = (high - low) or 1.0
        cells = np.minimum((sheet.rating - low) / width * BINS, BINS - 1).astype(np.int64)
        kinds = BINS
    flat = np.bincount(sheet.judge * kinds + cells, minlength=sheet.n_judges * kinds)
    share = flat.reshape(sheet.n_judges, kinds) / sheet.per_judge[:, None]
    return np.asarray(-(share * np.log2(np.where(share > 0, share, 1))).sum(axis=1))
