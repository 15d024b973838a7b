"""The table of systems: what the ratings, the models, the pairs and the draws say of each."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from covary.analysis.systems.models import Models
from covary.analysis.systems.ranks import RankProbabilities, ranks_of
from covary.analysis.systems.result import Range, SystemScore, SystemsOptions
from covary.scales import End, Level, Scale
from covary.stats.distributions import t_quantile
from covary.stats.models.observations import Floats, Observations
from covary.stats.models.unit_kinds import LargeObservations


def describe_systems(
    observed: Observations, scale: Scale, options: SystemsOptions
) -> list[SystemScore]:
    """Describe the ratings of each system, in the order of their names."""
    items, groups = observed.units_of("item"), observed.groups("system")
    means = _item_means(observed) if options.means == "items" else observed.means("system")
    ranks = ranks_of(means, scale.best or "high")
    scores = []
    for place, (system, own) in enumerate(zip(observed.names["system"], groups, strict=True)):
        low, middle, high = np.quantile(own, (0.25, 0.5, 0.75))
        score = SystemScore(
            system=system,
            human=str(system) in options.human,
            n_ratings=own.size,
            n_items=int(items[place]),
            mean=float(means[place]),
            median=float(middle),
            quartiles=(float(low), float(high)),
            deviation=float(own.std(ddof=1)) if own.size > 1 else math.nan,
            counts=_counts(own, scale),
            rank=int(ranks[place]),
        )
        scores.append(score)
    return scores


def describe_tallies(
    observed: LargeObservations, scale: Scale, options: SystemsOptions
) -> list[SystemScore]:
    """The same from how often each system got each category."""
    plain = observed.means()
    means = observed.item_means() if options.means == "items" else plain
    ranks = ranks_of(means, scale.best or "high")
    scores, items, ratings = [], observed.units_of("item"), observed.counts()
    for place, system in enumerate(observed.names["system"]):
        own, n = observed.tallies[place], int(ratings[place])
        low, middle, high = (_quantile(observed.values, own, q) for q in (0.25, 0.5, 0.75))
        score = SystemScore(
            system=system,
            human=str(system) in options.human,
            n_ratings=n,
            n_items=int(items[place]),
            mean=float(means[place]),
            median=middle,
            quartiles=(low, high),
            deviation=math.sqrt(observed.spread[place] / (n - 1)) if n > 1 else math.nan,
            counts=_tally_counts(own, scale),
            rank=int(ranks[place]),
        )
        scores.append(score)
    return scores


def _tally_counts(own: Floats, scale: Scale) -> tuple[int, ...] | None:
    """How often each category was given, in the order of the scale."""
    if scale.categories is None:
        return None
    places = np.argsort(np.argsort(scale.positions(Level.INTERVAL), kind="stable"), kind="stable")
    return tuple(int(count) for count in own[places])


def _quantile(values: Floats, counts: Floats, share: float) -> float:
    """A quantile of values that occur so often each, between two ratings in proportion."""
    place = share * (float(counts.sum()) - 1)
    reached = np.cumsum(counts)
    ends = values[np.searchsorted(reached, [math.floor(place), math.ceil(place)], side="right")]
    return float(ends[0] + (ends[1] - ends[0]) * (place - math.floor(place)))


def _item_means(observed: Observations) -> Floats:
    """The mean over the items of each system of the means of their ratings."""
    system, item = observed.factors["system"], observed.factors["item"]
    n_items, n_systems = len(observed.names["item"]), len(observed.names["system"])
    pairs, owner = np.unique(system.astype(np.int64) * n_items + item, return_inverse=True)
    means = np.bincount(owner, observed.values) / np.bincount(owner)
    own = pairs // n_items
    return np.bincount(own, means, n_systems) / np.bincount(own, minlength=n_systems)


def _counts(own: Floats, scale: Scale) -> tuple[int, ...] | None:
    if scale.categories is None:
        return None
    positions = np.asarray(scale.positions(Level.INTERVAL))
    order = np.argsort(positions)
    places = order[np.searchsorted(positions[order], own)]
    return tuple(np.bincount(places, minlength=positions.size).tolist())


def add_estimates(
    scores: list[SystemScore], estimates: Floats, places: Floats, best: End
) -> list[SystemScore]:
    """Give each system what the letters compare, and the rank that follows from it."""
    return [
        replace(score, estimate=float(estimate), rank=int(rank))
        for score, estimate, rank in zip(scores, estimates, ranks_of(places, best), strict=True)
    ]


def add_intervals(
    scores: list[SystemScore], scale: Scale, models: Models, options: SystemsOptions
) -> list[SystemScore]:
    """Give each mean its interval, from the error that the letters use."""
    term, df = models.term, models.term.typical_df
    reach = t_quantile((1 + options.interval.confidence) / 2, df) if df > 0 else math.nan
    errors = term.standard_errors(np.array([score.n_ratings for score in scores], dtype=float))
    return [
        replace(score, interval=_within(scale, mean - half, mean + half))
        for score, mean, half in zip(scores, term.means, reach * errors, strict=True)
    ]


def _within(scale: Scale, low: float, high: float) -> Range:
    """Cut an interval at the ends of the scale, which no mean can pass."""
    if not scale.declared or math.isnan(low):
        return Range(low, high)
    positions = scale.positions(Level.INTERVAL) if scale.categories else (scale.low, scale.high)
    return Range(max(low, min(positions)), min(high, max(positions)))


def add_letters(scores: list[SystemScore], letters: tuple[str, ...] | None) -> list[SystemScore]:
    """Give each system the letters that it shares with those it does not differ from."""
    return [
        replace(score, letters=mark)
        for score, mark in zip(scores, letters or ("",) * len(scores), strict=True)
    ]


def add_draws(
    scores: list[SystemScore],
    scale: Scale,
    ranks: RankProbabilities | None,
    compared: RankProbabilities | None,
) -> list[SystemScore]:
    """Give each system its chance to come first, and the interval for others than these.

    The interval is that of what is compared, which may be without the severity of judges.
    """
    if ranks is None or compared is None:
        return scores
    ends = zip(compared.mean_low, compared.mean_high, strict=True)
    return [
        replace(score, best=first, wide=_within(scale, *end))
        for score, first, end in zip(scores, ranks.best, ends, strict=True)
    ]


def add_adjusted(
    scores: list[SystemScore], means: Floats, best: End, ranks: RankProbabilities | None
) -> list[SystemScore]:
    """Give each system its mean without the severity of judges, and its rank by it."""
    firsts = [score.best for score in scores] if ranks is None else ranks.best
    return [
        replace(score, adjusted=float(mean), adjusted_rank=int(rank), adjusted_best=first)
        for score, mean, rank, first in zip(
            scores, means, ranks_of(means, best), firsts, strict=True
        )
    ]
