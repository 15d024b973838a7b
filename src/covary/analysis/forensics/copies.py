"""Judges who are more alike than two people can be: copies, partial copies, linked accounts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from covary.analysis.forensics.findings import Finding
from covary.analysis.forensics.sheet import Floats, Ints, Sheet, distinct, join_sheets, median
from covary.records import dataclass
from covary.scales import Level
from covary.stats import special

Bools = npt.NDArray[np.bool_]

LEAST_COMMON, LEAST_FOR_PARTS = 20, 40
"""Fewer common items cannot tell a copy, or a partial copy, from good agreement."""

ALIKE, COPY = 0.95, 0.98
"""A copy may have been retouched: from this share of equal ratings it is looked at, or serious."""

UNLIKE_OTHERS = 0.2
"""A pair that is merely better than others differs less often; a copy a fifth as often or less."""

SUSPICION, CERTAINTY = 1e-4, 1e-6
"""Chances over all pairs of a clean study to be looked at, or to be called serious."""

LEAST_COPIED, LEAST_ON_LINE = 0.3, 0.1
"""A smaller copied share cannot be told from two judges who think alike; on a line, where equal
ratings are rare, it can."""

FAVOURED, SURELY_FAVOURED = math.log(150), math.log(10_000)
"""By how much copying must be likelier than two careful judges to be looked at, or to be serious on
a line. In categories two judges of one school look alike, so that a look is all they get."""


@dataclass(frozen=True)
class Likeness:
    """How alike each two judges are, and how alike each is to those outside its own circle.

    A circle are judges whose ratings are nearly the same; its members say nothing about how often
    one of them agrees with somebody else.
    """

    sheet: Sheet

    @cached_property
    def enough(self) -> Bools:
        """Pairs with enough common items."""
        return np.asarray(self.sheet.pairs.common >= LEAST_COMMON)

    @cached_property
    def share(self) -> Floats:
        """Each pair's share of equal ratings."""
        return np.asarray(self.sheet.pairs.equal / np.maximum(self.sheet.pairs.common, 1))

    @cached_property
    def circle(self) -> Ints:
        """The number of each judge's circle."""
        return components(self.enough & (self.share >= ALIKE))

    def outside(self, a: int, b: int) -> Bools:
        """The pairs of either judge with somebody outside the circles of both."""
        pairs, apart = np.zeros_like(self.enough), ~self._circles(a, b)
        pairs[a], pairs[b] = self.enough[a] & apart, self.enough[b] & apart
        return pairs

    def _circles(self, a: int, b: int) -> Bools:
        """Who is in the circle of one of two judges."""
        return np.asarray((self.circle == self.circle[a]) | (self.circle == self.circle[b]))

    def chance(self, a: int, b: int) -> float:
        """How probable so many equal ratings are: at the highest rate with somebody outside, and,
        at the usual rate, for any pair of the study.

        The highest of many shares is above its own rate, and needs less of a margin.
        """
        common, equal = int(self.sheet.pairs.common[a, b]), int(self.sheet.pairs.equal[a, b])
        outside = self.outside(a, b)
        if not outside.any():
            rate = _independent(self.sheet, a, b)
            return float(rate**common) * self.n_pairs if equal == common else 1.0
        n, k = self.sheet.pairs.common[outside], self.sheet.pairs.equal[outside]
        share = (k + 2) / (n + 4)
        margin = max(0.0, 2 - _highest_of(share.size))
        bounds = share + margin * np.sqrt(share * (1 - share) / (n + 4))
        highest = min(float(bounds.max()), 1 - 1e-9)
        usual = float((k.sum() + 2) / (n.sum() + 4))
        at_highest, at_usual = (
            float(special.bdtrc(equal - 1, common, rate)) for rate in (highest, usual)
        )
        return max(at_highest, at_usual * self.n_pairs)

    @cached_property
    def n_pairs(self) -> int:
        """How many pairs could have been found."""
        return int(np.triu(self.enough, 1).sum())


def _highest_of(n: int) -> float:
    """Blom's approximation to the mean of the highest of so many standard normal numbers."""
    return float(special.ndtri((n - 0.375) / (n + 0.25)))


def copies_over_criteria(sheets: Sequence[Sheet]) -> Iterator[Finding]:
    """Find copies on all criteria together, where one alone shows too little.

    An item counts once, however many criteria it was rated on: answers on several criteria go
    together, and two judges who are equal on one are likely to be so on the next.
    """
    joined = join_sheets(sheets)
    criteria = [sheet.criterion for sheet in sheets]
    for finding in () if joined is None else copying_judges(joined):
        yield replace(finding, data={**finding.data, "criteria": criteria})


