"""Coefficients of two judges, averaged over all pairs of judges.

Few categories need only the judges' cross tables; many are compared item by item. With many judges
who rate a few items each, nearly every item has a pattern of its own, but what two judges gave the
items that both rated is still a small table. These tables do not say which items they share, so
they are counted by groups of items, and an interval draws whole groups.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from copy import copy
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from covary.records import dataclass
from covary.stats.patterns import Patterns
from covary.stats.statistic import BLOCK, ROUNDING, TINY, Fraction, Statistic, ratio
from covary.words import Note

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Rows = Ints | slice
"""Some of the rows, or all of them."""

MOST_TABULATED = 16
"""With more categories than this the judges' cross tables are no longer formed."""

MOST_COMPARED = 400
"""Up to so many rows every two of them are compared at once for all resamples."""

FEWEST_COMMON = 10
"""On fewer common items two judges have no value of their own."""

OWN_MEAN = f"mean of pairs with {FEWEST_COMMON} items"
"""The mean over pairs of judges who share enough items."""

MOST_LISTED = 50_000
"""Pairs of judges (those of 316 judges) up to which `details` lists all of them."""


@dataclass(frozen=True, kw_only=True)
class PairResults:
    """What pairs of judges have: their places, common items, numerators and denominators.

    `tables` are their cross tables, where these were counted.
    """

    pairs: Ints
    items: Floats
    above: Floats
    below: Floats
    tables: Floats | None = None

    def __len__(self) -> int:
        """How many pairs there are."""
        return len(self.pairs)

    @property
    def defined(self) -> npt.NDArray[np.bool_]:
        """Which pairs have a value."""
        return self.below > TINY


class TableCoefficient(Protocol):
    """A coefficient of two judges from cross tables (… × categories × categories).

    `of_table` gives numerator and denominator, `table_slopes` how both change as an item is
    added to each cell.
    """

    def of_table(self, tables: Floats) -> Fraction: ...

    def table_slopes(self, tables: Floats) -> Fraction: ...


class RowCoefficient(Protocol):
    """A coefficient of two judges from their ratings (whole numbers in scale order), item by item.

    `measure` does the long work, `fraction` reads numerator and denominator off it, `summary` what
    else is told of two judges, and `slopes` how both change as each item counts more. `left_out`
    gives both without one item of each row in turn, or None where no formula is known; `of_lines`
    both for many counts of the rows.
    """

    def measure(self, first: Ints, second: Ints, counts: Floats) -> Any: ...

    def fraction(self, measured: Any) -> tuple[float, float]: ...

    def summary(self, measured: Any) -> Any: ...

    def slopes(self, measured: Any) -> Fraction: ...

    def left_out(self, first: Ints, second: Ints, counts: Floats) -> Fraction | None: ...

    def of_lines(self, first: Ints, second: Ints, counts: Floats) -> Fraction: ...


class PairStatistic(Statistic):
    """A coefficient of two judges, averaged over pairs of judges.

    `combine` is the `"mean"` of the pairs' values, the `"fisher-z"` mean, or `"pooled"`: the ratio
    of the sums of numerators and denominators.
    """

    floor = -1.0
    order_only = graded = True

    def __init__(self, patterns: Patterns, combine: str) -> None:
        self.counts, self.clusters = patterns.times, patterns.clusters
        self.patterns, self.combine = patterns, combine
        self.chosen = chosen_pairs(patterns, combine)
        self.pairs = sharing_pairs(patterns)[self.chosen]
        self.weights = np.ones(len(self.pairs))

    @property
    @abstractmethod
    def results(self) -> PairResults:
        """What every pair of judges has, for the ratings as they are."""

    @abstractmethod
    def fraction(self, place: int, counts: Floats) -> Fraction:
        """Numerator and denominator of one of the pairs for each line of counts."""

    def fractions(self, counts: Floats) -> Fraction:
        """Numerators and denominators of all pairs (lines × pairs)."""
        every = range(len(self.pairs))
        return _side_by_side([self.fraction(place, counts) for place in every], len(counts))

    def evaluate(self, counts: Floats) -> Floats:
        return combine_pairs(self.fractions(counts), self.weights, self.combine)

    @cached_property
    def value(self) -> float:
        """The coefficient for the ratings as they are."""
        parts = self.results.above[None, :], self.results.below[None, :]
        return float(combine_pairs(parts, self.weights, self.combine)[0])

    @property
    def n_parts(self) -> int:
        return len(self.pairs)

    def with_judges(self, weights: Floats) -> PairStatistic:
        other = copy(self)
        other.__dict__.pop("value", None)
        other.weights = pair_weights(self.pairs, weights)
        return other

    def without_each_judge(self) -> Floats:
        return without_each_judge(self.results, len(self.patterns.judges), self.combine)

    def _scales(self) -> tuple[Floats, Floats]:
        return pair_scales(self.results, self.weights, self.combine, self.value)


