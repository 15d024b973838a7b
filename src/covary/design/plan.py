"""Who rates what in which order: tasks, the sheet that one judge works through, the plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Plan", "Sheet", "Task", "TaskKind"]

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


@dataclass(frozen=True)
class Plan:
    """The sheets of a study, with the settings that made them."""

    kind: str
    seed: int
    sheets: tuple[Sheet, ...]
    settings: tuple[tuple[str, Any], ...] = ()
