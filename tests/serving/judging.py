"""Simulated judges who work while something happens to the server, and what must hold then."""

import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from threading import Event

from tests.web.killing import Noting, compare, judged

PATIENCE = 180
PAUSE = 0.1
"""Seconds before each answer: people do not keep a processor busy while a server starts."""


@dataclass
class Watching(Noting):
    """A visitor who also counts every status that a page would have shown."""

    def __post_init__(self):
        super().__post_init__()
        self._patience = PATIENCE
        self.seen = Counter()
        self.cut_off = 0

    def send_json(self, path, token, values):
        time.sleep(PAUSE)
        return super().send_json(path, token, values)

    def _attempt(self, *asked, **request):
        before = self._connection.sock
        reply = super()._attempt(*asked, **request)
        if reply is None:
            self.cut_off += self._connection.sock is None and before is not None
        else:
            self.seen[reply[0].status] += 1
        return reply


@dataclass(frozen=True)
class Work:
    """What the judges did: answers acknowledged and kept, statuses seen, connections cut off."""

    acknowledged: int
    kept: int
    seen: Counter
    cut_off: int


def wait_for_more(visitors: list[Watching], work: list[Future]) -> None:
    """Wait until two more answers of each judge, on average, were acknowledged."""
    enough = sum(len(each.acknowledged) for each in visitors) + 2 * len(visitors)
    until = time.monotonic() + PATIENCE
    while sum(len(each.acknowledged) for each in visitors) < enough:
        for each in work:
            if each.done():
                each.result()
        assert time.monotonic() < until, "no answer was acknowledged any more"
        time.sleep(0.01)


def judge_while(
    folder: Path,
    place: str,
    port: int,
    tokens: list[str],
    happens: Callable[[Callable], None],
    connect: Callable[[int], HTTPConnection] | None = None,
) -> Work:
    """Let a judge for each token work at `port` while something happens.

    `happens` is called with a function that waits until many more answers were acknowledged.
    `connect` makes a connection to a port, where it is not a plain one.
    """
    over = Event()
    visitors = [Watching("127.0.0.1", port, over) for _ in tokens]
    for each in visitors:
        each._connection = connect(port) if connect else each._connection
    with ThreadPoolExecutor(len(tokens)) as pool:
        try:
            work = [
                pool.submit(judged, folder, place, visitor, number, token)
                for number, (visitor, token) in enumerate(zip(visitors, tokens, strict=True), 1)
            ]
            happens(lambda: wait_for_more(visitors, work))
        finally:
            over.set()
            wait(work, timeout=PATIENCE)
    for each in work:
        each.result()
    seen = sum((each.seen for each in visitors), Counter())
    acknowledged = sum(len(each.acknowledged) for each in visitors)
    return Work(acknowledged, compare(place, visitors), seen, sum(v.cut_off for v in visitors))