def copying_judges(sheet: Sheet) -> Iterator[Finding]:
    """Find judges who are alike far beyond their likeness to everybody else.

    Judges who are nearly identical make one finding, however many they are. A pair of whom one
    copied in part is told from two careful judges by how far apart they are where they differ.
    """
    likeness = Likeness(sheet)
    copies = np.zeros_like(likeness.enough)
    chances: dict[tuple[int, int], float] = {}
    alike = likeness.share >= _least_copied(sheet)
    for a, b in np.argwhere(np.triu(likeness.enough & alike, 1)):
        pair = int(a), int(b)
        chance = likeness.chance(*pair)
        if chance >= SUSPICION or not (_varies(sheet, pair[0]) and _varies(sheet, pair[1])):
            continue
        if likeness.share[pair] < ALIKE:
            yield from _partial_copy(likeness, pair, chance)
        elif _stands_out(likeness, pair):
            copies[pair] = copies[pair[::-1]] = True
            chances[pair] = chance
    circle = components(copies)
    for number in range(int(circle.max(initial=-1)) + 1):
        members = np.flatnonzero(circle == number)
        if members.size > 1:
            yield _copy_finding(likeness, members, chances)


def _copy_finding(
    likeness: Likeness, members: Ints, chances: dict[tuple[int, int], float]
) -> Finding:
    """One finding for two judges, or for a circle of linked accounts."""
    sheet = likeness.sheet
    links = {pair: p for pair, p in chances.items() if pair[0] in members and pair[1] in members}
    names = [sheet.judges[judge] for judge in sheet.pairs.kept[members]]
    common, equal = (
        sum(int(counts[pair]) for pair in links)
        for counts in (sheet.pairs.common, sheet.pairs.equal)
    )
    outside = np.logical_or.reduce([likeness.outside(*pair) for pair in links])
    most = float(likeness.share[outside].max()) if outside.any() else None
    sure = most is not None and equal >= COPY * common and max(links.values()) < CERTAINTY
    several = {"pairs": len(links), "adjacent": bool((np.diff(members) == 1).all())}
    return Finding(
        "copying-judge",
        "serious" if sure else "look",
        variant="linked" if len(names) > 2 else "nearly" if equal < common else "",
        about={"judges": tuple(names)},
        data={"judges": names, "common": common, "equal": equal, "chance": max(links.values())}
        | (several if len(names) > 2 else {}),
        detail={"most_with_others": most},
    )


def _stands_out(likeness: Likeness, pair: tuple[int, int]) -> bool:
    """Whether two judges differ far less often than from others, and correlate more highly.

    Two judges of one severity among others of another only agree more often.
    """
    outside = likeness.outside(*pair)
    if not outside.any():
        return bool((likeness.circle == likeness.circle[pair[0]]).sum() == 2)
    differ, least = 1 - likeness.share[pair], 1 - likeness.share[outside].max()
    if differ > UNLIKE_OTHERS * least:
        return False
    if likeness.sheet.scale.level == Level.NOMINAL:
        return True
    pairs = likeness.sheet.pairs
    chance = _chance_of_correlation(pairs.correlation, outside, pair, int(pairs.common[pair]))
    return chance * likeness.n_pairs < SUSPICION


def _chance_of_correlation(
    correlation: Floats, outside: Bools, pair: tuple[int, int], common: int
) -> float:
    """Fisher's z for the difference between a pair's correlation and the highest of the others."""
    rest = correlation[outside & ~np.isnan(correlation)]
    if not rest.size:
        return 0.0
    own, best = (
        float(np.clip(r, -1 + 1 / common, 1 - 1 / common**2))
        for r in (correlation[pair], rest.max())
    )
    z = (np.arctanh(own) - np.arctanh(best)) * np.sqrt((common - 3) / 2)
    return math.erfc(float(z) / math.sqrt(2)) / 2


def _partial_copy(likeness: Likeness, pair: tuple[int, int], chance: float) -> Iterator[Finding]:
    sheet = likeness.sheet
    common, equal = int(sheet.pairs.common[pair]), int(sheet.pairs.equal[pair])
    outside = likeness.outside(*pair)
    if sheet.scale.level == Level.NOMINAL or common < LEAST_FOR_PARTS or not outside.any():
        return
    copied, favour = _copied_share(sheet, pair, outside)
    if copied < _least_copied(sheet) or favour < FAVOURED:
        return
    sure = sheet.continuous and favour >= SURELY_FAVOURED and chance < CERTAINTY
    names = [sheet.judges[sheet.pairs.kept[place]] for place in pair]
    yield Finding(
        "copying-judge",
        "serious" if sure else "look",
        variant="partly",
        about={"judges": tuple(names)},
        data={
            "judges": names,
            "common": common,
            "equal": equal,
            "chance": chance,
            "copied": copied,
            "log_likelihood_ratio": favour,
        },
        detail={"most_with_others": float(likeness.share[outside].max())},
    )


