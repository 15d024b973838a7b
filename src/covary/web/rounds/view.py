"""The guideline cycle as one person sees it at one moment: a judge who trains, or a researcher."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from covary.errors import InvalidArgument
from covary.store.records import Judge
from covary.study.model import Study
from covary.training import PHASES, Cycle, Event, Round
from covary.web.judge.visit import Visit
from covary.web.pages import page
from covary.web.refusals import Refusal, Words, wants_json
from covary.web.rounds.names import Naming
from covary.web.rounds.news import told
from covary.web.site import Site

__all__ = [
    "NOT_YET",
    "RESEARCHER",
    "STEPS",
    "Form",
    "Step",
    "View",
    "sentence",
    "since_last_read",
    "text_of",
    "trains",
    "whole",
]

Form = Mapping[str, str]

RESEARCHER = "the researcher"
"""Who writes where no judge does."""

STEPS = {
    "internalisation": "Rate alone",
    "socialisation": "Discuss",
    "externalisation": "Propose",
    "combination": "Write down",
}
PLACES = {
    "socialisation": "differences",
    "externalisation": "proposals",
    "combination": "manual",
}
ONCE = re.compile(r"[0-9a-f]{16}")
NOT_DONE = "This was not done"
NOT_YET = Words(
    "It is too early for this",
    "Ratings are compared when every judge has finished, and proposals follow the discussion.",
)


@dataclass(frozen=True)
class Step:
    """One of the four steps of a round: what it is called, where it is, whether it is now."""

    words: str
    address: str
    now: bool


@dataclass(frozen=True)
class View:
    """What every page of the cycle is drawn with.

    `home` is where the pages of this reader begin, and `frame` the template around them. `judge`
    is None for a researcher, who sees names and ids as they are.
    """

    site: Site
    study: Study
    cycle: Cycle
    naming: Naming
    request: Request
    home: str
    frame: str
    token: str
    judge: Judge | None = None
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def whose(self) -> str:
        """Who does what is done here, as the cycle keeps it."""
        return RESEARCHER if self.judge is None else self.judge.name

    @property
    def may_edit(self) -> bool:
        """Whether this reader may write the manual, when it is time for that."""
        return self.judge is None or self.judge.name in self.study.training.editors

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of the current round, with links to those that were reached."""
        if not self.cycle.rounds or self.cycle.phase == "ended":
            return ()
        reached = PHASES.index(self.cycle.round.phase)
        return tuple(
            Step(
                STEPS[phase],
                f"{self.home}/{PLACES[phase]}" if phase in PLACES and place <= reached else "",
                place == reached,
            )
            for place, phase in enumerate(PHASES)
        )

    def page(self, name: str, status: int = 200, **values: Any) -> Response:
        """Draw a page."""
        return page(f"round-{name}", status, **self.values(), **values)

    def values(self) -> dict[str, Any]:
        """Return what every page is drawn with."""
        kept = self.request.query_params.get("kept", "")
        return {
            "study": self.study,
            "token": self.token,
            "view": self,
            "cycle": self.cycle,
            "home": self.home,
            "frame": self.frame,
            "since": len(told(self.cycle)),
            "once": lambda: secrets.token_hex(8),  # another for each form of the page
            "kept": kept if ONCE.fullmatch(kept) else "",
            **self.more,
        }

    def apply(self, event: Event, form: Form) -> Cycle:
        """Let something happen, once for each time that the form was drawn; may be refused."""
        once = form.get("once", "")
        if not ONCE.fullmatch(once):
            raise Refusal(422)
        whose = "researcher" if self.judge is None else str(self.judge.id)
        return self.site.training.apply(event, f"{whose}:{once}")

    def with_cycle(self, cycle: Cycle) -> View:
        """Return the view after something has happened."""
        return replace(self, cycle=cycle)

    def on(self, path: str = "", form: Form | None = None, place: str = "") -> Response:
        """Go on to a page, and tell its script which draft has arrived."""
        once = "" if form is None else form.get("once", "")
        kept = f"?kept={once}" if ONCE.fullmatch(once) else ""
        return RedirectResponse(f"{self.home}{path}{kept}{place and f'#{place}'}", 303)

    def guarded(self, work: Callable[[], Response]) -> Response:
        """Do something, and where it is refused say why and where to go on."""
        try:
            return work()
        except InvalidArgument as error:
            return self.refused(error)
        except Refusal as refusal:
            return self.told(refusal.status, refusal.words)

    def refused(self, error: Exception, status: int = 409) -> Response:
        """Say why something was not done, and where to go on."""
        return self.told(status, Words(NOT_DONE, sentence(self.reason(error))))

    def told(self, status: int, words: Words, onward: str = "") -> Response:
        """Answer with a heading, a sentence and a way on; to a script as JSON."""
        if wants_json(self.request):
            return JSONResponse({"error": words.title, "advice": words.text}, status)
        return self.page("refused", status, words=words, onward=onward or self.home)

    def reason(self, error: Exception) -> str:
        """Return the words of a refusal, as this reader may read them, with the pages' steps."""
        words = self.naming.plain(str(error))
        for phase, step in STEPS.items():
            words = words.replace(phase, f"‘{step}’")
        return words

    def round(self, number: int) -> Round:
        """Return a round, or refuse where there is none."""
        if not 1 <= number <= len(self.cycle.rounds):
            raise Refusal(404)
        return self.cycle.rounds[number - 1]

    def asked(self, name: str, default: int) -> int:
        """Return a whole number from the address."""
        given = self.request.query_params.get(name, "")
        return int(given) if given.isascii() and given.isdigit() and len(given) < 7 else default


def sentence(error: Exception | str) -> str:
    """Return a message as a sentence."""
    text = str(error).strip()
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '!', '?')) else '.'}"


def trains(site: Site, judge: Judge, step: str) -> bool:
    """Say whether a judge's next step is in the guideline cycle, and not in the evaluation.

    Consent and questions about the judge come before both; a manual that a judge has not read yet
    comes before the items of a round.
    """
    if step in ("consent", "declined", "background"):
        return False
    cycle = site.training.cycle()
    if judge.name not in cycle.judges or cycle.phase in ("new", "ended"):
        return False
    return not (cycle.phase == "internalisation" and step == "guidelines")


def since_last_read(here: Visit) -> dict[str, Any]:
    """Say whether a judge has read older guidelines, and to one who trains where to compare."""
    read = [note.data.get("version") for note in here.walk.notes if note.kind == "guidelines"]
    cycle = here.site.training.cycle()
    known = [each.version for each in cycle.editions]
    compare = ""
    if read and read[-1] in known and here.judge.name in cycle.judges:
        compare = f"/judge/round/compare?old={known.index(read[-1]) + 1}&new={len(known)}"
    return {"changed": bool(read), "compare": compare}


def whole(form: Form, name: str) -> int:
    """Return a whole number from a form, or refuse."""
    given = form.get(name, "")
    if not (given.isascii() and given.isdigit() and len(given) < 7):
        raise Refusal(422)
    return int(given)


def text_of(form: Form, name: str, longest: int) -> str:
    """Return a text from a form, with plain line ends; refuse one that is too long."""
    text = form.get(name, "").replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > longest:
        raise InvalidArgument(
            f"this is {len(text):,} letters long, and {longest:,} can be kept; shorten it"
        )
    return text
