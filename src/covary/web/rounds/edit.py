"""Writing it down: the editor of the manual, with a preview, also when two people edit at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starlette.responses import JSONResponse, Response

from covary.errors import InvalidArgument
from covary.study.versions import Edition
from covary.training import KINDS_OF_CHANGE, Changed, StaleEdit
from covary.web.markup import from_researcher
from covary.web.refusals import Refusal, Words, wants_json
from covary.web.rounds.draft import MOST_CHANGES, Draft
from covary.web.rounds.manual import Compared, compared
from covary.web.rounds.talk import proposals
from covary.web.rounds.view import NOT_DONE, Form, View, sentence

__all__ = ["MOST_FIELDS", "show_editor", "take_edit"]

MOST_FIELDS = 2_000

KINDS = {
    "administrative": "how the rating is organised",
    "wording": "how a sentence reads",
    "conceptual": "a question that a judge should ask",
    "rule": "what decides a rating",
}
assert tuple(KINDS) == KINDS_OF_CHANGE

NOT_YOU = Words(
    "The guidelines are written by others",
    "In this study the researcher, or a judge who was named as an editor, writes them. You see "
    "every change under the guidelines.",
)


@dataclass(frozen=True)
class Meanwhile:
    """What others have written since an edit was begun."""

    current: Edition
    changes: Compared


def show_editor(view: View) -> Response:
    """Show the manual to be edited."""
    _may(view)
    return _editor(view, Draft.of(view.cycle))


def take_edit(view: View, form: Form) -> Response:
    """Preview an edit, or make it a new version."""
    _may(view)
    wanted = form.get("do", "save")
    try:
        draft = Draft.read(form, view.cycle)
    except InvalidArgument as error:
        return view.refused(error, 422)
    if wanted == "more":
        return _editor(view, draft.with_room())
    if wanted.startswith("add-") and wanted[4:].isdigit():
        return _editor(view, draft.with_sentence(int(wanted[4:])))
    try:
        edition = draft.edition(view.cycle)
        if wanted == "preview":
            return _editor(view, draft, preview=edition)
        event = Changed(view.whose, draft.based_on, edition, draft.described())
        view.apply(event, form)
    except StaleEdit as error:
        return _stale(view, draft, error)
    except InvalidArgument as error:
        if wants_json(view.request):
            return view.refused(error)
        return _editor(view, draft, 422, trouble=sentence(view.reason(error)))
    view.site.manual.now()
    return view.on("/manual", form)


def _may(view: View) -> None:
    if not view.may_edit:
        raise Refusal(403, NOT_YOU)
    if view.cycle.phase != "combination":
        raise InvalidArgument(
            "the guidelines are written after the judges have discussed and proposed, at the step "
            "'Write down'"
        )


def _stale(view: View, draft: Draft, error: StaleEdit) -> Response:
    """Show both texts, and what changed meanwhile; the author's own stays in the form."""
    if wants_json(view.request):
        words = {"error": NOT_DONE, "advice": sentence(view.reason(error))}
        return JSONResponse({**words, "current": error.current.guidelines}, 409)
    old = draft.base(view.cycle)
    meanwhile = Meanwhile(error.current, compared(old, error.current))
    cycle = view.site.training.cycle()
    return _editor(view.with_cycle(cycle), draft.rebased(cycle), 409, meanwhile=meanwhile)


def _editor(
    view: View, draft: Draft, status: int = 200, *, trouble: str = "",
    preview: Edition | None = None, meanwhile: Meanwhile | None = None,
) -> Response:  # fmt: skip
    more: dict[str, Any] = {"preview": None, "changed": None}
    if preview is not None:
        more["preview"] = from_researcher(preview.guidelines)
        more["changed"] = compared(draft.base(view.cycle), preview)
    every = [each for found in view.cycle.rounds for each in proposals(view, found.number)]
    accepted = [each for each in every if each.accepted and not each.set_aside]
    return view.page(
        "edit",
        status,
        draft=draft,
        number=len(view.cycle.editions),
        kinds=KINDS,
        accepted=accepted,
        to_write=[each for each in accepted if each.written is None],
        room=len(draft.changes) < MOST_CHANGES,
        trouble=trouble,
        meanwhile=meanwhile,
        **more,
    )
