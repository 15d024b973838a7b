"""The guideline cycle on the web: the routes of judges who train, and of researchers."""

from __future__ import annotations

from collections.abc import Callable

from starlette.responses import Response
from starlette.routing import BaseRoute

from covary.web.researcher.desk import Desk, Researcher, reads, takes
from covary.web.rounds.desk import show_desk
from covary.web.rounds.edit import MOST_FIELDS, show_editor, take_edit
from covary.web.rounds.judge import judge_round_routes
from covary.web.rounds.manual import show_compared, show_manual
from covary.web.rounds.moves import (
    begin_training,
    join,
    leave,
    move_on,
    open_round,
    set_aside_mark,
    set_aside_proposal,
    stop,
)
from covary.web.rounds.names import Naming, naming_for
from covary.web.rounds.pages import show_differences, show_mark, show_news, show_proposals
from covary.web.rounds.view import Form, View
from covary.web.site import Site

__all__ = ["round_routes"]

HOME = "/researcher/rounds"

READERS: dict[str, Callable[[View], Response]] = {
    "": show_desk,
    "/differences": show_differences,
    "/mark/{round:int}/{number:int}": show_mark,
    "/proposals": show_proposals,
    "/manual": show_manual,
    "/compare": show_compared,
    "/edit": show_editor,
    "/news": show_news,
}
TAKERS: dict[str, Callable[[View, Form], Response]] = {
    "/begin": begin_training,
    "/open": open_round,
    "/move-on": move_on,
    "/set-aside": set_aside_mark,
    "/leave-out": set_aside_proposal,
    "/join": join,
    "/leave": leave,
    "/stop": stop,
    "/edit": take_edit,
}


def round_routes(site: Site) -> list[BaseRoute]:
    """Return the routes of the guideline cycle."""
    desk = Desk.of(site)
    return [
        *judge_round_routes(site),
        *(reads(desk, f"{HOME}{path}", _reader(work)) for path, work in READERS.items()),
        *(takes(desk, f"{HOME}{path}", _taker(work), MOST_FIELDS) for path, work in TAKERS.items()),
    ]


def _reader(work: Callable[[View], Response]) -> Callable[[Researcher], Response]:
    def read(who: Researcher) -> Response:
        view = _view(who)
        if view.cycle.phase == "new" and work is not show_desk:
            return view.on()
        return view.guarded(lambda: work(view))

    return read


def _taker(work: Callable[[View, Form], Response]) -> Callable[[Researcher, Form], Response]:
    def take(who: Researcher, form: Form) -> Response:
        view = _view(who)
        return view.guarded(lambda: work(view, form))

    return take


def _view(who: Researcher) -> View:
    """Return the cycle as a researcher sees it: with names, and aliases where judges have them."""
    site = who.desk.site
    study, cycle = site.manual.now(), site.training.cycle()
    aliases = naming_for(cycle, aliases=study.training.names == "aliases").shown
    called = {name: name if name == each else f"{name} ({each})" for name, each in aliases.items()}
    numbers = naming_for(cycle, aliases=False).numbers
    token = site.proof.form_token(who.whose)
    return View(
        site, study, cycle, ResearcherNaming(called, numbers), who.request, HOME,
        "round-researcher.html", token, more={"state": who.desk.store.get_state()},
    )  # fmt: skip


class ResearcherNaming(Naming):
    """A researcher is told names and ids as they are."""

    def plain(self, message: str) -> str:
        return message
