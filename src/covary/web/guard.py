"""What holds for every request: headers that keep a page to itself, and a limit of size."""

from __future__ import annotations

from collections.abc import Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["POLICY", "Guard"]

POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
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

LARGER = dict.fromkeys(("/judge/round/edit", "/researcher/rounds/edit"), 1024 * 1024)
"""Where a whole manual is sent, in which every letter may take several bytes."""


class TooLarge(Exception):
    """A body went on after the limit."""


class Guard:
    """Set the headers, refuse bodies that are too large, and keep faults from showing.

    `failed` answers where something went wrong that nobody expected, and says so in the log.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        failed: Callable[[Request, Exception], Response],
        secure: bool = False,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self.app = app
        self.failed = failed
        self.headers = HEADERS | (TRANSPORT if secure else {})
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
                headers = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            if self._announced(scope) > most_bytes:
                raise TooLarge
            await self.app(scope, self._counted(receive, most_bytes), send_guarded)
        except Exception as error:
            if started:
                raise
            refusal = HTTPException(413) if isinstance(error, TooLarge) else error
            await self.failed(Request(scope), refusal)(scope, receive, send_guarded)

    def _announced(self, scope: Scope) -> int:
        given = Headers(scope=scope).get("content-length", "0")
        return int(given) if given.isdecimal() else 2**63  # no length at all is too much

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
