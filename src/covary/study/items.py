"""The file of items: its rows become items, whose texts, images and known answers are checked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_args

from covary.formats.toml_tables import Faults, FileFaults, is_showable
from covary.study.files import (
    SEPARATORS,
    StudyFileFault,
    csv_rows,
    file_inside,
    find_separator,
    json_rows,
    read_text,
)
from covary.study.model import Criterion, Item, ItemKind, Turn
from covary.words import Note

IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif")
"""Endings of images. SVG is not among them, because it may hold scripts."""

FILE_ENDINGS = {
    "image": IMAGES,
    "audio": (".mp3", ".m4a", ".aac", ".ogg", ".oga", ".opus", ".wav", ".flac", ".weba"),
    "video": (".mp4", ".m4v", ".webm", ".ogv"),
}
"""The columns that name a file, and how such a file's name ends."""

ITEM_KINDS: tuple[str, ...] = get_args(ItemKind)
LONGEST_NAME = 200
CONTROL = re.compile("[\x00-\x1f\x7f\x85\u2028\u2029]")

COLUMNS = (
    *("item", "text", "system", "source", "kind", "input", "image", "image_text"),
    *("audio", "video", "speaker", "cluster", "expected", "explanation", "set", "part"),
)
PREFIXES = ("expected_", "measure_")
"""Columns that are named after a criterion, or after what was measured."""

NUMBERED = ("text", "system", "previous")
LISTS = ("texts", "systems", "context", "following")
"""Columns of JSON lines that hold a list."""

KNOWN_COLUMNS = (*COLUMNS, "text_1", "text_2", "system_1", "system_2", "previous_1", *LISTS)
FOREIGN_NAMES = {
    "id": "item",
    "output": "text",
    "model": "system",
    "prompt": "input",
    "context": "previous_1",
    "document": "source",
    "dialogue": "cluster",
}
"""What other people's tables call a column."""


@dataclass(frozen=True)
class ItemRow:
    """One row: its line, and its cells by column; empty cells are left out."""

    line: int
    cells: Mapping[str, Any]

    def numbered(self, column: str) -> list[Any]:
        """Return the cells of text_1, text_2, … up to the last that is filled; None for gaps."""
        cells = {
            int(name[len(column) + 1 :]): cell
            for name, cell in self.cells.items()
            if name.startswith(f"{column}_") and name[-1].isdecimal()
        }
        return [cells.get(number) for number in range(1, max(cells, default=0) + 1)]


def read_rows(file: Path, faults: Faults, notes: list[str]) -> list[ItemRow]:
    """Read the rows of a file of items; what is wrong with them becomes faults."""
    own = faults.of(file.name)
    try:
        text, encoding = read_text(file)
    except StudyFileFault as fault:
        own.add(None, "", fault.code, **fault.facts)
        return []
    if encoding != "utf-8-sig":
        notes.append(Note("formats.read-as-encoding", file=file.name, encoding=encoding.upper()))
    if file.suffix.lower() == ".jsonl":
        records = json_rows(text, own, '{"item": "…", …}')
        rows = [ItemRow(line, _known_cells(record, line, own)) for line, record in records]
    else:
        rows = list(_csv_rows(text, file, own, notes))
    if not rows and not own.is_faulty():
        own.add(None, "", "study.no-items")
    return rows


def column_of(name: str) -> str | None:
    """Return covary's name of a column, None where there is none; capitals do not matter.

    Examples
    --------
    >>> column_of(" Image Text"), column_of("Text_2"), column_of("colour")
    ('image_text', 'text_2', None)
    """
    plain = _loosely(name)
    if plain in COLUMNS or re.fullmatch(rf"({'|'.join(NUMBERED)})_[1-9]\d?", plain):
        return plain
    for prefix in PREFIXES:
        if plain.startswith(prefix):
            return f"{prefix}{name.strip()[len(prefix) :].strip()}"
    return None


