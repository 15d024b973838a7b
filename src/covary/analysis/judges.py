"""`covary.judge_profiles`: how each judge rates, against what the others gave the same items."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from covary.analysis.pace import Drift, Pace, drift_of, longest_run, pace_of
from covary.errors import CovaryWarning
from covary.ratings import Ratings
from covary.ratings.frames import fetch
from covary.scales import Level, Scale
from covary.stats.alpha import krippendorff_alpha
from covary.stats.distributions import normal_quantile, t_quantile
from covary.stats.patterns import Patterns, collapse, too_many

__all__ = ["JudgeProfile", "Measured", "judge_profiles"]

Floats = npt.NDArray[np.float64]

NOTABLE = 0.25
"""A severity of this share of one standard deviation of the ratings is worth a word."""

CONSISTENT, NOISY = 0.7, 0.4
"""A judge correlates with the others well above the one, and poorly below the other."""


@dataclass(frozen=True)
class Measured:
    """A number with its interval; NaN where it cannot be had."""

    value: float
    low: float = math.nan
    high: float = math.nan

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; NaN becomes None."""
        return {n: v if math.isfinite(v) else None for n, v in vars(self).items()}


@dataclass(frozen=True)
class JudgeProfile:
    """How one judge rates on one criterion.

    `severity` is the mean difference from the others' mean on the same items, in points of the
    scale (which end is strict depends on the scale's best end); `consistency` the correlation with
    that mean; `slope` how far the judge stretches (above 1) or shrinks the others' differences;
    `noise` the standard deviation of what is left; `extremes` and `middle` the shares of the
    scale's end categories and of its middle; `alpha_without` alpha when the judge is left out;
    `longest_run` how often the same rating came in a row, where the order of rating is known.
    """

    judge: Any
    criterion: Any
    n_ratings: int
    mean: float
    severity: Measured
    consistency: Measured
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
    sentence: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        found = {}
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if hasattr(value, "to_dict"):
                value = value.to_dict()
            elif isinstance(value, float) and not math.isfinite(value):
                value = None
            found[name] = value
        return found


def judge_profiles(
    ratings: Ratings, *, criterion: Any = None, confidence: float = 0.95
) -> tuple[JudgeProfile, ...]:
    """Who is strict, who is noisy, who drifts? A profile of each judge on each criterion.

    Parameters
    ----------
    ratings
        The ratings by named judges; slots have no profile, nor have so many judges and ratings
        that their patterns cannot be counted. Order and response times are used where the ratings
        have them and may be brought into memory.
    criterion
        One criterion; all by default.
    confidence
        Of the intervals.

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
    names = ratings.criteria if criterion is None else (ratings.one_criterion(criterion),)
    known = (name for name in names if not too_many(ratings, name))
    return tuple(profile for name in known for profile in _profiles(ratings, name, confidence))


def _profiles(ratings: Ratings, criterion: Any, confidence: float) -> list[JudgeProfile]:
    patterns = collapse(ratings, criterion)
    scale = ratings.scales[criterion]
    if not patterns.n_items or (scale.level is Level.NOMINAL and patterns.n_values > 2):
        return []
    numbers = patterns.numbers(Level.INTERVAL)
    spread = _spread(numbers, patterns.counts)
    alpha, without = _alphas(ratings, criterion, patterns)
    timing = _timing(ratings, criterion, patterns)
    found = []
    for place, judge in enumerate(patterns.judges):
        own = _Own.of(numbers, patterns, place)
        severity = _mean(own.ratings - own.others, own.counts, confidence)
        consistency, slope, noise = _line(own, confidence)
        drift, run, pace = timing.get(judge, (None, None, None))
        extremes, middle = _ends(own.every, own.share, scale)
        told = [_severity_words(severity, scale, spread), _consistency_words(consistency)]
        found.append(
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
                sentence=f"{judge} {', '.join(told + _drift_words(drift))}.",
            )
        )
    return found


@dataclass(frozen=True)
class _Own:
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
    def of(cls, numbers: Floats, patterns: Patterns, place: int) -> _Own:
        own = numbers[:, place]
        rest = np.delete(numbers, place, axis=1)
        given = (~np.isnan(rest)).sum(axis=1)
        others = np.nansum(rest, axis=1) / np.maximum(given, 1)
        rated = ~np.isnan(own)
        both = rated & (given > 0)
        counts = patterns.counts.astype(float)
        return cls(own[both], others[both], counts[both], own[rated], counts[rated])


def _mean(values: Floats, counts: Floats, confidence: float) -> Measured:
    n = counts.sum()
    if n < 1:
        return Measured(math.nan)
    mean = float(counts @ values / n)
    if n < 2:
        return Measured(mean)
    error = math.sqrt(float(counts @ (values - mean) ** 2) / (n - 1) / n)
    margin = t_quantile((1 + confidence) / 2, n - 1) * error
    return Measured(mean, mean - margin, mean + margin)


def _line(own: _Own, confidence: float) -> tuple[Measured, float, float]:
    """Correlation with the others' mean, slope on it, and the spread of what is left."""
    n = own.counts.sum()
    if n < 3:
        return Measured(math.nan), math.nan, math.nan
    x, y = (v - own.counts @ v / n for v in (own.others, own.ratings))
    xx, yy, xy = (float(own.counts @ v) for v in (x * x, y * y, x * y))
    if xx <= 1e-12 or yy <= 1e-12:
        return Measured(math.nan), math.nan, math.nan
    r, slope = xy / math.sqrt(xx * yy), xy / xx
    noise = math.sqrt(max(yy - slope * xy, 0) / (n - 2))
    if n <= 3 or abs(r) >= 1:
        return Measured(r), slope, noise
    margin = normal_quantile((1 + confidence) / 2) / math.sqrt(n - 3)
    low, high = (math.tanh(math.atanh(r) + side * margin) for side in (-1, 1))
    return Measured(r, low, high), slope, noise


