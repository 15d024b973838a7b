"""`covary.rounds`: did training and better guidelines change how judges rate?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw

from covary.analysis.judges import JudgeProfile, judge_profiles
from covary.analysis.rounds.asking import Asked, change, quietly
from covary.analysis.rounds.diagnosis import Known, diagnosed
from covary.analysis.rounds.found import (
    UPPER_BOUND,
    CriterionRounds,
    RoundFound,
    Rounds,
    RoundTime,
    Traced,
)
from covary.analysis.rounds.fresh import fresh_group, joint_gap
from covary.analysis.rounds.history import History
from covary.analysis.rounds.measure import measured
from covary.analysis.rounds.ranking import system_orders
from covary.analysis.rounds.shares import Gap, Share, gap_of
from covary.analysis.rounds.thresholds import given_threshold, threshold_of, threshold_words
from covary.errors import InvalidArgument, listed
from covary.ratings import Ratings
from covary.ratings.frames import fetch
from covary.scales import Level, Scale, as_level
from covary.stats.intervals import Wanted
from covary.stats.patterns import collapse

__all__ = ["rounds"]

Turns = Mapping[Any, Ratings]

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
    """Did the guidelines become better? Compare rounds of rating, the first with the last.

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
    >>> found = rounds(before, after, level="interval", rng=1)
    >>> [each.differing for each in found["relevance"].rounds]
    [212, 12]
    >>> print(" ".join(f"{each.alpha.value:.3f}" for each in found["relevance"].rounds))
    0.250 0.806
    """
    wanted = Wanted.of("auto", confidence, resamples, rng)
    measure = None if level is None else as_level(level)
    asked = Asked(measure, wanted.confidence, wanted.resamples, wanted.seed)
    turns = _turns(ratings, after, order)
    chosen = _criteria(turns, criterion)
    found = [
        _criterion(turns, name, given_threshold(threshold, name), asked, same_items, history, fresh)
        for name in chosen
    ]
    return Rounds(
        tuple(turns),
        tuple(found),
        UPPER_BOUND,
        wanted.confidence,
        wanted.seed,
        _times(turns, history),
        _traced(found, history, asked),
        history,
        _left_out(turns, chosen, criterion),
    )


def _turns(
    ratings: Ratings | Mapping[Any, Ratings], after: Ratings | None, order: Sequence[Any] | None
) -> Turns:
    if order is not None and (isinstance(ratings, Mapping) or after is not None):
        raise InvalidArgument("order belongs to ratings with a round column, and to no others")
    if isinstance(ratings, Mapping):
        if after is not None or not ratings:
            raise InvalidArgument("rounds by name need at least one, and no after beside them")
        return dict(ratings)
    if after is not None:
        return {"before": ratings, "after": after}
    if "round" not in ratings.columns:
        raise InvalidArgument(
            "rounds needs ratings with a column 'round', or the ratings before and after: "
            "rounds(before, after)"
        )
    known = ratings.values("round")
    labels = tuple(known if order is None else order)
    unknown = [label for label in labels if label not in known]
    if unknown or not labels or len(set(labels)) < len(labels):
        raise InvalidArgument(
            f"order={list(labels)!r} must name rounds once each; the ratings have {listed(known)}"
        )
    return {label: ratings.select(round=label) for label in labels}


def _criteria(turns: Turns, criterion: Any) -> list[Any]:
    if criterion is not None:
        return [each.one_criterion(criterion) for each in turns.values()][:1]
    first, *rest = turns.values()
    shared = [name for name in first.criteria if all(name in each.criteria for each in rest)]
    if not shared:
        raise InvalidArgument(
            f"the rounds have no criterion in common: the first has {listed(first.criteria)}"
        )
    return shared


def _left_out(turns: Turns, chosen: Sequence[Any], criterion: Any) -> tuple[str, ...]:
    every = {name for each in turns.values() for name in each.criteria}
    missing = sorted(str(name) for name in every - set(chosen))
    if criterion is not None or not missing:
        return ()
    return (f"Not in every round, and left out: {', '.join(missing)}.",)


def _criterion(
    turns: Turns,
    name: Any,
    given: float | None,
    asked: Asked,
    same_items: bool,
    history: History | None,
    fresh: Ratings | None,
) -> CriterionRounds:
    last_ratings = list(turns.values())[-1]
    first_ratings = next(iter(turns.values()))
    scale = last_ratings.scales[name]
    threshold = threshold_of(scale, given)
    found = tuple(measured(each, name, label, threshold, asked) for label, each in turns.items())
    first, last = found[0], found[-1]
    several = len(found) > 1
    gap = _alpha_gap(first_ratings, last_ratings, first, last, name, asked, same_items)
    group = None if fresh is None else fresh_group(last_ratings, fresh, name, asked)
    with quietly():
        profiles = judge_profiles(last_ratings, criterion=name, confidence=asked.confidence)
    known = Known(
        collapse(last_ratings, name), last.alpha, [each.within for each in found],
        gap if several else None, profiles, history, group, name,
    )  # fmt: skip
    return CriterionRounds(
        name,
        threshold,
        threshold_words(scale, threshold),
        found,
        gap if several else None,
        _share_gap(first.within, last.within, asked) if several else None,
        change(first.pairs, last.pairs, asked.confidence) if several else None,
        system_orders(first_ratings, last_ratings, name) if several else None,
        _drifts(profiles),
        diagnosed(known),
        group,
        tuple(_notes(found, scale, threshold)),
    )


def _alpha_gap(
    before: Ratings,
    after: Ratings,
    first: RoundFound,
    last: RoundFound,
    name: Any,
    asked: Asked,
    same_items: bool,
) -> Gap | None:
    if same_items and first is not last:
        return joint_gap(before, after, name, asked)
    return change(first.alpha, last.alpha, asked.confidence)


def _share_gap(before: Share, after: Share, asked: Asked) -> Gap:
    first, second = ((each.value, each.low, each.high) for each in (before, after))
    return gap_of(first, second, asked.confidence)


def _drifts(profiles: Sequence[JudgeProfile]) -> tuple[Any, ...]:
    return tuple((each.judge, each.drift) for each in profiles if each.drift is not None)


def _notes(found: Sequence[RoundFound], scale: Scale, threshold: float) -> list[str]:
    notes = []
    if scale.categories is not None and len(scale.categories) - 1 <= threshold:
        notes.append(
            f"With {len(scale.categories)} categories no two ratings can be more than "
            f"{threshold:g} apart; a threshold of 0 marks every difference."
        )
    notes += [
        f"In round {each.round}, {each.commonest:.0%} of the ratings are the same category: shares "
        "within the threshold are high whatever the judges could tell apart."
        for each in found
        if each.commonest >= ALWAYS_THE_SAME
    ]
    if len({each.scale.categories for each in found}) > 1:
        notes.append("The scale is not the same in all rounds.")
    return notes


def _times(turns: Turns, history: History | None) -> tuple[RoundTime, ...]:
    if history is not None and history.seconds:
        return tuple(RoundTime(n, who, spent) for (n, who), spent in history.seconds.items())
    return tuple(
        RoundTime(label, judge, spent)
        for label, each in turns.items()
        if "seconds" in each.columns and not each.slots
        for judge, spent in _spent(each)
    )


def _spent(ratings: Ratings) -> list[tuple[Any, float]]:
    """Return how long each judge took; an item with several ratings counts its longest once."""
    frame = ratings.frame.filter(~nw.col("seconds").is_null())
    keys = [name for name in ("judge", "item", "occasion") if name in ratings.columns]
    longest = frame.group_by(*keys).agg(nw.col("seconds").max())
    summed = fetch(longest.group_by("judge").agg(nw.col("seconds").sum()).sort("judge"))
    return list(
        zip(summed["judge"].tolist(), summed["seconds"].astype(float).tolist(), strict=True)
    )


def _traced(
    found: Sequence[CriterionRounds], history: History | None, asked: Asked
) -> tuple[Traced, ...]:
    """Put each link of the history beside alpha in its round and in the next."""
    if history is None:
        return ()
    by_name = {each.criterion: list(each.rounds) for each in found}
    traced = []
    for link in history.links:
        turns = by_name.get(link.criterion, [])
        places = [place for place, each in enumerate(turns) if each.round == link.round]
        if not places:
            continue
        here = turns[places[0]]
        later = turns[places[0] + 1] if places[0] + 1 < len(turns) else None
        gap = None if later is None else change(here.alpha, later.alpha, asked.confidence)
        traced.append(Traced(link, here.alpha, None if later is None else later.alpha, gap))
    return tuple(traced)
