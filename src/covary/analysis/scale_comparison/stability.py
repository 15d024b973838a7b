"""Stability: would the same judges say the same again?"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.analysis.scale_comparison.association import p_of_correlation, pearson_of
from covary.analysis.scale_comparison.experiments import Aligned, Part
from covary.analysis.scale_comparison.resampling import (
    TARGET,
    Contrast,
    contrast,
    drawn_interval,
    weights,
)
from covary.errors import CovaryWarning
from covary.ratings import Ratings
from covary.scales import Level
from covary.stats.alpha import krippendorff_alpha
from covary.stats.distributions import t_quantile
from covary.stats.estimate import Estimate, Interval
from covary.stats.icc import icc
from covary.stats.intervals import Wanted
from covary.stats.plain import plain

__all__ = ["JudgeStability", "Stability", "stability", "stability_contrasts"]

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]

FEWEST = 3
"""Pairs of ratings from which a judge has a correlation."""


@dataclass(frozen=True)
class JudgeStability:
    """One judge: how many items were rated twice, r between the occasions, and the mean shift."""

    judge: str
    n: int
    r: float
    shift: float


@dataclass(frozen=True)
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
    pooled: float
    pooled_p: float
    pooled_interval: Interval | None
    centred: float
    centred_interval: Interval | None
    shift: float
    shift_interval: Interval | None
    same: float
    alpha: Estimate | None
    icc: Estimate | None
    judges: tuple[JudgeStability, ...]
    reason: str = ""
    notes: tuple[str, ...] = ()
    pairs: tuple[Floats, Floats, Codes, tuple[str, ...]] | None = field(default=None, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        own: dict[str, Any] = plain(self)
        for name in ("alpha", "icc"):
            found = getattr(self, name)
            own[name] = None if found is None else found.to_dict()
        return own


def stability(aligned: Aligned, criterion: str, wanted: Wanted) -> Iterator[Stability]:
    """Compare each experiment's first occasion with each later one."""
    for experiment in aligned.experiments:
        first, *later = aligned.occasions(criterion, experiment)
        for second in later:
            yield _compared(first, second, wanted)


def stability_contrasts(
    found: tuple[Stability, ...], wanted: Wanted
) -> Iterator[tuple[Contrast, Contrast]]:
    """Compare r, pooled and centred, between every two experiments that have a retest."""
    known = [(each, each.pairs) for each in found if each.pairs is not None]
    for (a, first), (b, second) in combinations(known, 2):
        if a.experiment == b.experiment:
            continue
        drawn, how = weights([first[3], second[3]], wanted)
        x, y = _drawn(first, drawn[0]), _drawn(second, drawn[1])
        names = a.experiment, b.experiment
        yield (
            contrast(names, (a.pooled, b.pooled), (x[0], y[0]), how, wanted),
            contrast(names, (a.centred, b.centred), (x[1], y[1]), how, wanted),
        )


def _compared(first: Part, second: Part, wanted: Wanted) -> Stability:
    head = first.experiment, first.criterion, (first.occasion, second.occasion)
    x, y, codes, judges, notes = _joined(first, second)
    if x.size < FEWEST:
        nan, reason = math.nan, "no judge rated the same items on both occasions"
        if x.size:
            reason = f"only {x.size} ratings were given again"
        return Stability(*head, x.size, len(judges), nan, nan, None, nan, None, nan, None, nan,
                         None, None, (), reason, notes)  # fmt: skip
    pairs = (x, y, codes, judges)
    pooled, centred = (float(each[0]) for each in _drawn(pairs, np.ones((1, len(judges)))))
    limits: list[Interval | None] = [None, None]
    if wanted.method and len(judges) > 1:
        (drawn,), _ = weights([judges], wanted)
        limits = [drawn_interval(each, wanted) for each in _drawn(pairs, drawn)]
    shifts = np.bincount(codes, y - x) / np.bincount(codes)
    alpha, agreement = _between(x, y, first)
    return Stability(
        *head, x.size, len(judges), pooled, p_of_correlation(pooled, x.size), limits[0],
        centred, limits[1], float(np.mean(y - x)), _shift(shifts, float(np.mean(y - x)), wanted),
        float(np.mean(x == y)), alpha, agreement, tuple(_judges(pairs, shifts)), "", notes, pairs,
    )  # fmt: skip


