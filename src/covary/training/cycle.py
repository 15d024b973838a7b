"""The guideline cycle: events are folded into a state, and what does not fit is refused."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

from covary.analysis.rounds.result import EditionNote, History, Link, RoundWork
from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.scales import Category, Scale
from covary.study.model import Study
from covary.training import events, opening, phases
from covary.training.events import Began, Change, Event, RoundOpened, as_dict, as_event
from covary.training.state import Proposal, Refused, Round, State
from covary.training.stop_rule import StopVerdict
from covary.words import Note

STEPS: Mapping[type[Event], Callable[[Any, Any], Any]] = {
    events.Began: opening.begin_cycle,
    events.EvaluationFirst: opening.evaluate_first,
    events.RoundOpened: opening.open_round,
    events.Rated: phases.rate_item,
    events.Finished: phases.finish_rating,
    events.MovedOn: phases.move_on,
    events.Said: phases.explain,
    events.SetAsideMark: phases.set_aside_mark,
    events.Proposed: phases.propose,
    events.Agreed: phases.vote,
    events.SetAsideProposal: phases.set_aside_proposal,
    events.Changed: phases.change_manual,
    events.JudgeJoined: opening.add_judge,
    events.JudgeLeft: opening.remove_judge,
    events.Stopped: opening.stop_training,
}


class Cycle(State):
    """Judges rate alone, discuss what differs, generalise, and write it into the manual; again.

    A cycle is a value: `apply` returns a new one, or raises `Refused` with the reason, and the
    old one is as it was. Everything that happened stays in `events`.

    Examples
    --------
    >>> from covary.scales import VerbalScale
    >>> from covary.study.model import Criterion
    >>> from covary.study.manual import Edition
    >>> from covary.training import Began, Cycle, Finished, MovedOn, Rated, RoundOpened
    >>> relevance = Criterion("relevance", "How relevant?", VerbalScale([1, 2, 3, 4], best="low"))
    >>> cycle = Cycle().apply(Began(Edition((relevance,), "1 is best."), ("Ann", "Bo")))
    >>> cycle = cycle.apply(RoundOpened(("t1",)))
    >>> for judge, rank in (("Ann", 1), ("Bo", 4)):
    ...     cycle = cycle.apply(Rated(judge, "t1", {"relevance": rank}))
    ...     cycle = cycle.apply(Finished(judge))
    >>> cycle = cycle.apply(MovedOn("socialisation"))
    >>> [mark.sentence for mark in cycle.round.marks]
    ['relevance, t1: Ann 1, Bo 4']
    """

    def apply(self, event: Event) -> Self:
        """Return the cycle after an event, or raise `Refused` with the reason."""
        step = STEPS.get(type(event))
        if step is None:
            raise Refused("training.no-event", kind=type(event).__name__)
        if not self.editions and not isinstance(event, Began | events.EvaluationFirst):
            raise Refused("training.not-begun")
        if self.ended is not None:
            raise Refused("training.ended", by=self.ended.by)
        changed: Self = step(self, event)
        return replace(changed, events=(*self.events, event))

    @classmethod
    def of(cls, happened: Iterable[Event | Mapping[str, Any]]) -> Self:
        """Fold events, or their plain dicts, into a cycle."""
        cycle = cls()
        for event in happened:
            cycle = cycle.apply(as_event(event) if isinstance(event, Mapping) else event)
        return cycle

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return every event as plain values, from which `of` makes the same cycle."""
        return [as_dict(event) for event in self.events]

    def seen_by(self, judge: str) -> dict[tuple[str, str], Mapping[str, Category | None]]:
        """Return the ratings of the current round that a judge may see, by judge and item.

        These are the judge's own until everybody has finished and the ratings were compared.
        """
        phases.require_judge(self, judge)
        current = self.round
        return {
            place: ratings
            for place, ratings in current.ratings.items()
            if place[0] == judge or not current.blind
        }

    def waiting_for(self) -> tuple[str, ...]:
        """Return the judges who have not finished the current round."""
        if not self.rounds or not self.round.blind:
            return ()
        return tuple(judge for judge in self.judges if judge not in self.round.finished)

    def verdict(self, number: int | None = None) -> StopVerdict:
        """Apply the stop rule to a round, by default the last one with new items."""
        turn = self.last_new if number is None else self._numbered(number)
        if turn.blind:
            raise Refused("training.not-compared", round=turn.number)
        return self.rule.judge(turn.counts)

    def ratings(
        self, study: Study | None = None, *, criteria: Sequence[str] | None = None
    ) -> Ratings:
        """Return the ratings of all rounds that were compared, with their round and manual.

        A criterion whose scale was changed on the way is left out for the rounds before that.

        Parameters
        ----------
        study
            The study of the cycle, which knows the system and the source of each item.
        criteria
            Keep these criteria only, by their keys.
        """
        return _build_ratings(self, study, criteria)

    def history(self) -> History:
        """Return what `covary.analysis.rounds` needs beside the ratings: links, kinds, times."""
        return _build_history(self)

    @property
    def everybody(self) -> tuple[str, ...]:
        """Every judge who ever took part, also those who left."""
        judges: dict[str, None] = {}
        for event in self.events:
            if isinstance(event, Began):
                judges |= dict.fromkeys(event.judges)
            elif isinstance(event, events.JudgeJoined):
                judges[event.judge] = None
        return tuple(judges)

    def _numbered(self, number: int) -> Round:
        if not 1 <= number <= len(self.rounds):
            rounds = [turn.number for turn in self.rounds]
            raise Refused("training.no-round", round=number, rounds=rounds)
        return self.rounds[number - 1]