def _csv_rows(text: str, file: Path, faults: FileFaults, notes: list[str]) -> Iterator[ItemRow]:
    separator = find_separator(text, file, faults)
    if separator is None:
        return
    if separator != SEPARATORS[file.suffix.lower()]:
        notes.append(Note("formats.separated-by", file=file.name, separator=separator))
    rows = csv_rows(text, separator, faults)
    first, names = next(rows, (1, []))
    columns = _columns(names, first, faults)
    if "item" not in columns:
        code = "study.one-cell" if len(names) == 1 else "study.no-item-column"
        faults.add(first, "item", code, cell="".join(names))
        return
    for line, cells in rows:
        counts = {"cells": len(cells), "columns": len(names)}
        if any(cell.strip() for cell in cells[len(names) :]):
            faults.add(line, "", "study.more-cells", **counts)
        elif len(cells) < len(names):
            faults.add(line, "", "study.fewer-cells", **counts)
        else:
            named = zip(columns, cells, strict=False)
            yield ItemRow(line, {name: cell for name, cell in named if name and cell.strip()})


def _columns(names: Sequence[str], line: int, faults: FileFaults) -> list[str | None]:
    columns: list[str | None] = []
    for name in names:
        column = column_of(name)
        if column is None and name.strip() and not name.strip().startswith("_"):
            _add_unknown_column(name, line, faults)
        if column is not None and column in columns:
            faults.add(line, name.strip(), "study.column-twice")
        columns.append(column)
    return columns


def _known_cells(record: Mapping[str, Any], line: int, faults: FileFaults) -> dict[str, Any]:
    cells: dict[str, Any] = {}
    for name, value in record.items():
        column = name if name in LISTS else column_of(name)
        if column is None and not name.startswith("_"):
            _add_unknown_column(name, line, faults)
        elif column is not None and value not in (None, "", [], {}):
            cells[column] = value
    return cells


def _add_unknown_column(name: str, line: int, faults: FileFaults) -> None:
    word = name.strip()
    meaning = FOREIGN_NAMES.get(word.casefold())
    code = "study.foreign-column" if meaning else "study.unknown-column"
    faults.add(line, word, code, value=word, allowed=KNOWN_COLUMNS, meaning=meaning)


