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

from covary.analysis.planning.cost import Prices, money
from covary.crowd.cost import PAID, top_up
from covary.crowd.platforms import Codes
from covary.crowd.submissions import Submission
from covary.words import word

Ended = Literal[
    "done",
    "screened out",
    "failed checks",
    "returned",
    "at work",
    "not here",
    "other code",
    "no code",
]
"""How a visit ended; "not here" is somebody who never came to the study."""

DECISIONS: Mapping[Ended, str] = {
    "done": "approve",
    "screened out": "screen-out",
    "returned": "return",
    "at work": "at-work",
    "not here": "not-here",
    "failed checks": "failed-checks",
    "other code": "other-code",
    "no code": "no-code",
}
"""What is left to decide about a waiting submission, by how the visit ended."""

COLUMNS = (
    *("participant", "submission", "status", "code", "ended", "minutes"),
    *("pay", "bonus", "top_up", "to_do"),
)
WAITING = "AWAITING REVIEW"
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet would compute a cell that begins so, and participants type codes themselves."""


@dataclass(frozen=True, kw_only=True)
class Payment:
    """What one submission is due.

    `ended` is told by the study or else by the code; `pay` is due or paid already, `bonus` was
    paid, and `top_up` would lift a submission that is paid in full to the wage. `decision` says
    what is left to do, as a code, and is empty where nothing is left to decide.
    """

    submission: Submission
    ended: Ended
    pay: Decimal
    top_up: Decimal
    decision: str

    @property
    def to_do(self) -> str:
        """What is left to do, in words."""
        return word(f"crowd.to-do.{self.decision}") if self.decision else ""

    def row(self) -> dict[str, str]:
        """The line of a table; minutes that nobody knows stay empty."""
        visit = self.submission
        return {
            "participant": _harmless(visit.participant),
            "submission": _harmless(visit.id),
            "status": _harmless(visit.status),
            "code": _harmless(visit.code),
            "ended": self.ended,
            "minutes": "" if visit.seconds is None else f"{visit.minutes:.2f}",
            "pay": f"{self.pay:.2f}",
            "bonus": f"{visit.bonus:.2f}",
            "top_up": f"{self.top_up:.2f}",
            "to_do": self.to_do,
        }


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
    visits = list(submissions)
    times = Counter(visit.participant for visit in visits if visit.status in (*PAID, WAITING))
    due = []
    for visit in visits:
        by_code = _ended(visit.code, codes)
        ended = by_code if known is None else known.get(visit.participant, "not here")
        pay = _pay(visit, ended, prices)
        whole = pay == money(prices.pay)
        due.append(
            Payment(
                submission=visit,
                ended=ended,
                pay=pay,
                top_up=top_up(visit, pay, prices) if pay and whole else Decimal(0),
                decision=_decision(visit, ended, by_code, several=times[visit.participant] > 1),
            )
        )
    return tuple(due)


def bonuses_due(due: Iterable[Payment]) -> dict[str, Decimal]:
    """Return the bonuses that lift approved submissions to the wage, ready to be set up."""
    return {
        payment.submission.id: payment.top_up
        for payment in due
        if payment.top_up > 0 and payment.submission.status in PAID
    }


def write_payments(due: Iterable[Payment], path: str | Path) -> Path:
    """Write the payments as CSV."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(payment.row() for payment in due)
    file = Path(path)
    file.write_text(text.getvalue(), encoding="utf-8", newline="")
    return file


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


def _pay(visit: Submission, ended: Ended, prices: Prices) -> Decimal:
    """What a visit is due, or was paid already."""
    waiting = visit.status == WAITING
    if visit.status in PAID or (waiting and ended == "done"):
        return money(prices.pay)
    if visit.status == "SCREENED OUT" or (waiting and ended == "screened out"):
        return money(prices.screen_out)
    return Decimal(0)


def _decision(visit: Submission, ended: Ended, by_code: Ended, *, several: bool) -> str:
    if visit.status != WAITING:
        return ""
    if several:
        return "several"
    if by_code == "done" and ended not in ("done", "other code", "no code"):
        return "code-of-others"
    return DECISIONS[ended]
