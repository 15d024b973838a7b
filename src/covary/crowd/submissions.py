"""What a platform knows of one visit: who, how it ended, how long it took, what was paid extra."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from covary.analysis.planning.cost import money
from covary.errors import InvalidArgument, RatingsError
from covary.formats.text_files import detect_encoding, open_bytes

STATUSES = (
    *("RESERVED", "ACTIVE", "AWAITING REVIEW", "APPROVED", "PARTIALLY APPROVED", "REJECTED"),
    *("RETURNED", "TIMED-OUT", "SCREENED OUT", "PROCESSING"),
)
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
            raise InvalidArgument("crowd.submission-time", value=self.seconds, id=self.id)

    @property
    def minutes(self) -> float:
        """How long it took; NaN where nobody knows."""
        return math.nan if self.seconds is None else self.seconds / 60

    @classmethod
    def from_prolific(cls, record: Mapping[str, Any]) -> Submission:
        """Read a submission as Prolific's API writes it; bonuses come in hundredths.

        Examples
        --------
        >>> visit = Submission.from_prolific(
        ...     {
        ...         "id": "s1",
        ...         "participant_id": "p1",
        ...         "status": "AWAITING REVIEW",
        ...         "time_taken": 90,
        ...         "study_code": "CODE1",
        ...         "bonus_payments": [150, 25],
        ...     }
        ... )
        >>> visit.participant, visit.code, visit.minutes, visit.bonus
        ('p1', 'CODE1', 1.5, Decimal('1.75'))
        """
        fields = {
            "id": record.get("id"),
            "participant": record.get("participant_id") or record.get("participant"),
            "status": record.get("status"),
        }
        missing = [name for name, text in fields.items() if not isinstance(text, str) or not text]
        if missing:
            raise RatingsError("crowd.submission-fields", names=missing, record=dict(record))
        cents = sum((money(bonus) for bonus in record.get("bonus_payments") or ()), Decimal(0))
        return cls(
            id=str(fields["id"]),
            participant=str(fields["participant"]),
            status=_status(str(fields["status"])),
            code=str(record.get("entered_code") or record.get("study_code") or ""),
            seconds=_seconds(record),
            bonus=cents / 100,
        )


EXPORTED = {
    "Submission id": "id",
    "Participant id": "participant_id",
    "Status": "status",
    "Time taken": "time_taken",
    "Started at": "started_at",
    "Completed at": "completed_at",
    "Completion code": "entered_code",
}
"""The columns of the file that Prolific's page of a study downloads, as its API calls them."""

NEEDED = ("Submission id", "Participant id", "Status")


def read_submissions(path: str | Path) -> tuple[Submission, ...]:
    """Read the submissions of a study as Prolific's own page downloads them, as CSV.

    Demographics and whatever else stands in the file are not read, and bonuses are not in it.
    """
    file = Path(path)
    with open_bytes(file) as stream:
        text = stream.read().decode(detect_encoding(file)).removeprefix("\ufeff")
    table = csv.DictReader(io.StringIO(text, newline=""))
    known = {name.casefold(): key for name, key in EXPORTED.items()}
    keys = {column: known.get(column.strip().casefold()) for column in table.fieldnames or ()}
    missing = [name for name in NEEDED if EXPORTED[name] not in keys.values()]
    if missing:
        raise RatingsError("crowd.submission-columns", file=file.name, names=missing)
    found: dict[str, int] = {}
    read = []
    for cells in table:
        record: dict[str, Any] = {
            key: (cells[column] or "").strip() for column, key in keys.items() if key is not None
        }
        record["time_taken"] = _number(record.get("time_taken", ""))
        visit = Submission.from_prolific(record)
        first = found.setdefault(visit.id, table.line_num)
        if first != table.line_num:
            lines = (first, table.line_num)
            raise RatingsError("crowd.submission-twice", file=file.name, id=visit.id, lines=lines)
        read.append(visit)
    return tuple(read)


def _number(text: str) -> float | None:
    """Read seconds; None where the cell is empty or says something else."""
    try:
        return float(text)
    except ValueError:
        return None


def _status(written: str) -> str:
    """Bring SCREENED_OUT and timed_out to the words of `STATUSES`."""
    plain = re.sub(r"[\s_-]+", " ", written.strip().upper())
    return next((status for status in STATUSES if status.replace("-", " ") == plain), written)


def _seconds(record: Mapping[str, Any]) -> float | None:
    taken = record.get("time_taken")
    if isinstance(taken, int | float) and not isinstance(taken, bool):
        return float(taken)
    started, completed = (_moment(record.get(key)) for key in ("started_at", "completed_at"))
    if started is None or completed is None:
        return None
    return max(0.0, (completed - started).total_seconds())


def _moment(written: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(written))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)  # Prolific's times are UTC
