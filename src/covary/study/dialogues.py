"""Dialogues become items: one for each turn that is judged, with the turns before it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from covary.errors import InvalidArgument, listed
from covary.study.dialogue_turns import DialogueTurn, by_session, check_filled, check_order
from covary.study.faults import Faults
from covary.study.model import Item, Turn

__all__ = ["Dialogues", "dialogue_items", "write_items"]

IN_MEMORY = "turns"


@dataclass(frozen=True)
class Dialogues:
    """The items of some dialogues, and how many turns there were before and after.

    `turns` counts all turns, `judged` those of the judged speakers, and `left_out` those of them
    that were the first or the last of their session.
    """

    items: tuple[Item, ...]
    sessions: int
    turns: int
    judged: int
    left_out: int
    empty_sessions: tuple[str, ...] = ()

    def sentences(self) -> tuple[str, ...]:
        """Say what was taken and what was left out, for the description of a study."""
        none = f"No turn is left of {listed(self.empty_sessions)}." if self.empty_sessions else ""
        sessions = "1 session" if self.sessions == 1 else f"{self.sessions} sessions"
        said = (
            f"{self.judged} of {self.turns} turns in {sessions} could be judged.",
            f"{self.left_out} first and last turns were left out; {len(self.items)} items remain.",
            none,
        )
        return tuple(each for each in said if each)


def dialogue_items(
    turns: Iterable[DialogueTurn],
    *,
    context: int = 3,
    speakers: Collection[str] | None = None,
    skip_first: bool = True,
    skip_last: bool = True,
) -> Dialogues:
    """Make one item of each turn that is judged, as in Banchs (2016).

    Parameters
    ----------
    turns
        The turns of all sessions, as `read_dialogues` returns them.
    context
        So many turns before the judged one are shown with it, whoever speaks them.
    speakers
        Whose turns are judged; None for everybody's.
    skip_first, skip_last
        Leave out the first or the last judged turn of each session. Greetings and farewells are
        nearly always right, so judges agree on them and the agreement looks better than it is.

    Returns
    -------
    Dialogues
        The items, whose cluster is the session, and the counts before and after.

    Examples
    --------
    >>> said = ["Hello.", "Is there a train?", "At noon.", "Bye."]
    >>> turns = [DialogueTurn("s1", n, "AB"[n % 2], text) for n, text in enumerate(said)]
    >>> found = dialogue_items(turns, context=1)
    >>> [(each.id, each.texts[0], each.context[0].text) for each in found.items]
    [('s1-1', 'Is there a train?', 'Hello.'), ('s1-2', 'At noon.', 'Is there a train?')]
    """
    if type(context) is not int or context < 0:
        raise InvalidArgument(f"context={context!r} must be a number of turns: 0, 1, 2, …")
    given = list(turns)
    faults = Faults("the dialogues")
    for each in given:
        check_filled(each, IN_MEMORY, faults)
    check_order(given, IN_MEMORY, faults)
    faults.raise_any()
    sessions = by_session(given)
    wanted = _wanted(speakers, {each.speaker for each in given})
    judged = {
        name: [place for place, each in enumerate(said) if each.speaker in wanted]
        for name, said in sessions.items()
    }
    kept = {name: _inner(found, skip_first, skip_last) for name, found in judged.items()}
    items = tuple(
        _item(sessions[name], place, context) for name, found in kept.items() for place in found
    )
    before = sum(len(found) for found in judged.values())
    return Dialogues(
        items=items,
        sessions=len(sessions),
        turns=len(given),
        judged=before,
        left_out=before - len(items),
        empty_sessions=tuple(name for name, found in kept.items() if not found),
    )


def write_items(dialogues: Dialogues, path: str | Path) -> Path:
    """Write the items as JSON lines, which a study reads with `items = "items.jsonl"`."""
    file = Path(path)
    if file.suffix.lower() != ".jsonl":
        raise InvalidArgument(f"{file.name!r} must end in .jsonl, because items hold earlier turns")
    lines = [json.dumps(_record(each), ensure_ascii=False) for each in dialogues.items]
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    return file


def _record(item: Item) -> dict[str, Any]:
    record: dict[str, Any] = {"item": item.id, "text": item.texts[0], "cluster": item.cluster}
    if item.speaker:
        record["speaker"] = item.speaker
    if item.systems:
        record["system"] = item.systems[0]
    if item.context:
        record["context"] = [{"speaker": each.speaker, "text": each.text} for each in item.context]
    return record


def _wanted(speakers: Collection[str] | None, known: set[str]) -> set[str]:
    """Return the speakers whose turns are judged."""
    if speakers is None:
        return known
    wanted = {speakers} if isinstance(speakers, str) else set(speakers)
    if not wanted or wanted - known:
        raise InvalidArgument(
            f"speakers={sorted(wanted)!r}: the speakers are {listed(sorted(known))}; name one of "
            "them, or leave it out to judge all turns"
        )
    return wanted


def _inner(places: Sequence[int], skip_first: bool, skip_last: bool) -> Sequence[int]:
    return places[int(skip_first) : len(places) - int(skip_last)]


def _item(said: Sequence[DialogueTurn], place: int, context: int) -> Item:
    turn = said[place]
    before = said[max(0, place - context) : place]
    return Item(
        id=f"{turn.session}-{turn.number}",
        texts=(turn.text,),
        systems=(turn.system,) if turn.system else (),
        context=tuple(Turn(each.speaker, each.text) for each in before),
        speaker=turn.speaker,
        cluster=turn.session,
    )
