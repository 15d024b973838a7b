"""The result of `crowd_study`, as small frozen values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from covary.analysis.crowd.arrangements import Arrangements
from covary.analysis.crowd.overlap import SharedSessions
from covary.analysis.crowd.workforce import Costs, CrowdJudges
from covary.analysis.reliability_result import REPRODUCIBILITY
from covary.ratings.frames import Tabular
from covary.scales import Scale
from covary.stats.estimate import Interval, Result, plain


@dataclass(frozen=True, kw_only=True)
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

    def row(self) -> dict[str, Any]:
        """The line of a table."""
        return _interval_row(self.kind, self, **{"of": self.first, "with": self.second})


@dataclass(frozen=True, kw_only=True)
class CrowdDifference:
    """How much better the combined crowd agrees with an expert than the other experts do."""

    coefficient: str
    method: str
    expert: Any
    crowd: float
    experts: float
    value: float
    interval: Interval

    def row(self) -> dict[str, Any]:
        """The line of a table."""
        return _interval_row("difference", self, **{"of": self.method, "with": self.expert})

    @property
    def word(self) -> str:
        """Whether the interval leaves a doubt: "higher", "lower" or "not told apart"."""
        if self.interval.low > 0:
            return "higher"
        return "lower" if self.interval.high < 0 else "not told apart"


@dataclass(frozen=True, kw_only=True)
class ClosestExpert:
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


@dataclass(frozen=True, kw_only=True)
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

    def row(self) -> dict[str, Any]:
        """The line of a table."""
        own = {"of": self.method, "votes": self.votes, "cost": self.cost}
        return _interval_row("curve", self, **own)


@dataclass(frozen=True, kw_only=True)
class VotesPerExpert(Result):
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

    @property
    def words(self) -> str:
        """The number of votes in words: `3.4 votes`, `over 5 votes`."""
        return f"{self.votes:.1f} votes" if math.isfinite(self.votes) else f"over {self.most} votes"

    def row(self) -> dict[str, Any]:
        """The line of a table."""
        return {
            "kind": "votes per expert",
            "coefficient": self.coefficient,
            "of": self.method,
            "value": self.votes,
            "low": self.low,
            "high": self.high,
            "cost": self.cost_per_item,
        }


@dataclass(frozen=True, kw_only=True)
class CrowdStudy(Tabular):
    """How a crowd compares with experts.

    `arrangements` are of single votes; `agreement` of combined votes and of experts with experts;
    `differences` between these; `curve` and `votes_per_expert` say what further votes bring.
    `only_crowd` and `only_experts` count items that only one side rated; they are not used.
    """

    criterion: Any
    scale: Scale
    experts: tuple[Any, ...]
    methods: tuple[str, ...]
    coefficients: tuple[tuple[str, str], ...]
    n_items: int
    n_votes: int
    n_sessions: int
    nested_in: str
    only_crowd: int
    only_experts: int
    arrangements: tuple[Arrangements, ...]
    agreement: tuple[Agreement, ...]
    differences: tuple[CrowdDifference, ...]
    closer: tuple[ClosestExpert, ...]
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
        return f"{self.nested_in}s" if self.n_sessions else "items"

    def title(self, coefficient: str) -> str:
        """The full name of a coefficient."""
        return dict(self.coefficients)[coefficient]

    def between_experts(self, coefficient: str) -> tuple[Agreement, ...]:
        """The agreement of each pair of experts."""
        return tuple(
            pair
            for pair in self.agreement
            if pair.kind == "experts" and pair.coefficient == coefficient
        )

    def combined(self, coefficient: str, expert: Any) -> tuple[Agreement, ...]:
        """The agreement of each method with an expert."""
        return tuple(
            pair
            for pair in self.agreement
            if pair.kind == "crowd" and (pair.coefficient, pair.second) == (coefficient, expert)
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of `rows`, in order.

        `reliability` says which of Krippendorff's kinds a number is. Other judges, whoever they
        are, show reproducibility; an expert is no gold standard.
        """
        names = ("kind", "reliability", "coefficient", "of", "votes", "with")
        return (*names, "value", "low", "high", "sd", "cost")

    def rows(self) -> list[dict[str, Any]]:
        """One line for each number: arrangements, agreements, differences, curve, votes."""
        parts = (self.arrangements, self.agreement, self.differences, self.curve)
        numbers = [number for part in (*parts, self.votes_per_expert) for number in part]
        return [number.row() | {"reliability": REPRODUCIBILITY} for number in numbers]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON; NaN and what is not reached become None."""
        names = [name for name in self.__dataclass_fields__ if name != "scale"]
        values = {name: plain(getattr(self, name)) for name in names}
        values["scale"] = self.scale.describe()
        values["judges"] = self.judges.to_dict()
        for row, difference in zip(values["differences"], self.differences, strict=True):
            row["word"] = difference.word
        return values

    def __str__(self) -> str:
        lines = [
            f"{self.n_votes:,} votes and {len(self.experts)} experts on {self.n_items:,} items"
        ]
        lines += [f"  {single}" for single in self.arrangements]
        lines += [
            f"  {self.title(pair.coefficient)}, {pair.first} and {pair.second}: {pair.value:.4f} "
            f"{pair.interval}"
            for pair in self.agreement
        ]
        lines += [
            f"  {rate.method}, {self.title(rate.coefficient)}: {rate.words} equal one expert"
            for rate in self.votes_per_expert
        ]
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes)])


def _interval_row(kind: str, number: Any, **own: Any) -> dict[str, Any]:
    """The line of a number that has a coefficient, a value and an interval."""
    interval: Interval = number.interval
    ends = {"low": interval.low, "high": interval.high, "sd": interval.standard_error}
    return {"kind": kind, "coefficient": number.coefficient, **own, "value": number.value, **ends}
