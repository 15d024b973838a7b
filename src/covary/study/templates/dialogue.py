"""Made-up conversations with a chatbot, cut into turns with what was said just before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["turns"]

BEFORE = 3
"""So many earlier turns are shown with a turn."""

SESSIONS = {
    "trains": (
        ("Bot", "Hello! What would you like to talk about?"),
        ("Guest", "I have just come back from a long train journey."),
        ("Bot", "Where did the train take you?"),
        ("Guest", "To the mountains, and then along the coast."),
        ("Bot", "I like coffee with milk."),
        ("Guest", "All right. Do you ever travel?"),
        ("Bot", "I cannot travel, but people tell me about it."),
        ("Guest", "Would you like to?"),
        ("Bot", "Would I like to what?"),
        ("Guest", "To travel, of course."),
        ("Bot", "Yes, to the sea, I think. Is that where you were?"),
        ("Guest", "I was indeed. I have to go now."),
        ("Bot", "Goodbye, it was nice to talk to you."),
    ),
    "cooking": (
        ("Bot", "Hello! What would you like to talk about?"),
        ("Guest", "Can you help me to cook something quick?"),
        ("Bot", "Of course. What do you have in the kitchen?"),
        ("Guest", "Eggs, rice and half an onion."),
        ("Bot", "You could make fried rice with egg and onion."),
        ("Guest", "How long does that take?"),
        ("Bot", "Half an onion takes half an onion."),
        ("Guest", "I mean how many minutes."),
        ("Bot", "About ten if the rice is cooked already."),
        ("Guest", "And if it is not?"),
        ("Bot", "That is interesting. Tell me more about your family."),
        ("Guest", "No, thank you. I had better start cooking."),
        ("Bot", "Enjoy your meal, and goodbye."),
    ),
}

PRACTICE = (
    ("Guest", "Is it going to rain today?"),
    ("Bot", "I do not know, but the clouds are dark."),
    ("Guest", "Then I shall take an umbrella."),
    ("Bot", "My favourite colour is seven."),
)


def turns() -> Iterator[dict[str, Any]]:
    """One row for each turn of the bot, except the first and the last of a session."""
    yield {"item": "practice-1", "kind": "practice", **_with_context(PRACTICE, 1)}
    yield {"item": "practice-2", "kind": "practice", **_with_context(PRACTICE, 3)}
    for name, session in SESSIONS.items():
        for place, (speaker, _) in enumerate(session[1:-1], start=1):
            if speaker == "Bot":
                row = {"item": f"{name}-{place + 1:02}", "system": "bot", "cluster": name}
                yield row | _with_context(session, place)


def _with_context(session: tuple[tuple[str, str], ...], place: int) -> dict[str, Any]:
    before = session[max(0, place - BEFORE) : place]
    context = [{"speaker": speaker, "text": text} for speaker, text in before]
    speaker, text = session[place]
    return {"context": context, "speaker": speaker, "text": text}
