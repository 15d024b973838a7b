"""Intervals for these judges and other items: items, or clusters of items, are drawn again.

`stats/other_judges.py` widens them to speak of other judges.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.errors import InvalidArgument
from covary.records import dataclass
from covary.stats.distributions import find_root, normal_cdf, normal_quantile, t_quantile
from covary.stats.draws import add_pseudo_items, draw_blocks, on_a_line
from covary.stats.estimate import Interval
from covary.stats.statistic import TINY, ByGroup, Linear, Statistic

Floats = npt.NDArray[np.float64]

METHODS = (
    *("auto", "analytic", "bca", "bootstrap", "hughes", "jackknife", "tilted"),
    *("two-way", "z-jackknife"),
)

MOST_LEFT_OUT, GROUPS = 2000, 200
"""More rows than this are left out in so many groups where each evaluation is dear."""

STEP = 1e-5
"""How far the counts are moved to take a derivative."""

HUGHES, LINEARISED = "Hughes jackknife", "linearised variance"
TILTED, Z_JACKKNIFE = "tilted score", "z jackknife"

NEAR_ENOUGH = 1e-9
"""How exactly the strength of a tilt is found."""

MOST_WIDENED = 2
"""The correction for skewness makes a quantile no more than so many times larger."""

MOST_PARTS = 300
"""With more pairs of judges than this (those of 25 judges) a quicker interval is taken."""

MANY_ITEMS, MANY_DECIDING = 10_000, 1_000
"""With so many items, of which so many decide, the linearised interval is as good as any."""

Disagreements = Callable[[Floats], tuple[Floats, Floats]]
"""Observed and expected disagreement from totals."""


@dataclass(frozen=True)
class IntervalSpec:
    """What the caller asked of the interval, checked; `seed` repeats the draws."""

    method: str | None = "auto"
    confidence: float = 0.95
    resamples: int = 1000
    seed: int = 0

    @classmethod
    def of(cls, method: Any, confidence: Any, resamples: Any, rng: Any) -> IntervalSpec:
        """Check the arguments that every coefficient takes."""
        if method is not None and method not in METHODS:
            known = (*METHODS, None)
            raise InvalidArgument("stats.unknown", argument="interval", value=method, allowed=known)
        check_confidence(confidence)
        if not isinstance(resamples, int | np.integer) or resamples < 2:
            raise InvalidArgument("stats.resamples", argument="resamples", value=resamples)
        return cls(method, confidence, int(resamples), _seed(rng))

    def instead(self, method: str) -> IntervalSpec:
        """Return the same with another method."""
        return replace(self, method=method)


def check_confidence(confidence: Any) -> None:
    """Refuse what is not a share between 0 and 1."""
    if not isinstance(confidence, float) or not 0 < confidence < 1:
        facts = {"argument": "confidence", "value": confidence}
        raise InvalidArgument("stats.not-between", low=0, high=1, example=0.95, **facts)


def bootstrap(statistic: Statistic, spec: IntervalSpec) -> Interval:
    """Percentile interval over resampled items or clusters."""
    values = _resample(statistic, spec)
    return _percentile(values, spec, "percentile bootstrap")


def bca(statistic: Statistic, spec: IntervalSpec) -> Interval:
    """Bias-corrected and accelerated percentile interval (Efron 1987)."""
    values = _resample(statistic, spec)
    known, interval = values[~np.isnan(values)], _percentile(values, spec, "BCa bootstrap")
    lower, equal = np.sum(known < statistic.value), np.sum(known == statistic.value)
    below = float((lower + equal / 2) / max(known.size, 1))
    if not 0 < below < 1:
        return replace(interval, method="percentile bootstrap (no BCa correction possible)")
    shift, acceleration = normal_quantile(below), _acceleration(statistic)
    ends = []
    for p in ((1 - spec.confidence) / 2, (1 + spec.confidence) / 2):
        z = shift + normal_quantile(p)
        ends.append(normal_cdf(shift + z / (1 - acceleration * z)))
    low, high = np.quantile(known, ends)
    return replace(interval, low=float(low), high=float(high))


def tilted(statistic: Statistic, spec: IntervalSpec) -> Interval:
    """Score interval over weights of items that are tilted towards lower and higher values.

    Items that pull the value down weigh more and more, until the mean of what was seen lies a
    normal quantile of its standard errors above that of items with these weights: the value at
    these weights is the lower end; the upper end alike. The standard error is that at the end
    and not that of what was seen, as in Wilson's (1927) interval, which this is for a share, and a
    skewness that widens the interval is counted, as Gart & Nam (1988) do. Weights were tilted by
    Efron (1981). Pseudo-items stand among the items, or nothing could be tilted where nobody
    differed. Nothing is drawn.
    """
    firm, shares, owners = _pad(statistic)
    times = np.bincount(owners, shares).astype(float)
    influence = np.bincount(owners, firm.counts * influence_of(firm)) / times
    margin = normal_quantile((1 + spec.confidence) / 2)
    factors = [_tilt(times, sign * influence, margin)[owners] for sign in (-1, 1)]
    low, high = firm.evaluate(firm.counts * np.array(factors))
    error = math.sqrt(float(times @ influence**2))
    found = Interval(low, high, spec.confidence, TILTED, standard_error=error)
    return _hold_value(found, statistic.value)


def influence_of(statistic: Statistic) -> Floats:
    """How the value moves as each row counts more, and the others as they do."""
    slopes = statistic.slopes()
    if slopes is None:
        n = statistic.counts.sum()
        more, less = (statistic.perturbed(1 - step, n * step) for step in (STEP, -STEP))
        slopes = (more - less) / (2 * STEP * n)
    return np.asarray(slopes)


def _tilt(times: Floats, influence: Floats, margin: float) -> Floats:
    """Factors of weights at which influence is on average so many of its errors above 0.

    The mean of n skewed numbers has its quantile at z + skewness (z² - 1) / (6 √n) (Cornish and
    Fisher); where that is nearer, so that the interval would be shorter, at z.
    """
    n = times.sum()
    places = influence - times @ influence / n
    if not times @ places**2 > 0:
        return np.ones(times.size)
    places = places / math.sqrt(times @ places**2 / n)

    def factors(strength: float) -> Floats:
        grown = np.exp(strength * (places - places.max()))
        return np.asarray(grown * (n / (times @ grown)))

    def beyond(strength: float) -> float:
        tilted = times * factors(strength) / n
        mean = tilted @ places
        apart = places - mean
        spread = math.sqrt(tilted @ apart**2)
        skewness = tilted @ apart**3 / max(spread**3, TINY)
        needed = margin - skewness * (margin**2 - 1) / (6 * math.sqrt(n))
        return float(mean * math.sqrt(n) - min(max(needed, margin), MOST_WIDENED * margin) * spread)

    strongest = margin / math.sqrt(n)
    while beyond(strongest) < 0:
        strongest *= 2
    return factors(find_root(beyond, 0.0, strongest, NEAR_ENOUGH))


def jackknife(statistic: Statistic, spec: IntervalSpec) -> Interval:
    """Interval from the values with one item (or cluster) left out, with Student's t."""
    unit = units(statistic, spec.seed)
    left_out = unit.perturbed(1.0, -1.0)
    n = unit.counts.sum()
    centre = np.average(left_out, weights=unit.counts)
    variance = (n - 1) / n * np.sum(unit.counts * (left_out - centre) ** 2)
    interval = student(statistic, math.sqrt(variance), spec, df=n - 1, method="jackknife")
    return _record_seed(interval, statistic, unit, spec)


