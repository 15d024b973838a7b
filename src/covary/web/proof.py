"""What proves that a request comes from a page that this server gave to this judge."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

from starlette.requests import Request

__all__ = ["PageMark", "Proof", "opaque", "same_origin"]

MAC_LETTERS = 32
"""128 bits in hexadecimal."""


@dataclass(frozen=True)
class PageMark:
    """One load of one item's page: its nonce as the store keeps it, and when it was shown."""

    nonce: str
    shown_at: datetime


@dataclass(frozen=True)
class Proof:
    """Tokens made from the study's secret, so that they outlive the server and need no memory."""

    secret: bytes

    def form_token(self, whose: str) -> str:
        """Return the token that every form of one person carries, and no other person's."""
        return self._mac("form", whose)

    def is_form_token(self, whose: str, given: str) -> bool:
        """Say whether a token is that person's."""
        return hmac.compare_digest(self.form_token(whose).encode(), given.encode())

    def new_page(self, judge: int, *place: object) -> str:
        """Return a mark for one load of an item's page: a nonce and the time, sealed.

        `place` says what the page shows: the sheet, the position and the manual's version.
        """
        now = datetime.now(UTC)
        body = f"{secrets.token_hex(8)}-{int(now.timestamp() * 1000):x}"
        return f"{body}-{self._mac('page', judge, *place, body)}"

    def read_page(self, mark: str, judge: int, *place: object) -> PageMark | None:
        """Return what a mark says; None where it was not made for this judge and place."""
        body, _, mac = mark.rpartition("-")
        expected = self._mac("page", judge, *place, body)
        if not hmac.compare_digest(expected.encode(), mac.encode()):
            return None
        nonce, _, milliseconds = body.partition("-")
        return PageMark(nonce, datetime.fromtimestamp(int(milliseconds, 16) / 1000, UTC))

    def _mac(self, *parts: object) -> str:
        return opaque(self.secret, *parts)


def opaque(secret: bytes, *parts: object) -> str:
    """Return a name that says nothing about its parts to those who do not know the secret."""
    message = "\0".join(map(str, parts)).encode()
    return hmac.new(secret, message, hashlib.sha256).hexdigest()[:MAC_LETTERS]


def same_origin(request: Request) -> bool:
    """Say whether a changing request was sent by a page of this server.

    Browsers say so in Sec-Fetch-Site; older ones, and all over plain HTTP, send Origin. A program
    that is no browser sends neither, and cannot be tricked by another page.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = request.headers.get("origin")
    if origin is None:
        return True
    return urlsplit(origin).netloc == request.headers.get("host", "")
