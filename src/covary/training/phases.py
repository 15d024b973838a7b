"""The four phases of a round: judges rate alone, explain, propose, and write the manual."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

from covary.analysis.rounds.differences import differ, threshold_of
from covary.scales import Category
from covary.study.manual import ManualDifferences, compare_manuals
from covary.training.events import (
    KINDS_OF_CHANGE,
    Agreed,
    Change,
    Changed,
    Finished,
    MovedOn,
    Proposed,
    Rated,
    Said,
    SetAsideMark,
    SetAsideProposal,
)
from covary.training.state import (
    PHASES,
    Disagreement,
    Edit,
    Explanation,
    Proposal,
    Refused,
    Round,
    StaleEdit,
    State,
)

NEED_A_CAUSE = ("conceptual", "rule")
"""Changes that tell judges how to judge, which only accepted proposals may."""


def move_on(state: State, event: MovedOn) -> State:
    """Go to the next phase of the round, and to no other."""
    current = require_phase(state, *PHASES)
    following = dict(pairwise(PHASES)).get(current.phase)
    if event.to != following:
        raise Refused("training.other-phase", phase=current.phase, following=following, to=event.to)
    if event.to == "socialisation":
        return compare_ratings(state)
    if event.to == "externalisation":
        _refuse_undiscussed(current)
    else:
        _refuse_undecided(state, current)
    return state.with_round(replace(current, phase=event.to))


# internalisation: every judge rates the training set alone


def rate_item(state: State, event: Rated) -> State:
    """Keep what a judge gave an item."""
    current = _open_for(state, event.judge)
    if event.item not in current.items:
        raise Refused("training.item-elsewhere", item=event.item, round=current.number)
    if not event.ratings:
        raise Refused("training.no-rating", item=event.item)
    for key, rating in event.ratings.items():
        _check_rating(state, event, key, rating)
    place = (event.judge, event.item)
    answers = {**current.ratings.get(place, {}), **event.ratings}
    seconds = dict(current.seconds)
    if event.seconds is not None:
        if not 0 <= event.seconds < math.inf:
            raise Refused("training.no-time", argument="seconds", value=event.seconds)
        seconds[place] = seconds.get(place, 0.0) + event.seconds
    ratings = {**current.ratings, place: answers}
    return state.with_round(replace(current, ratings=ratings, seconds=seconds))


def finish_rating(state: State, event: Finished) -> State:
    """Fix a judge's ratings of this round."""
    current = _open_for(state, event.judge)
    missing = [
        (item, key)
        for item in current.items
        for key in current.asked(item, state.edition)
        if key not in current.ratings.get((event.judge, item), {})
    ]
    if missing:
        raise Refused("training.unrated", judge=event.judge, places=missing)
    return state.with_round(replace(current, finished=(*current.finished, event.judge)))


def compare_ratings(state: State) -> State:
    """Compare the ratings, once every judge has finished, and mark what differs significantly."""
    current = state.round
    waiting = [judge for judge in state.judges if judge not in current.finished]
    if waiting:
        raise Refused("training.unfinished", judges=waiting, round=current.number)
    compared: dict[str, tuple[str, ...]] = {}
    marks: list[Disagreement] = []
    for key in state.edition.keys:
        ratings = {item: _ratings_of(current, item, key) for item in current.items}
        several = {item: pairs for item, pairs in ratings.items() if len(pairs) > 1}
        compared[key] = tuple(several)
        marks += _disagreements(state, key, several)
    return state.with_round(
        replace(current, phase="socialisation", compared=compared, marks=tuple(marks))
    )


def require_phase(state: State, *allowed: str) -> Round:
    """Return the current round where the cycle is in one of these phases, and refuse elsewhere."""
    if state.phase not in allowed:
        raise Refused("training.wrong-phase", phase=state.phase, phases=allowed)
    return state.round


def require_judge(state: State, judge: str) -> None:
    """Refuse somebody who is not a judge of this cycle."""
    if judge not in state.judges:
        raise Refused("training.no-judge", judge=judge, judges=state.judges)


def _open_for(state: State, judge: str) -> Round:
    current = require_phase(state, "internalisation")
    require_judge(state, judge)
    if judge in current.finished:
        raise Refused("training.finished", judge=judge, round=current.number)
    return current


