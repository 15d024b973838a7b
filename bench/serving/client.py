"""Judges at once: each has a connection of its own and sends the next save when one is answered."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

__all__ = ["Load", "Saver", "saving"]

CLOSING = b"\r\n\r\n"
LENGTH = b"content-length: "


@dataclass(frozen=True)
class Saver:
    """One judge: the port of the server, and the requests to send, one after another."""

    port: int
    requests: Iterator[bytes]


@dataclass
class Load:
    """What came back: how long each save took, and how long all of them together."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    refused: list[bytes] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Saves per second."""
        return len(self.latencies) / self.seconds

    def share(self, share: float) -> float:
        """The time that this share of the saves did not exceed, in milliseconds."""
        ordered = sorted(self.latencies)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def saving(savers: Sequence[Saver], each: int, *, before: int = 0) -> Load:
    """Let all judges save at once, `each` times every one of them, after so many times `before`.

    What comes before is not measured; it lets a server get to know the judges.
    """
    return asyncio.run(_saving(savers, each, before))


async def _saving(savers: Sequence[Saver], each: int, before: int) -> Load:
    pairs = [await asyncio.open_connection("127.0.0.1", saver.port) for saver in savers]
    first = await _all_save(savers, pairs, before)
    load = await _all_save(savers, pairs, each)
    load.refused += first.refused
    for _, writer in pairs:
        writer.close()
    return load


async def _all_save(
    savers: Sequence[Saver],
    pairs: Sequence[tuple[asyncio.StreamReader, asyncio.StreamWriter]],
    each: int,
) -> Load:
    load = Load()
    began = time.perf_counter()
    await asyncio.gather(
        *(_save(saver, pair, each, load) for saver, pair in zip(savers, pairs, strict=True))
    )
    load.seconds = time.perf_counter() - began
    return load


async def _save(
    saver: Saver,
    pair: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    each: int,
    load: Load,
) -> None:
    reader, writer = pair
    for request in islice(saver.requests, each):
        began = time.perf_counter()
        writer.write(request)
        head = await reader.readuntil(CLOSING)
        body = await reader.readexactly(_length(head))
        load.latencies.append(time.perf_counter() - began)
        if not head.startswith(b"HTTP/1.1 200") or b'"saved":true' not in body:
            load.refused.append(head + body)


def _length(head: bytes) -> int:
    start = head.lower().index(LENGTH) + len(LENGTH)
    return int(head[start : head.index(b"\r", start)])
