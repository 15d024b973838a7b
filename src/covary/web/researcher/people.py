"""Judges and their links, and the people who were recruited, as researchers see them."""

from __future__ import annotations

import csv
import io
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from covary.crowd.platforms import platform_of
from covary.errors import InvalidArgument
from covary.store.export import escape_formula
from covary.store.records import Judge, check_text
from covary.store.store import Store
from covary.store.visits import VisitorRecord
from covary.study.model import Recruiting
from covary.web.forms import Form, Refusal, Whole
from covary.web.judge.sheets import add_sheets, take_back
from covary.web.recruiting import reclaim_idle
from covary.web.researcher.desk import Desk, Researcher, reads, takes
from covary.web.researcher.progress import JudgeRow, ago, overview
from covary.words import sentence

MOST_AT_ONCE = 1000
LONGEST_NAME = 100
NUMBER = Whole("number", least=1, most=MOST_AT_ONCE)
PLACES = Whole("places", least=1, most=MOST_AT_ONCE)
JUDGE = Whole("judge", most=2_147_483_647, status=404)
"""No database has room for a higher number."""
TOGETHER = 16
"""So many judges are added at the same time, which the store then commits together."""

Link = tuple[Judge, str]


def show_judges(who: Researcher, *, trouble: str = "", given: Form | None = None) -> Response:
    """Show all judges with their progress, and the form that adds more."""
    seen = overview(who.desk)
    shown = who.table_page(seen.rows)
    return who.page(
        "judges",
        422 if trouble else 200,
        rows=shown.things,
        shown=shown,
        total=len(seen.rows),
        free=sum(holder is None for holder in seen.in_use.holders.values()),
        waiting=sum(row.waiting for row in seen.rows),
        places=seen.places,
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
        return show_judges(who, trouble=sentence(error), given=form)
    group = form.get("group", "").strip() or None
    once = form.get("once", "")
    if not who.desk.store.notes.add(None, "links", {"judges": len(names)}, key=f"links:{once}"):
        raise Refusal(409, "web.links-shown-already")
    store = who.desk.store
    with ThreadPoolExecutor(TOGETHER) as pool:
        made = list(pool.map(lambda name: store.judges.add(name, group=group), names))
    return _show_links_once(who, [(judge, _link_address(who, token)) for judge, token in made])


def show_judge(who: Researcher) -> Response:
    """Show one judge: progress, what is notable, what they said, and what can be done."""
    desk, row = who.desk, _judge_row(who)
    judge = row.judge
    remarks = desk.store.notes.last_of_each("remarks").get(judge.id, {})
    return who.page(
        "judge",
        row=row,
        judge=judge,
        said=desk.store.notes.backgrounds().get(judge.id, {}),
        remarks=remarks.get("text", ""),
        known=row.known,
    )


def new_link(who: Researcher, form: Form) -> Response:  # noqa: ARG001
    """Give a judge a new link, show it this once, and end the old one."""
    judge = _judge(who)
    token = who.desk.store.judges.new_token(judge.id)
    return _show_links_once(who, [(judge, _link_address(who, token))])


def revoke_link(who: Researcher, form: Form) -> Response:  # noqa: ARG001
    """Let a judge in no more."""
    judge = _judge(who)
    who.desk.store.judges.revoke(judge.id)
    return RedirectResponse(f"/researcher/judges/{judge.id}", 303)


def take_sheet_back(who: Researcher, form: Form) -> Response:  # noqa: ARG001
    """Take back the sheet of somebody who will not go on; its row goes to the next judge."""
    judge = _judge(who)
    take_back(who.desk.study, who.desk.store, judge.id)
    return RedirectResponse(f"/researcher/judges/{judge.id}", 303)


def replace_judge(who: Researcher, form: Form) -> Response:  # noqa: ARG001
    """Let somebody else do the sheet of a judge who will not go on; show the new link, once."""
    judge, store = _judge(who), who.desk.store
    if not store.notes.add(judge.id, "replaced", key=f"replaced:{judge.id}"):
        raise Refusal(409, "web.links-shown-already")
    taken = take_back(who.desk.study, store, judge.id)
    if taken is None:
        store.judges.revoke(judge.id)
    instead, token = store.judges.add(group=judge.group)
    if taken is not None:
        store.sheets.issue(instead.id, taken[1])
    store.notes.add(instead.id, "replaces", {"judge": judge.name})
    return _show_links_once(who, [(instead, _link_address(who, token))])


def add_places(who: Researcher, form: Form) -> Response:
    """Add sheets that continue the design, for further judges."""
    add_sheets(who.desk.study, who.desk.store, PLACES.read(form))
    return RedirectResponse("/researcher/judges", 303)


def _names(desk: Desk, form: Form) -> list[str | None]:
    """Return the names of those who are to be added; None for one without a name."""
    names = [line.strip() for line in form.get("names", "").splitlines() if line.strip()]
    _check_names(desk, [*names, form.get("group", "")])
    if names:
        return list(names)
    try:
        return [None] * NUMBER.read({"number": form.get("number", "").strip()})
    except Refusal:
        raise InvalidArgument("web.how-many-links", most=MOST_AT_ONCE) from None


def _check_names(desk: Desk, names: list[str]) -> None:
    """Refuse names before anybody is added, so that all are or none."""
    own = names[:-1]
    if len(own) > MOST_AT_ONCE:
        raise InvalidArgument("web.too-many-judges", most=MOST_AT_ONCE)
    for name in names:
        check_text("name", name)
        if len(name) > LONGEST_NAME:
            raise InvalidArgument("web.long-name", start=name[:20], most=LONGEST_NAME)
    taken = {judge.name for judge in desk.store.judges.all()}
    for place, name in enumerate(own):
        if name in own[:place]:
            raise InvalidArgument("web.name-twice", name=name)
        if name in taken:
            raise InvalidArgument("web.name-taken", name=name)


def _show_links_once(who: Researcher, links: list[Link]) -> Response:
    table = "data:text/csv;charset=utf-8," + quote(_links_csv(links))
    return who.page("links", links=links, table=table)


def _links_csv(links: Iterable[Link]) -> str:
    written = io.StringIO()
    out = csv.writer(written, lineterminator="\r\n")
    out.writerow(["name", "group", "link"])
    for judge, address in links:
        out.writerow([escape_formula(judge.name), escape_formula(judge.group or ""), address])
    return written.getvalue()


def _link_address(who: Researcher, token: str) -> str:
    return who.address(f"/j/{token}")


def _judge(who: Researcher) -> Judge:
    judge = who.desk.store.judges.by_id(JUDGE.read(who.request.path_params))
    if judge is None:
        raise Refusal(404, "web.no-judge")
    return judge


def _judge_row(who: Researcher) -> JudgeRow:
    judge = _judge(who)
    return next(row for row in overview(who.desk).rows if row.judge.id == judge.id)


RECRUITING = "/researcher/recruiting"
OUTCOME_WORDS = {
    "arrived": "not yet agreed",
    "declined": "did not agree",
    "full": "found no place",
    "abandoned": "went away",
    "screened out": "did not qualify",
    "failed checks": "failed checks",
    "withdrew": "stopped",
}
PEOPLE_COLUMNS = (
    "platform",
    "participant",
    "submission",
    "study",
    "judge",
    "outcome",
    "code",
    "arrived_at",
    "ended_at",
    "minutes",
    "visits",
    "others",
    "pay",
    "currency",
)


def recruit_routes(desk: Desk) -> list[Route]:
    """Return the routes of the page about recruiting."""
    return [
        reads(desk, RECRUITING, show_recruiting),
        reads(desk, f"{RECRUITING}/people.csv", save_people),
        takes(desk, f"{RECRUITING}/link", new_join_link),
        takes(desk, f"{RECRUITING}/revoke", revoke_join_link),
        takes(desk, f"{RECRUITING}/reclaim", reclaim_now),
    ]


@dataclass(frozen=True)
class PlaceCounts:
    """How many people are wanted, how many are at work or done, and how many can still come."""

    total: int
    done: int
    at_work: int

    @property
    def free(self) -> int:
        return max(0, self.total - self.done - self.at_work)


def count_places(
    store: Store, recruiting: Recruiting, people: Sequence[VisitorRecord]
) -> PlaceCounts:
    """Count the places; sheets of judges with personal links are none."""
    recruited = {person.judge for person in people}
    holders = store.sheets.holders().values()
    sheets = sum(holder is None or holder in recruited for holder in holders)
    total = sheets if recruiting.places is None else min(sheets, recruiting.places)
    outcomes = Counter(person.outcome for person in people)
    return PlaceCounts(total, outcomes["done"], outcomes["at work"])


def show_recruiting(who: Researcher) -> Response:
    """Show the link, the places, and who came."""
    recruiting = _recruiting(who)
    people, platform = who.desk.store.visits.all(), platform_of(recruiting)
    shown = who.table_page(people[::-1])
    return who.page(
        "recruiting",
        recruiting=recruiting,
        link=_join_address(who, recruiting),
        places=count_places(who.desk.store, recruiting, people),
        outcomes=Counter(person.outcome for person in people),
        rows=[(person, ago(person.arrived_at)) for person in shown.things],
        shown=shown,
        shown_total=len(people),
        seconds_turned_away=sum(person.others for person in people),
        told=OUTCOME_WORDS,
        platform="" if platform is None else platform.name,
        taken_back=who.request.query_params.get("taken-back", ""),
    )


def save_people(who: Researcher) -> Response:
    """Send a table of everybody who came, with what is needed to pay them."""
    recruiting = _recruiting(who)
    written = io.StringIO(newline="")
    out = csv.writer(written, lineterminator="\r\n")
    out.writerow(PEOPLE_COLUMNS)
    for person in who.desk.store.visits.all():
        out.writerow([escape_formula(cell) for cell in _people_cells(person, recruiting)])
    headers = {"Content-Disposition": 'attachment; filename="people.csv"'}
    return Response(written.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


def new_join_link(who: Researcher, form: Form) -> Response:  # noqa: ARG001
    """Make a link, which ends the one before."""
    _recruiting(who)
    who.desk.store.visits.new_join_secret()
    return RedirectResponse(RECRUITING, 303)


def revoke_join_link(who: Researcher, form: Form) -> Response:  # noqa: ARG001
    """Let nobody new in."""
    who.desk.store.visits.revoke_join_secret()
    return RedirectResponse(RECRUITING, 303)


def reclaim_now(who: Researcher, form: Form) -> Response:  # noqa: ARG001
    """Take back the places of those who went away."""
    sweep = reclaim_idle(who.desk.site)
    return RedirectResponse(f"{RECRUITING}?taken-back={len(sweep.abandoned)}", 303)


def _recruiting(who: Researcher) -> Recruiting:
    if who.desk.study.recruiting is None:
        raise Refusal(404, "web.nobody-recruited")
    return who.desk.study.recruiting


def _join_address(who: Researcher, recruiting: Recruiting) -> str:
    """Return the address for the platform, as this researcher's browser reaches the server."""
    secret = who.desk.store.visits.join_secret()
    if secret is None:
        return ""
    address = who.address(f"/join/{secret}")
    platform = platform_of(recruiting)
    return address if platform is None else platform.link(address)


def _people_cells(person: VisitorRecord, recruiting: Recruiting) -> Iterator[str]:
    yield from (person.platform, person.participant, person.submission, person.study, person.name)
    yield from (person.outcome, person.code, person.arrived_at.isoformat(timespec="seconds"))
    yield "" if person.ended_at is None else person.ended_at.isoformat(timespec="seconds")
    yield "" if person.seconds is None else f"{person.seconds / 60:.2f}"
    yield str(person.visits)
    yield str(person.others)
    yield "" if recruiting.pay is None else str(_pay_due(person, recruiting))
    yield recruiting.currency


def _pay_due(person: VisitorRecord, recruiting: Recruiting) -> Decimal:
    due = {"done": recruiting.pay or Decimal(0), "screened out": recruiting.screen_out_pay}
    return due.get(person.outcome, Decimal(0))
