"""The application: every route in one list, and how refusals and faults look."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from covary.errors import InvalidArgument
from covary.store.faults import StoreBusy
from covary.store.store import Store
from covary.study.model import Study
from covary.web.files import file_route
from covary.web.guard import Guard
from covary.web.judge.routes import judge_routes
from covary.web.limits import Limit
from covary.web.pages import page
from covary.web.recruiting.join import join_routes
from covary.web.recruiting.sweep import sweeping
from covary.web.refusals import Refusal, Words, wants_json, words_for
from covary.web.researcher.routes import researcher_routes
from covary.web.rounds.routes import round_routes
from covary.web.serving.metrics import Counted, Metrics
from covary.web.serving.probes import probe_routes
from covary.web.site import Site

__all__ = ["ROOMS", "create_app"]

ROOMS: tuple[Callable[[Site], Sequence[BaseRoute]], ...] = (
    judge_routes,
    join_routes,
    researcher_routes,
    round_routes,
)
"""Who adds routes: each takes the site and returns its own."""

log = logging.getLogger(__name__)


def create_app(
    study: Study,
    store: Store,
    *,
    secure: bool = False,
    per_judge: Limit | None = None,
    metrics: Metrics | None = None,
    metrics_token: str = "",
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
    """
    counts = metrics or Metrics()
    site = Site(study, store, secure, per_judge or Site.usual_pace())

    def refused(request: Request, error: Exception) -> Response:
        return _refused(site, request, error)

    def lasting(_: Starlette) -> AbstractAsyncContextManager[None]:
        return sweeping(site)

    application = Starlette(
        routes=[
            Route("/", _home),
            *probe_routes(store, counts, metrics_token),
            file_route(),
            *(route for room in ROOMS for route in room(site)),
        ],
        middleware=[
            Middleware(Counted, metrics=counts),
            Middleware(Guard, failed=refused, secure=secure),
        ],
        exception_handlers={
            HTTPException: refused,
            Refusal: refused,
            StoreBusy: refused,
            InvalidArgument: refused,
        },
        lifespan=lasting,
    )
    application.state.site = site
    return application


def _home(request: Request) -> Response:  # noqa: ARG001
    return RedirectResponse("/judge", 303)


def _refused(site: Site, request: Request, error: Exception) -> Response:
    """Answer what could not be done: to the page's script as JSON, to people as a page."""
    status, words = _status_and_words(error)
    headers = getattr(error, "headers", None)
    if wants_json(request) or request.url.path == "/judge/answer":
        return JSONResponse({"error": words.title, "advice": words.text}, status, headers)
    response = page("message", status, study=site.manual.known, words=words)
    response.headers.update(headers or {})
    return response


def _status_and_words(error: Exception) -> tuple[int, Words]:
    if isinstance(error, Refusal):
        return error.status, error.words
    if isinstance(error, HTTPException):
        return error.status_code, words_for(error.status_code)
    if isinstance(error, StoreBusy):
        return 503, words_for(503)
    if isinstance(error, InvalidArgument):  # the store could not keep it as it stands
        return 422, words_for(422)
    log.error("a request failed", exc_info=error)
    return 500, words_for(500)
