"""What machines ask: does the server live, is it ready, and what have its processes done?

Counting must cost a save next to nothing: only the event loop counts, so that no lock is needed,
and whatever can be worked out from other counts is worked out when somebody asks. Nothing here
names a person: a route stands as it is written in the list of routes, never as it was asked for.
"""

from __future__ import annotations

import hmac
import ipaddress
import json
import logging
import os
import platform
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from threading import Lock
from typing import Any

from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from covary.errors import CovaryError
from covary.store.store import Store
from covary.version import __version__

SAVE = "/judge/answer"
"""The route by which a page saves one answer."""

ELSEWHERE = "elsewhere"
"""Stands for every address that no route is for."""

METHODS = ("GET", "HEAD", "POST")
REFUSED, FAILED = 400, 500

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


class CountRequests:
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
            routes = (route for route in scope["app"].routes if isinstance(route, Route))
            self._paths = {route.endpoint: route.path for route in routes}
        return self._paths.get(scope.get("endpoint"), ELSEWHERE)


def other_processes(folder: Path | None, own: int) -> list[dict[str, Any]]:
    """Return the counts that the other processes left, the newest of each number."""
    newest: dict[int, dict[str, Any]] = {}
    for file in () if folder is None else folder.glob("*.json"):
        try:
            left = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):  # removed meanwhile: its process has ended
            continue
        known = newest.get(left["number"])
        if left["number"] != own and (known is None or known["started"] < left["started"]):
            newest[left["number"]] = left
    return [newest[number] for number in sorted(newest)]


Labels = tuple[str, ...]
"""The values of a family's labels, in its order; the first is the number of the process."""


def families_of(snapshots: Iterable[Mapping[str, Any]]) -> Iterator[Metric]:
    """Return what is known of all processes, each with its number."""
    processes = list(snapshots)
    requests, refusals, saves = Counter[Labels](), Counter[Labels](), Counter[Labels]()
    for snapshot in processes:
        worker = str(snapshot["number"])
        for method, route, status, times in snapshot["requests"]:
            requests[worker, method, route, str(status)] += times
            if status >= REFUSED:
                refusals[worker, str(status)] += times
            if (route, method) == (SAVE, "POST"):
                saves[worker, _outcome(status)] += times
    yield _counter("requests", "Requests by route and status.", "method route status", requests)
    yield _counter("refusals", "Requests that were refused, by status.", "status", refusals)
    yield _counter("saves", "Saves of one answer: kept, refused or failed.", "outcome", saves)
    yield _histogram(processes)
    for name, words in (
        ("commits", "Transactions that were written."),
        ("written", "Changes that they held; several share a transaction."),
    ):
        yield _counter(
            name, words, "", {(str(process["number"]),): process[name] for process in processes}
        )
    for name, key, words in (
        ("waiting", "waiting", "Changes that wait to be written."),
        ("started_seconds", "started", "When the process started (Unix time)."),
    ):
        gauge = GaugeMetricFamily(f"covary_{name}", words, labels=["worker"])
        for snapshot in processes:
            gauge.add_metric([str(snapshot["number"])], snapshot[key])
        yield gauge


def _outcome(status: int) -> str:
    return "kept" if status < REFUSED else "refused" if status < FAILED else "failed"


def _counter(name: str, words: str, labels: str, counts: Mapping[Labels, float]) -> Metric:
    family = CounterMetricFamily(f"covary_{name}", words, labels=["worker", *labels.split()])
    for values, number in counts.items():
        family.add_metric(values, number)
    return family


def _histogram(processes: Iterable[Mapping[str, Any]]) -> Metric:
    words = "How long judges waited for a save."
    family = HistogramMetricFamily("covary_save_seconds", words, labels=["worker"])
    bounds = [*map(floatToGoString, BOUNDS), "+Inf"]
    for snapshot in processes:
        buckets = list(zip(bounds, accumulate(snapshot["classes"]), strict=True))
        family.add_metric([str(snapshot["number"])], buckets, snapshot["seconds"])
    return family


def build_info(database: str) -> Metric:
    """Return which covary this is."""
    labels = {"version": __version__, "python": platform.python_version(), "database": database}
    family = GaugeMetricFamily("covary_build_info", "Which covary runs.", labels=list(labels))
    family.add_metric(list(labels.values()), 1)
    return family


