"""What a study collects, kept durably: the only room with SQL."""

from covary.store.database import StoreBusy, StoreError
from covary.store.records import Answer, CountedAnswer, Judge, Problem, Receipt, StoredNote
from covary.store.store import Store

__all__ = [
    "Answer",
    "CountedAnswer",
    "Judge",
    "Problem",
    "Receipt",
    "Store",
    "StoreBusy",
    "StoreError",
    "StoredNote",
]
