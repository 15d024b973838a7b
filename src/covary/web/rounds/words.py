"""What judges say in a round: how they came to a rating, what would have helped, who agrees."""

from __future__ import annotations

from starlette.responses import Response

from covary.errors import InvalidArgument
from covary.training import Agreed, Proposed, Said
from covary.web.refusals import Refusal
from covary.web.rounds.pages import mark_page, show_proposals
from covary.web.rounds.talk import difference, differences
from covary.web.rounds.view import NOT_YET, Form, View, sentence, text_of, whole

__all__ = ["agree", "propose", "say"]

LONGEST_TEXT = 10_000
SAY_SOMETHING = "Write a sentence or two first: how did you come to your rating?"
PROPOSE_SOMETHING = "Write the sentence that would have helped."
NAME_A_CAUSE = "Tick at least one item that led to the proposal."
YES_OR_NO = "Choose whether you agree."


def say(view: View, form: Form) -> Response:
    """Keep what a judge says about a marked item."""
    round_number, number = whole(form, "round"), whole(form, "mark")
    mark = difference(view, round_number, number)
    try:
        text = text_of(form, "text", LONGEST_TEXT)
        if not text.strip():
            raise InvalidArgument(SAY_SOMETHING)
        _same_round(view, round_number)
        view.apply(Said(view.whose, mark.id, mark.criterion.key, text.strip()), form)
    except InvalidArgument as error:
        words, given = sentence(view.reason(error)), form.get("text", "")
        return mark_page(view, round_number, number, 422, trouble=words, given=given)
    return view.on(mark.place, form, "said")


def propose(view: View, form: Form) -> Response:
    """Keep what a judge proposes, with the marked items that led to it."""
    _reached(view)
    number = len(view.cycle.rounds)
    try:
        _same_round(view, whole(form, "round"))
        text = text_of(form, "text", LONGEST_TEXT)
        if not text.strip():
            raise InvalidArgument(PROPOSE_SOMETHING)
        marks = tuple(
            (each.id, each.criterion.key)
            for each in differences(view, number)
            if f"mark-{each.number}" in form
        )
        if not marks:
            raise InvalidArgument(NAME_A_CAUSE)
        view.apply(Proposed(view.whose, text.strip(), marks), form)
    except InvalidArgument as error:
        words = sentence(view.reason(error))
        return show_proposals(view, status=422, trouble=words, given=form)
    return view.on("/proposals", form, "new")


def agree(view: View, form: Form) -> Response:
    """Keep whether a judge agrees with a proposal, and a remark."""
    _reached(view)
    number = whole(form, "proposal")
    try:
        remark = text_of(form, "remark", LONGEST_TEXT).strip()
        if form.get("agrees") not in ("yes", "no"):
            raise InvalidArgument(YES_OR_NO)
        view.apply(Agreed(view.whose, number, form.get("agrees") == "yes", remark), form)
    except InvalidArgument as error:
        words = sentence(view.reason(error))
        return show_proposals(view, status=422, trouble=words, about=number, given=form)
    return view.on("/proposals", form, f"proposal-{number}")


def _reached(view: View) -> None:
    if view.cycle.phase in ("ready", "internalisation", "socialisation"):
        raise Refusal(409, NOT_YET)


def _same_round(view: View, number: int) -> None:
    if number != len(view.cycle.rounds):
        raise InvalidArgument(
            f"round {number} is over; what you wrote is still here, to be copied into this round"
        )
