"""The judge's pages in order, drawn by the judges' own code on a store that keeps nothing."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from html import escape
from types import SimpleNamespace
from typing import Any, cast

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from covary.design.plan import Sheet, Task
from covary.store.records import Judge, State, StoredNote
from covary.store.store import Store
from covary.study.model import Study
from covary.training import Cycle
from covary.web.forms import Refusal, Whole
from covary.web.guard import POLICY
from covary.web.judge.item_page import serve_file_of_item
from covary.web.judge.pages import show_guidelines, show_next
from covary.web.judge.sheets import SheetCache, study_plan
from covary.web.judge_flow import FlowStep, JudgeFlow
from covary.web.pages import address_of
from covary.web.researcher.desk import Desk, Researcher
from covary.web.researcher.people import JUDGE
from covary.web.site import Site

LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)

TITLES = {
    "consent": "Consent",
    "declined": "If a judge does not agree",
    "background": "Questions about the judge",
    "guidelines": "Guidelines",
    "practice-over": "After the practice",
    "wait": "Between two sessions",
    "occasion": "Another session begins",
    "part": "Another part begins",
    "break": "A break",
    "feedback": "The known answer",
    "questions": "Questions between items or after them",
    "preferred": "Which part was preferred",
    "remarks": "Remarks",
    "done": "The end",
}


@dataclass(frozen=True)
class PreviewStop:
    """One page of a judge's way, and the notes of a judge who stands there."""

    name: str
    title: str
    sheet: Sheet
    before: tuple[StoredNote, ...] = ()

    @property
    def notes(self) -> list[StoredNote]:
        """The notes; all of them have just been made where a judge is to wait."""
        if self.name != "wait":
            return list(self.before)
        return [replace(note, at=datetime.now(UTC)) for note in self.before]


class PreviewSessions:
    """The ways of a study's sheets, which are remembered, because to walk one takes a while."""

    def __init__(self, study: Study, store: Store) -> None:  # noqa: ARG002
        self._study = study
        self.of = lru_cache(maxsize=32)(self._walked)

    def _walked(self, sheet: Sheet) -> tuple[PreviewStop, ...]:
        """Return each page of the way in order; last the page of those who do not agree."""
        stops: list[PreviewStop] = []
        notes: list[StoredNote] = []
        flow = JudgeFlow(self._study, sheet, (), datetime.now(UTC))
        while (step := flow.step()).name != "done":
            if step.name == "occasion" and self._study.session.occasion_gap_hours:
                stops.append(PreviewStop("wait", TITLES["wait"], sheet, tuple(notes)))
            stops.append(PreviewStop(step.name, _title(flow, step), sheet, tuple(notes)))
            notes.extend(_notes_of(flow, sheet, step))
            flow = replace(flow, notes=tuple(notes))
        notes.append(_note("finished", sheet=sheet.number))  # or the page would leave at once
        stops.append(PreviewStop("done", TITLES["done"], sheet, tuple(notes)))
        if self._study.consent:
            refused = (_note("consent", agreed=False),)
            stops.append(PreviewStop("declined", TITLES["declined"], sheet, refused))
        return tuple(stops)


def _title(flow: JudgeFlow, step: FlowStep) -> str:
    if step.name != "item":
        return TITLES[step.name]
    assert step.task is not None
    if flow.shows_dialogue(step.task):
        progress = flow.dialogue_progress(step.task)
        return f"Dialogue {progress.place} of {progress.total}"
    return flow.progress(step.task).words


def _notes_of(flow: JudgeFlow, sheet: Sheet, step: FlowStep) -> list[StoredNote]:
    """What is noted when a judge goes on from a page."""
    if step.name == "consent":
        return [_note("consent", agreed=True)]
    if step.name == "guidelines":
        return [_note("guidelines", version=flow.study.manual.version)]
    if step.task is None:
        return [_note(step.name, position=0)]
    if step.name != "item":
        return [_note(step.name, sheet=sheet.number, position=step.task.position)]
    tasks = flow.on_page(step.task)
    return [_note("left", sheet=sheet.number, position=task.position) for task in tasks]


def _note(kind: str, **data: Any) -> StoredNote:
    return StoredNote(id=0, judge=0, kind=kind, data=data, key=None, at=LONG_AGO)


NOBODY = Judge(
    id=0,
    name="preview",
    group=None,
    attributes={},
    revoked=False,
    created_at=LONG_AGO,
)
HERE = "/researcher/preview"
STOP_PLACE = (Whole("sheet", status=404), Whole("stop", status=404))
ITEM_PLACE = (Whole("item", status=404), Whole("part", status=404))
SEALED = POLICY.replace("connect-src 'self'", "connect-src 'none'")
"""A previewed page cannot send anything, whatever its script tries."""

