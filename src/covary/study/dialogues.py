"""Dialogues become items: one for each turn that is judged, with the turns before it."""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from covary.errors import InvalidArgument, RatingsError, listed
from covary.formats.header import read_header
from covary.study.faults import Faults, shown
from covary.study.files import StudyFileFault, text_of
from covary.study.model import Item, Turn
from covary.study.tables import FORBIDDEN, plain

__all__ = ["DialogueTurn", "Dialogues", "dialogue_items", "read_dialogues", "write_items"]

USUAL = {".csv": ",", ".tsv": "\t"}
COLUMNS = ("session", "turn", "speaker", "text")
LONGEST_NAME = 150
"""A session's name and the number of a turn make the name of an item, which holds 200 letters."""

IN_MEMORY = "turns"


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


def read_dialogues(path: str | Path) -> tuple[DialogueTurn, ...]:
    """Read the turns of a .csv, .tsv or .jsonl file with session, turn, speaker and text.

    A column `system` is read too; others are left alone.

    Raises
    ------
    StudyError
        With every fault and its row: a missing session, a turn that is no number, stands twice or
        is missing between others, an empty text.
    """
    file = Path(path)
    faults = Faults(f"the dialogues of {file.name}")
    rows = list(_rows(file, faults))
    turns = [_turn(row, cells, file.name, faults) for row, cells in rows]
    _check_order(turns, file.name, faults)
    if not rows and not faults.found:
        faults.add(file.name, None, "", "holds no turns; write one row for each")
    faults.raise_any()
    return tuple(turns)


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
        _check_filled(each, IN_MEMORY, faults)
    _check_order(given, IN_MEMORY, faults)
    faults.raise_any()
    sessions = _by_session(given)
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
    if item.systems:
        record["system"] = item.systems[0]
    if item.context:
        record["context"] = [{"speaker": each.speaker, "text": each.text} for each in item.context]
    return record


def _by_session(turns: Iterable[DialogueTurn]) -> dict[str, list[DialogueTurn]]:
    found: dict[str, list[DialogueTurn]] = {}
    for each in turns:
        found.setdefault(each.session, []).append(each)
    return {name: sorted(said, key=lambda each: each.number) for name, said in found.items()}


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
        cluster=turn.session,
    )


def _rows(file: Path, faults: Faults) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Return each row's number and cells; a line of a file counts from 1."""
    ending = file.suffix.lower()
    if ending not in (*USUAL, ".jsonl"):
        faults.add(file.name, None, "", "must end in .csv, .tsv or .jsonl")
        return
    try:
        text, _ = text_of(file)
    except StudyFileFault as fault:
        faults.add(file.name, None, "", str(fault))
        return
    yield from (
        _json_rows(text, file.name, faults)
        if ending == ".jsonl"
        else _csv_rows(text, USUAL[ending], file.name, faults)
    )


def _csv_rows(
    text: str, usual: str, file: str, faults: Faults
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    try:
        separator = read_header(text, None, usual, file).separator
    except RatingsError as error:
        faults.add(file, None, "", str(error))
        return
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    names: list[str] = []
    begins = 1
    try:
        for cells in reader:
            if not names and any(cells) and not cells[0].startswith("sep="):
                names = [each.strip().casefold() for each in cells]
                for missing in [each for each in COLUMNS if each not in names]:
                    faults.add(file, begins, missing, "there is no column of this name")
            elif names and any(each.strip() for each in cells):
                yield begins, dict(zip(names, cells, strict=False))
            if faults.found and not set(COLUMNS) <= set(names):
                return
            begins = reader.line_num + 1
    except csv.Error as error:
        faults.add(file, begins, "", f"cannot be read: {error}; look at its quotation marks")


def _json_rows(text: str, file: str, faults: Faults) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for line, content in enumerate(text.split("\n"), start=1):
        if not content.strip():
            continue
        try:
            record = json.loads(content)
        except (ValueError, RecursionError) as error:
            faults.add(file, line, "", f"is no JSON: {getattr(error, 'msg', error)}")
            continue
        if isinstance(record, dict):
            yield line, {str(name).strip().casefold(): cell for name, cell in record.items()}
        else:
            faults.add(file, line, "", f'{shown(record)} must be an object: {{"session": …}}')


def _turn(row: int, cells: Mapping[str, Any], file: str, faults: Faults) -> DialogueTurn:
    found = {name: _text(cells.get(name)) for name in (*COLUMNS, "system")}
    for name, cell in found.items():
        if not plain(cell):
            faults.add(file, row, name, f"holds {FORBIDDEN}")
    number = found["turn"].strip()
    if not (number.isascii() and number.isdecimal() and len(number) < 10):
        faults.add(file, row, "turn", f"{shown(number)} must be a whole number: 1, 2, 3, …")
        number = "-1"
    session, speaker, system = (found[name].strip() for name in ("session", "speaker", "system"))
    turn = DialogueTurn(session, int(number), speaker, found["text"], system, row)
    _check_filled(turn, file, faults)
    return turn


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell)


def _check_filled(turn: DialogueTurn, file: str, faults: Faults) -> None:
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


def _check_order(turns: Sequence[DialogueTurn], file: str, faults: Faults) -> None:
    """Report turns that stand twice in a session, and those missing between two others."""
    sound = [each for each in turns if each.session and each.number >= 0]
    whole = {each.session for each in turns} - {e.session for e in turns if e.number < 0}
    for session, said in _by_session(sound).items():
        for before, turn in itertools.pairwise(said):
            key, row = "turn", turn.row
            if turn.number == before.number:
                where = f" in row {before.row}" if before.row else ""
                message = f"turn {turn.number} of session {session!r} stands{where} already"
                faults.add(file, row, key, message)
            elif turn.number > before.number + 1 and session in whole:
                message = f"session {session!r} goes from turn {before.number} to {turn.number}"
                faults.add(file, row, key, f"{message}; fill the gap or number the turns again")
