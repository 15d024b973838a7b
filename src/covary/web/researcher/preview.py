"""The pages as a judge sees them, drawn by the judges' own code on a store that keeps nothing."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from typing import Any, cast

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from covary.design.plan import Sheet, Task
from covary.store.records import Answer, CycleEvent, Judge, Note, State
from covary.store.store import Store
from covary.web.files import address_of
from covary.web.guard import POLICY
from covary.web.images import serve_image
from covary.web.judge.routes import show_guidelines, show_next
from covary.web.refusals import Refusal
from covary.web.researcher.desk import Desk, Researcher
from covary.web.researcher.plan import plan_of
from covary.web.researcher.way import Stop
from covary.web.site import Site

__all__ = ["preview_image", "preview_item", "preview_way", "show_preview"]

NOBODY = Judge(0, "preview", None, {}, revoked=False, created_at=datetime(2000, 1, 1, tzinfo=UTC))
HERE = "/researcher/preview"
SEALED = POLICY.replace("connect-src 'self'", "connect-src 'none'")
"""A previewed page cannot send anything, whatever its script tries."""

SECRET = secrets.token_bytes(32)
"""Not the study's: no token of a previewed page is worth anything on a judge's page."""


class NothingKept:
    """What the judges' pages ask of a store, for a judge who is nobody: nothing is written."""

    def __init__(self, sheet: Sheet | None, notes: Sequence[Note]) -> None:
        self._sheet = sheet
        self._notes = list(notes)

    def get_state(self) -> State:
        return "open"

    def secret(self) -> bytes:
        return SECRET

    def sheet_of(self, _: int) -> Sheet | None:
        return self._sheet

    def notes(self, judge: int | None = None, **_: Any) -> list[Note]:
        return [] if judge is None else self._notes

    def last_note(self) -> int:
        return 0

    def answers_at(self, *_: int) -> list[Answer]:
        return []

    def cycle_events(self, after: int = 0) -> list[CycleEvent]:  # noqa: ARG002
        return []

    def note(self, *_: Any, **__: Any) -> bool:
        return True


class PreviewSite(Site):
    """The study as nobody sees it."""

    def judge_of(self, request: Request) -> Judge:  # noqa: ARG002
        return NOBODY


@dataclass(frozen=True)
class Links:
    """Where the links of a previewed page go instead, and where its banner leads."""

    onward: str
    back: str
    guidelines: str
    out: str


def show_preview(who: Researcher) -> Response:
    """Show the pages of a judge's way, to choose from."""
    sheets = _sheets(who.desk)
    number = who.number("sheet", min(sheets))
    return who.page(
        "preview",
        sheet=number,
        sheets=sorted(sheets),
        stops=list(enumerate(_way(who.desk, number))),
    )


def preview_way(who: Researcher) -> Response:
    """Show one page of a judge's way."""
    number, place = who.request.path_params["sheet"], who.request.path_params["stop"]
    way = _way(who.desk, number)
    if place >= len(way):
        raise Refusal(404)
    last = len(way) - 1
    guidelines = next((n for n, each in enumerate(way) if each.name == "guidelines"), place)
    links = Links(
        onward=f"{HERE}/way/{number}/{min(place + 1, last)}",
        back=f"{HERE}/way/{number}/{max(place - 1, 0)}",
        guidelines=f"{HERE}/way/{number}/{guidelines}",
        out=f"{HERE}?sheet={number}",
    )
    drawn = show_next(_site(who.desk, way[place].sheet, way[place].notes), who.request)
    return _marked(drawn, links, f"page {place + 1} of {last + 1}, sheet {number}")


def preview_item(who: Researcher) -> Response:
    """Show the page of any item, in any part of the study."""
    study, asked = who.desk.study, who.request.path_params
    if asked["item"] >= len(study.items) or asked["part"] >= len(study.parts):
        raise Refusal(404)
    item, part = study.items[asked["item"]], study.parts[asked["part"]]
    order = tuple(range(len(item.texts))) if len(item.texts) > 1 else ()
    sheet = Sheet(0, (Task(1, item.id, item.kind, part, order=order),))
    stop = next(each for each in who.desk.ways.of(sheet) if each.name == "item")
    last = len(study.items) - 1
    own, back, onward = (
        f"{HERE}/item/{min(max(asked['item'] + step, 0), last)}/{asked['part']}"
        for step in (0, -1, 1)
    )
    links = Links(onward, back, f"{own}?guidelines=1", "/researcher/items")
    show = show_guidelines if "guidelines" in who.request.query_params else show_next
    drawn = show(_site(who.desk, sheet, stop.notes), who.request)
    return _marked(drawn, links, f"item {item.id}")


def preview_image(who: Researcher) -> Response:
    """Show the picture of an item to a researcher."""
    path = f"/judge/image/{who.request.path_params['name']}"
    own = Request({**who.request.scope, "path": path, "raw_path": path.encode()})
    return serve_image(_site(who.desk, None, ()), own)


def _sheets(desk: Desk) -> dict[int, Sheet]:
    """The sheets in use; those of the plan where none is in the store."""
    found = dict(desk.planned.in_use().sheets)
    return found or {sheet.number: sheet for sheet in plan_of(desk.study).sheets}


def _way(desk: Desk, number: int) -> tuple[Stop, ...]:
    sheets = _sheets(desk)
    if number not in sheets:
        raise Refusal(404)
    return desk.ways.of(sheets[number])


def _site(desk: Desk, sheet: Sheet | None, notes: Sequence[Note]) -> Site:
    return PreviewSite(desk.study, cast(Store, NothingKept(sheet, notes)), desk.site.secure)


def _marked(drawn: Response, links: Links, words: str) -> Response:
    """Mark a judge's page as a preview, and let its links stay within the preview."""
    text = bytes(drawn.body).decode()
    text = text.replace("<header>", f"{_banner(links, words)}\n<header>", 1)
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


def _banner(links: Links, words: str) -> str:
    return (
        f'<aside class="preview" aria-label="Preview" data-onward="{links.onward}">'
        f"<p><strong>Preview</strong> as a judge sees it: {escape(words)}. Nothing is saved.</p>"
        f'<p><a href="{links.back}">Back</a> <a href="{links.onward}">Next page</a> '
        f'<a href="{links.out}">Leave the preview</a></p></aside>'
    )
