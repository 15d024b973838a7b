"""What a judge reads: whatever comes next, earlier items, the guidelines, pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from covary.scales import GraphicScale, Preference, Scale, VisualScale, YesNo
from covary.study.model import Study
from covary.web.images import serve_image
from covary.web.judge.forms import form_routes
from covary.web.judge.item_page import draw_item, part_words
from covary.web.judge.sheets import give_sheet
from covary.web.judge.visit import Visit, visit
from covary.web.judge.walk import Step
from covary.web.markup import from_researcher
from covary.web.pages import page
from covary.web.recruiting.recruited import meet, show_stop
from covary.web.refusals import CLOSED, PAUSED
from covary.web.rounds.view import since_last_read, trains
from covary.web.site import Site

__all__ = ["judge_routes"]

LOOKS: dict[type[Scale], str] = {
    GraphicScale: "a line with words along it",
    VisualScale: "a line to point at",
    YesNo: "yes or no",
    Preference: "a choice between two texts",
}

Reader = Callable[[Site, Request], Response]


def judge_routes(site: Site) -> list[Route]:
    """Return the routes of judges."""

    def reads(path: str, reader: Reader) -> Route:
        def endpoint(request: Request) -> Response:
            return reader(site, request)

        return Route(path, endpoint, methods=["GET"])

    return [
        reads("/j/{token}", enter),
        reads("/judge", show_next),
        reads("/judge/item/{position:int}", show_item),
        reads("/judge/back", go_back),
        reads("/judge/guidelines", show_guidelines),
        reads("/judge/stop", show_stop),
        reads("/judge/image/{name}", serve_image),
        *form_routes(site),
    ]


def enter(site: Site, request: Request) -> Response:
    """Let a judge in by the personal link, which is then out of sight."""
    token = request.path_params["token"]
    site.judge_by(token, request, status=404)
    response = RedirectResponse("/judge", 303)
    site.keep_cookie(response, site.cookie, token)
    return response


def show_next(site: Site, request: Request) -> Response:
    """Show whatever comes next."""
    here = visit(site, site.judge_of(request))
    instead = meet(here)
    if instead is not None:
        return instead
    step = here.walk.step()
    state = site.store.get_state()
    if state != "open" and step.name != "done":
        return page("message", study=site.study, words=PAUSED if state == "paused" else CLOSED)
    if trains(site, here.judge, step.name):
        return RedirectResponse("/judge/round", 303)
    if step.name == "sheet":
        sheet = give_sheet(site, here.judge.id)
        here.note("began", {"sheet": sheet.number}, f"began:{sheet.number}")
        return RedirectResponse("/judge", 303)
    if step.name == "done":
        return _done(here)
    if step.name == "item":
        assert step.task is not None
        return draw_item(here, step.task)
    return page(step.name, **here.values(), **_of_step(here, step))


def show_item(site: Site, request: Request) -> Response:
    """Show an item again, where the study lets judges go back."""
    here = visit(site, site.judge_of(request))
    task = here.walk.may_see(request.path_params["position"])
    if task is None or site.store.get_state() != "open" or meet(here) is not None:
        return RedirectResponse("/judge", 303)
    return draw_item(here, task)


def go_back(site: Site, request: Request) -> Response:
    """Go back by one item from where the judge is."""
    here = visit(site, site.judge_of(request))
    task = here.walk.step().task
    back = None if task is None else here.walk.before(task)
    return RedirectResponse("/judge" if back is None else f"/judge/item/{back.position}", 303)


def show_guidelines(site: Site, request: Request) -> Response:
    """Show the guidelines again, at any time after they were first read."""
    here = visit(site, site.judge_of(request))
    if here.walk.step().name in ("consent", "declined", "background"):
        return RedirectResponse("/judge", 303)
    text = from_researcher(here.study.manual.guidelines)
    return page("guidelines", **here.values(), text=text, again=True, changed=False)


def _of_step(here: Visit, step: Step) -> dict[str, Any]:
    """What the page of a step shows besides what every page shows."""
    study = here.study
    if step.name == "consent":
        return {"text": from_researcher(study.consent)}
    if step.name == "guidelines":
        text = from_researcher(study.manual.guidelines)
        return {"text": text, "again": False, **since_last_read(here)}
    if step.name == "background":
        return {"given": {}, "missing": ()}
    if step.name == "preferred":
        return {"parts": _parts_met(here)}
    if step.task is not None:
        progress = here.walk.progress(step.task)
        return {"step": step, "progress": progress, "part": part_words(here, step.task)}
    return {}


def _parts_met(here: Visit) -> list[tuple[int, str, str]]:
    """The parts as the judge met them: number, name, and what their scales look like."""
    assert here.walk.sheet is not None
    study = here.study
    met = dict.fromkeys(task.part for task in here.walk.sheet.tasks)
    return [(study.parts.index(part), part, _look(study, part)) for part in met]


def _look(study: Study, part: str) -> str:
    looks = (
        LOOKS.get(type(criterion.scale), "a list of answers to choose from")
        for criterion in study.criteria_of(part)
    )
    return ", ".join(dict.fromkeys(looks))


def _done(here: Visit) -> Response:
    """Show the end, and the first time go on to the recruiting platform at once."""
    finished = any(note.kind == "finished" for note in here.walk.notes)
    if not finished:
        here.note("finished", {"sheet": here.sheet_number}, f"finished:{here.sheet_number}")
    redirect = here.study.session.redirect
    if not redirect.startswith(("https://", "http://")):
        redirect = ""
    return page("done", **here.values(), redirect=redirect, at_once=bool(redirect) and not finished)
