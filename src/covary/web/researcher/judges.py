"""Judges and their links: added, shown once, revoked, renewed; an abandoned sheet taken back."""

from __future__ import annotations

import csv
import io
import secrets
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from covary.errors import InvalidArgument
from covary.store.acceptance import check_text
from covary.store.background import backgrounds, last_said
from covary.store.files import for_spreadsheet
from covary.store.records import Judge
from covary.web.refusals import Refusal, Words
from covary.web.researcher.desk import Desk, Form, Researcher
from covary.web.researcher.pages import leaf
from covary.web.researcher.plan import take_back
from covary.web.researcher.progress import Row, overview

__all__ = ["add_links", "new_link", "revoke_link", "show_judge", "show_judges", "take_sheet_back"]

MOST_AT_ONCE = 1000
LONGEST_NAME = 100
HIGHEST = 2**31
TOGETHER = 16
"""So many judges are added at the same time, which the store then commits together."""

SHOWN_ALREADY = Words(
    "These links were shown already",
    "Links are shown once, and no more judges were added now. Go to the judges, and give those "
    "whose links you do not have a new link each.",
)
NO_JUDGE = Words("There is no such judge", "Go back to the judges and choose one of them.")

Link = tuple[Judge, str]


def show_judges(who: Researcher, *, trouble: str = "", given: Form | None = None) -> Response:
    """Show all judges with their progress, and the form that adds more."""
    seen = overview(who.desk)
    shown = leaf(seen.rows, who.number("page"))
    return who.page(
        "judges",
        422 if trouble else 200,
        rows=shown.things,
        shown=shown,
        total=len(seen.rows),
        free=sum(holder is None for holder in seen.in_use.holders.values()),
        waiting=sum(row.sheet is None and not row.judge.revoked for row in seen.rows),
        once=secrets.token_hex(8),
        most=MOST_AT_ONCE,
        trouble=trouble,
        given=given or {},
    )


def add_links(who: Researcher, form: Form) -> Response:
    """Add judges and show their links, this once."""
    try:
        names = _names(who.desk, form)
    except InvalidArgument as error:
        return show_judges(who, trouble=f"{str(error)[:1].upper()}{str(error)[1:]}.", given=form)
    group = form.get("group", "").strip() or None
    once = form.get("once", "")
    if not who.desk.store.note(None, "links", {"judges": len(names)}, key=f"links:{once}"):
        raise Refusal(409, SHOWN_ALREADY)
    store = who.desk.store
    with ThreadPoolExecutor(TOGETHER) as pool:
        made = list(pool.map(lambda name: store.add_judge(name, group=group), names))
    return _shown_once(who, [(judge, _address(who, token)) for judge, token in made])


def show_judge(who: Researcher) -> Response:
    """Show one judge: progress, what is notable, what they said, and what can be done."""
    desk, row = who.desk, _row(who)
    judge = row.judge
    remarks = last_said(desk.store, "remarks").get(judge.id, {})
    return who.page(
        "judge",
        row=row,
        judge=judge,
        said=backgrounds(desk.store).get(judge.id, {}),
        remarks=remarks.get("text", ""),
        known=row.known,
    )


def new_link(who: Researcher, form: Form) -> Response:  # noqa: ARG001
    """Give a judge a new link, show it this once, and end the old one."""
    judge = _judge(who)
    token = who.desk.store.new_token(judge.id)
    return _shown_once(who, [(judge, _address(who, token))])


def revoke_link(who: Researcher, form: Form) -> Response:  # noqa: ARG001
    """Let a judge in no more."""
    judge = _judge(who)
    who.desk.store.revoke(judge.id)
    return RedirectResponse(f"/researcher/judges/{judge.id}", 303)


def take_sheet_back(who: Researcher, form: Form) -> Response:  # noqa: ARG001
    """Take back the sheet of somebody who will not go on; its row goes to the next judge."""
    judge = _judge(who)
    take_back(who.desk.study, who.desk.store, judge.id)
    return RedirectResponse(f"/researcher/judges/{judge.id}", 303)


def _names(desk: Desk, form: Form) -> list[str | None]:
    """Return the names of those who are to be added; None for one without a name."""
    names = [line.strip() for line in form.get("names", "").splitlines() if line.strip()]
    _check_names(desk, [*names, form.get("group", "")])
    given = form.get("number", "").strip()
    if names:
        return list(names)
    if not (given.isascii() and given.isdigit() and 1 <= int(given) <= MOST_AT_ONCE):
        raise InvalidArgument(f"say how many links to make, from 1 to {MOST_AT_ONCE:,}, or names")
    return [None] * int(given)


def _check_names(desk: Desk, names: list[str]) -> None:
    """Refuse names before anybody is added, so that all are or none."""
    own = names[:-1]
    if len(own) > MOST_AT_ONCE:
        raise InvalidArgument(f"at most {MOST_AT_ONCE:,} judges can be added at once")
    for name in names:
        check_text("name", name)
        if len(name) > LONGEST_NAME:
            raise InvalidArgument(f"'{name[:20]}…' is longer than {LONGEST_NAME} letters")
    taken = {judge.name for judge in desk.store.judges()}
    for place, name in enumerate(own):
        if name in own[:place]:
            raise InvalidArgument(f"'{name}' is named twice; names must differ")
        if name in taken:
            raise InvalidArgument(f"there is a judge called '{name}' already; choose another name")


def _shown_once(who: Researcher, links: list[Link]) -> Response:
    table = "data:text/csv;charset=utf-8," + quote(_csv(links))
    return who.page("links", links=links, table=table)


def _csv(links: Iterable[Link]) -> str:
    written = io.StringIO()
    out = csv.writer(written, lineterminator="\r\n")
    out.writerow(["name", "group", "link"])
    for judge, address in links:
        out.writerow([for_spreadsheet(judge.name), for_spreadsheet(judge.group or ""), address])
    return written.getvalue()


def _address(who: Researcher, token: str) -> str:
    """Return the link as this researcher's browser reaches the server."""
    request = who.request
    scheme = "https" if who.desk.site.secure else request.url.scheme
    return f"{scheme}://{request.headers.get('host', request.url.netloc)}/j/{token}"


def _judge(who: Researcher) -> Judge:
    number = who.request.path_params["judge"]
    judge = who.desk.store.judge_of_id(number) if number < HIGHEST else None
    if judge is None:
        raise Refusal(404, NO_JUDGE)
    return judge


def _row(who: Researcher) -> Row:
    judge = _judge(who)
    return next(row for row in overview(who.desk).rows if row.judge.id == judge.id)