def _ends(values: Floats, share: Floats, scale: Scale) -> tuple[float, float]:
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
    if scale.categories is None:
        return math.nan
    used = np.bincount(np.unique(values, return_inverse=True)[1], share)
    used = used[used > 0]
    return float(-(used @ np.log(used)) / math.log(len(scale.categories)))


def _spread(numbers: Floats, counts: npt.NDArray[np.int64]) -> float:
    """The standard deviation of all ratings."""
    known = ~np.isnan(numbers)
    weights = (counts[:, None] * known)[known]
    values = numbers[known]
    mean = weights @ values / weights.sum()
    return math.sqrt(float(weights @ (values - mean) ** 2 / weights.sum()))


def _alphas(ratings: Ratings, criterion: Any, patterns: Patterns) -> tuple[float, list[float]]:
    """Alpha with all judges, and with each of them left out."""
    judges = patterns.judges
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CovaryWarning)
        whole = krippendorff_alpha(ratings, criterion=criterion, interval=None).value
        if not 2 < len(judges) <= 100:
            return whole, [math.nan] * len(judges)
        rest = ([j for j in judges if j != judge] for judge in judges)
        each = [
            krippendorff_alpha(ratings, criterion=criterion, judges=who, interval=None).value
            for who in rest
        ]
    return whole, each


def _timing(
    ratings: Ratings, criterion: Any, patterns: Patterns
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
    found: dict[Any, tuple[Drift | None, int | None, Pace | None]] = {}
    for judge in patterns.judges:
        mine, drift, run = columns["judge"] == judge, None, None
        if "order" in known:
            order = columns["order"][mine]
            drift, run = drift_of(order, residuals[mine]), longest_run(order, numbers[mine])
        pace = pace_of(columns["seconds"][mine]) if "seconds" in known else None
        found[judge] = (drift, run, pace)
    return found


def _as_numbers(ratings: npt.NDArray[Any], patterns: Patterns) -> Floats:
    if ratings.dtype != object:
        return ratings.astype(float)
    places = dict(zip(patterns.values, patterns.positions(Level.INTERVAL), strict=True))
    return np.array([places[rating] for rating in ratings.tolist()], dtype=float)


def _residuals(items: npt.NDArray[Any], numbers: Floats) -> Floats:
    """Each rating less the mean of the item's other ratings; NaN where there are none."""
    which = np.unique(items.astype(str) if items.dtype == object else items, return_inverse=True)[1]
    total, given = np.bincount(which, numbers), np.bincount(which)
    alone = given[which] < 2
    rest = (total[which] - numbers) / np.maximum(given[which] - 1, 1)
    return np.where(alone, np.nan, numbers - rest)


def _drift_words(drift: Drift | None) -> list[str]:
    if drift is None or not drift.clear:
        return []
    return [f"drifts {'upward' if drift.slope > 0 else 'downward'} over time"]


def _severity_words(severity: Measured, scale: Scale, spread: float) -> str:
    if math.isnan(severity.value):
        return "shares no item with another judge"
    clear = severity.low > 0 or severity.high < 0
    if not clear or abs(severity.value) < NOTABLE * spread:
        return "is about as severe as the others"
    up, by = severity.value > 0, f"by {abs(severity.value):.2f} on average"
    if scale.best is None:
        return f"rates {'higher' if up else 'lower'} than the others {by}"
    mild = up == (scale.best == "high")
    return f"is {'milder' if mild else 'stricter'} than the others {by}"


def _consistency_words(consistency: Measured) -> str:
    r = consistency.value
    if math.isnan(r):
        return "cannot be compared in consistency"
    if r >= CONSISTENT:
        return f"orders items as the others do (r {r:.2f})"
    if r >= NOISY:
        return f"orders items roughly as the others do (r {r:.2f})"
    return f"orders items differently from the others (r {r:.2f})"
