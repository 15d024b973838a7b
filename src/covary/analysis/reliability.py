"""`covary.reliability`: agreement beside correlation for every criterion, and what they mean."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from covary.analysis.coefficients import beside, main_pair
from covary.analysis.comparison import (
    Average,
    Comparison,
    CriterionReliability,
    Reliability,
    Subsets,
)
from covary.analysis.differences import differences
from covary.analysis.severity import severity, suspects
from covary.analysis.verdict import verdict
from covary.errors import CovaryWarning, InvalidArgument
from covary.ratings import Ratings
from covary.stats.crossed import cross, of_pair, uses
from covary.stats.estimate import Interval
from covary.stats.intervals import Wanted
from covary.stats.patterns import Patterns, collapse, too_many

__all__ = ["reliability"]

MOST_PAIRS = 66
"""Pairs of judges (those of twelve judges) up to which each pair gets intervals of its own."""

MOST_SUBSETS = 500
"""Subsets of judges up to which all of one size are looked at."""

LEAST_COMMON = 2
"""With fewer common items a pair or batch is not compared at all."""

Progress = Callable[[str], None]


def reliability(
    ratings: Ratings,
    *,
    criterion: Any = None,
    group: Any = None,
    confidence: float = 0.95,
    intervals: bool = True,
    resamples: int = 1000,
    rng: Any = None,
    progress: Progress | None = None,
) -> Reliability:
    """Can these ratings be relied on? Agreement and correlation together, with a verdict.

    Parameters
    ----------
    ratings
        The ratings; every criterion is answered at the level of its own scale.
    criterion, group
        Only these criteria, only judges of this group; all by default.
    confidence, resamples, rng
        Of the intervals; the seed is recorded.
    intervals
        False to leave the intervals out. The verdicts then rest on points alone.
    progress
        Called with a few words at each step, for a progress bar.

    Returns
    -------
    Reliability
        For each criterion the comparison of all judges, of each group, pair and batch.

    Examples
    --------
    One judge is stricter than the other:

    >>> from covary import Ratings, reliability
    >>> mild, strict = [3, 3, 2, 2, 3, 2, 1, 2, 2, 3], [3, 2, 1, 1, 3, 2, 1, 1, 1, 2]
    >>> found = reliability(Ratings.from_wide(list(zip(mild, strict)), scale="1-3"), rng=1)
    >>> found.criteria[0].overall.verdict.word
    'consistent, different severity'
    """
    wanted = Wanted.of("auto" if intervals else None, confidence, resamples, rng)
    chosen = ratings if group is None else ratings.select(group=group)
    names = chosen.criteria if criterion is None else _listed(chosen, criterion)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CovaryWarning)  # the notes say the same
        found = tuple(_criterion(chosen, name, wanted, progress or _silent) for name in names)
    return Reliability(
        found, _averages(found), chosen.n_items, chosen.n_judges, chosen.n_ratings,
        chosen.slots, wanted.confidence, wanted.seed,
    )  # fmt: skip


def _criterion(
    ratings: Ratings, criterion: Any, wanted: Wanted, progress: Progress
) -> CriterionReliability:
    progress(f"{criterion or 'ratings'}: all judges")
    ratings, patterns = _collapsed(ratings, criterion)
    others = patterns.crossed is None
    overall = _compared(ratings, criterion, "all judges", patterns, wanted, others=others)
    pairs = tuple(_pairs(ratings, criterion, patterns, wanted, progress))
    groups, scale = tuple(_groups(ratings, criterion, patterns, wanted)), ratings.scales[criterion]
    progress(f"{criterion or 'ratings'}: further coefficients")
    return CriterionReliability(
        criterion=criterion,
        scale=scale,
        n_items=patterns.n_items,
        n_judges=overall.agreement.n_judges,
        n_ratings=patterns.n_ratings,
        dominant=_dominant(patterns),
        overall=overall,
        beside=tuple(beside(ratings, criterion, wanted)),
        groups=groups,
        differences=tuple(differences(patterns, scale.level, groups, wanted)),
        pairs=pairs,
        batches=tuple(_batches(ratings, criterion, patterns, wanted, pairs)),
        subsets=_subsets(overall, patterns),
        suspects=suspects(_values(overall)),
        distribution=_distribution(patterns, ratings, criterion),
        notes=_notes(pairs, patterns, ratings),
    )


def _collapsed(ratings: Ratings, criterion: Any) -> tuple[Ratings, Patterns]:
    """Return the judges' patterns; where these are too many, tables of every two judges.

    Where even these are too many, nothing follows a judge from item to item.
    """
    if ratings.slots or not too_many(ratings, criterion):
        return ratings, collapse(ratings, criterion, named=not ratings.slots)
    try:
        return ratings, cross(ratings, criterion)
    except InvalidArgument:
        return ratings.as_slots(), collapse(ratings, criterion, named=False)


def _compared(
    ratings: Ratings,
    criterion: Any,
    label: str,
    patterns: Patterns,
    wanted: Wanted,
    *,
    others: bool = False,
    judges: tuple[Any, ...] | None = None,
) -> Comparison:
    agreement, correlation = main_pair(ratings, criterion, wanted, judges)
    wide: tuple[Interval | None, Interval | None] = (None, None)
    if others and wanted.method and len(patterns.judges) > 2 and not ratings.slots:
        drawn = main_pair(ratings, criterion, wanted.instead("two-way"), judges)
        wide = (drawn[0].interval, drawn[1].interval if drawn[1] else None)
    who = patterns.judges if judges is None else judges
    judged = verdict(agreement, correlation, _dominant(patterns), slots=ratings.slots)
    return Comparison(label, who, agreement, correlation, judged, *wide)


def _pairs(
    ratings: Ratings, criterion: Any, patterns: Patterns, wanted: Wanted, progress: Progress
) -> Iterator[Comparison]:
    """Compare every two judges who share items."""
    if ratings.slots or len(patterns.judges) < 2:
        return
    shared = [(*pair, n) for pair, n in _common_items(patterns).items() if n >= LEAST_COMMON]
    each = wanted if len(shared) <= MOST_PAIRS else Wanted(None, wanted.confidence)
    for first, second, _ in shared:
        progress(f"{criterion or 'ratings'}: {first} and {second}")
        part = _of_two(patterns, first, second)
        found = _compared(ratings.about(criterion, part), criterion, f"{first} and {second}",
                          part, each)  # fmt: skip
        yield _with_severity(found, part)


def _common_items(patterns: Patterns) -> dict[tuple[Any, Any], float]:
    """How many items every two judges share."""
    every = list(combinations(patterns.judges, 2))
    if patterns.crossed is not None:
        return dict(zip(every, patterns.crossed.sum(axis=(1, 2, 3)).tolist(), strict=True))
    shared = patterns.rated.T.astype(float) @ (patterns.counts[:, None] * patterns.rated)
    return dict(zip(every, shared[np.triu_indices(len(shared), 1)].tolist(), strict=True))


def _of_two(patterns: Patterns, first: Any, second: Any) -> Patterns:
    if patterns.crossed is not None:
        return of_pair(patterns, first, second)
    places = [patterns.judges.index(judge) for judge in (first, second)]
    part = patterns.keep(patterns.rated[:, places].all(axis=1))
    return part.only([first, second])


def _with_severity(found: Comparison, part: Patterns) -> Comparison:
    if found.correlation is None:
        return found
    return replace(found, severity=severity(part, *part.judges))


def _groups(
    ratings: Ratings, criterion: Any, patterns: Patterns, wanted: Wanted
) -> Iterator[Comparison]:
    """Compare the judges of each group, where there are several groups."""
    if "group" not in ratings.columns or ratings.slots or patterns.crossed is not None:
        return
    names = ratings.values("group")
    for name in names if len(names) > 1 else ():
        members = set(ratings.select(group=name).judges) & set(patterns.judges)
        who = tuple(judge for judge in patterns.judges if judge in members)
        if len(who) > 1:
            part = patterns.only(who)
            yield _compared(ratings.about(criterion, part), criterion, str(name), part, wanted,
                            others=True)  # fmt: skip


def _batches(
    ratings: Ratings,
    criterion: Any,
    patterns: Patterns,
    wanted: Wanted,
    pairs: Sequence[Comparison],
) -> Iterator[Comparison]:
    """Compare the judges of each batch: the items that just these judges rated."""
    if ratings.slots or patterns.crossed is not None:
        return
    kinds, which = np.unique(patterns.rated, axis=0, return_inverse=True)
    several = [kind for kind in range(len(kinds)) if kinds[kind].sum() > 1]
    if not 1 < len(several) <= MOST_PAIRS:
        return
    known = {(pair.judges, pair.agreement.n_items): pair for pair in pairs}
    for kind in several:
        who = tuple(j for j, rated in zip(patterns.judges, kinds[kind], strict=True) if rated)
        part = patterns.keep(which == kind).only(who)
        if part.n_items < LEAST_COMMON:
            continue
        found = known.get((who, part.n_items))
        if found is None:
            found = _compared(ratings.about(criterion, part), criterion, "", part, wanted)
        label = f"{', '.join(str(judge) for judge in who)} ({part.n_items} items)"
        yield replace(found, label=label)


def _values(comparison: Comparison) -> list[tuple[tuple[Any, Any], float]]:
    """The correlation of each pair of judges."""
    if comparison.correlation is None:
        return []
    pairs = comparison.correlation.details.get("pairs", ())
    return [(pair["judges"], pair["value"]) for pair in pairs]


def _subsets(comparison: Comparison, patterns: Patterns) -> tuple[Subsets, ...]:
    """Average the pairs' correlations within every subset of judges, size by size."""
    values = {frozenset(pair): value for pair, value in _values(comparison)}
    if len(values) < 3 or any(value != value for value in values.values()):
        return ()
    found = []
    for size in range(3, len(patterns.judges)):
        if 1 < math.comb(len(patterns.judges), size) <= MOST_SUBSETS:
            found += _subset(size, list(combinations(patterns.judges, size)), values)
    return tuple(found)


