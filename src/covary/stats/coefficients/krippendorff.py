"""Krippendorff's alpha for any level, any number of judges and missing ratings."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.scales import Level, as_level
from covary.stats.coefficient import OwnIntervals, Request, check_ratings, prepare
from covary.stats.distances import fixed_distances, ratio_sums
from covary.stats.draws import on_a_line
from covary.stats.estimate import Estimate, Interval
from covary.stats.intervals import (
    FEW_ROWS,
    IntervalSpec,
    analytic,
    hughes,
    student,
    tilted,
    units,
)
from covary.stats.line import BY_ORDER, BY_SUMS, LinePatterns, standard_blocks
from covary.stats.ordering import Ranks, midranks
from covary.stats.patterns import Patterns
from covary.stats.statistic import JUDGE_GROUPS, TINY, Linear, Statistic, ratio
from covary.words import Note

Floats = npt.NDArray[np.float64]
Parts = tuple[Floats, Floats]

MOST_TABULATED = 32
"""With more distinct ratings than this, pairs of them are no longer tabulated."""

MOST_WEIGHED = 5 * FEW_ROWS
"""With more different rows than this, random weights of them take long."""

HEAD = 3
"""Each row's first sums: one item, its ratings, and its ratings squared."""


def krippendorff_alpha(
    ratings: Ratings,
    *,
    criterion: Any = None,
    level: Level | str | None = None,
    distance: Any = None,
    judges: Sequence[Any] | None = None,
    confidence: float = 0.95,
    interval: str | None = "auto",
    resamples: int = 1000,
    rng: Any = None,
) -> Estimate:
    """How far do judges agree beyond chance, at the level of measurement of the scale?

    The general choice: any number of judges, missing ratings, and distances that suit the level.
    For nominal ratings and many items it comes close to `fleiss_kappa`.

    Parameters
    ----------
    ratings
        The ratings; missing ones are allowed.
    criterion
        Which criterion, where there are several.
    level
        `"nominal"`, `"ordinal"`, `"interval"` or `"ratio"`: the distances to use. The scale's own
        level by default; every output names it, because "good" may depend on it.
    distance
        Distances of your own: a symmetric matrix with 0 on its diagonal and a row and a column for
        each category. (These are squared differences in the sense of the interval metric.)
    judges
        Only these judges; all by default.
    confidence, interval, resamples, rng
        The interval: its confidence; its method (`"auto"` is `"tilted"`, a score interval
        over weights of items, for these judges and other items; `"hughes"` is Hughes' jackknife,
        which `"auto"` takes for numbers on a line and very many different rows; `"two-way"` speaks
        of other judges too; `"bootstrap"`, `"bca"`, `"analytic"`, `"jackknife"`, `"z-jackknife"` or
        None); the number of resamples; and the seed, which is recorded.

    Returns
    -------
    Estimate
        At most 1; 0 when ratings of an item differ as much as ratings of different items.

    Notes
    -----
    alpha = 1 - Do / De = 1 - (n - 1) sum o_ck d_ck / sum n_c n_k d_ck. Items with a single rating
    are dropped, from the margins too. Distances: nominal 0 or 1; ordinal the squared number of
    ratings between two categories (half of those in each); interval (c - k)²; ratio
    ((c - k) / (c + k))². Undefined when all ratings are the same. Ordinal alpha is computed as
    interval alpha of mid-ranks, which it equals. Checked against Krippendorff's examples, the
    krippendorff package 0.9.0 and R irr 0.84.1 (with missing ratings).

    References
    ----------
    Krippendorff (2011), Computing Krippendorff's alpha-reliability, sections C and D.
    Hughes (2022), arXiv:2210.13265, for his interval.

    Examples
    --------
    Krippendorff (2011), examples C and D: four judges, twelve items, published .743, .815, .849.

    >>> from covary import Ratings, krippendorff_alpha
    >>> judges = [
    ...     [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    ...     [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    ...     [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    ...     [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ... ]
    >>> for level in ("nominal", "ordinal", "interval"):
    ...     ratings = Ratings.from_wide(list(zip(*judges)), level=level)
    ...     print(f"{krippendorff_alpha(ratings, interval=None).value:.3f}")
    0.743
    0.815
    0.849
    """
    spec = IntervalSpec.of(interval, confidence, resamples, rng)
    request = Request(ratings=ratings, criterion=criterion, judges=judges, spec=spec)
    check_ratings("krippendorff_alpha", ratings)
    metric = ratings.scale(criterion).level if level is None else as_level(level)
    coefficient = prepare(
        "krippendorff_alpha",
        "Krippendorff's alpha",
        request,
        variant=str(metric) if distance is None else "own distances",
        level=None if level is None else metric,
        named=False,
        unsorted_for=_unsorted_for(metric) if distance is None else (),
    )
    pairable = coefficient.pairable
    statistic = alpha_statistic(pairable.merged, metric, distance)
    distances = str(metric) if distance is None else "own"
    return pairable.estimate(
        statistic,
        settings={"distance": distances, "missing": "available pairs"},
        default=_default(statistic),
        own=_own_intervals(statistic, pairable.patterns.n_ratings),
        undefined=Note("stats.nothing-shared"),
    )


