"""Combination: accepted proposals become a new edition of the manual, each with its cause."""

from __future__ import annotations

from dataclasses import replace

from covary.study.versions import ManualDifferences, compare_manuals
from covary.training.events import KINDS_OF_CHANGE, Change, Changed
from covary.training.rating import in_phase
from covary.training.refusals import Refused, StaleEdit, names
from covary.training.state import Edit, State

__all__ = ["changed"]

NEED_A_CAUSE = ("conceptual", "rule")
"""Changes that tell judges how to judge, which only accepted proposals may."""


def changed(state: State, event: Changed) -> State:
    """Take a new edition of the manual, and keep why it differs from the last."""
    current = in_phase(state, "combination")
    _refuse_stale(state, event)
    differences = compare_manuals(state.edition, event.edition)
    if not differences:
        raise Refused("the edit changes nothing in the manual")
    _refuse_lost_criteria(state, event)
    if not event.changes:
        told = names(differences.sentences(), 3)
        raise Refused(f"say of what kind the changes are, and what led to them: {told}")
    for each in event.changes:
        _check_change(state, event, each, differences)
    made = Edit(event.by, event.edition, tuple(event.changes), differences)
    turned = replace(current, edits=(*current.edits, made))
    return replace(
        state,
        editions=(*state.editions, event.edition),
        rounds=(*state.rounds[:-1], turned),
    )


def _refuse_stale(state: State, event: Changed) -> None:
    current = state.edition
    if event.based_on == current.version:
        return
    known = next((each for each in state.editions if each.version == event.based_on), None)
    if known is None:
        raise StaleEdit(
            f"the edit by {event.by} begins from version {event.based_on}, which this cycle does "
            f"not have; the current version is {current.version}",
            event.edition,
            current,
            compare_manuals(event.edition, current),
        )
    since = compare_manuals(known, current)
    raise StaleEdit(
        f"the edit by {event.by} begins from version {event.based_on}, and the manual is at "
        f"{current.version} meanwhile: {names(since.sentences(), 3)} The edit is kept with this "
        "refusal; put both together and send it again",
        event.edition,
        current,
        since,
    )


def _refuse_lost_criteria(state: State, event: Changed) -> None:
    used = {
        key
        for each in state.rounds
        for given in each.ratings.values()
        for key, rating in given.items()
        if rating is not None
    }
    lost = [key for key in state.edition.keys if key in used and key not in event.edition.keys]
    if lost:
        raise Refused(
            f"{names(lost)} has ratings and cannot be deleted or renamed; leave it in the scheme, "
            "and leave it out of the next study"
        )
    if not event.edition.criteria:
        raise Refused("the edited manual has no criteria")
    if len(set(event.edition.keys)) < len(event.edition.keys):
        raise Refused(f"criteria must differ in name: {names(event.edition.keys)}")


def _check_change(
    state: State, event: Changed, change: Change, differences: ManualDifferences
) -> None:
    if change.kind not in KINDS_OF_CHANGE:
        raise Refused(f"{change.kind!r} is no kind of change; choose {names(KINDS_OF_CHANGE)}")
    if not change.summary.strip():
        raise Refused(f"say in a few words what the {change.kind} change is")
    if change.kind in NEED_A_CAUSE and not change.proposals:
        raise Refused(
            f"the {change.kind} change {change.summary!r} names no proposal; what decides ratings "
            "must come from what the judges have agreed on"
        )
    _check_proposals(state, change)
    _check_sentence(event, change, differences)


def _check_proposals(state: State, change: Change) -> None:
    by_number = {each.number: each for each in state.proposals}
    for number in change.proposals:
        if number not in by_number:
            raise Refused(f"there is no proposal {number} behind the change {change.summary!r}")
        if not state.accepted(by_number[number]):
            against = by_number[number].opposed
            waiting = state.undecided(by_number[number])
            raise Refused(
                f"proposal {number} has no consensus ({names([*against, *waiting])}) and cannot "
                "change the manual"
            )


def _check_sentence(event: Changed, change: Change, differences: ManualDifferences) -> None:
    """A sentence that is said to be in the guidelines must be there, and be new."""
    if not change.sentence.strip():
        if change.kind in NEED_A_CAUSE and not differences.scheme:
            raise Refused(
                f"the {change.kind} change {change.summary!r} names no sentence of the guidelines; "
                "it is what a disagreement is traced to"
            )
        return
    sentence = " ".join(change.sentence.split())
    if sentence not in " ".join(event.edition.guidelines.split()):
        raise Refused(f"the edited guidelines do not hold the sentence {sentence!r}")