def _least_copied(sheet: Sheet) -> float:
    return LEAST_ON_LINE if sheet.continuous else LEAST_COPIED


def _copied_share(sheet: Sheet, pair: tuple[int, int], outside: Bools) -> tuple[float, float]:
    """The likeliest copied share, and by how much copying is likelier than a careful pair.

    Both models give the differences of the two judges a mass at 0 and a rounded normal
    distribution. A copied share π goes to 0, and the rest differs as much as either judge does from
    others; a careful pair copies nothing and differs less. Ratings at the ends of a scale are
    equal more often than rounding says; that surplus is the largest that either judge has with
    somebody else.
    """
    others = [_differences(sheet, a, b) for a, b in np.argwhere(outside).tolist()]
    own = _differences(sheet, *pair)
    unit = _unit(sheet)
    deviation = max(min(float(gap.std()) for gap in others), unit / 4)
    surplus = max(_surplus(gap, unit) for gap in others)
    copied = np.linspace(0, 0.99, 100)
    by_copying = [_fit(own, unit, deviation, p + (1 - p) * surplus) for p in copied]
    spreads = deviation * np.linspace(0.05, 1, 96)
    by_care = max(_fit(own, unit, spread, surplus) for spread in spreads)
    best = int(np.argmax(by_copying))
    return float(copied[best]), by_copying[best] - by_care


def _fit(gaps: Floats, unit: float, deviation: float, equal: float) -> float:
    """The log-likelihood of differences with a mass at 0 beside a rounded normal distribution."""
    mean = float(gaps.mean()) / max(1 - equal, 0.01)
    mass = (1 - equal) * _rounded_normal(gaps, mean, deviation, unit) + equal * (gaps == 0)
    return float(np.log(np.maximum(mass, 1e-12)).sum())


def _surplus(gaps: Floats, unit: float) -> float:
    """How many more differences are 0 than a rounded normal distribution has, as a share."""
    spread = max(float(gaps.std()), unit / 4)
    expected = float(_rounded_normal(np.zeros(1), float(gaps.mean()), spread, unit)[0])
    return min(max(0.0, (float((gaps == 0).mean()) - expected) / (1 - expected)), 0.95)


def _rounded_normal(gaps: Floats, mean: float, deviation: float, unit: float) -> Floats:
    high, low = ((gaps - mean + half) / deviation for half in (unit / 2, -unit / 2))
    return np.asarray(special.ndtr(high) - special.ndtr(low))


def _unit(sheet: Sheet) -> float:
    """One step of the scale; on a line the commonest distance between neighbouring ratings."""
    if not sheet.continuous:
        return 1.0
    steps = np.diff(distinct(sheet.rating))
    return median(steps) if steps.size else 1.0


def _differences(sheet: Sheet, a: int, b: int) -> Floats:
    """The differences of two judges (by their places) on the units that both rated."""
    ratings = np.full((2, sheet.n_units), np.nan)
    for row, place in enumerate((a, b)):
        own = sheet.rows_of(int(sheet.pairs.kept[place]))
        ratings[row, sheet.unit[own]] = sheet.rating[own]
    gaps = ratings[0] - ratings[1]
    return np.asarray(gaps[~np.isnan(gaps)])


def components(linked: Bools) -> Ints:
    """Number the connected parts of a graph from its symmetric table of links."""
    group = np.arange(len(linked))
    while len(linked):
        reach = np.where(linked, group[None, :], len(linked)).min(axis=1)
        joined = np.minimum(group, reach)
        if np.array_equal(joined, group):
            break
        group = joined
    return np.unique(group, return_inverse=True)[1].astype(np.int64)


def _independent(sheet: Sheet, a: int, b: int) -> float:
    """How often two judges rate alike if they only share how often they use each category."""
    first, second = (_used(sheet, int(sheet.pairs.kept[place])) for place in (a, b))
    return float(first @ second)


def _used(sheet: Sheet, judge: int) -> Floats:
    times = np.bincount(sheet.value[sheet.rows_of(judge)], minlength=int(sheet.value.max()) + 1)
    return np.asarray(times / times.sum())


def _varies(sheet: Sheet, place: int) -> bool:
    ratings = sheet.value[sheet.rows_of(int(sheet.pairs.kept[place]))]
    return bool((ratings != ratings[0]).any())
