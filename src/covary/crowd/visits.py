"""People whom a platform sent, as the study knows them: in the platform's terms, and in numbers."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import fmean, median
from typing import Protocol

import numpy as np

from covary.analysis.crowd.workforce import gini
from covary.crowd.payments import Ended, Payment
from covary.crowd.submissions import Submission

ENDS: dict[str, Ended] = {
    "done": "done",
    "screened out": "screened out",
    "failed checks": "failed checks",
    "withdrew": "returned",
    "declined": "returned",
    "full": "returned",
    "abandoned": "returned",
    "arrived": "at work",
    "at work": "at work",
}
"""How a visit ended, by how it stands in the study."""

PLATFORM_STATUS = {
    "done": "AWAITING REVIEW",
    "screened out": "SCREENED OUT",
    "failed checks": "AWAITING REVIEW",
    "abandoned": "TIMED-OUT",
    "arrived": "ACTIVE",
    "at work": "ACTIVE",
}
"""What a platform would say; all else was returned there."""

MINUTE = 60


class RecordedVisit(Protocol):
    """What the study knows of somebody from a platform."""

    @property
    def participant(self) -> str: ...

    @property
    def submission(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def outcome(self) -> str: ...

    @property
    def code(self) -> str: ...

    @property
    def seconds(self) -> float | None: ...


@dataclass(frozen=True, kw_only=True)
class Workload:
    """How many items people judged, and how evenly that is spread."""

    total: int
    fewest: int
    most: int
    mean: float
    gini: float
    busiest_share: float


@dataclass(frozen=True, kw_only=True)
class MinutesTaken:
    """How long those who are done took."""

    median: float
    shortest: float
    longest: float


@dataclass(frozen=True, kw_only=True)
class PaymentTotals:
    """What is due in all, what lifts pay to the wage, and how often something is left to do."""

    visits: int
    paid: int
    pay: Decimal
    lifted: int
    top_up: Decimal
    to_do: dict[str, int]


def submissions_of(visits: Iterable[RecordedVisit]) -> tuple[Submission, ...]:
    """Return the visits as a platform would tell them, in whole seconds.

    People who came by a plain link have no submission; there they go by their names here.
    """
    return tuple(
        Submission(
            id=visit.submission or visit.name,
            participant=visit.participant,
            status=PLATFORM_STATUS.get(visit.outcome, "RETURNED"),
            code=visit.code,
            seconds=None if visit.seconds is None else float(int(visit.seconds)),
        )
        for visit in visits
    )


def ends_by_participant(visits: Iterable[RecordedVisit]) -> dict[str, Ended]:
    """Return how the visit of each participant ended here."""
    return {visit.participant: ENDS[visit.outcome] for visit in visits}


def as_approved(visits: Sequence[RecordedVisit]) -> list[Submission]:
    """Return the visits as they will stand when everybody who finished has been approved."""
    return [
        dataclasses.replace(told, status="APPROVED" if visit.outcome == "done" else told.status)
        for visit, told in zip(visits, submissions_of(visits), strict=True)
        if visit.outcome != "failed checks"
    ]


def count_outcomes(visits: Iterable[RecordedVisit]) -> dict[str, int]:
    """Count the visits by how they stand, in the order of `ENDS`."""
    counts = Counter(visit.outcome for visit in visits)
    return {outcome: counts[outcome] for outcome in ENDS if outcome in counts}


def workload(judged: Sequence[int]) -> Workload | None:
    """Describe how many items each person judged; None where nobody judged any.

    Examples
    --------
    >>> workload([1, 3]).busiest_share
    0.75
    """
    if not judged:
        return None
    return Workload(
        total=sum(judged),
        fewest=min(judged),
        most=max(judged),
        mean=fmean(judged),
        gini=gini(np.array(judged, dtype=float)),
        busiest_share=max(judged) / sum(judged),
    )


def minutes_taken(visits: Iterable[RecordedVisit]) -> MinutesTaken | None:
    """Describe how long those who are done took; None where nobody is."""
    minutes = [v.seconds / MINUTE for v in visits if v.outcome == "done" and v.seconds]
    if not minutes:
        return None
    return MinutesTaken(median=median(minutes), shortest=min(minutes), longest=max(minutes))


def payment_totals(due: Sequence[Payment]) -> PaymentTotals:
    """Sum what is due."""
    pay = [payment.pay for payment in due if payment.pay]
    lifts = [payment.top_up for payment in due if payment.top_up]
    return PaymentTotals(
        visits=len(due),
        paid=len(pay),
        pay=sum(pay, Decimal(0)),
        lifted=len(lifts),
        top_up=sum(lifts, Decimal(0)),
        to_do=dict(Counter(payment.to_do for payment in due if payment.to_do)),
    )
