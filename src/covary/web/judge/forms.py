"""What a judge sends: consent, background, answers, and the wish to go on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from covary.store.records import Saved
from covary.web.judge.answering import (
    answer_from,
    answers_from_form,
    answers_not_stored,
    read_json,
    task_of,
)
from covary.web.judge.item_page import draw_item
from covary.web.judge.visit import Visit, check_open, those_that_count
from covary.web.pages import page
from covary.web.recruiting.recruited import take_practice_again, take_stop
from covary.web.refusals import Refusal, wants_json
from covary.web.site import Site

__all__ = ["form_routes"]

Form = Mapping[str, str]
Taker = Callable[[Visit, Form], Response]

LONGEST_ANSWER = 500
LONGEST_REMARK = 10_000
TOKEN_HEADER = "x-covary-token"
PASSED_BY = ("practice-over", "occasion", "part", "break")
"""Pages between items, which a judge passes by going on."""


def form_routes(site: Site) -> list[Route]:
    """Return the routes of everything that a judge sends."""
    forms: dict[str, Taker] = {
        "consent": take_consent,
        "background": take_background,
        "continue": take_continue,
        "next": take_next,
        "preferred": take_preferred,
        "remarks": take_remarks,
        "practice-again": take_practice_again,
        "stop": take_stop,
    }
    return [
        Route("/judge/answer", _saves(site), methods=["POST"]),
        *(Route(f"/judge/{name}", _takes(site, forms[name]), methods=["POST"]) for name in forms),
    ]


def _saves(site: Site) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        token = request.headers.get(TOKEN_HEADER, "")
        body = await request.body()
        future = _submit_at_once(site, request, token, body)
        if future is None:
            future = await run_in_threadpool(_submit, site, request, token, body)
        saved = (await asyncio.wrap_future(future))[0]
        return JSONResponse({"saved": True, "late": saved.late})

    return endpoint


def _submit(site: Site, request: Request, token: str, body: bytes) -> Future[list[Saved]]:
    here = _admitted(site, request, token)
    return site.store.save_soon([answer_from(here, read_json(body))])


def _submit_at_once(
    site: Site, request: Request, token: str, body: bytes
) -> Future[list[Saved]] | None:
    """Save without asking the store who this is; None where it must be asked, or would refuse."""
    seat = site.presence.seat(request.cookies.get(site.cookie, ""))
    if seat is None:
        return None
    try:
        site.check_form(request, str(seat.judge.id), token)
        answer = answer_from(Visit(site, seat.judge, seat.walk), read_json(body))
    except Refusal:
        return None
    site.check_pace(seat.judge)
    return site.store.save_soon([answer])


def _takes(site: Site, taker: Taker) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        async with request.form(max_files=0, max_fields=200) as sent:
            form = {name: value for name, value in sent.items() if isinstance(value, str)}
        return await run_in_threadpool(_take, site, request, taker, form)

    return endpoint


def _take(site: Site, request: Request, taker: Taker, form: Form) -> Response:
    here = _admitted(site, request, form.get("token", ""))
    response = taker(here, form)
    if wants_json(request):
        going = response.status_code == 303
        return JSONResponse(
            {"next": response.headers["location"]} if going else {"missing": True},
            200 if going else response.status_code,
        )
    return response


def _admitted(site: Site, request: Request, token: str) -> Visit:
    """Let in a change from this judge's own page, while the study is open."""
    seat = site.seat_of(request)
    site.check_form(request, str(seat.judge.id), token)
    check_open(seat.state)
    return Visit(site, seat.judge, seat.walk)


def on(path: str = "/judge") -> Response:
    """Go on to a page."""
    return RedirectResponse(path, 303)


def take_consent(here: Visit, form: Form) -> Response:
    """Note that a judge agrees, or does not; one who did not may think again."""
    if here.walk.step().name in ("consent", "declined"):
        answer = form.get("agreed")
        if answer not in ("yes", "no"):
            raise Refusal(422)
        here.note("consent", {"agreed": answer == "yes", "text": here.study.consent})
    return on()


def take_background(here: Visit, form: Form) -> Response:
    """Note what a judge says about themselves."""
    if here.walk.step().name != "background":
        return on()
    given, missing = {}, []
    for number, asked in enumerate(here.study.background):
        answer = form.get(f"answer-{number}", "").strip()
        if len(answer) > LONGEST_ANSWER or (
            answer and asked.options and answer not in asked.options
        ):
            raise Refusal(422)
        given[asked.name] = answer
        if asked.required and not answer:
            missing.append(asked.name)
    if missing:
        return page("background", 422, **here.values(), given=given, missing=missing)
    here.note("background", {"answers": given}, "background")
    return on()


def take_continue(here: Visit, form: Form) -> Response:
    """Note that a judge has read a page between items; a page of yesterday changes nothing."""
    step = here.walk.step()
    if form.get("step") == step.name and form.get("about", "0") == str(step.about):
        if step.name == "guidelines":
            version = here.study.manual.version
            here.note("guidelines", {"version": version}, f"guidelines:{version}")
        elif step.name in PASSED_BY:
            here.note_at(step.name, step.about)
    return on()


def take_next(here: Visit, form: Form) -> Response:
    """Save what the page holds and the store does not, and leave the item if it has all."""
    sent = task_of(here, form)
    stored = here.answers_at(sent.task.position)
    answers = answers_not_stored(answers_from_form(here, sent, form), stored)
    if answers:
        here.site.store.save(answers)
        stored = here.answers_at(sent.task.position)
    given = {key for key, each in those_that_count(stored).items() if each.rating is not None}
    asked = [each.key for each in here.study.criteria_of(sent.task.part)]
    missing = tuple(key for key in asked if key not in given)
    if missing:
        return draw_item(here, sent.task, 422, missing)
    frontier = here.walk.frontier()
    here.note_at("left", sent.task.position)
    going_back = frontier is not None and sent.task.position < frontier.position - 1
    return on(f"/judge/item/{sent.task.position + 1}" if going_back else "/judge")


def take_preferred(here: Visit, form: Form) -> Response:
    """Note which part a judge preferred, if any."""
    if here.walk.step().name != "preferred":
        return on()
    choices = {str(number): part for number, part in enumerate(here.study.parts)}
    chosen, reason = form.get("part"), form.get("reason", "").strip()
    if chosen not in (*choices, "none"):
        raise Refusal(422)
    if len(reason) > LONGEST_REMARK:
        raise Refusal(413)
    here.note("preferred", {"part": choices.get(str(chosen)), "reason": reason}, "preferred")
    return on()


def take_remarks(here: Visit, form: Form) -> Response:
    """Note what a judge wants to say."""
    if here.walk.step().name == "remarks":
        text = form.get("remarks", "").strip()
        if len(text) > LONGEST_REMARK:
            raise Refusal(413)
        here.note("remarks", {"text": text}, "remarks")
    return on()