def _check_rating(state: State, event: Rated, key: str, rating: Category | None) -> None:
    if key not in state.edition.keys:
        raise Refused("training.no-criterion", criterion=key, criteria=state.edition.keys)
    scale = state.edition.criterion(key).scale
    if rating is not None and not scale.accepts(rating):
        raise Refused(
            "training.off-scale",
            judge=event.judge,
            item=event.item,
            criterion=key,
            value=rating,
            scale=scale.describe(),
        )


def _ratings_of(current: Round, item: str, key: str) -> tuple[tuple[str, Category], ...]:
    """Who gave an item which rating; only judges who have finished count."""
    every = ((judge, current.ratings[judge, item].get(key)) for judge in current.finished)
    return tuple((judge, rating) for judge, rating in every if rating is not None)


def _disagreements(
    state: State, key: str, ratings: Mapping[str, tuple[tuple[str, Category], ...]]
) -> list[Disagreement]:
    scale = state.edition.criterion(key).scale
    threshold = threshold_of(scale, state.thresholds.get(key))
    return [
        Disagreement(item=item, criterion=key, given=pairs)
        for item, pairs in ratings.items()
        if differ(scale, (rating for _, rating in pairs), threshold)
    ]


# socialisation: judges explain what differs


def explain(state: State, event: Said) -> State:
    """Keep what a judge says about a marked item."""
    current = require_phase(state, "socialisation", "externalisation")
    require_judge(state, event.judge)
    if event.criterion:
        _require_mark(current, event.item, event.criterion)
    elif event.item not in current.items:
        raise Refused("training.item-elsewhere", item=event.item, round=current.number)
    if not event.text.strip():
        place = {"item": event.item, "criterion": event.criterion}
        raise Refused("training.nothing-said", judge=event.judge, **place)
    explanation = Explanation(
        judge=event.judge, item=event.item, criterion=event.criterion, text=event.text
    )
    return state.with_round(replace(current, said=(*current.said, explanation)))


def set_aside_mark(state: State, event: SetAsideMark) -> State:
    """Leave a marked item without discussion, for a reason that is kept."""
    current = require_phase(state, "socialisation")
    aside = _require_mark(current, event.item, event.criterion)
    if not event.reason.strip():
        raise Refused("training.mark-reason", item=event.item, criterion=event.criterion)
    marks = tuple(
        replace(mark, set_aside=event.reason) if mark is aside else mark for mark in current.marks
    )
    return state.with_round(replace(current, marks=marks))


def _refuse_undiscussed(current: Round) -> None:
    left = [mark.key for mark in current.undiscussed]
    if left:
        raise Refused("training.undiscussed", places=left)


def _require_mark(current: Round, item: str, criterion: str) -> Disagreement:
    mark = current.mark(item, criterion)
    if mark is None:
        place = {"item": item, "criterion": criterion}
        raise Refused("training.not-marked", **place, round=current.number)
    return mark


# externalisation: judges propose how to generalise, and agree or do not


def propose(state: State, event: Proposed) -> State:
    """Keep a proposal, with the discussions that led to it."""
    current = require_phase(state, "externalisation")
    require_judge(state, event.judge)
    if not event.text.strip():
        raise Refused("training.empty-proposal")
    if not event.marks:
        raise Refused("training.no-marks")
    for item, criterion in event.marks:
        _require_mark(current, item, criterion)
        if not current.entries(item, criterion):
            raise Refused("training.no-discussion", item=item, criterion=criterion)
    proposal = Proposal(
        number=len(state.proposals) + 1,
        round=current.number,
        judge=event.judge,
        text=event.text,
        marks=tuple(event.marks),
        words={event.judge: True},
    )
    return state.with_round(replace(current, proposals=(*current.proposals, proposal)))


def vote(state: State, event: Agreed) -> State:
    """Keep whether a judge agrees with a proposal of this round."""
    current = require_phase(state, "externalisation")
    require_judge(state, event.judge)
    proposal = _require_proposal(current, event.proposal)
    remarks = proposal.remarks
    if event.remark.strip():
        remarks = (*remarks, (event.judge, event.remark))
    words = {**proposal.words, event.judge: bool(event.agrees)}
    return _with_proposal(state, replace(proposal, words=words, remarks=remarks))


def set_aside_proposal(state: State, event: SetAsideProposal) -> State:
    """Leave an accepted proposal out of the manual, for a reason that is kept."""
    current = require_phase(state, "externalisation", "combination")
    proposal = _require_proposal(current, event.proposal)
    if not event.reason.strip():
        raise Refused("training.proposal-reason", proposal=event.proposal)
    return _with_proposal(state, replace(proposal, set_aside=event.reason))


