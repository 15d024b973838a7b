"""Recruiting as researchers see it: the open link, the places, who came and how it ended."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from covary.crowd.recruiting import platform_of
from covary.store.files import for_spreadsheet
from covary.store.store import Store
from covary.store.visitors import VisitorRecord
from covary.study.model import Recruiting
from covary.web.recruiting.recruited import reclaim_idle
from covary.web.refusals import Refusal, Words
from covary.web.researcher.desk import Desk, Form, Researcher, reads, takes
from covary.web.researcher.pages import leaf
from covary.web.researcher.progress import ago

__all__ = ["Places", "places_of", "recruit_routes"]

HERE = "/researcher/recruiting"
NOBODY_RECRUITED = Words(
    "This study does not recruit",
    "People come from a platform to a study whose study.toml has a table [recruiting].",
)
TOLD = {
    "arrived": "have not agreed yet",
    "declined": "did not agree",
    "full": "found no place",
    "abandoned": "went away",
    "screened out": "did not qualify",
    "failed checks": "failed checks",
    "withdrew": "stopped",
}
COLUMNS = (
    "platform", "participant", "submission", "study", "judge", "outcome", "code", "arrived_at",
    "ended_at", "minutes", "visits", "pay", "currency",
)  # fmt: skip


def recruit_routes(desk: Desk) -> list[Route]:
    """Return the routes of the page about recruiting."""
    return [
        reads(desk, HERE, show_recruiting),
        reads(desk, f"{HERE}/people.csv", save_people),
        takes(desk, f"{HERE}/link", new_link),
        takes(desk, f"{HERE}/revoke", revoke_link),
        takes(desk, f"{HERE}/reclaim", reclaim_now),
    ]


@dataclass(frozen=True)
class Places:
    """How many people are wanted, how many are at work or done, and how many can still come."""

    total: int
    done: int
    at_work: int

    @property
    def free(self) -> int:
        return max(0, self.total - self.done - self.at_work)


def places_of(store: Store, recruiting: Recruiting, people: Sequence[VisitorRecord]) -> Places:
    """Count the places; sheets of judges with personal links are none."""
    recruited = {each.judge for each in people}
    holders = store.holders().values()
    sheets = sum(holder is None or holder in recruited for holder in holders)
    total = sheets if recruiting.places is None else min(sheets, recruiting.places)
    outcomes = Counter(each.outcome for each in people)
    return Places(total, outcomes["done"], outcomes["at work"])


def show_recruiting(who: Researcher) -> Response:
    """Show the link, the places, and who came."""
    recruiting = _recruiting(who)
    people, platform = who.desk.store.visitors(), platform_of(recruiting)
    shown = leaf(people[::-1], who.number("page"))
    return who.page(
        "recruiting",
        recruiting=recruiting,
        link=_link(who, recruiting),
        places=places_of(who.desk.store, recruiting, people),
        outcomes=Counter(each.outcome for each in people),
        rows=[(each, ago(each.arrived_at)) for each in shown.things],
        shown=shown,
        shown_total=len(people),
        told=TOLD,
        platform="" if platform is None else platform.name,
        taken_back=who.request.query_params.get("taken-back", ""),
    )


def save_people(who: Researcher) -> Response:
    """Send a table of everybody who came, with what is needed to pay them."""
    recruiting = _recruiting(who)
    written = io.StringIO(newline="")
    out = csv.writer(written, lineterminator="\r\n")
    out.writerow(COLUMNS)
    for each in who.desk.store.visitors():
        out.writerow([for_spreadsheet(cell) for cell in _cells(each, recruiting)])
    headers = {"Content-Disposition": 'attachment; filename="people.csv"'}
    return Response(written.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


def new_link(who: Researcher, form: Form) -> Response:  # noqa: ARG001
    """Make a link, which ends the one before."""
    _recruiting(who)
    who.desk.store.new_join_secret()
    return RedirectResponse(HERE, 303)


def revoke_link(who: Researcher, form: Form) -> Response:  # noqa: ARG001
    """Let nobody new in."""
    who.desk.store.revoke_join_secret()
    return RedirectResponse(HERE, 303)


def reclaim_now(who: Researcher, form: Form) -> Response:  # noqa: ARG001
    """Take back the places of those who went away."""
    found = reclaim_idle(who.desk.site)
    return RedirectResponse(f"{HERE}?taken-back={len(found.abandoned)}", 303)


def _recruiting(who: Researcher) -> Recruiting:
    if who.desk.study.recruiting is None:
        raise Refusal(404, NOBODY_RECRUITED)
    return who.desk.study.recruiting


def _link(who: Researcher, recruiting: Recruiting) -> str:
    """Return the address for the platform, as this researcher's browser reaches the server."""
    secret = who.desk.store.join_secret()
    if secret is None:
        return ""
    request = who.request
    scheme = "https" if who.desk.site.secure else request.url.scheme
    address = f"{scheme}://{request.headers.get('host', request.url.netloc)}/join/{secret}"
    platform = platform_of(recruiting)
    return address if platform is None else platform.link(address)


def _cells(each: VisitorRecord, recruiting: Recruiting) -> Iterator[str]:
    yield from (each.platform, each.participant, each.submission, each.study, each.name)
    yield from (each.outcome, each.code, each.arrived_at.isoformat(timespec="seconds"))
    yield "" if each.ended_at is None else each.ended_at.isoformat(timespec="seconds")
    yield "" if each.seconds is None else f"{each.seconds / 60:.2f}"
    yield str(each.visits)
    yield "" if recruiting.pay is None else str(_due(each, recruiting))
    yield recruiting.currency


def _due(each: VisitorRecord, recruiting: Recruiting) -> Decimal:
    due = {"done": recruiting.pay or Decimal(0), "screened out": recruiting.screen_out_pay}
    return due.get(each.outcome, Decimal(0))
