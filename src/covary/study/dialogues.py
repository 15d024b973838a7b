"""Dialogues: their turns read from a file, and the items that a study makes of them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from covary.errors import InvalidArgument
from covary.formats.toml_tables import Faults, FileFaults, is_showable
from covary.study.files import (
    SEPARATORS,
    StudyFileFault,
    csv_rows,
    find_separator,
    json_rows,
    read_text,
)
from covary.study.model import Item, Turn
from covary.words import Note

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
    sessions: dict[str, list[DialogueTurn]] = {}
    for turn in turns:
        sessions.setdefault(turn.session, []).append(turn)
    return {name: sorted(them, key=lambda turn: turn.number) for name, them in sessions.items()}


def check_filled(turn: DialogueTurn, faults: FileFaults) -> None:
    """Report a turn without session or text, and a session that makes no name of an item."""
    name, row = turn.session, turn.row
    if not name:
        faults.add(row, "session", "study.session-missing")
    elif len(name) > LONGEST_NAME or not name.isprintable():
        faults.add(row, "session", "study.long-name", value=name, most=LONGEST_NAME)
    if not turn.text.strip():
        faults.add(row, "text", "study.turn-empty")


def check_order(turns: Sequence[DialogueTurn], faults: FileFaults) -> None:
    """Report turns that stand twice in a session, and those missing between two others."""
    sound = [turn for turn in turns if turn.session and turn.number >= 0]
    broken = {turn.session for turn in turns if turn.number < 0}
    for session, ordered in by_session(sound).items():
        for before, turn in itertools.pairwise(ordered):
            facts = {"session": session, "before": before.number, "turn": turn.number}
            if turn.number == before.number:
                code = "study.turn-twice-in-row" if before.row else "study.turn-twice"
                faults.add(turn.row, "turn", code, **facts, row=before.row)
            elif turn.number > before.number + 1 and session not in broken:
                faults.add(turn.row, "turn", "study.turn-gap", **facts)


COLUMNS = ("session", "turn", "speaker", "text")


def read_dialogues(path: str | Path) -> tuple[DialogueTurn, ...]:
    """Read the turns of a .csv, .tsv or .jsonl file with session, turn, speaker and text.

    A column `system` is read too; others are left alone.

    Raises
    ------
    StudyError
        With every fault and its row: a missing session, a turn that is not a number, stands twice
        or is missing between others, an empty text.
    """
    file = Path(path)
    faults = Faults(f"the dialogues of {file.name}")
    own = faults.of(file.name)
    rows = list(_read_rows(file, own))
    turns = [_read_turn(row, cells, own) for row, cells in rows]
    check_order(turns, own)
    if not rows and not faults.found:
        own.add(None, "", "study.no-turns-in-file")
    faults.raise_any()
    return tuple(turns)


def _read_rows(file: Path, faults: FileFaults) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Return each row's number and cells; a line of a file counts from 1."""
    ending = file.suffix.lower()
    if ending not in (*SEPARATORS, ".jsonl"):
        faults.add(None, "", "study.dialogue-ending")
        return
    try:
        text, _ = read_text(file)
    except StudyFileFault as fault:
        faults.add(None, "", fault.code, **fault.facts)
        return
    if ending == ".jsonl":
        for line, record in json_rows(text, faults, '{"session": …}'):
            yield line, {name.strip().casefold(): cell for name, cell in record.items()}
        return
    separator = find_separator(text, file, faults)
    if separator is None:
        return
    rows = csv_rows(text, separator, faults)
    first, cells = next(rows, (1, []))
    names = [cell.strip().casefold() for cell in cells]
    missing = [column for column in COLUMNS if names and column not in names]
    for column in missing:
        faults.add(first, column, "study.no-column")
    if not missing:
        yield from ((line, dict(zip(names, cells, strict=False))) for line, cells in rows)


def _read_turn(row: int, cells: Mapping[str, Any], faults: FileFaults) -> DialogueTurn:
    texts = {name: _cell_text(cells.get(name)) for name in (*COLUMNS, "system")}
    for name, text in texts.items():
        if not is_showable(text):
            faults.add(row, name, "toml.unshowable")
    number = texts["turn"].strip()
    if not (number.isascii() and number.isdecimal() and len(number) < 10):
        faults.add(row, "turn", "study.no-turn-number", value=number)
        number = "-1"
    turn = DialogueTurn(
        session=texts["session"].strip(),
        number=int(number),
        speaker=texts["speaker"].strip(),
        text=texts["text"],
        system=texts["system"].strip(),
        row=row,
    )
    check_filled(turn, faults)
    return turn


