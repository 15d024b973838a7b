"""What `covary.reliability` returns: small frozen values that print themselves."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import compress
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from covary.analysis.disagreement import Decomposition, JudgeSeverity
from covary.analysis.verdict import DEFAULTS, Thresholds, Verdict
from covary.ratings.frames import Tabular
from covary.records import dataclass
from covary.scales import Level, Scale
from covary.stats import special
from covary.stats.estimate import Estimate, Interval, Result, plain
from covary.stats.patterns import Patterns
from covary.words import word

LOW, HIGH = 0.6, 0.7
"""A judge stands apart whose every pair stays below the one, while the partners' other pairs reach
the other in the middle."""


NEAR_ONE = 0.999
"""Correlations are cut here on Fisher's z scale, which has no end."""

MEDIAN = math.pi / 2
"""How much more a median varies than a mean, of normal numbers."""

LEAST_IN_BATCH = 10
"""With fewer items a batch is not said to be the best."""

SURE = 0.05
"""Below this p of the sign test, one of two judges is said to be higher when they differ."""

COLUMNS = """
    criterion comparison label coefficient value low high target method confidence low_other_judges
    high_other_judges items judges ratings verdict sure reason signature kind severity scale_use
    noise single_ratings item_means system_means
"""

Row = dict[str, Any]

REPRODUCIBILITY = "reproducibility"
"""Which of Krippendorff's kinds of reliability (2004: 215) the numbers are: between judges."""


@dataclass(frozen=True, kw_only=True)
class Severity:
    """How often the second of two judges rates higher, equal and lower, with a sign test's p."""

    judges: tuple[Any, Any]
    higher: int
    equal: int
    lower: int
    p: float

    @property
    def sentence(self) -> str:
        """Say who is higher when the two differ."""
        up = self.higher > self.lower
        who = None if self.p >= SURE else self.judges[1 if up else 0]
        times = self.higher if up else self.lower
        facts = {"who": who, "times": times, "differ": self.higher + self.lower}
        return word("reliability.tendency", {"judges": self.judges} | facts)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as plain values."""
        return dict(plain(self)) | {"sentence": self.sentence}


class PairOrder(NamedTuple):
    """The correlation of two judges, with its interval where one is known and may decide."""

    judges: tuple[Any, Any]
    value: float
    interval: Interval | None = None

    @property
    def on_z(self) -> tuple[float, float]:
        """The middle of the interval on Fisher's z scale, and its variance; NaN without one.

        A value at the end of its range, from a few pairs of items, is not taken at its word.
        """
        if self.interval is None:
            return math.nan, math.nan
        ends = np.clip((self.interval.low, self.interval.high), -NEAR_ONE, NEAR_ONE)
        low, high = np.arctanh(ends).tolist()
        width = 2 * (special.ndtri((1 + self.interval.level) / 2) or math.nan)
        return (low + high) / 2, ((high - low) / width) ** 2


@dataclass(frozen=True, kw_only=True)
class Suspect:
    """A judge whose correlations are low while those of the partners are high elsewhere.

    `shown` says whether the difference is larger than chance makes it among so many judges.
    """

    judge: Any
    own: float
    partners: float
    shown: bool

    @property
    def sentence(self) -> str:
        """Say why this judge stands apart."""
        return word("reliability.suspect" if self.shown else "reliability.suspect-open", vars(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain values."""
        return dict(plain(self)) | {"sentence": self.sentence}


@dataclass(frozen=True, kw_only=True)
class BestBatch:
    """The judges who agree best on the items that they share, and how well."""

    judges: tuple[Any, ...]
    agreement: Estimate

    @property
    def sentence(self) -> str:
        """Say who agrees best, on how many items."""
        estimate = self.agreement
        known = estimate.interval
        limits = "" if known is None else f" [{known.low:.2f}, {known.high:.2f}]"
        facts = {"items": estimate.n_items, "title": estimate.title, "value": estimate.value}
        return word("reliability.best-batch", {"judges": self.judges, "limits": limits} | facts)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        estimate = self.agreement.to_dict()
        return {"judges": list(self.judges), "agreement": estimate, "sentence": self.sentence}


