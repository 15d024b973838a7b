"""A dialogue on one page: every turn where it was said, and below each judged turn its scales.

Each judged turn is a task of its own. It has its own mark and its own answers, which come the same
way as those of an item's page; only the form at the end of the page holds all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup
from starlette.responses import Response

from covary.design.plan import Task
from covary.store.records import Answer
from covary.study.dialogue_pages import transcript
from covary.web.forms import Refusal, Whole
from covary.web.judge.answers import (
    AnswerPlace,
    answers_from_form,
    answers_not_stored,
    due_of,
    place_of,
)
from covary.web.judge.item_page import (
    DrawnScale,
    PriorAnswer,
    drawn_with_answers,
    part_place,
    shown_text,
)
from covary.web.pages import page
from covary.web.site import Visit, those_that_count

TURNS = Whole("turns", least=1, most=10_000)
PLACE_FIELDS = ("position", "page", "sequence", "seconds")


@dataclass(frozen=True, kw_only=True)
class JudgedTurn:
    """A turn that is judged here: its number on the page, its task, its mark and its scales.

    `first` is the number of its first scale among all scales of the page.
    """

    number: int
    task: Task
    mark: str
    scales: tuple[tuple[DrawnScale, PriorAnswer], ...]
    first: int
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ShownTurn:
    """One turn as it is shown; `aside` are those of others than the speakers who are judged."""

    speaker: str
    text: str | Markup
    aside: bool
    gap: bool
    judged: JudgedTurn | None = None


def draw_dialogue(
    here: Visit,
    task: Task,
    status: int = 200,
    missing: Mapping[int, tuple[str, ...]] | None = None,
) -> Response:
    """Draw the page of the dialogue that a task belongs to; `missing` is by position."""
    tasks = here.flow.on_page(task)
    judged = _judged_turns(here, tasks, missing or {})
    back = here.flow.before(task)
    return page(
        "dialogue",
        status,
        **here.values(),
        turns=_shown_turns(here, tasks, judged),
        judged=list(judged.values()),
        task=tasks[0],
        progress=here.flow.dialogue_progress(task),
        part=part_place(here, task),
        sends="/judge/dialogue",
        back=None if back is None else here.flow.on_page(back)[0].position,
        missing=bool(missing),
    )


def _judged_turns(
    here: Visit, tasks: tuple[Task, ...], missing: Mapping[int, tuple[str, ...]]
) -> dict[str, JudgedTurn]:
    """Return the judged turns by their items."""
    turns: dict[str, JudgedTurn] = {}
    first = 0
    for number, task in enumerate(tasks):
        scales = tuple(drawn_with_answers(here, task))
        turns[task.item] = JudgedTurn(
            number=number,
            task=task,
            mark=here.tokens.new_page(here.judge.id, *here.page_place(task)),
            scales=scales,
            first=first,
            missing=missing.get(task.position, ()),
        )
        first += len(scales)
    return turns


def _shown_turns(
    here: Visit, tasks: tuple[Task, ...], judged: Mapping[str, JudgedTurn]
) -> list[ShownTurn]:
    items = [here.study.item(task.item) for task in tasks]
    speakers = {item.speaker for item in items}
    return [
        ShownTurn(
            speaker=place.turn.speaker,
            text=shown_text(here.study, place.turn.text),
            aside=bool(place.turn.speaker) and place.turn.speaker not in speakers,
            gap=place.gap,
            judged=None if place.item is None else judged[place.item.id],
        )
        for place in transcript(items)
    ]


def take_dialogue(here: Visit, form: Mapping[str, str]) -> tuple[Task, dict[int, tuple[str, ...]]]:
    """Save what the page of a dialogue holds and leave its turns, if they have all answers.

    Returns the first turn's task, and what is missing by position.
    """
    places = _places(here, form)
    missing: dict[int, tuple[str, ...]] = {}
    first = 0
    for place in places:
        lacking = _save_turn(here, place, form, first)
        if lacking:
            missing[place.task.position] = lacking
        first += len(place.scales)
    if not missing:
        for place in places:
            here.note_at("left", place.task.position)
    return places[0].task, missing


def _places(here: Visit, form: Mapping[str, str]) -> list[AnswerPlace]:
    """Return where the answers belong: to all turns of one page, and no other."""
    places = [
        place_of(here, {name: form.get(f"{name}.{number}", "") for name in PLACE_FIELDS})
        for number in range(TURNS.read(form))
    ]
    if tuple(place.task for place in places) != here.flow.on_page(places[0].task):
        raise Refusal(422)
    return places


def _repeats(answer: Answer, counting: Mapping[str, Answer]) -> bool:
    """Say whether an answer that counts says the same, given on an earlier load of the page."""
    before = counting.get(answer.criterion)
    return before is not None and before.rating == answer.rating


def _save_turn(
    here: Visit, place: AnswerPlace, form: Mapping[str, str], first: int
) -> tuple[str, ...]:
    """Save what the store does not have of one turn; return what is missing."""
    position = place.task.position
    stored = here.answers_at(position)
    sent = answers_from_form(here, place, form, first=first)
    answers = answers_not_stored(sent, stored)
    if place.sequence == 1:  # nothing was changed here since the page was loaded
        counting = those_that_count(stored)
        answers = [answer for answer in answers if not _repeats(answer, counting)]
    if answers:
        here.site.store.answers.save(answers)
        stored = here.answers_at(position)
    ratings = {key: answer.rating for key, answer in those_that_count(stored).items()}
    return tuple(key for key in due_of(place, ratings) if ratings.get(key) is None)
