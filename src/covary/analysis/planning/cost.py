"""What ratings cost: pay, fees, the time they take and what an hour of it pays.

One arithmetic for a plan and for a crowd: amounts are exact decimals, so that sums of cents are
sums of cents.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_UP, Decimal, InvalidOperation

from covary.errors import InvalidArgument
from covary.words import Note

HOUR = 3600
CENT = Decimal("0.01")

Amount = Decimal | float | str


def money(amount: Decimal | float | str) -> Decimal:
    """Return an amount exactly as it was written, so that sums of cents are sums of cents.

    Examples
    --------
    >>> money(0.05) + money("0.01")
    Decimal('0.06')
    """
    try:
        exact = Decimal(str(amount))
    except InvalidOperation:
        raise InvalidArgument("crowd.money", value=amount) from None
    if not exact.is_finite() or exact < 0:
        raise InvalidArgument("crowd.money-range", value=amount)
    return exact


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
        for amount in (self.pay, self.fee, self.fee_share, self.wage, self.screen_out):
            if amount is not None:
                money(amount)

    def fees(self, paid: Decimal, assignments: int) -> Decimal:
        """Return the platform's share of what is paid for some assignments."""
        return money(self.fee) * assignments + money(self.fee_share) * paid


@dataclass(frozen=True, kw_only=True)
class ExpectedCost:
    """An estimate: `total` is `paid` and `fees`; NaN where the time is not known."""

    assignments: int
    paid: Decimal
    fees: Decimal
    per_item: Decimal
    hours: float
    hourly: float
    warnings: tuple[Note, ...] = ()

    @property
    def total(self) -> Decimal:
        """What the study will cost."""
        return self.paid + self.fees


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
    numbers = {"items": items, "votes": votes, "items_per_assignment": items_per_assignment}
    for name, number in numbers.items():
        if number < 1:
            raise InvalidArgument("crowd.at-least-one", argument=name, value=number)
    return estimate(-(-items * votes // items_per_assignment), items, prices, seconds)


def estimate(
    assignments: int, items: int, prices: Prices, seconds: float | None = None
) -> ExpectedCost:
    """Say what so many assignments cost, which together judge so many items."""
    if seconds is not None and not (math.isfinite(seconds) and seconds > 0):
        raise InvalidArgument("crowd.seconds", argument="seconds", value=seconds)
    paid = money(prices.pay) * assignments
    fees = prices.fees(paid, assignments)
    return ExpectedCost(
        assignments=assignments,
        paid=paid,
        fees=fees,
        per_item=(paid + fees) / items,
        hours=math.nan if seconds is None else assignments * seconds / HOUR,
        hourly=hourly_pay(money(prices.pay), seconds),
        warnings=tuple(_wage_warnings(prices, seconds)),
    )


def hourly_pay(earned: Decimal, seconds: float | None) -> float:
    """Return what an hour pays; NaN where the time is not known."""
    return float(earned) * HOUR / seconds if seconds else math.nan


def _wage_warnings(prices: Prices, seconds: float | None) -> Iterator[Note]:
    if prices.wage is None:
        yield Note("crowd.no-wage", what="an hour of this work is")
    elif seconds is None:
        yield Note("crowd.unknown-time")
    else:
        wage, hourly = money(prices.wage), hourly_pay(money(prices.pay), seconds)
        if hourly < wage:
            fair = (wage * Decimal(str(seconds)) / HOUR).quantize(CENT, ROUND_UP)
            yield Note("crowd.below-wage", hourly=hourly, wage=wage, fair=fair)
