"""A study as a value: what is judged, on which criteria and scales, and how judges meet it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from covary.scales import Scale

__all__ = [
    "APART",
    "Background",
    "Criterion",
    "DesignWish",
    "Item",
    "ItemKind",
    "Manual",
    "Population",
    "Recruiting",
    "Session",
    "Study",
    "TrainingWish",
    "Turn",
]

ItemKind = Literal["item", "practice", "check", "gold", "anchor", "training"]
"""What an item is for: to be judged, to practise on, to see that a judge attends (an explicit
instruction), to compare with a known answer, to be rated by every judge, or to train on in a
round of the guideline cycle, and never in the evaluation."""

APART = ("practice", "training")
"""Kinds of items that are not judged in the evaluation."""


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
    name ever reaches a judge. `image` is a path from the study's folder, `context` is what was said
    before and `speaker` who then says the text; `expected` has the known answers by the key of the
    criterion. `set` is the number of the training set that a training item belongs to.
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
    speaker: str = ""
    cluster: str | None = None
    expected: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    set: int | None = None

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
class TrainingWish:
    """How judges are trained in the guideline cycle (see `covary.training`).

    In discussions they go by their `names` or by aliases; `editors` are judges who may edit the
    manual beside the researcher. `thresholds` says for a criterion how far ratings may be apart.
    Training ends by the rule when `share` of the ratings lie within the thresholds and the lower
    end of its interval, at `confidence`, is `at_least` so high.
    """

    names: Literal["aliases", "names"] = "aliases"
    editors: tuple[str, ...] = ()
    thresholds: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    share: float = 0.95
    at_least: float = 0.9
    confidence: float = 0.95


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
class Recruiting:
    """How people come from a recruiting platform, and how they are sent back.

    `done`, `screened_out` (did not qualify), `failed` (attention checks) and `returned` (did not
    agree, stopped, or found the study full) are the platform's codes; `addresses` has, by the same
    names, the way back where a platform gives each study its own. Money is per person, in one
    `currency`, and `minimum_wage` per hour. `places` is how many people are wanted, None for one
    on each sheet. A place is given on after `abandon_after_minutes` without an answer. `qualify`
    is the share of practice answers that must be as expected, in one of `attempts`, and None asks
    for nothing; whoever fails more than `failed_checks_allowed` attention checks is sent back, and
    None sends nobody.
    """

    platform: Literal["prolific", "connect", "sona", "link"] = "prolific"
    done: str = ""
    screened_out: str = ""
    failed: str = ""
    returned: str = ""
    addresses: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    currency: str = ""
    pay: Decimal | None = None
    screen_out_pay: Decimal = Decimal(0)
    fee: Decimal = Decimal(0)
    fee_share: Decimal = Decimal(0)
    minimum_wage: Decimal | None = None
    minutes: float | None = None
    places: int | None = None
    abandon_after_minutes: float = 120
    qualify: float | None = None
    attempts: int = 2
    failed_checks_allowed: int | None = None


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
    recruiting: Recruiting | None = None
    notes: tuple[str, ...] = ()
    training: TrainingWish = field(default_factory=TrainingWish)

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
    def training_sets(self) -> tuple[int, ...]:
        """The numbers of the training sets, in their order."""
        return tuple(sorted({each.set for each in self.items if each.set is not None}))

    def training_set(self, number: int) -> tuple[Item, ...]:
        """Return the items of a training set, none where there is no such set."""
        return tuple(each for each in self.items if each.set == number)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems whose outputs are judged, in the order in which items name them."""
        judged = (each for each in self.items if each.kind not in APART)
        return tuple(dict.fromkeys(system for each in judged for system in each.systems))

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources of the items that are judged, in the order in which items name them."""
        judged = (each.source for each in self.items if each.kind not in APART)
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
    "training": "training item",
}


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _described(criterion: Criterion) -> str:
    best = {"high": ", high is best", "low": ", low is best", None: ""}[criterion.scale.best]
    return f"{criterion.scale.describe()}{best}. {criterion.question}"