# the ratings of a cycle as one table

COLUMNS = ("item", "judge", "rating", "criterion", "round", "manual", "order", "seconds")


def _build_ratings(state: State, study: Study | None, criteria: Sequence[str] | None) -> Ratings:
    """Return the ratings of all rounds that were compared; see `Cycle.ratings`."""
    scales = _chosen_scales(state, criteria)
    compared = [turn for turn in state.rounds if not turn.blind]
    rows = [row for turn in compared for row in _rating_rows(state, turn, scales)]
    if not rows:
        raise Refused("training.no-ratings")
    frame: dict[str, list[Any]] = {name: [row[name] for row in rows] for name in COLUMNS}
    _refuse_mixed(frame)
    if not any(seconds is not None for seconds in frame["seconds"]):
        del frame["seconds"]
    if study is not None:
        frame |= _traits(study, frame["item"])
    used = set(frame["criterion"])
    return Ratings(frame, scale={key: scale for key, scale in scales.items() if key in used})


def _chosen_scales(state: State, criteria: Sequence[str] | None) -> dict[str, Scale]:
    scales = {criterion.key: criterion.scale for criterion in state.edition.criteria}
    unknown = [key for key in criteria or () if key not in scales]
    if unknown:
        raise InvalidArgument("training.unknown-criteria", value=unknown, allowed=scales)
    return {key: scale for key, scale in scales.items() if criteria is None or key in criteria}


def _rating_rows(
    state: State, turn: Round, scales: Mapping[str, Scale]
) -> Iterator[dict[str, Any]]:
    """One row for each rating of a judge who has finished, in the order of rating."""
    edition = next(known for known in state.editions if known.version == turn.version)
    before = {criterion.key: criterion.scale for criterion in edition.criteria}
    comparable = {key for key in scales if _comparable(before.get(key), scales[key])}
    place: Counter[str] = Counter()
    for (judge, item), answers in turn.ratings.items():
        place[judge] += 1
        for key, rating in answers.items():
            if judge in turn.finished and key in comparable and rating is not None:
                yield {
                    "item": item,
                    "judge": judge,
                    "rating": rating,
                    "criterion": key,
                    "round": turn.number,
                    "manual": turn.version,
                    "order": place[judge],
                    "seconds": turn.seconds.get((judge, item)),
                }


def _comparable(before: Scale | None, now: Scale) -> bool:
    """Say whether ratings on both mean the same; other words beside the ranks change no rating."""

    def meaning(scale: Scale) -> tuple[Any, ...]:
        return scale.level, scale.categories, scale.low, scale.high, scale.best

    return before is not None and meaning(before) == meaning(now)


def _refuse_mixed(frame: dict[str, list[Any]]) -> None:
    pairs = list(zip(frame["criterion"], frame["rating"], strict=True))
    words = dict.fromkeys(key for key, rating in pairs if isinstance(rating, str))
    numbers = dict.fromkeys(key for key, rating in pairs if not isinstance(rating, str))
    if words and numbers:
        raise InvalidArgument(
            "training.words-and-numbers", words=list(words), numbers=list(numbers)
        )


