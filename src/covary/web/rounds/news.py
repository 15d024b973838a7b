"""What has happened since a page was drawn, in a few words, for those who have it open.

What judges rate while they rate alone is never news: not that it happened, and not how often.
"""

from __future__ import annotations

from collections.abc import Mapping

from covary.training import (
    Agreed,
    Changed,
    Cycle,
    Event,
    Finished,
    JudgeJoined,
    JudgeLeft,
    MovedOn,
    Proposed,
    Rated,
    RoundOpened,
    Said,
    SetAsideMark,
    SetAsideProposal,
    Stopped,
)

__all__ = ["PAGES", "news", "told"]

NOUNS: Mapping[type[Event], str] = {
    Said: "new entry|new entries",
    Proposed: "new proposal|new proposals",
    Agreed: "new word on a proposal|new words on proposals",
    Changed: "new version of the guidelines|new versions of the guidelines",
    Finished: "judge has finished|judges have finished",
}
MOVES = (MovedOn, RoundOpened, Stopped, JudgeJoined, JudgeLeft)
"""After one of these the page may look quite different."""

PAGES: Mapping[str, tuple[type[Event], ...]] = {
    "wait": (Finished,),
    "differences": (Said, SetAsideMark),
    "mark": (Said, SetAsideMark),
    "proposals": (Proposed, Agreed, SetAsideProposal),
    "manual": (Changed,),
    "edit": (Changed, SetAsideProposal),
    "desk": tuple(NOUNS),
}
"""What is news on each kind of page, besides the moves."""


def told(cycle: Cycle) -> list[Event]:
    """Return what everybody who takes part may know to have happened."""
    return [event for event in cycle.events if not isinstance(event, Rated)]


def news(
    cycle: Cycle, since: int, page: str, *, reader: str = "", about: tuple[str, str] | None = None
) -> str:
    """Say what others have done since a page was drawn; '' where there is nothing new.

    Parameters
    ----------
    cycle
        The cycle as it is now.
    since
        How many events were `told` when the page was drawn.
    page
        What kind of page it is, one of `PAGES`.
    reader
        Who reads: what the reader has done is no news.
    about
        The item and criterion of the page, where it shows one marked item.
    """
    fresh = [event for event in told(cycle)[since:] if _whose(event) != reader or not reader]
    if any(isinstance(event, MOVES) for event in fresh):
        return "The round has moved on"
    found = [event for event in fresh if isinstance(event, PAGES[page]) and _is(event, about)]
    counted = [_counted(noun, sum(type(event) is kind for event in found))
               for kind, noun in NOUNS.items()]  # fmt: skip
    words = ", ".join(filter(None, counted))
    return words or ("Something was set aside" if found else "")


def _counted(nouns: str, number: int) -> str:
    one, more = nouns.split("|")
    return f"{number} {one if number == 1 else more}" if number else ""


def _is(event: Event, about: tuple[str, str] | None) -> bool:
    return about is None or about == (getattr(event, "item", ""), getattr(event, "criterion", ""))


def _whose(event: Event) -> str:
    return str(getattr(event, "judge", getattr(event, "by", "")))
