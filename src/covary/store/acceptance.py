"""What can be stored and given back unchanged, in either database; anything else is refused."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from covary.errors import InvalidArgument
from covary.store.records import Answer
from covary.store.times import microseconds, now

__all__ = ["accepted", "check_text"]

SMALL, LARGE = 2**31, 2**63

WHOLE = {"judge": LARGE, "sheet": SMALL, "position": SMALL, "occasion": SMALL, "sequence": LARGE}

TEXTS = ("item", "criterion", "page", "key", "kind", "manual")

NO_TEXT = re.compile("[\\x00\\ud800-\\udfff]")


def accepted(given: Sequence[Answer]) -> list[Answer]:
    """Refuse answers that could not be given back unchanged, and fill in the time."""
    at = now()
    for answer in given:
        _check(answer)
    return [each if each.answered_at else replace(each, answered_at=at) for each in given]


def check_text(name: str, value: object) -> None:
    """Refuse what is no text, or holds characters that no text has."""
    if not isinstance(value, str):
        raise InvalidArgument(f"{name}={value!r} must be a text")
    if NO_TEXT.search(value):
        raise InvalidArgument(f"{name}={value!r} holds characters that no text has")


def _check(answer: Answer) -> None:
    rating = answer.rating
    if isinstance(rating, bool) or not (rating is None or isinstance(rating, str | int | float)):
        raise InvalidArgument(f"rating={rating!r} must be a number, a text or None")
    for name in ("rating", "seconds"):
        value = getattr(answer, name)
        if isinstance(value, float) and not math.isfinite(value):
            raise InvalidArgument(f"{name}={value!r} must be a finite number")
    for name, limit in WHOLE.items():
        value = getattr(answer, name)
        if type(value) is not int or not -limit <= value < limit:
            raise InvalidArgument(f"{name}={value!r} must be a whole number")
    for name in TEXTS:
        check_text(name, getattr(answer, name))
    for time in (answer.shown_at, answer.answered_at):
        if time is not None:
            microseconds(time)
