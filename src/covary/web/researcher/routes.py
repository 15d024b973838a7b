"""The researchers' pages: how far the study is, its items, its design, its state."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from covary.store.background import last_said
from covary.store.records import State
from covary.web.markup import from_researcher
from covary.web.recruiting.pages import recruit_routes
from covary.web.refusals import Refusal
from covary.web.researcher.desk import Desk, Form, Researcher, enter, reads, sign_out, takes
from covary.web.researcher.export import show_export, show_report
from covary.web.researcher.judges import (
    add_links,
    new_link,
    revoke_link,
    show_judge,
    show_judges,
    take_sheet_back,
)
from covary.web.researcher.pages import leaf
from covary.web.researcher.preview import preview_image, preview_item, preview_way, show_preview
from covary.web.researcher.progress import item_rows, lasting, overview
from covary.web.site import Site

__all__ = ["researcher_routes"]

FIRST_ROWS = 12
"""Judges on the first page; all of them have a page of their own."""

MOST_FLAGGED = 20
MOST_REMARKS = 100
PATIENCE = 1.0
"""Seconds to wait for the first look at the ratings."""

STATES: dict[str, State] = {"open": "open", "paused": "paused", "closed": "closed"}


def researcher_routes(site: Site) -> list[BaseRoute]:
    """Return the routes of researchers."""
    desk = Desk.of(site)
    return [
        enter(desk),
        reads(desk, "/researcher", show_progress),
        reads(desk, "/researcher/live", show_live),
        reads(desk, "/researcher/judges", show_judges),
        reads(desk, "/researcher/judges/{judge:int}", show_judge),
        reads(desk, "/researcher/items", show_items),
        reads(desk, "/researcher/study", show_study),
        reads(desk, "/researcher/export", show_export),
        reads(desk, "/researcher/report", show_report),
        reads(desk, "/researcher/preview", show_preview),
        reads(desk, "/researcher/preview/way/{sheet:int}/{stop:int}", preview_way),
        reads(desk, "/researcher/preview/item/{item:int}/{part:int}", preview_item),
        reads(desk, "/researcher/preview/image/{name}", preview_image),
        takes(desk, "/researcher/state", change_state),
        takes(desk, "/researcher/links", add_links),
        takes(desk, "/researcher/judges/{judge:int}/link", new_link),
        takes(desk, "/researcher/judges/{judge:int}/revoke", revoke_link),
        takes(desk, "/researcher/judges/{judge:int}/take-back", take_sheet_back),
        takes(desk, "/researcher/sign-out", sign_out),
        *recruit_routes(desk),
    ]


def show_progress(who: Researcher) -> Response:
    """Show how far the study is."""
    return _progress(who, "progress")


def show_live(who: Researcher) -> Response:
    """Show the part of the first page that changes, for its script."""
    return _progress(who, "live")


def _progress(who: Researcher, name: str) -> Response:
    seen = overview(who.desk, PATIENCE)
    rows = seen.rows if len(seen.rows) <= FIRST_ROWS else seen.latest[:FIRST_ROWS]
    return who.page(
        name,
        seen=seen,
        rows=rows,
        flagged=seen.flagged[:MOST_FLAGGED],
        pace=None if seen.usual_pace is None else lasting(seen.usual_pace),
        length=None if seen.usual_length is None else lasting(seen.usual_length),
        items=_items_words(who.desk),
    )


def _items_words(desk: Desk) -> str:
    """Say how often items were rated, at the least and at the most."""
    seen, study = desk.store.counts(), desk.study
    items = [each.id for each in study.items if each.kind in ("item", "anchor")]
    times = [seen.items.get((item, each.key), 0) for item in items for each in study.criteria]
    if not times or not max(times):
        return ""
    low, high = min(times), max(times)
    often = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return f"Each of the {len(items):,} items has {often} ratings on each criterion."


def show_items(who: Researcher) -> Response:
    """Show how often each item was rated, and how often it is planned to be."""
    study, seen = who.desk.study, overview(who.desk)
    shown = leaf(study.items, who.number("page"))
    held = seen.in_use.sheet_of
    abandoned = sum(
        found.answered for (judge, sheet), found in seen.counts.judges.items()
        if held.get(judge) != sheet
    )  # fmt: skip
    return who.page(
        "items",
        rows=list(enumerate(item_rows(study, seen, shown.things), shown.first)),
        shown=shown,
        abandoned=abandoned,
    )


def show_study(who: Researcher) -> Response:
    """Show the study as it stands: its design in words, its manual, what judges said."""
    desk = who.desk
    study = desk.study
    names = {judge.id: judge.name for judge in desk.store.judges()}
    remarks = [
        (names[judge], said["text"])
        for judge, said in last_said(desk.store, "remarks").items()
        if said.get("text")
    ]
    return who.page(
        "study",
        balance=desk.planned.balance(),
        sheets=len(desk.planned.in_use().sheets),
        described=study.describe(),
        guidelines=from_researcher(study.manual.guidelines),
        remarks=remarks[-MOST_REMARKS:],
        hidden_remarks=max(0, len(remarks) - MOST_REMARKS),
        preferred=_preferred(desk),
    )


def _preferred(desk: Desk) -> list[tuple[str, int]]:
    """Count which part of the study judges preferred."""
    said = [each.get("part") for each in last_said(desk.store, "preferred").values()]
    if not said:
        return []
    counted = [(part, said.count(part)) for part in desk.study.parts]
    return [*counted, ("no preference", said.count(None))]


def change_state(who: Researcher, form: Form) -> Response:
    """Open, pause or close the study."""
    state = STATES.get(form.get("state", ""))
    if state is None:
        raise Refusal(422)
    if state != who.desk.store.get_state():
        who.desk.store.set_state(state)
        who.desk.store.note(None, "state", {"state": state})
    return RedirectResponse("/researcher", 303)