def z_jackknife(statistic: Statistic, spec: IntervalSpec) -> Interval:
    """Jackknife on Fisher's z scale for several judges, with Student's t.

    z = log((1 + (k - 1) r) / (1 - r)), k the ratings of an item, which is twice Fisher's z for two
    and for intraclass correlations of k (Fisher 1925); shares are taken on the logit scale. Where
    the value, or one with an item left out, is at the end of the scale, it is the tilted or the
    percentile interval.
    """
    unit = units(statistic, spec.seed)
    n, k = unit.counts.sum(), 1.0 if statistic.floor == 0 else _ratings_per_item(statistic)

    def scaled(numbers: Floats) -> Floats:
        above, below = (numbers if k == 1 else 1 + (k - 1) * numbers), 1 - numbers
        inside = (above > TINY) & (below > TINY)
        return np.where(
            inside, np.log(np.where(inside, above, 1) / np.where(inside, below, 1)), np.nan
        )

    whole, left_out = (scaled(np.asarray(part)) for part in (unit.value, unit.perturbed(1.0, -1.0)))
    pseudo = n * whole - (n - 1) * left_out
    if n < 3 or not np.isfinite(pseudo).all():
        return tilted(statistic, spec) if statistic.smooths else bootstrap(statistic, spec)
    centre = float(np.average(pseudo, weights=unit.counts))
    error = math.sqrt(float(unit.counts @ (pseudo - centre) ** 2) / (n - 1) / n)
    margin = t_quantile((1 + spec.confidence) / 2, n - 1) * error
    thetas = [math.exp(end) for end in (centre - margin, centre + margin, centre)]
    low, high, middle = ((t if k == 1 else t - 1) / (t + (1 if k == 1 else k - 1)) for t in thetas)
    slope = (1 - middle) * (middle if k == 1 else 1 + (k - 1) * middle) / max(k, 1)
    interval = Interval(low, high, spec.confidence, Z_JACKKNIFE, standard_error=error * slope)
    return _record_seed(_hold_value(interval, statistic.value), statistic, unit, spec)


