"""The guideline cycle: events are folded into a state, and what does not fit is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

from covary.analysis.rounds.history import History
from covary.ratings import Ratings
from covary.scales import Category
from covary.study.model import Study
from covary.training import editing, events, opening, rating, talking
from covary.training.events import Began, Event
from covary.training.history import history_of
from covary.training.rated import ratings_of
from covary.training.refusals import Refused, names
from covary.training.state import Round, State
from covary.training.stop import Verdict
from covary.training.written import as_dict, as_event

__all__ = ["Cycle"]

STEPS: Mapping[type[Event], Callable[[Any, Any], Any]] = {
    events.Began: opening.began,
    events.RoundOpened: opening.opened,
    events.Rated: rating.rated,
    events.Finished: rating.finished,
    events.MovedOn: talking.moved_on,
    events.Said: talking.said,
    events.SetAsideMark: talking.set_aside_mark,
    events.Proposed: talking.proposed,
    events.Agreed: talking.agreed,
    events.SetAsideProposal: talking.set_aside_proposal,
    events.Changed: editing.changed,
    events.JudgeJoined: opening.joined,
    events.JudgeLeft: opening.left,
    events.Stopped: opening.stopped,
}


class Cycle(State):
    """Judges rate alone, discuss what differs, generalise, and write it into the manual; again.

    A cycle is a value: `apply` returns a new one, or raises `Refused` with the reason, and the
    old one is as it was. Everything that happened stays in `events`.

    Examples
    --------
    >>> from covary.scales import VerbalScale
    >>> from covary.study.model import Criterion
    >>> from covary.study.versions import Edition
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
            raise Refused(f"{type(event).__name__} is no event of a training cycle")
        if not self.editions and not isinstance(event, Began):
            raise Refused("the cycle has not begun; its first event is Began, with the manual")
        if self.ended is not None:
            raise Refused(
                f"training has ended by {self.ended.by}; nothing is added to it. Begin another "
                "cycle to go on"
            )
        changed: Self = step(self, event)
        return replace(changed, events=(*self.events, event))

    @classmethod
    def of(cls, happened: Iterable[Event | Mapping[str, Any]]) -> Self:
        """Fold events, or their plain dicts, into a cycle."""
        cycle = cls()
        for each in happened:
            cycle = cycle.apply(as_event(each) if isinstance(each, Mapping) else each)
        return cycle

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return every event as plain values, from which `of` makes the same cycle."""
        return [as_dict(each) for each in self.events]

    def seen_by(self, judge: str) -> dict[tuple[str, str], Mapping[str, Category | None]]:
        """Return the ratings of the current round that a judge may see, by judge and item.

        These are the judge's own until everybody has finished and the ratings were compared.
        """
        rating.taking_part(self, judge)
        current = self.round
        return {
            place: given
            for place, given in current.ratings.items()
            if place[0] == judge or not current.blind
        }

    def waiting_for(self) -> tuple[str, ...]:
        """Return the judges who have not finished the current round."""
        if not self.rounds or not self.round.blind:
            return ()
        return tuple(judge for judge in self.judges if judge not in self.round.finished)

    def verdict(self, number: int | None = None) -> Verdict:
        """Apply the stop rule to a round, the current one by default."""
        wanted = self.round if number is None else self._numbered(number)
        if wanted.blind:
            raise Refused(f"round {wanted.number} has not been compared yet; judges still rate")
        return self.rule.judge(wanted.counts)

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
        return ratings_of(self, study, criteria)

    def history(self) -> History:
        """Return what `covary.analysis.rounds` needs beside the ratings: links, kinds, times."""
        return history_of(self)

    @property
    def everybody(self) -> tuple[str, ...]:
        """Every judge who ever took part, also those who left."""
        found: dict[str, None] = {}
        for each in self.events:
            if isinstance(each, Began):
                found |= dict.fromkeys(each.judges)
            elif isinstance(each, events.JudgeJoined):
                found[each.judge] = None
        return tuple(found)

    def _numbered(self, number: int) -> Round:
        if not 1 <= number <= len(self.rounds):
            have = names(each.number for each in self.rounds) or "none"
            raise Refused(f"there is no round {number}; there are {have}")
        return self.rounds[number - 1]
