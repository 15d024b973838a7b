"""The researchers' pages: how far the study is, its items, its design, its state, its export."""

from __future__ import annotations

import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from starlette.background import BackgroundTask
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute

from covary.errors import InvalidArgument, RatingsError
from covary.store.export import FOR_SPREADSHEETS, write_everything, write_ratings
from covary.store.records import State
from covary.study.model import Criterion, Study
from covary.web.forms import Choice, Form, Refusal
from covary.web.judge.sheets import SheetCache
from covary.web.pages import from_researcher
from covary.web.researcher.answers import show_answers
from covary.web.researcher.desk import Desk, Researcher, enter, reads, sign_out, takes
from covary.web.researcher.live import ReportCache, policy_of
from covary.web.researcher.people import (
    add_links,
    add_places,
    new_link,
    recruit_routes,
    replace_judge,
    revoke_link,
    show_judge,
    show_judges,
    take_sheet_back,
)
from covary.web.researcher.preview import (
    preview_image,
    preview_item,
    preview_stop,
    see_judge,
    show_preview,
)
from covary.web.researcher.progress import Overview, item_rows, lasting, overview
from covary.web.site import Site
from covary.words import sentence
from covary.words.grammar import counted

FORMATS = {
    "csv": ".csv",
    "tsv": ".tsv",
    "jsonl": ".jsonl",
    "parquet": ".parquet",
    "label-studio": ".json",
}
"""The formats of `covary export`, and the endings of their files."""

EVERYTHING = "everything"
REPORT_PATIENCE = 2.0
"""Seconds to wait for a report before the page says that it is being made."""


def show_export(who: Researcher) -> Response:
    """Show what can be taken away, or give the file that is asked for."""
    form = who.request.query_params.get("format")
    if form is None:
        return who.page(
            "export",
            formats=FORMATS,
            reports=_reports(who.desk.study),
            parts=who.desk.study.parts,
            seal=who.desk.store.head(),
        )
    folder = TemporaryDirectory(prefix="covary-")
    try:
        file = _write_export(who, form, Path(folder.name))
    except BaseException:
        folder.cleanup()
        raise
    return FileResponse(
        file,
        filename=file.name,
        media_type="application/octet-stream",
        headers={"X-Covary-Seal": who.desk.store.head()},
        background=BackgroundTask(folder.cleanup),
    )


def _write_export(who: Researcher, form: str, folder: Path) -> Path:
    if form == EVERYTHING:
        return _write_everything(who, folder)
    if form not in FORMATS:
        raise Refusal(422, "web.no-format")
    return _write_ratings(who, folder / f"ratings{FORMATS[form]}")


def _write_ratings(who: Researcher, path: Path) -> Path:
    query = who.request.query_params
    try:
        return write_ratings(
            who.desk.study,
            who.desk.store,
            path,
            part=query.get("part") or None,
            practice="practice" in query,
            spreadsheet="raw" not in query and path.suffix in FOR_SPREADSHEETS,
        )[0]
    except (RatingsError, InvalidArgument) as error:
        raise Refusal(409, "web.nothing-to-export", reason=sentence(error)) from None


def _write_everything(who: Researcher, folder: Path) -> Path:
    """Put every answer as it came, the judges, all notes and the ratings into one file."""
    spreadsheet = "raw" not in who.request.query_params
    inside = folder / "inside"
    inside.mkdir()
    files = write_everything(who.desk.study, who.desk.store, inside, spreadsheet=spreadsheet)
    try:
        made = write_ratings(
            who.desk.study, who.desk.store, inside / "ratings.csv", spreadsheet=spreadsheet
        )
        files.append(made[0])
    except RatingsError:  # there is nothing but practice yet
        pass
    whole = folder / "everything.zip"
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as out:
        for file in files:
            out.write(file, file.name)
    return whole


def show_report(who: Researcher) -> Response:
    """Show the full report of what was collected so far, once it is made."""
    reports = _reports(who.desk.study)
    about = who.request.query_params.get("about", next(iter(reports)))
    if about not in reports:
        raise Refusal(404)
    mark = (who.desk.store.answers.counts().answers, frozenset(who.desk.store.sheets.holders()))
    made = who.desk.kept(ReportCache).newest(reports[about], mark, REPORT_PATIENCE)
    if made is None or made.trouble:
        return who.page("report", trouble="" if made is None else made.trouble)
    headers = {"Content-Security-Policy": policy_of(made.page)}
    if "download" in who.request.query_params:
        headers["Content-Disposition"] = 'attachment; filename="report.html"'
    return HTMLResponse(made.page, headers=headers)


