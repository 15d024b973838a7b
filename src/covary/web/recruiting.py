"""People whom a platform sends: the open link by which they come, their place, practice that
qualifies, checks, the end and the way back.

The link is a secret of its own; the platform's parameters only say who comes. They never let
anybody in without it, and what they hold is checked before anything is done with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
import re
import secrets
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Literal

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from covary.crowd.platforms import Platform, Visitor, platform_of, visitor_of
from covary.crowd.signed_links import PARAMETER, UnprovenVisitor, verify_token
from covary.design.plan import Sheet, Task
from covary.store.records import Judge
from covary.store.visits import ENDINGS, NOTE, Ending, IdleSweep, VisitorRecord
from covary.study.model import Recruiting, Study
from covary.study.recruiting import fails_checks, idle_limit, match_known_answers, qualifies
from covary.web.forms import Form, Name, Notice, Refusal, form_route, notice
from covary.web.guard import Limit, host_name
from covary.web.pages import from_researcher, page
from covary.web.site import Site, Visit, remote_address, those_that_count, visit

End = Literal["done", "screened_out", "failed", "returned"]
"""The names of the ways back, as [recruiting] has them."""

END_OF: dict[Ending, End] = {
    "done": "done",
    "screened out": "screened_out",
    "failed checks": "failed",
    "withdrew": "returned",
}

HOW_TO_RETURN = {
    "prolific": "Please go back to Prolific and return your submission there (“Stop without "
    "completing”), so that the place there is free too. A returned submission does not count "
    "against you.",
    "connect": "Please go back to Connect and return the project there.",
    "sona": "Please go back to SONA and cancel your sign-up there.",
    "link": "You may close this page.",
}


@dataclass(frozen=True)
class WayBack:
    """A code to show, an address to go to, and words where a person must do something there."""

    code: str = ""
    address: str = ""
    how: str = ""


def way_back(recruiting: Recruiting, end: End, who: VisitorRecord | None) -> WayBack:
    """Return how somebody goes back to the platform after an end.

    An address of the study's own wins; Prolific's is made from the code; where there is neither,
    words say what to do.
    """
    code: str = getattr(recruiting, end)
    platform = platform_of(recruiting)
    address = recruiting.addresses.get(end, "")
    if address and platform is not None and who is not None:
        address = platform.back_by(address, Visitor(who.platform, who.participant))
    elif not address and code and platform is not None and platform.completion:
        address = platform.back(code)
    how = HOW_TO_RETURN[recruiting.platform] if end == "returned" and not address else ""
    return WayBack(code, address, how)


def draw_end(study: Study, words: Notice, back: WayBack, *, at_once: bool = False) -> Response:
    """Draw the last page; `at_once` goes on to the platform without waiting for a click."""
    assert study.recruiting is not None
    platform = platform_of(study.recruiting)
    return page(
        "join-end",
        study=study,
        notice=words,
        back=back,
        at_once=at_once and bool(back.address),
        platform=None if platform is None else platform.name,
    )


AGAIN = "practice-again"


def is_recruited(judge: Judge) -> bool:
    """Say whether a judge came by the open link."""
    return "recruited" in judge.attributes


def intercept(here: Visit) -> Response | None:
    """Return what a recruited person sees instead of the next page; None to go on as judges do."""
    recruiting = here.study.recruiting
    if recruiting is None or not is_recruited(here.judge):
        return None
    ending = _ending(here)
    if ending is not None:
        return _show_end(here, recruiting, ending)
    state = here.site.store.get_state()
    if state == "closed":
        back = way_back(recruiting, "returned", here.site.store.visits.of(here.judge.id))
        return draw_end(here.study, notice("web.closed"), back)
    if state == "paused":
        return None
    if here.flow.sheet is None:
        return _without_place(here, recruiting)
    return _at_work(here, recruiting, here.flow.sheet)


def reclaim_idle(site: Site) -> IdleSweep:
    """Take back the places of recruited people who have not answered for as long as is allowed."""
    study = site.study
    if study.recruiting is None:
        return IdleSweep()
    return site.store.visits.reclaim_idle(idle_limit(study), code=study.recruiting.done)


def show_stop(site: Site, request: Request) -> Response:
    """Ask whether somebody really wants to stop."""
    here = visit(site, site.judge_of(request))
    if not _may_stop(here):
        return RedirectResponse("/judge", 303)
    return page("join-stop", **here.values() | {"stop": False})


def take_stop(here: Visit, form: Mapping[str, str]) -> Response:  # noqa: ARG001
    """End the visit of somebody who does not want to go on."""
    if _may_stop(here):
        _end_visit(here, "withdrew")
    return RedirectResponse("/judge", 303)


def take_practice_again(here: Visit, form: Mapping[str, str]) -> Response:  # noqa: ARG001
    """Let somebody practise once more, where that is due."""
    recruiting, sheet = here.study.recruiting, here.flow.sheet
    if recruiting is None or sheet is None or _ending(here) is not None:
        return RedirectResponse("/judge", 303)
    due = _practised(here, sheet) and not _qualifies(here, recruiting, sheet)
    if due and _attempts_left(here, recruiting) > 0:
        key = f"{AGAIN}:{sheet.number}:{_attempts(here)}"
        here.note(AGAIN, {"sheet": sheet.number}, key)
    return RedirectResponse("/judge", 303)


def _ending(here: Visit) -> Ending | None:
    outcomes = (note.data.get("outcome") for note in here.flow.notes if note.kind == NOTE)
    return next((outcome for outcome in outcomes if outcome in ENDINGS), None)


def _show_end(
    here: Visit, recruiting: Recruiting, ending: Ending, *, at_once: bool = False
) -> Response:
    back = way_back(recruiting, END_OF[ending], here.site.store.visits.of(here.judge.id))
    return draw_end(here.study, notice(f"web.end-{ending}"), back, at_once=at_once)


def _end_visit(here: Visit, ending: Ending, **details: object) -> Response:
    """End the visit, and show the end that counts, which is the first."""
    assert here.study.recruiting is not None
    code = getattr(here.study.recruiting, END_OF[ending])
    ended = here.site.store.visits.end(here.judge.id, ending, code=code, **details)
    here.site.sessions.more_happened(here.judge.id)
    if ended is None:  # the place was given on in the same moment
        return RedirectResponse("/judge", 303)
    return _show_end(here, here.study.recruiting, ended, at_once=True)


def _without_place(here: Visit, recruiting: Recruiting) -> Response | None:
    store, judge = here.site.store, here.judge.id
    step = here.flow.step().name
    if step == "declined":
        back = way_back(recruiting, "returned", store.visits.of(judge))
        platform = platform_of(recruiting)
        return page("declined", **here.values(), back=back, platform=platform)
    find = store.visits.place_for if step == "consent" else store.visits.take_place
    number = find(judge, recruiting.places, recruiting.part)
    if number is None and reclaim_idle(here.site).abandoned:
        number = find(judge, recruiting.places, recruiting.part)
    if number is None:
        return _no_place(here, recruiting)
    if step == "consent":
        return None
    here.note("began", {"sheet": number}, f"began:{number}")
    return RedirectResponse("/judge", 303)


def _no_place(here: Visit, recruiting: Recruiting) -> Response:
    had_one = any(note.kind == "began" for note in here.flow.notes)
    if not had_one:
        here.site.store.visits.note_full(here.judge.id)
    back = way_back(recruiting, "returned", here.site.store.visits.of(here.judge.id))
    return draw_end(here.study, notice("web.place-given-on" if had_one else "web.full"), back)


def _at_work(here: Visit, recruiting: Recruiting, sheet: Sheet) -> Response | None:
    if here.flow.step().name == "feedback":  # what was expected is told before what follows from it
        return None
    if recruiting.qualify is not None and _practised(here, sheet) and not _noted(here, "qualified"):
        if not _qualifies(here, recruiting, sheet):
            return _not_qualified(here, recruiting)
        here.note("qualified", {"sheet": sheet.number}, f"qualified:{sheet.number}")
    limited = recruiting.failed_checks_allowed is not None
    failed = _failed_checks(here, sheet) if limited else 0
    if fails_checks(recruiting, failed):
        return _end_visit(here, "failed checks", failed=failed)
    if here.flow.step().name == "done":
        return _end_visit(here, "done")
    return None


def _not_qualified(here: Visit, recruiting: Recruiting) -> Response:
    left = _attempts_left(here, recruiting)
    if left < 1:
        return _end_visit(here, "screened out")
    text = from_researcher(here.study.manual.guidelines)
    return page("join-practice", **here.values(), text=text, left=left)


def _practised(here: Visit, sheet: Sheet) -> bool:
    """Say whether all practice is behind the judge."""
    return all(task.position in here.flow.left() for task in sheet.tasks if task.kind == "practice")


def _qualifies(here: Visit, recruiting: Recruiting, sheet: Sheet) -> bool:
    practice = [task for task in sheet.tasks if task.kind == "practice"]
    answers = [right for task in practice for right in _as_expected(here, task)]
    return qualifies(recruiting, answers)


def _failed_checks(here: Visit, sheet: Sheet) -> int:
    """Count the checks behind the judge of which an answer is not the one that was asked for."""
    left = here.flow.left()
    checks = [task for task in sheet.tasks if task.kind == "check" and task.position in left]
    return sum(not all(_as_expected(here, task)) for task in checks)


def _as_expected(here: Visit, task: Task) -> list[bool]:
    """Say of each criterion with a known answer whether the one that counts is it."""
    item = here.study.item(task.item)
    if not item.expected:
        return []
    answers = those_that_count(here.answers_at(task.position))
    ratings = {key: answer.rating for key, answer in answers.items()}
    return match_known_answers(here.study.criteria_of(task.part), item, ratings)


def _attempts(here: Visit) -> int:
    """Return how often the judge has practised."""
    return 1 + sum(note.kind == AGAIN for note in here.flow.notes)


def _attempts_left(here: Visit, recruiting: Recruiting) -> int:
    return recruiting.attempts - _attempts(here)


def _noted(here: Visit, kind: str) -> bool:
    number = here.sheet_number
    return any(note.kind == kind and note.data.get("sheet") == number for note in here.flow.notes)


def _may_stop(here: Visit) -> bool:
    return here.may_stop and _ending(here) is None


SECONDS_BETWEEN = 60.0

log = logging.getLogger(__name__)


@contextlib.asynccontextmanager
async def sweep_places(site: Site) -> AsyncIterator[None]:
    """Look after abandoned places for as long as this lasts; nothing where nobody is recruited."""
    if site.study.recruiting is None:
        yield
        return
    task = asyncio.create_task(_sweep(site))
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _sweep(site: Site) -> None:
    while True:
        await asyncio.sleep(SECONDS_BETWEEN)
        try:
            await run_in_threadpool(reclaim_idle, site)
        except Exception:  # the next minute is another chance
            log.exception("abandoned places could not be taken back")


PLAIN = "link"
ONCE = Name("once", re.compile(r"[0-9a-f]{32}"), status=400)


def join_routes(site: Site) -> list[Route]:
    """Return the routes of the open recruiting link."""
    # New people only, and many at once: a whole course may sit behind one address.
    arriving = Limit(per_second=5, burst=500)

    def enter(request: Request) -> Response:
        return _enter(site, arriving, request)

    def begin(request: Request, form: Form) -> Response:
        return _begin(site, arriving, request, form)

    return [
        Route("/join/{secret}", enter, methods=["GET"]),
        form_route("/join/{secret}", begin, most_fields=10),
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
    visitor = (
        _proven_visitor(site, request, platform)
        if recruiting.keys
        else visitor_of(request.url.query)
    )
    if visitor is None or not _is_complete(platform, visitor):
        raise Refusal(
            400,
            "web.incomplete-join-link",
            platform=platform.name,
            parameters=", ".join(platform.parameters),
        )
    return _let_in(site, arriving, request, visitor)


def _proven_visitor(site: Site, request: Request, platform: Platform) -> Visitor | None:
    """Return whom the platform has sent by its signature; what the address says counts nothing."""
    tokens = request.query_params.getlist(PARAMETER)
    if len(tokens) != 1:
        raise Refusal(403, "web.unsigned-join-link", platform=platform.name)
    host = host_name(request.headers.get("host", ""))
    try:
        said = verify_token(tokens[0], site.signing_keys(), host=host, now=time.time())
    except UnprovenVisitor as error:
        log.warning("a signed link was refused: %s", error)
        expired = error.code == "crowd.token-expired"
        code = "web.expired-join-link" if expired else "web.unsigned-join-link"
        raise Refusal(403, code, platform=platform.name) from None
    visitor, claimed = platform.visitor(said), visitor_of(request.url.query)
    if visitor is None or (claimed is not None and claimed != visitor):
        raise Refusal(403, "web.unsigned-join-link", platform=platform.name)
    return visitor


def _begin(site: Site, arriving: Limit, request: Request, form: Mapping[str, str]) -> Response:
    """Let in somebody of a plain link, who is known by what their page was given."""
    recruiting = _recruiting(site, request)
    if recruiting.platform != PLAIN:
        raise Refusal(400)
    once = ONCE.read(form)
    site.check_form(request, f"join:{once}", form.get("token", ""))
    return _let_in(site, arriving, request, Visitor(PLAIN, once))


def _recruiting(site: Site, request: Request) -> Recruiting:
    """Return how people are recruited, or refuse a link that is not the study's."""
    recruiting, secret = site.study.recruiting, site.store.visits.join_secret()
    sent = request.path_params["secret"].encode(errors="surrogatepass")
    if recruiting is not None and secret and hmac.compare_digest(secret.encode(), sent):
        return recruiting
    raise site.turned_away(request, 404, "web.unknown-join-link")


