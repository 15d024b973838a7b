"""The result of comparing all pairs of systems: adjusted p-values, marks and letters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.records import dataclass
from covary.stats.estimate import Result

Floats = npt.NDArray[np.float64]


def adjust_p_values(p: npt.ArrayLike, adjust: str = "holm") -> Floats:
    """Adjust p-values for the number of tests; NaN stays NaN and counts as no test.

    Parameters
    ----------
    p
        The p-values of single tests.
    adjust
        "bonferroni" and "holm" bound the chance of any false finding, "bh" (Benjamini & Hochberg
        1995) the expected share of false ones among the findings, "by" (Benjamini & Yekutieli 2001)
        that share however the tests depend on each other, "none" neither.

    Examples
    --------
    >>> adjust_p_values([0.01, 0.02, 0.03], "holm").round(3).tolist()  # 3, 2, 1 times
    [0.03, 0.04, 0.04]
    """
    if adjust not in _ADJUST:
        raise InvalidArgument("stats.unknown", argument="adjust", value=adjust, allowed=_ADJUST)
    adjusted = np.array(p, dtype=float)
    known = ~np.isnan(adjusted)
    adjusted[known] = _ADJUST[adjust](adjusted[known])
    return adjusted


def _bonferroni(p: Floats) -> Floats:
    return np.minimum(p * p.size, 1.0)


def _holm(p: Floats) -> Floats:
    order = np.argsort(p, kind="stable")
    grown = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    return _restore_order(np.minimum(grown, 1.0), order)


def _bh(p: Floats) -> Floats:
    order = np.argsort(p, kind="stable")[::-1]
    grown = np.minimum.accumulate(p[order] * p.size / np.arange(p.size, 0, -1))
    return _restore_order(np.minimum(grown, 1.0), order)


def _by(p: Floats) -> Floats:
    return np.minimum(_bh(p) * np.sum(1 / np.arange(1, p.size + 1)), 1.0)


def _restore_order(values: Floats, order: npt.NDArray[np.intp]) -> Floats:
    placed = np.empty_like(values)
    placed[order] = values
    return placed


_ADJUST = {"none": lambda p: p, "bonferroni": _bonferroni, "holm": _holm, "bh": _bh, "by": _by}


ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST_GROUPS = 1_000
"""With more groups than this, letters would take long and say nothing."""

SMALL = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def compact_letters(apart: Iterable[tuple[int, int]], places: Sequence[float]) -> tuple[str, ...]:
    """Give each system letters so that two share one exactly if they are not apart.

    Parameters
    ----------
    apart
        The pairs of systems that differ significantly, by number.
    places
        The systems' means; the letter a goes to the highest.

    Returns
    -------
    tuple of str
        One string for each system. After 52 letters they go on as a₂, b₂ … Nothing where there
        would be more than 1,000 groups.

    Notes
    -----
    The groups are those of Piepho's insert and absorb: the largest ones without a significant pair.
    Then a letter is swept from a system wherever all that it says is said by others. Where groups
    are runs of neighbours in the ranking, as they are for equal standard errors, they are found at
    once and kept whole. Patterns that are not transitive (A and C differ, B differs from neither)
    come out right.

    References
    ----------
    Piepho (2004), An algorithm for a letter-based representation of all-pairwise comparisons,
    Journal of Computational and Graphical Statistics 13: 456-466.

    Examples
    --------
    >>> compact_letters([(0, 2)], [3.0, 2.0, 1.0])
    ('a', 'ab', 'b')
    """
    order = sorted(range(len(places)), key=lambda system: _height(places[system]))
    rank = {system: place for place, system in enumerate(order)}
    pairs = sorted(sorted((rank[a], rank[b])) for a, b in apart)
    groups = _runs(pairs, len(places))
    if groups is None:
        groups = _sweep(_groups(pairs, len(places)), len(places))
    if len(places) and not groups:
        return ()
    letters = [""] * len(places)
    for number, group in enumerate(sorted(map(_members, groups))):
        for place in group:
            letters[order[place]] += _letter(number)
    return tuple(letters)


def _height(mean: float) -> float:
    return -mean if mean == mean else 0.0


def _runs(pairs: list[list[int]], size: int) -> list[int] | None:
    """The groups where they are runs of neighbours in the ranking; None where they are not.

    A run ends before the first system that differs from its first, and all later ones must differ
    too, which is so whenever all standard errors are equal.
    """
    ends, later = [size] * size, [0] * size
    for first, second in pairs:
        ends[first] = min(ends[first], second)
        later[first] += 1
    whole = all(later[first] == size - ends[first] for first in range(size))
    if not whole or any(a > b for a, b in pairwise(ends)):
        return None
    starts = [first for first in range(size) if not first or ends[first] > ends[first - 1]]
    return [(1 << ends[first]) - (1 << first) for first in starts]


def _groups(pairs: list[list[int]], size: int) -> list[int]:
    """The largest groups without a pair that differs, one bit for each system.

    They are the cliques of a graph (Bron & Kerbosch 1973): `held` is a group so far, `open` who may
    still join it, `seen` who may join but was tried before.
    """
    alike = [((1 << size) - 1) & ~(1 << place) for place in range(size)]
    for first, second in pairs:
        alike[first] &= ~(1 << second)
        alike[second] &= ~(1 << first)
    groups: list[int] = []
    waiting = [(0, (1 << size) - 1, 0)]
    while waiting and len(groups) <= MOST_GROUPS:
        held, open_, seen = waiting.pop()
        if not open_ | seen:
            groups.append(held)
            continue
        pivot = max(_members(open_ | seen), key=lambda place: (open_ & alike[place]).bit_count())
        for place in _members(open_ & ~alike[pivot]):
            waiting.append((held | 1 << place, open_ & alike[place], seen & alike[place]))
            open_ &= ~(1 << place)
            seen |= 1 << place
    return groups if len(groups) <= MOST_GROUPS else []


def _sweep(groups: list[int], size: int) -> list[int]:
    """Take a letter from a system where other letters already join it to all its companions."""
    groups = list(groups)
    holders = [{n for n, group in enumerate(groups) if group >> place & 1} for place in range(size)]
    for number in range(len(groups)):
        for place in _members(groups[number]):
            joined = 0
            for other in holders[place] - {number}:
                joined |= groups[other]
            if joined and groups[number] & ~joined == 0:
                groups[number] &= ~(1 << place)
                holders[place].remove(number)
    return [group for group in dict.fromkeys(groups) if group]


def _members(group: int) -> list[int]:
    """The places of the bits that are set."""
    places = []
    while group:
        low = group & -group
        places.append(low.bit_length() - 1)
        group ^= low
    return places


def _letter(number: int) -> str:
    turn, place = divmod(number, len(ALPHABET))
    return ALPHABET[place] + (str(turn + 1).translate(SMALL) if turn else "")


PROCEDURES: Mapping[str, str] = MappingProxyType(
    {
        "tukey": "Tukey's honestly significant difference",
        "scheffe": "Scheffé's test",
        "lsd": "least significant difference (no adjustment)",
        "bonferroni": "t tests with Bonferroni's adjustment",
        "holm": "t tests with Holm's adjustment",
        "bh": "t tests with Benjamini & Hochberg's adjustment (false discovery rate)",
        "games-howell": "Games & Howell's test (unequal variances)",
        "nemenyi": "Nemenyi's test of mean ranks after Friedman",
        "dunn": "Dunn's test of mean ranks after Kruskal & Wallis",
    }
)
"""The procedures by the name they are asked for, in words."""


@dataclass(frozen=True, kw_only=True)
class Pair(Result):
    """Two systems, by their place in the list, and how far apart they are.

    `difference` is the first less the second. `low` and `high` hold it together with all other
    pairs; they are None where the procedure has no simultaneous interval. `p` is that of the pair
    by itself, `p_adjusted` that of the procedure, `statistic` what the procedure compares with its
    critical value.
    """

    first: int
    second: int
    difference: float
    low: float | None
    high: float | None
    p: float
    p_adjusted: float
    significant: bool
    statistic: float


@dataclass(frozen=True, kw_only=True)
class Comparisons(Result):
    """All pairs of systems under one procedure and one error term, both named in words.

    `places` are the means (or mean ranks) that are compared, in the order of the systems.
    `critical` is the value that the pairs' statistics are compared with, NaN where each has its
    own.
    """

    procedure: str
    error: str
    pairs: tuple[Pair, ...]
    alpha: float
    places: tuple[float, ...]
    critical: float = math.nan
    notes: tuple[str, ...] = ()

    @property
    def n_pairs(self) -> int:
        """How many pairs there are."""
        return len(self.pairs)

    @cached_property
    def n_significant(self) -> int:
        """How many pairs differ significantly."""
        return sum(pair.significant for pair in self.pairs)

    @cached_property
    def letters(self) -> tuple[str, ...]:
        """Letters for each system: two share one exactly if they do not differ significantly.

        The letter a belongs to the highest mean (Piepho 2004). None where the pairs fall into so
        many groups that letters would say nothing.
        """
        apart = [(pair.first, pair.second) for pair in self.pairs if pair.significant]
        return compact_letters(apart, self.places)

    def pair(self, first: int, second: int) -> Pair:
        """Return the comparison of two systems, by their place in the list."""
        for pair in self.pairs:
            if {pair.first, pair.second} == {first, second}:
                return pair
        raise InvalidArgument("stats.no-pair", first=first, second=second)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; NaN becomes None."""
        return super().to_dict() | {
            "n_pairs": self.n_pairs,
            "n_significant": self.n_significant,
            "letters": list(self.letters),
        }