UNPRESSED = r'<a class="button\1" role="link" aria-disabled="true"'
"""What a link that looks like a button becomes where nothing can be pressed."""

SECRET = secrets.token_bytes(32)
"""Not the study's: no token of a previewed page is worth anything on a judge's page."""


class EmptyStore:
    """What the judges' pages ask of a store, for a judge who is nobody: nothing is written."""

    def __init__(self, sheet: Sheet | None, notes: Sequence[StoredNote]) -> None:
        kept = list(notes)
        self.sheets = SimpleNamespace(of=lambda _: sheet)
        self.notes = SimpleNamespace(
            all=lambda judge=None, **_: [] if judge is None else kept,
            last_number=lambda: 0,
            add=lambda *_, **__: True,
        )
        self.answers = SimpleNamespace(at=lambda *_: [])
        self.training = SimpleNamespace(cycle=Cycle)

    def get_state(self) -> State:
        return "open"

    def secret(self) -> bytes:
        return SECRET


class ReadingStore(EmptyStore):
    """What the judges' pages ask of a store, for a judge who is there: read, and never written."""

    def __init__(self, store: Store, judge: Judge) -> None:
        sheet = store.sheets.of(judge.id)
        number = None if sheet is None else sheet.number
        over = _note("finished", sheet=number)  # or the last page would leave for the platform
        super().__init__(sheet, [*store.notes.all(judge.id), over])
        self.answers = SimpleNamespace(at=store.answers.at)
        self.training = SimpleNamespace(cycle=store.training.cycle)
        self._state = store.get_state()

    def get_state(self) -> State:
        return self._state


@dataclass(frozen=True)
class PreviewSite(Site):
    """The study as nobody sees it, or as a judge does whose page is looked at."""

    judge: Judge = NOBODY

    def judge_of(self, request: Request) -> Judge:  # noqa: ARG002
        return self.judge


@dataclass(frozen=True)
class PreviewLinks:
    """Where the links of a previewed page go instead, and where its banner leads."""

    onward: str
    back: str
    guidelines: str
    out: str


def show_preview(who: Researcher) -> Response:
    """Show the pages of a judge's way, to choose from."""
    sheets = _sheets(who.desk)
    number = Whole("sheet", default=min(sheets), clamps=True).read(who.request.query_params)
    return who.page(
        "preview",
        sheet=number,
        sheets=sorted(sheets),
        stops=list(enumerate(_stops(who.desk, number))),
    )


def preview_stop(who: Researcher) -> Response:
    """Show one page of a judge's way."""
    number, place = (field.read(who.request.path_params) for field in STOP_PLACE)
    way = _stops(who.desk, number)
    if place >= len(way):
        raise Refusal(404)
    last = len(way) - 1
    guidelines = next((n for n, stop in enumerate(way) if stop.name == "guidelines"), place)
    links = PreviewLinks(
        onward=f"{HERE}/way/{number}/{min(place + 1, last)}",
        back=f"{HERE}/way/{number}/{max(place - 1, 0)}",
        guidelines=f"{HERE}/way/{number}/{guidelines}",
        out=f"{HERE}?sheet={number}",
    )
    drawn = show_next(_site(who.desk, way[place].sheet, way[place].notes), who.request)
    words = f"page {place + 1} of {last + 1}, sheet {number}"
    return _as_preview(drawn, links, _preview_banner(links, words))


def preview_item(who: Researcher) -> Response:
    """Show the page of any item, in any part of the study."""
    study = who.desk.study
    number, place = (field.read(who.request.path_params) for field in ITEM_PLACE)
    if number >= len(study.items) or place >= len(study.parts):
        raise Refusal(404)
    item, part = study.items[number], study.parts[place]
    order = tuple(range(len(item.texts))) if len(item.texts) > 1 else ()
    sheet = Sheet(0, (Task(1, item.id, cast(Any, item.kind), part, order=order),))
    stop = next(stop for stop in who.desk.kept(PreviewSessions).of(sheet) if stop.name == "item")
    last = len(study.items) - 1
    own, back, onward = (
        f"{HERE}/item/{min(max(number + step, 0), last)}/{place}" for step in (0, -1, 1)
    )
    links = PreviewLinks(onward, back, f"{own}?guidelines=1", "/researcher/items")
    show = show_guidelines if "guidelines" in who.request.query_params else show_next
    drawn = show(_site(who.desk, sheet, stop.notes), who.request)
    return _as_preview(drawn, links, _preview_banner(links, f"item {item.id}"))


