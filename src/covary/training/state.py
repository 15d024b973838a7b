"""What a training cycle is made of: rounds with ratings, marks, discussions, proposals, edits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal, Self

from covary.errors import InvalidArgument
from covary.scales import Category
from covary.study.manual import Edition, ManualDifferences
from covary.training.events import Change, Event, Stopped
from covary.training.stop_rule import StopRule
from covary.words import reword


class Refused(InvalidArgument):
    """An event that the training cycle cannot take now; nothing has changed.

    Its facts name judges as `judge` and `judges`, items as `item`, `items` and in `places`, and
    phases as `phase`, `phases`, `following` and `to`, so that a page can say them in its own way.
    """

    def worded(
        self,
        judge: Callable[[str], str] = str,
        item: Callable[[str], str] = str,
        phase: Callable[[str], str] = str,
    ) -> str:
        """Return the refusal in words, with other names for judges, items and phases."""
        return reword(self, **_renamed(self.facts, judge, item, phase))


def _renamed(
    facts: Mapping[str, Any],
    judge: Callable[[str], str],
    item: Callable[[str], str],
    phase: Callable[[str], str],
) -> dict[str, Any]:
    single = {"judge": judge, "item": item, "phase": phase, "following": phase, "to": phase}
    several = {"judges": judge, "items": item, "phases": phase}
    renamed: dict[str, Any] = {
        name: call(facts[name]) for name, call in single.items() if facts.get(name) is not None
    }
    for name, call in several.items():
        if name in facts:
            renamed[name] = tuple(call(value) for value in facts[name])
    if "places" in facts:
        renamed["places"] = tuple((item(place), key) for place, key in facts["places"])
    if "waiting" in facts:
        renamed["waiting"] = {
            number: tuple(judge(name) for name in names)
            for number, names in facts["waiting"].items()
        }
    return renamed


class StaleEdit(Refused):
    """An edit of the manual that began from an older version than the current one.

    Nothing is lost: `proposed` is the edition that was refused, `current` the one that others
    have written meanwhile, and `differences` what they changed, so that both can be put together.
    """

    def __init__(
        self,
        code: str,
        /,
        *,
        proposed: Edition,
        current: Edition,
        differences: ManualDifferences,
        **facts: Any,
    ) -> None:
        since = differences.sentences()
        super().__init__(code, version=current.version, differences=since, **facts)
        self.proposed, self.current, self.differences = proposed, current, differences


Phase = Literal["internalisation", "socialisation", "externalisation", "combination"]

PHASES: tuple[Phase, ...] = ("internalisation", "socialisation", "externalisation", "combination")
"""Rate alone, talk about the differences, generalise, write it down (Nonaka & Takeuchi 1995)."""


def _nothing() -> Mapping[Any, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class Disagreement:
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
        ratings = ", ".join(f"{judge} {rating}" for judge, rating in self.given)
        return f"{self.criterion}, {self.item}: {ratings}"


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """What a judge said about a marked item."""

    judge: str
    item: str
    criterion: str
    text: str

    @property
    def key(self) -> tuple[str, str]:
        """Which disagreement it is about."""
        return self.item, self.criterion


@dataclass(frozen=True, kw_only=True)
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


@dataclass(frozen=True, kw_only=True)
class Edit:
    """A new edition of the manual: by whom, what changed, and why."""

    by: str
    edition: Edition
    changes: tuple[Change, ...]
    differences: ManualDifferences


@dataclass(frozen=True, kw_only=True)
class Round:
    """One turn of the cycle.

    `ratings` holds what each judge gave each item, `compared` the items and criteria that at least
    two judges rated (known when everybody has finished), and `marks` those on which they differ.
    `parts` has the items that only one part of the study asks about. `again` is the number of the
    round whose items are rated once more here, after they were discussed; None for new items.
    """

    number: int
    items: tuple[str, ...]
    version: str
    parts: Mapping[str, str] = field(default_factory=_nothing)
    phase: Phase = "internalisation"
    ratings: Mapping[tuple[str, str], Mapping[str, Category | None]] = field(
        default_factory=_nothing
    )
    seconds: Mapping[tuple[str, str], float] = field(default_factory=_nothing)
    finished: tuple[str, ...] = ()
    compared: Mapping[str, tuple[str, ...]] = field(default_factory=_nothing)
    marks: tuple[Disagreement, ...] = ()
    said: tuple[Explanation, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    edits: tuple[Edit, ...] = ()
    again: int | None = None

    @property
    def blind(self) -> bool:
        """Whether judges may not yet see what others gave."""
        return self.phase == "internalisation"

    def asked(self, item: str, edition: Edition) -> tuple[str, ...]:
        """Return the keys of the criteria on which an item is rated."""
        part = self.parts.get(item)
        return tuple(each.key for each in edition.criteria if part in (None, each.part))

    def mark(self, item: str, criterion: str) -> Disagreement | None:
        """Return the mark of an item on a criterion, if there is one."""
        return next((mark for mark in self.marks if mark.key == (item, criterion)), None)

    def entries(self, item: str, criterion: str) -> tuple[Explanation, ...]:
        """Return what was said about an item on a criterion, or about the item as a whole."""
        about = ((item, criterion), (item, ""))
        return tuple(entry for entry in self.said if entry.key in about)

    def said_of(self, item: str) -> tuple[Explanation, ...]:
        """Return all that was said about an item, on whichever criterion."""
        return tuple(entry for entry in self.said if entry.item == item)

    @property
    def undiscussed(self) -> tuple[Disagreement, ...]:
        """The marks about which nobody has said anything, and which were not set aside."""
        return tuple(
            mark for mark in self.marks if not self.entries(*mark.key) and not mark.set_aside
        )

    def silent(self, mark: Disagreement) -> tuple[str, ...]:
        """Return the judges of a mark who have not yet explained their rating."""
        explained = {entry.judge for entry in self.entries(*mark.key)}
        return tuple(judge for judge, _ in mark.given if judge not in explained)

    @property
    def counts(self) -> dict[str, tuple[int, int]]:
        """How many of how many items differ significantly, for each criterion."""
        differing = dict.fromkeys(self.compared, 0)
        for mark in self.marks:
            differing[mark.criterion] += 1
        return {name: (differing[name], len(items)) for name, items in self.compared.items()}


@dataclass(frozen=True)
class State:
    """Where a training cycle stands: the manual's editions, the judges, the rounds so far.

    `judges` are those who take part now. `events` is everything that happened, in its order.
    `evaluation_first` is set where the evaluation did not wait for a training.
    """

    events: tuple[Event, ...] = ()
    editions: tuple[Edition, ...] = ()
    judges: tuple[str, ...] = ()
    evaluation_items: frozenset[str] = frozenset()
    thresholds: Mapping[str, float] = field(default_factory=_nothing)
    rule: StopRule = field(default_factory=StopRule)
    rounds: tuple[Round, ...] = ()
    ended: Stopped | None = None
    evaluation_first: bool = False

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
            raise Refused("training.not-begun")
        return self.editions[-1]

    @property
    def round(self) -> Round:
        """The current round."""
        if not self.rounds:
            raise Refused("training.no-round-yet")
        return self.rounds[-1]

    @property
    def between_rounds(self) -> bool:
        """Whether a round may be opened: before the first, when all is written, or rated again."""
        rated_again = bool(self.rounds) and self.rounds[-1].again is not None
        after_rating = self.phase in ("socialisation", "externalisation") and rated_again
        return self.phase in ("ready", "combination") or after_rating

    @property
    def last_new(self) -> Round:
        """The last round with items that the judges had not discussed, by which training ends."""
        if not self.rounds:
            raise Refused("training.no-round-yet")
        return next(turn for turn in reversed(self.rounds) if turn.again is None)

    @property
    def proposals(self) -> tuple[Proposal, ...]:
        """The proposals of all rounds."""
        return tuple(proposal for turn in self.rounds for proposal in turn.proposals)

    def with_round(self, current: Round) -> Self:
        """Return the cycle with its current round as it has become."""
        return replace(self, rounds=(*self.rounds[:-1], current))

    def undecided(self, proposal: Proposal) -> tuple[str, ...]:
        """Return the judges of its round who have yet to say whether they agree."""
        finished = self.rounds[proposal.round - 1].finished
        present = (judge for judge in self.judges if judge in finished)
        return tuple(judge for judge in present if judge not in proposal.words)

    def accepted(self, proposal: Proposal) -> bool:
        """Say whether everybody agrees with a proposal; a word against it stays one."""
        return not proposal.opposed and not self.undecided(proposal)
