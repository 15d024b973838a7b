"""`covary.reliability`: agreement beside correlation for every criterion, and what they mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.analysis.coefficients import (
    HEADLINES,
    further_coefficients,
    group_differences,
    main_pair,
)
from covary.analysis.disagreement import (
    Decomposition,
    decompose,
    metric_name,
    severities,
    with_inconsistency,
)
from covary.analysis.reliability_result import (
    Average,
    Comparison,
    CriterionReliability,
    PairOrder,
    Reliability,
    Subsets,
    severity,
    suspects,
)
from covary.analysis.stability import first_occasion, has_retests, repeated_ratings
from covary.analysis.system_reliability import system_means
from covary.analysis.verdict import (
    DEFAULTS,
    UNSEEN,
    RatingUse,
    Thresholds,
    VerdictEvidence,
    verdict,
    with_width,
)
from covary.errors import InvalidArgument, quiet
from covary.ratings import Ratings
from covary.records import dataclass
from covary.stats.estimate import Estimate, Interval
from covary.stats.intervals import IntervalSpec
from covary.stats.pair_counts import category_uses, count_judge_pairs, pair_patterns
from covary.stats.patterns import Patterns, collapse, has_too_many_patterns
from covary.stats.steps import countable
from covary.words import Note

Floats = npt.NDArray[np.float64]

MOST_PAIRS = 66
"""Pairs of judges (those of twelve judges) up to which each pair gets intervals of its own."""

MOST_COMPARED = 200
"""Pairs of judges (those of twenty) up to which every two are compared one by one."""

MOST_MET = 2_000
"""Where more pairs of judges share an item, even those with several common items share few."""

MOST_SUBSETS = 500
"""Subsets of judges up to which all of one size are looked at."""

LEAST_COMMON = 2
"""With fewer common items a pair or batch is not compared at all."""

OnProgress = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class _Case:
    """The ratings on one criterion, counted, and what is asked of the intervals."""

    ratings: Ratings
    criterion: Any
    patterns: Patterns
    spec: IntervalSpec
    progress: OnProgress
    thresholds: Thresholds = DEFAULTS
    repeated: Ratings | None = None
    headline: str | None = None

    @property
    def followed(self) -> bool:
        """Whether judges can be followed from item to item, in all their patterns."""
        return not self.ratings.slots and self.patterns.crossed is None

    def part(self, patterns: Patterns) -> _Case:
        """Return the same of a part of the patterns."""
        ratings = self.ratings.about(self.criterion, patterns)
        return replace(self, ratings=ratings, patterns=patterns)

    def say(self, step: str) -> None:
        """Report progress."""
        self.progress(f"{self.criterion or 'ratings'}: {step}")


def reliability(
    ratings: Ratings,
    *,
    criterion: Any = None,
    group: Any = None,
    confidence: float = 0.95,
    intervals: bool = True,
    resamples: int = 1000,
    rng: Any = None,
    thresholds: Thresholds = DEFAULTS,
    headline: str | None = None,
    progress: OnProgress | None = None,
) -> Reliability:
    """Can these ratings be relied on? Agreement and correlation together, with a verdict.

    Parameters
    ----------
    ratings
        The ratings; every criterion is answered at the level of its own scale. Where judges rated
        items on several occasions, the first one counts; see `stability` for the others.
    criterion, group
        Only these criteria, only judges of this group; all by default.
    confidence, resamples, rng
        Of the intervals; the seed is recorded.
    intervals
        False to leave the intervals out. The points alone then give the verdict's word, and all
        that it rests on is open.
    thresholds
        What counts as enough, `Thresholds(agreement=0.8)` for example.
    headline
        The coefficient that stands for agreement, such as `"conger_kappa"`; Krippendorff's alpha
        by default, and among the further coefficients otherwise.
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
    'cannot tell yet'
    >>> f"{found.criteria[0].overall.disagreement.severity:.0%} of the disagreement is severity"
    '56% of the disagreement is severity'
    """
    if headline is not None and headline not in HEADLINES:
        raise InvalidArgument(
            "reliability.headline", argument="headline", value=headline, allowed=HEADLINES
        )
    spec = IntervalSpec.of("auto" if intervals else None, confidence, resamples, rng)
    chosen = countable(ratings if group is None else ratings.select(group=group))
    repeated, chosen = (chosen if has_retests(chosen) else None), first_occasion(chosen)
    names = chosen.criteria if criterion is None else _check_criteria(chosen, criterion)
    with quiet():  # the notes say the same
        counted = (_count(chosen, name, spec, progress or _no_progress) for name in names)
        criteria = tuple(
            _criterion(replace(case, thresholds=thresholds, repeated=repeated, headline=headline))
            for case in counted
        )
    return Reliability(
        criteria=criteria,
        averages=_average_criteria(criteria),
        n_items=chosen.n_items,
        n_judges=chosen.n_judges,
        n_ratings=chosen.n_ratings,
        slots=chosen.slots,
        confidence=spec.confidence,
        seed=spec.seed,
        thresholds=thresholds,
    )


def _count(ratings: Ratings, criterion: Any, spec: IntervalSpec, progress: OnProgress) -> _Case:
    """Count the judges' patterns; where these are too many, tables of every two judges.

    Where even these are too many, nothing follows a judge from item to item.
    """
    progress(f"{criterion or 'ratings'}: all judges")
    if ratings.slots or not has_too_many_patterns(ratings, criterion):
        patterns = collapse(ratings, criterion, named=not ratings.slots)
    else:
        try:
            patterns = count_judge_pairs(ratings, criterion)
        except InvalidArgument:
            patterns = collapse(ratings, criterion, named=False)
            ratings = ratings.as_slots()
    return _Case(
        ratings=ratings, criterion=criterion, patterns=patterns, spec=spec, progress=progress
    )


def _criterion(case: _Case) -> CriterionReliability:
    patterns, scale = case.patterns, case.ratings.scales[case.criterion]
    judges = severities(patterns, case.spec.confidence) if case.followed else ()
    ranking = None
    if "system" in case.ratings.columns:
        ranking = system_means(
            case.ratings,
            case.criterion,
            severity={judge.judge: judge.effect for judge in judges},
            confidence=case.spec.confidence,
            threshold=case.thresholds.means,
        )
    overall = _compare(case, "all judges", others=patterns.crossed is None, ranking=ranking)
    if case.repeated is not None and overall.disagreement is not None:
        again = repeated_ratings(case.repeated, case.criterion)
        parts = with_inconsistency(overall.disagreement, patterns, *again)
        overall = replace(overall, disagreement=parts)
    pairs, groups = tuple(_pairs(case)), tuple(_groups(case))
    case.say("further coefficients")
    return CriterionReliability(
        criterion=case.criterion,
        scale=scale,
        n_items=patterns.n_items,
        n_judges=overall.agreement.n_judges,
        n_ratings=patterns.n_ratings,
        dominant=dominant_share(patterns),
        overall=overall,
        beside=tuple(_beside(case, overall)),
        groups=groups,
        differences=tuple(group_differences(patterns, scale.level, groups, case.spec)),
        pairs=pairs,
        batches=tuple(_batches(case, pairs)),
        subsets=_subsets(overall, patterns),
        suspects=suspects(_pair_orders(overall, pairs)),
        judges=judges,
        distribution=_distribution(case),
        notes=tuple(_notes(case)),
    )


def _beside(case: _Case, overall: Comparison) -> Iterator[Estimate]:
    """The further coefficients, without the one that stands for agreement already."""
    for estimate in further_coefficients(
        case.ratings, case.criterion, case.spec, headline=case.headline
    ):
        if estimate.title != overall.agreement.title:
            yield estimate


def _compare(
    case: _Case, label: str, *, others: bool = False, ranking: RatingUse | None = None
) -> Comparison:
    ratings, patterns, spec = case.ratings, case.patterns, case.spec
    agreement, correlation = main_pair(ratings, case.criterion, spec, headline=case.headline)
    wide: tuple[Interval | None, Interval | None] = (None, None)
    if others and spec.method and len(patterns.judges) > 2 and not ratings.slots:
        wide = _of_other_judges(case)
    agreement = with_width("agreement", agreement)
    if correlation is not None:
        correlation = with_width("order", correlation)
    parts = _disagreement(case, label)
    evidence = VerdictEvidence(
        agreement=agreement,
        correlation=correlation,
        dominant=dominant_share(patterns),
        decomposition=parts,
        ratings_per_item=ratings_per_item(patterns),
        system_means=ranking,
        slots=ratings.slots,
        points=not spec.method,
    )
    return Comparison(
        label=label,
        judges=patterns.judges,
        agreement=agreement,
        correlation=correlation,
        verdict=verdict(evidence, case.thresholds),
        disagreement=parts,
        agreement_of_others=_unless_unseen(wide[0], agreement),
        correlation_of_others=_unless_unseen(wide[1], correlation),
    )


def _unless_unseen(others: Interval | None, estimate: Estimate | None) -> Interval | None:
    """An interval for other judges that widens one without width decides nothing either."""
    own = None if estimate is None else estimate.interval
    if others is None or own is None or own.method != UNSEEN:
        return others
    return replace(others, decisive=False)


def _of_other_judges(case: _Case) -> tuple[Interval | None, Interval | None]:
    """The intervals of both coefficients for other judges, where they are defined."""
    wider = case.spec.instead("two-way")
    try:
        agreement, correlation = main_pair(
            case.ratings, case.criterion, wider, headline=case.headline
        )
    except InvalidArgument:
        if case.headline is None:
            raise
        _, correlation = main_pair(case.ratings, case.criterion, wider)
        return None, correlation.interval if correlation else None
    return agreement.interval, correlation.interval if correlation else None


def _disagreement(case: _Case, label: str) -> Decomposition:
    """Split the disagreement, or say why nobody can be followed from item to item."""
    if case.followed:
        return decompose(case.patterns, label, case.spec.confidence)
    code = "disagreement.slots" if case.ratings.slots else "disagreement.too-many"
    return Decomposition(
        label=label,
        judges=(),
        n_items=case.patterns.n_items,
        metric=metric_name(case.patterns.scale),
        reason=Note(code),
    )


def ratings_per_item(patterns: Patterns) -> float:
    """The harmonic mean number of ratings of an item."""
    sizes = patterns.sizes
    return patterns.n_items / float(np.sum(patterns.counts / sizes)) if sizes.size else math.nan


def _pairs(case: _Case) -> Iterator[Comparison]:
    """Compare every two judges who share items."""
    if case.ratings.slots or len(case.patterns.judges) < 2:
        return
    n_pairs, too_many = _pairs_met(case.patterns)
    if too_many:
        return
    shared = [pair for pair, n in _common_items(case.patterns).items() if n >= LEAST_COMMON]
    if n_pairs > MOST_PAIRS:
        case = replace(case, spec=IntervalSpec(None, case.spec.confidence))
    for first, second in shared:
        case.say(f"{first} and {second}")
        part = case.part(_pair_patterns(case.patterns, first, second))
        pair = _compare(part, f"{first} and {second}")
        if pair.correlation is not None:
            pair = replace(pair, severity=severity(part.patterns, *part.patterns.judges))
        yield pair


def _pairs_met(patterns: Patterns) -> tuple[int, bool]:
    """How many pairs of judges share enough items, and whether these are too many to compare."""
    crossed = patterns.crossed
    items = patterns.common.items if crossed is None else crossed.sum(axis=(1, 2, 3))
    enough = int(np.sum(items >= LEAST_COMMON))
    return enough, enough > MOST_COMPARED or len(items) > MOST_MET


def _common_items(patterns: Patterns) -> dict[tuple[Any, Any], float]:
    """How many items every two judges share who share any."""
    if patterns.crossed is not None:
        every = combinations(patterns.judges, 2)
        return dict(zip(every, patterns.crossed.sum(axis=(1, 2, 3)).tolist(), strict=True))
    names, common = patterns.judges, patterns.common
    met = zip(common.pairs.tolist(), common.items.tolist(), strict=True)
    return {(names[first], names[second]): n for (first, second), n in met}


def _pair_patterns(patterns: Patterns, first: Any, second: Any) -> Patterns:
    if patterns.crossed is not None:
        return pair_patterns(patterns, first, second)
    places = [patterns.judges.index(judge) for judge in (first, second)]
    part = patterns.keep(patterns.rated[:, places].all(axis=1))
    return part.only([first, second])


def _groups(case: _Case) -> Iterator[Comparison]:
    """Compare the judges of each group, where there are several groups."""
    if "group" not in case.ratings.columns or not case.followed:
        return
    names = case.ratings.values("group")
    for name in names if len(names) > 1 else ():
        members = set(case.ratings.select(group=name).judges)
        who = tuple(judge for judge in case.patterns.judges if judge in members)
        if len(who) > 1:
            yield _compare(case.part(case.patterns.only(who)), str(name), others=True)


def _batches(case: _Case, pairs: Sequence[Comparison]) -> Iterator[Comparison]:
    """Compare the judges of each batch: the items that just these judges rated."""
    if not case.followed:
        return
    patterns = case.patterns
    if _are_many_batches(patterns):
        return
    kinds, which = _distinct_rows(patterns.rated)
    several = [kind for kind in range(len(kinds)) if kinds[kind].sum() > 1]
    if not 1 < len(several) <= MOST_PAIRS:
        return
    known = {(pair.judges, pair.agreement.n_items): pair for pair in pairs}
    for kind in several:
        who = tuple(j for j, rated in zip(patterns.judges, kinds[kind], strict=True) if rated)
        part = patterns.keep(which == kind).only(who)
        if part.n_items >= LEAST_COMMON:
            batch = known.get((who, part.n_items)) or _compare(case.part(part), "")
            label = f"{', '.join(str(judge) for judge in who)} ({part.n_items} items)"
            yield replace(batch, label=label)


def _are_many_batches(patterns: Patterns) -> bool:
    """Say for certain that there are too many, from a number for each set of judges.

    Sets with different numbers differ; those with the same number hardly ever do.
    """
    numbers = np.random.default_rng(0).integers(1 << 40, size=patterns.n_columns).astype(float)
    sums = patterns.judges_by_row(numbers)[patterns.sizes > 1]
    return np.unique(sums).size > MOST_PAIRS


def _distinct_rows(
    rated: npt.NDArray[np.bool_],
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.intp]]:
    """The different rows of a table of yes and no in order, and which of them each row is."""
    packed = np.packbits(rated, axis=1)
    keys = np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return rated[first], which


def _pair_correlations(comparison: Comparison) -> list[tuple[tuple[Any, Any], float]]:
    """The correlation of each pair of judges."""
    if comparison.correlation is None:
        return []
    pairs = comparison.correlation.details.get("pairs", ())
    return [(pair["judges"], pair["value"]) for pair in pairs]


def _pair_orders(overall: Comparison, pairs: Sequence[Comparison]) -> list[PairOrder]:
    """The correlation of each pair of judges, with the intervals of those that were compared."""
    intervals = {
        frozenset(pair.judges): pair.correlation.interval
        for pair in pairs
        if pair.correlation is not None
    }
    known = [
        (judges, value, intervals.get(frozenset(judges)))
        for judges, value in _pair_correlations(overall)
    ]
    return [
        PairOrder(judges, value, interval if interval is not None and interval.decisive else None)
        for judges, value, interval in known
    ]


def _subsets(comparison: Comparison, patterns: Patterns) -> tuple[Subsets, ...]:
    """Average the pairs' correlations within every subset of judges, size by size."""
    pairs = _pair_correlations(comparison)
    if len(pairs) < 3 or any(value != value for _, value in pairs):
        return ()
    judges = patterns.judges
    place = {judge: number for number, judge in enumerate(judges)}
    known, values = np.zeros((2, len(judges), len(judges)))
    for (one, other), value in pairs:
        known[place[one], place[other]] = known[place[other], place[one]] = 0.5
        values[place[one], place[other]] = values[place[other], place[one]] = value / 2
    subsets: list[Subsets] = []
    for size in range(3, len(judges)):
        if 1 < math.comb(len(judges), size) <= MOST_SUBSETS:
            subsets += _subsets_of_size(size, judges, known, values)
    return tuple(subsets)