def _subset(
    size: int, subsets: Sequence[tuple[Any, ...]], values: dict[frozenset[Any], float]
) -> list[Subsets]:
    means = []
    for judges in subsets:
        within = [values[frozenset(p)] for p in combinations(judges, 2) if frozenset(p) in values]
        if within:
            means.append((float(np.mean(within)), judges))
    if not means:
        return []
    low, high = min(means, key=lambda m: m[0]), max(means, key=lambda m: m[0])
    mean = float(np.mean([m for m, _ in means]))
    return [Subsets(size, len(means), mean, low[0], low[1], high[0], high[1])]


def _averages(found: Sequence[CriterionReliability]) -> tuple[Average, ...]:
    """Average each kind of coefficient over the criteria that share it."""
    by_name: dict[str, list[float]] = {}
    for each in found:
        for estimate in (each.overall.agreement, each.overall.correlation):
            if estimate is not None and estimate.defined:
                key = f"{estimate.title} ({estimate.level})"
                by_name.setdefault(key, []).append(estimate.value)
    return tuple(Average.of(name, values) for name, values in by_name.items() if len(values) > 1)


def _dominant(patterns: Patterns) -> float:
    """The share of the most frequent category; 0 where ratings are continuous."""
    if patterns.continuous or not patterns.n_ratings:
        return 0.0
    used = patterns.counts @ patterns.tally()
    return float(used.max() / used.sum())


