"""Internalisation: every judge rates the training set alone; then the ratings are compared."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from covary.analysis.rounds.thresholds import differ, threshold_of
from covary.scales import Category
from covary.training.events import Finished, Rated
from covary.training.refusals import Refused, names
from covary.training.state import Mark, Round, State

__all__ = ["compared", "finished", "in_phase", "rated", "taking_part"]


def rated(state: State, event: Rated) -> State:
    """Keep what a judge gave an item."""
    current = _open_for(state, event.judge)
    if event.item not in current.items:
        raise Refused(f"{event.item} is not in the training set of round {current.number}")
    if not event.ratings:
        raise Refused(f"there is no rating of {event.item}; give one for each criterion, or None")
    for key, rating in event.ratings.items():
        _check_rating(state, event, key, rating)
    place = (event.judge, event.item)
    given = {**current.ratings.get(place, {}), **event.ratings}
    seconds = dict(current.seconds)
    if event.seconds is not None:
        if not 0 <= event.seconds < math.inf:
            raise Refused(f"seconds={event.seconds!r} is no time; give 0 or more, or None")
        seconds[place] = seconds.get(place, 0.0) + event.seconds
    return _with(state, replace(current, ratings={**current.ratings, place: given},
                                seconds=seconds))  # fmt: skip


def finished(state: State, event: Finished) -> State:
    """Fix a judge's ratings of this round."""
    current = _open_for(state, event.judge)
    missing = [
        f"{item} ({key})"
        for item in current.items
        for key in state.edition.keys
        if key not in current.ratings.get((event.judge, item), {})
    ]
    if missing:
        raise Refused(
            f"{event.judge} has not rated {len(missing)} of the items yet: {names(missing, 5)}; a "
            "rating of None says that a criterion does not apply"
        )
    return _with(state, replace(current, finished=(*current.finished, event.judge)))


def compared(state: State) -> State:
    """Compare the ratings, once every judge has finished, and mark what differs significantly."""
    current = state.round
    waiting = [judge for judge in state.judges if judge not in current.finished]
    if waiting:
        raise Refused(
            f"{names(waiting)} {'has' if len(waiting) == 1 else 'have'} not finished round "
            f"{current.number}; nobody sees the ratings "
            "of others before everybody has"
        )
    pairs: dict[str, tuple[str, ...]] = {}
    marks: list[Mark] = []
    for key in state.edition.keys:
        given = {item: _given(current, item, key) for item in current.items}
        given = {item: found for item, found in given.items() if len(found) > 1}
        pairs[key] = tuple(given)
        marks += _marks(state, key, given)
    return _with(state, replace(current, phase="socialisation", compared=pairs, marks=tuple(marks)))


def in_phase(state: State, *allowed: str) -> Round:
    """Return the current round where the cycle is in one of these phases, and refuse elsewhere."""
    if state.phase not in allowed:
        raise Refused(f"this belongs to {' or '.join(allowed)}, and the cycle is in {state.phase}")
    return state.round


def taking_part(state: State, judge: str) -> None:
    """Refuse somebody who is no judge of this cycle."""
    if judge not in state.judges:
        raise Refused(f"{judge!r} does not take part; the judges are {names(state.judges)}")


def _open_for(state: State, judge: str) -> Round:
    current = in_phase(state, "internalisation")
    taking_part(state, judge)
    if judge in current.finished:
        raise Refused(
            f"{judge} has finished round {current.number}; ratings stay as they are from then on, "
            "and a second thought belongs to the discussion"
        )
    return current


def _check_rating(state: State, event: Rated, key: str, rating: Category | None) -> None:
    if key not in state.edition.keys:
        raise Refused(f"the manual has no criterion {key!r}; it has {names(state.edition.keys)}")
    scale = state.edition.criterion(key).scale
    if rating is not None and not scale.accepts(rating):
        raise Refused(
            f"{event.judge}, {event.item}, {key}: {rating!r} is not on the scale "
            f"({scale.describe()})"
        )


def _given(current: Round, item: str, key: str) -> tuple[tuple[str, Category], ...]:
    """Who gave an item which rating; only judges who have finished count."""
    every = ((judge, current.ratings[judge, item].get(key)) for judge in current.finished)
    return tuple((judge, rating) for judge, rating in every if rating is not None)


def _marks(
    state: State, key: str, given: Mapping[str, tuple[tuple[str, Category], ...]]
) -> list[Mark]:
    scale = state.edition.criterion(key).scale
    threshold = threshold_of(scale, state.thresholds.get(key))
    return [
        Mark(item, key, found)
        for item, found in given.items()
        if differ(scale, (rating for _, rating in found), threshold)
    ]


def _with(state: State, current: Round) -> State:
    return replace(state, rounds=(*state.rounds[:-1], current))
