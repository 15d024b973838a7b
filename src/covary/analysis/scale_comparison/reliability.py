"""Reliability and stability: do judges share an order, and would they say the same again?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.analysis.scale_comparison.experiments import AlignedExperiments, ExperimentPart
from covary.analysis.scale_comparison.options import (
    TARGET,
    Contrast,
    ScaleOptions,
    contrast,
    draw_judges,
    percentile_interval,
)
from covary.analysis.scale_comparison.validity import p_of_correlation, pearson_of, ranks_of
from covary.errors import quiet
from covary.ratings import Ratings
from covary.scales import Level
from covary.stats.coefficients.gamma import goodman_kruskal_gamma
from covary.stats.coefficients.icc import icc
from covary.stats.coefficients.kendall_w import kendall_w
from covary.stats.coefficients.krippendorff import krippendorff_alpha
from covary.stats.distributions import t_quantile
from covary.stats.estimate import Estimate, Interval, plain
from covary.words import Note

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]


def _with_estimates(result: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Plain values, with estimates in their own plain form."""
    own: dict[str, Any] = plain(result)
    estimates = {name: getattr(result, name) for name in names}
    return own | {
        name: None if estimate is None else estimate.to_dict()
        for name, estimate in estimates.items()
    }


@dataclass(frozen=True, kw_only=True)
class SystemOrder:
    """Kendall's W over systems, from each judge's mean rating of each system.

    `interval` speaks of other judges. `alpha`, `icc` and `gamma` are of the same means; `by_item`
    is alpha of the single ratings, item by item. `reason` says why there is no W.
    """

    experiment: str
    label: str
    criterion: str
    n_judges: int
    n_systems: int
    w: float = math.nan
    chi2: float = math.nan
    df: float = math.nan
    p: float = math.nan
    interval: Interval | None = None
    alpha: Estimate | None = None
    icc: Estimate | None = None
    gamma: Estimate | None = None
    by_item: Estimate | None = None
    reason: str = ""
    covariances: Floats | None = field(default=None, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return _with_estimates(self, ("alpha", "icc", "gamma", "by_item"))


def system_order(part: ExperimentPart, options: ScaleOptions) -> SystemOrder:
    """Find how far the judges of one part share an order of the systems."""
    table = np.round(part.observed.table("judge", "system"), 10)
    order = SystemOrder(
        experiment=part.experiment,
        label=part.label,
        criterion=part.criterion,
        n_judges=len(part.judges),
        n_systems=len(part.systems),
        by_item=_alpha_by_item(part, options),
    )
    reason = _why_no_order(part, table)
    if reason:
        return replace(order, reason=reason)
    with quiet():  # the notes say the same
        means = Ratings.from_wide(table.T.tolist(), level="interval", judges=part.judges)
        w = kendall_w(means, interval=None)
        alpha, agreement, gamma = (
            replace(coefficient(means, interval=None), details={})
            for coefficient in (krippendorff_alpha, icc, goodman_kruskal_gamma)
        )
    covariances = _rank_covariances(table)
    interval = None
    if options.drawn and w.defined:
        (weights,) = draw_judges(options, part.judges).weights
        interval = percentile_interval(concordance(covariances, weights), options)
    test = {name: w.details.get(name, math.nan) for name in ("chi2", "df", "p")}
    return replace(
        order,
        w=w.value,
        **test,
        interval=interval,
        alpha=alpha,
        icc=agreement,
        gamma=gamma,
        reason="" if w.defined else w.notes[-1],
        covariances=covariances,
    )


def order_contrasts(
    orders: Mapping[str, SystemOrder],
    aligned: AlignedExperiments,
    criterion: str,
    options: ScaleOptions,
) -> Iterator[Contrast]:
    """Compare W between the first occasions of every two experiments."""
    for first, second in combinations(aligned.first(criterion), 2):
        a, b = orders[first.label], orders[second.label]
        if a.covariances is None or b.covariances is None:
            continue
        judges = draw_judges(options, first.judges, second.judges)
        x, y = judges.weights
        draws = concordance(a.covariances, x), concordance(b.covariances, y)
        yield contrast((a.label, b.label), (a.w, b.w), draws, judges.how, options=options)


def concordance(covariances: Floats, counts: Floats) -> Floats:
    """W for each line of counts of the judges, from the covariances of their ranks.

    W is the mean of all entries of the covariance matrix over the mean of its diagonal. Copies of a
    judge agree by construction, so that only pairs of distinct judges are taken, weighted up to the
    number of pairs that there would be.
    """
    own = np.diag(covariances)
    m = counts.sum(axis=1)
    diagonal = counts @ own
    pairs = np.einsum("bj,jk,bk->b", counts, covariances - np.diag(own), counts)
    distinct = m**2 - (counts**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        total = diagonal + pairs * m * (m - 1) / distinct
        return np.asarray(total / (m * diagonal))


def _rank_covariances(table: Floats) -> Floats:
    ranks = np.array([ranks_of(row) for row in table])
    ranks -= ranks.mean(axis=1, keepdims=True)
    return np.asarray(ranks @ ranks.T)


def _why_no_order(part: ExperimentPart, table: Floats) -> str:
    """Say which judge rated no output of which system, where a block is not complete."""
    if len(part.judges) < 2:
        return Note("scales.one-judge-rated", judge=part.judges[0])
    gaps = np.argwhere(np.isnan(table))
    if not gaps.size:
        return ""
    judge, system = gaps[0]
    return Note(
        "scales.gaps", judge=part.judges[judge], system=part.systems[system], gaps=len(gaps)
    )


def _alpha_by_item(part: ExperimentPart, options: ScaleOptions) -> Estimate | None:
    """Alpha of single ratings of the same items."""
    observed, interval = part.observed, options.interval
    columns = {name: observed.factors[name].astype(np.int64) for name in ("item", "judge")}
    level = max(part.scale.level, Level.ORDINAL)
    with quiet():
        return krippendorff_alpha(
            Ratings({**columns, "rating": observed.values}, level=level),
            interval=interval.method,
            confidence=interval.confidence,
            resamples=interval.resamples,
            rng=interval.seed,
        )


FEWEST = 3
"""Pairs of ratings from which a judge has a correlation."""


@dataclass(frozen=True)
class JudgeStability:
    """One judge: how many items were rated twice, r between the occasions, and the mean shift."""

    judge: str
    n: int
    r: float
    shift: float


@dataclass(frozen=True, kw_only=True)
class RatingPairs:
    """First and second ratings of the same items by the same judges; `codes` number the judges."""

    first: Floats
    second: Floats
    codes: Codes
    judges: tuple[str, ...]

    def counts(self, most_judges: int) -> dict[tuple[str, float, float], int]:
        """How often each of the first judges gave each pair of ratings."""
        times: dict[tuple[str, float, float], int] = {}
        pairs = zip(self.codes.tolist(), self.first.tolist(), self.second.tolist(), strict=True)
        for code, first, second in pairs:
            if code < most_judges:
                key = (self.judges[code], first, second)
                times[key] = times.get(key, 0) + 1
        return times

    def correlations(self, counts: Floats) -> tuple[Floats, Floats]:
        """Pearson's r, pooled and within judges, for each line of counts of the judges."""
        x, y = self.first, self.second
        n, sx, sy, sxx, syy, sxy = (
            np.bincount(self.codes, term) for term in (np.ones_like(x), x, y, x * x, y * y, x * y)
        )
        total = counts @ np.column_stack([n, sx, sy, sxx, syy, sxy])
        all_n, all_x, all_y, *products = total.T
        pooled = _r(
            products[2] - all_x * all_y / all_n,
            products[0] - all_x**2 / all_n,
            products[1] - all_y**2 / all_n,
        )
        within = counts @ np.column_stack([sxy - sx * sy / n, sxx - sx**2 / n, syy - sy**2 / n])
        return pooled, _r(*within.T)


def _r(product: Floats, first: Floats, second: Floats) -> Floats:
    spread = np.sqrt(np.maximum(first, 0) * np.maximum(second, 0))
    return np.asarray(np.where(spread > 0, product / np.where(spread > 0, spread, 1), np.nan))


@dataclass(frozen=True, kw_only=True)
class Stability:
    """The first and second ratings of the same items by the same judges.

    `pooled` is Pearson's r over all ratings, as Belz & Kow report it; it counts lasting differences
    in severity as stability, which `centred` does not, because it takes each judge's mean away.
    `shift` is the mean of second less first ratings, its interval over judges.
    """

    experiment: str
    criterion: str
    occasions: tuple[str, str]
    n_pairs: int
    n_judges: int
    pooled: float = math.nan
    pooled_p: float = math.nan
    pooled_interval: Interval | None = None
    centred: float = math.nan
    centred_interval: Interval | None = None
    shift: float = math.nan
    shift_interval: Interval | None = None
    same: float = math.nan
    alpha: Estimate | None = None
    icc: Estimate | None = None
    judges: tuple[JudgeStability, ...] = ()
    reason: str = ""
    notes: tuple[str, ...] = ()
    pairs: RatingPairs | None = field(default=None, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return _with_estimates(self, ("alpha", "icc"))


def stability(
    aligned: AlignedExperiments, criterion: str, options: ScaleOptions
) -> Iterator[Stability]:
    """Compare each experiment's first occasion with each later one."""
    for experiment in aligned.experiments:
        first, *later = aligned.occasions(criterion, experiment)
        for second in later:
            yield _compare_occasions(first, second, options)


def stability_contrasts(
    retests: tuple[Stability, ...], options: ScaleOptions
) -> Iterator[tuple[Contrast, Contrast]]:
    """Compare r, pooled and centred, between every two experiments that have a retest."""
    known = [(retest, retest.pairs) for retest in retests if retest.pairs is not None]
    for (a, first), (b, second) in combinations(known, 2):
        if a.experiment == b.experiment:
            continue
        judges = draw_judges(options, first.judges, second.judges)
        draws = zip(
            first.correlations(judges.weights[0]),
            second.correlations(judges.weights[1]),
            strict=True,
        )
        names, how = (a.experiment, b.experiment), judges.how
        values = ((a.pooled, b.pooled), (a.centred, b.centred))
        pooled, centred = (
            contrast(names, pair, drawn, how, options=options)
            for pair, drawn in zip(values, draws, strict=True)
        )
        yield pooled, centred


def _compare_occasions(
    first: ExperimentPart, second: ExperimentPart, options: ScaleOptions
) -> Stability:
    pairs, unpaired = _join(first, second)
    x, y, judges = pairs.first, pairs.second, pairs.judges
    retest = Stability(
        experiment=first.experiment,
        criterion=first.criterion,
        occasions=(first.occasion, second.occasion),
        n_pairs=x.size,
        n_judges=len(judges),
        notes=(Note("scales.single-ratings", n=unpaired),) if unpaired else (),
    )
    if x.size < FEWEST:
        again = Note("scales.few-again", n=x.size) if x.size else Note("scales.not-again")
        return replace(retest, reason=again)
    pooled, centred = (float(r[0]) for r in pairs.correlations(np.ones((1, len(judges)))))
    limits: list[Interval | None] = [None, None]
    if options.drawn and len(judges) > 1:
        (weights,) = draw_judges(options, judges).weights
        limits = [percentile_interval(r, options) for r in pairs.correlations(weights)]
    shifts, shift = (
        np.bincount(pairs.codes, y - x) / np.bincount(pairs.codes),
        float(np.mean(y - x)),
    )
    alpha, agreement = _between_occasions(pairs, first)
    return replace(
        retest,
        pooled=pooled,
        pooled_p=p_of_correlation(pooled, x.size),
        pooled_interval=limits[0],
        centred=centred,
        centred_interval=limits[1],
        shift=shift,
        shift_interval=_shift_interval(shifts, shift, options),
        same=float(np.mean(x == y)),
        alpha=alpha,
        icc=agreement,
        judges=tuple(_judges(pairs, shifts)),
        pairs=pairs,
    )


def _join(first: ExperimentPart, second: ExperimentPart) -> tuple[RatingPairs, int]:
    """Join ratings by judge and item, never by their place; and count those without a partner."""
    tables = [_by_key(part) for part in (first, second)]
    both = sorted(tables[0].keys() & tables[1].keys())
    x, y = (np.array([table[key] for key in both], dtype=float) for table in tables)
    judges = tuple(sorted({judge for judge, _ in both}))
    place = {judge: number for number, judge in enumerate(judges)}
    codes = np.array([place[judge] for judge, _ in both], dtype=np.intp)
    single = sum(len(table) - len(both) for table in tables)
    return RatingPairs(first=x, second=y, codes=codes, judges=judges), single


def _by_key(part: ExperimentPart) -> dict[tuple[str, str], float]:
    observed = part.observed
    judges = np.array(part.judges, dtype=object)[observed.factors["judge"]]
    items = np.array(part.items, dtype=object)[observed.factors["item"]]
    return dict(zip(zip(judges, items, strict=True), observed.values.tolist(), strict=True))


def _shift_interval(shifts: Floats, mean: float, options: ScaleOptions) -> Interval | None:
    """The interval of the mean shift, from how the judges' own shifts vary."""
    n = shifts.size
    if n < 2 or not options.drawn:
        return None
    error = float(shifts.std(ddof=1)) / math.sqrt(n)
    reach = t_quantile((1 + options.confidence) / 2, n - 1) * error
    return Interval(
        low=mean - reach,
        high=mean + reach,
        level=options.confidence,
        method="t over judges",
        target=TARGET,
        standard_error=error,
    )


def _judges(pairs: RatingPairs, shifts: Floats) -> Iterator[JudgeStability]:
    for place, judge in enumerate(pairs.judges):
        own = pairs.codes == place
        enough = own.sum() >= FEWEST
        r = pearson_of(pairs.first[own], pairs.second[own]) if enough else math.nan
        yield JudgeStability(judge, int(own.sum()), r, float(shifts[place]))


def _between_occasions(pairs: RatingPairs, part: ExperimentPart) -> tuple[Estimate, Estimate]:
    """Alpha and ICC between the occasions, taken as two judges of the same things."""
    level = max(part.scale.level, Level.ORDINAL)
    matrix = np.column_stack([pairs.first, pairs.second]).tolist()
    with quiet():
        ratings = Ratings.from_wide(matrix, level=level, judges=["first", "second"])
        numbers = Ratings.from_wide(matrix, level="interval", judges=["first", "second"])
        return krippendorff_alpha(ratings, interval=None), icc(numbers, interval=None)