def preview_image(who: Researcher) -> Response:
    """Show the picture of an item to a researcher, or play its recording."""
    path = f"/judge/image/{who.request.path_params['name']}"
    own = Request({**who.request.scope, "path": path, "raw_path": path.encode()})
    return serve_file_of_item(_site(who.desk, None, ()), own)


def see_judge(who: Researcher) -> Response:
    """Show the page that a judge sees now, with the answers it has; nothing can be answered."""
    desk = who.desk
    judge = desk.store.judges.by_id(JUDGE.read(who.request.path_params))
    if judge is None:
        raise Refusal(404, "web.no-judge")
    back = f"/researcher/judges/{judge.id}"
    if desk.store.sheets.of(judge.id) is None:
        return who.page("not-begun", judge=judge, trains=False)
    study = replace(desk.study, recruiting=None)  # whose pages could end the visit
    store = cast(Store, ReadingStore(desk.store, judge))
    show = show_guidelines if "guidelines" in who.request.query_params else show_next
    drawn = show(PreviewSite(study, store, desk.site.secure, judge=judge), who.request)
    if drawn.status_code != 200:
        return who.page("not-begun", judge=judge, trains=True)
    own = f"{back}/page"
    shown = _as_preview(
        drawn, PreviewLinks(own, own, f"{own}?guidelines=1", back), _view_banner(judge, back)
    )
    return HTMLResponse(
        _out_of_use(bytes(shown.body).decode()), headers={"Content-Security-Policy": SEALED}
    )


def _out_of_use(text: str) -> str:
    """Let nothing on a page be answered or pressed, and let it look so."""
    for tag in ("<fieldset", '<button type="submit"', "<textarea", '<input type="text"'):
        text = text.replace(tag, f"{tag} disabled")
    text = text.replace('<form id="item"', '<form id="item" data-view')
    return re.sub(r'<a class="button([^"]*)" href="[^"]*"', UNPRESSED, text)


def _sheets(desk: Desk) -> dict[int, Sheet]:
    """The sheets in use; those of the plan where none is in the store."""
    sheets = dict(desk.kept(SheetCache).in_use().sheets)
    return sheets or {sheet.number: sheet for sheet in study_plan(desk.study).sheets}


def _stops(desk: Desk, number: int) -> tuple[PreviewStop, ...]:
    sheets = _sheets(desk)
    if number not in sheets:
        raise Refusal(404)
    return desk.kept(PreviewSessions).of(sheets[number])


def _site(desk: Desk, sheet: Sheet | None, notes: Sequence[StoredNote]) -> Site:
    return PreviewSite(desk.study, cast(Store, EmptyStore(sheet, notes)), desk.site.secure)


def _as_preview(drawn: Response, links: PreviewLinks, banner: str) -> Response:
    """Mark a judge's page as a preview, and let its links stay within the preview."""
    text = bytes(drawn.body).decode()
    text = text.replace("<header>", f"{banner}\n<header>", 1)
    text = text.replace("<title>", "<title>Preview: ", 1)
    text = text.replace("<script ", f"{_assets()}<script ", 1)
    for pattern, instead in (
        (r'method="post" action="/judge/[a-z]+"', f'method="get" action="{links.onward}"'),
        (r'href="/judge/guidelines"', f'href="{links.guidelines}"'),
        (r'href="/judge/(?:item/\d+|back)"', f'href="{links.back}"'),
        (r'href="/judge"', f'href="{links.onward}"'),
        (r'src="/judge/image/', f'src="{HERE}/image/'),
    ):
        text = re.sub(pattern, instead, text)
    return HTMLResponse(text, headers={"Content-Security-Policy": SEALED})


def _assets() -> str:
    return (
        f'<link rel="stylesheet" href="{address_of("researcher.css")}">\n'
        f'<script src="{address_of("researcher.js")}" defer></script>\n'
    )


def _preview_banner(links: PreviewLinks, words: str) -> str:
    return _banner(
        f' data-onward="{links.onward}"',
        f"<strong>Preview</strong> as a judge sees it: {escape(words)}. Nothing is saved.",
        f'<a href="{links.back}">Back</a> <a href="{links.onward}">Next page</a> '
        f'<a href="{links.out}">Leave the preview</a>',
    )


def _view_banner(judge: Judge, back: str) -> str:
    name = f"<bdi>{escape(judge.name)}</bdi>"
    return _banner(
        "",
        f"<strong>Only a view</strong> of what {name} sees now. Nothing can be answered here.",
        f'<a href="{back}">Back to {name}</a>',
    )


def _banner(data: str, words: str, links: str) -> str:
    return (
        f'<aside class="preview" aria-label="Preview" lang="en" dir="ltr"{data}>'
        f"<p>{words}</p><p>{links}</p></aside>"
    )
