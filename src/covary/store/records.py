"""What is kept: answers, judges and notes, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from covary.design.plan import Sheet

__all__ = [
    "Answer",
    "Current",
    "CycleEvent",
    "Judge",
    "Note",
    "Problem",
    "Rating",
    "Saved",
    "Standing",
    "State",
]

Rating = str | int | float | None
"""A rating as it was given; None where a judge left the scale untouched."""

State = Literal["open", "paused", "closed"]


@dataclass(frozen=True)
class Answer:
    """One judge's answer for one task on one criterion, as it arrived.

    `criterion` is the criterion's key. `page` names one load of the page and `sequence` counts
    the answers sent from it, so that an answer overtaken on its way is known to be late. `key`
    names the answer itself: the same key twice is one answer. `order` gives the places of the
    item's texts as they were shown. Times are UTC by the server's clock; `answered_at` is filled
    in where it is None.
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


@dataclass(frozen=True)
class Saved:
    """An answer is durable: whether it had been saved before, and whether it came too late."""

    key: str
    again: bool
    late: bool


@dataclass(frozen=True)
class Judge:
    """Somebody who rates; the name is what exports show."""

    id: int
    name: str
    group: str | None
    attributes: Mapping[str, Any]
    revoked: bool
    created_at: datetime


@dataclass(frozen=True)
class Standing:
    """A judge, the sheet that the judge has, and the state of the study, at one moment."""

    judge: Judge
    sheet: Sheet | None
    state: State


@dataclass(frozen=True)
class Note:
    """Something that happened: consent, background answers, a break, remarks, the end."""

    id: int
    judge: int | None
    kind: str
    data: Mapping[str, Any]
    key: str | None
    at: datetime


@dataclass(frozen=True)
class CycleEvent:
    """Something that happened in the guideline cycle, as `covary.training` wrote it down."""

    number: int
    event: Mapping[str, Any]
    key: str | None
    at: datetime


@dataclass(frozen=True)
class Current:
    """The answer that counts, with who gave it; `abandoned` when the sheet was taken back."""

    id: int
    answer: Answer
    judge: str
    group: str | None
    abandoned: bool


@dataclass(frozen=True)
class Problem:
    """Something that is not as it should be, where, and what to do about it."""

    code: str
    message: str
    advice: str
    count: int = 1
    serious: bool = True
