"""A plan: its sheets and tasks, the share of a judge, and the streams of chance that fill it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal
from zlib import crc32

import numpy as np

from covary.study.model import DesignSettings, Item

LEAST = {
    "judges": 1,
    "seed": 0,
    "per_judge": 1,
    "judges_per_item": 1,
    "repeats": 0,
    "repeat_distance": 0,
    "source_distance": 0,
    "occasions": 1,
}
"""The settings of a design that are whole numbers, and the least that each can be."""

PART_ORDERS = ("rotate", "as-listed", "one-each")
"""How judges meet the parts: each first equally often, as listed, or each judge only one."""

TaskKind = Literal["item", "practice", "check", "gold", "anchor", "repeat"]


@dataclass(frozen=True)
class Task:
    """One item to be rated by one judge, on all criteria of one part, on one occasion.

    `order` gives the places of an item's texts from left to right, as this judge sees them:
    (1, 0) shows the second output first. It is () where an item has one text.
    """

    position: int
    item: str
    kind: TaskKind = "item"
    part: str = ""
    occasion: int = 1
    order: tuple[int, ...] = ()


@dataclass(frozen=True)
class Sheet:
    """What one judge works through, in order. `row` names the square's row it stands for."""

    number: int
    tasks: tuple[Task, ...]
    row: str = ""

    @property
    def part(self) -> str:
        """The only part that it is about; empty where it is about several."""
        parts = {task.part for task in self.tasks}
        return next(iter(parts)) if len(parts) == 1 else ""


@dataclass(frozen=True)
class Plan:
    """The sheets of a study, with the settings that made them."""

    kind: str
    seed: int
    sheets: tuple[Sheet, ...]
    settings: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True)
class JudgeShare:
    """The items of one row of a design.

    `row` names the row. `rounds` holds the systems in the order in which the judge must meet them,
    round by round, where the design says so; it is empty where the order is free.
    """

    row: str
    items: tuple[Item, ...]
    rounds: tuple[tuple[str, ...], ...] = ()


def row_word(wish: DesignSettings) -> str:
    """Say whether a row leaves the order free, or is a sequence or a list that must be kept."""
    if wish.order == "as-listed":
        return "list"
    return "sequence" if "williams" in (wish.kind, wish.order) else "row"


def system_of(item: Item) -> str | None:
    """Return the system of an item; the systems of a set in one order, whichever comes first.

    Examples
    --------
    >>> system_of(Item("q1", ("Yes.", "No."), ("b", "a")))
    'a / b'
    """
    return " / ".join(sorted(set(item.systems))) or None


def random_stream(seed: int, *place: str | int) -> np.random.Generator:
    """Return the stream of a place, which depends on the seed and on nothing drawn elsewhere.

    Sheets that are added later therefore never change the sheets that are there.

    Examples
    --------
    >>> int(random_stream(1, "order", 7).integers(100)) == int(
    ...     random_stream(1, "order", 7).integers(100)
    ... )
    True
    """
    words = [crc32(word.encode()) if isinstance(word, str) else word for word in place]
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=words))