@dataclass(frozen=True, kw_only=True)
class Tests:
    """One test for each pair: the first system with each later one, then the second …

    `critical` is what the statistics are compared with. `reach` is half the width of the
    simultaneous interval, None where there is none.
    """

    p: Floats
    p_adjusted: Floats
    statistic: Floats
    critical: npt.ArrayLike = math.nan
    reach: Floats | None = None

    @property
    def common_critical(self) -> float:
        """The critical value, where all pairs have the same one."""
        values = np.atleast_1d(self.critical)
        known = values[~np.isnan(values)]
        return float(known[0]) if known.size and np.ptp(known) <= 1e-9 * known[0] else math.nan


def compare_all(places: Floats, tests: Tests, *, alpha: float, **described: Any) -> Comparisons:
    """Write down all pairs of systems with their tests."""
    first, second = np.triu_indices(places.size, 1)
    difference = places[first] - places[second]
    low = high = [None] * first.size
    if tests.reach is not None:
        low, high = (difference - tests.reach).tolist(), (difference + tests.reach).tolist()
    with np.errstate(invalid="ignore"):
        significant = tests.p_adjusted <= alpha
    columns = {
        "first": first.tolist(),
        "second": second.tolist(),
        "difference": difference.tolist(),
        "low": low,
        "high": high,
        "p": tests.p.tolist(),
        "p_adjusted": tests.p_adjusted.tolist(),
        "significant": significant.tolist(),
        "statistic": tests.statistic.tolist(),
    }
    rows = zip(*columns.values(), strict=True)
    pairs = tuple(Pair(**dict(zip(columns, row, strict=True))) for row in rows)
    return Comparisons(
        pairs=pairs,
        alpha=alpha,
        places=tuple(places.tolist()),
        critical=tests.common_critical,
        **described,
    )


