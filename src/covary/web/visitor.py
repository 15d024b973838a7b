"""A program that visits the pages as a browser does: it reads their forms and sends them back."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.client import HTTPConnection, HTTPException, HTTPResponse
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlencode

__all__ = ["Form", "Page", "Visitor"]

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
SECONDS_TO_ANSWER = 30
SECONDS_TO_WAIT = 20
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 1.0
TOO_MANY, UNAVAILABLE = 429, 503


@dataclass
class Form:
    """A form as it stands on a page: where it goes, what it holds, what can be chosen."""

    action: str
    values: dict[str, str] = field(default_factory=dict)
    choices: dict[str, list[str]] = field(default_factory=dict)
    criteria: list[str] = field(default_factory=list)

    def value(self, name: str) -> str:
        """Return what a field holds, '' where there is none."""
        return self.values.get(name, "")


@dataclass(frozen=True)
class Page:
    """What came back for one address."""

    path: str
    status: int
    text: str

    @property
    def forms(self) -> dict[str, Form]:
        """The forms of the page, by where they go."""
        reader = _Reader()
        reader.feed(self.text)
        return reader.forms


class Visitor:
    """One visitor with a connection and cookies of their own.

    A request that the server has no time for is sent again after a while, and so is one whose
    connection was cut off, for as many seconds as the visitor has patience: everything that can be
    sent here may be sent twice.
    """

    def __init__(self, host: str, port: int, *, patience: float = SECONDS_TO_WAIT) -> None:
        self._connection = HTTPConnection(host, port, timeout=SECONDS_TO_ANSWER)
        self._patience = patience
        self._cookies: dict[str, str] = {}

    def close(self) -> None:
        """Leave."""
        self._connection.close()

    def get(self, path: str) -> Page:
        """Open a page, and follow where it leads."""
        while True:
            page, onward = self._request("GET", path)
            if onward is None:
                return page
            path = onward

    def send(self, form: Form, **values: str) -> Page:
        """Send a form with what is given in place of what it held, and follow where it leads."""
        body = urlencode(form.values | values).encode()
        page, onward = self._request("POST", form.action, body, FORM)
        return page if onward is None else self.get(onward)

    def send_json(self, path: str, token: str, values: Mapping[str, Any]) -> int:
        """Send what the script of a page sends; return the status."""
        headers = {"Content-Type": "application/json", "X-Covary-Token": token}
        return self._request("POST", path, json.dumps(values).encode(), headers)[0].status

    def _request(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] = {}
    ) -> tuple[Page, str | None]:
        until, pause = time.monotonic() + self._patience, FIRST_PAUSE
        while (reply := self._attempt(method, path, body, headers, until)) is None:
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
        response, text = reply
        for given in response.headers.get_all("set-cookie", []):
            self._cookies |= {name: one.value for name, one in SimpleCookie(given).items()}
        return Page(path, response.status, text), response.headers.get("location")

    def _attempt(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str], until: float
    ) -> tuple[HTTPResponse, str] | None:
        """Ask once; None where it is worth another attempt and there is time for one."""
        impatient = time.monotonic() > until
        try:
            self._connection.request(method, path, body, {**headers, **self._cookie})
            response = self._connection.getresponse()
            text = response.read().decode()
        except (OSError, HTTPException):
            self._connection.close()
            if impatient:
                raise
            return None
        if response.status in (TOO_MANY, UNAVAILABLE) and not impatient:
            return None
        return response, text

    @property
    def _cookie(self) -> dict[str, str]:
        if not self._cookies:
            return {}
        return {"Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items())}


class _Reader(HTMLParser):
    """Collects the forms of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: dict[str, Form] = {}
        self._open: Form | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._open = self.forms[given.get("action", "")] = Form(given.get("action", ""))
        if self._open is None:
            return
        if "data-criterion" in given:
            self._open.criteria.append(given["data-criterion"])
        if "name" in given:
            self._field(self._open, tag, given)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._open = None

    def _field(self, form: Form, tag: str, given: Mapping[str, str]) -> None:
        name, value = given["name"], given.get("value", "")
        kind = given.get("type", "text") if tag == "input" else tag
        if kind in ("radio", "button"):
            form.choices.setdefault(name, []).append(value)
            if kind == "button" or "checked" not in given:
                return
        form.values[name] = value
