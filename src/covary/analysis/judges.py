"""`covary.judge_profiles`: how each judge rates, against what the others gave the same items."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from covary.analysis.disagreement import JudgeSeverity, Leniency, severities
from covary.analysis.judge_model import EXACT, level_for_judges, same_side_chance
from covary.errors import quiet
from covary.ratings import Ratings
from covary.ratings import expressions as nw
from covary.ratings.frames import fetch
from covary.records import dataclass
from covary.scales import Level, Scale
from covary.stats.coefficients.krippendorff import alpha_statistic, krippendorff_alpha
from covary.stats.distributions import normal_quantile, t_quantile
from covary.stats.estimate import Result, plain
from covary.stats.patterns import Patterns, collapse, has_too_many_patterns
from covary.stats.statistic import Linear
from covary.words import word

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

LEAST_FOR_DRIFT = 10
"""With fewer ratings a line through them says nothing."""

HASTY = 0.25
"""A response is hasty that takes less than this share of the judge's own median time."""

NOTABLE = 0.25
"""A severity of this share of one standard deviation of the ratings is worth a word."""

CONSISTENT, NOISY = 0.7, 0.4
"""A judge correlates with the others well above the one, and poorly below the other."""

Likeness = Literal["unknown", "open", "close", "rough", "low"]

MOST_LEFT_OUT = 100
"""Judges up to whom alpha without each is found where it takes more than sums: ranks on a line."""

AT_ONCE = 500_000
"""So many places of rows without one of their ratings are looked at at once."""

TENTHS = 10
"""Into how many parts a line is cut to count the ratings on it."""


@dataclass(frozen=True, kw_only=True)
class Drift:
    """The change of a judge's severity over a hundred ratings, with its interval.

    `change_at` is the place in the judge's order where the severity before and after differ most.
    """

    slope: float
    low: float
    high: float
    change_at: int

    @property
    def value(self) -> float:
        """The slope, as what the interval is about."""
        return self.slope

    @property
    def clear(self) -> bool:
        """Whether the interval excludes no drift."""
        return self.low > 0 or self.high < 0

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return dict(plain(self)) | {"clear": self.clear}


@dataclass(frozen=True, kw_only=True)
class Pace(Result):
    """Seconds per rating: the median, the middle half, and the share of hasty answers."""

    median: float
    quarter: float
    three_quarters: float
    hasty: float


def fit_drift(order: npt.NDArray[Any], residuals: Floats, confidence: float = 0.95) -> Drift | None:
    """Fit a line through a judge's deviations from the others, in the order of rating."""
    known = ~np.isnan(residuals)
    if known.sum() < LEAST_FOR_DRIFT:
        return None
    y = residuals[known][np.argsort(order[known], kind="stable")]
    x = np.arange(y.size) / 100
    x, y = x - x.mean(), y - y.mean()
    slope = float(x @ y / (x @ x))
    left = float(np.sum((y - slope * x) ** 2)) / (y.size - 2)
    margin = t_quantile((1 + confidence) / 2, y.size - 2) * math.sqrt(left / float(x @ x))
    sums = np.cumsum(y)[:-1]
    places = np.arange(1, y.size)
    gain = sums**2 / (places * (y.size - places))
    change_at = int(np.argmax(gain)) + 1
    return Drift(slope=slope, low=slope - margin, high=slope + margin, change_at=change_at)


def longest_run(order: npt.NDArray[Any], numbers: Floats) -> int:
    """How many times in a row a judge gave the same rating, at the most: straight-lining shows."""
    ratings = numbers[np.argsort(order, kind="stable")]
    new = np.flatnonzero(np.append(True, ratings[1:] != ratings[:-1]))
    return int(np.diff(np.append(new, ratings.size)).max(initial=0))


def describe_pace(seconds: npt.NDArray[Any]) -> Pace | None:
    """Describe a judge's response times."""
    times = seconds.astype(float)
    times = times[np.isfinite(times)]
    if not times.size:
        return None
    low, middle, high = (float(q) for q in np.quantile(times, [0.25, 0.5, 0.75]))
    hasty = float(np.mean(times < HASTY * middle))
    return Pace(median=middle, quarter=low, three_quarters=high, hasty=hasty)


