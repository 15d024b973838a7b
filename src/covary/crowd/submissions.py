"""What a platform knows of one visit: who, how it ended, how long it took, what was paid extra."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from covary.errors import InvalidArgument, RatingsError, listed

__all__ = ["STATUSES", "Submission", "money"]

STATUSES = (
    "RESERVED", "ACTIVE", "AWAITING REVIEW", "APPROVED", "PARTIALLY APPROVED", "REJECTED",
    "RETURNED", "TIMED-OUT", "SCREENED OUT", "PROCESSING",
)  # fmt: skip
"""Prolific's own words; a new one is kept as it was written."""


@dataclass(frozen=True)
class Submission:
    """One visit of one participant; `seconds` is None where nobody knows how long it took."""

    id: str
    participant: str
    status: str
    code: str = ""
    seconds: float | None = None
    bonus: Decimal = Decimal(0)

    def __post_init__(self) -> None:
        if self.seconds is not None and not (math.isfinite(self.seconds) and self.seconds >= 0):
            raise InvalidArgument(f"submission {self.id!r} took {self.seconds!r} seconds")

    @property
    def minutes(self) -> float:
        """How long it took; NaN where nobody knows."""
        return math.nan if self.seconds is None else self.seconds / 60

    @classmethod
    def from_prolific(cls, record: Mapping[str, Any]) -> Submission:
        """Read a submission as Prolific's API writes it; bonuses come in hundredths.

        Examples
        --------
        >>> found = Submission.from_prolific(
        ...     {
        ...         "id": "s1",
        ...         "participant_id": "p1",
        ...         "status": "AWAITING REVIEW",
        ...         "time_taken": 90,
        ...         "study_code": "CODE1",
        ...         "bonus_payments": [150, 25],
        ...     }
        ... )
        >>> found.participant, found.code, found.minutes, found.bonus
        ('p1', 'CODE1', 1.5, Decimal('1.75'))
        """
        named = {
            "id": record.get("id"),
            "participant": record.get("participant_id") or record.get("participant"),
            "status": record.get("status"),
        }
        missing = [name for name, value in named.items() if not isinstance(value, str) or not value]
        if missing:
            raise RatingsError(f"a submission came without {listed(missing)}: {record!r:.200}")
        extra = sum((money(each) for each in record.get("bonus_payments") or ()), Decimal(0))
        return cls(
            id=str(named["id"]),
            participant=str(named["participant"]),
            status=_status(str(named["status"])),
            code=str(record.get("entered_code") or record.get("study_code") or ""),
            seconds=_seconds(record),
            bonus=extra / 100,
        )


def money(amount: Decimal | float | str) -> Decimal:
    """Return an amount exactly as it was written, so that sums of cents are sums of cents.

    Examples
    --------
    >>> money(0.05) + money("0.01")
    Decimal('0.06')
    """
    try:
        found = Decimal(str(amount))
    except InvalidOperation:
        raise InvalidArgument(f"{amount!r} is no amount of money; write 1.50") from None
    if not found.is_finite() or found < 0:
        raise InvalidArgument(f"{amount!r} is no amount of money; it must be 0 or more")
    return found


def _status(written: str) -> str:
    """Bring SCREENED_OUT and timed_out to the words of `STATUSES`."""
    plain = re.sub(r"[\s_-]+", " ", written.strip().upper())
    return next((each for each in STATUSES if each.replace("-", " ") == plain), written)


def _seconds(record: Mapping[str, Any]) -> float | None:
    taken = record.get("time_taken")
    if isinstance(taken, int | float) and not isinstance(taken, bool):
        return float(taken)
    started, completed = (_moment(record.get(each)) for each in ("started_at", "completed_at"))
    if started is None or completed is None:
        return None
    return max(0.0, (completed - started).total_seconds())


def _moment(written: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(written))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)  # Prolific's times are UTC
