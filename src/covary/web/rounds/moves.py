"""What a researcher does in the cycle: begin, open a round, move on, set aside, end."""

from __future__ import annotations

from typing import Literal, cast

from starlette.responses import Response

from covary.errors import InvalidArgument
from covary.training import (
    JudgeJoined,
    JudgeLeft,
    MovedOn,
    SetAsideMark,
    SetAsideProposal,
    Stopped,
    begin,
    open_set,
)
from covary.web.rounds.talk import difference
from covary.web.rounds.view import Form, View, text_of, whole

__all__ = [
    "begin_training",
    "join",
    "leave",
    "move_on",
    "open_round",
    "set_aside_mark",
    "set_aside_proposal",
    "stop",
]

LONGEST_REASON = 2_000


def begin_training(view: View, form: Form) -> Response:
    """Begin the cycle with the judges that were ticked and the manual as it is."""
    names = [judge.name for judge in view.site.store.judges()
             if not judge.revoked and f"judge-{judge.id}" in form]  # fmt: skip
    event = begin(view.site.given, names)
    view.apply(event, form)
    view.site.manual.now()
    return view.on("", form)


def open_round(view: View, form: Form) -> Response:
    """Open a round with a training set that the evaluation does not show."""
    view.apply(open_set(view.study, whole(form, "set")), form)
    return view.on("", form)


def move_on(view: View, form: Form) -> Response:
    """Go to the next step of the round."""
    to = cast(Literal["socialisation", "externalisation", "combination"], form.get("to", ""))
    view.apply(MovedOn(to), form)
    return view.on("", form)


def set_aside_mark(view: View, form: Form) -> Response:
    """Leave a marked item without discussion."""
    mark = difference(view, whole(form, "round"), whole(form, "mark"))
    reason = text_of(form, "reason", LONGEST_REASON).strip()
    view.apply(SetAsideMark(mark.id, mark.criterion.key, reason), form)
    return view.on(mark.place, form)


def set_aside_proposal(view: View, form: Form) -> Response:
    """Leave a proposal out of the guidelines."""
    number = whole(form, "proposal")
    reason = text_of(form, "reason", LONGEST_REASON).strip()
    view.apply(SetAsideProposal(number, reason), form)
    return view.on("/proposals", form, f"proposal-{number}")


def join(view: View, form: Form) -> Response:
    """Let a judge take part from the next round on."""
    name = form.get("judge", "")
    known = {judge.name for judge in view.site.store.judges() if not judge.revoked}
    if name not in known:
        raise InvalidArgument("choose a judge who has a link")
    view.apply(JudgeJoined(name), form)
    return view.on("", form, "judges")


def leave(view: View, form: Form) -> Response:
    """Go on without a judge."""
    reason = text_of(form, "reason", LONGEST_REASON).strip()
    view.apply(JudgeLeft(form.get("judge", ""), reason), form)
    return view.on("", form, "judges")


def stop(view: View, form: Form) -> Response:
    """End the training, by the rule or on the researcher's word."""
    by: Literal["rule", "researcher"] = "rule" if form.get("by") == "rule" else "researcher"
    reason = text_of(form, "reason", LONGEST_REASON).strip()
    view.apply(Stopped(by, "" if by == "rule" else reason), form)
    return view.on("", form)