@dataclass(frozen=True)
class Measurement(Result):
    """A number with its interval; NaN where it cannot be had."""

    value: float
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True, kw_only=True)
class JudgeProfile:
    """How one judge rates on one criterion.

    `severity` is how far the judge rates above the others in points of the scale (which end is
    strict depends on the scale's best end), with the differences of the items that each judge
    rated taken out; where judges share no items, directly or through others, or are too many for
    that, it is the mean difference from the others' mean on the same items. `consistency` is the
    correlation with that mean; `slope` how far the judge stretches (above 1) or shrinks the
    others' differences; `noise` the standard deviation of what is left; `extremes` and `middle`
    the shares of the scale's end categories and of its middle; `alpha_without` alpha when the
    judge is left out; `longest_run` how often the same rating came in a row, where the order of
    rating is known; `leniency` how the judge compares with the others, where the interval of
    severity shows it.
    """

    judge: Any
    criterion: Any
    n_ratings: int
    mean: float
    severity: Measurement
    consistency: Measurement
    slope: float
    noise: float
    extremes: float
    middle: float
    entropy: float
    alpha_without: float
    alpha_change: float
    drift: Drift | None
    longest_run: int | None
    pace: Pace | None
    leniency: Leniency

    @property
    def likeness(self) -> Likeness:
        """How far the judge orders the items as the others do."""
        r = self.consistency.value
        if math.isnan(r):
            return "unknown"
        highest = r if abs(r) >= 1 else self.consistency.high
        if r < NOISY and not highest < CONSISTENT:
            return "open"
        return "close" if r >= CONSISTENT else "rough" if r >= NOISY else "low"

    @property
    def sentence(self) -> str:
        """Say how the judge rates: how severe, how consistent, and whether that changed."""
        drift = self.drift if self.drift is not None and self.drift.clear else None
        facts = {
            "judge": self.judge,
            "leniency": self.leniency,
            "severity": self.severity.value,
            "likeness": self.likeness,
            "consistency": self.consistency.value,
            "ends": (self.consistency.low, self.consistency.high),
            "drift": drift and ("upward" if drift.slope > 0 else "downward"),
        }
        return word("judges.profile", facts)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        values = dict(plain(self)) | {"sentence": self.sentence}
        values["drift"] = self.drift and self.drift.to_dict()
        del values["leniency"]  # the sentence says it
        return values


def judge_profiles(
    ratings: Ratings, *, criterion: Any = None, confidence: float = 0.95
) -> tuple[JudgeProfile, ...]:
    """Who is strict, who is noisy, who drifts? A profile of each judge on each criterion.

    Parameters
    ----------
    ratings
        The ratings by named judges; slots have no profiles, and neither have judges who are too
        many for their patterns to be counted. Order and response times are used where the ratings
        have them and fit into memory.
    criterion
        One criterion; all by default.
    confidence
        Of the intervals, which hold for all judges of a criterion at once (Šidák 1967), because
        readers look for the most extreme judge.

    Examples
    --------
    >>> from covary import Ratings, judge_profiles
    >>> mild, strict = [3, 3, 2, 2, 3, 2, 1, 2, 2, 3], [3, 2, 1, 1, 3, 2, 1, 1, 1, 2]
    >>> ratings = Ratings.from_wide(list(zip(mild, strict)), scale="1-3", judges=["mild", "strict"])
    >>> for profile in judge_profiles(ratings):
    ...     print(profile.judge, profile.severity.value)
    mild 0.6
    strict -0.6
    """
    if ratings.slots:
        return ()
    ratings = ratings.first_occasion()
    names = ratings.criteria if criterion is None else (ratings.one_criterion(criterion),)
    known = (name for name in names if not has_too_many_patterns(ratings, name))
    return tuple(profile for name in known for profile in _profiles(ratings, name, confidence))