def _refuse_undecided(state: State, current: Round) -> None:
    waiting = {
        proposal.number: state.undecided(proposal)
        for proposal in current.proposals
        if state.undecided(proposal) and not proposal.set_aside
    }
    if waiting:
        raise Refused("training.undecided", waiting=waiting)


def _require_proposal(current: Round, number: int) -> Proposal:
    for proposal in current.proposals:
        if proposal.number == number:
            return proposal
    numbers = [proposal.number for proposal in current.proposals]
    raise Refused("training.no-proposal", round=current.number, proposal=number, proposals=numbers)


def _with_proposal(state: State, changed: Proposal) -> State:
    proposals = tuple(
        changed if proposal.number == changed.number else proposal
        for proposal in state.round.proposals
    )
    return state.with_round(replace(state.round, proposals=proposals))


# combination: accepted proposals become a new edition of the manual, each with its cause


def change_manual(state: State, event: Changed) -> State:
    """Take a new edition of the manual, and keep why it differs from the last."""
    current = require_phase(state, "combination")
    _refuse_stale(state, event)
    differences = compare_manuals(state.edition, event.edition)
    if not differences:
        raise Refused("training.no-change")
    _check_criteria(state, event)
    if not event.changes:
        raise Refused("training.no-kinds", differences=differences.sentences())
    for change in event.changes:
        _check_change(state, event, change, differences)
    edit = Edit(
        by=event.by, edition=event.edition, changes=tuple(event.changes), differences=differences
    )
    edited = state.with_round(replace(current, edits=(*current.edits, edit)))
    return replace(edited, editions=(*state.editions, event.edition))


def _refuse_stale(state: State, event: Changed) -> None:
    current = state.edition
    if event.based_on == current.version:
        return
    base = next((known for known in state.editions if known.version == event.based_on), None)
    raise StaleEdit(
        "training.unknown-version" if base is None else "training.stale-edit",
        proposed=event.edition,
        current=current,
        differences=compare_manuals(event.edition if base is None else base, current),
        judge=event.by,
        based_on=event.based_on,
    )


def _check_criteria(state: State, event: Changed) -> None:
    """Refuse a scheme without criteria, or without one that judges have rated by."""
    used = {
        key
        for earlier in state.rounds
        for ratings in earlier.ratings.values()
        for key, rating in ratings.items()
        if rating is not None
    }
    lost = [key for key in state.edition.keys if key in used and key not in event.edition.keys]
    if lost:
        raise Refused("training.lost-criterion", criteria=lost)
    if not event.edition.criteria:
        raise Refused("training.no-criteria-left")
    if len(set(event.edition.keys)) < len(event.edition.keys):
        raise Refused("training.same-names", criteria=event.edition.keys)


def _check_change(
    state: State, event: Changed, change: Change, differences: ManualDifferences
) -> None:
    if change.kind not in KINDS_OF_CHANGE:
        raise Refused("training.unknown-kind", value=change.kind, allowed=KINDS_OF_CHANGE)
    if not change.summary.strip():
        raise Refused("training.no-summary", kind=change.kind)
    if change.kind in NEED_A_CAUSE and not change.proposals:
        raise Refused("training.no-cause", kind=change.kind, summary=change.summary)
    for number in change.proposals:
        _check_accepted(state, change, number)
    _check_sentence(event, change, differences)


def _check_accepted(state: State, change: Change, number: int) -> None:
    proposal = next((known for known in state.proposals if known.number == number), None)
    if proposal is None:
        raise Refused("training.unknown-proposal", proposal=number, summary=change.summary)
    if not state.accepted(proposal):
        judges = (*proposal.opposed, *state.undecided(proposal))
        raise Refused("training.no-consensus", proposal=number, judges=judges)


def _check_sentence(event: Changed, change: Change, differences: ManualDifferences) -> None:
    """A sentence that is said to be in the guidelines must be there."""
    sentence = " ".join(change.sentence.split())
    if not sentence and change.kind in NEED_A_CAUSE and not differences.scheme:
        raise Refused("training.no-sentence", kind=change.kind, summary=change.summary)
    if sentence not in " ".join(event.edition.guidelines.split()):
        raise Refused("training.sentence-missing", sentence=sentence)
