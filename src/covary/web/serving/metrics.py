"""What a process of the server has done, counted for whoever watches over it.

Counting must cost a save next to nothing: only the event loop counts, so that no lock is needed,
and whatever can be worked out from other counts is worked out when somebody asks. Nothing here
names a person: a route stands as it is written in the list of routes, never as it was asked for.
"""

from __future__ import annotations

import json
import os
import time
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["BOUNDS", "SAVE", "Counted", "Metrics", "others"]

SAVE = "/judge/answer"
"""The route by which a page saves one answer."""

ELSEWHERE = "elsewhere"
"""Stands for every address that no route is for."""

METHODS = ("GET", "HEAD", "POST")

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds, up to which a save belongs to a class of the histogram."""


@dataclass
class Metrics:
    """The counts of one process: the `number`-th of those that serve one study.

    With a `folder`, the process leaves its counts there now and then, so that whichever process
    is asked can tell of all of them.
    """

    number: int = 1
    folder: Path | None = None
    started: float = field(default_factory=time.time)
    requests: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    classes: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS) + 1))
    seconds: float = 0.0
    leaving: bool = False

    def count(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count one request; of a save also how long it took."""
        self.requests[method if method in METHODS else "other", path, status] += 1
        if path == SAVE and method == "POST":
            self.classes[bisect_left(BOUNDS, seconds)] += 1
            self.seconds += seconds

    def snapshot(self, **more: Any) -> dict[str, Any]:
        """Return the counts as a value that can be written down."""
        return {
            "number": self.number,
            "started": self.started,
            "requests": [[*key, number] for key, number in self.requests.items()],
            "classes": list(self.classes),
            "seconds": self.seconds,
            **more,
        }

    def leave(self, **more: Any) -> None:
        """Leave the counts in the folder for the others."""
        if self.folder is None:
            return
        file = self.folder / f"{os.getpid()}.json"
        draft = file.with_suffix(".draft")
        draft.write_text(json.dumps(self.snapshot(**more)), encoding="utf-8")
        os.replace(draft, file)


class Counted:
    """Count every request that passes, with its route, its status and its time."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        self.app = app
        self.metrics = metrics
        self._paths: dict[Any, str] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        status = 500

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        began = time.perf_counter()
        try:
            await self.app(scope, receive, noting)
        finally:
            seconds = time.perf_counter() - began
            self.metrics.count(scope["method"], self._path(scope), status, seconds)

    def _path(self, scope: Scope) -> str:
        if not self._paths:
            routes = (each for each in scope["app"].routes if isinstance(each, Route))
            self._paths = {each.endpoint: each.path for each in routes}
        return self._paths.get(scope.get("endpoint"), ELSEWHERE)


def others(folder: Path | None, own: int) -> list[dict[str, Any]]:
    """Return the counts that the other processes left, the newest of each number."""
    found: dict[int, dict[str, Any]] = {}
    for file in () if folder is None else folder.glob("*.json"):
        try:
            left = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):  # removed meanwhile: its process has ended
            continue
        known = found.get(left["number"])
        if left["number"] != own and (known is None or known["started"] < left["started"]):
            found[left["number"]] = left
    return [found[number] for number in sorted(found)]