def _profiles(ratings: Ratings, criterion: Any, confidence: float) -> list[JudgeProfile]:
    patterns = collapse(ratings, criterion)
    scale = ratings.scales[criterion]
    if not patterns.n_items or (scale.level is Level.NOMINAL and patterns.n_values > 2):
        return []
    spread = _standard_deviation(patterns)
    fitted = {judge.judge: judge for judge in severities(patterns, confidence)}
    confidence = level_for_judges(confidence, len(patterns.judges))
    alpha, without = _alphas(ratings, criterion, patterns)
    timing = _timing(ratings, criterion, patterns, confidence)
    profiles = []
    each = zip(patterns.judges, _JudgeRatings.each(patterns), strict=True)
    for place, (judge, own) in enumerate(each):
        severity, leniency = _severity(
            own, fitted.get(judge), scale=scale, spread=spread, confidence=confidence
        )
        consistency, slope, noise = _regression(own, confidence)
        drift, run, pace = timing.get(judge, (None, None, None))
        extremes, middle = _end_shares(own.every, own.share, scale)
        profiles.append(
            JudgeProfile(
                judge=judge,
                criterion=criterion,
                n_ratings=int(own.every_counts.sum()),
                mean=float(own.every @ own.share),
                severity=severity,
                consistency=consistency,
                slope=slope,
                noise=noise,
                extremes=extremes,
                middle=middle,
                entropy=_entropy(own.every, own.share, scale),
                alpha_without=without[place],
                alpha_change=without[place] - alpha,
                drift=drift,
                longest_run=run,
                pace=pace,
                leniency=leniency,
            )
        )
    return profiles


@dataclass(frozen=True, kw_only=True)
class _JudgeRatings:
    """One judge's ratings and the mean of the others' on the same items; counts of such items."""

    ratings: Floats
    others: Floats
    counts: Floats
    every: Floats
    every_counts: Floats

    @property
    def share(self) -> Floats:
        """What share of the judge's ratings each entry of `every` stands for."""
        return self.every_counts / max(float(self.every_counts.sum()), 1.0)

    @classmethod
    def each(cls, patterns: Patterns) -> Iterator[_JudgeRatings]:
        """Those of every judge, from the sums of the rows."""
        rows, judges, codes = patterns.entries
        numbers = patterns.positions(Level.INTERVAL)[codes]
        n_others = patterns.sizes[rows] - 1
        others = (patterns.by_row(numbers)[rows] - numbers) / np.maximum(n_others, 1)
        counts = patterns.counts[rows].astype(float)
        order = np.argsort(judges, kind="stable")
        ends = np.searchsorted(judges[order], np.arange(1, len(patterns.judges)))
        for own in np.split(order, ends):
            both = own[n_others[own] > 0]
            yield cls(
                ratings=numbers[both],
                others=others[both],
                counts=counts[both],
                every=numbers[own],
                every_counts=counts[own],
            )


def _severity(
    own: _JudgeRatings,
    fitted: JudgeSeverity | None,
    *,
    scale: Scale,
    spread: float,
    confidence: float,
) -> tuple[Measurement, Leniency]:
    """The judge's severity as the parts of the disagreement have it, else on the judge's items."""
    if fitted is not None:
        return Measurement(fitted.value, fitted.low, fitted.high), fitted.leniency
    plain = _mean_difference(own.ratings - own.others, own.counts, confidence)
    return plain, _leniency(plain, scale, spread)


def _mean_difference(values: Floats, counts: Floats, confidence: float) -> Measurement:
    n = counts.sum()
    if n < 1:
        return Measurement(math.nan)
    mean = float(counts @ values / n)
    if n < 2:
        return Measurement(mean)
    error = math.sqrt(float(counts @ (values - mean) ** 2) / (n - 1) / n)
    if error <= EXACT * abs(mean) and same_side_chance(n) > 1 - confidence:
        return Measurement(mean)
    margin = t_quantile((1 + confidence) / 2, n - 1) * error
    return Measurement(mean, mean - margin, mean + margin)


def _regression(own: _JudgeRatings, confidence: float) -> tuple[Measurement, float, float]:
    """Correlation with the others' mean, slope on it, and the spread of what is left."""
    n = own.counts.sum()
    if n < 3:
        return Measurement(math.nan), math.nan, math.nan
    x, y = (v - own.counts @ v / n for v in (own.others, own.ratings))
    xx, yy, xy = (float(own.counts @ v) for v in (x * x, y * y, x * y))
    if xx <= 1e-12 or yy <= 1e-12:
        return Measurement(math.nan), math.nan, math.nan
    r, slope = xy / math.sqrt(xx * yy), xy / xx
    noise = math.sqrt(max(yy - slope * xy, 0) / (n - 2))
    if n <= 3 or abs(r) >= 1:
        return Measurement(r), slope, noise
    margin = normal_quantile((1 + confidence) / 2) / math.sqrt(n - 3)
    low, high = (math.tanh(math.atanh(r) + side * margin) for side in (-1, 1))
    return Measurement(r, low, high), slope, noise