def _joined(
    first: Part, second: Part
) -> tuple[Floats, Floats, Codes, tuple[str, ...], tuple[str, ...]]:
    """Join ratings by judge and item, never by their place in the file."""
    tables = [_by_key(part) for part in (first, second)]
    both = sorted(tables[0].keys() & tables[1].keys())
    x, y = (np.array([table[key] for key in both]) for table in tables)
    judges = tuple(sorted({judge for judge, _ in both}))
    place = {judge: number for number, judge in enumerate(judges)}
    codes = np.array([place[judge] for judge, _ in both], dtype=np.intp)
    single = sum(len(table) - len(both) for table in tables)
    notes = (f"{single} ratings have no partner on the other occasion",) if single else ()
    return x.astype(float), y.astype(float), codes, judges, notes


def _by_key(part: Part) -> dict[tuple[str, str], float]:
    laid = part.layout
    judges = np.array(laid.names["judge"], dtype=object)[laid.factors["judge"]]
    items = np.array(laid.names["item"], dtype=object)[laid.factors["item"]]
    return dict(zip(zip(judges, items, strict=True), laid.values.tolist(), strict=True))


def _drawn(
    pairs: tuple[Floats, Floats, Codes, tuple[str, ...]], counts: Floats
) -> tuple[Floats, Floats]:
    """Pearson's r, pooled and within judges, for each line of counts of the judges."""
    x, y, codes, _ = pairs
    n, sx, sy, sxx, syy, sxy = (
        np.bincount(codes, each) for each in (np.ones_like(x), x, y, x * x, y * y, x * y)
    )
    total = counts @ np.column_stack([n, sx, sy, sxx, syy, sxy])
    pooled = _r(total[:, 5] - total[:, 1] * total[:, 2] / total[:, 0],
                total[:, 3] - total[:, 1] ** 2 / total[:, 0],
                total[:, 4] - total[:, 2] ** 2 / total[:, 0])  # fmt: skip
    within = counts @ np.column_stack([sxy - sx * sy / n, sxx - sx**2 / n, syy - sy**2 / n])
    return pooled, _r(*within.T)


def _r(product: Floats, first: Floats, second: Floats) -> Floats:
    spread = np.sqrt(np.maximum(first, 0) * np.maximum(second, 0))
    return np.asarray(np.where(spread > 0, product / np.where(spread > 0, spread, 1), np.nan))


def _shift(shifts: Floats, mean: float, wanted: Wanted) -> Interval | None:
    """The interval of the mean shift, from how the judges' own shifts vary."""
    n = shifts.size
    if n < 2 or not wanted.method:
        return None
    error = float(shifts.std(ddof=1)) / math.sqrt(n)
    reach = t_quantile((1 + wanted.confidence) / 2, n - 1) * error
    return Interval(mean - reach, mean + reach, wanted.confidence, "t over judges", TARGET, error)


def _judges(
    pairs: tuple[Floats, Floats, Codes, tuple[str, ...]], shifts: Floats
) -> Iterator[JudgeStability]:
    x, y, codes, judges = pairs
    for place, judge in enumerate(judges):
        own = codes == place
        r = pearson_of(x[own], y[own]) if own.sum() >= FEWEST else math.nan
        yield JudgeStability(judge, int(own.sum()), r, float(shifts[place]))


def _between(x: Floats, y: Floats, part: Part) -> tuple[Estimate, Estimate]:
    """Alpha and ICC between the occasions, taken as two judges of the same things."""
    level = max(part.scale.level, Level.ORDINAL)
    matrix = np.column_stack([x, y]).tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CovaryWarning)
        ratings = Ratings.from_wide(matrix, level=level, judges=["first", "second"])
        numbers = Ratings.from_wide(matrix, level="interval", judges=["first", "second"])
        return krippendorff_alpha(ratings, interval=None), icc(numbers, interval=None)
