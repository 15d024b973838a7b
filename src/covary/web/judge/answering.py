"""Answers as they arrive from an item's page, checked before anything is stored."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from covary.design.plan import Task
from covary.errors import InvalidArgument
from covary.store.records import Answer
from covary.web.judge.drawing import Drawn, Line, draw
from covary.web.judge.visit import Visit, those_that_count
from covary.web.proof import PageMark
from covary.web.refusals import Refusal

__all__ = [
    "Sent",
    "answer_from",
    "answers_from_form",
    "answers_not_stored",
    "read_json",
    "read_seconds",
    "read_whole",
    "task_of",
]

MOST_SEQUENCE = 1_000_000_000
LONGEST_SECONDS = 1_000_000
KEY = re.compile(r"[A-Za-z0-9._:-]{1,100}")


@dataclass(frozen=True)
class Sent:
    """What a page says about itself with each answer."""

    task: Task
    mark: PageMark
    sequence: int
    seconds: float | None


def read_json(body: bytes) -> Mapping[str, Any]:
    """Read the body of a save; refuse what is no JSON object."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise Refusal(400) from None
    if not isinstance(found, dict):
        raise Refusal(400)
    return found


def task_of(visit: Visit, sent: Mapping[str, Any]) -> Sent:
    """Return where an answer belongs; refuse places and pages that are not this judge's."""
    position, sequence = read_whole(sent.get("position")), read_whole(sent.get("sequence"))
    task = None if position is None else visit.walk.task(position)
    page = sent.get("page")
    if task is None or sequence is None or not isinstance(page, str) or not page.isascii():
        raise Refusal(422)
    place = (visit.sheet_number, task.position, visit.study.manual.version)
    mark = visit.site.proof.read_page(page, visit.judge.id, *place)
    if mark is None:
        raise Refusal(422)
    if visit.walk.may_see(task.position) is None:
        raise Refusal(409)
    return Sent(task, mark, sequence, read_seconds(sent.get("seconds")))


def answer_from(visit: Visit, given: Mapping[str, Any]) -> Answer:
    """Return one answer as the page's script sends it while a judge works."""
    sent = task_of(visit, given)
    drawn = _drawn(visit, sent.task).get(str(given.get("criterion")))
    key, touched = given.get("key"), given.get("touched", True)
    well_formed = isinstance(key, str) and KEY.fullmatch(key) and isinstance(touched, bool)
    if drawn is None or not well_formed:
        raise Refusal(422)
    return _answer(visit, sent, drawn, given.get("rating"), touched=touched, key=str(key))


def answers_from_form(visit: Visit, sent: Sent, form: Mapping[str, str]) -> list[Answer]:
    """Return the answers that the form holds; a scale that was not touched is left out."""
    found = []
    for number, drawn in enumerate(_drawn(visit, sent.task).values()):
        rating = form.get(f"rating-{number}")
        touched = not isinstance(drawn, Line) or form.get(f"touched-{number}") == "1"
        if rating is not None and touched:
            key = f"{sent.mark.nonce}.{sent.sequence}.form.{number}"
            found.append(_answer(visit, sent, drawn, rating, touched=True, key=key))
    return found


def answers_not_stored(sent: Sequence[Answer], stored: Sequence[Answer]) -> Sequence[Answer]:
    """Leave out answers that this page has already sent and that count as they are.

    A page counts what it sends. Only where every earlier number has arrived can none still be on
    its way and overtake; otherwise all answers are stored again, with the higher number.
    """
    if not sent:
        return sent
    page, sequence = sent[0].page, sent[0].sequence
    arrived = {each.sequence for each in stored if each.page == page}
    if sum(0 < each < sequence for each in arrived) < sequence - 1:
        return sent
    counting = those_that_count(stored)
    return [each for each in sent if not _same(counting.get(each.criterion), each)]


def _same(stored: Answer | None, sent: Answer) -> bool:
    return stored is not None and (stored.page, stored.rating) == (sent.page, sent.rating)


def _drawn(visit: Visit, task: Task) -> dict[str, Drawn]:
    return {each.key: draw(each, task) for each in visit.study.criteria_of(task.part)}


def _answer(
    visit: Visit, sent: Sent, drawn: Drawn, rating: object, *, touched: bool, key: str
) -> Answer:
    if not touched and not isinstance(drawn, Line):
        raise Refusal(422)
    try:
        value = drawn.rating(rating) if touched else None
    except InvalidArgument:
        raise Refusal(422) from None
    task = sent.task
    return Answer(
        judge=visit.judge.id,
        sheet=visit.sheet_number,
        position=task.position,
        item=task.item,
        criterion=drawn.criterion.key,
        rating=value,
        key=key,
        page=sent.mark.nonce,
        sequence=sent.sequence,
        touched=touched,
        occasion=task.occasion,
        kind=task.kind,
        manual=visit.study.manual.version,
        seconds=sent.seconds,
        shown_at=sent.mark.shown_at,
        order=task.order,
    )


def read_whole(value: object) -> int | None:
    """The whole number that was sent, or None where it is none."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 11:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= MOST_SEQUENCE else None


def read_seconds(value: object) -> float | None:
    """The time on the page as the page measured it, or None where it makes no sense."""
    if isinstance(value, bool):
        return None
    try:
        seconds = float(value) if isinstance(value, str | int | float) else math.nan
    except (ValueError, OverflowError):
        return None
    return seconds if 0 <= seconds <= LONGEST_SECONDS else None
