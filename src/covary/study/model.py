"""A study as a value: what is judged, on which criteria and scales, and how judges meet it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from covary.scales import Scale

__all__ = [
    "Background",
    "Criterion",
    "DesignWish",
    "Item",
    "ItemKind",
    "Manual",
    "Session",
    "Study",
    "Turn",
]

ItemKind = Literal["item", "practice", "check", "gold", "anchor"]
"""What an item is for: to be judged, to practise on, to see that a judge attends (an explicit
instruction), to compare with a known answer, or to be rated by every judge."""


@dataclass(frozen=True)
class Turn:
    """One turn of a conversation: who speaks and what is said."""

    speaker: str
    text: str


@dataclass(frozen=True)
class Item:
    """One thing that is judged, with what a judge is shown beside it.

    `texts` holds one output, or several where a set of outputs is judged or two are compared;
    `systems` names who produced each. No system's name ever reaches a judge.
    """

    id: str
    texts: tuple[str, ...]
    systems: tuple[str, ...] = ()
    source: str | None = None
    kind: ItemKind = "item"
    input: str | None = None
    image: str | None = None
    image_text: str = ""
    context: tuple[Turn, ...] = ()
    cluster: str | None = None
    expected: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def system(self) -> str | None:
        """The system, or the systems of a set joined by ' / '."""
        return " / ".join(self.systems) or None


@dataclass(frozen=True)
class Criterion:
    """A quality that is judged: its scale and the researcher's wording, unaltered.

    `key` is what answers are stored under: the name, with the part where a study has several.
    """

    name: str
    question: str
    scale: Scale
    part: str = ""
    definition: str = ""
    faces: bool = False
    vertical: bool | None = None

    @property
    def key(self) -> str:
        return f"{self.name} ({self.part})" if self.part else self.name


@dataclass(frozen=True)
class Background:
    """Something asked about the judge before the items; `group` makes the answer the group."""

    name: str
    question: str
    options: tuple[str, ...] = ()
    required: bool = True
    group: bool = False


@dataclass(frozen=True)
class DesignWish:
    """What the study asks of its design; `covary.design` answers it."""

    kind: Literal["latin-squares", "williams", "blocks", "overlap", "everyone"] = "everyone"
    judges: int = 2
    seed: int = 0
    per_judge: int | None = None
    judges_per_item: int | None = None
    repeats: int = 0
    repeat_distance: int = 10
    source_distance: int = 1
    occasions: int = 1
    order: Literal["random", "williams", "as-listed"] = "random"
    parts: Literal["rotate", "as-listed"] = "rotate"


@dataclass(frozen=True)
class Session:
    """How a judge meets the items.

    `break_every` items a break is offered (0: never); `redirect` is opened at the end at once.
    """

    break_every: int = 0
    go_back: bool = True
    ask_preference: bool = False
    remarks: bool = False
    occasion_gap_hours: float = 0
    code: str = ""
    redirect: str = ""
    markup: bool = False


@dataclass(frozen=True)
class Manual:
    """The guidelines as Markdown, and the version that ratings point to.

    `version` is a short digest of the scheme (criteria, ranks, wording) and the guidelines.
    """

    guidelines: str
    version: str


@dataclass(frozen=True)
class Study:
    """A whole study, read from its folder and free of faults."""

    folder: Path
    title: str
    criteria: tuple[Criterion, ...]
    items: tuple[Item, ...]
    manual: Manual
    design: DesignWish = DesignWish()
    session: Session = Session()
    consent: str = ""
    background: tuple[Background, ...] = ()
    contact: str = ""
    language: str = "en"
    human_systems: tuple[str, ...] = ()
    parts: tuple[str, ...] = ("",)

    def item(self, id: str) -> Item:  # noqa: A002
        """Return the item of this id."""
        return self._by_id[id]

    def criteria_of(self, part: str) -> tuple[Criterion, ...]:
        """Return the criteria that one part asks, in their order."""
        return tuple(each for each in self.criteria if each.part == part)

    def items_of(self, kind: ItemKind) -> tuple[Item, ...]:
        """Return the items of one kind, in their order."""
        return tuple(each for each in self.items if each.kind == kind)

    @property
    def _by_id(self) -> dict[str, Item]:
        found: dict[str, Item] = self.__dict__.get("_items_by_id", {})
        if not found:
            found = {each.id: each for each in self.items}
            object.__setattr__(self, "_items_by_id", found)
        return found