def _is_complete(platform: Platform, visitor: Visitor) -> bool:
    """Say whether all that this study's platform sends has come."""
    wanted = {
        "participant": platform.participant,
        "submission": platform.submission,
        "study": platform.study,
    }
    return visitor.platform == platform.name and all(
        getattr(visitor, part) for part, name in wanted.items() if name
    )


def _let_in(site: Site, arriving: Limit, request: Request, visitor: Visitor) -> Response:
    """Make somebody a judge, or the judge whom they are, and go to whatever comes next."""
    store = site.store
    known = store.visits.last_visit(visitor.platform, visitor.participant)
    if known is not None and _is_another(site, request, visitor, known):
        store.visits.note_second(known[0], visitor.submission)
        log.warning("somebody came with the name of judge %d from another browser", known[0])
        raise Refusal(409, "web.second-session")
    if known is None:
        if store.get_state() != "open":
            return _not_open(site)
        if not arriving.allows(remote_address(request)):
            raise Refusal(429)
    came = store.visits.arrive(
        visitor.platform, visitor.participant, visitor.submission, visitor.study
    )
    if came.judge.revoked:
        raise Refusal(403, "web.part-ended")
    response = RedirectResponse("/judge", 303)
    site.keep_cookie(response, site.cookie, came.token)
    return response


