"""What a crowd costs: an estimate before anybody is paid, and the account afterwards."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, ROUND_UP, Decimal
from statistics import fmean, median

from covary.analysis.planning.cost import CENT, HOUR, Prices, hourly_pay, money
from covary.crowd.submissions import STATUSES, Submission
from covary.formats.mturk import Assignment
from covary.words import Note

PAID = ("APPROVED", "PARTIALLY APPROVED")

TURK_SHARE, TURK_MORE, TURK_MANY = Decimal("0.20"), Decimal("0.20"), 10
"""Mechanical Turk took a fifth of the reward, another fifth with ten or more assignments of a HIT,
and at least a cent."""


@dataclass(frozen=True, kw_only=True)
class ActualCost:
    """The account of a study.

    `paid`, `bonuses` and `fees` are spent; `owed` is what waiting submissions will cost if all of
    them are approved. `hourly` is over all paid work of known time, `hourly_median` over
    people's submissions; `top_ups` is the bonus, by submission, that lifts each to the wage.
    """

    approved: int
    waiting: int
    screened_out: int
    paid: Decimal
    bonuses: Decimal
    fees: Decimal
    owed: Decimal
    hours: float
    hourly: float
    hourly_median: float
    top_ups: Mapping[str, Decimal]
    warnings: tuple[Note, ...] = ()

    @property
    def total(self) -> Decimal:
        """What the study has cost so far."""
        return self.paid + self.bonuses + self.fees


@dataclass(frozen=True, kw_only=True)
class BatchCost:
    """The account of a batch on Mechanical Turk; rejected assignments were not paid.

    `paid` is for approved assignments and `owed` for those that wait; `fees` are on both. `hourly`
    is over all paid or waiting work of known time. `turnaround` are the hours from the first
    acceptance to the last submission, whatever became of it. NaN where nothing is known.
    """

    paid: Decimal
    owed: Decimal
    fees: Decimal
    unpriced: int
    seconds_mean: float
    seconds_median: float
    hourly: float
    turnaround: float = math.nan

    @property
    def total(self) -> Decimal:
        """What the batch cost or will have cost."""
        return self.paid + self.owed + self.fees


def actual_cost(submissions: Iterable[Submission], prices: Prices) -> ActualCost:
    """Say what a study has cost, from the platform's submissions."""
    visits = list(submissions)
    approved = [visit for visit in visits if visit.status in PAID]
    waiting = sum(visit.status == "AWAITING REVIEW" for visit in visits)
    screened = sum(visit.status == "SCREENED OUT" for visit in visits)
    pay, bonuses = money(prices.pay), _sum(visit.bonus for visit in visits)
    paid = pay * len(approved) + money(prices.screen_out) * screened
    timed = [(visit, visit.seconds) for visit in approved if visit.seconds]
    spent = sum(seconds for _, seconds in timed)
    lacking = {visit.id: top_up(visit, pay, prices) for visit, _ in timed}
    top_ups = {submission: amount for submission, amount in lacking.items() if amount > 0}
    rates = [hourly_pay(pay + visit.bonus, seconds) for visit, seconds in timed]
    return ActualCost(
        approved=len(approved),
        waiting=waiting,
        screened_out=screened,
        paid=paid,
        bonuses=bonuses,
        fees=prices.fees(paid + bonuses, len(approved) + screened),
        owed=pay * waiting + prices.fees(pay * waiting, waiting),
        hours=spent / HOUR if timed else math.nan,
        hourly=hourly_pay(_sum(pay + visit.bonus for visit, _ in timed), spent),
        hourly_median=median(rates) if rates else math.nan,
        top_ups=top_ups,
        warnings=(
            *_status_warnings(visits),
            *_account_warnings(len(approved), len(timed), top_ups, prices),
        ),
    )


def whole_cost(account: ActualCost, people: int, prices: Prices) -> Decimal:
    """Say what a study costs in the end: what it has cost so far, and the people still wanted."""
    left = max(0, people - account.approved)
    to_come = money(prices.pay) * left
    return account.total + to_come + prices.fees(to_come, left)


def _sum(amounts: Iterable[Decimal | None]) -> Decimal:
    return sum((amount for amount in amounts if amount is not None), Decimal(0))


