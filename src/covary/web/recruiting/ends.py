"""How a visit ends for somebody who was recruited: the words, the code, and the way back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from starlette.responses import Response

from covary.crowd.platforms import Visitor
from covary.crowd.recruiting import platform_of
from covary.store.places import Ending
from covary.store.visitors import VisitorRecord
from covary.study.model import Recruiting, Study
from covary.web.pages import page
from covary.web.refusals import Words

__all__ = ["END_OF", "End", "WayBack", "draw_end", "way_back", "words_for_end"]

End = Literal["done", "screened_out", "failed", "returned"]
"""The names of the ways back, as [recruiting] has them."""

END_OF: dict[Ending, End] = {
    "done": "done",
    "screened out": "screened_out",
    "failed checks": "failed",
    "withdrew": "returned",
}

HOW_TO_RETURN = {
    "prolific": "Please go back to Prolific and return your submission there (“Stop without "
    "completing”), so that the place there is free too. A returned submission does not count "
    "against you.",
    "connect": "Please go back to Connect and return the project there.",
    "sona": "Please go back to SONA and cancel your sign-up there.",
    "link": "You may close this page.",
}

WORDS: dict[Ending, Words] = {
    "done": Words("Thank you, you are done", "All your answers are saved."),
    "screened out": Words(
        "Thank you for trying",
        "The practice answers were not those that the guidelines ask for, so the study ends here, "
        "before it began. It is not held against you.",
    ),
    "failed checks": Words(
        "The study ends here",
        "Some items asked for a particular answer, to see that the texts are read, and more of "
        "them were answered otherwise than the study allows. No more is asked of you.",
    ),
    "withdrew": Words(
        "You have stopped",
        "The answers that you gave are kept but not used, and your place goes to somebody else.",
    ),
}


@dataclass(frozen=True)
class WayBack:
    """A code to show, an address to go to, and words where a person must do something there."""

    code: str = ""
    address: str = ""
    how: str = ""


def words_for_end(ending: Ending) -> Words:
    """Return what to say at an end."""
    return WORDS[ending]


def way_back(recruiting: Recruiting, end: End, who: VisitorRecord | None) -> WayBack:
    """Return how somebody goes back to the platform after an end.

    An address of the study's own wins; Prolific's is made from the code; where there is neither,
    words say what to do.
    """
    code: str = getattr(recruiting, end)
    platform = platform_of(recruiting)
    address = recruiting.addresses.get(end, "")
    if address and platform is not None and who is not None:
        address = platform.back_by(address, Visitor(who.platform, who.participant))
    elif not address and code and platform is not None and platform.completion:
        address = platform.back(code)
    how = HOW_TO_RETURN[recruiting.platform] if end == "returned" and not address else ""
    return WayBack(code, address, how)


def draw_end(
    study: Study,
    words: Words,
    back: WayBack,
    *,
    at_once: bool = False,
    status: int = 200,
) -> Response:
    """Draw the last page; `at_once` goes on to the platform without waiting for a click."""
    assert study.recruiting is not None
    platform = platform_of(study.recruiting)
    return page(
        "join-end",
        status,
        study=study,
        words=words,
        back=back,
        at_once=at_once and bool(back.address),
        platform=None if platform is None else platform.name,
    )
