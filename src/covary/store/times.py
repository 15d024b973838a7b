"""Times as they are stored: whole microseconds since 1970, UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from covary.errors import InvalidArgument

__all__ = ["as_time", "microseconds", "now"]

START = datetime(1970, 1, 1, tzinfo=UTC)


def now() -> datetime:
    """Return the time by the server's clock."""
    return datetime.now(UTC)


def microseconds(time: datetime) -> int:
    """Write a time as a whole number.

    Examples
    --------
    >>> microseconds(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC))
    1000000
    """
    if time.tzinfo is None:
        raise InvalidArgument(f"the time {time} has no time zone; use datetime.now(UTC)")
    return (time - START) // timedelta(microseconds=1)


def as_time(number: int) -> datetime:
    """Read a time from a whole number.

    Examples
    --------
    >>> as_time(1000000).isoformat()
    '1970-01-01T00:00:01+00:00'
    """
    return START + timedelta(microseconds=number)
