"""Everything that is needed to pay people: one row for each submission."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Literal

from covary.crowd.cost import PAID, Prices, top_up
from covary.crowd.platforms import Codes
from covary.crowd.submissions import Submission, money

__all__ = ["Payment", "bonuses_due", "payments", "write_payments"]

Ended = Literal[
    "done", "screened out", "failed checks", "returned", "at work", "not here", "other code",
    "no code",
]  # fmt: skip
"""How a visit ended; "not here" is somebody who never came to the study."""

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

    `ended` is told by the study or else by the code; `pay` is due or paid already, `bonus` was
    paid, and `top_up` would lift a submission that is paid in full to the wage. `to_do` is empty
    where nothing is left to decide.
    """

    submission: Submission
    ended: Ended
    pay: Decimal
    top_up: Decimal
    to_do: str


def payments(
    submissions: Iterable[Submission],
    prices: Prices,
    codes: Codes,
    known: Mapping[str, Ended] | None = None,
) -> tuple[Payment, ...]:
    """Say for each submission how it ended, what it is due and what is left to do.

    Parameters
    ----------
    submissions
        The visits, as the platform tells them.
    prices, codes
        What one visit pays, and the codes of the study.
    known
        How the visit of each participant ended by the study's own records, which count more than a
        code that somebody typed. Without it, the code tells.
    """
    given = list(submissions)
    times = Counter(each.participant for each in given if each.status in (*PAID, WAITING))
    found = []
    for each in given:
        by_code = _ended(each.code, codes)
        ended = by_code if known is None else known.get(each.participant, "not here")
        pay = _due(each, ended, prices)
        whole = pay > 0 and pay == money(prices.pay)
        found.append(
            Payment(
                submission=each,
                ended=ended,
                pay=pay,
                top_up=top_up(each, pay, prices) if whole else Decimal(0),
                to_do=_to_do(each, ended, times[each.participant], by_code),
            )
        )
    return tuple(found)


def bonuses_due(due: Iterable[Payment]) -> dict[str, Decimal]:
    """Return the bonuses that lift approved submissions to the wage, ready to be set up."""
    return {
        each.submission.id: each.top_up
        for each in due
        if each.top_up > 0 and each.submission.status in PAID
    }


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
        codes.done: "done",
        codes.screened_out: "screened out",
        codes.failed: "failed checks",
        codes.returned: "returned",
        "": "no code",
    }
    return known.get(code.strip(), "other code")


def _due(visit: Submission, ended: Ended, prices: Prices) -> Decimal:
    waiting = visit.status == WAITING
    if visit.status in PAID or (waiting and ended == "done"):
        return money(prices.pay)
    if visit.status == "SCREENED OUT" or (waiting and ended == "screened out"):
        return money(prices.screen_out)
    return Decimal(0)


def _to_do(visit: Submission, ended: Ended, times: int, by_code: Ended) -> str:
    if visit.status != WAITING:
        return ""
    if times > 1:
        return "look: this participant has several submissions"
    if by_code == "done" and ended not in ("done", "other code", "no code"):
        return "look: came with the code of those who are done, and has not finished here"
    return {
        "done": "approve",
        "screened out": "screen out, or ask to return",
        "returned": "ask to return",
        "at work": "look: has not finished here",
        "not here": "look: never came to the study",
        "failed checks": "look at the failed checks, then approve or reject",
        "other code": "look: the code is not the study's; did this person finish?",
        "no code": "look: there is no code; did this person finish?",
    }[ended]
