"""Rating alone: the items of a round in a judge's own order, each answer saved as it is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.responses import JSONResponse, RedirectResponse, Response

from covary.design.plan import Task
from covary.errors import InvalidArgument
from covary.scales import Category, Preference
from covary.training import Finished, Rated
from covary.web.images import image_address
from covary.web.judge.answering import read_json, read_seconds, read_whole
from covary.web.judge.drawing import Drawn, Line, draw
from covary.web.judge.showing import shown
from covary.web.judge.walk import Progress
from covary.web.proof import opaque
from covary.web.refusals import Refusal, Words
from covary.web.rounds.view import Form, View

__all__ = ["finish", "save_rating", "show_item", "show_rated", "take_next", "tasks_of"]

MOVED_ON = Words(
    "The round has moved on",
    "These ratings can no longer be changed. Open your link again to go on where the round is now.",
)


def tasks_of(view: View) -> tuple[Task, ...]:
    """Return what a judge rates in this round: all items, mixed for this judge, part by part."""
    assert view.judge is not None
    current, secret, judge = view.cycle.round, view.site.proof.secret, view.judge.id
    mixed = sorted(
        current.items, key=lambda item: opaque(secret, "round", judge, current.number, item)
    )
    parts = dict.fromkeys(each.part for each in view.cycle.edition.criteria)
    places = [(item, part) for part in parts for item in mixed]
    return tuple(
        Task(place, item, part=part, order=_order(view, item, part))
        for place, (item, part) in enumerate(places, 1)
    )


def _order(view: View, item: str, part: str) -> tuple[int, ...]:
    """Which of two texts stands left, where they are compared: another one for another judge."""
    assert view.judge is not None
    compared = any(isinstance(each.scale, Preference) for each in view.study.criteria_of(part))
    if not compared or len(view.study.item(item).texts) != 2:
        return ()
    mixed = opaque(view.site.proof.secret, "left", view.judge.id, item)
    return (0, 1) if int(mixed, 16) % 2 else (1, 0)


def given_at(view: View, task: Task) -> Mapping[str, Category | None]:
    """Return what the judge has given so far at a place."""
    return view.cycle.seen_by(view.whose).get((view.whose, task.item), {})


def lacking(view: View, task: Task) -> tuple[str, ...]:
    """Return the criteria that the judge has yet to answer at a place."""
    given = given_at(view, task)
    asked = [each.key for each in view.study.criteria_of(task.part)]
    return tuple(key for key in asked if given.get(key) is None)


def show_item(view: View, place: int, status: int = 200, missing: tuple[str, ...] = ()) -> Response:
    """Show an item to be rated, with what the judge has given already."""
    tasks = tasks_of(view)
    task = _task(tasks, place)
    item, given = shown(view.study, task), given_at(view, task)
    done = sum(not lacking(view, each) for each in tasks)
    return view.page(
        "item",
        status,
        item=item,
        scales=[(each, _sent(each, given)) for each in item.scales],
        task=task,
        progress=Progress(f"Item {place} of {len(tasks)}", done, len(tasks)),
        part="",
        image=image_address(view.site, item.image) if item.image else None,
        mark=_mark(view, task),
        back=place - 1 if place > 1 else None,
        missing=missing,
        round=view.cycle.round.number,
    )


def next_place(view: View, after: int = 0) -> int | None:
    """Return the next place that is not rated, from there on and then from the first; None: all."""
    tasks = tasks_of(view)
    open_ = [task.position for task in tasks if lacking(view, task)]
    later = [place for place in open_ if place > after]
    return next(iter(later or open_), None)


def show_rated(view: View) -> Response:
    """Show that all is rated, with the ratings, before they are fixed."""
    criteria = view.study.criteria
    rows = []
    for task in tasks_of(view):
        given = given_at(view, task)
        text = " ".join(" / ".join(view.study.item(task.item).texts).split())
        words = [
            (each.key, words_of(draw(each, task), given.get(each.key)))
            for each in criteria
            if each.part == task.part
        ]
        rows.append((task.position, text, words))
    return view.page("rated", rows=rows)


def words_of(drawn: Drawn, rating: Category | None) -> str:
    """Return a rating as it is read on the scale."""
    if rating is None:
        return "–"
    if isinstance(drawn, Line):
        return f"{rating:g}" if isinstance(rating, int | float) else str(rating)
    found = next((each for each in drawn.choices if each.rating == rating), None)
    return str(rating) if found is None else f"{found.number} {found.words}".strip()


def save_rating(view: View, body: bytes) -> Response:
    """Save one answer as the page's script sends it."""
    sent = read_json(body)
    place = _place_of(view, sent)
    drawn = {each.key: draw(each, place.task) for each in _criteria(view, place.task)}
    chosen = drawn.get(str(sent.get("criterion")))
    if chosen is None:
        raise Refusal(422)
    rating = _rating(chosen, sent.get("rating"))
    event = Rated(view.whose, place.task.item, {chosen.criterion.key: rating})
    view.site.training.apply(event, place.key)
    return JSONResponse({"saved": True, "late": False})


