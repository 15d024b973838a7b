"""Somebody who was recruited, at work: a place, practice that qualifies, checks, and the end.

A place is taken when a person agrees to take part, before anything is asked of them: until then
they have only read what they would agree to, and afterwards nobody can take it from them while
they work. Each page that a recruited person opens comes by here first.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from covary.crowd.recruiting import platform_of
from covary.design.plan import Sheet, Task
from covary.store.places import ENDINGS, NOTE, Ending, Reclaimed
from covary.store.records import Judge
from covary.study.model import Recruiting, Study
from covary.web.judge.visit import Visit, those_that_count, visit
from covary.web.markup import from_researcher
from covary.web.pages import page
from covary.web.recruiting.ends import END_OF, draw_end, way_back, words_for_end
from covary.web.refusals import CLOSED, Words
from covary.web.researcher.flags import matches
from covary.web.site import Site

__all__ = [
    "FULL",
    "is_recruited",
    "meet",
    "reclaim_idle",
    "show_stop",
    "take_practice_again",
    "take_stop",
]

FULL = Words(
    "The study is full",
    "Every place is taken; somebody may have come a moment before you. Nothing was asked of you, "
    "and nothing of yours is kept but that you came.",
)
GIVEN_ON = Words(
    "Your place was given to somebody else",
    "No answer had come for a long while, so somebody else has taken your place. The answers that "
    "you gave are kept but not used.",
)
AGAIN = "practice-again"
CLOSE = 1e-9


def is_recruited(judge: Judge) -> bool:
    """Say whether a judge came by the open link."""
    return "recruited" in judge.attributes


def meet(here: Visit) -> Response | None:
    """Return what a recruited person sees instead of the next page; None to go on as judges do."""
    recruiting = here.study.recruiting
    if recruiting is None or not is_recruited(here.judge):
        return None
    ending = _ending(here)
    if ending is not None:
        return _ended(here, recruiting, ending)
    state = here.site.store.get_state()
    if state == "closed":
        back = way_back(recruiting, "returned", here.site.store.visitor(here.judge.id))
        return draw_end(here.study, CLOSED, back)
    if state == "paused":
        return None
    if here.walk.sheet is None:
        return _without_place(here, recruiting)
    return _at_work(here, recruiting, here.walk.sheet)


def reclaim_idle(site: Site) -> Reclaimed:
    """Take back the places of recruited people who have not answered for as long as is allowed."""
    study = site.study
    if study.recruiting is None:
        return Reclaimed()
    return site.store.reclaim_idle(_patience(study), code=study.recruiting.done)


def show_stop(site: Site, request: Request) -> Response:
    """Ask whether somebody really wants to stop."""
    here = visit(site, site.judge_of(request))
    if not _may_stop(here):
        return RedirectResponse("/judge", 303)
    return page("join-stop", **here.values() | {"stop": False})


def take_stop(here: Visit, form: Mapping[str, str]) -> Response:  # noqa: ARG001
    """End the visit of somebody who does not want to go on."""
    if _may_stop(here):
        _end(here, "withdrew")
    return RedirectResponse("/judge", 303)


def take_practice_again(here: Visit, form: Mapping[str, str]) -> Response:  # noqa: ARG001
    """Let somebody practise once more, where that is due."""
    recruiting, sheet = here.study.recruiting, here.walk.sheet
    if recruiting is None or sheet is None or _ending(here) is not None:
        return RedirectResponse("/judge", 303)
    due = _practised(here, sheet) and not _qualifies(here, recruiting, sheet)
    if due and _attempts_left(here, recruiting) > 0:
        key = f"{AGAIN}:{sheet.number}:{_attempts(here)}"
        here.note(AGAIN, {"sheet": sheet.number}, key)
    return RedirectResponse("/judge", 303)


def _patience(study: Study) -> timedelta:
    """How long somebody may be silent; between two occasions that is asked of them."""
    assert study.recruiting is not None
    allowed = timedelta(minutes=study.recruiting.abandon_after_minutes)
    if study.design.occasions > 1:
        allowed += timedelta(hours=study.session.occasion_gap_hours)
    return allowed


def _ending(here: Visit) -> Ending | None:
    found = (note.data.get("outcome") for note in here.walk.notes if note.kind == NOTE)
    return next((each for each in found if each in ENDINGS), None)


def _ended(
    here: Visit, recruiting: Recruiting, ending: Ending, *, at_once: bool = False
) -> Response:
    back = way_back(recruiting, END_OF[ending], here.site.store.visitor(here.judge.id))
    return draw_end(here.study, words_for_end(ending), back, at_once=at_once)


def _end(here: Visit, ending: Ending, **details: object) -> Response:
    """End the visit, and show the end that counts, which is the first."""
    assert here.study.recruiting is not None
    code = getattr(here.study.recruiting, END_OF[ending])
    ended = here.site.store.end_visit(here.judge.id, ending, code=code, **details)
    here.site.presence.more_happened(here.judge.id)
    if ended is None:  # the place was given on in the same moment
        return RedirectResponse("/judge", 303)
    return _ended(here, here.study.recruiting, ended, at_once=True)


def _without_place(here: Visit, recruiting: Recruiting) -> Response | None:
    store, judge = here.site.store, here.judge.id
    step = here.walk.step().name
    if step == "declined":
        back = way_back(recruiting, "returned", store.visitor(judge))
        platform = platform_of(recruiting)
        return page("declined", **here.values(), back=back, platform=platform)
    find = store.place_for if step == "consent" else store.take_place
    number = find(judge, recruiting.places)
    if number is None and reclaim_idle(here.site).abandoned:
        number = find(judge, recruiting.places)
    if number is None:
        return _no_place(here, recruiting)
    if step == "consent":
        return None
    here.note("began", {"sheet": number}, f"began:{number}")
    return RedirectResponse("/judge", 303)


def _no_place(here: Visit, recruiting: Recruiting) -> Response:
    had_one = any(note.kind == "began" for note in here.walk.notes)
    if not had_one:
        here.site.store.note_full(here.judge.id)
    back = way_back(recruiting, "returned", here.site.store.visitor(here.judge.id))
    return draw_end(here.study, GIVEN_ON if had_one else FULL, back)


def _at_work(here: Visit, recruiting: Recruiting, sheet: Sheet) -> Response | None:
    if recruiting.qualify is not None and _practised(here, sheet) and not _noted(here, "qualified"):
        if not _qualifies(here, recruiting, sheet):
            return _not_qualified(here, recruiting)
        here.note("qualified", {"sheet": sheet.number}, f"qualified:{sheet.number}")
    if recruiting.failed_checks_allowed is not None:
        failed = _failed_checks(here, sheet)
        if failed > recruiting.failed_checks_allowed:
            return _end(here, "failed checks", failed=failed)
    if here.walk.step().name == "done":
        return _end(here, "done")
    return None


def _not_qualified(here: Visit, recruiting: Recruiting) -> Response:
    left = _attempts_left(here, recruiting)
    if left < 1:
        return _end(here, "screened out")
    text = from_researcher(here.study.manual.guidelines)
    return page("join-practice", **here.values(), text=text, left=left)


def _practised(here: Visit, sheet: Sheet) -> bool:
    """Say whether all practice is behind the judge."""
    return all(task.position in here.walk.left() for task in sheet.tasks if task.kind == "practice")


def _qualifies(here: Visit, recruiting: Recruiting, sheet: Sheet) -> bool:
    practice = [task for task in sheet.tasks if task.kind == "practice"]
    answers = [right for task in practice for right in _as_expected(here, task)]
    return sum(answers) >= (recruiting.qualify or 0) * len(answers) - CLOSE


def _failed_checks(here: Visit, sheet: Sheet) -> int:
    """Count the checks behind the judge of which an answer is not the one that was asked for."""
    left = here.walk.left()
    checks = [task for task in sheet.tasks if task.kind == "check" and task.position in left]
    return sum(not all(_as_expected(here, task)) for task in checks)


def _as_expected(here: Visit, task: Task) -> list[bool]:
    """Say of each criterion with a known answer whether the one that counts is it."""
    item = here.study.item(task.item)
    asked = [each for each in here.study.criteria_of(task.part) if each.key in item.expected]
    if not asked:
        return []
    given = those_that_count(here.answers_at(task.position))
    return [each.key in given and matches(each, item, given[each.key].rating) for each in asked]


def _attempts(here: Visit) -> int:
    """Return how often the judge has practised."""
    return 1 + sum(note.kind == AGAIN for note in here.walk.notes)


def _attempts_left(here: Visit, recruiting: Recruiting) -> int:
    return recruiting.attempts - _attempts(here)


def _noted(here: Visit, kind: str) -> bool:
    number = here.sheet_number
    return any(note.kind == kind and note.data.get("sheet") == number for note in here.walk.notes)


def _may_stop(here: Visit) -> bool:
    return here.may_stop and _ending(here) is None
