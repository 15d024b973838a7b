"""The open recruiting link: whoever a platform sends becomes a judge, and the same one each time.

The link is a secret of its own; the platform's parameters only say who comes. They never let
anybody in without it, and what they hold is checked before anything is done with it.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Mapping

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from covary.crowd.platforms import Platform, Visitor, visitor_of
from covary.crowd.recruiting import platform_of
from covary.study.model import Recruiting
from covary.web.limits import Limit
from covary.web.pages import page
from covary.web.recruiting.ends import draw_end, way_back
from covary.web.recruiting.recruited import is_recruited
from covary.web.refusals import CLOSED, PAUSED, Refusal, Words
from covary.web.site import Site

__all__ = ["join_routes"]

PLAIN = "link"
ONCE = re.compile(r"[0-9a-f]{32}")

UNKNOWN = Words(
    "This link is not valid",
    "It may have been cut off when it was copied, or replaced by a newer one. Open the study again "
    "from where you found it, or ask the people who run it.",
)
REVOKED = Words(
    "You cannot go on with this study",
    "The people who run the study have ended your part in it. Ask them if you do not know why.",
)


def join_routes(site: Site) -> list[Route]:
    """Return the routes of the open recruiting link."""
    # New people only, and many at once: a whole course may sit behind one address.
    arriving = Limit(per_second=5, burst=500)

    def enter(request: Request) -> Response:
        return _enter(site, arriving, request)

    async def begin(request: Request) -> Response:
        async with request.form(max_files=0, max_fields=10) as sent:
            form = {name: value for name, value in sent.items() if isinstance(value, str)}
        return await run_in_threadpool(_begin, site, arriving, request, form)

    return [
        Route("/join/{secret}", enter, methods=["GET"]),
        Route("/join/{secret}", begin, methods=["POST"]),
    ]


def _enter(site: Site, arriving: Limit, request: Request) -> Response:
    """Let in somebody whom a platform sends; to those of a plain link, show how to begin."""
    recruiting = _recruiting(site, request)
    ahead = request.headers.get("sec-purpose") or request.headers.get("purpose")
    if request.method != "GET" or ahead:  # a look whether the link is there brings nobody
        return Response(status_code=204)
    platform = platform_of(recruiting)
    if platform is None:
        return _show_beginning(site, request)
    visitor = visitor_of(request.url.query)
    if visitor is None or not _is_whole(platform, visitor):
        raise Refusal(400, _incomplete(platform))
    return _let_in(site, arriving, request, visitor)


def _begin(site: Site, arriving: Limit, request: Request, form: Mapping[str, str]) -> Response:
    """Let in somebody of a plain link, who is known by what their page was given."""
    recruiting = _recruiting(site, request)
    once = form.get("once", "")
    if recruiting.platform != PLAIN or not ONCE.fullmatch(once):
        raise Refusal(400)
    site.check_form(request, f"join:{once}", form.get("token", ""))
    return _let_in(site, arriving, request, Visitor(PLAIN, once))


def _recruiting(site: Site, request: Request) -> Recruiting:
    """Return how people are recruited, or refuse a link that is not the study's."""
    recruiting, secret = site.study.recruiting, site.store.join_secret()
    given = request.path_params["secret"].encode(errors="surrogatepass")
    if recruiting is not None and secret and hmac.compare_digest(secret.encode(), given):
        return recruiting
    raise Refusal(404, UNKNOWN) if site.failing.allows(_address(request)) else Refusal(429)


def _is_whole(platform: Platform, visitor: Visitor) -> bool:
    """Say whether all that this study's platform sends has come."""
    wanted = {
        "participant": platform.participant,
        "submission": platform.submission,
        "study": platform.study,
    }
    return visitor.platform == platform.name and all(
        getattr(visitor, part) for part, name in wanted.items() if name
    )


def _incomplete(platform: Platform) -> Words:
    name = platform.name
    return Words(
        "This link is not complete",
        f"It does not say whom {name} sends. Open the study from its page on {name}; if you came "
        "from there, tell the people who run the study that its address there lacks "
        f"{', '.join(platform.parameters)}.",
    )


def _let_in(site: Site, arriving: Limit, request: Request, visitor: Visitor) -> Response:
    """Make somebody a judge, or the judge whom they are, and go to whatever comes next."""
    store = site.store
    if not store.has_come(visitor.platform, visitor.participant):
        if store.get_state() != "open":
            return _not_open(site)
        if not arriving.allows(_address(request)):
            raise Refusal(429)
    came = store.arrive(visitor.platform, visitor.participant, visitor.submission, visitor.study)
    if came.judge.revoked:
        raise Refusal(403, REVOKED)
    response = RedirectResponse("/judge", 303)
    site.keep_cookie(response, site.cookie, came.token)
    return response


def _not_open(site: Site) -> Response:
    study = site.study
    assert study.recruiting is not None
    if site.store.get_state() == "paused":
        return page("message", study=study, words=PAUSED)
    return draw_end(study, CLOSED, way_back(study.recruiting, "returned", None))


def _show_beginning(site: Site, request: Request) -> Response:
    """Show where to begin; a browser that has begun goes on."""
    token = request.cookies.get(site.cookie)
    judge = site.store.judge(token) if token else None
    if judge is not None and is_recruited(judge):
        return RedirectResponse("/judge", 303)
    if site.store.get_state() != "open":
        return _not_open(site)
    once = secrets.token_hex(16)
    token = site.proof.form_token(f"join:{once}")
    return page("join-begin", study=site.study, token=token, once=once, address=request.url.path)


def _address(request: Request) -> str:
    return request.client.host if request.client else ""
