"""Is a store ready to serve: can it be read and written, and is its schema the one we know?"""

from __future__ import annotations

from concurrent.futures import TimeoutError as TooLong
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, update

from covary.store.database import Database
from covary.store.faults import StoreError
from covary.store.migrations import MIGRATIONS, version_of
from covary.store.tables import settings
from covary.store.writer import Writer

__all__ = ["Workload", "check_ready"]


@dataclass(frozen=True)
class Workload:
    """What waits to be written, how many transactions were, and how many requests they held."""

    waiting: int
    commits: int
    written: int


def check_ready(database: Database, writer: Writer, patience: float) -> None:
    """Raise `StoreError` where a judge's answer could not be kept now.

    What is written is what stands there already, in a transaction of its own that goes the way of
    every other: behind what waits, to the disk.
    """
    newest = MIGRATIONS[-1].number
    with database.reading() as connection:
        found = version_of(connection)
    if found != newest:
        raise StoreError(
            f"the store has schema {found} and this covary knows {newest}; restart the server with "
            "the covary that upgraded the store"
        )
    try:
        writer.submit(_write_nothing_new, None, repeatable=True).result(patience)
    except TooLong:
        raise StoreError(f"nothing could be written within {patience:g} seconds") from None


def _write_nothing_new(connection: Connection, requests: list[Any]) -> list[None]:
    connection.execute(update(settings).values(value=settings.c.value))
    return [None] * len(requests)
