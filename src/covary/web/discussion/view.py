"""The guideline cycle as one person sees it at one moment: names or aliases, what is new, what
is refused.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from covary.errors import InvalidArgument
from covary.store.records import Judge
from covary.study.model import Study
from covary.training import (
    PHASES,
    Agreed,
    Began,
    Changed,
    Cycle,
    EvaluationFirst,
    Event,
    Finished,
    JudgeJoined,
    JudgeLeft,
    MovedOn,
    Proposed,
    Rated,
    Refused,
    Round,
    RoundOpened,
    Said,
    SetAsideMark,
    SetAsideProposal,
    Stopped,
)
from covary.web.forms import Form, Name, Notice, Refusal, Whole, notice, wants_json
from covary.web.pages import page
from covary.web.site import Site
from covary.words import letters, sentence


def participants(cycle: Cycle) -> tuple[str, ...]:
    """Return all who ever took part, in the order in which they came, those who left too."""
    names: dict[str, None] = {}
    for event in cycle.events:
        if isinstance(event, Began):
            names |= dict.fromkeys(event.judges)
        elif isinstance(event, JudgeJoined):
            names[event.judge] = None
    return tuple(names)


def alias(place: int) -> str:
    """Return the alias of the judge at a place, counted from 0.

    Examples
    --------
    >>> [alias(place) for place in (0, 25, 26, 52)]
    ['Judge A', 'Judge Z', 'Judge AA', 'Judge BA']
    """
    return f"Judge {letters(place + 1)}"


@dataclass(frozen=True)
class Naming:
    """What judges are called on a page, by their names, and the numbers of items by their ids.

    `own` is who reads the page, and called "You"; nobody where a researcher does.
    """

    shown: Mapping[str, str]
    numbers: Mapping[str, int]
    own: str = ""

    def judge(self, name: str) -> str:
        """Return what a judge, or whoever else wrote something, is called."""
        return "You" if name and name == self.own else self.shown.get(name, name)

    def judges(self, names: Iterable[str]) -> str:
        """Return several judges as one would say them.

        Examples
        --------
        >>> Naming({}, {}, own="Bo").judges(["Ann", "Bo", "Cy"])
        'Ann, you and Cy'
        """
        called = [self.judge(name) for name in names]
        called = [
            name.lower() if name == "You" and place else name for place, name in enumerate(called)
        ]
        return " and ".join(filter(None, [", ".join(called[:-1]), *called[-1:]]))

    def number(self, item: str) -> int:
        """Return the number of an item in its round."""
        return self.numbers.get(item, 0)

    def alias(self, name: str) -> str:
        """Return what a judge is called to everybody who reads this page."""
        return self.shown.get(name, name)

    def item(self, name: str) -> str:
        """Return what an item is called to somebody who is not shown its id.

        Examples
        --------
        >>> Naming({}, {"sys-b-1": 4}).item("sys-b-1")
        'item 4'
        """
        return f"item {self.numbers[name]}" if name in self.numbers else name


def naming_for(cycle: Cycle, *, own: str = "", aliases: bool) -> Naming:
    """Return what a judge is shown: aliases, or the names where the study chose them."""
    names = participants(cycle)
    shown = {name: alias(place) if aliases else name for place, name in enumerate(names)}
    numbers = {
        item: number
        for training_round in cycle.rounds
        for number, item in enumerate(training_round.items, start=1)
    }
    return Naming(shown, numbers, own)


NOUNS: Mapping[type[Event], str] = {
    Said: "new entry|new entries",
    Proposed: "new proposal|new proposals",
    Agreed: "new answer to a proposal|new answers to proposals",
    Changed: "new version of the guidelines|new versions of the guidelines",
    Finished: "judge has finished|judges have finished",
}
MOVES = (EvaluationFirst, MovedOn, RoundOpened, Stopped, JudgeJoined, JudgeLeft)
"""After one of these the page may look quite different."""

PAGE_EVENTS: Mapping[str, tuple[type[Event], ...]] = {
    "wait": (Finished,),
    "differences": (Said, SetAsideMark),
    "mark": (Said, SetAsideMark),
    "proposals": (Proposed, Agreed, SetAsideProposal),
    "manual": (Changed,),
    "edit": (Changed, SetAsideProposal),
    "desk": tuple(NOUNS),
}
"""What is news on each kind of page, besides the moves."""


def visible_events(cycle: Cycle) -> list[Event]:
    """Return what everybody who takes part may know to have happened."""
    return [event for event in cycle.events if not isinstance(event, Rated)]


def changes_since(
    cycle: Cycle, since: int, page: str, *, reader: str = "", about: tuple[str, str] | None = None
) -> str:
    """Say what others have done since a page was drawn; '' where there is nothing new.

    Parameters
    ----------
    cycle
        The cycle as it is now.
    since
        How many events were `visible_events` when the page was drawn.
    page
        What kind of page it is, one of `PAGE_EVENTS`.
    reader
        Who reads: what the reader has done is no news.
    about
        The item and criterion of the page, where it shows one marked item.
    """
    fresh = [
        event for event in visible_events(cycle)[since:] if _actor(event) != reader or not reader
    ]
    if any(isinstance(event, MOVES) for event in fresh):
        return "The round has moved on"
    events = [
        event for event in fresh if isinstance(event, PAGE_EVENTS[page]) and _is_about(event, about)
    ]
    counted = [
        _count_words(noun, sum(type(event) is kind for event in events))
        for kind, noun in NOUNS.items()
    ]
    words = ", ".join(filter(None, counted))
    return words or ("Something was set aside" if events else "")


def _count_words(nouns: str, number: int) -> str:
    one, more = nouns.split("|")
    return f"{number} {one if number == 1 else more}" if number else ""


def _is_about(event: Event, about: tuple[str, str] | None) -> bool:
    return about is None or about == (getattr(event, "item", ""), getattr(event, "criterion", ""))


def _actor(event: Event) -> str:
    return str(getattr(event, "judge", getattr(event, "by", "")))


NOT_TAKEN = (InvalidArgument, Refusal)
"""What a form comes back with, and a reason above it."""

RESEARCHER = "the researcher"
"""Who writes where no judge does."""

STEP_NAMES = {
    "internalisation": "Rate alone",
    "socialisation": "Discuss",
    "externalisation": "Propose",
    "combination": "Write down",
}
STEP_PATHS = {
    "socialisation": "differences",
    "externalisation": "proposals",
    "combination": "manual",
}
ONCE = Name("once", re.compile(r"[0-9a-f]{16}"))
KEPT = Name("kept", ONCE.pattern)
ASKED_MOST = 999_999


@dataclass(frozen=True)
class RoundStep:
    """One of the four steps of a round: what it is called, where it is, whether it is now."""

    words: str
    address: str
    now: bool


@dataclass(frozen=True, kw_only=True)
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
    def steps(self) -> tuple[RoundStep, ...]:
        """The steps of the current round, with links to those that were reached."""
        if not self.cycle.rounds or self.cycle.phase == "ended":
            return ()
        reached = PHASES.index(self.cycle.round.phase)
        return tuple(
            RoundStep(
                STEP_NAMES[phase],
                f"{self.home}/{STEP_PATHS[phase]}"
                if phase in STEP_PATHS and place <= reached
                else "",
                place == reached,
            )
            for place, phase in enumerate(PHASES)
        )

    def page(self, name: str, status: int = 200, **values: Any) -> Response:
        """Draw a page."""
        return page(f"round-{name}", status, **self.values(), **values)

    def values(self) -> dict[str, Any]:
        """Return what every page is drawn with."""
        address = self.request.query_params
        return {
            "study": self.study,
            "token": self.token,
            "view": self,
            "cycle": self.cycle,
            "home": self.home,
            "frame": self.frame,
            "since": len(visible_events(self.cycle)),
            "once": lambda: secrets.token_hex(8),  # another for each form of the page
            "kept": address["kept"] if KEPT.fits(address) else "",
            **self.more,
        }

    def apply(self, event: Event, form: Form) -> Cycle:
        """Let something happen, once for each time that the form was drawn; may be refused."""
        whose = "researcher" if self.judge is None else str(self.judge.id)
        return self.site.training.apply(event, f"{whose}:{ONCE.read(form)}")

    def with_cycle(self, cycle: Cycle) -> View:
        """Return the view after something has happened."""
        return replace(self, cycle=cycle)

    def on(self, path: str = "", form: Form | None = None, place: str = "") -> Response:
        """Go on to a page, and tell its script which draft has arrived."""
        kept = f"?kept={form['once']}" if form is not None and ONCE.fits(form) else ""
        return RedirectResponse(f"{self.home}{path}{kept}{place and f'#{place}'}", 303)

    def guarded(self, work: Callable[[], Response]) -> Response:
        """Do something, and where it is refused say why and where to go on."""
        try:
            return work()
        except InvalidArgument as error:
            return self.refused(error)
        except Refusal as refusal:
            return self.told(refusal.status, refusal.notice)

    def refused(self, error: Exception) -> Response:
        """Say why something was not done, and where to go on."""
        return self.told(409, notice("web.not-done", reason=self.reason(error)))

    def told(self, status: int, words: Notice, onward: str = "") -> Response:
        """Answer with a heading, a sentence and a way on; to a script as JSON."""
        if wants_json(self.request):
            return JSONResponse(words.as_json(), status)
        return self.page("refused", status, notice=words, onward=onward or self.home)

    def reason(self, error: Exception) -> str:
        """Return the reason of a refusal as a sentence that this reader may read."""
        if not isinstance(error, Refused):
            return sentence(error)
        steps = {phase: f"‘{step}’" for phase, step in STEP_NAMES.items()}
        words = error.worded(
            judge=self.naming.alias,
            item=self.naming.item,
            phase=lambda phase: steps.get(phase, phase),
        )
        return sentence(words)

    def round(self, number: int) -> Round:
        """Return a round, or refuse where there is none."""
        if not 1 <= number <= len(self.cycle.rounds):
            raise Refusal(404)
        return self.cycle.rounds[number - 1]

    def asked(self, name: str, default: int) -> int:
        """Return a whole number from the address."""
        field = Whole(name, most=ASKED_MOST, default=default, clamps=True)
        return field.read(self.request.query_params)
