"""A judge's pages and forms: whatever comes next, earlier items, the guidelines, and what a
judge sends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from covary.design.plan import Task
from covary.study.model import Background, Study
from covary.training import awaits_training
from covary.web.forms import Choice, Form, Text, Whole, form_route, wants_json
from covary.web.judge.answers import (
    answers_from_form,
    answers_not_stored,
    due_of,
    place_of,
)
from covary.web.judge.dialogue_page import draw_dialogue, take_dialogue
from covary.web.judge.item_page import (
    draw_feedback,
    draw_item,
    part_place,
    parts_met,
    serve_file_of_item,
)
from covary.web.judge.save_endpoint import SaveEndpoint
from covary.web.judge.sheets import give_sheet
from covary.web.judge_flow import FlowStep
from covary.web.pages import from_researcher, page, table_name
from covary.web.recruiting import intercept, show_stop, take_practice_again, take_stop
from covary.web.site import Site, Visit, those_that_count, visit

Taker = Callable[[Visit, Form], Response]

AGREED = Choice("agreed", ("yes", "no"))
REASON = Text("reason", 10_000, status=413)
REMARKS = Text("remarks", 10_000, status=413)
LONGEST_ANSWER = 500
POSITION = Whole("position", clamps=True, status=404)
MOST_FIELDS = 200
MOST_FIELDS_OF_A_DIALOGUE = 5_000
PASSED_BY = ("practice-over", "occasion", "part", "break", "feedback")
"""Pages between items, which a judge passes by going on."""

ASKS = ("background", "questions")
"""Pages with questions that are about no item."""


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
        Route("/judge/answer", SaveEndpoint(site), methods=["POST"]),
        *(_form_route(site, f"/judge/{name}", taker) for name, taker in forms.items()),
        _form_route(site, "/judge/dialogue", take_turns, MOST_FIELDS_OF_A_DIALOGUE),
    ]


def _form_route(site: Site, path: str, taker: Taker, most_fields: int = MOST_FIELDS) -> Route:
    def take(request: Request, form: Form) -> Response:
        return answer_to(request, taker(_admit(site, request, form.get("token", "")), form))

    return form_route(path, take, most_fields=most_fields)


def answer_to(request: Request, response: Response) -> Response:
    """Answer a form: to the script of a page, which follows no redirect, say where to go on."""
    if response.status_code != 303 or not wants_json(request):
        return response
    return JSONResponse({"next": response.headers["location"]})


def _admit(site: Site, request: Request, token: str) -> Visit:
    seat = site.admit(request, token)
    return Visit(site, seat.judge, seat.flow)


def go_on(path: str = "/judge") -> Response:
    """Go on to a page."""
    return RedirectResponse(path, 303)


def take_consent(here: Visit, form: Form) -> Response:
    """Note that a judge agrees, or does not; one who did not may think again."""
    if here.flow.step().name in ("consent", "declined"):
        agreed = AGREED.read(form) == "yes"
        here.note("consent", {"agreed": agreed, "text": here.study.consent})
    return go_on()


def take_background(here: Visit, form: Form) -> Response:
    """Note what a judge answers to questions that are about no item."""
    step = here.flow.step()
    if step.name not in ASKS or form.get("about", "0") != str(step.about):
        return go_on()
    answers, missing = {}, []
    questions = _asked_at(here.study, step)
    for number, question in enumerate(questions):
        answer = Text(f"answer-{number}", LONGEST_ANSWER).read(form)
        if answer and question.options:
            Choice(f"answer-{number}", question.options).read({f"answer-{number}": answer})
        answers[question.name] = answer
        if question.required and not answer:
            missing.append(question.name)
    if missing:
        values = _background_values(here.study, step) | {"given": answers, "missing": missing}
        return page("background", 422, **here.values(), **values)
    if step.name == "background":
        here.note("background", {"answers": answers}, "background")
    else:
        place = {"sheet": here.sheet_number, "position": step.about}
        key = f"questions:{here.sheet_number}:{step.about}"
        here.note("questions", {"answers": answers, **place}, key)
    return go_on()


def _asked_at(study: Study, step: FlowStep) -> tuple[Background, ...]:
    """Return what is asked of the judge at a step."""
    if step.name == "background":
        return study.background_at("before")
    return study.background_at("after" if step.task is None else "between")


def _background_values(study: Study, step: FlowStep) -> dict[str, Any]:
    questions = _asked_at(study, step)
    return {"step": step, "questions": questions, "given": {}, "missing": ()}


def take_continue(here: Visit, form: Form) -> Response:
    """Note that a judge has read a page between items; a page of yesterday changes nothing."""
    step = here.flow.step()
    if form.get("step") == step.name and form.get("about", "0") == str(step.about):
        if step.name == "guidelines":
            version = here.study.manual.version
            here.note("guidelines", {"version": version}, f"guidelines:{version}")
        elif step.name in PASSED_BY:
            here.note_at(step.name, step.about)
    return go_on()


def take_next(here: Visit, form: Form) -> Response:
    """Save what the page holds and the store does not, and leave the item if it has all."""
    place = place_of(here, form)
    position = place.task.position
    stored = here.answers_at(position)
    answers = answers_not_stored(answers_from_form(here, place, form), stored)
    if answers:
        here.site.store.answers.save(answers)
        stored = here.answers_at(position)
    ratings = {key: answer.rating for key, answer in those_that_count(stored).items()}
    missing = tuple(key for key in due_of(place, ratings) if ratings.get(key) is None)
    if missing:
        return draw_item(here, place.task, 422, missing)
    frontier = here.flow.frontier()
    here.note_at("left", position)
    going_back = frontier is not None and position < frontier.position - 1
    return go_on(f"/judge/item/{position + 1}" if going_back else "/judge")


def take_turns(here: Visit, form: Form) -> Response:
    """Save what the page of a dialogue holds, and leave its turns if they have all answers."""
    task, missing = take_dialogue(here, form)
    if missing:
        return draw_dialogue(here, task, 422, missing)
    frontier, last = here.flow.frontier(), here.flow.on_page(task)[-1].position
    going_back = frontier is not None and last < frontier.position - 1
    return go_on(f"/judge/item/{last + 1}" if going_back else "/judge")


def take_preferred(here: Visit, form: Form) -> Response:
    """Note which part a judge preferred, if any."""
    if here.flow.step().name != "preferred":
        return go_on()
    choices = {str(number): part for number, part in enumerate(here.study.parts)}
    chosen = choices.get(Choice("part", (*choices, "none")).read(form))
    here.note("preferred", {"part": chosen, "reason": REASON.read(form)}, "preferred")
    return go_on()


def take_remarks(here: Visit, form: Form) -> Response:
    """Note what a judge wants to say."""
    if here.flow.step().name == "remarks":
        here.note("remarks", {"text": REMARKS.read(form)}, "remarks")
    return go_on()


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
        reads("/judge/item/{position}", show_earlier_item),
        reads("/judge/back", go_back),
        reads("/judge/guidelines", show_guidelines),
        reads("/judge/stop", show_stop),
        reads("/judge/image/{name}", serve_file_of_item),
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
    instead = intercept(here)
    if instead is not None:
        return instead
    step = here.flow.step()
    not_open = site.not_open()
    if not_open is not None and step.name != "done":
        return page("message", study=site.study, notice=not_open)
    if trains(here):
        return RedirectResponse("/judge/round", 303)
    if step.name == "sheet" and awaits_training(site.given, site.training.cycle()):
        return page("round-awaited", **here.values())
    if step.name == "sheet":
        sheet = give_sheet(site, here.judge.id)
        here.note("began", {"sheet": sheet.number}, f"began:{sheet.number}")
        return RedirectResponse("/judge", 303)
    if step.name == "done":
        return _done(here)
    if step.name == "item":
        assert step.task is not None
        return _draw(here, step.task)
    if step.name == "feedback":
        assert step.task is not None
        return draw_feedback(here, step.task)
    name = "background" if step.name == "questions" else step.name
    return page(name, **here.values(), **_step_values(here, step))


def show_earlier_item(site: Site, request: Request) -> Response:
    """Show an item again, where the study lets judges go back."""
    position = POSITION.read(request.path_params)
    here = visit(site, site.judge_of(request))
    task = here.flow.may_see(position)
    if task is None or site.store.get_state() != "open" or intercept(here) is not None:
        return RedirectResponse("/judge", 303)
    return _draw(here, task)


def _draw(here: Visit, task: Task) -> Response:
    """Draw the page of a task: its item, or the dialogue that it is a turn of."""
    return draw_dialogue(here, task) if here.flow.shows_dialogue(task) else draw_item(here, task)


def go_back(site: Site, request: Request) -> Response:
    """Go back by one item from where the judge is."""
    here = visit(site, site.judge_of(request))
    task = here.flow.step().task
    back = None if task is None else here.flow.before(task)
    return RedirectResponse("/judge" if back is None else f"/judge/item/{back.position}", 303)


def show_guidelines(site: Site, request: Request) -> Response:
    """Show the guidelines again, at any time after they were first read."""
    here = visit(site, site.judge_of(request))
    if here.flow.step().name in ("consent", "declined", "background"):
        return RedirectResponse("/judge", 303)
    text = from_researcher(here.study.manual.guidelines, table_name(here.study))
    return page("guidelines", **here.values(), text=text, again=True, changed=False)


def _step_values(here: Visit, step: FlowStep) -> dict[str, Any]:
    """What the page of a step shows besides what every page shows."""
    study = here.study
    if step.name == "consent":
        return {"text": from_researcher(study.consent, table_name(study))}
    if step.name == "guidelines":
        text = from_researcher(study.manual.guidelines, table_name(study))
        return {"text": text, "again": False, **since_last_read(here)}
    if step.name in ASKS:
        return _background_values(study, step)
    if step.name == "preferred":
        return {"parts": _parts_met(here)}
    if step.task is not None:
        progress = here.flow.progress(step.task)
        return {"step": step, "progress": progress, "part": part_place(here, step.task)}
    return {}


def _parts_met(here: Visit) -> list[tuple[int, str, tuple[str, ...]]]:
    """The parts as the judge met them: number, name, and what their scales look like."""
    study = here.study
    return [(study.parts.index(part), part, _look(study, part)) for part in parts_met(here)]


def _look(study: Study, part: str) -> tuple[str, ...]:
    scales = (criterion.scale for criterion in study.criteria_of(part))
    return tuple(dict.fromkeys(scale.appearance for scale in scales))


def _done(here: Visit) -> Response:
    """Show the end, and the first time go on to the recruiting platform at once."""
    finished = any(note.kind == "finished" for note in here.flow.notes)
    if not finished:
        here.note("finished", {"sheet": here.sheet_number}, f"finished:{here.sheet_number}")
    redirect = here.study.session.redirect
    if not redirect.startswith(("https://", "http://")):
        redirect = ""
    return page("done", **here.values(), redirect=redirect, at_once=bool(redirect) and not finished)


def trains(here: Visit) -> bool:
    """Say whether a judge's next step is in the guideline cycle, and not in the evaluation.

    Consent and questions about the judge come before both; a manual that a judge has not read yet
    comes before the items of a round.
    """
    step = here.flow.step().name
    if step in ("consent", "declined", "background"):
        return False
    cycle = here.site.training.cycle()
    if here.judge.name not in cycle.judges or cycle.phase in ("new", "ended"):
        return False
    return not (cycle.phase == "internalisation" and step == "guidelines")


def since_last_read(here: Visit) -> dict[str, Any]:
    """Say whether a judge has read older guidelines, and to one who trains where to compare."""
    read = [note.data.get("version") for note in here.flow.notes if note.kind == "guidelines"]
    cycle = here.site.training.cycle()
    known = [edition.version for edition in cycle.editions]
    compare = ""
    if read and read[-1] in known and here.judge.name in cycle.judges:
        compare = f"/judge/round/compare?old={known.index(read[-1]) + 1}&new={len(known)}"
    return {"changed": bool(read), "compare": compare}
