"""A judge's way through a round: whatever is next, and who may be here at all."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from covary.store.records import Judge
from covary.web.judge.visit import check_open, visit
from covary.web.pages import page
from covary.web.refusals import CLOSED, PAUSED, Refusal, Words, wants_json
from covary.web.rounds.edit import MOST_FIELDS, show_editor, take_edit
from covary.web.rounds.items import (
    finish,
    next_place,
    save_rating,
    show_item,
    show_rated,
    take_next,
)
from covary.web.rounds.manual import show_compared, show_manual
from covary.web.rounds.names import everybody, naming_for
from covary.web.rounds.pages import show_differences, show_mark, show_news, show_proposals
from covary.web.rounds.view import Form, View
from covary.web.rounds.words import agree, propose, say
from covary.web.site import Site

__all__ = ["judge_round_routes"]

HOME = "/judge/round"
TOKEN_HEADER = "x-covary-token"

LEFT = Words(
    "You no longer take part in the training",
    "What you rated and said is kept. The study itself is not affected: go on with your link.",
)
NO_TRAINING = Words(
    "There is no training at the moment", "Open your personal link to go on with the study."
)

Reader = Callable[[View], Response]
Taker = Callable[[View, Form], Response]


def judge_round_routes(site: Site) -> list[BaseRoute]:
    """Return the routes of judges who train."""
    return [
        _reads(site, "", show_now, reads_first=True),
        _reads(site, "/item/{place:int}", show_place, reads_first=True),
        _reads(site, "/rated", show_rated_ones, reads_first=True),
        _reads(site, "/differences", show_differences),
        _reads(site, "/mark/{round:int}/{number:int}", show_mark),
        _reads(site, "/proposals", show_proposals),
        _reads(site, "/manual", show_manual),
        _reads(site, "/compare", show_compared),
        _reads(site, "/edit", show_editor),
        _reads(site, "/news", show_news),
        Route(f"{HOME}/answer", _saves(site), methods=["POST"]),
        _takes(site, "/next", take_next),
        _takes(site, "/finish", finish),
        _takes(site, "/say", say),
        _takes(site, "/propose", propose),
        _takes(site, "/agree", agree),
        _takes(site, "/edit", take_edit),
    ]


def show_now(view: View) -> Response:
    """Show whatever is next in the round."""
    phase = view.cycle.phase
    if phase == "internalisation":
        return _rating(view)
    if phase == "ready":
        return view.page("wait", waiting="ready", finished=0)
    if phase == "socialisation":
        return show_differences(view)
    return show_proposals(view) if phase == "externalisation" else show_manual(view)


def _rating(view: View) -> Response:
    current = view.cycle.round
    if view.whose not in current.finished:
        place = next_place(view)
        return show_rated(view) if place is None else show_item(view, place)
    done = sum(judge in current.finished for judge in view.cycle.judges)
    waiting = "others" if view.cycle.waiting_for() else "everybody"
    return view.page("wait", waiting=waiting, finished=done)


def show_place(view: View) -> Response:
    """Show an item again, to change a rating before they are fixed."""
    if view.cycle.phase != "internalisation" or view.whose in view.cycle.round.finished:
        return RedirectResponse(HOME, 303)
    return show_item(view, view.request.path_params["place"])


def show_rated_ones(view: View) -> Response:
    """Show what a judge has rated so far."""
    if view.cycle.phase != "internalisation" or view.whose in view.cycle.round.finished:
        return RedirectResponse(HOME, 303)
    return show_rated(view)


def _reads(site: Site, path: str, reader: Reader, *, reads_first: bool = False) -> Route:
    """Return the route of a page; with `reads_first`, of one that follows the guidelines."""

    def endpoint(request: Request) -> Response:
        judge = site.judge_of(request)
        step = visit(site, judge).walk.step().name
        if step in ("consent", "declined", "background"):
            return RedirectResponse("/judge", 303)
        state = site.store.get_state()
        if state != "open":
            words = PAUSED if state == "paused" else CLOSED
            return page("message", study=site.study, words=words)
        view = _view(site, request, judge)
        if isinstance(view, Response):
            return view
        if view.cycle.phase == "internalisation" and step == "guidelines" and reads_first:
            return RedirectResponse("/judge", 303)
        return view.guarded(lambda: reader(view))

    return Route(f"{HOME}{path}", endpoint, methods=["GET"])


def _takes(site: Site, path: str, taker: Taker) -> Route:
    def take(request: Request, form: Form) -> Response:
        view = _admitted(site, request, form.get("token", ""))
        if isinstance(view, Response):
            return view
        response = view.guarded(lambda: taker(view, form))
        return _told(request, response)

    async def endpoint(request: Request) -> Response:
        async with request.form(max_files=0, max_fields=MOST_FIELDS) as sent:
            form = {name: value for name, value in sent.items() if isinstance(value, str)}
        return await run_in_threadpool(take, request, form)

    endpoint_: Callable[[Request], Awaitable[Response]] = endpoint
    return Route(f"{HOME}{path}", endpoint_, methods=["POST"])


def _saves(site: Site) -> Callable[[Request], Awaitable[Response]]:
    def save(request: Request, body: bytes) -> Response:
        view = _admitted(site, request, request.headers.get(TOKEN_HEADER, ""))
        if isinstance(view, Response):
            return view
        return view.guarded(lambda: save_rating(view, body))

    async def endpoint(request: Request) -> Response:
        return await run_in_threadpool(save, request, await request.body())

    return endpoint


def _told(request: Request, response: Response) -> Response:
    """Tell the script of the item's page where to go on."""
    if wants_json(request) and response.status_code == 303:
        return JSONResponse({"next": response.headers["location"]})
    return response


def _admitted(site: Site, request: Request, token: str) -> View | Response:
    """Let in a change from this judge's own page, while the study is open."""
    seat = site.seat_of(request)
    site.check_form(request, str(seat.judge.id), token)
    check_open(seat.state)
    return _view(site, request, seat.judge)


def _view(site: Site, request: Request, judge: Judge) -> View | Response:
    """Return the cycle as a judge sees it; whoever does not take part is told so."""
    study, cycle = site.manual.now(), site.training.cycle()
    running = cycle.phase not in ("new", "ended")
    if request.url.path == f"{HOME}/news" and not (running and judge.name in cycle.judges):
        return JSONResponse({"news": "The training has ended for you"})
    if not running or judge.name not in everybody(cycle):
        if request.method == "GET" and not wants_json(request):
            return RedirectResponse("/judge", 303)
        raise Refusal(409, NO_TRAINING)
    aliases = study.training.names == "aliases"
    view = View(
        site, study, cycle, naming_for(cycle, own=judge.name, aliases=aliases), request, HOME,
        "round-judge.html", site.proof.form_token(str(judge.id)), judge,
    )  # fmt: skip
    return view if judge.name in cycle.judges else view.told(409, LEFT, "/judge")
