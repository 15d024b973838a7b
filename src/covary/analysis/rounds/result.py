"""The result of `rounds` as small frozen values, and what a training cycle recorded beside it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from covary.analysis.judges import Drift
from covary.analysis.reliability_result import REPRODUCIBILITY
from covary.analysis.rounds.diagnosis import Diagnosis
from covary.analysis.rounds.differences import Gap, ItemShare, as_dict
from covary.analysis.rounds.fresh_group import FreshGroup
from covary.ratings import Ratings
from covary.ratings import expressions as nw
from covary.ratings.frames import Tabular, fetch
from covary.scales import Category, Level, Scale
from covary.stats.estimate import Estimate, Result, plain
from covary.words import Note

UPPER_BOUND = Note("rounds.upper-bound")
"""What to say beside every agreement of judges who wrote their own guidelines."""


@dataclass(frozen=True)
class Link(Result):
    """One disagreement that led to a change of the manual.

    `round` is the round in which the judges disagreed; `given` says who gave which rating, `said`
    who explained it how. The judges accepted `proposal`, and a change of this `kind` put
    `sentence` into the manual of that `version`.
    """

    round: int
    criterion: str
    item: str
    given: tuple[tuple[str, Category], ...]
    said: tuple[tuple[str, str], ...]
    proposal: str
    kind: str
    sentence: str
    version: str


@dataclass(frozen=True)
class RoundWork:
    """What one round took: how much was rated, marked, said, proposed and changed, and when.

    `marked` is None while judges still rate; `began` and `ended` are times in ISO form, or empty.
    `again` is the round whose items were rated once more after they were discussed.
    """

    round: int
    version: str
    judges: int
    items: int
    marked: int | None
    said: int
    proposals: int
    accepted: int
    changes: int
    began: str = ""
    ended: str = ""
    verdict: str = ""
    again: int | None = None

    @property
    def name(self) -> str:
        """What the round is called: its number, and which round's items it rated again."""
        return f"{self.round} (round {self.again} again)" if self.again else str(self.round)


@dataclass(frozen=True)
class EditionNote:
    """An edition of the manual: who wrote it in which round (0: the first), and what changed.

    A change is its kind, what it is in a few words, and the sentence that it left.
    """

    version: str
    round: int
    by: str = ""
    changes: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True)
class History:
    """What happened in the rounds of a training cycle, beside the ratings.

    `kinds` counts the changes of each kind after each round, `refused` the proposals on which the
    judges found no consensus, and `seconds` how long each judge rated in each round, where known.
    `work` says what each round took, `editions` how the manual grew, and `outcome` how it ended.
    `again` has, for each round that rated an earlier one's items once more, the number of that one.
    """

    links: tuple[Link, ...] = ()
    kinds: Mapping[int, Mapping[str, int]] = field(default_factory=lambda: MappingProxyType({}))
    refused: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))
    seconds: Mapping[tuple[int, str], float] = field(default_factory=lambda: MappingProxyType({}))
    work: tuple[RoundWork, ...] = ()
    editions: tuple[EditionNote, ...] = ()
    outcome: str = ""
    again: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def changes(self) -> int:
        """How many changes of the manual are recorded, of any kind."""
        return sum(sum(n.values()) for n in self.kinds.values())

    @property
    def telling_changes(self) -> int:
        """How many changes of the manual tell judges how to judge."""
        return sum(n.get("conceptual", 0) + n.get("rule", 0) for n in self.kinds.values())

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        seconds = [
            {"round": number, "judge": judge, "seconds": seconds}
            for (number, judge), seconds in self.seconds.items()
        ]
        return dict(plain(self)) | {"seconds": seconds}


@dataclass(frozen=True)
class SystemOrders:
    """The systems' means before and after, each from the best to the worst.

    Systems with equal means share a place.
    """

    before: tuple[tuple[Any, float], ...]
    after: tuple[tuple[Any, float], ...]

    @property
    def places(self) -> tuple[dict[Any, int], dict[Any, int]]:
        """The place of each system before and after."""
        return _places(self.before), _places(self.after)

    @property
    def changed(self) -> bool:
        """Whether the systems that both have stand in another order."""
        shared = dict(self.before).keys() & dict(self.after).keys()
        first, second = (
            _places([mean for mean in side if mean[0] in shared])
            for side in (self.before, self.after)
        )
        return first != second

    @property
    def sentence(self) -> Note:
        """The two orders in a sentence."""
        before, after = (_tied(side) for side in (self.before, self.after))
        return Note("rounds.systems", before=before, after=after, changed=self.changed)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "before": [{"system": name, "mean": plain(mean)} for name, mean in self.before],
            "after": [{"system": name, "mean": plain(mean)} for name, mean in self.after],
            "changed": self.changed,
        }