def take_next(view: View, form: Form) -> Response:
    """Save all that the page holds, and go on if it holds everything."""
    place = _place_of(view, form)
    found: dict[str, Category | None] = {}
    for number, criterion in enumerate(_criteria(view, place.task)):
        drawn, sent = draw(criterion, place.task), form.get(f"rating-{number}")
        touched = not isinstance(drawn, Line) or form.get(f"touched-{number}") == "1"
        if sent is not None and touched:
            found[criterion.key] = _rating(drawn, sent)
    after = view
    if found:
        event = Rated(view.whose, place.task.item, found, place.seconds)
        after = view.with_cycle(view.site.training.apply(event, f"{place.key}.next"))
    missing = lacking(after, place.task)
    if missing:
        return show_item(after, place.task.position, 422, missing)
    onward = next_place(after, place.task.position)
    return RedirectResponse(
        "/judge/round" if onward is None else f"/judge/round/item/{onward}", 303
    )


def finish(view: View, form: Form) -> Response:
    """Fix the judge's ratings of this round; what is not rated yet is shown instead."""
    unrated = None if view.whose in view.cycle.round.finished else next_place(view)
    if unrated is not None:
        return RedirectResponse(f"/judge/round/item/{unrated}", 303)
    if view.whose not in view.cycle.round.finished:
        view.apply(Finished(view.whose), form)
    return RedirectResponse("/judge/round", 303)


@dataclass(frozen=True)
class Place:
    """Where an answer belongs: the task, a name for the answer, and the time it took."""

    task: Task
    key: str
    seconds: float | None


def _place_of(view: View, sent: Mapping[str, Any]) -> Place:
    """Return where an answer belongs; refuse pages of another judge, item or round."""
    position, sequence = read_whole(sent.get("position")), read_whole(sent.get("sequence"))
    page = sent.get("page")
    if position is None or sequence is None or not isinstance(page, str) or not page.isascii():
        raise Refusal(422)
    if view.cycle.phase != "internalisation":
        raise Refusal(409, MOVED_ON)
    task = _task(tasks_of(view), position)
    assert view.judge is not None
    mark = view.site.proof.read_page(page, view.judge.id, *_page(view, task))
    if mark is None:
        raise Refusal(422)
    return Place(
        task, f"{view.judge.id}:{mark.nonce}.{sequence}", read_seconds(sent.get("seconds"))
    )


def _page(view: View, task: Task) -> tuple[object, ...]:
    return ("round", view.cycle.round.number, task.item, task.part, view.cycle.edition.version)


def _mark(view: View, task: Task) -> str:
    assert view.judge is not None
    return view.site.proof.new_page(view.judge.id, *_page(view, task))


def _task(tasks: tuple[Task, ...], place: int) -> Task:
    if not 1 <= place <= len(tasks):
        raise Refusal(404)
    return tasks[place - 1]


def _criteria(view: View, task: Task) -> tuple[Any, ...]:
    return view.study.criteria_of(task.part)


def _rating(drawn: Drawn, sent: object) -> Category:
    try:
        return drawn.rating(sent)
    except InvalidArgument:
        raise Refusal(422) from None


def _sent(drawn: Drawn, given: Mapping[str, Category | None]) -> str | None:
    rating = given.get(drawn.criterion.key)
    return None if rating is None else drawn.sent(rating)
