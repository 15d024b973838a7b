"""Rows become items: their texts, systems, images, earlier turns and known answers, checked."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_args

from covary.scales import Scale
from covary.study.faults import Faults, near, shown
from covary.study.files import IMAGES, StudyFileFault, inside
from covary.study.model import Criterion, Item, ItemKind, Turn
from covary.study.rows import Row
from covary.study.scale_tables import as_rating
from covary.study.tables import FORBIDDEN, plain

__all__ = ["Reader"]

KINDS: tuple[str, ...] = get_args(ItemKind)
LONGEST_NAME = 200
CONTROL = re.compile("[\x00-\x1f\x7f\x85\u2028\u2029]")


@dataclass
class Reader:
    """What the rows of one file are read with.

    `names` are the keys of all criteria; those without a criterion have a fault elsewhere.
    """

    file: Path
    folder: Path
    criteria: Sequence[Criterion]
    names: Sequence[str]
    faults: Faults

    def items(self, rows: Sequence[Row]) -> list[Item]:
        """Return an item for each row, and report two of one name."""
        first: dict[str, int] = {}
        found = []
        for row in rows:
            item = self._item(row)
            if item.id in first:
                self._fault(row, "item", f"{item.id!r} stands in line {first[item.id]} already")
            elif item.id:
                first[item.id] = row.line
            found.append(item)
        return found

    def _item(self, row: Row) -> Item:
        for name, cell in row.cells.items():
            if not _plain(cell):
                self._fault(row, name, f"holds {FORBIDDEN}")
        kind = self._kind(row)
        texts = self._texts(row)
        return Item(
            id=self._id(row),
            texts=texts,
            systems=self._systems(row, len(texts)),
            source=self._word(row, "source") or None,
            kind=kind,
            input=self._text(row, "input") or None,
            image=self._image(row),
            image_text=self._text(row, "image_text"),
            context=self._context(row),
            speaker=self._word(row, "speaker"),
            cluster=self._word(row, "cluster") or None,
            expected=self._expected(row, kind),
            set=self._set(row, kind),
        )

    def _fault(self, row: Row, key: str, message: str) -> None:
        self.faults.add(self.file.name, row.line, key, message)

    def _text(self, row: Row, column: str) -> str:
        """Return a cell as it was written; numbers of JSON as text."""
        return self._as_text(row, column, row.cells.get(column, ""))

    def _as_text(self, row: Row, column: str, cell: Any) -> str:
        if isinstance(cell, str):
            return cell
        if type(cell) in (int, float):
            return str(cell)
        self._fault(row, column, f"{shown(cell)} is not text")
        return ""

    def _word(self, row: Row, column: str) -> str:
        """Return a name of one line, without the spaces around it."""
        return self._checked(row, column, self._text(row, column))

    def _checked(self, row: Row, column: str, text: str) -> str:
        word = text.strip()
        if word and (len(word) > LONGEST_NAME or not _one_line(word)):
            self._fault(row, column, f"{shown(word)} must be one line of {LONGEST_NAME} letters")
        return word

    def _id(self, row: Row) -> str:
        word = self._word(row, "item")
        if "item" not in row.cells:
            self._fault(row, "item", "is empty; every item needs a name of its own")
        return word

    def _kind(self, row: Row) -> Any:
        kind = self._word(row, "kind").casefold() or "item"
        if kind not in KINDS:
            self._fault(row, "kind", f"{shown(kind)} is no kind of item; {near(kind, KINDS)}")
            return "item"
        return kind

    def _set(self, row: Row, kind: str) -> int | None:
        """Return the number of the training set; training items need one, and no others have."""
        word = self._word(row, "set")
        if kind != "training":
            if word:
                self._fault(row, "set", f"only training items have a set, and this is {kind!r}")
            return None
        if not word:
            self._fault(row, "set", "a training item needs the number of its set: 1, 2, …")
        elif not re.fullmatch(r"[1-9][0-9]{0,3}", word):
            self._fault(row, "set", f"{shown(word)} must be the number of a set: 1, 2, …")
        else:
            return int(word)
        return None

    def _texts(self, row: Row) -> tuple[str, ...]:
        """Return the output or the set of outputs; an empty one is a fault."""
        before = len(self.faults.found)
        found = self._several(row, "text")
        if len(self.faults.found) > before:
            return ()
        if not any(each.strip() for each in found):
            self._fault(row, "text", "there is no text to judge")
            return ()
        if not all(each.strip() for each in found):
            self._fault(row, "text", "one of several texts is empty; fill them from text_1 on")
        return tuple(each for each in found if each)

    def _systems(self, row: Row, texts: int) -> tuple[str, ...]:
        found = [self._checked(row, "system", each) for each in self._several(row, "system")]
        if not all(found):
            self._fault(
                row, "system", "one of several systems is empty; fill them from system_1 on"
            )
        elif texts and len(found) not in (0, 1, texts):
            self._fault(row, "system", f"{len(found)} systems for {texts} texts; name one or each")
        return tuple(each for each in found if each)

    def _several(self, row: Row, column: str) -> list[str]:
        """Return the cells of `text`, of `texts` or of `text_1`, `text_2`, …"""
        ways = {
            column: [row.cells[column]] if column in row.cells else [],
            f"{column}s": row.cells.get(f"{column}s", []),
            f"{column}_1": row.numbered(column),
        }
        used = [way for way, cells in ways.items() if cells]
        if len(used) > 1:
            self._fault(row, used[1], f"{used[0]} is filled too; use one or the other")
        if not used:
            return []
        cells = ways[used[0]]
        if not isinstance(cells, list):
            self._fault(row, used[0], f"{shown(cells)} must be a list of texts")
            return []
        return ["" if cell is None else self._as_text(row, used[0], cell) for cell in cells]

    def _image(self, row: Row) -> str | None:
        name = self._word(row, "image")
        if not name:
            return None
        try:
            path = inside(self.folder, name)
        except StudyFileFault as fault:
            self._fault(row, "image", str(fault))
            return None
        if path.suffix.lower() not in IMAGES:
            self._fault(row, "image", f"{name!r} is no image; it must end in {', '.join(IMAGES)}")
        return Path(name).as_posix()

    def _context(self, row: Row) -> tuple[Turn, ...]:
        """Return the earlier turns in the order in which they were said."""
        if "context" in row.cells:
            return tuple(self._turn(row, each) for each in self._turns(row))
        cells = [self._as_text(row, "previous", each) for each in row.numbered("previous") if each]
        return tuple(spoken_turn(each) for each in cells)

    def _turns(self, row: Row) -> list[Any]:
        found = row.cells["context"]
        if not isinstance(found, list):
            self._fault(row, "context", 'must be a list: [{"speaker": "…", "text": "…"}]')
            return []
        return found

    def _turn(self, row: Row, turn: Any) -> Turn:
        if isinstance(turn, str):
            return spoken_turn(turn)
        if not isinstance(turn, dict) or not turn.keys() <= {"speaker", "text"}:
            self._fault(row, "context", f'{shown(turn)} must be {{"speaker": "…", "text": "…"}}')
            return Turn("", "")
        speaker, text = turn.get("speaker", ""), turn.get("text", "")
        if not isinstance(text, str) or not text.strip() or not isinstance(speaker, str):
            self._fault(row, "context", f"{shown(turn)} has no text")
            return Turn("", "")
        return Turn(speaker.strip(), text)

    def _expected(self, row: Row, kind: str) -> Mapping[str, Any]:
        """Return the known answers by the key of the criterion."""
        said = dict(self._expected_object(row))
        for column, cell in row.cells.items():
            if column.startswith("expected_"):
                said[column.removeprefix("expected_")] = cell
        answered = any(column.startswith("expected") for column in row.cells)
        if kind in ("check", "gold") and not answered:
            self._fault(row, "expected", f"a {kind} item needs an expected answer")
        found = {}
        for name, value in said.items():
            criterion = self._criterion(row, name)
            if criterion is not None:
                found[criterion.key] = self._known_answer(row, criterion, value)
        return MappingProxyType(found)

    def _expected_object(self, row: Row) -> dict[str, Any]:
        found = row.cells.get("expected", {})
        if isinstance(found, str):
            try:
                found = json.loads(found)
            except (ValueError, RecursionError):
                found = None
        if not isinstance(found, dict):
            message = 'must be a JSON object such as {"Fluency": 4}; or use a column expected_…'
            self._fault(row, "expected", message)
            return {}
        return found

    def _criterion(self, row: Row, name: str) -> Criterion | None:
        """Return the criterion of a name; report a name that is none, or that of several."""
        wanted = _loose(name)
        if any(wanted in (_loose(key), _loose(key.rpartition(" (")[0])) for key in self.names):
            keys = [each for each in self.criteria if _loose(each.key) == wanted]
            named = keys or [each for each in self.criteria if _loose(each.name) == wanted]
            if len(named) > 1:
                several = " and ".join(repr(each.key) for each in named)
                self._fault(row, f"expected_{name}", f"stands for {several}; say which")
            return named[0] if len(named) == 1 else None
        advice = near(name, [key for key in self.names if key])
        self._fault(row, f"expected_{name}", f"no criterion is called {name!r}; {advice}")
        return None

    def _known_answer(self, row: Row, criterion: Criterion, value: Any) -> Any:
        scale: Scale = criterion.scale
        rating = as_rating(scale, value)
        if rating is None:
            key = f"expected_{criterion.key}"
            self._fault(row, key, f"{shown(value)} is not on the scale ({scale.describe()})")
        return rating


def spoken_turn(text: str) -> Turn:
    """Read a turn written as 'speaker: text'; without a short name before a colon, nobody speaks.

    Examples
    --------
    >>> spoken_turn("Guest: Is there a later train?")
    Turn(speaker='Guest', text='Is there a later train?')
    """
    found = re.match(r"\s*([^:\n]{1,40}):\s+(?=\S)", text)
    return Turn(found[1].strip(), text[found.end() :]) if found else Turn("", text)


def _loose(name: str) -> str:
    return re.sub(r"[\s_]+", "_", name.strip()).casefold()


def _one_line(word: str) -> bool:
    return word.isprintable() or CONTROL.search(word) is None


def _plain(cell: Any) -> bool:
    """Say whether every text in a cell, also in lists and objects, can be shown."""
    if isinstance(cell, str):
        return plain(cell)
    if isinstance(cell, dict):
        return all(_plain(each) for pair in cell.items() for each in pair)
    return all(_plain(each) for each in cell) if isinstance(cell, list) else True
