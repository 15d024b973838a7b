"""Coefficients of two judges, averaged over all pairs of judges.

Few categories need only the judges' cross tables; many are compared item by item. With many judges
who rate a few items each, nearly every item has a pattern of its own, but what two judges gave the
items that both rated is still a small table. These tables do not say which items they share, so
they are counted by groups of items, and an interval draws whole groups.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.ratings.pattern_counts import count_pairs, count_uses
from covary.stats.patterns import Patterns, collapse, criterion_frame
from covary.stats.statistic import BLOCK, TINY, Fraction, Statistic, ratio
from covary.words import Note

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Pair = tuple[int, int]
OfTable = Callable[[Floats], Fraction]

MOST_TABULATED = 16
"""With more categories than this the judges' cross tables are no longer formed."""

FEWEST_COMMON = 10
"""On fewer common items two judges have no value of their own."""

OWN_MEAN = f"mean of pairs with {FEWEST_COMMON} items"
"""The mean over pairs of judges who share enough items."""

MOST_GROUPS, FEWEST_GROUPS = 200, 20
"""Into so many groups items are put; with fewer an interval would be arbitrary."""

MOST_CELLS = 32_000_000
"""The most cells of all tables that are held at once."""


class PairResult(NamedTuple):
    """A pair of judges, how often its items count, and its numerator and denominator."""

    pair: Pair
    common: Floats
    above: float
    below: float

    @property
    def defined(self) -> bool:
        """Whether the pair has a value."""
        return self.below > TINY


class RowCoefficient(Protocol):
    """A coefficient of two judges from their ratings (whole numbers in scale order), item by item.

    `measure` does the long work, `fraction` reads numerator and denominator off it, and `slopes`
    says how both change as each item counts more.
    """

    def measure(self, first: Ints, second: Ints, counts: Floats) -> Any: ...

    def fraction(self, measured: Any) -> tuple[float, float]: ...

    def slopes(self, first: Ints, second: Ints, counts: Floats) -> Fraction: ...


class PairStatistic(Statistic):
    """A coefficient of two judges, averaged over pairs of judges.

    `combine` is the `"mean"` of the pairs' values, the `"fisher-z"` mean, or `"pooled"`: the ratio
    of the sums of numerators and denominators.
    """

    floor = -1.0

    def __init__(self, patterns: Patterns, combine: str) -> None:
        self.counts, self.clusters = patterns.counts.astype(float), patterns.clusters
        self.patterns, self.combine = patterns, combine
        self.pairs = judge_pairs(patterns, combine)
        self.weights = np.ones(len(self.pairs))

    @property
    @abstractmethod
    def results(self) -> list[PairResult]:
        """What every pair of judges has, for the ratings as they are."""

    @abstractmethod
    def fraction(self, pair: Pair, counts: Floats) -> Fraction:
        """A pair's numerator and denominator for each line of counts."""

    def fractions(self, counts: Floats) -> Fraction:
        """Numerators and denominators of all pairs (lines × pairs)."""
        return _side_by_side([self.fraction(pair, counts) for pair in self.pairs], len(counts))

    def evaluate(self, counts: Floats) -> Floats:
        return combine_pairs(self.fractions(counts), self.weights, self.combine)

    @property
    def n_parts(self) -> int:
        return len(self.pairs)

    def with_judges(self, weights: Floats) -> PairStatistic:
        other = copy(self)
        other.weights = pair_weights(self.pairs, weights)
        return other

    def evaluate_draws(self, counts: Floats, judges: Floats) -> Floats:
        weights = pair_weights(self.pairs, judges)
        return combine_pairs(self.fractions(counts), weights, self.combine)

    def without_each_judge(self) -> Floats:
        others = 1 - np.eye(len(self.patterns.judges))
        weights = pair_weights(self.pairs, others)
        return combine_pairs(self.fractions(self.counts[None, :]), weights, self.combine)