def _places(means: Sequence[tuple[Any, float]]) -> dict[Any, int]:
    """The place of each system, of equal means the same; means stand from the best to the worst.

    Examples
    --------
    >>> _places([("a", 4.0), ("b", 3.0), ("c", 3.0), ("d", 1.0)])
    {'a': 1, 'b': 2, 'c': 2, 'd': 4}
    """
    found: dict[Any, int] = {}
    last, place = math.nan, 0
    for number, (name, mean) in enumerate(means, 1):
        if not math.isclose(mean, last, abs_tol=1e-9):
            last, place = mean, number
        found[name] = place
    return found


def _tied(means: Sequence[tuple[Any, float]]) -> list[list[Any]]:
    """The systems from the best to the worst, those with equal means together."""
    groups: dict[int, list[Any]] = {}
    for name, place in _places(means).items():
        groups.setdefault(place, []).append(name)
    return list(groups.values())


def system_orders(before: Ratings, after: Ratings, criterion: Any) -> SystemOrders | None:
    """Order the systems by their means; None where they are not known or not ordered."""
    for side in (before, after):
        if "system" not in side.columns or side.scales[criterion].level is Level.NOMINAL:
            return None
    orders = SystemOrders(_system_means(before, criterion), _system_means(after, criterion))
    return orders if len(orders.before) > 1 and len(orders.after) > 1 else None


def _system_means(ratings: Ratings, criterion: Any) -> tuple[tuple[Any, float], ...]:
    scale = ratings.scales[criterion]
    totals: dict[Any, float] = {}
    numbers: dict[Any, int] = {}
    for system, rating, n in _rating_counts(ratings, criterion):
        place = rating if scale.categories is None else _position(scale, rating)
        totals[system] = totals.get(system, 0.0) + n * float(place)
        numbers[system] = numbers.get(system, 0) + n
    means = {system: totals[system] / numbers[system] for system in sorted(totals, key=str)}
    high_first = scale.best != "low"
    return tuple(sorted(means.items(), key=lambda mean: -mean[1] if high_first else mean[1]))


def _rating_counts(ratings: Ratings, criterion: Any) -> list[tuple[Any, Any, int]]:
    """How often each system received each rating, counted where the data live."""
    frame = ratings.frame.filter(~nw.col("rating").is_null(), ~nw.col("system").is_null())
    if criterion is not None:
        frame = frame.filter(nw.col("criterion") == criterion)
    counts = fetch(frame.group_by("system", "rating").agg(nw.len().alias("n")))
    return list(zip(*(counts[name].tolist() for name in ("system", "rating", "n")), strict=True))


def _position(scale: Scale, rating: Any) -> float:
    assert scale.categories is not None
    return scale.positions(Level.INTERVAL)[scale.categories.index(rating)]


@dataclass(frozen=True, kw_only=True)
class RoundResult:
    """One round on one criterion.

    `differing` counts the items on which judges lie further apart than the threshold, `within` is
    the share of the others; `pairs` is the share of pairs of ratings within the threshold. `counts`
    says how often each category was used, by all judges together, and `by_judge` by each.
    """

    round: Any
    scale: Scale = field(repr=False)
    n_items: int
    n_ratings: int
    differing: int
    within: ItemShare
    pairs: Estimate
    alpha: Estimate
    counts: tuple[int, ...] | None
    by_judge: tuple[tuple[Any, tuple[int, ...]], ...] = ()

    @property
    def commonest(self) -> float:
        """The share of the category that was used most; NaN where there are none."""
        if not self.counts or not sum(self.counts):
            return float("nan")
        return max(self.counts) / sum(self.counts)

    def row(self) -> dict[str, Any]:
        """The line of a table, not rounded."""
        limits = self.alpha.interval
        return {
            "round": self.round,
            "items": self.n_items,
            "ratings": self.n_ratings,
            "differing": self.differing,
            "within": self.within.value,
            "within_low": self.within.low,
            "within_high": self.within.high,
            "pairs_within": self.pairs.value,
            "alpha": self.alpha.value,
            "alpha_low": None if limits is None else limits.low,
            "alpha_high": None if limits is None else limits.high,
            "level": str(self.alpha.level),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "round": self.round,
            "n_items": self.n_items,
            "n_ratings": self.n_ratings,
            "differing": self.differing,
            "within": as_dict(self.within),
            "pairs_within": self.pairs.to_dict(),
            "alpha": self.alpha.to_dict(),
            "categories": None if self.scale.categories is None else list(self.scale.categories),
            "counts": None if self.counts is None else list(self.counts),
            "by_judge": [{"judge": judge, "counts": list(n)} for judge, n in self.by_judge],
        }


@dataclass(frozen=True, kw_only=True)
class RatedAgain:
    """The items of one round rated twice by the same judges: before and after the discussion.

    `gap` is alpha after the discussion less alpha before it, from the same items drawn together.
    """

    before: RoundResult
    after: RoundResult
    gap: Gap | None

    @property
    def sentence(self) -> Note:
        """What the discussion has settled, in a sentence."""
        return Note(
            "rounds.rated-again",
            round=self.before.round,
            items=self.after.n_items,
            differing=(self.before.differing, self.after.differing),
            before=self.before.alpha.value,
            after=self.after.alpha.value,
            clear=self.gap is not None and self.gap.clear,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
            "gap": as_dict(self.gap),
        }


