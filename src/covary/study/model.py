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
    "Population",
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
    `systems` names who produced each, or the one system that produced the whole set. No system's
    name ever reaches a judge. `image` is a path from the study's folder, `context` what was said
    before, and `expected` the known answers by the key of the criterion.
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
        """The system, or the different systems of a set joined by ' / '."""
        return " / ".join(dict.fromkeys(self.systems)) or None


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

    `version` is a short digest of the scheme (criteria, ranks, wording) and the guidelines;
    `scheme_version` and `guidelines_version` are digests of each, to tell which one changed.
    """

    guidelines: str
    version: str
    scheme_version: str = ""
    guidelines_version: str = ""


@dataclass(frozen=True)
class Population:
    """Who the judges are, for the report; covary does not act on it.

    `who` they are ("university staff"), how they were found (`recruitment`) and paid (`payment`),
    how long it takes (`minutes`), and whether they judged elsewhere too (`overlap`).
    """

    who: str = ""
    recruitment: str = ""
    payment: str = ""
    minutes: float | None = None
    overlap: str = ""


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
    population: Population = Population()
    notes: tuple[str, ...] = ()

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
    def systems(self) -> tuple[str, ...]:
        """The systems whose outputs are judged, in the order in which items name them."""
        judged = (each for each in self.items if each.kind != "practice")
        return tuple(dict.fromkeys(system for each in judged for system in each.systems))

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources of the items that are judged, in the order in which items name them."""
        judged = (each.source for each in self.items if each.kind != "practice")
        return tuple(dict.fromkeys(source for source in judged if source is not None))

    def describe(self) -> tuple[str, ...]:
        """Describe the study in a few sentences, for a report or before a design is made."""
        return (
            f"The study {self.title!r} has {self._counted_items()}.",
            *self._described_systems(),
            *(f"{each.key}: {_described(each)}" for each in self.criteria),
            *self._described_judges(),
            f"Manual version {self.manual.version}.",
        )

    def _counted_items(self) -> str:
        kinds: dict[str, int] = {}
        for each in self.items:
            kinds[each.kind] = kinds.get(each.kind, 0) + 1
        counted = [_counted(kinds[kind], noun) for kind, noun in KINDS.items() if kind in kinds]
        return " and ".join(filter(None, [", ".join(counted[:-1]), counted[-1]]))

    def _described_systems(self) -> tuple[str, ...]:
        if not self.systems:
            return ("The items name no systems.",)
        people = [each for each in self.systems if each in self.human_systems]
        written = f" ({', '.join(people)}: written by people)" if people else ""
        sources = f" and {_counted(len(self.sources), 'source')}" if self.sources else ""
        return (f"They come from {_counted(len(self.systems), 'system')}{written}{sources}.",)

    def _described_judges(self) -> tuple[str, ...]:
        about = self.population
        said = {
            "Judges": about.who,
            "Recruited": about.recruitment,
            "Paid": about.payment,
            "Takes about": "" if about.minutes is None else f"{about.minutes:g} minutes",
            "Overlap with other studies": about.overlap,
            "Asked of each judge": ", ".join(each.name for each in self.background),
        }
        return tuple(f"{what}: {words.rstrip('.')}." for what, words in said.items() if words)

    @property
    def _by_id(self) -> dict[str, Item]:
        found: dict[str, Item] = self.__dict__.get("_items_by_id", {})
        if not found:
            found = {each.id: each for each in self.items}
            object.__setattr__(self, "_items_by_id", found)
        return found


KINDS = {
    "item": "item",
    "practice": "practice item",
    "check": "attention check",
    "gold": "gold item",
    "anchor": "anchor item",
}


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _described(criterion: Criterion) -> str:
    best = {"high": ", high is best", "low": ", low is best", None: ""}[criterion.scale.best]
    return f"{criterion.scale.describe()}{best}. {criterion.question}"
