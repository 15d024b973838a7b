"""What `crowd_study` finds, as small frozen values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from covary.analysis.crowd.arrangements import Arrangements
from covary.analysis.crowd.judging import Costs, CrowdJudges
from covary.analysis.crowd.shared import SharedSessions
from covary.scales import Scale
from covary.stats.estimate import Interval
from covary.stats.plain import plain

__all__ = ["Agreement", "Closer", "CrowdStudy", "CurvePoint", "Difference", "VotesPerExpert"]


@dataclass(frozen=True)
class Agreement:
    """A coefficient between an expert and another expert or the combined crowd.

    `kind` is "experts" or "crowd"; for a crowd `first` is the method that combined its votes.
    """

    kind: str
    coefficient: str
    first: Any
    second: Any
    value: float
    interval: Interval
    n_items: int


@dataclass(frozen=True)
class Difference:
    """How much better the combined crowd agrees with an expert than the other experts do."""

    coefficient: str
    method: str
    expert: Any
    crowd: float
    experts: float
    value: float
    interval: Interval

    @property
    def word(self) -> str:
        """Whether the interval leaves a doubt: "higher", "lower" or "not told apart"."""
        if self.interval.low > 0:
            return "higher"
        return "lower" if self.interval.high < 0 else "not told apart"


@dataclass(frozen=True)
class Closer:
    """Which expert the crowd agrees with most, and by how much more than with the next.

    `method` is the one that combined the votes; "one vote" where none did.
    """

    coefficient: str
    method: str
    expert: Any
    next: Any
    value: float
    interval: Interval

    @property
    def sure(self) -> bool:
        """Whether the interval leaves no doubt."""
        return self.interval.low > 0


@dataclass(frozen=True)
class CurvePoint:
    """Mean agreement with the experts of so many votes, combined, over all ways to pick them.

    `n_full` items have that many votes; the others use what they have.
    """

    coefficient: str
    method: str
    votes: int
    value: float
    interval: Interval
    by_expert: tuple[float, ...]
    n_full: int
    cost: float


@dataclass(frozen=True)
class VotesPerExpert:
    """How many combined votes agree with the experts as well as the experts do with each other.

    Read off the curve, between whole numbers along a straight line. Infinite where the votes that
    there are do not get as far; `reached` is the share of resamples in which they do.
    """

    coefficient: str
    method: str
    votes: float
    low: float
    high: float
    most: int
    reached: float
    experts: float
    cost_per_item: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; what is not reached becomes None."""
        return dict(plain(self))


@dataclass(frozen=True)
class CrowdStudy:
    """How a crowd compares with experts.

    `arrangements` are of single votes; `agreement` of combined votes and of experts with experts;
    `differences` between these; `curve` and `votes_per_expert` say what further votes bring.
    `only_crowd` and `only_experts` count items that have no partner and are not used.
    """

    criterion: Any
    scale: Scale
    experts: tuple[Any, ...]
    methods: tuple[str, ...]
    coefficients: tuple[tuple[str, str], ...]
    n_items: int
    n_votes: int
    n_sessions: int
    only_crowd: int
    only_experts: int
    arrangements: tuple[Arrangements, ...]
    agreement: tuple[Agreement, ...]
    differences: tuple[Difference, ...]
    closer: tuple[Closer, ...]
    curve: tuple[CurvePoint, ...]
    votes_per_expert: tuple[VotesPerExpert, ...]
    judges: CrowdJudges
    costs: Costs
    shared: SharedSessions | None
    confidence: float
    resamples: int
    seed: int
    notes: tuple[str, ...] = ()

    @property
    def units(self) -> str:
        """What was drawn again for the intervals."""
        return "sessions" if self.n_sessions else "items"

    def title(self, coefficient: str) -> str:
        """The full name of a coefficient."""
        return dict(self.coefficients)[coefficient]

    def between_experts(self, coefficient: str) -> tuple[Agreement, ...]:
        """The agreement of each pair of experts."""
        return tuple(
            each
            for each in self.agreement
            if each.kind == "experts" and each.coefficient == coefficient
        )

    def combined(self, coefficient: str, expert: Any) -> tuple[Agreement, ...]:
        """The agreement of each method with an expert."""
        return tuple(
            each
            for each in self.agreement
            if each.kind == "crowd" and (each.coefficient, each.second) == (coefficient, expert)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON; NaN and what is not reached become None."""
        names = [name for name in self.__dataclass_fields__ if name != "scale"]
        made = {name: plain(getattr(self, name)) for name in names}
        made["scale"] = self.scale.describe()
        made["judges"] = self.judges.to_dict()
        for row, each in zip(made["differences"], self.differences, strict=True):
            row["word"] = each.word
        return made

    def __str__(self) -> str:
        lines = [
            f"{self.n_votes:,} votes and {len(self.experts)} experts on {self.n_items:,} items"
        ]
        lines += [f"  {each}" for each in self.arrangements]
        lines += [
            f"  {self.title(each.coefficient)}, {each.first} and {each.second}: {each.value:.4f} "
            f"{each.interval}"
            for each in self.agreement
        ]
        lines += [
            f"  {each.method}, {self.title(each.coefficient)}: {_votes(each)} equal one expert"
            for each in self.votes_per_expert
        ]
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes)])


def _votes(found: VotesPerExpert) -> str:
    return f"{found.votes:.1f} votes" if math.isfinite(found.votes) else f"over {found.most} votes"