def _ratings_per_item(statistic: Statistic) -> float:
    """How many ratings an item has on average, at least two."""
    patterns = statistic.patterns
    return max(patterns.n_ratings / max(patterns.n_items, 1), 2.0)


def analytic(statistic: Statistic, spec: IntervalSpec) -> Interval:
    """Interval from the large-sample variance (linearisation, as Gwet's), with Student's t."""
    slopes = statistic.slopes()
    if slopes is not None:
        return _from_slopes(statistic, slopes, spec)
    unit = units(statistic, spec.seed)
    n = unit.counts.sum()
    more, less = unit.perturbed(1 - STEP, n * STEP), unit.perturbed(1 + STEP, -n * STEP)
    influence = (more - less) / (2 * STEP)
    variance = np.sum(unit.counts * influence**2) / (n * (n - 1)) if n > 1 else math.nan
    interval = student(statistic, math.sqrt(variance), spec, df=n - 1, method=LINEARISED)
    return _record_seed(interval, statistic, unit, spec)


def from_many_items(statistic: Statistic, spec: IntervalSpec) -> Interval | None:
    """The linearised interval where so many items decide that nothing needs to be drawn.

    The items that decide are counted by how far the value depends on each: they are as many as
    items of equal influence would be with the same ratio of its fourth moment to its second.
    """
    if _n_units(statistic) < MANY_ITEMS:
        return None
    influence, counts = statistic.slopes(), statistic.counts
    if influence is None:
        if not isinstance(statistic, Linear):
            return None
        influence = influence_of(statistic)
    if statistic.clusters is not None:
        influence = np.bincount(statistic.clusters, counts * influence).astype(float)
        counts = np.ones(influence.size)
    squared = influence**2
    squares = counts @ squared
    if not squares**2 >= MANY_DECIDING * (counts @ squared**2) > 0:
        return None
    n = _n_units(statistic)
    error = math.sqrt(float(squares) * n / (n - 1))
    return student(statistic, error, spec, df=n - 1, method=LINEARISED)


def _record_seed(
    interval: Interval, statistic: Statistic, unit: Statistic, spec: IntervalSpec
) -> Interval:
    """Record the seed where items were left out in groups that it drew."""
    drawn = unit is not statistic and (
        statistic.clusters is None or unit.counts.size < _n_units(statistic)
    )
    return replace(interval, seed=spec.seed) if drawn else interval


def _from_slopes(statistic: Statistic, slopes: Floats, spec: IntervalSpec) -> Interval:
    error, df = _error_of(statistic, slopes), _n_units(statistic) - 1
    return student(statistic, error, spec, df=df, method=LINEARISED)


def _error_of(statistic: Statistic, slopes: Floats) -> float:
    """The standard error of the value that changes so as each row counts more."""
    n, squares = float(statistic.counts.sum()), float(statistic.counts @ slopes**2)
    if statistic.clusters is not None:
        grouped = np.bincount(statistic.clusters, statistic.counts * slopes)
        n, squares = float(np.unique(statistic.clusters).size), float(np.sum(grouped**2))
    return math.sqrt(squares * n / (n - 1)) if n > 1 else math.nan


def units(statistic: Statistic, seed: int = 0) -> Statistic:
    """Return the statistic over what is left out at a time: items, clusters, or groups of items.

    Where leaving out one item costs a whole evaluation and there are many items, they are left
    out in random groups (the delete-a-group jackknife).
    """
    groups = statistic.clusters
    most, n_groups = statistic.n_groups or MOST_LEFT_OUT, statistic.n_groups or GROUPS
    if groups is None:
        if statistic.cheap or statistic.counts.size <= most:
            return statistic
        groups = np.arange(statistic.counts.size)
    numbers = np.unique(groups, return_inverse=True)[1]
    if not statistic.cheap and numbers.max() >= most:
        rng = np.random.default_rng(seed)
        groups = rng.permutation(np.arange(numbers.max() + 1) % n_groups)[numbers]
    if isinstance(statistic, Linear):
        return _sum_groups(statistic, groups)
    return ByGroup(statistic, groups)


