"""The one form layer: what a page may send, declared field by field, read and refused here.

A field says its name, its kind, its bounds, and what stands where nothing was sent. It is read
alike from a path, an address, a form and JSON. What does not fit is refused with the field's name
and what it takes; only a field that `clamps` makes the best of it. A refusal is a fact, which a
page or its script puts into words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from covary.errors import CovaryError
from covary.words import CATALOGUE, word
from covary.words.page_words import PageWords


@dataclass(frozen=True)
class Notice:
    """A heading and a sentence, in English until they are put into the words of a study."""

    title: str
    text: str
    code: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)

    def translated(self, words: PageWords) -> Notice:
        """Return the notice in the words of a study's pages."""
        if not self.code:
            return self
        title = word(f"{self.code}.heading", translate=words.text)
        return Notice(title, word(self.code, self.facts, translate=words.text))

    def as_json(self) -> dict[str, str]:
        """Return what the script of a page shows."""
        return {"code": self.code, "error": self.title, "advice": self.text}


def notice(code: str, **facts: Any) -> Notice:
    """Put a fact into a heading and a sentence."""
    return Notice(word(f"{code}.heading"), word(code, facts), code, facts)


def notice_for(status: int) -> Notice:
    """Return what to say where nothing better is known."""
    code = f"web.{status}"
    return notice(code) if code in CATALOGUE else Notice(HTTPStatus(status).phrase, word("web.400"))


class Refusal(CovaryError):
    """A request that is not done: the status, and the fact that the reader is told."""

    def __init__(self, status: int, code: str = "", /, **facts: Any) -> None:
        super().__init__(code or f"web.{status}", **facts)
        self.status = status

    @property
    def notice(self) -> Notice:
        """The fact in words."""
        return notice(self.code, **self.facts)


def wants_json(request: Request) -> bool:
    """Say whether the page's script asks, and not the browser itself."""
    return "application/json" in request.headers.get("accept", "")


Form = Mapping[str, str]
Sent = Mapping[str, Any]

MOST_FIELDS = 50
MOST_DIGITS = 19
"""More digits than these make a number that is beyond every bound."""

HIGHEST = 1_000_000_000
NOT_FOUND = 404


@dataclass(frozen=True)
class Whole:
    """A whole number from `least` to `most`; without a `default` it must have been sent."""

    name: str
    least: int = 0
    most: int = HIGHEST
    default: int | None = None
    clamps: bool = False
    status: int = 422

    def read(self, sent: Sent) -> int:
        """Return the number, or refuse."""
        number = whole_number(sent.get(self.name))
        if number is None and self.default is not None:
            return self.default
        if number is not None and self.clamps:
            return min(max(number, self.least), self.most)
        if number is None or not self.least <= number <= self.most:
            raise self._refusal()
        return number

    def _refusal(self) -> Refusal:
        if self.status == NOT_FOUND:  # a number of the path: there is no such page
            return Refusal(NOT_FOUND)
        bounds = {"least": self.least, "most": self.most}
        return Refusal(self.status, "web.not-a-number", field=self.name, **bounds)


@dataclass(frozen=True)
class Seconds:
    """A time that a page has measured; None where it makes no sense: nothing hangs on it."""

    name: str
    most: float = 1_000_000.0

    def read(self, sent: Sent) -> float | None:
        """Return the time."""
        value = sent.get(self.name)
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return None
        try:
            seconds = float(value)
        except (ValueError, OverflowError):
            return None
        return seconds if 0 <= seconds <= self.most else None


@dataclass(frozen=True)
class Text:
    """A text of at most `longest` letters, with plain line ends and nothing around it."""

    name: str
    longest: int
    status: int = 422
    strip: bool = True

    def read(self, sent: Sent) -> str:
        """Return the text, '' where there is none; refuse one that is too long."""
        text = str(sent.get(self.name, "")).replace("\r\n", "\n").replace("\r", "\n")
        if len(text) > self.longest:
            raise Refusal(
                self.status, "web.too-long", field=self.name, length=len(text), most=self.longest
            )
        return text.strip() if self.strip else text


@dataclass(frozen=True)
class Choice:
    """One of the values that a page offers."""

    name: str
    allowed: tuple[str, ...]
    status: int = 422

    def read(self, sent: Sent) -> str:
        """Return what was chosen, or refuse."""
        value = sent.get(self.name)
        if value not in self.allowed:
            raise Refusal(
                self.status, "web.not-offered", field=self.name, value=value, allowed=self.allowed
            )
        return str(value)


@dataclass(frozen=True)
class Name:
    """A short name that a page was given to send back, in letters that need no escaping."""

    name: str
    pattern: re.Pattern[str]
    status: int = 422

    def fits(self, sent: Sent) -> bool:
        """Say whether it is one."""
        value = sent.get(self.name)
        return isinstance(value, str) and self.pattern.fullmatch(value) is not None

    def read(self, sent: Sent) -> str:
        """Return the name, or refuse."""
        if not self.fits(sent):
            raise Refusal(self.status, "web.not-a-name", field=self.name)
        return str(sent[self.name])


def whole_number(value: object) -> int | None:
    """Return a whole number that was sent as digits or as a number; None for anything else.

    However many digits were sent, reading them takes no time and never fails.

    Examples
    --------
    >>> whole_number("042"), whole_number(7), whole_number("9" * 5000) > HIGHEST
    (42, 7, True)
    >>> whole_number("²"), whole_number("-1"), whole_number(True), whole_number(1.0)
    (None, None, None, None)
    """
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        return int((value.lstrip("0") or "0")[:MOST_DIGITS])
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def read_json(body: bytes) -> Sent:
    """Read what a page's script sends; refuse what is not a JSON object."""
    try:
        sent = json.loads(body)
    except (ValueError, RecursionError):
        raise Refusal(400) from None
    if not isinstance(sent, dict):
        raise Refusal(400)
    return sent


def form_route(
    path: str, take: Callable[[Request, Form], Response], *, most_fields: int = MOST_FIELDS
) -> Route:
    """Return the route of a form; it is taken in a thread, because to store it takes a while."""

    async def endpoint(request: Request) -> Response:
        async with request.form(max_files=0, max_fields=most_fields) as sent:
            form = {name: value for name, value in sent.items() if isinstance(value, str)}
        return await run_in_threadpool(take, request, form)

    work: Callable[[Request], Awaitable[Response]] = endpoint
    return Route(path, work, methods=["POST"])
