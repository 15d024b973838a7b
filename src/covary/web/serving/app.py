"""The application: every route in one list, and how refusals and faults look."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from covary.errors import InvalidArgument
from covary.store.database import StoreError
from covary.store.store import Store
from covary.study.model import Study
from covary.web.discussion.researcher_pages import round_routes
from covary.web.forms import Notice, Refusal, notice_for, wants_json
from covary.web.guard import Guard, Limit
from covary.web.judge.pages import judge_routes
from covary.web.pages import file_route, page
from covary.web.recruiting import join_routes, sweep_places
from covary.web.researcher.routes import researcher_routes
from covary.web.serving.metrics import SAVE, CountRequests, Metrics, probe_routes
from covary.web.session_cache import confirm_sessions
from covary.web.site import Site

ROUTES: tuple[Callable[[Site], Sequence[BaseRoute]], ...] = (
    judge_routes,
    join_routes,
    researcher_routes,
    round_routes,
)
"""Who adds routes: each takes the site and returns its own."""

log = logging.getLogger(__name__)

SECONDS_BETWEEN = 60.0
MOST_FAULTS = 8
"""So many lines about the store within that time, however much its words change."""


class RepeatedFaults:
    """Log a fault of the store once, again after a minute, and when answers are kept again.

    A store that fails in turn in one way and another has several faults; each is logged once.
    """

    def __init__(self) -> None:
        self._until: dict[tuple[str, str], float] = {}
        self._written = 0

    def log(self, error: StoreError, written: int) -> None:
        """Log an error in one line, unless that was just done; `written` counts what was kept."""
        now = time.monotonic()
        fault = (error.code, repr(error.facts))
        self._written = written
        if now > self._until.get(fault, float("-inf")) and self._has_room(now):
            self._until[fault] = now + SECONDS_BETWEEN
            log.error("nothing is kept at the moment: %s", error)

    def _has_room(self, now: float) -> bool:
        """Forget what was long ago, and say whether there were few faults since."""
        self._until = {fault: until for fault, until in self._until.items() if until > now}
        return len(self._until) < MOST_FAULTS

    def look_back(self, written: int) -> None:
        """Log that it is over, where more was kept since the last fault."""
        if self._until and written > self._written:
            self._until.clear()
            log.warning("answers are kept again")


FAULTS = RepeatedFaults()


def create_app(
    study: Study,
    store: Store,
    *,
    secure: bool = False,
    per_judge: Limit | None = None,
    metrics: Metrics | None = None,
    metrics_token: str = "",
    hosts: frozenset[str] | None = None,
    simulated: bool = False,
) -> Starlette:
    """Return the web application of a study.

    Parameters
    ----------
    study
        The study as `read_study` returns it.
    store
        Where its answers are kept.
    secure
        Whether browsers reach it by https, so that cookies are sent by https only.
    per_judge
        How often one judge may ask, where that is not what suits a person.
    metrics, metrics_token
        Where requests are counted, and who may read the counts from another machine.
    hosts
        The names by which browsers may ask; None where any will do.
    simulated
        Whether judges are simulated, so that any time on a page is believed.
    """
    counts = metrics or Metrics()
    store.items.take(study)
    site = Site(study, store, secure, per_judge or Site.usual_pace(), simulated=simulated)

    def refused(request: Request, error: Exception) -> Response:
        return _refused(site, request, error)

    @asynccontextmanager
    async def lasting(_: Starlette) -> AsyncIterator[None]:
        async with sweep_places(site), confirm_sessions(site.sessions):
            yield

    application = Starlette(
        routes=sorted(
            [
                Route("/", _home),
                *probe_routes(store, counts, metrics_token),
                file_route(),
                *(route for room in ROUTES for route in room(site)),
            ],
            key=lambda route: getattr(route, "path", "") != SAVE,  # what is asked for most is first
        ),
        middleware=[
            Middleware(CountRequests, metrics=counts),
            Middleware(Guard, failed=refused, secure=secure, hosts=hosts),
        ],
        exception_handlers={
            HTTPException: refused,
            Refusal: refused,
            StoreError: refused,
            InvalidArgument: refused,
        },
        lifespan=lasting,
    )
    application.state.site = site
    return application


def _home(request: Request) -> Response:  # noqa: ARG001
    return RedirectResponse("/judge", 303)


PAGES = ("/judge/round", "/judge", "/researcher")
"""Pages that lead on from where somebody is."""


def _page_of_form(request: Request, status: int) -> str | None:
    """Return the page that leads on, where a browser asks for the address of a form as a page.

    That happens after a form was sent while the server was away: a proxy's own page loads again.
    """
    asked = request.url.path
    if status != 405 or request.method != "GET" or asked == SAVE:
        return None
    return next((page for page in PAGES if asked.startswith(f"{page}/")), None)


def _refused(site: Site, request: Request, error: Exception) -> Response:
    """Answer what could not be done: to the page's script as JSON, to people as a page."""
    status, words = _status_and_words(error, site.store)
    page_of_form = _page_of_form(request, status)
    if page_of_form is not None:
        return RedirectResponse(page_of_form, 303)
    headers = getattr(error, "headers", None)
    if wants_json(request) or request.url.path == "/judge/answer":
        return JSONResponse(words.as_json(), status, headers)
    response = page("message", status, study=site.manual.known, notice=words)
    response.headers.update(headers or {})
    return response


def _status_and_words(error: Exception, store: Store) -> tuple[int, Notice]:
    if isinstance(error, Refusal):
        return error.status, error.notice
    if isinstance(error, HTTPException):
        return error.status_code, notice_for(error.status_code)
    if isinstance(error, StoreError):  # nothing of it was kept; the page sends it again
        FAULTS.log(error, store.workload.written)
        return 503, notice_for(503)
    if isinstance(error, InvalidArgument):  # the store could not keep it as it stands
        return 422, notice_for(422)
    log.error("a request failed", exc_info=error)
    return 500, notice_for(500)
