"""Who may see the researchers' pages, and what each of those pages needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Generic, TypeVar

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from covary.store.store import Store
from covary.study.model import Study
from covary.web.forms import MOST_FIELDS, Form, Refusal, Whole, form_route
from covary.web.pages import page
from covary.web.site import Site

PAGE = Whole("page", least=1, default=1, clamps=True)


Kept = TypeVar("Kept")


class Desk:
    """A study as its researchers see it: the site, and what is worked out beside its pages."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self._alone = Lock()
        self._kept: dict[object, Any] = {}
        self._kept_for = site.study

    def kept(self, make: Callable[[Study, Store], Kept]) -> Kept:
        """Return what was made for the study, and make it anew when another manual is in force."""
        study = self.study
        with self._alone:
            if self._kept_for is not study:
                self._kept, self._kept_for = {}, study
            if make not in self._kept:
                self._kept[make] = make(study, self.store)
            made: Kept = self._kept[make]
            return made

    @property
    def study(self) -> Study:
        return self.site.study

    @property
    def store(self) -> Store:
        return self.site.store

    @property
    def cookie(self) -> str:
        """The name of a researcher's cookie."""
        return self.site.cookie_of("researcher")

    def researcher(self, request: Request) -> Researcher:
        """Return who asks, or refuse."""
        session = request.cookies.get(self.cookie)
        if not session:
            raise Refusal(403, "web.not-signed-in")
        if not self.store.researchers.admits(session):
            raise self.site.turned_away(request, 403, "web.not-signed-in")
        return Researcher(self, session, request)


@dataclass(frozen=True)
class Researcher:
    """Somebody who has signed in, and what they ask for."""

    desk: Desk
    session: str
    request: Request

    @property
    def whose(self) -> str:
        """Whose forms these are: no judge's, and no other browser's."""
        return f"researcher:{self.session}"

    def page(self, name: str, status: int = 200, **values: Any) -> Response:
        """Draw a page of the researchers' rooms."""
        return page(f"researcher-{name}", status, **self.values(), **values)

    def values(self) -> dict[str, Any]:
        """Return what every page of a researcher is drawn with."""
        return {
            "study": self.desk.study,
            "token": self.desk.site.tokens.form_token(self.whose),
            "state": self.desk.store.get_state(),
        }

    def address(self, path: str) -> str:
        """Return the whole address of a page, as this researcher's browser reaches the server."""
        request = self.request
        scheme = "https" if self.desk.site.secure else request.url.scheme
        return f"{scheme}://{request.headers.get('host', request.url.netloc)}{path}"

    def table_page(self, rows: Sequence[Row]) -> TablePage[Row]:
        """Return the page of a long table that the address asks for."""
        return table_page(rows, PAGE.read(self.request.query_params))


Reader = Callable[[Researcher], Response]
Taker = Callable[[Researcher, Form], Response]


def reads(desk: Desk, path: str, reader: Reader) -> Route:
    """Return the route of a page, which changes nothing."""

    def endpoint(request: Request) -> Response:
        return reader(desk.researcher(request))

    return Route(path, endpoint, methods=["GET"])


def takes(desk: Desk, path: str, taker: Taker, fields: int = MOST_FIELDS) -> Route:
    """Return the route of a form: only from this researcher's own page of this server."""

    def take(request: Request, form: Form) -> Response:
        who = desk.researcher(request)
        try:
            desk.site.check_form(request, who.whose, form.get("token", ""))
        except Refusal:
            raise Refusal(403, "web.not-from-here") from None
        return taker(who, form)

    return form_route(path, take, most_fields=fields)


def enter(desk: Desk) -> Route:
    """Return the route of the link that works once, for the browser that opens it first.

    A program that only looks whether the link is there (HEAD, or a browser that fetches ahead)
    does not use it up.
    """

    def endpoint(request: Request) -> Response:
        response = RedirectResponse("/researcher", 303)
        session = request.cookies.get(desk.cookie)
        if session and desk.store.researchers.admits(session):
            return response
        ahead = request.headers.get("sec-purpose") or request.headers.get("purpose")
        if request.method != "GET" or ahead:
            return Response(status_code=204)
        claimed = desk.store.researchers.claim(request.path_params["token"])
        if claimed is None:
            raise desk.site.turned_away(request, 403, "web.link-used")
        desk.site.keep_cookie(response, desk.cookie, claimed)
        return response

    return Route("/r/{token}", endpoint, methods=["GET"])


def sign_out(who: Researcher, form: Form) -> Response:  # noqa: ARG001
    """End the session, here and wherever else its cookie may be."""
    who.desk.store.researchers.sign_out(who.session)
    response = RedirectResponse("/researcher", 303)
    response.delete_cookie(
        who.desk.cookie, path="/", secure=who.desk.site.secure, httponly=True, samesite="lax"
    )
    return response


PER_PAGE = 50

Row = TypeVar("Row")


@dataclass(frozen=True)
class TablePage(Generic[Row]):
    """One page of a long table: its number, the number of the last one, and what is on it."""

    number: int
    last: int
    things: Sequence[Row]

    @property
    def first(self) -> int:
        """The place of the first thing among all."""
        return (self.number - 1) * PER_PAGE


def table_page(things: Sequence[Row], number: int) -> TablePage[Row]:
    """Return a page of a table; a number past the end gives the last page.

    Examples
    --------
    >>> found = table_page(range(120), 9)
    >>> found.number, found.last, found.first, len(found.things)
    (3, 3, 100, 20)
    """
    last = max(1, -(-len(things) // PER_PAGE))
    number = min(max(1, number), last)
    return TablePage(number, last, things[(number - 1) * PER_PAGE : number * PER_PAGE])
