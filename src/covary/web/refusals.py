"""What cannot be done, said kindly: as a page, or as JSON to the page's script."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus

from starlette.requests import Request

__all__ = [
    "CLOSED",
    "NO_LINK",
    "PAUSED",
    "UNKNOWN_LINK",
    "Refusal",
    "Words",
    "wants_json",
    "words_for",
]


@dataclass(frozen=True)
class Words:
    """A heading and a sentence."""

    title: str
    text: str


NO_LINK = Words(
    "Please open your personal link",
    "This page belongs to a study that is entered through a personal link. Open the link that was "
    "sent to you; everything you have answered so far is kept.",
)
UNKNOWN_LINK = Words(
    "This link is not valid",
    "It may have been cut off when it was copied, or replaced by a newer one. Open the whole link "
    "that was sent to you, or ask the people who run the study for a new one.",
)
PAUSED = Words(
    "The study is paused",
    "It will go on later. All your answers are kept; open your link again another time.",
)
CLOSED = Words(
    "The study is closed",
    "No more answers are collected. All the answers that you gave are kept. Thank you.",
)

BY_STATUS = {
    400: Words("This could not be understood", "Go back, reload the page and try once more."),
    403: Words("This is not possible from here", "Open your personal link again and go on there."),
    404: Words("There is no such page", "Open your personal link to go on with the study."),
    405: Words("This is not possible here", "Open your personal link to go on with the study."),
    409: Words("The study has moved on", "Open your personal link to go on where you are now."),
    413: Words("This is too long", "Shorten what you wrote and try once more."),
    422: Words("This was not accepted", "Go back, check your answers and try once more."),
    429: Words("A moment, please", "There were too many attempts from here. Wait a minute."),
    503: Words("A moment, please", "The server is busy. Your answers will be sent again."),
    500: Words(
        "Something went wrong on our side",
        "Your answers up to here are kept. Reload the page in a minute to go on.",
    ),
}


class Refusal(Exception):
    """A request that is not done, with the status that says why and words for the reader."""

    def __init__(self, status: int, words: Words | None = None, **details: object) -> None:
        super().__init__(status)
        self.status = status
        self.words = words_for(status) if words is None else words
        self.details = details


def words_for(status: int) -> Words:
    """Return what to say where nothing better is known."""
    return BY_STATUS.get(status) or Words(HTTPStatus(status).phrase, BY_STATUS[400].text)


def wants_json(request: Request) -> bool:
    """Say whether the page's script asks, and not the browser itself."""
    return "application/json" in request.headers.get("accept", "")