def distances(places: Floats) -> Floats:
    """How far apart every two systems are."""
    first, second = np.triu_indices(places.size, 1)
    return np.abs(places[first] - places[second])


def check_alpha(alpha: float, most: float = 1) -> None:
    """Refuse an error rate that is none."""
    if not 0 < alpha < most:
        argument: dict[str, Any] = {"argument": "alpha", "value": alpha}
        raise InvalidArgument("stats.not-between", low=0, high=most, example=0.05, **argument)


def check_procedure(procedure: str, allowed: tuple[str, ...]) -> None:
    """Refuse a procedure that is not known or not for this kind of comparison."""
    argument: dict[str, Any] = {"argument": "procedure", "value": procedure, "allowed": allowed}
    if procedure not in PROCEDURES:
        raise InvalidArgument("stats.procedure", **argument)
    if procedure not in allowed:
        raise InvalidArgument("stats.procedure-elsewhere", **argument)


LEVELS = ((0.01, "**"), (0.05, "*"))
"""The largest p of each mark, the smallest first."""


def stars(p: float) -> str:
    """Mark a p-value: ** up to .01, * up to .05, nothing above or where p is undefined.

    Examples
    --------
    >>> stars(0.003), stars(0.03), stars(0.2), stars(float("nan"))
    ('**', '*', '', '')
    """
    return next((mark for level, mark in LEVELS if p <= level), "")
