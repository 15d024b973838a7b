"""What machines ask: does the server live, is it ready, and what has it done?"""

from __future__ import annotations

import hmac
import ipaddress
import logging
import time
from datetime import UTC, datetime, timedelta
from threading import Lock

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from covary.errors import CovaryError
from covary.store.store import Store
from covary.web.serving.metrics import Metrics, others
from covary.web.serving.prometheus import CONTENT_TYPE, Family, as_text, build_info, families_of

__all__ = ["probe_routes"]

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
        return PlainTextResponse(text, headers={"Content-Type": CONTENT_TYPE})

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
        self._found: tuple[bool, float] = (False, float("-inf"))

    def answer(self, request: Request) -> Response:  # noqa: ARG002
        """Answer 200 when a judge could save now, 503 when not, or when the process leaves."""
        if self._metrics.leaving:
            return JSONResponse({"status": "leaving"}, 503)
        if not self._is_ready():
            return JSONResponse({"status": "not ready"}, 503)
        return JSONResponse({"status": "ready"})

    def _is_ready(self) -> bool:
        with self._alone:
            ready, until = self._found
            if time.monotonic() > until:
                ready = self._look()
                self._found = (ready, time.monotonic() + SECONDS_TO_RELY)
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
    given = request.headers.get("authorization", "")
    if token and hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
        return True
    if request.client is None or any(name in request.headers for name in FORWARDED):
        return False
    try:
        return ipaddress.ip_address(request.client.host).is_loopback
    except ValueError:
        return False


def _now(store: Store, metrics: Metrics) -> list[Family]:
    """What all processes have done, and how the study stands."""
    load = store.workload
    own = metrics.snapshot(waiting=load.waiting, commits=load.commits, written=load.written)
    everybody = [own, *others(metrics.folder, metrics.number)]
    everybody.sort(key=lambda each: int(each["number"]))
    return [*families_of(everybody), *_study(store)]


def _study(store: Store) -> list[Family]:
    try:
        counts = store.counts()
    except CovaryError as error:
        log.error("the store could not be read: %s", error)
        return [_plain("store_up", "Whether the store could be read.", 0)]
    since = datetime.now(UTC) - ACTIVE
    active = {judge for (judge, _), each in counts.judges.items() if each.last_at >= since}
    return [
        _plain("store_up", "Whether the store could be read.", 1),
        _plain("answers", "Answers in the store, changes counted.", counts.answers),
        _plain("judges_active", "Judges who answered in the last five minutes.", len(active)),
    ]


def _plain(name: str, help_text: str, number: float) -> Family:
    return Family(f"covary_{name}", "gauge", help_text, [("", {}, number)])
