"""What a batch on Mechanical Turk cost, by the fees that the platform took while it was open."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from statistics import fmean, median

from covary.formats.mturk_batch import Assignment

__all__ = ["BatchCost", "batch_cost"]

HOUR = 3600
CENT = Decimal("0.01")
SHARE, MORE, FROM = Decimal("0.20"), Decimal("0.20"), 10
"""A fifth of the reward, another fifth with ten or more assignments of a HIT, at least a cent."""


@dataclass(frozen=True)
class BatchCost:
    """The account of a batch; rejected assignments were not paid.

    `paid` is for approved assignments and `owed` for those that wait; `fees` are on both. `hourly`
    is over all paid or waiting work of known time. NaN where nothing is known.
    """

    paid: Decimal
    owed: Decimal
    fees: Decimal
    unpriced: int
    seconds_mean: float
    seconds_median: float
    hourly: float

    @property
    def total(self) -> Decimal:
        """What the batch cost or will have cost."""
        return self.paid + self.owed + self.fees


def batch_cost(assignments: Iterable[Assignment]) -> BatchCost:
    """Say what a batch cost, how long assignments took and what an hour of them paid.

    Examples
    --------
    >>> from covary.formats.mturk_batch import Assignment
    >>> one = Assignment(2, "a", "h", "w", "Approved", Decimal("0.05"), 30.0, 3, "", "")
    >>> found = batch_cost([one] * 3)
    >>> found.paid, found.fees, found.hourly
    (Decimal('0.15'), Decimal('0.03'), 6.0)
    """
    due = [each for each in assignments if each.status != "Rejected"]
    priced = [each for each in due if each.reward is not None]
    times = [each.seconds for each in due if each.seconds is not None]
    timed = [each for each in priced if each.seconds]
    spent = sum(each.seconds or 0.0 for each in timed)
    return BatchCost(
        paid=_sum(each.reward for each in priced if each.status == "Approved"),
        owed=_sum(each.reward for each in priced if each.status != "Approved"),
        fees=_sum(_fee(each) for each in priced),
        unpriced=len(due) - len(priced),
        seconds_mean=fmean(times) if times else math.nan,
        seconds_median=median(times) if times else math.nan,
        hourly=float(_sum(each.reward for each in timed)) * HOUR / spent if spent else math.nan,
    )


def _sum(amounts: Iterable[Decimal | None]) -> Decimal:
    return sum((each for each in amounts if each is not None), Decimal(0))


def _fee(assignment: Assignment) -> Decimal:
    assert assignment.reward is not None
    many = assignment.of_hit is not None and assignment.of_hit >= FROM
    share = assignment.reward * (SHARE + MORE if many else SHARE)
    return max(CENT, share.quantize(CENT, ROUND_HALF_UP)) if assignment.reward else Decimal(0)