def _unsorted_for(metric: Level) -> tuple[str | None, ...]:
    """The intervals for which ratings on a line need not be sorted at a level."""
    return {Level.ORDINAL: BY_ORDER, Level.INTERVAL: BY_SUMS}.get(metric, ())


def _default(statistic: Statistic) -> str:
    if isinstance(statistic, Alpha):
        few = statistic.counts.size <= MOST_WEIGHED and not on_a_line(statistic.patterns)
        return "tilted" if few else "hughes"
    return "jackknife" if statistic.counts.size <= FEW_ROWS else "analytic"


def _own_intervals(statistic: Statistic, n_ratings: int) -> OwnIntervals:
    own: OwnIntervals = {"analytic": lambda spec: _linearised(statistic, spec, n_ratings)}
    if isinstance(statistic, Alpha):
        own = {**own, "hughes": lambda spec: _hughes(statistic, spec)}
    return own


MANY_JUDGES = 10
"""With so many judges each of them rated few enough of the items to look at these alone."""


class Alpha(Linear):
    """Alpha from sums over items; `parts` gives observed and expected disagreement from them."""

    def __init__(
        self,
        patterns: Patterns,
        sums: Floats,
        parts: Callable[[Floats], Parts],
        rebuild: Callable[[Floats], Linear] | None,
    ) -> None:
        super().__init__(patterns, sums, lambda totals: _from_parts(parts(totals)), rebuild)
        self.parts = parts

    def without_each_judge(self) -> Floats:
        """Evaluate with each judge left out in turn, from the rows that the judge rated alone."""
        patterns, remake = self.patterns, self.remake
        numbers = np.arange(len(patterns.judges))
        n_groups = min(numbers.size, JUDGE_GROUPS)
        if remake is None or n_groups < MANY_JUDGES:
            return super().without_each_judge()
        rows, judges, _ = patterns.entries
        totals = np.repeat(self.total[None, :], n_groups, axis=0)
        for group, total in enumerate(totals):
            rated = np.unique(rows[judges % n_groups == group])
            if rated.size:
                others = remake(patterns.keep(rated)).with_judges(
                    (numbers % n_groups != group).astype(float)
                )
                assert isinstance(others, Alpha)
                total += others.total - self.counts[rated] @ self.sums[rated]
        return self.finish(totals)


