"""What is kept, as values: answers, judges, notes and times, and what can be kept at all."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import Any, Literal

from covary.design.plan import Sheet
from covary.errors import InvalidArgument
from covary.scales import CannotJudge, Passage
from covary.words import word

START = datetime(1970, 1, 1, tzinfo=UTC)


def now() -> datetime:
    """Return the time by the server's clock."""
    return datetime.now(UTC)


def microseconds(time: datetime) -> int:
    """Write a time as a whole number.

    Examples
    --------
    >>> microseconds(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC))
    1000000
    """
    if time.tzinfo is None:
        raise InvalidArgument("store.time-zone", time=time)
    return (time - START) // timedelta(microseconds=1)


def as_time(number: int) -> datetime:
    """Read a time from a whole number.

    Examples
    --------
    >>> as_time(1000000).isoformat()
    '1970-01-01T00:00:01+00:00'
    """
    return START + timedelta(microseconds=number)


Rating = str | int | float | CannotJudge | None
"""A rating as it was given; None where a judge left the scale untouched."""

State = Literal["open", "paused", "closed"]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One judge's answer for one task on one criterion, as it arrived.

    `criterion` is the criterion's key. `page` names one load of the page and `sequence` counts
    the answers sent from it, so that an answer overtaken on its way is known to be late. `key`
    names the answer itself: the same key twice is one answer. `manual` and `item_version` are the
    versions of the manual and of the item that the page showed. `order` gives the places of the
    item's texts as they were shown, `passages` what the judge marked as the reason. Times are UTC
    by the server's clock; `answered_at` is filled in where it is None.
    """

    judge: int
    sheet: int
    position: int
    item: str
    criterion: str
    rating: Rating
    key: str
    page: str
    sequence: int
    touched: bool = True
    occasion: int = 1
    kind: str = "item"
    manual: str = ""
    seconds: float | None = None
    shown_at: datetime | None = None
    answered_at: datetime | None = None
    order: tuple[int, ...] = ()
    late: bool = False
    item_version: str = ""
    passages: tuple[Passage, ...] = ()


@dataclass(frozen=True)
class Receipt:
    """An answer is durable: whether it had been saved before, and whether it came too late."""

    key: str
    again: bool
    late: bool


@dataclass(frozen=True, kw_only=True)
class Judge:
    """Somebody who rates; the name is what exports show."""

    id: int
    name: str
    group: str | None
    attributes: Mapping[str, Any]
    revoked: bool
    created_at: datetime


@dataclass(frozen=True)
class JudgeMark:
    """Who a token lets in, and to which sheet: equal as long as nothing of that has changed."""

    judge: Judge
    token_hash: str | None
    sheet: int | None


@dataclass(frozen=True)
class Pulse:
    """The state of the study and the marks of judges by their numbers, at one moment."""

    state: State
    marks: Mapping[int, JudgeMark]


@dataclass(frozen=True)
class Standing:
    """A judge, the sheet that the judge has, and the state of the study, at one moment."""

    judge: Judge
    sheet: Sheet | None
    state: State
    mark: JudgeMark


@dataclass(frozen=True, kw_only=True)
class StoredNote:
    """Something that happened: consent, background answers, a break, remarks, the end."""

    id: int
    judge: int | None
    kind: str
    data: Mapping[str, Any]
    key: str | None
    at: datetime


@dataclass(frozen=True, kw_only=True)
class CycleEvent:
    """Something that happened in the guideline cycle, as `covary.training` wrote it down."""

    number: int
    event: Mapping[str, Any]
    key: str | None
    at: datetime


@dataclass(frozen=True, kw_only=True)
class CountedAnswer:
    """The answer that counts, with who gave it; `abandoned` when the sheet was taken back."""

    id: int
    answer: Answer
    judge: str
    group: str | None
    abandoned: bool


@dataclass(frozen=True, kw_only=True)
class LoggedAnswer:
    """An answer as it came, with who gave it; `counts` unless it was late, changed or given up."""

    id: int
    answer: Answer
    judge: str
    counts: bool


class Problem:
    """Something that is not as it should be, where, and what to do about it.

    `count` says how many rows or places it concerns, and `serious` whether it touches ratings.
    """

    def __init__(
        self, fact: str, advice: str, count: int = 1, *, serious: bool = True, **data: Any
    ) -> None:
        self.fact = fact
        self.count = count
        self.serious = serious
        self.data: Mapping[str, Any] = {"count": count, **data}
        self._advice = advice

    @property
    def code(self) -> str:
        """Which problem it is."""
        return self.fact.removeprefix("store.")

    @property
    def message(self) -> str:
        """What is wrong, and where."""
        return word(self.fact, self.data)

    @property
    def advice(self) -> str:
        """What to do about it."""
        return word(self._advice, self.data)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "code": self.code,
            "message": self.message,
            "advice": self.advice,
            "count": self.count,
            "serious": self.serious,
        }


SMALL, LARGE = 2**31, 2**63

WHOLE = {"judge": LARGE, "sheet": SMALL, "position": SMALL, "occasion": SMALL, "sequence": LARGE}

TEXTS = ("item", "criterion", "page", "key", "kind", "manual", "item_version")

_texts = attrgetter(*TEXTS)

NO_TEXT = re.compile("[\\x00\\ud800-\\udfff]")


def accept_answers(answers: Sequence[Answer]) -> list[Answer]:
    """Refuse answers that could not be given back unchanged, and fill in the time."""
    at = now()
    for answer in answers:
        _check_answer(answer)
    return [answer if answer.answered_at else replace(answer, answered_at=at) for answer in answers]


def check_text(argument: str, value: object) -> None:
    """Refuse what is not text, or holds characters that no text has."""
    if not isinstance(value, str):
        raise InvalidArgument("store.not-a-text", argument=argument, value=value)
    if NO_TEXT.search(value):
        raise InvalidArgument("store.not-in-a-text", argument=argument, value=value)


def _check_answer(answer: Answer) -> None:
    rating = answer.rating
    if isinstance(rating, CannotJudge):
        check_text("reason", rating.reason)
        rating = None
    for passage in answer.passages:
        check_text("quote", passage.quote)
    if isinstance(rating, bool) or not (rating is None or isinstance(rating, str | int | float)):
        raise InvalidArgument("store.not-a-rating", argument="rating", value=rating)
    for name in ("rating", "seconds"):
        value = getattr(answer, name)
        if isinstance(value, float) and not math.isfinite(value):
            raise InvalidArgument("store.not-finite", argument=name, value=value)
    for name, limit in WHOLE.items():
        value = getattr(answer, name)
        if type(value) is not int or not -limit <= value < limit:
            raise InvalidArgument("store.not-whole", argument=name, value=value)
    _check_texts(_texts(answer))
    for time in (answer.shown_at, answer.answered_at):
        if time is not None:
            microseconds(time)


def _check_texts(texts: tuple[Any, ...]) -> None:
    """Look at all texts of an answer together, and at each only where one is wrong."""
    if not all(type(text) is str for text in texts) or NO_TEXT.search("".join(texts)):
        for name, text in zip(TEXTS, texts, strict=True):
            check_text(name, text)