class Families(Collector):
    """Families as `prometheus_client` asks for them."""

    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        """Return the families."""
        return self._families


def as_text(families: Iterable[Metric]) -> bytes:
    """Return the numbers in Prometheus' text format."""
    registry = CollectorRegistry()
    registry.register(Families(families))
    return generate_latest(registry)


SECONDS_TO_RELY = 1.0
"""For so long an answer of /ready holds, so that nobody can make the server write by asking."""

ACTIVE = timedelta(minutes=5)
"""Who has answered within this time is at work."""

FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip", "via")

log = logging.getLogger(__name__)


def probe_routes(store: Store, metrics: Metrics, token: str = "") -> list[Route]:
    """Return the routes of /health, /ready and /metrics; `token` lets in from elsewhere."""
    readiness = Readiness(store, metrics)

    def counts(request: Request) -> Response:
        if not _may_read(request, token):
            return PlainTextResponse("Metrics are read on this machine, or with the token.\n", 403)
        text = as_text([build_info(store.database.kind), *_now(store, metrics)])
        return Response(text, headers={"Content-Type": CONTENT_TYPE_PLAIN_0_0_4})

    return [
        Route("/health", _health),
        Route("/ready", readiness.answer),
        Route("/metrics", counts),
    ]


async def _health(request: Request) -> Response:  # noqa: ARG001
    """Say that the process runs; whether it can do its work is another question."""
    return JSONResponse({"status": "ok"})


class Readiness:
    """Whether this process can keep answers, looked up at most once in a second."""

    def __init__(self, store: Store, metrics: Metrics) -> None:
        self._store = store
        self._metrics = metrics
        self._alone = Lock()
        self._known: tuple[bool, float] = (False, float("-inf"))

    def answer(self, request: Request) -> Response:  # noqa: ARG002
        """Answer 200 when a judge could save now, 503 when not, or when the process leaves."""
        if self._metrics.leaving:
            return JSONResponse({"status": "leaving"}, 503)
        if not self._is_ready():
            return JSONResponse({"status": "not ready"}, 503)
        return JSONResponse({"status": "ready"})

    def _is_ready(self) -> bool:
        with self._alone:
            ready, until = self._known
            if time.monotonic() > until:
                ready = self._look()
                self._known = (ready, time.monotonic() + SECONDS_TO_RELY)
            return ready

    def _look(self) -> bool:
        try:
            self._store.check_ready()
        except Exception as error:  # whatever it is, nothing can be kept
            log.error("not ready: %s", error)
            return False
        return True


def _may_read(request: Request, token: str) -> bool:
    """Say whether somebody may read the counts.

    Behind a proxy everybody seems to come from its address, so a request that says it was passed
    on never counts as one from this machine.
    """
    sent = request.headers.get("authorization", "")
    if token and hmac.compare_digest(sent.encode(), f"Bearer {token}".encode()):
        return True
    if request.client is None or any(name in request.headers for name in FORWARDED):
        return False
    try:
        return ipaddress.ip_address(request.client.host).is_loopback
    except ValueError:
        return False


def _now(store: Store, metrics: Metrics) -> list[Metric]:
    """What all processes have done, and how the study stands."""
    load = store.workload
    own = metrics.snapshot(waiting=load.waiting, commits=load.commits, written=load.written)
    everybody = [own, *other_processes(metrics.folder, metrics.number)]
    everybody.sort(key=lambda snapshot: int(snapshot["number"]))
    return [*families_of(everybody), *_study(store)]


def _study(store: Store) -> list[Metric]:
    try:
        counts = store.answers.counts()
    except CovaryError as error:
        log.error("the store could not be read: %s", error)
        return [_plain("store_up", "Whether the store could be read.", 0)]
    since = datetime.now(UTC) - ACTIVE
    active = {judge for (judge, _), work in counts.judges.items() if work.last_at >= since}
    return [
        _plain("store_up", "Whether the store could be read.", 1),
        _plain("answers", "Answers in the store, changes counted.", counts.answers),
        _plain("judges_active", "Judges who answered in the last five minutes.", len(active)),
    ]


def _plain(name: str, words: str, number: float) -> Metric:
    return GaugeMetricFamily(f"covary_{name}", words, value=number)
