"""What a crowd costs: an estimate before anybody is paid, and the account afterwards."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import ROUND_UP, Decimal
from statistics import median

from covary.crowd.submissions import STATUSES, Submission, money
from covary.errors import InvalidArgument, listed

__all__ = [
    "ActualCost",
    "ExpectedCost",
    "Prices",
    "actual_cost",
    "estimate",
    "expected_cost",
    "top_up",
]

HOUR = 3600
CENT = Decimal("0.01")
PAID = ("APPROVED", "PARTIALLY APPROVED")

Amount = Decimal | float | str


@dataclass(frozen=True)
class Prices:
    """What one assignment pays and costs, in one currency.

    `pay` goes to the participant; the platform takes `fee`, or `fee_share` of the pay and of
    every bonus, or both. `wage` is the least pay of an hour that the researcher accepts, and
    `screen_out` is paid to somebody who was screened out.
    """

    pay: Amount
    fee: Amount = 0
    fee_share: Amount = 0
    wage: Amount | None = None
    screen_out: Amount = 0

    def __post_init__(self) -> None:
        for each in (self.pay, self.fee, self.fee_share, self.wage, self.screen_out):
            if each is not None:
                money(each)

    def fees(self, paid: Decimal, assignments: int) -> Decimal:
        """Return the platform's share of what is paid for some assignments."""
        return money(self.fee) * assignments + money(self.fee_share) * paid


@dataclass(frozen=True)
class ExpectedCost:
    """An estimate: `total` is `paid` and `fees`; NaN where the time is not known."""

    assignments: int
    paid: Decimal
    fees: Decimal
    per_item: Decimal
    hours: float
    hourly: float
    warnings: tuple[str, ...] = ()

    @property
    def total(self) -> Decimal:
        """What the study will cost."""
        return self.paid + self.fees


@dataclass(frozen=True)
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
    warnings: tuple[str, ...] = ()

    @property
    def total(self) -> Decimal:
        """What the study has cost so far."""
        return self.paid + self.bonuses + self.fees