def _sum_groups(statistic: Linear, groups: npt.NDArray[np.int64]) -> Linear:
    numbers = np.unique(groups, return_inverse=True)[1]
    sums = np.zeros((int(numbers.max()) + 1, statistic.sums.shape[1]))
    np.add.at(sums, numbers, statistic.counts[:, None] * statistic.sums)
    grouped = Linear(statistic.patterns, sums, statistic.finish)
    grouped.counts, grouped.clusters = np.ones(len(sums)), None
    return grouped


def student(
    statistic: Statistic, error: float, spec: IntervalSpec, *, df: float, method: str
) -> Interval:
    """Return the value ± Student's t times the standard error, cut at what is possible."""
    margin = t_quantile((1 + spec.confidence) / 2, df) * error
    low, high = statistic.value - margin, statistic.value + margin
    low, high = max(low, statistic.floor), min(high, statistic.ceiling)
    return Interval(low, high, spec.confidence, method, standard_error=error)


def large_sample(value: float, error: float, spec: IntervalSpec, method: str) -> Interval:
    """Return the value ± a normal quantile times the standard error, from -1 to 1."""
    margin = normal_quantile((1 + spec.confidence) / 2) * error
    low, high = max(value - margin, -1.0), min(value + margin, 1.0)
    return Interval(low, high, spec.confidence, method, standard_error=error)


def _percentile(values: Floats, spec: IntervalSpec, method: str) -> Interval:
    known = values[~np.isnan(values)]
    tail = (1 - spec.confidence) / 2
    ends = np.quantile(known, [tail, 1 - tail]) if known.size > 1 else (math.nan, math.nan)
    return _from_draws(values, ends, spec, method)


def _from_draws(values: Floats, ends: Any, spec: IntervalSpec, method: str) -> Interval:
    known = values[~np.isnan(values)]
    low, high = ends
    return Interval(
        low=float(low),
        high=float(high),
        level=spec.confidence,
        method=method,
        standard_error=float(np.std(known, ddof=1)) if known.size > 1 else math.nan,
        resamples=spec.resamples,
        undefined=int(values.size - known.size),
        seed=spec.seed,
    )


def _resample(statistic: Statistic, spec: IntervalSpec) -> Floats:
    blocks = draw_blocks(statistic, spec.resamples, spec.seed)
    return np.concatenate([statistic.evaluate(block) for block in blocks])


def add_prior(statistic: Statistic) -> Statistic:
    """Return the statistic with pseudo-items among its items."""
    return _pad(statistic)[0]


def _pad(statistic: Statistic) -> tuple[Statistic, Floats, npt.NDArray[np.intp]]:
    """Add pseudo-items; say what share of an item or cluster each row is, and whose rows are one.

    A pseudo-item counts as much as a cluster where there are any.
    """
    near = statistic.metric or statistic.graded
    patterns, prior = add_pseudo_items(statistic.patterns, near=near)
    counts: Any = patterns.counts + prior * (patterns.n_items / _n_units(statistic))
    firm = statistic.over(patterns.recount(counts))  # pseudo-items count a part of a time
    if patterns.clusters is None:
        return firm, counts, np.arange(counts.size)
    owners = np.unique(patterns.clusters, return_inverse=True)[1]
    whole = np.maximum(np.bincount(owners, patterns.counts), 1)[owners]
    return firm, np.where(prior > 0, prior, counts / whole), owners


def _n_units(statistic: Statistic) -> float:
    """How many items there are, or clusters of items."""
    if statistic.clusters is None:
        return float(statistic.counts.sum())
    return float(np.unique(statistic.clusters[statistic.counts > 0]).size)


def _hold_value(interval: Interval, value: float) -> Interval:
    """Widen the interval to hold the value itself."""
    return replace(interval, low=min(interval.low, value), high=max(interval.high, value))


def _acceleration(statistic: Statistic) -> float:
    unit = units(statistic)
    left_out = unit.perturbed(1.0, -1.0)
    spread = np.average(left_out, weights=unit.counts) - left_out
    cube, square = (float(np.sum(unit.counts * spread**power)) for power in (3, 2))
    return cube / (6 * square**1.5) if square > 0 else 0.0


