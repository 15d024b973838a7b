"""What the store refuses; each message says what to do."""

from __future__ import annotations

from sqlalchemy.exc import DBAPIError

from covary.errors import CovaryError

__all__ = ["StoreBusy", "StoreError", "as_fault"]


class StoreError(CovaryError):
    """The store cannot be opened, read or written as things are."""


class StoreBusy(StoreError):
    """More is waiting to be written than can be written soon; nothing of this call was kept."""


def as_fault(error: Exception, place: str = "the database") -> Exception:
    """Return a database's own error as one of covary's; others are left as they are."""
    if not isinstance(error, DBAPIError):
        return error
    reason = " ".join(str(error.orig).split())
    return StoreError(f"{place}: {reason}")
