"""A turn of a dialogue, and whether the turns of a dialogue are all there."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from covary.study.faults import Faults, shown

__all__ = ["DialogueTurn", "by_session", "check_filled", "check_order"]

LONGEST_NAME = 150
"""A session's name and the number of a turn make the name of an item, which holds 200 letters."""


@dataclass(frozen=True)
class DialogueTurn:
    """One turn of a session: its number, who speaks, what is said, and the row it stands in.

    `system` names what produced the turn, where a file says so; judges never see it.
    """

    session: str
    number: int
    speaker: str
    text: str
    system: str = ""
    row: int | None = None


def by_session(turns: Iterable[DialogueTurn]) -> dict[str, list[DialogueTurn]]:
    """Return the turns of each session, in their order."""
    found: dict[str, list[DialogueTurn]] = {}
    for each in turns:
        found.setdefault(each.session, []).append(each)
    return {name: sorted(said, key=lambda each: each.number) for name, said in found.items()}


def check_filled(turn: DialogueTurn, file: str, faults: Faults) -> None:
    """Report a turn without session or text, and a session that makes no name of an item."""
    name, row = turn.session, turn.row
    if not name:
        faults.add(file, row, "session", "is empty; name the dialogue that the turn belongs to")
    elif len(name) > LONGEST_NAME or not name.isprintable():
        faults.add(
            file, row, "session", f"{shown(name)} must be one line of {LONGEST_NAME} letters"
        )
    if not turn.text.strip():
        faults.add(file, row, "text", "is empty; every turn says something")


def check_order(turns: Sequence[DialogueTurn], file: str, faults: Faults) -> None:
    """Report turns that stand twice in a session, and those missing between two others."""
    sound = [each for each in turns if each.session and each.number >= 0]
    whole = {each.session for each in turns} - {e.session for e in turns if e.number < 0}
    for session, said in by_session(sound).items():
        for before, turn in itertools.pairwise(said):
            key, row = "turn", turn.row
            if turn.number == before.number:
                where = f" in row {before.row}" if before.row else ""
                message = f"turn {turn.number} of session {session!r} stands{where} already"
                faults.add(file, row, key, message)
            elif turn.number > before.number + 1 and session in whole:
                message = f"session {session!r} goes from turn {before.number} to {turn.number}"
                faults.add(file, row, key, f"{message}; fill the gap or number the turns again")