class LineAlpha(Alpha):
    """Interval alpha of ratings on a line as they came, whose rows are added up without a table."""

    patterns: LinePatterns

    def __init__(self, patterns: LinePatterns) -> None:
        super().__init__(patterns, np.empty((0, 0)), _metric_parts, None)
        self.__dict__.pop("sums")

    @cached_property
    def sums(self) -> Floats:  # type: ignore[override]
        """What each row adds, in columns."""
        sums = np.empty((HEAD + 3, len(self.patterns.whole)))
        for rows, block in self._blocks():
            sums[:, rows] = block
        chosen = self.patterns.chosen
        return (sums if chosen is None else sums.compress(chosen, axis=1)).T

    @cached_property
    def total(self) -> Floats:
        total, chosen = np.zeros(HEAD + 3), self.patterns.chosen
        for rows, block in self._blocks():
            total += block.sum(axis=1) if chosen is None else block @ chosen[rows].astype(float)
        return total

    @property
    def value(self) -> float:
        return float(self.finish(self.total))

    def _blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Rows, and what each of them adds where it has two ratings."""
        patterns = self.patterns
        for rows, (numbers, rated, _), gaps in standard_blocks(
            patterns.whole.T, *patterns.standard
        ):
            sums = np.ones((HEAD + 3, numbers.shape[1]))
            _, size, squared, apart, first, second = sums
            size *= rated.sum(axis=0) if gaps else len(numbers)
            np.multiply(size, size, out=squared)
            numbers.sum(axis=0, out=first)
            np.einsum("ji,ji->i", numbers, numbers, out=second)
            np.maximum(size * second - first**2, 0, out=apart)
            apart *= 2 / np.maximum(size - 1, 1)
            yield rows, sums


class RankAlpha(Statistic):
    """Ordinal alpha of many distinct ratings, whose ranks change with every resample."""

    def __init__(self, patterns: Patterns) -> None:
        self.patterns = patterns
        self.counts, self.clusters = patterns.counts.astype(float), patterns.clusters
        self.rows, _, codes = patterns.entries
        self.codes = codes.astype(np.int64)

    def evaluate(self, counts: Floats) -> Floats:
        return np.array([self._one(line) for line in counts])

    def _one(self, counts: Floats) -> float:
        sums = _metric_sums(self.patterns, self._ranks(counts), self._everyone)
        return float(_from_parts(_metric_parts(counts @ sums)))

    def slopes(self) -> Floats:
        """How alpha changes as each row counts more, and moves the ranks of the others."""
        ranks, size = self._ranks(self.counts), self.patterns.sizes
        sums = _metric_sums(self.patterns, ranks, self._everyone)
        apart, own, squares = sums[:, HEAD:].T
        totals = self.counts @ sums
        observed, expected = (float(part) for part in _metric_parts(totals))
        n, first, second = totals[1], totals[HEAD + 1], totals[HEAD + 2]
        pull = 4 * (size / (size - 1))[self.rows] * (ranks - (own / size)[self.rows])
        push = 4 * (n * ranks - first) / (n - 1)
        spread = 2 * (size * second + n * squares - 2 * first * own)
        up = apart + self._moved(pull)
        down = (spread - expected * size) / (n - 1) + self._moved(push)
        return np.asarray((observed / expected * down - up) / expected)

    @property
    def _everyone(self) -> Floats:
        return np.ones(len(self.patterns.judges))

    def _ranks(self, counts: Floats) -> Floats:
        """Each rating's mid-rank around the middle one, as a share of all ratings."""
        return Ranks.of(self.codes, counts[self.rows]).ranks / self.codes.size

    def _moved(self, change: Floats) -> Floats:
        """What each row adds by moving the ranks of all ratings, whose sums change so with them."""
        times = self.counts[self.rows]
        moves = Ranks.of(self.codes, times).beyond(change * times) / 2 / self.codes.size
        return self.patterns.by_row(moves)


def alpha_statistic(patterns: Patterns, metric: Level, distance: Any = None) -> Statistic:
    """Choose the sums that alpha needs at a level: few for numbers, tables for categories."""
    statistic = _alpha_statistic(patterns, metric, distance)
    if isinstance(statistic, Alpha):
        statistic.remake = lambda other: alpha_statistic(other, metric, distance)
        statistic.smooths = True
        statistic.metric = distance is None and metric is not Level.NOMINAL
    return statistic


