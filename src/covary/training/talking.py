"""Socialisation and externalisation: judges explain, propose, and agree or do not."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from covary.training.events import Agreed, MovedOn, Proposed, Said, SetAsideMark, SetAsideProposal
from covary.training.rating import compared, in_phase, taking_part
from covary.training.refusals import Refused, names, so_many
from covary.training.state import PHASES, Entry, Mark, Proposal, Round, State

__all__ = ["agreed", "moved_on", "proposed", "said", "set_aside_mark", "set_aside_proposal"]


def moved_on(state: State, event: MovedOn) -> State:
    """Go to the next phase of the round, and to no other."""
    current = in_phase(state, *PHASES)
    follows = dict(pairwise(PHASES)).get(current.phase)
    if event.to != follows:
        after = follows or "a new round, opened with RoundOpened, or the end"
        raise Refused(f"after {current.phase} comes {after}, and not {event.to}")
    if event.to == "socialisation":
        return compared(state)
    if event.to == "externalisation":
        _refuse_undiscussed(current)
        return _with(state, replace(current, phase="externalisation"))
    _refuse_undecided(state, current)
    return _with(state, replace(current, phase="combination"))


def said(state: State, event: Said) -> State:
    """Keep what a judge says about a marked item."""
    current = in_phase(state, "socialisation", "externalisation")
    taking_part(state, event.judge)
    _the_mark(current, event.item, event.criterion)
    if not event.text.strip():
        raise Refused(
            f"{event.judge} has said nothing about {event.item} ({event.criterion}); write how "
            "the rating came about"
        )
    entry = Entry(event.judge, event.item, event.criterion, event.text)
    return _with(state, replace(current, said=(*current.said, entry)))


def set_aside_mark(state: State, event: SetAsideMark) -> State:
    """Leave a marked item without discussion, for a reason that is kept."""
    current = in_phase(state, "socialisation")
    mark = _the_mark(current, event.item, event.criterion)
    if not event.reason.strip():
        raise Refused(f"say why {event.item} ({event.criterion}) is not discussed")
    marks = tuple(
        replace(each, set_aside=event.reason) if each is mark else each for each in current.marks
    )
    return _with(state, replace(current, marks=marks))


def proposed(state: State, event: Proposed) -> State:
    """Keep a proposal, with the discussions that led to it."""
    current = in_phase(state, "externalisation")
    taking_part(state, event.judge)
    if not event.text.strip():
        raise Refused("the proposal is empty; write the sentence that would have helped")
    if not event.marks:
        raise Refused("say which marked items led to the proposal; a change is traced to them")
    for item, criterion in event.marks:
        _the_mark(current, item, criterion)
        if not current.entries(item, criterion):
            raise Refused(f"nobody has said anything about {item} ({criterion}) yet")
    number = len(state.proposals) + 1
    made = Proposal(
        number, current.number, event.judge, event.text, tuple(event.marks), {event.judge: True}
    )
    return _with(state, replace(current, proposals=(*current.proposals, made)))


def agreed(state: State, event: Agreed) -> State:
    """Keep whether a judge agrees with a proposal of this round."""
    current = in_phase(state, "externalisation")
    taking_part(state, event.judge)
    found = _the_proposal(current, event.proposal)
    remarks = found.remarks
    if event.remark.strip():
        remarks = (*remarks, (event.judge, event.remark))
    changed = replace(found, words={**found.words, event.judge: bool(event.agrees)},
                      remarks=remarks)  # fmt: skip
    return _with(state, _with_proposal(current, changed))


def set_aside_proposal(state: State, event: SetAsideProposal) -> State:
    """Leave an accepted proposal out of the manual, for a reason that is kept."""
    current = in_phase(state, "externalisation", "combination")
    found = _the_proposal(current, event.proposal)
    if not event.reason.strip():
        raise Refused(f"say why proposal {event.proposal} is set aside")
    return _with(state, _with_proposal(current, replace(found, set_aside=event.reason)))


def _refuse_undiscussed(current: Round) -> None:
    left = current.undiscussed
    if left:
        told = names(f"{each.item} ({each.criterion})" for each in left)
        raise Refused(
            f"{so_many(len(left), 'marked item has', 'marked items have')} no discussion yet: "
            f"{told}; let the judges say how they came to their ratings, or set an item aside "
            "with a reason"
        )


def _refuse_undecided(state: State, current: Round) -> None:
    waiting = [
        f"proposal {each.number} ({names(state.undecided(each))})"
        for each in current.proposals
        if state.undecided(each) and not each.set_aside
    ]
    if waiting:
        raise Refused(f"judges have yet to say whether they agree: {names(waiting)}")


def _the_mark(current: Round, item: str, criterion: str) -> Mark:
    found = current.mark(item, criterion)
    if found is None:
        raise Refused(
            f"{item} ({criterion}) is not marked in round {current.number}; discussed are the "
            "items on which the judges differ significantly"
        )
    return found


def _the_proposal(current: Round, number: int) -> Proposal:
    for each in current.proposals:
        if each.number == number:
            return each
    have = names(each.number for each in current.proposals) or "none"
    raise Refused(f"round {current.number} has no proposal {number}; its proposals: {have}")


def _with_proposal(current: Round, changed: Proposal) -> Round:
    proposals = tuple(
        changed if each.number == changed.number else each for each in current.proposals
    )
    return replace(current, proposals=proposals)


def _with(state: State, current: Round) -> State:
    return replace(state, rounds=(*state.rounds[:-1], current))