def _surely(estimate: Estimate) -> float:
    """The least that a coefficient surely is; its value where no interval is known."""
    return estimate.value if estimate.interval is None else estimate.interval.low


class Side(NamedTuple):
    """One of the two coefficients of a comparison, with its interval for other judges."""

    measure: Literal["agreement", "correlation"]
    estimate: Estimate
    others: Interval | None


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Agreement beside correlation for a set of judges, with both intervals and the verdict.

    `agreement.interval` speaks of these judges and other items; `agreement_of_others` and
    `correlation_of_others` of other judges too, where that can be had (three or more judges).
    """

    label: str
    judges: tuple[Any, ...]
    agreement: Estimate
    correlation: Estimate | None
    verdict: Verdict
    disagreement: Decomposition | None = None
    agreement_of_others: Interval | None = None
    correlation_of_others: Interval | None = None
    severity: Severity | None = None

    @property
    def sides(self) -> tuple[Side, ...]:
        """Agreement and, where there is one, correlation."""
        agreement = Side("agreement", self.agreement, self.agreement_of_others)
        if self.correlation is None:
            return (agreement,)
        return agreement, Side("correlation", self.correlation, self.correlation_of_others)

    def rows(self, kind: str) -> Iterator[Row]:
        """Return a row for each coefficient; `kind` says what sort of comparison this is."""
        about = {"comparison": kind, "label": self.label, "verdict": self.verdict.word}
        about["sure"] = "yes" if self.verdict.sure else "no"
        about |= {use.purpose.replace(" ", "_"): use.state for use in self.verdict.uses}
        if self.disagreement is not None:
            shares = vars(self.disagreement)
            about |= {name: shares[name] for name in ("severity", "scale_use", "noise")}
        yield from (about | _estimate_row(side.estimate, side.others) for side in self.sides)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return _plain_fields(self)


def _estimate_row(estimate: Estimate, others: Interval | None = None) -> Row:
    row: Row = {
        "kind": REPRODUCIBILITY,
        "coefficient": estimate.name,
        "value": estimate.value,
        "items": estimate.n_items,
        "judges": estimate.n_judges,
        "ratings": estimate.n_ratings,
        "reason": "" if estimate.defined or not estimate.notes else estimate.notes[-1],
        "signature": estimate.signature,
    }
    interval = estimate.interval
    if interval is not None:
        row |= {"low": interval.low, "high": interval.high, "target": interval.target}
        row |= {"method": interval.method, "confidence": interval.level}
    if others is not None:
        row |= {"low_other_judges": others.low, "high_other_judges": others.high}
    return row


@dataclass(frozen=True)
class GroupDifference:
    """How much more the first group of judges agrees than the second, with its interval."""

    groups: tuple[str, str]
    value: float
    interval: Interval | None

    @property
    def told_apart(self) -> bool:
        """Whether the interval excludes no difference."""
        return self.interval is not None and not self.interval.low <= 0 <= self.interval.high

    @property
    def sentence(self) -> str:
        """Say whether the groups differ."""
        facts = {"groups": self.groups, "value": self.value, "told_apart": self.told_apart}
        return word("reliability.difference", facts)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return dict(plain(self)) | {"sentence": self.sentence}


@dataclass(frozen=True, kw_only=True)
class Subsets(Result):
    """The correlation in every subset of so many judges: its mean, lowest and highest."""

    size: int
    number: int
    mean: float
    low: float
    low_judges: tuple[Any, ...]
    high: float
    high_judges: tuple[Any, ...]


SEVERAL = ("beside", "groups", "differences", "pairs", "batches", "subsets", "suspects", "judges")
"""What there may be several of on one criterion."""


@dataclass(frozen=True, kw_only=True)
class CriterionReliability(Tabular):
    """Everything about the reliability of the ratings on one criterion.

    `beside` holds further coefficients that suit the level; `distribution` how often each judge
    used each category; `batches` the sets of judges who shared items, where there are several;
    `judges` how severe each judge is.
    """

    criterion: Any
    scale: Scale
    n_items: int
    n_judges: int
    n_ratings: int
    dominant: float
    overall: Comparison
    beside: tuple[Estimate, ...]
    groups: tuple[Comparison, ...]
    differences: tuple[GroupDifference, ...]
    pairs: tuple[Comparison, ...]
    batches: tuple[Comparison, ...]
    subsets: tuple[Subsets, ...]
    suspects: tuple[Suspect, ...]
    distribution: dict[Any, tuple[int, ...]]
    judges: tuple[JudgeSeverity, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def best_batch(self) -> BestBatch | None:
        """The batch whose judges agree best, as far as can be said; None where there are not two.

        Where intervals are known it is the one whose lower end is highest, so that a few lucky
        items do not make it; batches of fewer than ten items are left out.
        """
        several = [
            batch
            for batch in self.batches
            if batch.agreement.defined and batch.agreement.n_items >= LEAST_IN_BATCH
        ]
        if len(several) < 2:
            return None
        best = max(several, key=lambda batch: _surely(batch.agreement))
        return BestBatch(judges=best.judges, agreement=best.agreement)

    @property
    def name(self) -> str:
        """The criterion's name, or a word for the only one."""
        return "ratings" if self.criterion is None else str(self.criterion)

    @property
    def label(self) -> str:
        """The criterion's name, or nothing where there is only one."""
        return "" if self.criterion is None else self.name

    def rows(self) -> Iterator[Row]:
        """Return a row for each comparison and coefficient."""
        name = {"criterion": "" if self.criterion is None else self.criterion}
        yield from (name | row for row in self.overall.rows("overall"))
        whole = name | {"comparison": "overall", "label": self.overall.label}
        yield from (whole | _estimate_row(estimate) for estimate in self.beside)
        kinds = {"group": self.groups, "pair": self.pairs, "batch": self.batches}
        for kind, comparisons in kinds.items():
            for comparison in comparisons:
                yield from (name | row for row in comparison.rows(kind))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "criterion": self.criterion,
            "scale": self.scale.describe(),
            "best": self.scale.best,
            "counts": {"items": self.n_items, "judges": self.n_judges, "ratings": self.n_ratings},
            "dominant_share": self.dominant,
            "overall": self.overall.to_dict(),
            "distribution": {str(j): list(c) for j, c in self.distribution.items()},
            "best_batch": None if self.best_batch is None else self.best_batch.to_dict(),
            "notes": list(self.notes),
        } | {name: [part.to_dict() for part in getattr(self, name)] for name in SEVERAL}