def _seed(rng: Any) -> int:
    if rng is None:
        return 0
    if isinstance(rng, int | np.integer) and not isinstance(rng, bool) and rng >= 0:
        return int(rng)
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**32))
    raise InvalidArgument("stats.rng", argument="rng", value=rng)


def hughes(statistic: Linear, parts: Disagreements, spec: IntervalSpec) -> Interval:
    """Jackknife log(MSA / MSE) over items or clusters and bring its t interval back to alpha.

    MSE is the mean disagreement within items, MSA the one between items that remains of the total
    (Hughes 2022). NaN where nobody disagreed or items do not differ, so that the logarithm fails.
    The totals start with the number of items, of ratings, and the sum of squared ratings per item.
    """
    unit = units(statistic)
    assert isinstance(unit, Linear)
    n = unit.counts.sum()
    whole, left_out = _log_ratio(unit.total, parts), _log_ratio(unit.total - unit.sums, parts)
    pseudo = n * whole - (n - 1) * left_out
    if n < 3 or not np.isfinite(pseudo).all():
        return Interval(math.nan, math.nan, spec.confidence, HUGHES)
    centre = float(np.average(pseudo, weights=unit.counts))
    variance = float(unit.counts @ (pseudo - centre) ** 2) / (n - 1)
    margin = t_quantile((1 + spec.confidence) / 2, n - 1) * math.sqrt(variance / n)
    low, high = (_alpha(math.exp(end), unit.total) for end in (centre - margin, centre + margin))
    error = math.sqrt(variance / n) * _steepness(math.exp(centre), unit.total)
    return Interval(low, high, spec.confidence, HUGHES, standard_error=error)


def _log_ratio(totals: Floats, parts: Disagreements) -> Floats:
    items, ratings = totals[..., 0], totals[..., 1]
    observed, expected = parts(totals)
    ratings = np.maximum(ratings, TINY)
    within, overall = observed / ratings, expected / ratings
    between = ((ratings - 1) * overall - (ratings - items) * within) / np.maximum(items - 1, TINY)
    usable = (within > TINY) & (between > TINY) & (items > 1)
    return np.where(
        usable, np.log(np.where(usable, between, 1) / np.where(usable, within, 1)), np.nan
    )


def _alpha(theta: float, totals: Floats) -> float:
    return (theta - 1) / (theta + _per_item(totals) - 1)


def _steepness(theta: float, totals: Floats) -> float:
    """How fast alpha rises with log theta."""
    per_item = _per_item(totals)
    return theta * per_item / (theta + per_item - 1) ** 2


def _per_item(totals: Floats) -> float:
    """The number of ratings per item, as an analysis of variance with unequal groups has it."""
    items, ratings, squares = (float(total) for total in totals[:3])
    return (ratings - squares / ratings) / (items - 1)


ROUTES: Mapping[str, Callable[[Statistic, IntervalSpec], Interval]] = MappingProxyType(
    {
        "analytic": analytic,
        "bca": bca,
        "bootstrap": bootstrap,
        "jackknife": jackknife,
        "tilted": tilted,
        "z-jackknife": z_jackknife,
    }
)
"""The methods that draw or leave out items alone."""

FEW_ROWS, VERY_FEW_ROWS = 2000, 200
"""Up to so many rows it is quick to leave out each in turn, and to evaluate every resample anew."""


def default_method(statistic: Statistic) -> str:
    """Choose the tilted score interval where it can be had, unless it would take long."""
    cheap = statistic.cheap or statistic.smooths
    if statistic.n_parts > MOST_PARTS:
        smooth = statistic.smooths and statistic.counts.size <= FEW_ROWS
        return "tilted" if smooth and not on_a_line(statistic.patterns) else "analytic"
    if statistic.counts.size > (5 * FEW_ROWS if cheap else VERY_FEW_ROWS):
        return "analytic"
    return "tilted" if statistic.smooths else "bootstrap"


def method_of_numbers(statistic: Statistic) -> str:
    """Choose the jackknife on the z scale for places on a line, which show how far judges differ.

    Pseudo-items would say that they may differ as far as the line goes. Categories have the
    default of all.
    """
    rows = 5 * FEW_ROWS if statistic.cheap else VERY_FEW_ROWS
    quick = statistic.n_parts <= MOST_PARTS and statistic.counts.size <= rows
    return "z-jackknife" if quick and on_a_line(statistic.patterns) else default_method(statistic)