def _subsets_of_size(
    size: int, judges: tuple[Any, ...], known: Floats, values: Floats
) -> list[Subsets]:
    """Compare the subsets of so many judges; `known` and `values` hold half of each pair twice."""
    chosen = list(combinations(range(len(judges)), size))
    inside = np.zeros((len(chosen), len(judges)))
    inside[np.arange(len(chosen))[:, None], chosen] = 1.0
    pairs, sums = (np.sum((inside @ table) * inside, axis=1) for table in (known, values))
    with_pairs = np.flatnonzero(pairs)
    if not with_pairs.size:
        return []
    means = sums[with_pairs] / pairs[with_pairs]
    rounded = np.round(means, 12)  # the first of those that are alike but for rounding
    low, high = int(rounded.argmin()), int(rounded.argmax())
    return [
        Subsets(
            size=size,
            number=means.size,
            mean=float(means.mean()),
            low=float(means[low]),
            low_judges=tuple(judges[place] for place in chosen[with_pairs[low]]),
            high=float(means[high]),
            high_judges=tuple(judges[place] for place in chosen[with_pairs[high]]),
        )
    ]


def _average_criteria(criteria: Sequence[CriterionReliability]) -> tuple[Average, ...]:
    """Average each kind of coefficient over the criteria that share it."""
    by_name: dict[str, list[float]] = {}
    for criterion in criteria:
        for _, estimate, _ in criterion.overall.sides:
            if estimate.defined:
                key = f"{estimate.title} ({estimate.level})"
                by_name.setdefault(key, []).append(estimate.value)
    return tuple(Average.of(name, values) for name, values in by_name.items() if len(values) > 1)


