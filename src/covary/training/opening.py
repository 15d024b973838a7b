"""How a cycle and its rounds begin, who takes part, and how it ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from covary.analysis.rounds.thresholds import threshold_of
from covary.errors import InvalidArgument
from covary.study.disjoint import shared_traits
from covary.study.model import Item
from covary.training.events import Began, JudgeJoined, JudgeLeft, RoundOpened, Stopped
from covary.training.refusals import Refused, names, so_many
from covary.training.state import Round, State

__all__ = ["began", "check_training_set", "joined", "left", "opened", "stopped"]

FEWEST = 2
"""Fewer judges have nobody to differ from."""


def began(state: State, event: Began) -> State:
    """Take the manual, the judges and the items that no training set may hold."""
    if state.editions:
        raise Refused("the cycle has begun already; open the next round with RoundOpened")
    _refuse_repeated(event.judges, "judge")
    if len(event.judges) < FEWEST:
        raise Refused(f"a cycle needs at least two judges, and there is {names(event.judges)!r}")
    if not event.edition.criteria:
        raise Refused("the manual has no criteria; give at least one to judge by")
    _refuse_repeated(event.edition.keys, "criterion")
    unknown = [key for key in event.thresholds if key not in event.edition.keys]
    if unknown:
        raise Refused(f"thresholds names {names(unknown)}, which the manual does not have")
    for key, given in event.thresholds.items():
        try:
            threshold_of(event.edition.criterion(key).scale, given)
        except InvalidArgument as error:
            raise Refused(f"the threshold of {key}: {error}") from None
    return replace(
        state,
        editions=(event.edition,),
        judges=tuple(event.judges),
        evaluation_items=frozenset(event.evaluation_items),
        thresholds=dict(event.thresholds),
        rule=event.rule,
    )


def opened(state: State, event: RoundOpened) -> State:
    """Begin a round with a new training set."""
    if state.phase not in ("ready", "combination"):
        raise Refused(
            f"a round begins at the start or after combination, and the cycle is in {state.phase}"
        )
    if not event.items:
        raise Refused("the training set is empty; give the items that every judge rates")
    _refuse_repeated(event.items, "item")
    _refuse_used(state, event.items)
    if state.rounds:
        _refuse_unwritten(state)
    made = Round(len(state.rounds) + 1, tuple(event.items), state.edition.version)
    return replace(state, rounds=(*state.rounds, made))


def joined(state: State, event: JudgeJoined) -> State:
    """Let a judge take part from the next round on."""
    if state.phase not in ("ready", "combination"):
        raise Refused(
            f"{event.judge} can join between rounds only, and the cycle is in {state.phase}; the "
            "others have rated without this judge"
        )
    if not event.judge.strip():
        raise Refused("the judge has no name")
    if event.judge in state.judges:
        raise Refused(f"{event.judge} takes part already")
    return replace(state, judges=(*state.judges, event.judge))


def left(state: State, event: JudgeLeft) -> State:
    """Go on without a judge; what the judge has rated and said stays."""
    if event.judge not in state.judges:
        raise Refused(f"{event.judge} does not take part; there are {names(state.judges)}")
    if not event.reason.strip():
        raise Refused(f"say why {event.judge} leaves; a report names the reason")
    rest = tuple(each for each in state.judges if each != event.judge)
    if len(rest) < FEWEST:
        raise Refused(
            f"without {event.judge} only {names(rest)} would be left, who has nobody to differ "
            "from; let another judge join first, or stop"
        )
    return replace(state, judges=rest)


def stopped(state: State, event: Stopped) -> State:
    """End training by the rule, or on the researcher's word."""
    if event.by == "researcher":
        if not event.reason.strip():
            raise Refused("say why training ends; the report prints the researcher's reason")
        return replace(state, ended=event)
    if event.by != "rule":
        raise Refused(f"training ends by 'rule' or by 'researcher', and not by {event.by!r}")
    if state.phase in ("ready", "internalisation"):
        raise Refused("the rule needs a round that every judge has finished and compared")
    verdict = state.rule.judge(state.round.counts)
    if not verdict.met:
        raise Refused(f"the stop rule is not met. {verdict.sentence}")
    return replace(state, ended=event)


def check_training_set(items: Iterable[Item], evaluation: Iterable[Item]) -> None:
    """Refuse training items that the evaluation shows too: the same item, text, input or source.

    Judges who have discussed an item, or another text for its source, rate it better than they
    would rate a new one.
    """
    found = shared_traits(items, evaluation)
    if found:
        raise Refused(
            f"{so_many(len(found), 'training item is', 'training items are')} not new: "
            f"{names(found)}; train on items that the evaluation does not show"
        )


def _refuse_used(state: State, items: tuple[str, ...]) -> None:
    kept = [item for item in items if item in state.evaluation_items]
    if kept:
        raise Refused(
            f"{so_many(len(kept), 'item', 'items')} of the training set "
            f"{'belongs' if len(kept) == 1 else 'belong'} to the evaluation: {names(kept)}; train "
            "on other items, or the judges will have discussed what they rate later"
        )
    for each in state.rounds:
        again = [item for item in items if item in each.items]
        if again:
            raise Refused(
                f"{so_many(len(again), 'item was', 'items were')} in the training set of round "
                f"{each.number}: "
                f"{names(again)}; each round needs a new set"
            )


def _refuse_unwritten(state: State) -> None:
    """Refuse to go on while an accepted proposal has not reached the manual."""
    written = {
        number
        for each in state.rounds
        for edit in each.edits
        for change in edit.changes
        for number in change.proposals
    }
    left_over = [
        each.number
        for each in state.round.proposals
        if state.accepted(each) and each.number not in written and not each.set_aside
    ]
    if left_over:
        raise Refused(
            f"the judges accepted proposals {names(left_over)}, which are not in the manual yet; "
            "write them with Changed, or set them aside with a reason"
        )


def _refuse_repeated(given: Iterable[str], noun: str) -> None:
    counted = Counter(given)
    if any(not str(each).strip() for each in counted):
        raise Refused(f"a {noun} has no name")
    twice = [each for each, number in counted.items() if number > 1]
    if twice:
        raise Refused(f"{noun}s must be given once each, and {names(twice)} stand there twice")
