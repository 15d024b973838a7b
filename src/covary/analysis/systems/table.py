"""The table of systems: what the models, the pairs and the draws say about each of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from covary.analysis.systems.adjusted import Adjustment
from covary.analysis.systems.designed import Designed
from covary.analysis.systems.pairs import letters_of
from covary.analysis.systems.ranks import Ranks, ranks_of
from covary.analysis.systems.scores import Range, SystemScore, scores
from covary.scales import End, Level, Scale
from covary.stats.distributions import t_quantile
from covary.stats.intervals import Wanted
from covary.stats.layout import Layout
from covary.stats.posthoc import Comparisons

__all__ = ["Asked", "Drawn", "Progress", "table"]

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Asked:
    """What the caller asked for, checked; `brief` leaves out what takes long."""

    procedure: str
    error: str
    human: frozenset[str]
    wanted: Wanted
    progress: Progress
    brief: bool = False

    @property
    def alpha(self) -> float:
        """The error rate that goes with the confidence."""
        return round(1 - self.wanted.confidence, 12)


@dataclass(frozen=True)
class Drawn:
    """The ranks over resamples, before and after severity is removed, where they were drawn."""

    plain: Ranks | None
    adjusted: Ranks | None


def table(
    layout: Layout,
    scale: Scale,
    best: End,
    models: Designed,
    changed: Adjustment,
    pairs: Comparisons | None,
    drawn: Drawn,
    asked: Asked,
) -> list[SystemScore]:
    """Put together what is known of each system, in the order of their names."""
    ordered = ranks_of(layout.means("system"), best).tolist()
    letters = letters_of(pairs, best) or ("",) * len(ordered)
    rows = [
        replace(score, letters=mark)
        for score, mark in zip(scores(layout, scale, ordered, asked.human), letters, strict=True)
    ]
    rows = _with_intervals(rows, scale, models, asked)
    if drawn.plain is not None:
        rows = _with_draws(rows, drawn.plain)
    return _with_adjusted(rows, layout, models, best, drawn.adjusted) if changed.possible else rows


def _with_intervals(
    rows: list[SystemScore], scale: Scale, models: Designed, asked: Asked
) -> list[SystemScore]:
    mse, df = models.error(asked.error)
    reach = t_quantile((1 + asked.wanted.confidence) / 2, df) if df > 0 else math.nan
    halves = [reach * math.sqrt(mse / score.n_ratings) for score in rows]
    return [
        replace(score, interval=_within(scale, score.mean - half, score.mean + half))
        for score, half in zip(rows, halves, strict=True)
    ]


def _within(scale: Scale, low: float, high: float) -> Range:
    """Cut an interval at the ends of the scale, which no mean can pass."""
    if not scale.declared or math.isnan(low):
        return Range(low, high)
    positions = scale.positions(Level.INTERVAL) if scale.categories else (scale.low, scale.high)
    return Range(max(low, min(positions)), min(high, max(positions)))


def _with_draws(rows: list[SystemScore], ranks: Ranks) -> list[SystemScore]:
    ends = zip(ranks.mean_low, ranks.mean_high, strict=True)
    return [
        replace(score, best=first, wide=Range(*end))
        for score, first, end in zip(rows, ranks.best, ends, strict=True)
    ]


def _with_adjusted(
    rows: list[SystemScore], layout: Layout, models: Designed, best: End, ranks: Ranks | None
) -> list[SystemScore]:
    means = models.adjusted_means(layout) if "judge" in models.factors else layout.means("system")
    ordered = ranks_of(means, best)
    firsts = [score.best for score in rows] if ranks is None else ranks.best
    return [
        replace(score, adjusted=float(mean), adjusted_rank=int(rank), adjusted_best=first)
        for score, mean, rank, first in zip(rows, means, ordered, firsts, strict=True)
    ]
