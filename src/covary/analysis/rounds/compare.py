"""`covary.rounds`: did training and better guidelines change how judges rate?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.analysis.judges import judge_profiles
from covary.analysis.rounds.diagnosis import DiagnosisFacts, diagnose
from covary.analysis.rounds.differences import (
    Gap,
    ItemShare,
    RoundsOptions,
    criterion_threshold,
    estimate_gap,
    share_gap,
    threshold_of,
    threshold_words,
)
from covary.analysis.rounds.fresh_group import compare_groups, joint_gap
from covary.analysis.rounds.result import (
    UPPER_BOUND,
    CriterionRounds,
    History,
    RatedAgain,
    RoundResult,
    Rounds,
    RoundTime,
    Trace,
    system_orders,
)
from covary.errors import InvalidArgument, quiet
from covary.ratings import Ratings
from covary.ratings import expressions as nw
from covary.ratings.frames import fetch
from covary.scales import Level, Scale, as_level
from covary.stats.coefficients.krippendorff import krippendorff_alpha
from covary.stats.coefficients.percent import percent_agreement
from covary.stats.intervals import IntervalSpec
from covary.stats.patterns import Patterns, collapse
from covary.words import Note

Floats = npt.NDArray[np.float64]

TINY = 1e-9
"""Two places on a line no further apart than the threshold and this are within it."""

RoundRatings = Mapping[Any, Ratings]

ALWAYS_THE_SAME = 0.9
"""Where one category has this share of the ratings, agreement says little."""


def rounds(
    ratings: Ratings | Mapping[Any, Ratings],
    after: Ratings | None = None,
    *,
    criterion: Any = None,
    level: Level | str | None = None,
    threshold: float | Mapping[Any, float] | None = None,
    order: Sequence[Any] | None = None,
    same_items: bool = False,
    history: History | None = None,
    fresh: Ratings | None = None,
    confidence: float = 0.95,
    resamples: int = 1000,
    rng: Any = None,
) -> Rounds:
    """Did the guidelines improve? Compare rounds of rating, the first with the last.

    Parameters
    ----------
    ratings
        Ratings with a column `round`; those before training, with `after`; or the ratings of each
        round by its name, in their order.
    after
        The ratings after training, where `ratings` are those before.
    criterion
        One criterion; all that every round has by default.
    level
        Of alpha: `"nominal"`, `"ordinal"`, `"interval"`, `"ratio"`; that of the scale by default.
    threshold
        How far apart two ratings of an item may be: ranks, or points on a line; one for all
        criteria or one for each. By default one rank, a fifth of a line, or no difference at all
        for yes-or-no answers.
    order
        The rounds in their order; sorted by default.
    same_items
        True when the first and the last round rated the same items under the same names. The
        difference in alpha is then found by drawing items for both together. A frequency table has
        no names of items, whatever its column says.
    history
        What a training cycle recorded (`Cycle.history()`), for the way from a disagreement to a
        sentence of the manual, and for the times.
    fresh
        Ratings by a new group that had only the written manual, of the items of the last round
        under the same names.
    confidence, resamples, rng
        Of the intervals.

    Returns
    -------
    Rounds
        For each criterion the differences, shares, alphas and distributions of each round, their
        changes with intervals, the order of the systems, drift, and a diagnosis.

    Notes
    -----
    An item differs significantly when two of its ratings are further apart than the threshold
    (Godwin & Piwek 2016: more than one rank). Shares of items have Wilson's interval. Changes
    between rounds that rated different items are recovered from both intervals (Zou & Donner
    2008), which for shares is Newcombe's (1998) method.

    Examples
    --------
    Godwin & Piwek (2016): before and after judges had worked on the guidelines.

    >>> from covary import datasets
    >>> from covary.analysis.rounds import rounds
    >>> before, after = datasets.load("qgstec-original"), datasets.load("qgstec-reevaluated")
    >>> relevance = rounds(before, after, level="interval", rng=1)["relevance"]
    >>> [result.differing for result in relevance.rounds]
    [212, 12]
    >>> print(" ".join(f"{result.alpha.value:.3f}" for result in relevance.rounds))
    0.250 0.806
    """
    spec = IntervalSpec.of("auto", confidence, resamples, rng)
    measure = None if level is None else as_level(level)
    options = RoundsOptions(measure, spec.confidence, spec.resamples, spec.seed)
    every = _rounds_by_label(ratings, after, order)
    twice = {} if history is None else _rated_again(every, history)
    by_label = {label: rated for label, rated in every.items() if label not in twice}
    chosen = _shared_criteria(by_label, criterion)
    criteria = []
    for name in chosen:
        comparison = _Comparison(
            rounds=by_label,
            again=[(every[first], every[label], first) for label, first in twice.items()],
            criterion=name,
            threshold=criterion_threshold(threshold, name),
            options=options,
            same_items=same_items,
            history=history,
            fresh=fresh,
        )
        criteria.append(comparison.result())
    return Rounds(
        labels=tuple(by_label),
        criteria=tuple(criteria),
        statement=UPPER_BOUND,
        confidence=spec.confidence,
        seed=spec.seed,
        times=_times(by_label, history),
        traced=_trace_links(criteria, history, options),
        history=history,
        notes=_left_out(by_label, chosen, criterion),
    )


def _rounds_by_label(
    ratings: Ratings | Mapping[Any, Ratings], after: Ratings | None, order: Sequence[Any] | None
) -> RoundRatings:
    if order is not None and (isinstance(ratings, Mapping) or after is not None):
        raise InvalidArgument("rounds.order-not-needed", argument="order", value=order)
    if isinstance(ratings, Mapping):
        if after is not None or not ratings:
            raise InvalidArgument("rounds.names-and-after", argument="after")
        return dict(ratings)
    if after is not None:
        return {"before": ratings, "after": after}
    if "round" not in ratings.columns:
        raise InvalidArgument("rounds.no-rounds", argument="ratings")
    known = ratings.values("round")
    labels = list(known if order is None else order)
    unknown = [label for label in labels if label not in known]
    if unknown or not labels or len(set(labels)) < len(labels):
        raise InvalidArgument("rounds.order", argument="order", value=labels, allowed=known)
    return {label: ratings.select(round=label) for label in labels}


def _rated_again(rounds: RoundRatings, history: History) -> dict[Any, Any]:
    """Return the rounds that rated an earlier one's items again, each with that one.

    They stand apart: judges agree better on items that they have discussed than on new ones.
    """
    return {
        label: first
        for label, first in history.again.items()
        if label in rounds and first in rounds
    }


def _shared_criteria(rounds: RoundRatings, criterion: Any) -> list[Any]:
    if criterion is not None:
        return [ratings.one_criterion(criterion) for ratings in rounds.values()][:1]
    first, *rest = rounds.values()
    shared = [name for name in first.criteria if all(name in other.criteria for other in rest)]
    if not shared:
        raise InvalidArgument("rounds.no-common-criterion", criteria=first.criteria)
    return shared


def _left_out(rounds: RoundRatings, chosen: Sequence[Any], criterion: Any) -> tuple[str, ...]:
    every = {name for ratings in rounds.values() for name in ratings.criteria}
    missing = sorted(str(name) for name in every - set(chosen))
    if criterion is not None or not missing:
        return ()
    return (Note("rounds.left-out", names=", ".join(missing)),)


@dataclass(frozen=True, kw_only=True)
class _Comparison:
    """The rounds on one criterion, and what is asked of them."""

    rounds: RoundRatings
    again: Sequence[tuple[Ratings, Ratings, Any]]
    criterion: Any
    threshold: float | None
    options: RoundsOptions
    same_items: bool
    history: History | None
    fresh: Ratings | None

    def result(self) -> CriterionRounds:
        """Measure each round and compare the first with the last."""
        name, options = self.criterion, self.options
        sides = list(self.rounds.values())
        before, after = sides[0], sides[-1]
        scale = after.scales[name]
        threshold = threshold_of(scale, self.threshold)
        results = tuple(
            measure_round(ratings, label, criterion=name, threshold=threshold, options=options)
            for label, ratings in self.rounds.items()
        )
        first, last = results[0], results[-1]
        group = None if self.fresh is None else compare_groups(after, self.fresh, name, options)
        with quiet():
            profiles = judge_profiles(after, criterion=name, confidence=options.confidence)
        alpha_gap = within_gap = pairs_gap = systems = None
        if len(results) > 1:
            alpha_gap = self._alpha_gap(first, last)
            within_gap = share_gap(first.within, last.within)
            pairs_gap = estimate_gap(first.pairs, last.pairs, options.confidence)
            systems = system_orders(before, after, name)
        facts = DiagnosisFacts(
            patterns=collapse(after, name),
            alpha=last.alpha,
            within=[result.within for result in results],
            gap=alpha_gap,
            profiles=profiles,
            changes=0 if self.history is None else self.history.changes,
            telling_changes=0 if self.history is None else self.history.telling_changes,
            refused=0 if self.history is None else sum(self.history.refused.values()),
            fresh=group,
        )
        return CriterionRounds(
            criterion=name,
            threshold=threshold,
            differs=threshold_words(scale, threshold),
            rounds=results,
            alpha_gap=alpha_gap,
            within_gap=within_gap,
            pairs_gap=pairs_gap,
            systems=systems,
            drifts=tuple(
                (profile.judge, profile.drift) for profile in profiles if profile.drift is not None
            ),
            diagnosis=diagnose(facts),
            fresh=group,
            again=tuple(self._rated_again(threshold)),
            notes=tuple(_notes(results, scale, threshold)),
        )

    def _rated_again(self, threshold: float) -> Iterator[RatedAgain]:
        """Compare what the same judges gave the same items before and after they discussed them."""
        name, options = self.criterion, self.options
        for before, after, label in self.again:
            if name in before.criteria and name in after.criteria:
                sides = (
                    measure_round(side, label, criterion=name, threshold=threshold, options=options)
                    for side in (before, after)
                )
                gap = joint_gap(before, after, name, options)
                yield RatedAgain(before=next(sides), after=next(sides), gap=gap)

    def _alpha_gap(self, first: RoundResult, last: RoundResult) -> Gap | None:
        if self.same_items:
            before, *_, after = self.rounds.values()
            return joint_gap(before, after, self.criterion, self.options)
        return estimate_gap(first.alpha, last.alpha, self.options.confidence)


def _notes(results: Sequence[RoundResult], scale: Scale, threshold: float) -> Iterator[Note]:
    if scale.categories is not None and len(scale.categories) - 1 <= threshold:
        n = len(scale.categories)
        yield Note("rounds.threshold-too-large", n=n, threshold=threshold)
    for result in results:
        if result.commonest >= ALWAYS_THE_SAME:
            yield Note("rounds.one-category", round=result.round, share=result.commonest)
    perfect = [result for result in results if result.alpha.value == 1]
    if perfect:
        fewest = min(result.n_items for result in perfect)
        yield Note("rounds.never-differ", rounds=[one.round for one in perfect], n=fewest)
    if len({result.scale.categories for result in results}) > 1:
        yield Note("rounds.other-scale")


def _times(rounds: RoundRatings, history: History | None) -> tuple[RoundTime, ...]:
    if history is not None and history.seconds:
        return tuple(RoundTime(n, who, spent) for (n, who), spent in history.seconds.items())
    return tuple(
        RoundTime(label, judge, spent)
        for label, ratings in rounds.items()
        if "seconds" in ratings.columns and not ratings.slots
        for judge, spent in _judge_seconds(ratings)
    )


def _judge_seconds(ratings: Ratings) -> list[tuple[Any, float]]:
    """Return how long each judge took; an item with several ratings counts its longest once."""
    frame = ratings.frame.filter(~nw.col("seconds").is_null())
    keys = [name for name in ("judge", "item", "occasion") if name in ratings.columns]
    longest = frame.group_by(*keys).agg(nw.col("seconds").max())
    summed = fetch(longest.group_by("judge").agg(nw.col("seconds").sum()).sort("judge"))
    return list(
        zip(summed["judge"].tolist(), summed["seconds"].astype(float).tolist(), strict=True)
    )


def _trace_links(
    criteria: Sequence[CriterionRounds], history: History | None, options: RoundsOptions
) -> tuple[Trace, ...]:
    """Put each link of the history beside alpha in its round and in the next."""
    links = () if history is None else history.links
    alphas = {
        (criterion.criterion, result.round): (result.alpha, None if later is None else later.alpha)
        for criterion in criteria
        for result, later in zip_longest(criterion.rounds, criterion.rounds[1:])
    }
    traces = []
    for link in links:
        before, after = alphas.get((link.criterion, link.round), (None, None))
        if before is not None:
            gap = None if after is None else estimate_gap(before, after, options.confidence)
            traces.append(Trace(link=link, before=before, after=after, gap=gap))
    return tuple(traces)


def measure_round(
    ratings: Ratings, label: Any, *, criterion: Any, threshold: float, options: RoundsOptions
) -> RoundResult:
    """Compare the judges of one round."""
    patterns = collapse(ratings, criterion)
    several = patterns.sizes > 1
    n_items = int(patterns.counts[several].sum())
    differing = int(patterns.counts[several][spreads(patterns)[several] > threshold + TINY].sum())
    keywords = options.keywords(criterion)
    with quiet():
        alpha = krippendorff_alpha(ratings, level=options.level, **keywords)
        pairs = percent_agreement(ratings, tolerance=threshold, **keywords)
    return RoundResult(
        round=label,
        scale=ratings.scales[criterion],
        n_items=n_items,
        n_ratings=patterns.n_ratings,
        differing=differing,
        within=ItemShare.of(n_items - differing, n_items, options.confidence),
        pairs=pairs,
        alpha=alpha,
        counts=_category_counts(patterns),
        by_judge=() if ratings.slots else _judge_counts(patterns),
    )


def spreads(patterns: Patterns) -> Floats:
    """How far apart the ratings of each row are: in ranks, or in points on a line."""
    if not patterns.codes.size:
        return np.zeros(len(patterns.codes))
    numbers = patterns.numbers(Level.ORDINAL)
    low = np.where(patterns.rated, numbers, np.inf).min(axis=1)
    high = np.where(patterns.rated, numbers, -np.inf).max(axis=1)
    apart = np.where(high >= low, high - low, 0.0)
    return (apart > 0).astype(float) if patterns.scale.level is Level.NOMINAL else apart


def _category_counts(patterns: Patterns) -> tuple[int, ...] | None:
    if patterns.continuous:
        return None
    return tuple(int(n) for n in patterns.counts @ patterns.tally())


def _judge_counts(patterns: Patterns) -> tuple[tuple[Any, tuple[int, ...]], ...]:
    if patterns.continuous:
        return ()
    alone = np.eye(len(patterns.judges))
    return tuple(
        (judge, tuple(int(n) for n in patterns.counts @ patterns.tally(row)))
        for judge, row in zip(patterns.judges, alone, strict=True)
    )