def _end_shares(values: Floats, share: Floats, scale: Scale) -> tuple[float, float]:
    """The shares of the end points and of the middle; of the outer and inner tenths of a line."""
    if scale.categories is None:
        place = (values - scale.low) / max(scale.high - scale.low, 1e-12)
        outer, inner = (place <= 0.1) | (place >= 0.9), np.abs(place - 0.5) <= 0.05
        return float(share[outer].sum()), float(share[inner].sum())
    positions = np.asarray(scale.positions(Level.INTERVAL))
    outer = np.isin(values, positions[[0, -1]])
    inner = (
        np.isin(values, np.median(positions)) if positions.size % 2 else np.zeros(values.size, bool)
    )
    return float(share[outer].sum()), float(share[inner].sum())


def _entropy(values: Floats, share: Floats, scale: Scale) -> float:
    """How evenly the categories are used, from 0 (one only) to 1 (all alike)."""
    if scale.categories is None or len(scale.categories) < 2:
        return math.nan
    used = np.bincount(np.unique(values, return_inverse=True)[1], share)
    used = used[used > 0]
    return float(-(used @ np.log(used)) / math.log(len(scale.categories)))


def _standard_deviation(patterns: Patterns) -> float:
    """The standard deviation of all ratings."""
    rows, _, codes = patterns.entries
    values, weights = patterns.positions(Level.INTERVAL)[codes], patterns.counts[rows]
    mean = weights @ values / weights.sum()
    return math.sqrt(float(weights @ (values - mean) ** 2 / weights.sum()))


def _alphas(ratings: Ratings, criterion: Any, patterns: Patterns) -> tuple[float, list[float]]:
    """Alpha with all judges, and with each of them left out."""
    judges = patterns.judges
    with quiet():
        whole = krippendorff_alpha(ratings, criterion=criterion, interval=None).value
        if len(judges) < 3:
            return whole, [math.nan] * len(judges)
        statistic = alpha_statistic(patterns, ratings.scales[criterion].level)
        if isinstance(statistic, Linear):
            return whole, _alphas_from_sums(statistic)
        if len(judges) > MOST_LEFT_OUT:
            return whole, [math.nan] * len(judges)
        rest = ([j for j in judges if j != judge] for judge in judges)
        without = [
            krippendorff_alpha(ratings, criterion=criterion, judges=who, interval=None).value
            for who in rest
        ]
    return whole, without