def _is_another(site: Site, request: Request, visitor: Visitor, known: tuple[int, str]) -> bool:
    """Say whether a second person seems to come with the name of one who is known.

    Anybody can write somebody else's name into the address. Who goes on in the same browser has
    its cookie, and who takes another device comes with the same submission. Where links are
    signed, nobody can write somebody else's name.
    """
    judge, submission = known
    recruiting = site.study.recruiting
    proven = recruiting is not None and bool(recruiting.keys)
    if proven or not submission or submission == visitor.submission:
        return False
    token = request.cookies.get(site.cookie)
    mine = site.store.judges.by_token(token) if token else None
    return mine is None or mine.id != judge


def _not_open(site: Site) -> Response:
    study = site.study
    assert study.recruiting is not None
    if site.store.get_state() == "paused":
        return page("message", study=study, notice=notice("web.paused"))
    return draw_end(study, notice("web.closed"), way_back(study.recruiting, "returned", None))


def _show_beginning(site: Site, request: Request) -> Response:
    """Show where to begin; a browser that has begun goes on."""
    token = request.cookies.get(site.cookie)
    judge = site.store.judges.by_token(token) if token else None
    if judge is not None and is_recruited(judge):
        return RedirectResponse("/judge", 303)
    if site.store.get_state() != "open":
        return _not_open(site)
    once = secrets.token_hex(16)
    token = site.tokens.form_token(f"join:{once}")
    return page("join-begin", study=site.study, token=token, once=once, address=request.url.path)
