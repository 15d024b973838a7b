"""What a training cycle is made of: rounds with ratings, marks, discussions, proposals, edits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from covary.scales import Category
from covary.study.versions import Edition, ManualDifferences
from covary.training.events import Change, Event, Stopped
from covary.training.refusals import Refused
from covary.training.stop import StopRule

__all__ = ["PHASES", "Edit", "Entry", "Mark", "Phase", "Proposal", "Round", "State"]

Phase = Literal["internalisation", "socialisation", "externalisation", "combination"]

PHASES: tuple[Phase, ...] = ("internalisation", "socialisation", "externalisation", "combination")
"""Rate alone, talk about the differences, generalise, write it down (Nonaka & Takeuchi 1995)."""


def _nothing() -> Mapping[Any, Any]:
    return MappingProxyType({})


@dataclass(frozen=True)
class Mark:
    """An item on which judges differ significantly: who gave which rating."""

    item: str
    criterion: str
    given: tuple[tuple[str, Category], ...]
    set_aside: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """What names the mark within its round."""
        return self.item, self.criterion

    @property
    def sentence(self) -> str:
        """Who said what, in a line."""
        told = ", ".join(f"{judge} {rating}" for judge, rating in self.given)
        return f"{self.criterion}, {self.item}: {told}"


@dataclass(frozen=True)
class Entry:
    """What a judge said about a marked item."""

    judge: str
    item: str
    criterion: str
    text: str


@dataclass(frozen=True)
class Proposal:
    """A proposal to generalise, the marks behind it, and who agrees with it."""

    number: int
    round: int
    judge: str
    text: str
    marks: tuple[tuple[str, str], ...]
    words: Mapping[str, bool] = field(default_factory=_nothing)
    remarks: tuple[tuple[str, str], ...] = ()
    set_aside: str = ""

    @property
    def opposed(self) -> tuple[str, ...]:
        """The judges who do not agree."""
        return tuple(judge for judge, agrees in self.words.items() if not agrees)


@dataclass(frozen=True)
class Edit:
    """A new edition of the manual: by whom, what changed, and why."""

    by: str
    edition: Edition
    changes: tuple[Change, ...]
    differences: ManualDifferences


@dataclass(frozen=True)
class Round:
    """One turn of the cycle.

    `ratings` holds what each judge gave each item, `compared` the items and criteria that at least
    two judges rated (known when everybody has finished), and `marks` those on which they differ.
    """

    number: int
    items: tuple[str, ...]
    version: str
    phase: Phase = "internalisation"
    ratings: Mapping[tuple[str, str], Mapping[str, Category | None]] = field(
        default_factory=_nothing
    )
    seconds: Mapping[tuple[str, str], float] = field(default_factory=_nothing)
    finished: tuple[str, ...] = ()
    compared: Mapping[str, tuple[str, ...]] = field(default_factory=_nothing)
    marks: tuple[Mark, ...] = ()
    said: tuple[Entry, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    edits: tuple[Edit, ...] = ()

    @property
    def blind(self) -> bool:
        """Whether judges may not yet see what others gave."""
        return self.phase == "internalisation"

    def mark(self, item: str, criterion: str) -> Mark | None:
        """Return the mark of an item on a criterion, if there is one."""
        return next((each for each in self.marks if each.key == (item, criterion)), None)

    def entries(self, item: str, criterion: str) -> tuple[Entry, ...]:
        """Return what was said about an item on a criterion."""
        wanted = (item, criterion)
        return tuple(each for each in self.said if (each.item, each.criterion) == wanted)

    @property
    def undiscussed(self) -> tuple[Mark, ...]:
        """The marks about which nobody has said anything, and which were not set aside."""
        talked = {(each.item, each.criterion) for each in self.said}
        return tuple(each for each in self.marks if each.key not in talked and not each.set_aside)

    def silent(self, mark: Mark) -> tuple[str, ...]:
        """Return the judges of a mark who have not yet explained their rating."""
        talked = {each.judge for each in self.entries(*mark.key)}
        return tuple(judge for judge, _ in mark.given if judge not in talked)

    @property
    def counts(self) -> dict[str, tuple[int, int]]:
        """How many of how many items differ significantly, for each criterion."""
        differing = dict.fromkeys(self.compared, 0)
        for each in self.marks:
            differing[each.criterion] += 1
        return {name: (differing[name], len(items)) for name, items in self.compared.items()}


@dataclass(frozen=True)
class State:
    """Where a training cycle stands: the manual's editions, the judges, the rounds so far.

    `judges` are those who take part now. `events` is everything that happened, in its order.
    """

    events: tuple[Event, ...] = ()
    editions: tuple[Edition, ...] = ()
    judges: tuple[str, ...] = ()
    evaluation_items: frozenset[str] = frozenset()
    thresholds: Mapping[str, float] = field(default_factory=_nothing)
    rule: StopRule = field(default_factory=StopRule)
    rounds: tuple[Round, ...] = ()
    ended: Stopped | None = None

    @property
    def phase(self) -> str:
        """The phase: `"new"`, `"ready"` for a first round, one of `PHASES`, or `"ended"`."""
        if not self.editions:
            return "new"
        if self.ended is not None:
            return "ended"
        return self.rounds[-1].phase if self.rounds else "ready"

    @property
    def edition(self) -> Edition:
        """The current edition of the manual."""
        if not self.editions:
            raise Refused("the cycle has not begun; its first event is Began, with the manual")
        return self.editions[-1]

    @property
    def round(self) -> Round:
        """The current round."""
        if not self.rounds:
            raise Refused("no round has been opened yet; open one with RoundOpened")
        return self.rounds[-1]

    @property
    def proposals(self) -> tuple[Proposal, ...]:
        """The proposals of all rounds."""
        return tuple(proposal for each in self.rounds for proposal in each.proposals)

    def undecided(self, proposal: Proposal) -> tuple[str, ...]:
        """Return the judges of its round who have yet to say whether they agree."""
        rated = self.rounds[proposal.round - 1].finished
        here = (judge for judge in self.judges if judge in rated)
        return tuple(judge for judge in here if judge not in proposal.words)

    def accepted(self, proposal: Proposal) -> bool:
        """Say whether everybody agrees with a proposal; a word against it stays one."""
        return not proposal.opposed and not self.undecided(proposal)