class PairTables(PairStatistic):
    """A mean over pairs of judges of a coefficient of their cross tables.

    `of_table` gives numerator and denominator from tables (… × categories × categories).
    """

    cheap = smooths = True

    def __init__(self, patterns: Patterns, of_table: OfTable, combine: str = "mean") -> None:
        super().__init__(patterns, combine)
        self.of_table = of_table

    def tables(self, pair: Pair, counts: Floats) -> Floats:
        """Cross-tabulate a pair of judges for each line of counts."""
        k, cell = self.patterns.n_values, self._cells([pair])[:, 0]
        both = np.flatnonzero(cell >= 0)
        which = np.zeros((both.size, k * k))
        which[np.arange(both.size), cell[both]] = 1
        common = counts if both.size == counts.shape[1] else counts[:, both]
        return (common @ which).reshape(-1, k, k)

    def fraction(self, pair: Pair, counts: Floats) -> Fraction:
        return self.of_table(self.tables(pair, counts))

    def fractions(self, counts: Floats) -> Fraction:
        if not self.pairs:
            return _side_by_side([], len(counts))
        if len(counts) == 1 and np.array_equal(counts[0], self.counts):
            above, below = self.of_table(self._whole_tables)
            return above[None, :], below[None, :]
        size = max(1, BLOCK // (len(counts) * self.patterns.n_values**2))
        parts = []
        for start in range(0, len(self.pairs), size):
            tables = [self.tables(pair, counts) for pair in self.pairs[start : start + size]]
            parts.append(self.of_table(np.stack(tables, axis=1)))
        columns = zip(*parts, strict=True)
        above, below = (np.concatenate(column, axis=1) for column in columns)
        return above, below

    def over(self, patterns: Patterns) -> PairTables:
        return PairTables(patterns, self.of_table, self.combine)

    def perturbed(self, keep: float, add: float) -> Floats:
        k, places = self.patterns.n_values, np.arange(len(self.pairs))
        if not places.size:
            return np.full(self.counts.size, np.nan)
        moves = np.concatenate([np.eye(k * k), np.zeros((1, k * k))]).reshape(-1, 1, k, k)
        tables = self._whole_tables
        size = max(1, BLOCK // moves.size)
        moved = [
            self.of_table(keep * tables[start : start + size] + add * moves)
            for start in range(0, len(tables), size)
        ]
        above, below = (np.concatenate(part, axis=1) for part in zip(*moved, strict=True))
        values, size = [], max(1, BLOCK // places.size)
        for start in range(0, self.counts.size, size):
            cells = self._cells(self.pairs, slice(start, start + size))
            parts = above[cells, places], below[cells, places]
            values.append(combine_pairs(parts, self.weights, self.combine))
        return np.concatenate(values)

    @cached_property
    def results(self) -> list[PairResult]:
        """For each pair of judges, its table, numerator and denominator."""
        if not self.pairs:
            return []
        tables = self._whole_tables
        above, below = self.of_table(tables)
        return [
            PairResult(*parts)
            for parts in zip(self.pairs, tables, above.tolist(), below.tolist(), strict=True)
        ]

    @cached_property
    def _whole_tables(self) -> Floats:
        """The cross tables of all pairs (pairs × categories × categories)."""
        k, tables = self.patterns.n_values, []
        size = max(1, BLOCK // max(self.counts.size, 1))
        for start in range(0, len(self.pairs), size):
            cells = self._cells(pairs := self.pairs[start : start + size])
            rows, places = np.nonzero(cells >= 0)
            flat = places * k * k + cells[rows, places]
            tables.append(np.bincount(flat, self.counts[rows], minlength=len(pairs) * k * k))
        return np.concatenate(tables).astype(float).reshape(-1, k, k)

    def _cells(self, pairs: Sequence[Pair], rows: slice = slice(None)) -> Ints:
        """In which cell of a pair's table each row counts (rows × pairs); -1 for none."""
        codes = self.patterns.codes[rows]
        first, second = (codes[:, list(who)].astype(np.int64) for who in zip(*pairs, strict=True))
        return np.where((first >= 0) & (second >= 0), first * self.patterns.n_values + second, -1)


class GroupedPairTables(PairTables):
    """A mean over pairs of judges from cross tables that were counted by groups of items."""

    def __init__(self, patterns: Patterns, of_table: OfTable, combine: str = "mean") -> None:
        assert patterns.crossed is not None
        super().__init__(patterns, of_table, combine)
        self.counts, self.clusters = np.ones(patterns.crossed.shape[1]), None
        every = combinations(range(len(patterns.judges)), 2)
        self.by_group = dict(zip(every, patterns.crossed, strict=True))

    smooths = False

    def tables(self, pair: Pair, counts: Floats) -> Floats:
        """Cross-tabulate a pair of judges for each line of counts of the groups."""
        return np.tensordot(counts, self.by_group[pair], axes=1)

    def perturbed(self, keep: float, add: float) -> Floats:
        return Statistic.perturbed(self, keep, add)

    @cached_property
    def _whole_tables(self) -> Floats:
        k = self.patterns.n_values
        tables = [self.by_group[pair].sum(axis=0) for pair in self.pairs]
        return np.array(tables, dtype=float).reshape(-1, k, k)


class PairRows(PairStatistic):
    """A mean over pairs of judges of a coefficient that is evaluated from the rows themselves."""

    def __init__(
        self, patterns: Patterns, coefficient: RowCoefficient, combine: str = "mean"
    ) -> None:
        super().__init__(patterns, combine)
        self.coefficient = coefficient

    @cached_property
    def value(self) -> float:
        """The coefficient for the ratings as they are."""
        parts = [(np.array([pair.above]), np.array([pair.below])) for pair in self.results]
        return float(combine_pairs(_side_by_side(parts, 1), self.weights, self.combine)[0])

    def fraction(self, pair: Pair, counts: Floats) -> Fraction:
        first, second, both = self._common(pair)
        measured = (self.coefficient.measure(first, second, line[both]) for line in counts)
        lines = [self.coefficient.fraction(line) for line in measured]
        return np.array([above for above, _ in lines]), np.array([below for _, below in lines])

    @cached_property
    def measured(self) -> list[Any]:
        """What was measured of each pair of judges, for the ratings as they are."""
        common = [self._common(pair) for pair in self.pairs]
        return [self.coefficient.measure(a, b, self.counts[both]) for a, b, both in common]

    @cached_property
    def results(self) -> list[PairResult]:
        """For each pair of judges, its common items, numerator and denominator."""
        return [
            PairResult(pair, self.counts[self._common(pair)[2]], *self.coefficient.fraction(part))
            for pair, part in zip(self.pairs, self.measured, strict=True)
        ]

    def slopes(self) -> Floats:
        """How the value changes as each row counts more."""
        total = np.zeros(self.counts.size)
        whole = sum(pair.below for pair in self.results)
        known = [pair for pair in self.results if pair.defined]
        for pair, counts, above, below in known:
            first, second, both = self._common(pair)
            up, down = self.coefficient.slopes(first, second, counts)
            value, share = self.value, below / whole
            if self.combine != "pooled":
                value = above / below
                share = self._share(value) / len(known)
            total[both] += share * (up - value * down) / below
        return total

    def _share(self, value: float) -> float:
        """How the combined value changes with one pair's value, but for the number of pairs."""
        return (1 - self.value**2) / max(1 - value**2, TINY) if self.combine == "fisher-z" else 1.0

    def _common(self, pair: Pair) -> tuple[Ints, Ints, Any]:
        both = self.patterns.rated[:, list(pair)].all(axis=1)
        first, second = (self.patterns.codes[both, judge].astype(np.int64) for judge in pair)
        return first, second, both


def pair_statistic(
    patterns: Patterns, of_table: OfTable, of_rows: RowCoefficient, combine: str = "mean"
) -> PairTables | PairRows:
    """Choose cross tables for few categories and the rows themselves for many."""
    if patterns.crossed is not None or patterns.n_values <= MOST_TABULATED:
        return pair_tables(patterns, of_table, combine)
    return PairRows(patterns, of_rows, combine)


def pair_tables(patterns: Patterns, of_table: OfTable, combine: str = "mean") -> PairTables:
    """Take the judges' cross tables as the engine counted them, or form them from patterns."""
    kind = PairTables if patterns.crossed is None else GroupedPairTables
    return kind(patterns, of_table, combine)


def has_own_value(common: float, n_items: int) -> bool:
    """Say whether two judges share enough of the items for a value of their own.

    The one rule for the coefficient of all judges, tables of pairs, pages and checks. A study of
    few items is taken as it is.
    """
    return common >= FEWEST_COMMON or n_items < 2 * FEWEST_COMMON


def choose_combine(patterns: Patterns, combine: str) -> str:
    """Choose how pairs of judges become one value where the caller leaves it open (`"auto"`).

    The mean over pairs; over those that share enough items, where they hold most of what pairs
    share; or pooled, because few items bias a pair's value towards 0, and sums do not.
    """
    if combine != "auto":
        return combine
    common = _common_items(patterns)
    enough = common[[has_own_value(n, patterns.n_items) for n in common]].sum()
    if enough == common.sum():
        return "mean"
    return OWN_MEAN if 2 * enough > common.sum() else "pooled"


def _common_items(patterns: Patterns) -> Floats:
    """How many items every two judges share."""
    if patterns.crossed is not None:
        return np.asarray(patterns.crossed.sum(axis=(1, 2, 3)))
    rated = patterns.rated.astype(float)
    shared = rated.T @ (patterns.counts[:, None] * rated)
    return np.asarray(shared[np.triu_indices(len(shared), 1)])


def judge_pairs(patterns: Patterns, combine: str = "mean") -> list[Pair]:
    """Return the pairs of judges who share at least one item, or enough for their own value."""
    pairs = combinations(range(len(patterns.judges)), 2)
    return [
        pair
        for pair, common in zip(pairs, _common_items(patterns), strict=True)
        if common and (combine != OWN_MEAN or has_own_value(common, patterns.n_items))
    ]


def pair_weights(pairs: list[Pair], judge_weights: Floats) -> Floats:
    """Return how much each pair of judges counts when judges were drawn several times.

    For one draw of judges, or for several (lines × judges).
    """
    first, second = (np.array([pair[side] for pair in pairs], dtype=int) for side in (0, 1))
    return np.asarray(judge_weights[..., first] * judge_weights[..., second], dtype=float)


def _side_by_side(parts: Sequence[Fraction], size: int) -> Fraction:
    """Put the pairs' numerators and denominators into columns."""
    if not parts:
        return np.zeros((size, 0)), np.zeros((size, 0))
    return np.column_stack([part[0] for part in parts]), np.column_stack([p[1] for p in parts])


def combine_pairs(parts: Fraction, weights: Floats, combine: str) -> Floats:
    """Bring the pairs' fractions (lines × pairs) to one value for each line.

    `weights` are the pairs' own, or those of each line. NaN where no pair has a value.
    """
    above, below = parts
    if combine == "pooled":
        return ratio(_weigh(above, weights), _weigh(below, weights))
    values = ratio(above, below)
    if combine == "fisher-z":
        values = np.arctanh(np.clip(values, -1 + 1e-15, 1 - 1e-15))
    known = ~np.isnan(values)
    mean = ratio(_weigh(np.where(known, values, 0), weights), _weigh(known.astype(float), weights))
    return np.tanh(mean) if combine == "fisher-z" else mean


def _weigh(columns: Floats, weights: Floats) -> Floats:
    """The weighted sum of each line; of the only line for every line of weights."""
    if weights.ndim == 1:
        return columns @ weights
    lines = weights @ columns[0] if len(columns) == 1 else np.sum(columns * weights, axis=1)
    return np.asarray(lines)


def pair_values(patterns: Patterns, results: Sequence[PairResult]) -> tuple[dict[str, Any], ...]:
    """Write down what every pair of judges has in common and its value, if they have their own."""
    rows = []
    for result in results:
        common = round(float(np.sum(result.common)))
        value = float(ratio(np.array(result.above), np.array(result.below)))
        judges = tuple(patterns.judges[judge] for judge in result.pair)
        own = has_own_value(common, patterns.n_items)
        rows.append({"judges": judges, "items": common, "value": value if own else math.nan})
    return tuple(rows)


def pair_notes(patterns: Patterns, results: Sequence[PairResult], combine: str) -> list[str]:
    """Note how many pairs of judges have no value, or none of their own."""
    notes: list[str] = []
    undefined = sum(not result.defined for result in results)
    if undefined and combine != "pooled" and len(results) > 1:
        notes.append(Note("stats.undefined-pairs", undefined=undefined, pairs=len(results)))
    common = _common_items(patterns)
    few = [n for n in common if n and not has_own_value(n, patterns.n_items)]
    if few and combine in ("pooled", OWN_MEAN):
        code = "stats.pairs-pooled" if combine == "pooled" else "stats.pairs-left-out"
        pairs = int(np.count_nonzero(common))
        notes.append(Note(code, few=len(few), pairs=pairs, least=FEWEST_COMMON))
    return notes


def why_undefined(patterns: Patterns) -> str:
    """Say why a correlation has no value, where judges share items."""
    if not patterns.n_items:
        return Note("stats.nothing-shared")
    if patterns.crossed is not None:
        return Note("stats.pairs-constant")
    constant = [
        str(judge)
        for place, judge in enumerate(patterns.judges)
        if np.unique(patterns.codes[patterns.rated[:, place], place]).size == 1
    ]
    if constant:
        return Note("stats.judges-constant", judges=", ".join(constant))
    return Note("stats.all-tied")


def count_judge_pairs(ratings: Ratings, criterion: Any = None) -> Patterns:
    """Return the tallies of all items with the cross tables of every two judges.

    The columns of these patterns are slots; `judges` are those of the tables.
    """
    chosen = ratings.one_criterion(criterion)
    if (chosen, "crossed") not in ratings.cache:
        ratings.cache[chosen, "crossed"] = _count_judge_pairs(ratings, chosen)
    patterns: Patterns = ratings.cache[chosen, "crossed"]
    return patterns


def pair_patterns(patterns: Patterns, first: Any, second: Any) -> Patterns:
    """Return what two judges gave the items that both rated, with groups of items as clusters."""
    assert patterns.crossed is not None
    places = patterns.judges.index(first), patterns.judges.index(second)
    every = list(combinations(range(len(patterns.judges)), 2))
    tables = patterns.crossed[every.index(places)]
    group, one, other = np.nonzero(tables)
    return Patterns(
        codes=np.column_stack([one, other]).astype(np.int32),
        counts=tables[group, one, other].astype(np.int64),
        values=patterns.values,
        judges=(first, second),
        scale=patterns.scale,
        clusters=group,
    )


def category_uses(ratings: Ratings, criterion: Any, patterns: Patterns) -> Ints:
    """Return how often each judge gave each rating: judges × categories."""
    frame, judges = criterion_frame(ratings, ratings.one_criterion(criterion))
    return count_uses(frame, judges, patterns.scale.categories or ())


def _count_judge_pairs(ratings: Ratings, criterion: Any) -> Patterns:
    tallies = collapse(ratings, criterion, named=False)
    frame, judges = criterion_frame(ratings, criterion)
    n_judges, n_pairs = len(judges), len(judges) * (len(judges) - 1) // 2
    groups = min(MOST_GROUPS, MOST_CELLS // (n_pairs * tallies.n_values**2))
    if groups < FEWEST_GROUPS:
        raise InvalidArgument("stats.too-many-pairs", n_pairs=n_pairs, n_judges=n_judges)
    assert tallies.scale.categories is not None
    tables = count_pairs(frame, judges, tallies.scale.categories, groups)
    return replace(tallies, judges=tuple(judges), crossed=tables)
