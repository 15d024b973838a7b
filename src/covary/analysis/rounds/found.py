"""What `rounds` finds, as small frozen values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from covary.analysis.pace import Drift
from covary.analysis.rounds.diagnosis import Diagnosis
from covary.analysis.rounds.fresh import Fresh
from covary.analysis.rounds.history import History, Link
from covary.analysis.rounds.ranking import SystemOrders
from covary.analysis.rounds.shares import Gap, Share
from covary.scales import Scale
from covary.stats.estimate import Estimate
from covary.stats.plain import plain

__all__ = ["UPPER_BOUND", "CriterionRounds", "RoundFound", "RoundTime", "Rounds", "Traced"]

UPPER_BOUND = (
    "Agreement among judges who wrote the guidelines together is an upper bound: they also share "
    "what they never wrote down. Only a new group of judges, who have nothing but the written "
    "manual, shows what the guidelines achieve."
)
"""What to say beside every agreement of judges who wrote their own guidelines."""


@dataclass(frozen=True)
class RoundFound:
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
    within: Share
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

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "round": self.round, "n_items": self.n_items, "n_ratings": self.n_ratings,
            "differing": self.differing, "within": self.within.to_dict(),
            "pairs_within": self.pairs.to_dict(), "alpha": self.alpha.to_dict(),
            "categories": None if self.scale.categories is None else list(self.scale.categories),
            "counts": None if self.counts is None else list(self.counts),
            "by_judge": [{"judge": judge, "counts": list(n)} for judge, n in self.by_judge],
        }  # fmt: skip


@dataclass(frozen=True)
class CriterionRounds:
    """All rounds on one criterion, the change from the first to the last, and what it means.

    `alpha_gap`, `within_gap` and `pairs_gap` are the last round less the first; None where there
    is only one. `drifts` are those of the judges in the last round, where the order is known.
    """

    criterion: Any
    threshold: float
    differs: str
    rounds: tuple[RoundFound, ...]
    alpha_gap: Gap | None
    within_gap: Gap | None
    pairs_gap: Gap | None
    systems: SystemOrders | None
    drifts: tuple[tuple[Any, Drift], ...]
    diagnosis: Diagnosis
    fresh: Fresh | None
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The criterion's name, or a word for the only one."""
        return "ratings" if self.criterion is None else str(self.criterion)

    @property
    def first(self) -> RoundFound:
        """The first round."""
        return self.rounds[0]

    @property
    def last(self) -> RoundFound:
        """The last round."""
        return self.rounds[-1]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "criterion": self.criterion,
            "threshold": self.threshold,
            "differs": self.differs,
            "rounds": [each.to_dict() for each in self.rounds],
            "alpha_gap": None if self.alpha_gap is None else self.alpha_gap.to_dict(),
            "within_gap": None if self.within_gap is None else self.within_gap.to_dict(),
            "pairs_gap": None if self.pairs_gap is None else self.pairs_gap.to_dict(),
            "systems": None if self.systems is None else self.systems.to_dict(),
            "drifts": [{"judge": judge, **drift.to_dict()} for judge, drift in self.drifts],
            "diagnosis": self.diagnosis.to_dict(),
            "fresh": None if self.fresh is None else self.fresh.to_dict(),
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class RoundTime:
    """How long a judge rated in a round."""

    round: Any
    judge: Any
    seconds: float


@dataclass(frozen=True)
class Traced:
    """A disagreement, the sentence it led to, and alpha in that round and in the next one."""

    link: Link
    before: Estimate
    after: Estimate | None
    gap: Gap | None

    @property
    def sentence(self) -> str:
        """The way from the disagreement to alpha, in a sentence."""
        told = ", ".join(f"{judge} {rating}" for judge, rating in self.link.given)
        way = (
            f"In round {self.link.round}, {self.link.item} divided the judges on "
            f"{self.link.criterion} ({told}); it led to the {self.link.kind} change "
            f"{self.link.sentence!r}."
        )
        if self.after is None or self.gap is None:
            return f"{way} No later round was rated."
        sure = "" if self.gap.clear else ", which may be chance"
        return (
            f"{way} Alpha was {self.before.value:.2f} before and {self.after.value:.2f} in the "
            f"next round{sure}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "link": self.link.to_dict(),
            "alpha_before": self.before.to_dict(),
            "alpha_after": None if self.after is None else self.after.to_dict(),
            "gap": None if self.gap is None else self.gap.to_dict(),
        }


@dataclass(frozen=True)
class Rounds:
    """What the rounds of training changed, on every criterion."""

    labels: tuple[Any, ...]
    criteria: tuple[CriterionRounds, ...]
    statement: str
    confidence: float
    seed: int
    times: tuple[RoundTime, ...] = ()
    traced: tuple[Traced, ...] = ()
    history: History | None = None
    notes: tuple[str, ...] = ()

    @property
    def curve(self) -> tuple[tuple[Any, int, int], ...]:
        """For each round, how many of how many items differ, over all criteria."""
        return tuple(
            (label, sum(each.differing for each in here), sum(each.n_items for each in here))
            for label in self.labels
            for here in [[one for c in self.criteria for one in c.rounds if one.round == label]]
        )

    def __getitem__(self, criterion: Any) -> CriterionRounds:
        for each in self.criteria:
            if each.criterion == criterion:
                return each
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
            "criteria": [each.to_dict() for each in self.criteria],
            "times": plain(self.times),
            "traced": [each.to_dict() for each in self.traced],
            "history": None if self.history is None else self.history.to_dict(),
            "notes": list(self.notes),
        }