def _distribution(
    patterns: Patterns, ratings: Ratings, criterion: Any
) -> dict[Any, tuple[int, ...]]:
    """How often each judge used each category."""
    if patterns.continuous:
        return {}
    if patterns.crossed is not None:
        counted = uses(ratings, criterion, patterns).tolist()
        return dict(zip(patterns.judges, map(tuple, counted), strict=True))
    size = patterns.n_values
    names = [f"slot {judge}" if ratings.slots else judge for judge in patterns.judges]
    used = {}
    for place, name in enumerate(names):
        rated = patterns.rated[:, place]
        times = np.bincount(patterns.codes[rated, place], patterns.counts[rated], minlength=size)
        used[name] = tuple(int(t) for t in times)
    return used


def _notes(pairs: Sequence[Comparison], patterns: Patterns, ratings: Ratings) -> tuple[str, ...]:
    notes = []
    if patterns.crossed is not None:
        notes.append(
            "The patterns of all judges are too many to be counted, so every two judges were "
            "compared by their cross tables; groups and batches of judges, and intervals for other "
            "judges, are left out."
        )
    elif ratings.large and ratings.slots:
        notes.append("Nothing follows a judge from item to item, because the judges are too many.")
    if len(pairs) > MOST_PAIRS:
        notes.append(f"with {len(pairs)} pairs of judges, pairs are shown without intervals")
    return tuple(notes)


def _listed(ratings: Ratings, criterion: Any) -> tuple[Any, ...]:
    names = [criterion] if isinstance(criterion, str) else list(criterion)
    if not names:
        raise InvalidArgument("criterion=[] names no criterion; leave it out for all of them")
    return tuple(ratings.one_criterion(name) for name in names)


def _silent(_: str) -> None:
    """Say nothing."""
