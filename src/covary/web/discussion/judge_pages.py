"""A judge's way through a round: whatever is next, and who may be here at all."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from covary.design.plan import Task
from covary.scales import CannotJudge, Category
from covary.store.records import Judge
from covary.study.model import Criterion, Study
from covary.training import Cycle, Finished, Rated
from covary.web.discussion.differences import (
    show_changes,
    show_differences,
    show_mark,
    show_proposals,
    show_talk,
    take_entry,
    take_proposal,
    take_talk,
    take_vote,
)
from covary.web.discussion.manual import (
    MOST_FIELDS,
    show_comparison,
    show_editor,
    show_manual,
    take_edit,
)
from covary.web.discussion.view import View, naming_for, participants
from covary.web.forms import Form, Refusal, Whole, form_route, notice, read_json, wants_json
from covary.web.guard import Tokens, opaque_name
from covary.web.judge.answers import AnswerPlace, place_of, rating_from, ratings_from_form
from covary.web.judge.item_page import (
    draw_scale,
    file_addresses,
    prior_answer,
    rated_in_training,
    rating_words,
    show_item,
)
from covary.web.judge.pages import answer_to
from covary.web.judge.save_endpoint import TOKEN_HEADER
from covary.web.judge_flow import FlowProgress
from covary.web.pages import page
from covary.web.site import Site, visit

HOME = "/judge/round"
PLACE = Whole("place", clamps=True, status=404)

Reader = Callable[[View], Response]
Taker = Callable[[View, Form], Response]


def judge_round_routes(site: Site) -> list[BaseRoute]:
    """Return the routes of judges who train."""
    return [
        _reads(site, "", show_now, reads_first=True),
        _reads(site, "/item/{place}", show_place, reads_first=True),
        _reads(site, "/rated", show_rated_so_far, reads_first=True),
        _reads(site, "/differences", show_differences),
        _reads(site, "/mark/{round}/{number}", show_mark),
        _reads(site, "/talk/{round}/{number}", show_talk),
        _reads(site, "/proposals", show_proposals),
        _reads(site, "/manual", show_manual),
        _reads(site, "/compare", show_comparison),
        _reads(site, "/edit", show_editor),
        _reads(site, "/news", show_changes),
        Route(f"{HOME}/answer", _saves(site), methods=["POST"]),
        _takes(site, "/next", take_training_next),
        _takes(site, "/finish", take_finish),
        _takes(site, "/say", take_entry),
        _takes(site, "/talk", take_talk),
        _takes(site, "/propose", take_proposal),
        _takes(site, "/agree", take_vote),
        _takes(site, "/edit", take_edit),
    ]


def show_now(view: View) -> Response:
    """Show whatever is next in the round."""
    phase = view.cycle.phase
    if phase == "internalisation":
        return _show_rating(view)
    if phase == "ready":
        return view.page("wait", waiting="ready", finished=0)
    if phase == "socialisation":
        return show_differences(view)
    return show_proposals(view) if phase == "externalisation" else show_manual(view)


def _show_rating(view: View) -> Response:
    current = view.cycle.round
    if view.whose not in current.finished:
        place = TrainingSheet(view).next_place()
        return show_rated(view) if place is None else draw_training_item(view, place)
    done = sum(judge in current.finished for judge in view.cycle.judges)
    waiting = "others" if view.cycle.waiting_for() else "everybody"
    return view.page("wait", waiting=waiting, finished=done)


def show_place(view: View) -> Response:
    """Show an item again, to change a rating before they are fixed."""
    if view.cycle.phase != "internalisation" or view.whose in view.cycle.round.finished:
        return RedirectResponse(HOME, 303)
    return draw_training_item(view, PLACE.read(view.request.path_params))


def show_rated_so_far(view: View) -> Response:
    """Show what a judge has rated so far."""
    if view.cycle.phase != "internalisation" or view.whose in view.cycle.round.finished:
        return RedirectResponse(HOME, 303)
    return show_rated(view)


def _reads(site: Site, path: str, reader: Reader, *, reads_first: bool = False) -> Route:
    """Return the route of a page; with `reads_first`, of one that follows the guidelines."""

    def endpoint(request: Request) -> Response:
        judge = site.judge_of(request)
        step = visit(site, judge).flow.step().name
        if step in ("consent", "declined", "background"):
            return RedirectResponse("/judge", 303)
        not_open = site.not_open()
        if not_open is not None:
            return page("message", study=site.study, notice=not_open)
        view = _view(site, request, judge)
        if isinstance(view, Response):
            return view
        if view.cycle.phase == "internalisation" and step == "guidelines" and reads_first:
            return RedirectResponse("/judge", 303)
        return view.guarded(lambda: reader(view))

    return Route(f"{HOME}{path}", endpoint, methods=["GET"])


def _takes(site: Site, path: str, taker: Taker) -> Route:
    def take(request: Request, form: Form) -> Response:
        view = _view(site, request, site.admit(request, form.get("token", "")).judge)
        if isinstance(view, Response):
            return view
        return answer_to(request, view.guarded(lambda: taker(view, form)))

    return form_route(f"{HOME}{path}", take, most_fields=MOST_FIELDS)


def _saves(site: Site) -> Callable[[Request], Awaitable[Response]]:
    def save(request: Request, body: bytes) -> Response:
        token = request.headers.get(TOKEN_HEADER, "")
        view = _view(site, request, site.admit(request, token).judge)
        if isinstance(view, Response):
            return view
        return view.guarded(lambda: save_rating(view, body))

    async def endpoint(request: Request) -> Response:
        return await run_in_threadpool(save, request, await request.body())

    return endpoint


def _view(site: Site, request: Request, judge: Judge) -> View | Response:
    """Return the cycle as a judge sees it; whoever does not take part is told so."""
    study, cycle = site.manual.now(), site.training.cycle()
    running = cycle.phase not in ("new", "ended")
    if request.url.path == f"{HOME}/news" and not (running and judge.name in cycle.judges):
        return JSONResponse({"news": "The training has ended for you"})
    if not running or judge.name not in participants(cycle):
        if request.method == "GET" and not wants_json(request):
            return RedirectResponse("/judge", 303)
        raise Refusal(409, "web.no-training")
    aliases = study.training.names == "aliases"
    view = View(
        site=site,
        study=study,
        cycle=cycle,
        naming=naming_for(cycle, own=judge.name, aliases=aliases),
        request=request,
        home=HOME,
        frame="round-judge.html",
        token=site.tokens.form_token(str(judge.id)),
        judge=judge,
    )
    return (
        view
        if judge.name in cycle.judges
        else view.told(409, notice("web.left-training"), "/judge")
    )


def training_tasks(study: Study, cycle: Cycle, judge_id: int, secret: bytes) -> tuple[Task, ...]:
    """Return what a judge rates in the current round: its items, mixed for this judge, by part."""
    current = cycle.round
    mixed = sorted(
        current.items,
        key=lambda item: opaque_name(secret, "round", judge_id, current.number, item),
    )
    parts = dict.fromkeys(criterion.part for criterion in cycle.edition.criteria)
    places = [(item, part) for part in parts for item in mixed if study.item(item).belongs_to(part)]

    def sides(item: str, part: str) -> tuple[int, ...]:
        """Which of two texts stands left where they are compared; it changes with the judge."""
        compared = any(criterion.scale.compares for criterion in study.criteria_of(part))
        if not compared or len(study.item(item).texts) != 2:
            return ()
        mixed = opaque_name(secret, "left", judge_id, item)
        return (0, 1) if int(mixed, 16) % 2 else (1, 0)

    return tuple(
        Task(place, item, part=part, order=sides(item, part))
        for place, (item, part) in enumerate(places, 1)
    )


@dataclass(frozen=True)
class TrainingSheet:
    """What a judge rates in a round: all its items, mixed for this judge, part by part."""

    view: View

    @property
    def study(self) -> Study:
        return self.view.study

    @property
    def tokens(self) -> Tokens:
        return self.view.site.tokens

    @property
    def judge_id(self) -> int:
        assert self.view.judge is not None
        return self.view.judge.id

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks in the judge's own order."""
        return training_tasks(self.study, self.view.cycle, self.judge_id, self.tokens.secret)

    def task(self, position: int) -> Task | None:
        """Return the task at a position, while the round is rated."""
        self.check_reached()
        return self.tasks[position - 1] if 0 < position <= len(self.tasks) else None

    def asked(self, task: Task) -> tuple[Criterion, ...]:
        """Return what is asked at a task: what is rated, and no other questions."""
        return rated_in_training(self.study, task.part)

    def page_place(self, task: Task) -> tuple[object, ...]:
        """Return what the page of a task is sealed with."""
        cycle = self.view.cycle
        return ("round", cycle.round.number, task.item, task.part, cycle.edition.version)

    def check_reached(self, task: Task | None = None) -> None:  # noqa: ARG002
        """Refuse ratings when the round has moved on."""
        if self.view.cycle.phase != "internalisation":
            raise Refusal(409, "web.round-moved-on")

    def given_at(self, task: Task) -> Mapping[str, Category | None]:
        """Return what the judge has given so far at a task."""
        whose = self.view.whose
        return self.view.cycle.seen_by(whose).get((whose, task.item), {})

    def unanswered(self, task: Task) -> tuple[str, ...]:
        """Return the criteria that the judge has yet to answer at a task."""
        ratings = self.given_at(task)
        keys = [criterion.key for criterion in self.study.criteria_of(task.part)]
        return tuple(key for key in keys if ratings.get(key) is None)

    def next_place(self, after: int = 0) -> int | None:
        """Return the next place to rate, from there on, then from the first; None: all are."""
        left = [task.position for task in self.tasks if self.unanswered(task)]
        return next(iter([place for place in left if place > after] or left), None)