def _traits(study: Study, ids: list[str]) -> dict[str, list[Any]]:
    """What the study knows of the items, where it knows anything."""
    by_id = {item.id: item for item in study.items}
    items = [by_id.get(name) for name in ids]
    columns: dict[str, list[Any]] = {
        "system": [item and item.system for item in items],
        "source": [item and item.source for item in items],
    }
    return {name: values for name, values in columns.items() if any(values)}


# the history of a cycle


def _build_history(state: State) -> History:
    """Return the history of a cycle; see `Cycle.history`."""
    seconds: dict[tuple[int, str], float] = defaultdict(float)
    for turn in state.rounds:
        for (judge, _), spent in turn.seconds.items():
            seconds[turn.number, judge] += spent
    return History(
        links=tuple(link for turn in state.rounds for link in _links(state, turn)),
        kinds={turn.number: _kinds(turn) for turn in state.rounds},
        refused={turn.number: _count_opposed(turn) for turn in state.rounds},
        seconds=dict(seconds),
        work=tuple(_work(state, turn) for turn in state.rounds),
        editions=tuple(_editions(state)),
        outcome=_outcome(state),
        again={turn.number: turn.again for turn in state.rounds if turn.again is not None},
    )


def _links(state: State, turn: Round) -> Iterator[Link]:
    """What the changes of a round were traced to: proposals, also of earlier rounds."""
    by_number = {proposal.number: proposal for proposal in state.proposals}
    for edit in turn.edits:
        for change in edit.changes:
            for number in change.proposals:
                yield from _traced(state, by_number[number], change, edit.edition.version)


def _traced(state: State, proposal: Proposal, change: Change, version: str) -> Iterator[Link]:
    """What a proposal was traced to: the items that it came from, and what was said of them."""
    home = state.rounds[proposal.round - 1]
    for item, criterion in proposal.marks:
        mark = home.mark(item, criterion)
        assert mark is not None  # it was checked when it was proposed
        yield Link(
            round=home.number,
            criterion=criterion,
            item=item,
            given=mark.given,
            said=tuple((entry.judge, entry.text) for entry in home.entries(item, criterion)),
            proposal=proposal.text,
            kind=change.kind,
            sentence=change.sentence,
            version=version,
        )


def _kinds(turn: Round) -> Counter[str]:
    return Counter(change.kind for edit in turn.edits for change in edit.changes)


def _count_opposed(turn: Round) -> int:
    return sum(bool(proposal.opposed) for proposal in turn.proposals)


def _work(state: State, turn: Round) -> RoundWork:
    times = [event.at for event in _events_of(state, turn.number) if event.at]
    return RoundWork(
        round=turn.number,
        version=turn.version,
        judges=len({judge for judge, _ in turn.ratings}),
        items=len(turn.items),
        marked=None if turn.blind else len(turn.marks),
        said=len(turn.said),
        proposals=len(turn.proposals),
        accepted=sum(state.accepted(proposal) for proposal in turn.proposals),
        changes=sum(len(edit.changes) for edit in turn.edits),
        began=times[0] if times else "",
        ended=times[-1] if times else "",
        verdict="" if turn.blind or turn.again else state.rule.judge(turn.counts).sentence,
        again=turn.again,
    )


def _events_of(state: State, number: int) -> Iterator[Event]:
    """What happened from the opening of a round to that of the next."""
    opened = 0
    for event in state.events:
        opened += isinstance(event, RoundOpened)
        if opened == number:
            yield event


def _editions(state: State) -> Iterator[EditionNote]:
    if state.editions:
        yield EditionNote(version=state.editions[0].version, round=0)
    for turn in state.rounds:
        for edit in turn.edits:
            changes = tuple(
                (change.kind, change.summary, change.sentence) for change in edit.changes
            )
            version = edit.edition.version
            yield EditionNote(version=version, round=turn.number, by=edit.by, changes=changes)


def _outcome(state: State) -> Note:
    """How the cycle ended, or where it stands."""
    if state.ended is not None and state.ended.by == "rule":
        return Note("training.ended-by-rule")
    if state.ended is not None:
        return Note("training.ended-by-researcher", reason=state.ended.reason)
    if not state.editions:
        return Note("training.outcome-new")
    if not state.rounds:
        return Note("training.outcome-ready")
    current = state.rounds[-1]
    waiting = [judge for judge in state.judges if judge not in current.finished]
    judges = waiting if current.blind else []
    return Note("training.going-on", round=current.number, phase=current.phase, judges=judges)