def expected_cost(
    items: int,
    votes: int,
    prices: Prices,
    *,
    items_per_assignment: int = 1,
    seconds: float | None = None,
) -> ExpectedCost:
    """Say what a study will cost, how long it takes, and what an hour of it pays.

    Parameters
    ----------
    items, votes
        The number of items, and how many people judge each.
    prices
        What one assignment pays and costs.
    items_per_assignment
        How many items somebody judges for one pay: 1 for a task of one item, the length of a
        sheet where people judge a sheet.
    seconds
        How long one assignment takes, instructions included; a pilot tells.

    Notes
    -----
    The cost is assignments · (pay + fee), where assignments = items · votes / items_per_assignment,
    rounded up. Banchs (2016) asked for three votes on each of 405 turns at $.05 and a fee of $.01.

    Examples
    --------
    >>> expected_cost(405, 3, Prices(pay=0.05, fee=0.01)).total
    Decimal('72.90')
    """
    for name, value in (
        ("items", items), ("votes", votes), ("items_per_assignment", items_per_assignment),
    ):  # fmt: skip
        if value < 1:
            raise InvalidArgument(f"{name}={value!r} must be 1 or more")
    return estimate(-(-items * votes // items_per_assignment), items, prices, seconds)


def estimate(
    assignments: int, items: int, prices: Prices, seconds: float | None = None
) -> ExpectedCost:
    """Say what so many assignments cost, which together judge so many items."""
    if seconds is not None and not (math.isfinite(seconds) and seconds > 0):
        raise InvalidArgument(f"seconds={seconds!r} must be more than 0; None if nobody knows")
    paid = money(prices.pay) * assignments
    fees = prices.fees(paid, assignments)
    hourly = math.nan if seconds is None else _hourly(money(prices.pay), seconds)
    return ExpectedCost(
        assignments=assignments,
        paid=paid,
        fees=fees,
        per_item=(paid + fees) / items,
        hours=math.nan if seconds is None else assignments * seconds / HOUR,
        hourly=hourly,
        warnings=_about_wage(hourly, prices, seconds),
    )


def actual_cost(submissions: Iterable[Submission], prices: Prices) -> ActualCost:
    """Say what a study has cost, from the platform's submissions."""
    given = list(submissions)
    approved = [each for each in given if each.status in PAID]
    waiting = [each for each in given if each.status == "AWAITING REVIEW"]
    screened = [each for each in given if each.status == "SCREENED OUT"]
    pay, bonuses = money(prices.pay), sum((each.bonus for each in given), Decimal(0))
    paid = pay * len(approved) + money(prices.screen_out) * len(screened)
    timed = [each for each in approved if each.seconds]
    spent = sum(each.seconds or 0.0 for each in timed)
    earned = sum((pay + each.bonus for each in timed), Decimal(0))
    rates = [_hourly(pay + each.bonus, each.seconds or math.nan) for each in timed]
    hourly = _hourly(earned, spent) if spent else math.nan
    top_ups = _top_ups(timed, pay, prices)
    return ActualCost(
        approved=len(approved),
        waiting=len(waiting),
        screened_out=len(screened),
        paid=paid,
        bonuses=bonuses,
        fees=prices.fees(paid + bonuses, len(approved) + len(screened)),
        owed=pay * len(waiting) + prices.fees(pay * len(waiting), len(waiting)),
        hours=spent / HOUR if timed else math.nan,
        hourly=hourly,
        hourly_median=median(rates) if rates else math.nan,
        top_ups=top_ups,
        warnings=(*_about_statuses(given), *_about_account(approved, timed, top_ups, prices)),
    )


def _hourly(earned: Decimal, seconds: float) -> float:
    return float(earned) * HOUR / seconds


def _about_wage(hourly: float, prices: Prices, seconds: float | None) -> tuple[str, ...]:
    if prices.wage is None:
        return ("No wage is set, so nobody checked whether an hour of this work is paid fairly.",)
    if seconds is None:
        return ("The time of an assignment is not known; try it out and give the seconds.",)
    wage = money(prices.wage)
    if hourly >= wage:
        return ()
    fair = (wage * Decimal(str(seconds)) / HOUR).quantize(CENT, ROUND_UP)
    return (
        f"An hour pays {hourly:.2f}, less than the wage of {wage:.2f}; pay {fair} or more for each "
        "assignment.",
    )


def _top_ups(timed: Iterable[Submission], pay: Decimal, prices: Prices) -> dict[str, Decimal]:
    """Return what each submission lacks of the wage, rounded up to the cent."""
    found = {each.id: top_up(each, pay, prices) for each in timed}
    return {submission: lacking for submission, lacking in found.items() if lacking > 0}


def top_up(visit: Submission, pay: Decimal, prices: Prices) -> Decimal:
    """Return the bonus that lifts a visit of known time, paid so much, to the wage."""
    if prices.wage is None or not visit.seconds:
        return Decimal(0)
    fair = money(prices.wage) * Decimal(str(visit.seconds)) / HOUR
    return max(Decimal(0), (fair - pay - visit.bonus).quantize(CENT, ROUND_UP))


def _about_statuses(given: Iterable[Submission]) -> tuple[str, ...]:
    unknown = sorted({each.status for each in given} - {*STATUSES})
    if not unknown:
        return ()
    return (f"Nobody knows whether {listed(unknown)} is paid; it was counted as not paid.",)


def _about_account(
    approved: list[Submission],
    timed: list[Submission],
    top_ups: Mapping[str, Decimal],
    prices: Prices,
) -> tuple[str, ...]:
    said = []
    if len(timed) < len(approved):
        unknown = len(approved) - len(timed)
        said.append(f"The time of {unknown} of {len(approved)} approved submissions is not known.")
    if prices.wage is None:
        said.append("No wage is set, so nobody checked whether people were paid fairly.")
    elif top_ups:
        said.append(
            f"{len(top_ups)} of {len(timed)} approved submissions paid less than the wage of "
            f"{money(prices.wage):.2f} an hour; bonuses of {sum(top_ups.values(), Decimal(0))} in "
            "all would make up for it."
        )
    return tuple(said)