def _alpha_statistic(patterns: Patterns, metric: Level, distance: Any) -> Statistic:
    if not patterns.counts.size:
        return Linear(patterns, np.zeros((0, 1)), lambda totals: np.full(totals.shape[:-1], np.nan))
    tabulated = patterns.has_few_values(MOST_TABULATED)
    if distance is not None:
        return _tabulated(patterns, _own_distances(distance, patterns))
    if metric is Level.NOMINAL:
        return _matches(patterns)
    if metric is Level.ORDINAL:
        return _tabulated(patterns, None) if tabulated else RankAlpha(patterns)
    if metric is Level.INTERVAL:
        return _numbers(patterns)
    if tabulated:
        return _tabulated(patterns, fixed_distances(Level.RATIO, patterns.positions(metric)))
    return RatioAlpha(patterns)


def _matches(patterns: Patterns) -> Alpha:
    """Nominal: how many ratings match within items, and how often each category was used."""

    def build(weights: Floats) -> Alpha:
        tally, size, share = _pairing(patterns, weights)
        copies = patterns.judges_by_row(weights**2)
        matches = (np.sum(tally**2, axis=1) - copies) * share
        return Alpha(patterns, _add_head(size, matches, tally), parts, build)

    def parts(totals: Floats) -> Parts:
        n, used = totals[..., 1], totals[..., HEAD + 1 :]
        expected = n**2 - np.sum(used**2, axis=-1)
        return n - totals[..., HEAD], expected / np.maximum(n - 1, TINY)

    return build(np.ones(len(patterns.judges)))


def _numbers(patterns: Patterns) -> Alpha:
    """Interval: sums of the ratings and of their squares are enough."""
    if isinstance(patterns, LinePatterns):
        return LineAlpha(patterns)
    positions = patterns.positions(Level.INTERVAL)
    low, high = positions.min(), positions.max()
    standard = (positions - (low + high) / 2) / ((high - low) / 2 or 1.0)  # keeps the sums exact
    numbers = standard[patterns.entries[2]]

    def build(weights: Floats) -> Alpha:
        return Alpha(patterns, _metric_sums(patterns, numbers, weights), _metric_parts, build)

    return build(np.ones(len(patterns.judges)))


def _tabulated(patterns: Patterns, distances: Floats | None) -> Alpha:
    """Any distances between few categories, from the table of coincidences; None is ordinal."""
    size_of = patterns.n_values

    def build(weights: Floats) -> Alpha:
        tally, size, share = _pairing(patterns, weights)
        pairs = tally[:, :, None] * tally[:, None, :]
        copies = patterns.tally(weights**2)
        pairs[:, np.arange(size_of), np.arange(size_of)] -= copies
        pairs *= share[:, None, None]
        return Alpha(patterns, _add_head(size, pairs.reshape(len(pairs), -1)), parts, build)

    def parts(totals: Floats) -> Parts:
        table = totals[..., HEAD:].reshape(*totals.shape[:-1], size_of, size_of)
        used = table.sum(axis=-1)
        apart = distances
        if apart is None:
            ranks = midranks(used) / np.maximum(totals[..., 1, None], 1)
            apart = (ranks[..., :, None] - ranks[..., None, :]) ** 2
        observed = np.sum(table * apart, axis=(-2, -1))
        expected = np.sum(used[..., :, None] * used[..., None, :] * apart, axis=(-2, -1))
        return observed, expected / np.maximum(totals[..., 1] - 1, TINY)

    return build(np.ones(len(patterns.judges)))


class RatioAlpha(Statistic):
    """Ratio alpha of many distinct ratings: pairs within items, an integral over all ratings."""

    def __init__(self, patterns: Patterns) -> None:
        self.patterns = patterns
        self.counts, self.clusters = patterns.counts.astype(float), patterns.clusters
        values = patterns.positions(Level.RATIO)
        if (values < 0).any():
            raise InvalidArgument("stats.ratio-negative")
        unit = values.max() or 1.0  # distances do not depend on it, squares of numbers do
        self.values = values / unit
        self.within = _ratio_within(patterns.numbers(Level.RATIO) / unit)
        self.rows, _, self.codes = patterns.entries

    def evaluate(self, counts: Floats) -> Floats:
        values = np.empty(len(counts))
        for number, line in enumerate(counts):
            used = self._used(line)
            expected = used @ ratio_sums(self.values, used) / max(used.sum() - 1, TINY)
            values[number] = _from_parts((np.asarray(line @ self.within), np.asarray(expected)))
        return values

    def slopes(self) -> Floats:
        """How alpha changes as each row counts more."""
        used = self._used(self.counts)
        others = ratio_sums(self.values, used)
        n, observed, total = used.sum(), self.counts @ self.within, used @ others
        rise, size = self.patterns.by_row(2 * others[self.codes]), self.patterns.sizes
        ratio_of = (n - 1) * observed / total
        return np.asarray(
            ratio_of * (rise / total - size / (n - 1)) - (n - 1) * self.within / total
        )

    def _used(self, counts: Floats) -> Floats:
        times = np.bincount(self.codes, counts[self.rows], minlength=self.values.size)
        return times.astype(float)