@dataclass(frozen=True, kw_only=True)
class Average(Result):
    """A coefficient's mean over criteria, with and without its signs."""

    name: str
    signed: float
    absolute: float
    criteria: int

    @classmethod
    def of(cls, name: str, values: Sequence[float]) -> Average:
        """Average values over criteria."""
        signed, absolute = float(np.mean(values)), float(np.mean(np.abs(values)))
        return cls(name=name, signed=signed, absolute=absolute, criteria=len(values))


@dataclass(frozen=True, kw_only=True)
class Reliability(Tabular):
    """Agreement beside correlation for every criterion, ready to print and to report."""

    criteria: tuple[CriterionReliability, ...]
    averages: tuple[Average, ...]
    n_items: int
    n_judges: int
    n_ratings: int
    slots: bool
    confidence: float
    seed: int
    thresholds: Thresholds = DEFAULTS

    columns: ClassVar[tuple[str, ...]] = tuple(COLUMNS.split())
    """The columns of the rows, in order; `reason` says why there is no value."""

    def rows(self) -> list[Row]:
        """Return a row for each criterion, comparison and coefficient.

        `comparison` is overall, group, pair or batch. The verdict stands beside the coefficients
        that it was made from.
        """
        return [row for criterion in self.criteria for row in criterion.rows()]

    def __str__(self) -> str:
        lines = []
        for criterion in self.criteria:
            overall = criterion.overall
            lines.append(f"{criterion.name}: {overall.verdict.word}")
            lines += [f"  {side.estimate}" for side in overall.sides]
            lines.append(f"  {overall.verdict.sentence}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        counts = {"items": self.n_items, "judges": self.n_judges, "ratings": self.n_ratings}
        return {
            "counts": counts,
            "slots": self.slots,
            "confidence": self.confidence,
            "seed": self.seed,
            "thresholds": self.thresholds.to_dict(),
            "criteria": [criterion.to_dict() for criterion in self.criteria],
            "averages": [average.to_dict() for average in self.averages],
        }


def _plain_fields(record: Any) -> dict[str, Any]:
    """A record's fields as plain values: tuples as lists, records as their own plain values."""
    plain = {}
    for name, value in vars(record).items():
        value = list(value) if isinstance(value, tuple) else value
        plain[name] = value.to_dict() if hasattr(value, "to_dict") else value
    return plain


def severity(patterns: Patterns, first: Any, second: Any) -> Severity:
    """Count how often the second judge rates higher than the first, item by item."""
    numbers = patterns.numbers(Level.ORDINAL)
    a, b = (patterns.judges.index(judge) for judge in (first, second))
    difference = numbers[:, b] - numbers[:, a]
    higher, equal, lower = (
        int(patterns.counts[which].sum())
        for which in (difference > 0, difference == 0, difference < 0)
    )
    p = _sign_test(higher, lower)
    return Severity(judges=(first, second), higher=higher, equal=equal, lower=lower, p=p)


def suspects(pairs: Sequence[PairOrder]) -> tuple[Suspect, ...]:
    """Find judges whose pairs are all low while their partners do well with others.

    The partners of a judge are those who share a pair; their other pairs are those without the
    judge.
    """
    known = [pair for pair in pairs if pair.value == pair.value]
    judges = sorted({judge for pair in known for judge in pair.judges}, key=str)
    numbers = {judge: number for number, judge in enumerate(judges)}
    who = np.array([[numbers[judge] for judge in pair.judges] for pair in known], int)
    who = who.reshape(-1, 2)
    values = np.array([pair.value for pair in known])
    best = np.full(len(judges), -np.inf)
    np.maximum.at(best, who.T.ravel(), np.tile(values, 2))
    apart = []
    for number in np.flatnonzero(best < LOW).tolist():
        mine = (who == number).any(axis=1)
        elsewhere = np.isin(who, who[mine]).any(axis=1) & ~mine
        if elsewhere.any() and float(np.median(values[elsewhere])) >= HIGH:
            own, others = (list(compress(known, which)) for which in (mine, elsewhere))
            facts = {
                "own": float(np.mean(values[mine])),
                "partners": float(np.median(values[elsewhere])),
            }
            shown = _surely_lower(own, others, len(judges))
            apart.append(Suspect(judge=judges[number], shown=shown, **facts))
    return tuple(apart)


def _surely_lower(own: Sequence[PairOrder], others: Sequence[PairOrder], judges: int) -> bool:
    """Whether the mean of the one lies below the median of the others, for each of so many judges.

    Pairs of judges on the same items err alike, which makes their differences smaller: to take
    them for independent errs on the side of silence.
    """
    left, right = (np.array([pair.on_z for pair in pairs]) for pairs in (own, others))
    left, right = (side[~np.isnan(side).any(axis=1)] for side in (left, right))
    if not len(left) or not len(right):
        return False
    difference = np.median(right[:, 0]) - np.mean(left[:, 0])
    variance = left[:, 1].sum() / len(left) ** 2
    variance += MEDIAN * right[:, 1].sum() / len(right) ** 2
    sure = special.ndtri(1 - SURE / 2 / judges)
    return bool(sure is not None and difference > sure * math.sqrt(variance))


def _sign_test(higher: int, lower: int) -> float:
    """The two-sided probability of so uneven a split if either were equally likely."""
    n, k = higher + lower, min(higher, lower)
    return float(min(1.0, 2 * special.bdtr(k, n, 0.5))) if n else 1.0
