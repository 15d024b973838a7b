"""Connections have limits: how many there may be, how many from one address, and how long a request
may take to arrive. Who opens a thousand and sends nothing keeps nobody out.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

SECONDS_TO_ARRIVE = 20.0
"""So long a whole request may take, from the first byte (or the connection) to the last."""

MOST_CONNECTIONS = 8192
KEPT_FREE = 256
"""Files that the store, the log and the report may open besides."""

FEWEST = 64

REFUSED = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nretry-after: 5\r\n"
    b"connection: close\r\n\r\n"
)
TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """How many connections there may be at once, from one address, and how long a request takes.

    `per_address` is None behind a proxy, from whose address everybody comes.
    """

    connections: int = MOST_CONNECTIONS
    per_address: int | None = MOST_CONNECTIONS // 2
    seconds: float = SECONDS_TO_ARRIVE
    present: Counter[str] = field(default_factory=Counter)


def usual_bounds(*, proxy: bool) -> Bounds:
    """Return bounds that this process can hold, after it asked for as many files as it may have."""
    files = _raise_file_limit()
    connections = max(FEWEST, min(MOST_CONNECTIONS, files - KEPT_FREE))
    if connections < 1024:
        log.warning(
            "this process may open %d files only, so at most %d connections are taken at once; "
            "raise the limit (ulimit -n, LimitNOFILE=)",
            files,
            connections,
        )
    return Bounds(connections=connections, per_address=None if proxy else connections // 2)


def _raise_file_limit() -> int:
    """Ask for as many open files as the system allows, and return how many there may be."""
    if sys.platform == "win32":
        return MOST_CONNECTIONS + KEPT_FREE
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CONNECTIONS + KEPT_FREE
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        except (OSError, ValueError):
            return int(soft)
        return int(most)
    return int(wanted if soft == resource.RLIM_INFINITY else soft)


class BoundedProtocol(AutoHTTPProtocol):  # type: ignore[valid-type, misc]
    """uvicorn's protocol, refused where there are too many and closed where nothing comes."""

    bounds = Bounds()
    _timer: asyncio.TimerHandle | None = None
    _address = ""

    def connection_made(self, transport: Any) -> None:
        """Take a connection, or say that there are too many."""
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        self.bounds.present[self._address] += 1
        if self._is_one_too_many():
            transport.write(REFUSED)
            transport.close()
        else:
            self._watch()

    def data_received(self, data: bytes) -> None:
        """Take what was sent; a request that is whole is no longer watched."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.more_body:
            self._unwatch()
        elif self._timer is None:
            self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self._unwatch()
        self.bounds.present[self._address] -= 1
        if not self.bounds.present[self._address]:
            del self.bounds.present[self._address]
        super().connection_lost(exc)

    def _is_one_too_many(self) -> bool:
        most = self.bounds.per_address
        here = self.bounds.present[self._address]
        return len(self.connections) > self.bounds.connections or (most is not None and here > most)

    def _watch(self) -> None:
        self._timer = self.loop.call_later(self.bounds.seconds, self._end)

    def _unwatch(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end(self) -> None:
        """Close a connection whose request did not arrive in time."""
        self._timer = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.write(TOO_SLOW)
        self.transport.close()


def bounded_protocol(bounds: Bounds) -> type[asyncio.Protocol]:
    """Return a protocol for all connections of one server."""
    return type("BoundedProtocol", (BoundedProtocol,), {"bounds": bounds})
