"""What a training cycle tells an analysis: causes of changes, times, work, editions, the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from covary.analysis.rounds.history import EditionNote, History, Link, RoundWork
from covary.training.events import Event, RoundOpened
from covary.training.refusals import names
from covary.training.state import Round, State

__all__ = ["history_of"]


def history_of(state: State) -> History:
    """Return the history of a cycle; see `Cycle.history`."""
    seconds: dict[tuple[int, str], float] = {}
    for each in state.rounds:
        for (judge, _), spent in each.seconds.items():
            seconds[each.number, judge] = seconds.get((each.number, judge), 0.0) + spent
    return History(
        tuple(link for each in state.rounds for link in _links(state, each)),
        {each.number: _kinds(each) for each in state.rounds},
        {each.number: sum(bool(one.opposed) for one in each.proposals) for each in state.rounds},
        seconds,
        tuple(_work(state, each) for each in state.rounds),
        tuple(_editions(state)),
        _outcome(state),
    )


def _links(state: State, each: Round) -> Iterator[Link]:
    at_home = {
        proposal.number: (home, proposal) for home in state.rounds for proposal in home.proposals
    }
    for edit in each.edits:
        for change in edit.changes:
            for number in change.proposals:
                home, proposal = at_home[number]
                for item, criterion in proposal.marks:
                    mark = home.mark(item, criterion)
                    assert mark is not None  # it was checked when it was proposed
                    talk = home.entries(item, criterion)
                    yield Link(
                        home.number, criterion, item, mark.given,
                        tuple((entry.judge, entry.text) for entry in talk), proposal.text,
                        change.kind, change.sentence, edit.edition.version,
                    )  # fmt: skip


def _kinds(each: Round) -> Counter[str]:
    return Counter(change.kind for edit in each.edits for change in edit.changes)


def _work(state: State, each: Round) -> RoundWork:
    happened = _events_of(state, each.number)
    times = [event.at for event in happened if event.at]
    return RoundWork(
        round=each.number,
        version=each.version,
        judges=len({judge for judge, _ in each.ratings}),
        items=len(each.items),
        marked=None if each.blind else len(each.marks),
        said=len(each.said),
        proposals=len(each.proposals),
        accepted=sum(state.accepted(one) for one in each.proposals),
        changes=sum(len(edit.changes) for edit in each.edits),
        began=times[0] if times else "",
        ended=times[-1] if times else "",
        verdict="" if each.blind else state.rule.judge(each.counts).sentence,
    )


def _events_of(state: State, number: int) -> list[Event]:
    """What happened from the opening of a round to that of the next."""
    found: list[Event] = []
    here = 0
    for event in state.events:
        here += isinstance(event, RoundOpened)
        if here == number:
            found.append(event)
    return found


def _editions(state: State) -> Iterator[EditionNote]:
    if state.editions:
        yield EditionNote(state.editions[0].version, 0)
    for each in state.rounds:
        for edit in each.edits:
            changes = tuple((one.kind, one.summary, one.sentence) for one in edit.changes)
            yield EditionNote(edit.edition.version, each.number, edit.by, changes)


def _outcome(state: State) -> str:
    if state.ended is not None:
        if state.ended.by == "rule":
            return "Training ended because the stop rule was met."
        return f"Training ended on the researcher's word: {state.ended.reason}"
    if not state.rounds:
        return "No round has been opened yet." if state.editions else "The cycle has not begun."
    current = state.rounds[-1]
    waiting = [judge for judge in state.judges if judge not in current.finished]
    rest = f"; {names(waiting)} still to finish" if current.blind and waiting else ""
    return f"Training goes on: round {current.number} is in {current.phase}{rest}."
