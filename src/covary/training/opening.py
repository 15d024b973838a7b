"""How a cycle and its rounds begin, who takes part, and how it ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from covary.analysis.rounds.differences import threshold_of
from covary.errors import InvalidArgument
from covary.study.manual import edition_of
from covary.study.model import NOT_EVALUATED, Item, Study
from covary.study.training import shared_traits
from covary.training.events import (
    Began,
    EvaluationFirst,
    JudgeJoined,
    JudgeLeft,
    RoundOpened,
    Stopped,
)
from covary.training.state import Refused, Round, State
from covary.training.stop_rule import StopRule

FEWEST = 2
"""Fewer judges have nobody to differ from."""

PLURALS = {"judge": "judges", "item": "items", "criterion": "criteria"}


def begin_cycle(state: State, event: Began) -> State:
    """Take the manual, the judges and the items that no training set may hold."""
    if state.editions:
        raise Refused("training.begun")
    _refuse_repeated("judge", event.judges)
    if len(event.judges) < FEWEST:
        raise Refused("training.few-judges", judges=event.judges)
    if not event.edition.criteria:
        raise Refused("training.no-criteria")
    _refuse_repeated("criterion", event.edition.keys)
    unknown = [key for key in event.thresholds if key not in event.edition.keys]
    if unknown:
        raise Refused("training.unknown-thresholds", criteria=unknown)
    for key, threshold in event.thresholds.items():
        try:
            threshold_of(event.edition.criterion(key).scale, threshold)
        except InvalidArgument as error:
            raise Refused("training.threshold", criterion=key, reason=error) from None
    return replace(
        state,
        editions=(event.edition,),
        judges=tuple(event.judges),
        evaluation_items=frozenset(event.evaluation_items),
        thresholds=dict(event.thresholds),
        rule=event.rule,
    )


def evaluate_first(state: State, event: EvaluationFirst) -> State:  # noqa: ARG001
    """Let judges rate the study although no training has begun; one may still begin."""
    if state.editions:
        raise Refused("training.begun")
    if state.evaluation_first:
        raise Refused("training.evaluation-first")
    return replace(state, evaluation_first=True)


def open_round(state: State, event: RoundOpened) -> State:
    """Begin a round with a new training set, or rate that of the last round again."""
    if not state.between_rounds:
        raise Refused("training.round-open", phase=state.phase, following="combination")
    if not event.items:
        raise Refused("training.empty-set")
    _refuse_repeated("item", event.items)
    if event.again:
        _refuse_another_set(state, event.items)
    else:
        _refuse_used(state, event.items)
    if state.rounds:
        _refuse_unwritten(state)
    opened = Round(
        number=len(state.rounds) + 1,
        items=tuple(event.items),
        version=state.edition.version,
        parts=event.parts,
        again=state.round.number if event.again else None,
    )
    return replace(state, rounds=(*state.rounds, opened))


def add_judge(state: State, event: JudgeJoined) -> State:
    """Let a judge take part from the next round on."""
    if not state.between_rounds:
        raise Refused("training.late-judge", judge=event.judge, phase=state.phase)
    if not event.judge.strip():
        raise Refused("training.nameless-judge")
    if event.judge in state.judges:
        raise Refused("training.joined", judge=event.judge)
    return replace(state, judges=(*state.judges, event.judge))


def remove_judge(state: State, event: JudgeLeft) -> State:
    """Go on without a judge; what the judge has rated and said stays."""
    if event.judge not in state.judges:
        raise Refused("training.not-here", judge=event.judge, judges=state.judges)
    if not event.reason.strip():
        raise Refused("training.leaving-reason", judge=event.judge)
    rest = tuple(judge for judge in state.judges if judge != event.judge)
    if len(rest) < FEWEST:
        raise Refused("training.last-judge", judge=event.judge, judges=rest)
    return replace(state, judges=rest)


def stop_training(state: State, event: Stopped) -> State:
    """End training by the rule, or on the researcher's word."""
    if event.by == "researcher":
        if not event.reason.strip():
            raise Refused("training.stop-reason")
        return replace(state, ended=event)
    if event.by != "rule":
        raise Refused("training.stopped-by", value=event.by)
    if state.phase in ("ready", "internalisation"):
        raise Refused("training.nothing-compared")
    verdict = state.rule.judge(state.last_new.counts)
    if not verdict.met:
        raise Refused("training.rule-unmet", verdict=verdict.sentence)
    return replace(state, ended=event)