def top_up(visit: Submission, pay: Decimal, prices: Prices) -> Decimal:
    """Return the bonus that lifts a visit of known time, paid so much, to the wage.

    It is rounded up to the cent.
    """
    if prices.wage is None or not visit.seconds:
        return Decimal(0)
    fair = money(prices.wage) * Decimal(str(visit.seconds)) / HOUR
    return max(Decimal(0), (fair - pay - visit.bonus).quantize(CENT, ROUND_UP))


def _status_warnings(visits: Iterable[Submission]) -> Iterator[Note]:
    unknown = sorted({visit.status for visit in visits} - {*STATUSES})
    if unknown:
        yield Note("crowd.unknown-status", statuses=unknown)


def _account_warnings(
    approved: int, timed: int, top_ups: Mapping[str, Decimal], prices: Prices
) -> Iterator[Note]:
    if timed < approved:
        yield Note("crowd.unknown-times", n=approved - timed, approved=approved)
    if prices.wage is None:
        yield Note("crowd.no-wage", what="people were")
    elif top_ups:
        bonuses, wage = _sum(top_ups.values()), money(prices.wage)
        yield Note("crowd.underpaid", n=len(top_ups), timed=timed, wage=wage, bonuses=bonuses)


def batch_cost(assignments: Iterable[Assignment]) -> BatchCost:
    """Say what a batch on Mechanical Turk cost, how long it took and what an hour of it paid.

    Examples
    --------
    >>> from covary.formats.mturk import Assignment
    >>> approved = Assignment(
    ...     line=2,
    ...     id="a",
    ...     hit="h",
    ...     worker="w",
    ...     status="Approved",
    ...     reward=Decimal("0.05"),
    ...     seconds=30.0,
    ...     of_hit=3,
    ...     accepted="",
    ...     submitted="",
    ... )
    >>> cost = batch_cost([approved] * 3)
    >>> cost.paid, cost.fees, cost.hourly
    (Decimal('0.15'), Decimal('0.03'), 6.0)
    """
    every = list(assignments)
    due = [assignment for assignment in every if assignment.status != "Rejected"]
    priced = [assignment for assignment in due if assignment.reward is not None]
    times = [assignment.seconds for assignment in due if assignment.seconds is not None]
    timed = [(one.reward, one.seconds) for one in priced if one.seconds]
    return BatchCost(
        paid=_sum(one.reward for one in priced if one.status == "Approved"),
        owed=_sum(one.reward for one in priced if one.status != "Approved"),
        fees=_sum(_turk_fee(one.reward, one.of_hit) for one in priced),
        unpriced=len(due) - len(priced),
        seconds_mean=fmean(times) if times else math.nan,
        seconds_median=median(times) if times else math.nan,
        hourly=hourly_pay(_sum(reward for reward, _ in timed), sum(time for _, time in timed)),
        turnaround=turnaround_hours(every),
    )


OFFSETS = {"PST": -8, "PDT": -7, "UTC": 0, "GMT": 0, "Z": 0}
"""The time zones in which Mechanical Turk wrote its times, in hours from UTC."""


def turnaround_hours(assignments: Iterable[Assignment]) -> float:
    """Return the hours from the first acceptance to the last submission; NaN where none is known.

    Examples
    --------
    >>> _moment("Mon Mar 07 10:30:00 PST 2016").isoformat()
    '2016-03-07T18:30:00+00:00'
    """
    every = list(assignments)
    begun = [moment for one in every if (moment := _moment(one.accepted)) is not None]
    ended = [moment for one in every if (moment := _moment(one.submitted)) is not None]
    if not begun or not ended:
        return math.nan
    return (max(ended) - min(begun)).total_seconds() / HOUR


def _moment(written: str) -> datetime | None:
    """Read a time as Mechanical Turk writes it, such as `Mon Mar 07 10:30:00 PST 2016`."""
    parts = written.split()
    if len(parts) != 6 or parts[4] not in OFFSETS:
        return None
    try:
        local = datetime.strptime(" ".join((*parts[1:4], parts[5])), "%b %d %H:%M:%S %Y")
    except ValueError:
        return None
    return (local - timedelta(hours=OFFSETS[parts[4]])).replace(tzinfo=UTC)


def _turk_fee(reward: Decimal | None, of_hit: int | None) -> Decimal:
    """The fee on one assignment of a HIT that has so many."""
    if not reward:
        return Decimal(0)
    share = TURK_SHARE + TURK_MORE if of_hit is not None and of_hit >= TURK_MANY else TURK_SHARE
    return max(CENT, (reward * share).quantize(CENT, ROUND_HALF_UP))