def dominant_share(patterns: Patterns) -> float:
    """The share of the most frequent category; 0 where ratings are continuous."""
    if patterns.continuous or not patterns.n_ratings:
        return 0.0
    used = patterns.counts @ patterns.tally()
    return float(used.max() / used.sum())


def _distribution(case: _Case) -> dict[Any, tuple[int, ...]]:
    """How often each judge used each category."""
    patterns = case.patterns
    if patterns.continuous:
        return {}
    if patterns.crossed is not None:
        counted = category_uses(case.ratings, case.criterion, patterns).tolist()
        return dict(zip(patterns.judges, map(tuple, counted), strict=True))
    rows, places, codes = patterns.entries
    shape = len(patterns.judges), patterns.n_values
    flat = np.bincount(
        places * shape[1] + codes, patterns.counts[rows], minlength=shape[0] * shape[1]
    )
    names = [f"slot {judge}" if case.ratings.slots else judge for judge in patterns.judges]
    counted = flat.astype(np.int64).reshape(shape).tolist()
    return dict(zip(names, map(tuple, counted), strict=True))


def _notes(case: _Case) -> Iterator[str]:
    if case.headline not in (None, "krippendorff_alpha"):
        yield Note("reliability.headline-note", threshold=case.thresholds.agreement)
    if case.patterns.crossed is not None:
        yield Note("reliability.pairs-only")
    elif case.ratings.large and case.ratings.slots:
        yield Note("reliability.judges-unfollowed")
    if case.ratings.slots:
        return
    n_pairs, too_many = _pairs_met(case.patterns)
    if too_many:
        yield Note("reliability.pairs-not-compared", n=n_pairs)
    elif n_pairs > MOST_PAIRS:
        yield Note("reliability.pairs-without-intervals", n=n_pairs)


def _check_criteria(ratings: Ratings, criterion: Any) -> tuple[Any, ...]:
    names = [criterion] if isinstance(criterion, str) else list(criterion)
    if not names:
        raise InvalidArgument("reliability.no-criterion", argument="criterion", value=[])
    return tuple(ratings.one_criterion(name) for name in names)


def _no_progress(_: str) -> None:
    """Say nothing."""