class PairTables(PairStatistic):
    """A mean over pairs of judges of a coefficient of their cross tables."""

    cheap = smooths = True

    def __init__(
        self, patterns: Patterns, coefficient: TableCoefficient, combine: str = "mean"
    ) -> None:
        super().__init__(patterns, combine)
        self.coefficient = coefficient

    def tables(self, place: int, counts: Floats) -> Floats:
        """Cross-tabulate a pair of judges for each line of counts."""
        k = self.patterns.n_values
        rows, cells = self.patterns.common.of_pair(int(self.chosen[place]))
        which = np.zeros((rows.size, k * k))
        which[np.arange(rows.size), cells] = 1
        if rows.size < counts.shape[1]:  # drawn weights lie row by row
            counts = counts[:, rows] if counts.flags.c_contiguous else counts.T[rows].T
        return (counts @ which).reshape(-1, k, k)

    def fraction(self, place: int, counts: Floats) -> Fraction:
        return self.coefficient.of_table(self.tables(place, counts))

    def fractions(self, counts: Floats) -> Fraction:
        if not len(self.pairs):
            return _side_by_side([], len(counts))
        if len(counts) == 1 and np.array_equal(counts[0], self.counts):
            return self.results.above[None, :], self.results.below[None, :]
        k = self.patterns.n_values
        size = max(1, BLOCK // (len(counts) * k**2))
        parts = []
        for start in range(0, len(self.pairs), size):
            tables = self._some_tables(slice(start, start + size), counts).reshape(-1, k, k)
            found = self.coefficient.of_table(tables)
            parts.append([part.reshape(len(counts), -1) for part in found])
        columns = zip(*parts, strict=True)
        above, below = (np.concatenate(column, axis=1) for column in columns)
        return above, below

    def _some_tables(self, some: slice, counts: Floats) -> Floats:
        """Cross-tabulate some pairs of judges for each line of counts."""
        if self._cells is None:
            places = range(len(self.pairs))[some]
            return np.stack([self.tables(place, counts) for place in places], axis=1)
        k2 = self.patterns.n_values**2
        return counts @ self._cells[:, some.start * k2 : some.stop * k2]

    @cached_property
    def _cells(self) -> Floats | None:
        """Which row counts in which cell of all tables (rows × cells); None where pairs share few.

        One product then makes all tables, which takes less time than one for each pair.
        """
        n_rows, n_pairs, k2 = self.counts.size, len(self.pairs), self.patterns.n_values**2
        if n_rows * n_pairs * k2 > BLOCK:
            return None
        rows, places = (np.concatenate(part) for part in zip(*self._places(), strict=True))
        if 2 * rows.size < n_rows * n_pairs:
            return None
        cells = np.zeros((n_rows, n_pairs * k2))
        cells[rows, places] = 1
        return cells

    def over(self, patterns: Patterns) -> PairTables:
        return PairTables(patterns, self.coefficient, self.combine)

    def perturbed(self, keep: float, add: float) -> Floats:
        """Evaluate with one row more or less: only the pairs who share the row change."""
        if not len(self.pairs):
            return np.full(self.counts.size, np.nan)
        k2 = self.patterns.n_values**2
        rows, places = (np.concatenate(column) for column in zip(*self._places(), strict=True))
        used, which = np.unique(places, return_inverse=True)
        base = _contributions(self._of_tables(keep * self._whole_tables), self.combine)
        moved = _contributions(self._moved(used, keep, add), self.combine)
        pair = used // k2
        above, below = (
            self.weights @ old
            + np.bincount(
                rows, (self.weights[pair] * (new - old[pair]))[which], minlength=self.counts.size
            )
            for old, new in zip(base, moved, strict=True)
        )
        return _back(ratio(above, below), self.combine)

    def slopes(self) -> Floats:
        """How the value changes as each row counts more, from one pass over the tables."""
        total, flat = np.zeros(self.counts.size), self._table_slopes.ravel()
        for rows, places in self._places():
            total += np.bincount(rows, flat[places], minlength=total.size)
        return total

    @cached_property
    def results(self) -> PairResults:
        """For each pair of judges, its table, numerator and denominator."""
        tables = self._whole_tables
        above, below = self._of_tables(tables)
        items = tables.sum(axis=(1, 2))
        return PairResults(pairs=self.pairs, items=items, above=above, below=below, tables=tables)

    @cached_property
    def _whole_tables(self) -> Floats:
        """The cross tables of all pairs (pairs × categories × categories)."""
        tables = self.patterns.common.tables
        return tables if len(self.chosen) == len(tables) else tables[self.chosen]

    @property
    def _table_slopes(self) -> Floats:
        """How the value changes with each cell of each table."""
        tables, (scale, values) = self._whole_tables, self._scales()
        slopes = np.empty(tables.shape)
        for part in _parts(tables):
            up, down = self.coefficient.table_slopes(tables[part])
            slopes[part] = scale[part, None, None] * (up - values[part, None, None] * down)
        return slopes

    def _of_tables(self, tables: Floats) -> Fraction:
        fractions = [self.coefficient.of_table(tables[part]) for part in _parts(tables)]
        if not fractions:
            return np.zeros(0), np.zeros(0)
        above, below = (np.concatenate(column) for column in zip(*fractions, strict=True))
        return above, below

    def _places(self) -> Iterator[tuple[Ints, Ints]]:
        """The rows that pairs share, and in which cell of all tables each of them counts."""
        k2, common = self.patterns.n_values**2, self.patterns.common
        place = np.full(len(common.pairs), -1)
        place[self.chosen] = np.arange(len(self.chosen))
        for rows, pairs, cells in common.blocks():
            known = place[pairs] >= 0
            yield rows[known], (place[pairs] * k2 + cells)[known]

    def _moved(self, used: Ints, keep: float, add: float) -> Fraction:
        """The fractions of tables that are kept to a part, with one cell more or less in each."""
        k, parts = self.patterns.n_values, []
        size = max(1, BLOCK // k**2)
        for start in range(0, used.size, size):
            some = used[start : start + size]
            tables = keep * self._whole_tables[some // k**2].reshape(-1, k * k)
            tables[np.arange(some.size), some % k**2] += add
            parts.append(self.coefficient.of_table(tables.reshape(-1, k, k)))
        above, below = (np.concatenate(column) for column in zip(*parts, strict=True))
        return above, below


class GroupedPairTables(PairTables):
    """A mean over pairs of judges from cross tables that were counted by groups of items."""

    def __init__(
        self, patterns: Patterns, coefficient: TableCoefficient, combine: str = "mean"
    ) -> None:
        assert patterns.crossed is not None
        super().__init__(patterns, coefficient, combine)
        self.counts, self.clusters = np.ones(patterns.crossed.shape[1]), None
        self.by_group = patterns.crossed[_crossed_items(patterns) > 0][self.chosen]

    smooths = False
    _cells = None

    def tables(self, place: int, counts: Floats) -> Floats:
        """Cross-tabulate a pair of judges for each line of counts of the groups."""
        return np.tensordot(counts, self.by_group[place], axes=1)

    def perturbed(self, keep: float, add: float) -> Floats:
        return Statistic.perturbed(self, keep, add)

    def slopes(self) -> Floats:
        return np.asarray(np.einsum("pgkl,pkl->g", self.by_group, self._table_slopes))

    @cached_property
    def _whole_tables(self) -> Floats:
        return np.asarray(self.by_group.sum(axis=1), dtype=float)


class PairRows(PairStatistic):
    """A mean over pairs of judges of a coefficient that is evaluated from the rows themselves."""

    def __init__(
        self, patterns: Patterns, coefficient: RowCoefficient, combine: str = "mean"
    ) -> None:
        super().__init__(patterns, combine)
        self.coefficient = coefficient

    def fraction(self, place: int, counts: Floats) -> Fraction:
        first, second, both = self._common(place)
        if len(counts) > 1 and first.size <= MOST_COMPARED:
            return self.coefficient.of_lines(first, second, counts[:, both])
        measured = (self.coefficient.measure(first, second, line[both]) for line in counts)
        lines = [self.coefficient.fraction(line) for line in measured]
        return np.array([above for above, _ in lines]), np.array([below for _, below in lines])

    @cached_property
    def _kept(self) -> dict[int, tuple[Any, Rows]]:
        return {}

    def _measured(self, place: int) -> tuple[Any, Rows]:
        """What was measured of a pair of judges, and the rows that both rated."""
        if place in self._kept:
            return self._kept[place]
        first, second, both = self._common(place)
        measured = self.coefficient.measure(first, second, self.counts[both])
        if len(self.pairs) * self.counts.size <= BLOCK:  # else there is no room for all pairs
            self._kept[place] = measured, both
        return measured, both

    @cached_property
    def _read(self) -> list[tuple[tuple[float, float], Any]]:
        """Each pair's fraction and what else is told of it."""
        every = (self._measured(place)[0] for place in range(len(self.pairs)))
        return [(self.coefficient.fraction(part), self.coefficient.summary(part)) for part in every]

    @property
    def summaries(self) -> list[Any]:
        """What else is told of each pair of judges."""
        return [summary for _, summary in self._read]

    @cached_property
    def results(self) -> PairResults:
        """For each pair of judges, its common items, numerator and denominator."""
        above, below = np.array([fraction for fraction, _ in self._read]).reshape(-1, 2).T
        items = self.patterns.common.items[self.chosen]
        return PairResults(pairs=self.pairs, items=items, above=above, below=below)

    def perturbed(self, keep: float, add: float) -> Floats:
        """Evaluate with one row more or less; by formula where it is one less."""
        if (keep, add) != (1.0, -1.0) or not len(self.pairs):
            return super().perturbed(keep, add)
        old = _contributions((self.results.above, self.results.below), self.combine)
        above, below = (np.full(self.counts.size, self.weights @ part) for part in old)
        for place in range(len(self.pairs)):
            first, second, both = self._common(place)
            parts = self.coefficient.left_out(first, second, self.counts[both])
            if parts is None:
                return super().perturbed(keep, add)
            new = _contributions(parts, self.combine)
            for total, now, before in zip((above, below), new, old, strict=True):
                total[both] += self.weights[place] * (now - before[place])
        return _back(ratio(above, below), self.combine)

    def slopes(self) -> Floats:
        """How the value changes as each row counts more."""
        total, (scale, values) = np.zeros(self.counts.size), self._scales()
        for place in np.flatnonzero(self.results.defined).tolist():
            measured, both = self._measured(place)
            up, down = self.coefficient.slopes(measured)
            total[both] += scale[place] * (up - values[place] * down)
        return total

    def _common(self, place: int) -> tuple[Ints, Ints, Rows]:
        return self.patterns.shared_codes(int(self.chosen[place]))


def _parts(tables: Floats) -> Iterator[slice]:
    """Parts of the tables that are evaluated at once."""
    size = max(1, BLOCK // max(int(np.prod(tables.shape[1:])), 1))
    return (slice(start, start + size) for start in range(0, len(tables), size))


def pair_statistic(
    patterns: Patterns, of_table: TableCoefficient, of_rows: RowCoefficient, combine: str = "mean"
) -> PairTables | PairRows:
    """Choose cross tables for few categories and the rows themselves for many."""
    if patterns.crossed is not None or patterns.has_few_values(MOST_TABULATED):
        return pair_tables(patterns, of_table, combine)
    return PairRows(patterns, of_rows, combine)


def pair_tables(
    patterns: Patterns, coefficient: TableCoefficient, combine: str = "mean"
) -> PairTables:
    """Take the judges' cross tables as the engine counted them, or form them from patterns."""
    kind = PairTables if patterns.crossed is None else GroupedPairTables
    return kind(patterns, coefficient, combine)


def fewest_common(n_items: int) -> int:
    """Say how many items two judges must share; in a study of few items half of them.

    Examples
    --------
    >>> fewest_common(16), fewest_common(200)
    (8, 10)
    """
    return min(FEWEST_COMMON, -(-n_items // 2))


def has_own_value(common: float, n_items: int) -> bool:
    """Say whether two judges share enough of the items for a value of their own.

    The one rule for the coefficient of all judges, tables of pairs, pages and checks.
    """
    return common >= fewest_common(n_items)


def own_values(common: Floats, n_items: int) -> npt.NDArray[np.bool_]:
    """Say the same of many pairs of judges."""
    return common >= fewest_common(n_items)


def choose_combine(patterns: Patterns, combine: str) -> str:
    """Choose how pairs of judges become one value where the caller leaves it open (`"auto"`).

    The mean over pairs; over those that share enough items, where they hold most of what pairs
    share; or pooled, because few items bias a pair's value towards 0, and sums do not.
    """
    if combine != "auto":
        return combine
    common = _common_items(patterns)
    enough = common[own_values(common, patterns.n_items)].sum()
    if enough == common.sum():
        return "mean"
    return OWN_MEAN if 2 * enough > common.sum() else "pooled"


def _common_items(patterns: Patterns) -> Floats:
    """How many items the pairs of judges share who share any."""
    if patterns.crossed is None:
        return patterns.common.items
    items = _crossed_items(patterns)
    return items[items > 0]


def _crossed_items(patterns: Patterns) -> Floats:
    """How many items every two judges share, where their tables were counted by groups."""
    assert patterns.crossed is not None
    return np.asarray(patterns.crossed.sum(axis=(1, 2, 3)))


def sharing_pairs(patterns: Patterns) -> Ints:
    """Return the places of the judges who share at least one item (pairs × 2)."""
    if patterns.crossed is None:
        return patterns.common.pairs
    every = np.column_stack(np.triu_indices(len(patterns.judges), 1))
    return every[_crossed_items(patterns) > 0]


def chosen_pairs(patterns: Patterns, combine: str = "mean") -> Ints:
    """Return the numbers of the pairs who share an item, or enough of them for their own value."""
    common = _common_items(patterns)
    if combine != OWN_MEAN:
        return np.arange(common.size)
    return np.flatnonzero(own_values(common, patterns.n_items))


def pair_weights(pairs: Ints, judge_weights: Floats) -> Floats:
    """Return how much each pair of judges counts when judges were drawn several times.

    For one draw of judges, or for several (lines × judges).
    """
    first, second = pairs.T
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
    above, below = (_weigh(part, weights) for part in _contributions(parts, combine))
    return _back(ratio(above, below), combine)


def without_each_judge(results: PairResults, n_judges: int, combine: str) -> Floats:
    """Combine the pairs with each judge left out in turn: all of them less those of the judge."""
    first, second = results.pairs.T
    above, below = (
        part.sum() - np.bincount(first, part, n_judges) - np.bincount(second, part, n_judges)
        for part in _contributions((results.above, results.below), combine)
    )
    lowest = ROUNDING * max(float(np.sum(np.abs(results.below))), 1.0)
    return _back(ratio(above, np.where(below > lowest, below, 0.0)), combine)


def pair_scales(
    results: PairResults, weights: Floats, combine: str, value: float
) -> tuple[Floats, Floats]:
    """Return how the combined value changes with each pair's numerator, and the value of its ratio.

    The slopes of a pair's numerator (up) and denominator (down) then add scale (up - value down).
    """
    if combine == "pooled":
        every = max(float(weights @ results.below), TINY)
        return weights / every, np.full(len(results), value)
    below = np.where(results.defined, results.below, 1.0)
    values, share = results.above / below, np.where(results.defined, weights, 0.0)
    share = share / max(float(share.sum()), TINY)
    if combine == "fisher-z":
        share = share * (1 - value**2) / np.maximum(1 - values**2, TINY)
    return share / below, values


def _contributions(parts: Fraction, combine: str) -> Fraction:
    """What each pair adds above and below: its fraction, or its value and 1 where it has one."""
    if combine == "pooled":
        return parts
    values = ratio(*parts)
    if combine == "fisher-z":
        values = np.arctanh(np.clip(values, -1 + 1e-15, 1 - 1e-15))
    known = ~np.isnan(values)
    return np.where(known, values, 0), known.astype(float)


def _back(means: Floats, combine: str) -> Floats:
    return np.tanh(means) if combine == "fisher-z" else means


def _weigh(columns: Floats, weights: Floats) -> Floats:
    """The weighted sum of each line; of the only line for every line of weights."""
    if weights.ndim == 1:
        return columns @ weights
    lines = weights @ columns[0] if len(columns) == 1 else np.sum(columns * weights, axis=1)
    return np.asarray(lines)


def pair_values(patterns: Patterns, results: PairResults) -> tuple[dict[str, Any], ...]:
    """Write down what pairs of judges have in common and their value, if they have their own.

    Where pairs are too many to be read, those who share the most items.
    """
    items = np.round(results.items).astype(np.int64)
    values = np.clip(ratio(results.above, results.below), -1, 1)
    values = np.where(own_values(items.astype(float), patterns.n_items), values, np.nan)
    listed = np.arange(len(results))
    if len(results) > MOST_LISTED:
        listed = np.sort(np.argsort(-items, kind="stable")[:MOST_LISTED])
    columns = (part[listed].tolist() for part in (results.pairs, items, values))
    return tuple(
        {"judges": (patterns.judges[one], patterns.judges[other]), "items": n, "value": value}
        for (one, other), n, value in zip(*columns, strict=True)
    )


def pair_notes(patterns: Patterns, results: PairResults, combine: str) -> list[str]:
    """Note how many pairs of judges have no value, none of their own, or are not listed."""
    notes: list[str] = []
    undefined = int(np.count_nonzero(~results.defined))
    if undefined and combine != "pooled" and len(results) > 1:
        notes.append(Note("stats.undefined-pairs", undefined=undefined, pairs=len(results)))
    common = _common_items(patterns)
    few = int(np.count_nonzero(~own_values(common, patterns.n_items)))
    if few and combine in ("pooled", OWN_MEAN):
        code = "stats.pairs-pooled" if combine == "pooled" else "stats.pairs-left-out"
        notes.append(Note(code, few=few, pairs=common.size, least=fewest_common(patterns.n_items)))
    if len(results) > MOST_LISTED:
        notes.append(Note("stats.pairs-listed", pairs=len(results), listed=MOST_LISTED))
    return notes


def too_few_common(patterns: Patterns) -> str:
    """Say that most of what judges have in common lies in pairs without a value of their own."""
    common, least = _common_items(patterns), fewest_common(patterns.n_items)
    few = int(np.count_nonzero(~own_values(common, patterns.n_items)))
    return Note("stats.pairs-too-few-common", few=few, pairs=common.size, least=least)


def why_undefined(patterns: Patterns) -> str:
    """Say why a correlation has no value, where judges share items."""
    if not patterns.n_items:
        return Note("stats.nothing-shared")
    if patterns.crossed is not None:
        return Note("stats.pairs-constant")
    if _common_items(patterns).max(initial=0) < 2:
        return Note("stats.one-in-common")
    constant = [
        str(judge)
        for place, judge in enumerate(patterns.judges)
        if np.unique(patterns.codes[patterns.rated[:, place], place]).size == 1
    ]
    if constant:
        return Note("stats.judges-constant", judges=", ".join(constant))
    return Note("stats.all-tied")
