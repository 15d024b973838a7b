"""Who may see the researchers' pages, and what each of those pages needs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from covary.store.store import Store
from covary.study.model import Study
from covary.web.pages import page
from covary.web.refusals import Refusal, Words
from covary.web.researcher.live import Live
from covary.web.researcher.plan import Planned
from covary.web.researcher.report import Reports
from covary.web.researcher.way import Ways
from covary.web.site import Site

__all__ = ["Desk", "Form", "Researcher", "enter", "reads", "sign_out", "takes"]

HOW = (
    "Run 'covary researcher-link' with the study's folder, on the machine that serves the study, "
    "and open the link that it prints in this browser."
)
NOT_SIGNED_IN = Words(
    "This page is for the researchers of the study",
    f"You sign in by a link that works once. {HOW}",
)
USED = Words("This link does not let you in", f"It was used before, or replaced. {HOW}")
NOT_FROM_HERE = Words(
    "This was not done", "It did not come from a page of yours. Go back, reload and try once more."
)

MOST_FIELDS = 50

Form = Mapping[str, str]


@dataclass(frozen=True)
class Beside:
    """What is worked out beside the pages, for a study with one manual."""

    study: Study
    planned: Planned
    live: Live
    reports: Reports
    ways: Ways

    @classmethod
    def of(cls, study: Study, store: Store) -> Beside:
        """Begin with nothing worked out."""
        return cls(
            study, Planned(study, store), Live(study, store), Reports(study, store), Ways(study)
        )


class Desk:
    """A study as its researchers see it: the site, and what is worked out beside it."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self._beside = Beside.of(site.study, site.store)

    @classmethod
    def of(cls, site: Site) -> Desk:
        """Return the desk of a site."""
        return cls(site)

    @property
    def beside(self) -> Beside:
        """What was worked out; begun anew when another manual is in force."""
        study = self.study
        if self._beside.study is not study:
            self._beside = Beside.of(study, self.store)
        return self._beside

    @property
    def planned(self) -> Planned:
        return self.beside.planned

    @property
    def live(self) -> Live:
        return self.beside.live

    @property
    def reports(self) -> Reports:
        return self.beside.reports

    @property
    def ways(self) -> Ways:
        return self.beside.ways

    @property
    def study(self) -> Study:
        return self.site.study

    @property
    def store(self) -> Store:
        return self.site.store

    @property
    def cookie(self) -> str:
        """The name of a researcher's cookie; over https a name that no other host can set."""
        return "__Host-covary-researcher" if self.site.secure else "covary-researcher"

    def researcher(self, request: Request) -> Researcher:
        """Return who asks, or refuse."""
        session = request.cookies.get(self.cookie)
        if not session:
            raise Refusal(403, NOT_SIGNED_IN)
        if not self.store.researcher(session):
            raise self.turned_away(request, 403, NOT_SIGNED_IN)
        return Researcher(self, session, request)

    def turned_away(self, request: Request, status: int, words: Words) -> Refusal:
        """Return a refusal; count who tries too often."""
        who = request.client.host if request.client else ""
        return Refusal(status, words) if self.site.failing.allows(who) else Refusal(429)


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
            "token": self.desk.site.proof.form_token(self.whose),
            "state": self.desk.store.get_state(),
        }

    def number(self, name: str, default: int = 1) -> int:
        """Return a whole number from the address, at least 1."""
        given = self.request.query_params.get(name, "")
        return max(1, int(given)) if given.isascii() and given.isdigit() else default


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
            raise Refusal(403, NOT_FROM_HERE) from None
        return taker(who, form)

    async def endpoint(request: Request) -> Response:
        async with request.form(max_files=0, max_fields=fields) as sent:
            form = {name: value for name, value in sent.items() if isinstance(value, str)}
        return await run_in_threadpool(take, request, form)

    endpoint_: Callable[[Request], Awaitable[Response]] = endpoint
    return Route(path, endpoint_, methods=["POST"])


def enter(desk: Desk) -> Route:
    """Return the route of the link that works once, for the browser that opens it first.

    A program that only looks whether the link is there (HEAD, or a browser that fetches ahead)
    does not use it up.
    """

    def endpoint(request: Request) -> Response:
        response = RedirectResponse("/researcher", 303)
        session = request.cookies.get(desk.cookie)
        if session and desk.store.researcher(session):
            return response
        ahead = request.headers.get("sec-purpose") or request.headers.get("purpose")
        if request.method != "GET" or ahead:
            return Response(status_code=204)
        claimed = desk.store.claim_researcher(request.path_params["token"])
        if claimed is None:
            raise desk.turned_away(request, 403, USED)
        desk.site.keep_cookie(response, desk.cookie, claimed)
        return response

    return Route("/r/{token}", endpoint, methods=["GET"])


def sign_out(who: Researcher, form: Form) -> Response:  # noqa: ARG001
    """End the session, here and wherever else its cookie may be."""
    who.desk.store.end_researcher(who.session)
    response = RedirectResponse("/researcher", 303)
    response.delete_cookie(
        who.desk.cookie, path="/", secure=who.desk.site.secure, httponly=True, samesite="lax"
    )
    return response
