"""The events with which the cycle of a study begins and its rounds open."""

from __future__ import annotations

from collections.abc import Iterable

from covary.study.model import APART, Study
from covary.study.versions import edition_of
from covary.training.cycle import Cycle
from covary.training.events import Began, RoundOpened
from covary.training.opening import check_training_set
from covary.training.refusals import Refused, names
from covary.training.stop import StopRule

__all__ = ["begin", "open_set", "rule_of", "unused_sets"]


def begin(study: Study, judges: Iterable[str]) -> Began:
    """Return the event with which a study's cycle begins: its manual, judges and wishes.

    No item of the study but those of its training sets may be trained on.
    """
    if not study.training_sets:
        raise Refused(
            "the study has no training items; give some the kind 'training' and the number of "
            "their set in its file of items"
        )
    return Began(
        edition_of(study),
        tuple(judges),
        tuple(each.id for each in study.items if each.kind != "training"),
        dict(study.training.thresholds),
        rule_of(study),
    )


def rule_of(study: Study) -> StopRule:
    """Return the stop rule that a study asks for."""
    wish = study.training
    return StopRule(wish.share, wish.at_least, wish.confidence)


def unused_sets(study: Study, cycle: Cycle) -> tuple[int, ...]:
    """Return the training sets of a study of which no round has shown an item."""
    shown = {item for each in cycle.rounds for item in each.items}
    return tuple(
        number
        for number in study.training_sets
        if shown.isdisjoint(each.id for each in study.training_set(number))
    )


def open_set(study: Study, number: int) -> RoundOpened:
    """Return the event that opens a round with a training set of the study, all of it new."""
    items = study.training_set(number)
    if not items:
        have = names(study.training_sets) or "none"
        raise Refused(f"the study has no training set {number}; it has {have}")
    check_training_set(items, (each for each in study.items if each.kind not in APART))
    return RoundOpened(tuple(each.id for each in items))