def _reports(study: Study) -> dict[str, tuple[str, ...]]:
    """The criteria of each report: one table of ratings holds words or numbers, not both."""
    words = tuple(criterion.key for criterion in study.criteria if _in_words(criterion))
    numbers = tuple(criterion.key for criterion in study.criteria if not _in_words(criterion))
    both = {"numbers": numbers, "words": words}
    return {name: keys for name, keys in both.items() if keys}


def _in_words(criterion: Criterion) -> bool:
    return any(isinstance(category, str) for category in criterion.scale.rated.categories or ())


FIRST_ROWS = 12
"""Judges on the first page; all of them have a page of their own."""

MOST_FLAGGED = 20
MOST_REMARKS = 100
PATIENCE = 1.0
"""Seconds to wait for the first look at the ratings."""

STATE = Choice("state", ("open", "paused", "closed"))


def researcher_routes(site: Site) -> list[BaseRoute]:
    """Return the routes of researchers."""
    desk = Desk(site)
    return [
        enter(desk),
        reads(desk, "/researcher", show_progress),
        reads(desk, "/researcher/live", show_live),
        reads(desk, "/researcher/judges", show_judges),
        reads(desk, "/researcher/judges/{judge}", show_judge),
        reads(desk, "/researcher/judges/{judge}/page", see_judge),
        reads(desk, "/researcher/items", show_items),
        reads(desk, "/researcher/answers", show_answers),
        reads(desk, "/researcher/study", show_study),
        reads(desk, "/researcher/export", show_export),
        reads(desk, "/researcher/report", show_report),
        reads(desk, "/researcher/preview", show_preview),
        reads(desk, "/researcher/preview/way/{sheet}/{stop}", preview_stop),
        reads(desk, "/researcher/preview/item/{item}/{part}", preview_item),
        reads(desk, "/researcher/preview/image/{name}", preview_image),
        takes(desk, "/researcher/state", change_state),
        takes(desk, "/researcher/links", add_links),
        takes(desk, "/researcher/judges/{judge}/link", new_link),
        takes(desk, "/researcher/judges/{judge}/revoke", revoke_link),
        takes(desk, "/researcher/judges/{judge}/take-back", take_sheet_back),
        takes(desk, "/researcher/judges/{judge}/replace", replace_judge),
        takes(desk, "/researcher/places", add_places),
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
        stuck=seen.stuck[:MOST_FLAGGED],
        pace=None if seen.usual_pace is None else lasting(seen.usual_pace),
        length=None if seen.usual_length is None else lasting(seen.usual_length),
        items=_items_words(who.desk.study, seen),
    )


def _items_words(study: Study, seen: Overview) -> str:
    """Say how often items were rated, at the least and at the most."""
    items = [item.id for item in study.items if item.kind in ("item", "anchor")]
    times = [seen.times(item, criterion.key) for item in items for criterion in study.criteria]
    if not times or not max(times):
        return ""
    low, high = min(times), max(times)
    often = counted(low, "rating") if low == high else f"{low:,} to {counted(high, 'rating')}"
    return f"Each of the {len(items):,} items has {often} on each criterion."


def show_items(who: Researcher) -> Response:
    """Show how often each item was rated, and how often it is planned to be."""
    study, seen = who.desk.study, overview(who.desk)
    shown = who.table_page(study.items)
    return who.page(
        "items",
        rows=list(enumerate(item_rows(study, seen, shown.things), shown.first)),
        shown=shown,
        abandoned=seen.left.answers,
    )


def show_study(who: Researcher) -> Response:
    """Show the study as it stands: its design in words, its manual, what judges said."""
    desk = who.desk
    study, sheets = desk.study, desk.kept(SheetCache)
    names = {judge.id: judge.name for judge in desk.store.judges.all()}
    remarks = [
        (names[judge], said["text"])
        for judge, said in desk.store.notes.last_of_each("remarks").items()
        if said.get("text")
    ]
    return who.page(
        "study",
        balance=sheets.balance(),
        sheets=len(sheets.in_use().sheets),
        described=study.describe(),
        guidelines=from_researcher(study.manual.guidelines),
        remarks=remarks[-MOST_REMARKS:],
        hidden_remarks=max(0, len(remarks) - MOST_REMARKS),
        preferred=_preferred(desk),
    )


def _preferred(desk: Desk) -> list[tuple[str, int]]:
    """Count which part of the study judges preferred."""
    said = [note.get("part") for note in desk.store.notes.last_of_each("preferred").values()]
    if not said:
        return []
    counted = [(part, said.count(part)) for part in desk.study.parts]
    return [*counted, ("no preference", said.count(None))]


def change_state(who: Researcher, form: Form) -> Response:
    """Open, pause or close the study."""
    state = cast(State, STATE.read(form))
    if state != who.desk.store.get_state():
        who.desk.store.set_state(state)
        who.desk.store.notes.add(None, "state", {"state": state})
    return RedirectResponse("/researcher", 303)