def draw_training_item(
    view: View, place: int, status: int = 200, missing: tuple[str, ...] = ()
) -> Response:
    """Draw an item to be rated, with what the judge has given already."""
    sheet = TrainingSheet(view)
    task = sheet.task(place)
    if task is None:
        raise Refusal(404)
    item, ratings, total = (
        show_item(view.study, task, questions=False),
        sheet.given_at(task),
        len(sheet.tasks),
    )
    done = sum(not sheet.unanswered(other) for other in sheet.tasks)
    return view.page(
        "item",
        status,
        item=item,
        scales=[
            (scale, prior_answer(scale, ratings.get(scale.criterion.key))) for scale in item.scales
        ],
        task=task,
        progress=FlowProgress(place, done, total),
        part=None,
        files=file_addresses(view.site, item),
        mark=sheet.tokens.new_page(sheet.judge_id, *sheet.page_place(task)),
        back=place - 1 if place > 1 else None,
        missing=missing,
        round=view.cycle.round,
    )


def show_rated(view: View) -> Response:
    """Show that all is rated, with the ratings, before they are fixed."""
    sheet, rows = TrainingSheet(view), []
    for task in sheet.tasks:
        ratings = sheet.given_at(task)
        text = " ".join(" / ".join(view.study.item(task.item).texts).split())
        words = [
            (criterion.key, rating_words(draw_scale(criterion, task), ratings.get(criterion.key)))
            for criterion in view.study.criteria_of(task.part)
        ]
        rows.append((task.position, text, words))
    return view.page("rated", rows=rows)


