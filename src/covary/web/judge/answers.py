"""The one way to save an answer: where it belongs and what it says, checked before it is kept.

An answer of the evaluation and a rating of a training round come from the same page, so that they
are read alike. What differs is said by an `AnswerSheet` (a `Visit`, or a judge's training set):
which tasks there are, what their pages are sealed with, and when it is too late.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from covary.design.plan import Task
from covary.errors import InvalidArgument
from covary.scales import CannotJudge, Category, Passage
from covary.store.records import Answer, now
from covary.study.model import Criterion, Study
from covary.web.forms import Name, Refusal, Seconds, Text, Whole
from covary.web.guard import PageStamp, Tokens
from covary.web.judge.item_page import DrawnScale, draw_scale, shown_texts
from covary.web.site import Visit, those_that_count

POSITION, SEQUENCE, SECONDS = Whole("position"), Whole("sequence"), Seconds("seconds")
PAGE = Name("page", re.compile(r"[\x00-\x7f]*"))
REASON = Text("reason", 500)
MOST_PASSAGES = 50
MOST_LETTERS = 10_000_000
KEY = Name("key", re.compile(r"[A-Za-z0-9._:-]{1,100}"))


class AnswerSheet(Protocol):
    """What a judge is to answer, and how the pages of it are sealed."""

    @property
    def study(self) -> Study:
        """The study as the page has shown it."""

    @property
    def tokens(self) -> Tokens:
        """What seals the pages."""

    @property
    def judge_id(self) -> int:
        """Whose pages they are."""

    def task(self, position: int) -> Task | None:
        """Return the task at a position; may refuse where the sheet is closed."""

    def asked(self, task: Task) -> Sequence[Criterion]:
        """Return what is asked at a task."""

    def page_place(self, task: Task) -> tuple[object, ...]:
        """Return what the page of a task is sealed with."""

    def check_reached(self, task: Task) -> None:
        """Refuse where the judge cannot be at a task now."""


class DrawnScales(Mapping[str, DrawnScale]):
    """The scales of a task by their criteria, each drawn when it is asked for."""

    def __init__(self, criteria: Mapping[str, Criterion], task: Task) -> None:
        self._criteria = criteria
        self._task = task

    def __getitem__(self, key: str) -> DrawnScale:
        return draw_scale(self._criteria[key], self._task)

    def __iter__(self) -> Iterator[str]:
        return iter(self._criteria)

    def __len__(self) -> int:
        return len(self._criteria)


@dataclass(frozen=True)
class AnswerPlace:
    """Where answers belong, and what their page says about itself."""

    task: Task
    stamp: PageStamp
    sequence: int
    seconds: float | None
    scales: Mapping[str, DrawnScale]
    study: Study

    @cached_property
    def texts(self) -> Mapping[str, str | None]:
        """The texts that the page shows, by their names there."""
        return shown_texts(self.study, self.task)

    @property
    def page(self) -> str:
        """The load of the page that they come from."""
        return self.stamp.nonce


@dataclass(frozen=True)
class GivenRating:
    """One answer as it was read: None where a line was left untouched."""

    drawn: DrawnScale
    rating: Category | CannotJudge | None
    touched: bool = True
    passages: tuple[Passage, ...] = ()

    @property
    def criterion(self) -> str:
        return self.drawn.criterion.key


def place_of(sheet: AnswerSheet, sent: Mapping[str, Any]) -> AnswerPlace:
    """Return where an answer belongs; refuse places and pages that are not this judge's."""
    position, sequence, page = POSITION.read(sent), SEQUENCE.read(sent), PAGE.read(sent)
    task = sheet.task(position)
    if task is None:
        raise Refusal(422)
    stamp = sheet.tokens.read_page(page, sheet.judge_id, *sheet.page_place(task))
    if stamp is None:
        raise Refusal(422)
    sheet.check_reached(task)
    criteria = sheet.asked(task)
    return AnswerPlace(
        task=task,
        stamp=stamp,
        sequence=sequence,
        seconds=sheet.tokens.seconds_since(stamp, SECONDS.read(sent)),
        scales=DrawnScales({criterion.key: criterion for criterion in criteria}, task),
        study=sheet.study,
    )


def rating_from(place: AnswerPlace, sent: Mapping[str, Any]) -> GivenRating:
    """Return one answer as the page's script sends it while a judge works."""
    name, touched = sent.get("criterion"), sent.get("touched", True)
    drawn = place.scales.get(name) if isinstance(name, str) else None
    if drawn is None or not isinstance(touched, bool):
        raise Refusal(422)
    if sent.get("cannot_judge") is True:
        return GivenRating(drawn, _cannot_judge(drawn, sent))
    if not touched and not drawn.control.needs_touch:
        raise Refusal(422)
    rating = _rating(drawn, sent.get("rating")) if touched else None
    return GivenRating(drawn, rating, touched, _passages(place, drawn, sent.get("passages")))


