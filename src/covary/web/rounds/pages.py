"""The pages of a round that judges and researchers share: what differs, and what is proposed."""

from __future__ import annotations

from starlette.responses import JSONResponse, Response

from covary.training import Verdict
from covary.web.refusals import Refusal
from covary.web.rounds.news import PAGES, news
from covary.web.rounds.talk import difference, differences, proposals, shown_item
from covary.web.rounds.view import NOT_YET, Form, View

__all__ = ["show_differences", "show_mark", "show_news", "show_proposals"]


def show_differences(view: View) -> Response:
    """Show every item on which the judges of a round differ significantly."""
    number = view.asked("round", len(view.cycle.rounds))
    found = view.round(number)
    if found.blind:
        raise Refusal(409, NOT_YET)
    return view.page(
        "differences",
        round=found,
        marks=differences(view, number),
        verdict=verdict_of(view, number),
    )


def show_mark(view: View, *, status: int = 200, trouble: str = "", given: str = "") -> Response:
    """Show one marked item: what was rated, who gave what, what was said."""
    asked = view.request.path_params
    return mark_page(view, asked["round"], asked["number"], status, trouble=trouble, given=given)


def mark_page(
    view: View, round_number: int, number: int, status: int = 200, *, trouble: str = "",
    given: str = "",
) -> Response:  # fmt: skip
    """Draw the page of a marked item; `given` is a text that could not be taken."""
    mark = difference(view, round_number, number)
    now = round_number == len(view.cycle.rounds)
    return view.page(
        "mark",
        status,
        mark=mark,
        marks=len(view.round(round_number).marks),
        item=shown_item(view, mark),
        talking=now and view.cycle.phase in ("socialisation", "externalisation"),
        trouble=trouble,
        given=given,
        about=f"mark.{round_number}.{number}",
    )


def show_proposals(
    view: View, *, status: int = 200, trouble: str = "", about: int = 0, given: Form | None = None
) -> Response:
    """Show what was proposed in a round, and who agrees.

    `about` is the proposal that `trouble` is about, 0 for a new one.
    """
    number = view.asked("round", len(view.cycle.rounds))
    found = view.round(number)
    if found.phase in ("internalisation", "socialisation"):
        raise Refusal(409, NOT_YET)
    return view.page(
        "proposals",
        status,
        round=found,
        proposals=proposals(view, number),
        marks=[each for each in differences(view, number) if each.said],
        proposing=number == len(view.cycle.rounds) and view.cycle.phase == "externalisation",
        trouble=trouble,
        troubled=about,
        given=given or {},
    )


def verdict_of(view: View, number: int) -> Verdict | None:
    """Return what the stop rule says of a round; None before it was compared."""
    return None if view.round(number).blind else view.cycle.verdict(number)


def show_news(view: View) -> Response:
    """Say, to the page's script, what others have done since the page was drawn."""
    kind, *place = view.request.query_params.get("at", "").split(".")
    if kind not in PAGES:
        raise Refusal(422)
    about = None
    if kind == "mark" and len(place) == 2 and all(each.isdigit() for each in place):
        mark = difference(view, int(place[0]), int(place[1]))
        about = (mark.id, mark.criterion.key)
    words = news(view.cycle, view.asked("since", 0), kind, reader=view.whose, about=about)
    return JSONResponse({"news": words})