def _ratio_within(numbers: Floats) -> Floats:
    """Each item's ratio distances between its ratings, divided by its ratings less one."""
    total, size = np.zeros(len(numbers)), (~np.isnan(numbers)).sum(axis=1)
    for a in range(numbers.shape[1]):
        for b in range(a):
            apart, whole = numbers[:, a] - numbers[:, b], numbers[:, a] + numbers[:, b]
            total += 2 * np.nan_to_num(apart / np.where(whole == 0, 1, whole)) ** 2
    return np.asarray(total / np.maximum(size - 1, 1))


def _pairing(patterns: Patterns, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Each row's tally, number of ratings, and the weight of one pair of its ratings.

    With every judge once a pair weighs 1 / (m - 1). Rows without two distinct judges weigh nothing.
    """
    tally = patterns.tally(weights)
    size = tally.sum(axis=1)
    pairs = size**2 - patterns.judges_by_row(weights**2)
    known = pairs > TINY
    return tally * known[:, None], size * known, np.where(known, size / np.maximum(pairs, TINY), 0)


def _add_head(size: Floats, *columns: Floats) -> Floats:
    return np.column_stack([size > 0, size, size**2, *columns])


def _metric_sums(patterns: Patterns, numbers: Floats, weights: Floats) -> Floats:
    """Each row's squared differences between ratings, and its sums of ratings and squares."""
    times = weights[patterns.entries[1]]
    size, copies = patterns.by_row(times), patterns.by_row(times**2)
    first, second = patterns.by_row(times * numbers), patterns.by_row(times * numbers**2)
    pairs = size**2 - copies
    usable = pairs > TINY
    share = np.where(usable, size / np.maximum(pairs, TINY), 0)
    apart = np.maximum(size * second - first**2, 0) * 2 * share
    return _add_head(size * usable, apart, first * usable, second * usable)


def _metric_parts(totals: Floats) -> Parts:
    n = totals[..., 1]
    expected = 2 * (n * totals[..., HEAD + 2] - totals[..., HEAD + 1] ** 2)
    spread = np.where(expected > TINY * np.maximum(n, 1) ** 2, expected, 0)
    return totals[..., HEAD], spread / np.maximum(n - 1, TINY)


def _from_parts(parts: Parts) -> Floats:
    observed, expected = parts
    return ratio(expected - observed, expected)


def _own_distances(distance: Any, patterns: Patterns) -> Floats:
    matrix = np.asarray(distance, dtype=float)
    size = patterns.n_values
    if matrix.shape != (size, size):
        raise InvalidArgument("stats.distance-shape", shape=matrix.shape, n_categories=size)
    if not np.allclose(matrix, matrix.T) or np.diag(matrix).any() or not (matrix >= 0).all():
        raise InvalidArgument("stats.distance-asymmetric")
    return matrix


def _hughes(statistic: Alpha, spec: IntervalSpec) -> Interval:
    interval = hughes(statistic, statistic.parts, spec)
    return tilted(statistic, spec) if math.isnan(interval.low) else interval


def _linearised(statistic: Statistic, spec: IntervalSpec, n_ratings: int) -> Interval:
    """Gwet's variance of alpha, which is that of alpha without its correction for few ratings."""
    interval, df = analytic(statistic, spec), units(statistic, spec.seed).counts.sum() - 1
    error = interval.standard_error * n_ratings / (n_ratings - 1)
    return student(statistic, error, spec, df=df, method=interval.method)