def ratings_from_form(
    place: AnswerPlace, form: Mapping[str, str], first: int = 0
) -> Iterator[GivenRating]:
    """Return the answers that a form holds; a scale that was not touched is left out.

    `first` is the number that the first scale of the place has on its page.
    """
    for number, drawn in enumerate(place.scales.values(), start=first):
        sent = drawn.control.from_form(form, f"rating-{number}")
        if form.get(f"cannot-{number}") == "1":
            reason = {"reason": form.get(f"reason-{number}", "")}
            yield GivenRating(drawn, _cannot_judge(drawn, reason))
        elif sent is not None:
            marked = read_passages(form.get(f"passages-{number}", ""))
            passages = _passages(place, drawn, marked)
            yield GivenRating(drawn, _rating(drawn, sent), passages=passages)


def answer_from(visit: Visit, sent: Mapping[str, Any]) -> Answer:
    """Return an answer of the evaluation as the page's script sends it."""
    place = place_of(visit, sent)
    return _answer(visit, place, rating_from(place, sent), KEY.read(sent))


def answers_from_form(
    visit: Visit, place: AnswerPlace, form: Mapping[str, str], *, first: int = 0
) -> list[Answer]:
    """Return the answers of the evaluation that a form holds."""
    keys = {key: f"{place.page}.{place.sequence}.form.{n}" for n, key in enumerate(place.scales)}
    return [
        _answer(visit, place, rating, keys[rating.criterion])
        for rating in ratings_from_form(place, form, first)
    ]


def answers_not_stored(sent: Sequence[Answer], stored: Sequence[Answer]) -> Sequence[Answer]:
    """Leave out answers that this page has already sent and that count as they are.

    A page counts what it sends. Only where every earlier number has arrived can none still be on
    its way and overtake; otherwise all answers are stored again, with the higher number.
    """
    if not sent:
        return sent
    page, sequence = sent[0].page, sent[0].sequence
    arrived = {answer.sequence for answer in stored if answer.page == page}
    if sum(0 < number < sequence for number in arrived) < sequence - 1:
        return sent
    counting = those_that_count(stored)
    return [answer for answer in sent if not _same(counting.get(answer.criterion), answer)]


def _same(stored: Answer | None, sent: Answer) -> bool:
    if stored is None:
        return False
    same = (stored.page, stored.rating, stored.passages)
    return same == (sent.page, sent.rating, sent.passages)


def due_of(place: AnswerPlace, answers: Mapping[str, Any]) -> list[str]:
    """Return what must be answered, given the answers on the page: no more than is asked."""
    criteria = [drawn.criterion for drawn in place.scales.values()]
    return [each.key for each in criteria if not each.optional and each.is_due(answers)]


def _cannot_judge(drawn: DrawnScale, sent: Mapping[str, Any]) -> CannotJudge:
    if not drawn.criterion.cannot_judge:
        raise Refusal(422)
    return CannotJudge(REASON.read(sent))


def read_passages(text: str) -> object:
    """Read the field of a form that holds what was marked; nothing where it is not JSON."""
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError):
        raise Refusal(422) from None


def _passages(place: AnswerPlace, drawn: DrawnScale, sent: object) -> tuple[Passage, ...]:
    """Return what was marked as the reason, in the item's own order; refuse what cannot be."""
    if not sent:
        return ()
    if not drawn.criterion.passages or not isinstance(sent, list) or len(sent) > MOST_PASSAGES:
        raise Refusal(422)
    return tuple(_passage(place, mark) for mark in sent)


def _passage(place: AnswerPlace, mark: object) -> Passage:
    if not isinstance(mark, list) or len(mark) != 4:
        raise Refusal(422)
    where, start, end, quote = mark
    numbers = all(isinstance(each, int) and not isinstance(each, bool) for each in (start, end))
    if not numbers or not isinstance(quote, str) or where not in place.texts:
        raise Refusal(422)
    text = place.texts[where]
    most = MOST_LETTERS if text is None else len(text)
    if not 0 <= start < end <= most or (text is not None and text[start:end] != quote):
        raise Refusal(422)
    return Passage(_own_place(place.task, where), start, end, quote)


def _own_place(task: Task, where: str) -> str:
    """Return the name of a text in the item's own order, whatever stood first on the page."""
    kind, _, number = where.partition(" ")
    if kind != "text" or not task.order:
        return where
    return f"text {task.order[int(number) - 1] + 1}"


def _rating(drawn: DrawnScale, sent: object) -> Category:
    try:
        return drawn.control.rating(sent)
    except InvalidArgument:
        raise Refusal(422) from None


def _answer(visit: Visit, place: AnswerPlace, rating: GivenRating, key: str) -> Answer:
    task = place.task
    return Answer(
        judge=visit.judge.id,
        sheet=visit.sheet_number,
        position=task.position,
        item=task.item,
        criterion=rating.criterion,
        rating=rating.rating,
        key=key,
        page=place.page,
        sequence=place.sequence,
        touched=rating.touched,
        occasion=task.occasion,
        kind=task.kind,
        manual=visit.study.manual.version,
        item_version=visit.item_version(task.item),
        seconds=place.seconds,
        shown_at=place.stamp.shown_at,
        answered_at=now(),
        order=task.order,
        passages=rating.passages,
    )