def _cell_text(cell: Any) -> str:
    return "" if cell is None else str(cell)


IN_MEMORY = "turns"


@dataclass(frozen=True, kw_only=True)
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
        counts = {"judged": self.judged, "turns": self.turns, "sessions": self.sessions}
        notes = [
            Note("study.turns-judged", **counts),
            Note("study.turns-left-out", left_out=self.left_out, items=len(self.items)),
        ]
        if self.empty_sessions:
            notes.append(Note("study.empty-sessions", sessions=self.empty_sessions))
        return tuple(notes)


def dialogue_items(
    turns: Iterable[DialogueTurn],
    *,
    context: int | None = 3,
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
        So many turns before the judged one are shown with it, whoever speaks them; None for all,
        where a part of the study says how many of them its pages show. The last item then keeps
        what was said after it, for pages that show the whole dialogue.
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
    >>> dialogues = dialogue_items(turns, context=1)
    >>> [(item.id, item.texts[0], item.context[0].text) for item in dialogues.items]
    [('s1-1', 'Is there a train?', 'Hello.'), ('s1-2', 'At noon.', 'Is there a train?')]
    """
    if context is not None and (type(context) is not int or context < 0):
        raise InvalidArgument("study.no-context", argument="context", value=context)
    all_turns = list(turns)
    faults = Faults("the dialogues")
    own = faults.of(IN_MEMORY)
    for turn in all_turns:
        check_filled(turn, own)
    check_order(all_turns, own)
    faults.raise_any()
    sessions = by_session(all_turns)
    voices = _judged_speakers(speakers, {turn.speaker for turn in all_turns})
    judged = {
        name: [place for place, turn in enumerate(session) if turn.speaker in voices]
        for name, session in sessions.items()
    }
    kept = {name: _inner_places(places, skip_first, skip_last) for name, places in judged.items()}
    items = tuple(
        _make_item(sessions[name], place, context, is_last=place == places[-1])
        for name, places in kept.items()
        for place in places
    )
    before = sum(len(places) for places in judged.values())
    return Dialogues(
        items=items,
        sessions=len(sessions),
        turns=len(all_turns),
        judged=before,
        left_out=before - len(items),
        empty_sessions=tuple(name for name, places in kept.items() if not places),
    )


def write_items(dialogues: Dialogues, path: str | Path) -> Path:
    """Write the items as JSON lines, which a study reads with `items = "items.jsonl"`."""
    file = Path(path)
    if file.suffix.lower() != ".jsonl":
        raise InvalidArgument("study.items-ending", value=file.name)
    lines = [json.dumps(_record(item), ensure_ascii=False) for item in dialogues.items]
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    return file


def _record(item: Item) -> dict[str, Any]:
    record: dict[str, Any] = {"item": item.id, "text": item.texts[0], "cluster": item.cluster}
    if item.speaker:
        record["speaker"] = item.speaker
    if item.systems:
        record["system"] = item.systems[0]
    for name in ("context", "following"):
        turns = getattr(item, name)
        if turns:
            record[name] = [asdict(turn) for turn in turns]
    return record


def _judged_speakers(speakers: Collection[str] | None, known: set[str]) -> set[str]:
    """Return the speakers whose turns are judged."""
    if speakers is None:
        return known
    chosen = {speakers} if isinstance(speakers, str) else set(speakers)
    if not chosen or chosen - known:
        facts = {"value": sorted(chosen), "allowed": sorted(known)}
        raise InvalidArgument("study.no-speaker", argument="speakers", **facts)
    return chosen


def _inner_places(places: Sequence[int], skip_first: bool, skip_last: bool) -> Sequence[int]:
    return places[int(skip_first) : len(places) - int(skip_last)]


def _make_item(
    session: Sequence[DialogueTurn], place: int, context: int | None, *, is_last: bool
) -> Item:
    turn = session[place]
    before = session[0 if context is None else max(0, place - context) : place]
    after = session[place + 1 :] if context is None and is_last else ()
    return Item(
        id=f"{turn.session}-{turn.number}",
        texts=(turn.text,),
        systems=(turn.system,) if turn.system else (),
        context=tuple(Turn(earlier.speaker, earlier.text) for earlier in before),
        following=tuple(Turn(later.speaker, later.text) for later in after),
        speaker=turn.speaker,
        cluster=turn.session,
    )