@dataclass
class ItemReader:
    """What the rows of one file are read with.

    `names` are the keys of all criteria; those without a criterion have a fault elsewhere.
    """

    faults: FileFaults
    folder: Path
    criteria: Sequence[Criterion]
    names: Sequence[str]

    def items(self, rows: Sequence[ItemRow]) -> list[Item]:
        """Return an item for each row, and report two of one name."""
        first: dict[str, int] = {}
        items = []
        for row in rows:
            item = self._item(row)
            if item.id in first:
                self._fault(row, "item", "study.item-twice", value=item.id, line=first[item.id])
            elif item.id:
                first[item.id] = row.line
            items.append(item)
        return items

    def _item(self, row: ItemRow) -> Item:
        for name, cell in row.cells.items():
            if not _is_showable_cell(cell):
                self._fault(row, name, "toml.unshowable")
        kind = self._kind(row)
        texts = self._texts(row)
        return Item(
            id=self._id(row),
            texts=texts,
            systems=self._systems(row, len(texts)),
            source=self._word(row, "source") or None,
            kind=kind,
            input=self._text(row, "input") or None,
            image=self._file(row, "image"),
            image_text=self._text(row, "image_text"),
            audio=self._file(row, "audio"),
            video=self._file(row, "video"),
            context=self._context(row),
            speaker=self._word(row, "speaker"),
            cluster=self._word(row, "cluster") or None,
            expected=self._expected(row, kind),
            explanation=self._text(row, "explanation"),
            set=self._set(row, kind),
            measures=self._measures(row),
            part=self._part(row),
            following=self._turns(row, "following"),
        )

    def _fault(self, row: ItemRow, key: str, code: str, /, **data: Any) -> None:
        self.faults.add(row.line, key, code, **data)

    def _text(self, row: ItemRow, column: str) -> str:
        """Return a cell as it was written; numbers of JSON as text."""
        return self._as_text(row, column, row.cells.get(column, ""))

    def _as_text(self, row: ItemRow, column: str, cell: Any) -> str:
        if isinstance(cell, str):
            return cell
        if type(cell) in (int, float):
            return str(cell)
        self._fault(row, column, "study.cell-no-text", value=cell)
        return ""

    def _word(self, row: ItemRow, column: str) -> str:
        """Return a name of one line, without the spaces around it."""
        return self._checked(row, column, self._text(row, column))

    def _checked(self, row: ItemRow, column: str, text: str) -> str:
        word = text.strip()
        if word and (len(word) > LONGEST_NAME or not _is_one_line(word)):
            self._fault(row, column, "study.long-name", value=word, most=LONGEST_NAME)
        return word

    def _id(self, row: ItemRow) -> str:
        word = self._word(row, "item")
        if "item" not in row.cells:
            self._fault(row, "item", "study.item-unnamed")
        return word

    def _kind(self, row: ItemRow) -> Any:
        kind = self._word(row, "kind").casefold() or "item"
        if kind not in ITEM_KINDS:
            self._fault(row, "kind", "study.no-item-kind", value=kind, allowed=ITEM_KINDS)
            return "item"
        return kind

    def _part(self, row: ItemRow) -> str:
        part = self._word(row, "part")
        parts = tuple(dict.fromkeys(criterion.part for criterion in self.criteria))
        if part and part not in parts:
            code = "study.item-part" if any(parts) else "study.item-part-none"
            self._fault(row, "part", code, value=part, allowed=parts)
        return part

    def _set(self, row: ItemRow, kind: str) -> int | None:
        """Return the number of the training set; training items need one, and no others have."""
        word = self._word(row, "set")
        if kind != "training":
            if word:
                self._fault(row, "set", "study.set-without-training", kind=kind)
            return None
        if not word:
            self._fault(row, "set", "study.set-missing")
        elif not re.fullmatch(r"[1-9][0-9]{0,3}", word):
            self._fault(row, "set", "study.no-set", value=word)
        else:
            return int(word)
        return None

    def _texts(self, row: ItemRow) -> tuple[str, ...]:
        """Return the output or the set of outputs; an empty one is a fault."""
        before = self.faults.count
        texts = self._several(row, "text")
        if self.faults.count > before:
            return ()
        if not any(text.strip() for text in texts):
            if "audio" not in row.cells and "video" not in row.cells:
                self._fault(row, "text", "study.no-text")
            return ()
        if not all(text.strip() for text in texts):
            self._fault(row, "text", "study.gap", name="text")
        return tuple(text for text in texts if text)

    def _systems(self, row: ItemRow, texts: int) -> tuple[str, ...]:
        systems = [self._checked(row, "system", cell) for cell in self._several(row, "system")]
        if not all(systems):
            self._fault(row, "system", "study.gap", name="system")
        elif texts and len(systems) not in (0, 1, texts):
            self._fault(row, "system", "study.systems-and-texts", systems=len(systems), texts=texts)
        return tuple(system for system in systems if system)

    def _several(self, row: ItemRow, column: str) -> list[str]:
        """Return the cells of `text`, of `texts` or of `text_1`, `text_2`, …"""
        ways = {
            column: [row.cells[column]] if column in row.cells else [],
            f"{column}s": row.cells.get(f"{column}s", []),
            f"{column}_1": row.numbered(column),
        }
        used = [way for way, cells in ways.items() if cells]
        if len(used) > 1:
            self._fault(row, used[1], "study.two-ways", other=used[0])
        if not used:
            return []
        cells = ways[used[0]]
        if not isinstance(cells, list):
            self._fault(row, used[0], "study.no-list", value=cells)
            return []
        return ["" if cell is None else self._as_text(row, used[0], cell) for cell in cells]

    def _file(self, row: ItemRow, column: str) -> str | None:
        """Return the path of a picture, a recording or a film, from the study's folder."""
        name = self._word(row, column)
        if not name:
            return None
        try:
            path = file_inside(self.folder, name)
        except StudyFileFault as fault:
            self._fault(row, column, fault.code, **fault.facts)
            return None
        endings = FILE_ENDINGS[column]
        if path.suffix.lower() not in endings:
            facts = {"value": name, "what": column, "endings": ", ".join(endings)}
            self._fault(row, column, "study.no-image", **facts)
        return Path(name).as_posix()

    def _context(self, row: ItemRow) -> tuple[Turn, ...]:
        """Return the earlier turns in the order in which they were said."""
        if "context" not in row.cells:
            cells = (cell for cell in row.numbered("previous") if cell)
            return tuple(parse_turn(self._as_text(row, "previous", cell)) for cell in cells)
        return self._turns(row, "context")

    def _turns(self, row: ItemRow, column: str) -> tuple[Turn, ...]:
        """Return the turns of a list in the order in which they were said."""
        turns = row.cells.get(column, [])
        if not isinstance(turns, list):
            self._fault(row, column, "study.no-turns")
            return ()
        return tuple(self._turn(row, column, turn) for turn in turns)

    def _turn(self, row: ItemRow, column: str, turn: Any) -> Turn:
        if isinstance(turn, str):
            return parse_turn(turn)
        if not isinstance(turn, dict) or not turn.keys() <= {"speaker", "text"}:
            self._fault(row, column, "study.no-turn", value=turn)
            return Turn("", "")
        speaker, text = turn.get("speaker", ""), turn.get("text", "")
        if not isinstance(text, str) or not text.strip() or not isinstance(speaker, str):
            self._fault(row, column, "study.turn-without-text", value=turn)
            return Turn("", "")
        return Turn(speaker.strip(), text)

    def _measures(self, row: ItemRow) -> Mapping[str, float]:
        """Return the numbers of columns such as measure_accuracy, by what was measured."""
        measures: dict[str, float] = {}
        for column, cell in row.cells.items():
            if column.startswith("measure_"):
                try:
                    measures[column.removeprefix("measure_")] = float(cell)
                except (TypeError, ValueError):
                    self._fault(row, column, "study.no-measure", value=cell)
        return MappingProxyType(measures)

    def _expected(self, row: ItemRow, kind: str) -> Mapping[str, Any]:
        """Return the known answers by the key of the criterion."""
        answers = dict(self._expected_object(row))
        for column, cell in row.cells.items():
            if column.startswith("expected_"):
                answers[column.removeprefix("expected_")] = cell
        is_known = any(column.startswith("expected") for column in row.cells)
        if kind in ("check", "gold") and not is_known:
            self._fault(row, "expected", "study.expected-missing", kind=kind)
        known = {}
        for name, value in answers.items():
            criterion = self._criterion(row, name)
            if criterion is not None:
                known[criterion.key] = self._known_answer(row, criterion, value)
        return MappingProxyType(known)

    def _expected_object(self, row: ItemRow) -> dict[str, Any]:
        answers = row.cells.get("expected", {})
        if isinstance(answers, str):
            try:
                answers = json.loads(answers)
            except (ValueError, RecursionError):
                answers = None
        if not isinstance(answers, dict):
            self._fault(row, "expected", "study.expected-no-object")
            return {}
        return answers

    def _criterion(self, row: ItemRow, name: str) -> Criterion | None:
        """Return the criterion of a name; report a name that is none, or that of several."""
        loose = _loosely(name)
        if any(loose in (_loosely(key), _loosely(key.rpartition(" (")[0])) for key in self.names):
            keyed = [criterion for criterion in self.criteria if _loosely(criterion.key) == loose]
            named = keyed or [
                criterion for criterion in self.criteria if _loosely(criterion.name) == loose
            ]
            if len(named) > 1:
                keys = [repr(criterion.key) for criterion in named]
                self._fault(row, f"expected_{name}", "study.expected-ambiguous", keys=keys)
            return named[0] if len(named) == 1 else None
        keys = [key for key in self.names if key]
        self._fault(row, f"expected_{name}", "study.no-criterion", value=name, allowed=keys)
        return None

    def _known_answer(self, row: ItemRow, criterion: Criterion, value: Any) -> Any:
        rating = criterion.scale.read(value)
        if rating is None:
            scale = criterion.scale.describe()
            key = f"expected_{criterion.key}"
            self._fault(row, key, "study.expected-off-scale", value=value, scale=scale)
        return rating


def parse_turn(text: str) -> Turn:
    """Read a turn written as 'speaker: text'; without a short name before a colon, nobody speaks.

    Examples
    --------
    >>> parse_turn("Guest: Is there a later train?")
    Turn(speaker='Guest', text='Is there a later train?')
    """
    match = re.match(r"\s*([^:\n]{1,40}):\s+(?=\S)", text)
    return Turn(match[1].strip(), text[match.end() :]) if match else Turn("", text)


def _loosely(name: str) -> str:
    return re.sub(r"[\s_]+", "_", name.strip()).casefold()


def _is_one_line(word: str) -> bool:
    return word.isprintable() or CONTROL.search(word) is None


def _is_showable_cell(cell: Any) -> bool:
    """Say whether every text in a cell, also in lists and objects, can be shown."""
    if isinstance(cell, str):
        return is_showable(cell)
    if isinstance(cell, dict):
        return all(_is_showable_cell(part) for pair in cell.items() for part in pair)
    return all(_is_showable_cell(part) for part in cell) if isinstance(cell, list) else True
