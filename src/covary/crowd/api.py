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

Repeat = Literal["always", "when refused", "never"]
"""When a call may be made again. A call that could be counted twice is repeated only when the
platform said that it did not take it (429), and one that pays people is never repeated."""

LARGEST = 50_000_000
LONGEST_WAIT = 120.0
TOO_MANY = 429
HOME = ("localhost", "127.0.0.1", "::1")


class PlatformError(CovaryError):
    """A call that a platform refused or did not answer; says what to do.

    `status` is the number of the HTTP answer, None where none came.
    """

    def __init__(self, code: str, /, *, status: int | None = None, **facts: Any) -> None:
        super().__init__(code, status=status, **facts)
        self.status = status


@dataclass(frozen=True)
class _Call:
    method: str
    path: str
    content: bytes | None
    repeat: Repeat

    @property
    def repeatable(self) -> bool:
        """Whether it may be made again although the platform may have taken it."""
        return self.repeat == "always"


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
            raise InvalidArgument("crowd.api-address", value=self.address)
        if not self.token.strip() or not (self.token.isascii() and self.token.isprintable()):
            raise InvalidArgument("crowd.token")
        if self.attempts < 1 or not self.timeout > 0:
            raise InvalidArgument("crowd.attempts")

    def get(self, path: str, query: Mapping[str, str | int] | None = None) -> Any:
        """Ask for something."""
        asked = f"{path}?{urlencode(query)}" if query else path
        return self._call(_Call("GET", asked, None, "always"))

    def post(self, path: str, content: Mapping[str, Any], repeat: Repeat) -> Any:
        """Send something; `repeat` says when it may be sent again."""
        return self._call(_Call("POST", path, json.dumps(content).encode(), repeat))

    def _call(self, call: _Call) -> Any:
        attempts = 1 if call.repeat == "never" else self.attempts
        attempt = 0
        while True:
            last = attempt == attempts - 1
            try:
                answer = self._once(call)
            except OSError as error:
                if last or not call.repeatable:
                    reason = self._without_token(str(error) or type(error).__name__)
                    raise self._error("crowd.no-answer", call, reason=reason) from None
                self.pause(2.0**attempt)
            else:
                busy = answer.status == TOO_MANY or (call.repeatable and answer.status >= 500)
                if last or not busy:
                    return self._content(call, answer)
                self.pause(self._wait(call, answer, attempt))
            attempt += 1

    def _once(self, call: _Call) -> _Answer:
        from http.client import HTTPException

        parts = urlsplit(self.address)
        connection = self._connection(parts.scheme, str(parts.hostname), parts.port)
        headers = {"Authorization": f"Token {self.token}", "Accept": "application/json"}
        if call.content is not None:
            headers["Content-Type"] = "application/json"
        try:
            path = parts.path.rstrip("/") + call.path
            connection.request(call.method, path, call.content, headers)
            answer = connection.getresponse()
            content = answer.read(LARGEST + 1)
            return _Answer(answer.status, content, answer.getheader("Retry-After"))
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

    def _wait(self, call: _Call, answer: _Answer, attempt: int) -> float:
        """Return how long the platform asks to wait, or else twice as long each time."""
        seconds = _seconds(answer.wait)
        if seconds is None:
            return float(2**attempt)
        if seconds > LONGEST_WAIT:
            raise self._error("crowd.asks-to-wait", call, status=answer.status, seconds=seconds)
        return seconds

    def _content(self, call: _Call, answer: _Answer) -> Any:
        if not 200 <= answer.status < 300:
            detail = self._without_token(_error_text(answer.content))
            raise self._error("crowd.refused", call, status=answer.status, detail=detail)
        if len(answer.content) > LARGEST:
            raise self._error("crowd.too-long", call)
        if not answer.content.strip():
            return {}
        try:
            return json.loads(answer.content)
        except (ValueError, RecursionError):
            raise self._error("crowd.no-json", call, status=answer.status) from None

    def _error(
        self, code: str, call: _Call, *, status: int | None = None, **facts: Any
    ) -> PlatformError:
        return PlatformError(
            code,
            status=status,
            host=urlsplit(self.address).hostname,
            address=self.address,
            call=f"{call.method} {call.path}",
            repeatable=call.repeatable,
            **facts,
        )

    def _without_token(self, text: str) -> str:
        return text.replace(self.token, "…")


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


def _error_text(content: bytes) -> str:
    """Return what an answer says is wrong, in few words."""
    try:
        answer = json.loads(content[:100_000])
    except (ValueError, RecursionError):
        return ""
    error = answer.get("error", answer) if isinstance(answer, dict) else answer
    if isinstance(error, dict):
        error = error.get("detail") or error.get("title") or error
    return (error if isinstance(error, str) else json.dumps(error, ensure_ascii=False))[:500]