def _refuse_used(state: State, items: tuple[str, ...]) -> None:
    kept = [item for item in items if item in state.evaluation_items]
    if kept:
        raise Refused("training.evaluation-items", items=kept)
    for earlier in state.rounds:
        again = [item for item in items if item in earlier.items]
        if again:
            raise Refused("training.used-items", items=again, round=earlier.number)


def _refuse_another_set(state: State, items: tuple[str, ...]) -> None:
    """Refuse to rate again what the round before has not rated, or has rated again already."""
    if not state.rounds:
        raise Refused("training.no-round-yet")
    if state.round.again is not None:
        raise Refused("training.rated-again", round=state.round.again)
    if tuple(items) != state.round.items:
        raise Refused("training.another-set", round=state.round.number)


def _refuse_unwritten(state: State) -> None:
    """Refuse to go on while an accepted proposal has not reached the manual."""
    written = {
        number
        for earlier in state.rounds
        for edit in earlier.edits
        for change in edit.changes
        for number in change.proposals
    }
    left = [
        proposal.number
        for proposal in state.round.proposals
        if state.accepted(proposal) and proposal.number not in written and not proposal.set_aside
    ]
    if left:
        raise Refused("training.unwritten", proposals=left)


def _refuse_repeated(noun: str, names: Iterable[str]) -> None:
    counted = Counter(names)
    if any(not str(name).strip() for name in counted):
        raise Refused("training.nameless", noun=noun)
    twice = [name for name, number in counted.items() if number > 1]
    if twice:
        repeated: dict[str, Any] = {PLURALS[noun]: twice}
        raise Refused("training.repeated", noun=noun, **repeated)


# the events with which the cycle of a study begins and its rounds open


def begin(study: Study, judges: Iterable[str]) -> Began:
    """Return the event with which a study's cycle begins: its manual, judges and wishes.

    No item of the study but those of its training sets may be trained on.
    """
    if not study.training_sets:
        raise Refused("training.no-sets")
    return Began(
        edition=edition_of(study),
        judges=tuple(judges),
        evaluation_items=tuple(item.id for item in study.items if item.kind != "training"),
        thresholds=dict(study.training.thresholds),
        rule=rule_of(study),
    )


def awaits_training(study: Study, cycle: State) -> bool:
    """Say whether the evaluation of a study waits for a training that has not begun."""
    return bool(study.training_sets) and cycle.phase == "new" and not cycle.evaluation_first


def rule_of(study: Study) -> StopRule:
    """Return the stop rule that a study asks for."""
    wish = study.training
    return StopRule(wish.share, wish.at_least, wish.confidence)


def unused_sets(study: Study, cycle: State) -> tuple[int, ...]:
    """Return the training sets of a study of which no round has shown an item."""
    shown = {item for earlier in cycle.rounds for item in earlier.items}
    return tuple(
        number
        for number in study.training_sets
        if shown.isdisjoint(item.id for item in study.training_set(number))
    )


def open_set(study: Study, number: int) -> RoundOpened:
    """Return the event that opens a round with a training set of the study, all of it new."""
    items = study.training_set(number)
    if not items:
        raise Refused("training.unknown-set", set=number, sets=study.training_sets)
    check_training_set(items, (item for item in study.items if item.kind not in NOT_EVALUATED))
    parts = {item.id: item.part for item in items if item.part}
    return RoundOpened(tuple(item.id for item in items), parts)


def open_again(cycle: State) -> RoundOpened:
    """Return the event with which the judges rate the last training set once more.

    They have discussed these items, so that agreement on them says what the discussion has settled
    and not whether the guidelines work for new items; the stop rule does not look at it.
    """
    return RoundOpened(cycle.round.items, dict(cycle.round.parts), again=True)


def check_training_set(items: Iterable[Item], evaluation: Iterable[Item]) -> None:
    """Refuse training items that the evaluation shows too: the same item, text, input or source.

    Judges who have discussed an item, or another text for its source, rate it better than they
    would rate a new one.
    """
    shared = shared_traits(items, evaluation)
    if shared:
        raise Refused("training.not-new", shared=shared)
