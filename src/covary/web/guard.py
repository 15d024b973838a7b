"""What holds for every request: safe headers, limits of size and pace, tokens that prove where
it comes from.
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from covary.web.forms import whole_number

POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "media-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "Cache-Control": "no-store",
}
"""Where an answer has set one of these itself (as files do with Cache-Control), it stays."""

TRANSPORT = {"Strict-Transport-Security": "max-age=31536000"}

MOST_BYTES = 64 * 1024
"""A form with a long remark is far below."""

PROBES = ("/health", "/ready", "/metrics")
"""Monitors ask by whatever name or number they know the machine."""

LARGER = dict.fromkeys(("/judge/round/edit", "/researcher/rounds/edit"), 1024 * 1024)
"""Where a whole manual is sent, in which every letter may take several bytes."""


class TooLarge(Exception):
    """A body went on after the limit."""


class WrongHost(Exception):
    """A request was meant for another name than the server's."""


class Guard:
    """Set the headers, refuse bodies that are too large, and keep faults from showing.

    `failed` answers where something went wrong that nobody expected, and says so in the log.
    `hosts` are the names by which browsers may ask, in small letters; None where any will do.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        failed: Callable[[Request, Exception], Response],
        secure: bool = False,
        hosts: frozenset[str] | None = None,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self.app = app
        self.failed = failed
        self.hosts = hosts
        self.headers = [
            (name.lower().encode(), value.encode())
            for name, value in (HEADERS | (TRANSPORT if secure else {})).items()
        ]
        self.most_bytes = most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, most_bytes = False, LARGER.get(scope["path"], self.most_bytes)

        async def send_guarded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                given = message.setdefault("headers", [])
                names = {name for name, _ in given}
                message["headers"] = [*given, *(own for own in self.headers if own[0] not in names)]
            await send(message)

        try:
            self._check_host(scope)
            if self._announced(scope) > most_bytes:
                raise TooLarge
            await self.app(scope, self._counted(receive, most_bytes), send_guarded)
        except Exception as error:
            if started:
                raise
            refusal = _as_refusal(error)
            await self.failed(Request(scope), refusal)(scope, receive, send_guarded)

    def _check_host(self, scope: Scope) -> None:
        """Refuse who asks by another name, as a page does that was led here by a false address."""
        if self.hosts is None or scope["path"] in PROBES:
            return
        if host_name(header(scope, b"host") or "") not in self.hosts:
            raise WrongHost

    def _announced(self, scope: Scope) -> int:
        length = whole_number(header(scope, b"content-length", "0"))
        return 2**63 if length is None else length  # no length at all is too much

    @staticmethod
    def _counted(receive: Receive, most_bytes: int) -> Receive:
        so_far = 0

        async def receive_counted() -> Message:
            nonlocal so_far
            message = await receive()
            so_far += len(message.get("body", b""))
            if so_far > most_bytes:
                raise TooLarge
            return message

        return receive_counted


def header(scope: Scope, name: bytes, default: str | None = None) -> str | None:
    """Return a header of a request by its name in small letters."""
    for own, value in scope["headers"]:
        if own == name:
            return str(value, "latin-1")
    return default


def _as_refusal(error: Exception) -> Exception:
    if isinstance(error, TooLarge):
        return HTTPException(413)
    return HTTPException(421) if isinstance(error, WrongHost) else error


def host_name(host: str) -> str:
    """Return the name in a Host header or an address, without the port.

    Examples
    --------
    >>> host_name("Study.Example.org:8000"), host_name("[::1]:80"), host_name("")
    ('study.example.org', '::1', '')
    """
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


MOST_NAMES = 10_000


class Limit:
    """Let each name do `burst` things at once and `per_second` from then on.

    Held in memory: a restart forgets, which is harmless, and several processes each count alone.
    """

    def __init__(
        self, per_second: float, burst: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.per_second = per_second
        self.burst = burst
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def allows(self, name: str) -> bool:
        """Count one attempt, and say whether it is within the limit."""
        now = self._clock()
        if len(self._buckets) > MOST_NAMES:
            self._forget_the_full(now)
        left = self._left(name, now)
        self._buckets[name] = (max(left - 1, 0), now)
        return left >= 1

    def _left(self, name: str, now: float) -> float:
        left, at = self._buckets.get(name, (float(self.burst), now))
        return min(self.burst, left + (now - at) * self.per_second)

    def _forget_the_full(self, now: float) -> None:
        self._buckets = {
            name: bucket
            for name, bucket in self._buckets.items()
            if self._left(name, now) < self.burst
        }


MAC_LETTERS = 32
"""128 bits in hexadecimal."""


@dataclass(frozen=True)
class PageStamp:
    """One load of one item's page: its nonce as the store keeps it, and when it was shown."""

    nonce: str
    shown_at: datetime


@dataclass(frozen=True)
class Tokens:
    """Tokens made from the study's secret, so that they outlive the server and need no memory."""

    secret: bytes
    believes: bool = False
    """Whether a page may say any time; for simulated judges, who do not wait."""

    def seconds_since(self, stamp: PageStamp, said: float | None) -> float | None:
        """Return how long a page was looked at, as it says, but not longer than it has been out.

        Where the clock was set back meanwhile, there is nothing to compare with.
        """
        passed = (datetime.now(UTC) - stamp.shown_at).total_seconds()
        if said is None or self.believes or passed < 0:
            return said
        return min(said, round(passed, 3))

    def form_token(self, whose: str) -> str:
        """Return the token that every form of one person carries, and no other person's."""
        return self._mac("form", whose)

    def is_form_token(self, whose: str, token: str) -> bool:
        """Say whether a token is that person's."""
        return hmac.compare_digest(self.form_token(whose).encode(), token.encode())

    def new_page(self, judge: int, *place: object) -> str:
        """Return a mark for one load of an item's page: a nonce and the time, sealed.

        `place` says what the page shows: the sheet, the position and the manual's version.
        """
        now = datetime.now(UTC)
        body = f"{secrets.token_hex(8)}-{int(now.timestamp() * 1000):x}"
        return f"{body}-{self._mac('page', judge, *place, body)}"

    def read_page(self, mark: str, judge: int, *place: object) -> PageStamp | None:
        """Return what a mark says; None where it was not made for this judge and place."""
        body, _, mac = mark.rpartition("-")
        expected = self._mac("page", judge, *place, body)
        if not hmac.compare_digest(expected.encode(), mac.encode()):
            return None
        nonce, _, milliseconds = body.partition("-")
        return PageStamp(nonce, datetime.fromtimestamp(int(milliseconds, 16) / 1000, UTC))

    def _mac(self, *parts: object) -> str:
        return opaque_name(self.secret, *parts)


def opaque_name(secret: bytes, *parts: object) -> str:
    """Return a name that says nothing about its parts to those who do not know the secret."""
    message = "\0".join(map(str, parts)).encode()
    return hmac.digest(secret, message, "sha256").hex()[:MAC_LETTERS]


def same_origin(request: Request) -> bool:
    """Say whether a changing request was sent by a page of this server.

    Browsers say so in Sec-Fetch-Site; older ones, and all over plain HTTP, send Origin. A program
    that is not a browser sends neither, and cannot be tricked by another page.
    """
    site = header(request.scope, b"sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = header(request.scope, b"origin")
    if origin is None:
        return True
    return urlsplit(origin).netloc == header(request.scope, b"host", "")