def save_rating(view: View, body: bytes) -> Response:
    """Save one rating as the page's script sends it."""
    sent, sheet = read_json(body), TrainingSheet(view)
    place = place_of(sheet, sent)
    answer = rating_from(place, sent)
    if answer.rating is None or isinstance(answer.rating, CannotJudge):
        raise Refusal(422)
    event = Rated(view.whose, place.task.item, {answer.criterion: answer.rating})
    view.site.training.apply(event, _rating_key(sheet, place))
    return JSONResponse({"saved": True, "late": False})


def take_training_next(view: View, form: Form) -> Response:
    """Save all that the page holds, and go on if it holds everything."""
    sheet = TrainingSheet(view)
    place = place_of(sheet, form)
    ratings = {
        answer.criterion: answer.rating
        for answer in ratings_from_form(place, form)
        if not isinstance(answer.rating, CannotJudge)
    }
    if ratings:
        event = Rated(view.whose, place.task.item, ratings, place.seconds)
        cycle = view.site.training.apply(event, f"{_rating_key(sheet, place)}.next")
        view = view.with_cycle(cycle)
        sheet = TrainingSheet(view)
    missing = sheet.unanswered(place.task)
    if missing:
        return draw_training_item(view, place.task.position, 422, missing)
    onward = sheet.next_place(place.task.position)
    return RedirectResponse(HOME if onward is None else f"{HOME}/item/{onward}", 303)


def take_finish(view: View, form: Form) -> Response:
    """Fix the judge's ratings of this round; what is not rated yet is shown instead."""
    if view.whose not in view.cycle.round.finished:
        unrated = TrainingSheet(view).next_place()
        if unrated is not None:
            return RedirectResponse(f"{HOME}/item/{unrated}", 303)
        view.apply(Finished(view.whose), form)
    return RedirectResponse(HOME, 303)


def _rating_key(sheet: TrainingSheet, place: AnswerPlace) -> str:
    return f"{sheet.judge_id}:{place.page}.{place.sequence}"
