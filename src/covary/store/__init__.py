"""What a study collects, kept durably: the only room with SQL."""

from covary.store.faults import StoreBusy, StoreError
from covary.store.records import Answer, Current, Judge, Note, Problem, Saved
from covary.store.store import Store

__all__ = [
    "Answer",
    "Current",
    "Judge",
    "Note",
    "Problem",
    "Saved",
    "Store",
    "StoreBusy",
    "StoreError",
]
