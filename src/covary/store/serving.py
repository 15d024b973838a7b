"""One SQLite file, one serving process: a lock that the operating system ends with the process."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from covary.store.faults import StoreError

__all__ = ["ServingLock"]


class ServingLock:
    """Held as long as a process serves a study's file.

    It is an exclusive transaction on an empty database beside the file, which works alike on
    every system and cannot be left behind by a process that was killed.
    """

    def __init__(self, file: Path) -> None:
        self._connection = sqlite3.connect(
            f"{file}-serving", timeout=0, isolation_level=None, check_same_thread=False
        )
        try:
            self._connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            self._connection.close()
            raise StoreError(
                f"another process serves '{file}' already; stop it first. To serve one study from "
                "several processes, put it on PostgreSQL (--database postgresql://…)"
            ) from None

    def release(self) -> None:
        """Let another process serve."""
        self._connection.close()