@dataclass(frozen=True, kw_only=True)
class CriterionRounds:
    """All rounds on one criterion, the change from the first to the last, and what it means.

    `alpha_gap`, `within_gap` and `pairs_gap` are the last round less the first; None where there
    is only one. `drifts` are those of the judges in the last round, where the order is known.
    """

    criterion: Any
    threshold: float
    differs: str
    rounds: tuple[RoundResult, ...]
    alpha_gap: Gap | None
    within_gap: Gap | None
    pairs_gap: Gap | None
    systems: SystemOrders | None
    drifts: tuple[tuple[Any, Drift], ...]
    diagnosis: Diagnosis
    fresh: FreshGroup | None
    again: tuple[RatedAgain, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The criterion's name, or a word for the only one."""
        return "ratings" if self.criterion is None else str(self.criterion)

    @property
    def first(self) -> RoundResult:
        """The first round."""
        return self.rounds[0]

    @property
    def last(self) -> RoundResult:
        """The last round."""
        return self.rounds[-1]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "criterion": self.criterion,
            "threshold": self.threshold,
            "differs": self.differs,
            "rounds": [result.to_dict() for result in self.rounds],
            "alpha_gap": as_dict(self.alpha_gap),
            "within_gap": as_dict(self.within_gap),
            "pairs_gap": as_dict(self.pairs_gap),
            "systems": as_dict(self.systems),
            "drifts": [{"judge": judge, **drift.to_dict()} for judge, drift in self.drifts],
            "diagnosis": self.diagnosis.to_dict(),
            "fresh": as_dict(self.fresh),
            "again": [rated.to_dict() for rated in self.again],
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class RoundTime:
    """How long a judge rated in a round."""

    round: Any
    judge: Any
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Trace:
    """A disagreement, the sentence it led to, and alpha in that round and in the next one."""

    link: Link
    before: Estimate
    after: Estimate | None
    gap: Gap | None

    @property
    def sentence(self) -> Note:
        """The way from the disagreement to alpha, in a sentence."""
        known = self.gap is not None
        return Note(
            "rounds.trace",
            round=self.link.round,
            item=self.link.item,
            criterion=self.link.criterion,
            ratings=self.link.given,
            kind=self.link.kind,
            sentence=self.link.sentence,
            before=self.before.value,
            after=self.after.value if self.after is not None and known else None,
            clear=self.gap is not None and self.gap.clear,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "link": self.link.to_dict(),
            "alpha_before": self.before.to_dict(),
            "alpha_after": as_dict(self.after),
            "gap": as_dict(self.gap),
        }


@dataclass(frozen=True, kw_only=True)
class Rounds(Tabular):
    """What the rounds of training changed, on every criterion."""

    labels: tuple[Any, ...]
    criteria: tuple[CriterionRounds, ...]
    statement: str
    confidence: float
    seed: int
    times: tuple[RoundTime, ...] = ()
    traced: tuple[Trace, ...] = ()
    history: History | None = None
    notes: tuple[str, ...] = ()

    @property
    def curve(self) -> tuple[tuple[Any, int, int], ...]:
        """For each round, how many of how many items differ, over all criteria."""
        results = [result for criterion in self.criteria for result in criterion.rounds]
        return tuple(
            (
                label,
                sum(result.differing for result in results if result.round == label),
                sum(result.n_items for result in results if result.round == label),
            )
            for label in self.labels
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of `rows`, in order."""
        shares = ("differing", "within", "within_low", "within_high", "pairs_within")
        alpha = ("alpha", "alpha_low", "alpha_high", "level")
        return ("criterion", "round", "kind", "items", "ratings", "threshold", *shares, *alpha)

    def rows(self) -> list[dict[str, Any]]:
        """One line for each criterion and round, not rounded."""
        return [
            {
                "criterion": criterion.criterion,
                "kind": REPRODUCIBILITY,
                "threshold": criterion.threshold,
                **result.row(),
            }
            for criterion in self.criteria
            for result in criterion.rounds
        ]

    def __getitem__(self, criterion: Any) -> CriterionRounds:
        for rounds in self.criteria:
            if rounds.criterion == criterion:
                return rounds
        raise KeyError(criterion)

    def __iter__(self) -> Iterator[CriterionRounds]:
        return iter(self.criteria)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, not rounded."""
        return {
            "rounds": list(self.labels),
            "confidence": self.confidence,
            "seed": self.seed,
            "statement": self.statement,
            "curve": [
                {"round": label, "differing": differing, "n_items": n}
                for label, differing, n in self.curve
            ],
            "criteria": [criterion.to_dict() for criterion in self.criteria],
            "times": plain(self.times),
            "traced": [trace.to_dict() for trace in self.traced],
            "history": as_dict(self.history),
            "notes": list(self.notes),
        }
