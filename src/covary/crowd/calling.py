"""Calls to a platform's interface over HTTP: careful, patient, and silent about the token."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlencode, urlsplit

from covary.errors import CovaryError, InvalidArgument

if TYPE_CHECKING:
    from http.client import HTTPConnection

__all__ = ["Caller", "PlatformError"]

Repeat = Literal["always", "when refused", "never"]
"""When a call may be made again. A call that could be counted twice is repeated only when the
platform said that it did not take it (429), and one that pays people is never repeated."""

LARGEST = 50_000_000
LONGEST_WAIT = 120.0
TOO_MANY = 429
HOME = ("localhost", "127.0.0.1", "::1")

ADVICE = {
    400: "look at what the platform says",
    401: "the token is wrong or was deleted; make a new one in the platform's settings",
    402: "the account has not enough money; top it up",
    403: "the token's owner may not do this; ask the owner of the workspace",
    404: "nothing there has this name; look at the study's or submission's id",
    TOO_MANY: "the platform is busy; wait some minutes and try again",
}


class PlatformError(CovaryError):
    """A call that a platform refused or did not answer; says what to do.

    `status` is the number of the HTTP answer, None where none came.
    """

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class _Answer:
    status: int
    content: bytes
    wait: str | None


@dataclass(frozen=True)
class Caller:
    """Makes calls to one address with one token.

    Addresses are https, except those of this machine. Redirects are not followed, because the
    token would go along. `attempts` bounds how often a call is made; `pause` waits in between.
    """

    address: str
    token: str = field(repr=False)
    timeout: float = 30.0
    attempts: int = 4
    pause: Callable[[float], None] = field(default=time.sleep, repr=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.address)
        safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in HOME)
        if not safe or not parts.hostname or parts.username or parts.query:
            raise InvalidArgument(f"{self.address!r} must be an address such as https://host/")
        if not self.token.strip() or not (self.token.isascii() and self.token.isprintable()):
            raise InvalidArgument("the token is empty or holds strange letters; copy it again")
        if self.attempts < 1 or not self.timeout > 0:
            raise InvalidArgument("attempts must be 1 or more, and timeout more than 0 seconds")

    def get(self, path: str, query: Mapping[str, str | int] | None = None) -> Any:
        """Ask for something."""
        return self._call("GET", f"{path}?{urlencode(query)}" if query else path, None, "always")

    def post(self, path: str, content: Mapping[str, Any], repeat: Repeat) -> Any:
        """Send something; `repeat` says when it may be sent again."""
        return self._call("POST", path, json.dumps(content).encode(), repeat)

    def _call(self, method: str, path: str, content: bytes | None, repeat: Repeat) -> Any:
        attempts = 1 if repeat == "never" else self.attempts
        attempt = 0
        while True:
            last = attempt == attempts - 1
            try:
                answer = self._once(method, path, content)
            except OSError as error:
                if last or repeat != "always":
                    raise self._unanswered(method, path, error, repeat) from None
                self.pause(2.0**attempt)
            else:
                busy = answer.status == TOO_MANY or (repeat == "always" and answer.status >= 500)
                if last or not busy:
                    return self._content(method, path, answer, repeat)
                self.pause(self._wait(answer, attempt))
            attempt += 1

    def _once(self, method: str, path: str, content: bytes | None) -> _Answer:
        from http.client import HTTPException

        parts = urlsplit(self.address)
        connection = self._connection(parts.scheme, str(parts.hostname), parts.port)
        headers = {"Authorization": f"Token {self.token}", "Accept": "application/json"}
        if content is not None:
            headers["Content-Type"] = "application/json"
        try:
            connection.request(method, parts.path.rstrip("/") + path, content, headers)
            answer = connection.getresponse()
            found = answer.read(LARGEST + 1)
            return _Answer(answer.status, found, answer.getheader("Retry-After"))
        except HTTPException as error:
            raise OSError(str(error) or type(error).__name__) from error
        finally:
            connection.close()

    def _connection(self, scheme: str, host: str, port: int | None) -> HTTPConnection:
        # Most who load this module call no platform, and these take long to load.
        import ssl
        from http.client import HTTPConnection, HTTPSConnection

        if scheme == "http":
            return HTTPConnection(host, port, timeout=self.timeout)
        context = ssl.create_default_context()
        return HTTPSConnection(host, port, timeout=self.timeout, context=context)

    def _wait(self, answer: _Answer, attempt: int) -> float:
        """Return how long the platform asks to wait, or else twice as long each time."""
        asked = _seconds(answer.wait)
        if asked is None:
            return float(2**attempt)
        if asked > LONGEST_WAIT:
            raise PlatformError(
                f"{self._name} asks to wait {asked:.0f} seconds; try again then", answer.status
            )
        return asked

    def _content(self, method: str, path: str, answer: _Answer, repeat: Repeat) -> Any:
        if not 200 <= answer.status < 300:
            raise self._refused(method, path, answer, repeat)
        if len(answer.content) > LARGEST:
            raise PlatformError(f"{self._name} answered {method} {path} with too much to read")
        if not answer.content.strip():
            return {}
        try:
            return json.loads(answer.content)
        except (ValueError, RecursionError):
            raise PlatformError(
                f"{self._name} answered {method} {path} with what is no JSON; is "
                f"{self.address!r} the address of its interface?",
                answer.status,
            ) from None

    def _refused(self, method: str, path: str, answer: _Answer, repeat: Repeat) -> PlatformError:
        advice = ADVICE.get(answer.status, "try again later, or ask the platform's support")
        if 300 <= answer.status < 400:
            advice = "the interface has moved; look up its address"
        elif answer.status >= 500 and repeat != "always":
            advice = _LOOK
        said = self._without_token(_said(answer.content))
        told = f" ({said})" if said else ""
        message = f"{self._name} answered {method} {path} with {answer.status}{told}: {advice}"
        return PlatformError(message, answer.status)

    def _unanswered(
        self, method: str, path: str, error: Exception, repeat: Repeat
    ) -> PlatformError:
        advice = "look at the network and try again" if repeat == "always" else _LOOK
        why = self._without_token(str(error) or type(error).__name__)
        return PlatformError(f"{self._name} did not answer {method} {path} ({why}): {advice}")

    def _without_token(self, text: str) -> str:
        return text.replace(self.token, "…")

    @property
    def _name(self) -> str:
        return str(urlsplit(self.address).hostname)


_LOOK = "it may have been done all the same, so look on the platform before you try again"


def _seconds(written: str | None) -> float | None:
    """Read Retry-After: a number of seconds or a date."""
    if written is None:
        return None
    if written.strip().isdecimal():
        return float(written)
    from email.utils import parsedate_to_datetime

    try:
        moment = parsedate_to_datetime(written)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def _said(content: bytes) -> str:
    """Return what an answer says is wrong, in few words."""
    try:
        found = json.loads(content[:100_000])
    except (ValueError, RecursionError):
        return ""
    told = found.get("error", found) if isinstance(found, dict) else found
    if isinstance(told, dict):
        told = told.get("detail") or told.get("title") or told
    return (told if isinstance(told, str) else json.dumps(told, ensure_ascii=False))[:500]
