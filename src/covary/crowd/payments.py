"""Everything that is needed to pay people: one row for each submission."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Literal

from covary.crowd.cost import PAID, Prices, actual_cost
from covary.crowd.platforms import Codes
from covary.crowd.submissions import Submission, money

__all__ = ["Payment", "bonuses_due", "payments", "write_payments"]

Ended = Literal["done", "screened out", "failed checks", "other code", "no code"]
COLUMNS = (
    "participant", "submission", "status", "code", "ended", "minutes", "pay", "bonus", "top_up",
    "to_do",
)  # fmt: skip
WAITING = "AWAITING REVIEW"
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet would compute a cell that begins so, and participants type codes themselves."""


@dataclass(frozen=True)
class Payment:
    """What one submission is due.

    `ended` is told by the code; `pay` is due or paid already, `bonus` was paid, and `top_up` would
    lift an approved submission to the wage. `to_do` is empty where nothing is left to decide.
    """

    submission: Submission
    ended: Ended
    pay: Decimal
    top_up: Decimal
    to_do: str


def payments(
    submissions: Iterable[Submission], prices: Prices, codes: Codes
) -> tuple[Payment, ...]:
    """Say for each submission how it ended, what it is due and what is left to do."""
    given = list(submissions)
    top_ups = actual_cost(given, prices).top_ups
    times = Counter(each.participant for each in given if each.status in (*PAID, WAITING))
    return tuple(
        Payment(
            submission=each,
            ended=(ended := _ended(each.code, codes)),
            pay=_due(each, ended, prices),
            top_up=top_ups.get(each.id, Decimal(0)),
            to_do=_to_do(each, ended, times[each.participant]),
        )
        for each in given
    )


def bonuses_due(due: Iterable[Payment]) -> dict[str, Decimal]:
    """Return the bonuses that lift people to the wage, by submission, ready to be set up."""
    return {each.submission.id: each.top_up for each in due if each.top_up > 0}


def write_payments(due: Iterable[Payment], path: str | Path) -> Path:
    """Write the payments as CSV; minutes that nobody knows stay empty."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_row(each) for each in due)
    file = Path(path)
    file.write_text(text.getvalue(), encoding="utf-8", newline="")
    return file


def _row(payment: Payment) -> list[str]:
    visit = payment.submission
    return [
        *(_harmless(each) for each in (visit.participant, visit.id, visit.status, visit.code)),
        payment.ended,
        "" if visit.seconds is None else f"{visit.minutes:.2f}",
        *(f"{each:.2f}" for each in (payment.pay, visit.bonus, payment.top_up)),
        payment.to_do,
    ]


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell.startswith(FORMULA) else cell


def _ended(code: str, codes: Codes) -> Ended:
    known: dict[str, Ended] = {
        "": "no code",
        codes.done: "done",
        codes.screened_out: "screened out",
        codes.failed: "failed checks",
    }
    return known.get(code.strip(), "other code")


def _due(visit: Submission, ended: Ended, prices: Prices) -> Decimal:
    waiting = visit.status == WAITING
    if visit.status in PAID or (waiting and ended == "done"):
        return money(prices.pay)
    if visit.status == "SCREENED OUT" or (waiting and ended == "screened out"):
        return money(prices.screen_out)
    return Decimal(0)


def _to_do(visit: Submission, ended: Ended, times: int) -> str:
    if visit.status != WAITING:
        return ""
    if times > 1:
        return "look: this participant has several submissions"
    return {
        "done": "approve",
        "screened out": "screen out, or ask to return",
        "failed checks": "look at the failed checks, then approve or reject",
        "other code": "look: the code is not the study's; did this person finish?",
        "no code": "look: there is no code; did this person finish?",
    }[ended]
