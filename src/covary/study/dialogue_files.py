"""Files of dialogues: one row for each turn, as CSV, TSV or JSON lines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from covary.errors import RatingsError
from covary.formats.header import read_header
from covary.study.dialogue_turns import DialogueTurn, check_filled, check_order
from covary.study.faults import Faults, shown
from covary.study.files import StudyFileFault, text_of
from covary.study.tables import FORBIDDEN, plain

__all__ = ["read_dialogues"]

USUAL = {".csv": ",", ".tsv": "\t"}
COLUMNS = ("session", "turn", "speaker", "text")


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
    check_order(turns, file.name, faults)
    if not rows and not faults.found:
        faults.add(file.name, None, "", "holds no turns; write one row for each")
    faults.raise_any()
    return tuple(turns)


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
    check_filled(turn, file, faults)
    return turn


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell)