def _alphas_from_sums(statistic: Linear) -> list[float]:
    """Alpha without each judge: the sums of all rows, with those that the judge rated anew.

    A row without one judge's rating is a row of its own, with as many places as it had ratings.
    """
    patterns = statistic.patterns
    rows, judges, codes = patterns.entries
    sizes = patterns.sizes
    begins = np.cumsum(sizes) - sizes
    change = np.zeros((len(patterns.judges), statistic.sums.shape[1]))
    size = max(1, AT_ONCE // max(int(sizes.max(initial=1)), statistic.sums.shape[1]))
    for start in range(0, rows.size, size):
        some = slice(start, start + size)
        row, judge, counts = rows[some], judges[some], patterns.counts[rows[some]].astype(float)
        places = begins[row][:, None] + np.arange(int(sizes[row].max()))
        rest = codes[np.minimum(places, rows.size - 1)]
        own = np.arange(start, start + row.size)[:, None]
        rest[(places >= (begins + sizes)[row][:, None]) | (places == own)] = -1
        others = Patterns(
            codes=rest,
            counts=np.ones(row.size, np.int64),
            values=patterns.values,
            judges=tuple(range(rest.shape[1])),
            scale=patterns.scale,
        )
        part = alpha_statistic(others, patterns.scale.level)
        assert isinstance(part, Linear)
        difference = counts[:, None] * (part.sums - statistic.sums[row])
        change += summed_rows(judge, difference, len(change))
    return [float(value) for value in statistic.finish(statistic.total + change)]


def summed_rows(groups: Ints, table: Floats, n_groups: int) -> Floats:
    """Add up the rows of a table by group."""
    sums = [np.bincount(groups, column, minlength=n_groups) for column in table.T]
    return np.array(sums, dtype=float).T


def _timing(
    ratings: Ratings, criterion: Any, patterns: Patterns, confidence: float
) -> dict[Any, tuple[Drift | None, int | None, Pace | None]]:
    """Drift and runs in the order of rating, and response times, where the ratings have them."""
    known = [name for name in ("order", "seconds") if name in ratings.columns]
    if not known or ratings.large:  # then they stay in their engine
        return {}
    frame = ratings.frame.filter(~nw.col("rating").is_null())
    if criterion is not None:
        frame = frame.filter(nw.col("criterion") == criterion)
    columns = fetch(frame.select("item", "judge", "rating", *known))
    numbers = _as_numbers(columns["rating"], patterns)
    residuals = _residuals(columns["item"], numbers)
    timing: dict[Any, tuple[Drift | None, int | None, Pace | None]] = {}
    for judge in patterns.judges:
        mine, drift, run = columns["judge"] == judge, None, None
        if "order" in known:
            order = columns["order"][mine]
            drift = fit_drift(order, residuals[mine], confidence)
            run = longest_run(order, numbers[mine])
        pace = describe_pace(columns["seconds"][mine]) if "seconds" in known else None
        timing[judge] = (drift, run, pace)
    return timing


def _as_numbers(ratings: npt.NDArray[Any], patterns: Patterns) -> Floats:
    if ratings.dtype != object:
        return ratings.astype(float)
    places = dict(zip(patterns.values, patterns.positions(Level.INTERVAL), strict=True))
    return np.array([places[rating] for rating in ratings.tolist()], dtype=float)


def _residuals(items: npt.NDArray[Any], numbers: Floats) -> Floats:
    """Each rating less the mean of the item's other ratings; NaN where there are none."""
    which = np.unique(items.astype(str) if items.dtype == object else items, return_inverse=True)[1]
    total, n_ratings = np.bincount(which, numbers), np.bincount(which)
    alone = n_ratings[which] < 2
    rest = (total[which] - numbers) / np.maximum(n_ratings[which] - 1, 1)
    return np.where(alone, np.nan, numbers - rest)


def _leniency(severity: Measurement, scale: Scale, spread: float) -> Leniency:
    """Compare a judge with the others; by the scale's best end, where it has one."""
    if math.isnan(severity.value):
        return "alone"
    clear = severity.low > 0 or severity.high < 0
    if not clear or abs(severity.value) < NOTABLE * spread:
        return "alike"
    up = severity.value > 0
    if scale.best is None:
        return "higher" if up else "lower"
    return "milder" if up == (scale.best == "high") else "stricter"


def busiest_judges(patterns: Patterns, most: int) -> list[int]:
    """Return the places of the judges with the most ratings, in their own order."""
    rows, judges, _ = patterns.entries
    n_ratings = np.bincount(judges, patterns.counts[rows], minlength=patterns.n_columns)
    return sorted(int(place) for place in np.argsort(-n_ratings, kind="stable")[:most])


def spaced_items(patterns: Patterns, most: int) -> list[int]:
    """Choose rows of items that are evenly spaced from the lowest to the highest mean rating."""
    codes = patterns.entries[2]
    means = patterns.by_row(patterns.positions(Level.INTERVAL)[codes]) / patterns.sizes
    order = np.argsort(means, kind="stable")
    ends = np.cumsum(patterns.counts[order])
    places = np.linspace(0, ends[-1] - 1, min(most, int(ends[-1]))).round()
    return [int(row) for row in order[np.searchsorted(ends, places, side="right")]]


def tenths_used(ratings: Ratings, criterion: Any) -> tuple[list[float], dict[Any, tuple[int, ...]]]:
    """Cut a line into tenths, and count how often each judge used each of them."""
    patterns, scale = (
        collapse(ratings, criterion, named=not ratings.slots),
        ratings.scale(criterion),
    )
    numbers = patterns.numbers(Level.INTERVAL)
    cuts = np.linspace(scale.low, scale.high, TENTHS + 1)
    uses = {}
    for place, judge in enumerate(patterns.judges if numbers.size else ()):
        rated = patterns.rated[:, place]
        times = np.histogram(numbers[rated, place], cuts, weights=patterns.counts[rated])[0]
        uses[judge] = tuple(int(n) for n in times)
    return cuts.tolist(), uses
