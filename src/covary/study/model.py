"""A study as a value: what is judged, on which criteria and scales, and how judges meet it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from covary.scales import Scale
from covary.words import Note

ItemKind = Literal["item", "practice", "check", "gold", "anchor", "training"]
"""What an item is for: to be judged, to practise on, to see that a judge attends (an explicit
instruction), to compare with a known answer, to be rated by every judge, or to train on in a
round of the guideline cycle, and never in the evaluation."""

NOT_EVALUATED = ("practice", "training")
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
    name ever reaches a judge. `image`, `audio` and `video` are paths from the study's folder,
    `context` is what was said before, `speaker` who then says the text, and `following` what was
    said after it, which only a page with the whole dialogue shows; `expected` has the known
    answers by the key of the criterion, and `explanation` is what judges are told of them. `set` is
    the number of the training set that a training item belongs to. `measures` are numbers known
    from elsewhere, such as the accuracy of readers, by their names. `part` names the only part
    of the study that asks about it; it is empty where every part does.
    """

    id: str
    texts: tuple[str, ...]
    systems: tuple[str, ...] = ()
    source: str | None = None
    kind: ItemKind = "item"
    input: str | None = None
    image: str | None = None
    image_text: str = ""
    audio: str | None = None
    video: str | None = None
    context: tuple[Turn, ...] = ()
    speaker: str = ""
    cluster: str | None = None
    expected: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    explanation: str = ""
    set: int | None = None
    measures: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    part: str = ""
    following: tuple[Turn, ...] = ()

    def belongs_to(self, part: str) -> bool:
        """Say whether a part of the study asks about it."""
        return self.part in ("", part)

    @property
    def system(self) -> str | None:
        """The system, or the different systems of a set joined by ' / '."""
        return " / ".join(dict.fromkeys(self.systems)) or None


@dataclass(frozen=True)
class Condition:
    """When a follow-up is asked: an earlier criterion, by its key, has one of these answers."""

    criterion: str
    answers: tuple[Any, ...]


@dataclass(frozen=True)
class Criterion:
    """A quality that is judged: its scale and the researcher's wording, unaltered.

    `key` is what answers are stored under: the name, with the part where a study has several. An
    `optional` one may be left out, `cannot_judge` offers to say so, `when` makes it a follow-up of
    another, and `passages` lets judges mark what in the text is the reason for their rating.
    """

    name: str
    question: str
    scale: Scale
    part: str = ""
    definition: str = ""
    faces: bool = False
    vertical: bool | None = None
    optional: bool = False
    cannot_judge: bool = False
    when: Condition | None = None
    passages: bool = False

    def is_due(self, answers: Mapping[str, Any]) -> bool:
        """Say whether it is asked, given the answers on the page by their keys."""
        return self.when is None or answers.get(self.when.criterion) in self.when.answers

    @property
    def key(self) -> str:
        return f"{self.name} ({self.part})" if self.part else self.name


@dataclass(frozen=True)
class Background:
    """Something asked of the judge, not of an item; `group` makes the answer the group.

    It is asked before the items, after them, or between them: at each break, and before each part
    and session but the first.
    """

    name: str
    question: str
    options: tuple[str, ...] = ()
    required: bool = True
    group: bool = False
    ask: Literal["before", "between", "after"] = "before"


@dataclass(frozen=True, kw_only=True)
class PartDesign:
    """What one part asks of its design where that is not what the study asks; None: the same.

    `context` is how many earlier turns of a conversation its pages show; None: all of the item.
    `page` is what stands on a page: one item, or all turns of a dialogue.
    """

    kind: str | None = None
    judges: int | None = None
    per_judge: int | None = None
    judges_per_item: int | None = None
    order: str | None = None
    context: int | None = None
    page: Literal["item", "dialogue"] | None = None


@dataclass(frozen=True)
class DesignSettings:
    """What the study asks of its design; `covary.design` answers it.

    `part` has what parts ask for themselves, by their names. With `page` "dialogue", judges rate
    the turns of a dialogue where they stand, on one page; the items are the same turns.
    """

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
    parts: Literal["rotate", "as-listed", "one-each"] = "rotate"
    page: Literal["item", "dialogue"] = "item"
    part: Mapping[str, PartDesign] = field(default_factory=lambda: MappingProxyType({}))

    def of_part(self, part: str) -> DesignSettings:
        """Return what is asked of the design of one part."""
        own = self.part.get(part, PartDesign())
        names = ("kind", "judges", "per_judge", "judges_per_item", "order")
        asked = {name: getattr(own, name) for name in names}
        return replace(self, **{name: value for name, value in asked.items() if value is not None})

    def context_of(self, part: str) -> int | None:
        """Return how many earlier turns the pages of a part show; None for all."""
        return self.part.get(part, PartDesign()).context

    def page_of(self, part: str) -> Literal["item", "dialogue"]:
        """Return what stands on a page of a part: one item, or a whole dialogue."""
        return self.part.get(part, PartDesign()).page or self.page


@dataclass(frozen=True)
class Session:
    """How a judge meets the items.

    `break_every` items a break is offered (0: never); `redirect` is opened at the end at once.
    After items of the kinds in `feedback` judges are told the known answer; with `comments` they
    may comment on each item.
    """

    break_every: int = 0
    go_back: bool = True
    ask_preference: bool = False
    remarks: bool = False
    occasion_gap_hours: float = 0
    code: str = ""
    redirect: str = ""
    markup: bool = False
    comments: bool = False
    feedback: tuple[str, ...] = ()


@dataclass(frozen=True)
class TrainingSettings:
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
    on each sheet. `part` is the part whose sheets they get, empty for any. A place is given on
    after `abandon_after_minutes` without an answer. `qualify` is the share of practice answers
    that must be as expected, in one of `attempts`, and None asks for nothing; whoever fails more
    than `failed_checks_allowed` attention checks is sent back, and None sends nobody. `keys` is the
    file with the platform's public keys, where its links are signed and only such are let in.
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
    part: str = ""
    abandon_after_minutes: float = 120
    qualify: float | None = None
    attempts: int = 2
    failed_checks_allowed: int | None = None
    keys: str = ""


@dataclass(frozen=True)
class Study:
    """A whole study, read from its folder and free of faults.

    `paper` is what the researcher answers of a paper's checklist, by the name of the answer.
    """

    folder: Path
    title: str
    criteria: tuple[Criterion, ...]
    items: tuple[Item, ...]
    manual: Manual
    design: DesignSettings = DesignSettings()
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
    paper: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    training: TrainingSettings = field(default_factory=TrainingSettings)
    words: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    questions: tuple[Criterion, ...] = ()

    def item(self, id: str) -> Item:  # noqa: A002
        """Return the item of this id."""
        return self._by_id[id]

    def criteria_of(self, part: str) -> tuple[Criterion, ...]:
        """Return the criteria that one part asks, in their order."""
        return tuple(criterion for criterion in self.criteria if criterion.part == part)

    def asked_of(self, part: str) -> tuple[Criterion, ...]:
        """Return all that one part asks of an item: its criteria, then what is not analysed."""
        others = tuple(question for question in self.questions if question.part == part)
        return self.criteria_of(part) + others

    @property
    def dealt_by_part(self) -> bool:
        """Whether parts have items or a design of their own, so that each is dealt out alone."""
        return bool(self.design.part) or any(item.part for item in self.items)

    def of_part(self, part: str) -> Study:
        """Return the study with the items of one part only."""
        return replace(self, items=tuple(item for item in self.items if item.belongs_to(part)))

    def as_shown(self, item: Item, part: str) -> Item:
        """Return an item with as many earlier turns as the pages of a part show."""
        turns = self.design.context_of(part)
        if turns is None or turns >= len(item.context):
            return item
        return replace(item, context=item.context[len(item.context) - turns :])

    def background_at(self, ask: str) -> tuple[Background, ...]:
        """Return what is asked of a judge before, between or after the items."""
        return tuple(question for question in self.background if question.ask == ask)

    def items_of(self, kind: ItemKind) -> tuple[Item, ...]:
        """Return the items of one kind, in their order."""
        return tuple(item for item in self.items if item.kind == kind)

    @property
    def training_sets(self) -> tuple[int, ...]:
        """The numbers of the training sets, in their order."""
        return tuple(sorted({item.set for item in self.items if item.set is not None}))

    def training_set(self, number: int) -> tuple[Item, ...]:
        """Return the items of a training set, none where there is no such set."""
        return tuple(item for item in self.items if item.set == number)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems whose outputs are judged, in the order in which items name them."""
        judged = (item for item in self.items if item.kind not in NOT_EVALUATED)
        return tuple(dict.fromkeys(system for item in judged for system in item.systems))

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources of the items that are judged, in the order in which items name them."""
        sources = (item.source for item in self.items if item.kind not in NOT_EVALUATED)
        return tuple(dict.fromkeys(source for source in sources if source is not None))

    def describe(self) -> tuple[str, ...]:
        """Describe the study in a few sentences, for a report or before a design is made."""
        kinds = Counter[str](item.kind for item in self.items)
        counts = [(kinds[kind], noun) for kind, noun in KIND_NAMES.items() if kind in kinds]
        return (
            Note("study.about-items", title=self.title, counts=counts),
            self._about_systems(),
            *(_about(criterion) for criterion in self.criteria),
            *self._about_judges(),
            Note("study.about-manual", version=self.manual.version),
        )

    def _about_systems(self) -> Note:
        if not self.systems:
            return Note("study.about-no-systems")
        people = [system for system in self.systems if system in self.human_systems]
        counts = {"systems": len(self.systems), "sources": len(self.sources)}
        return Note("study.about-systems", people=people, **counts)

    def _about_judges(self) -> Iterator[Note]:
        about = self.population
        answers = {
            "Judges": about.who,
            "Recruited": about.recruitment,
            "Paid": about.payment,
            "Takes about": "" if about.minutes is None else f"{about.minutes:g} minutes",
            "Overlap with other studies": about.overlap,
            "Asked of each judge": ", ".join(question.name for question in self.background),
        }
        for what, words in answers.items():
            if words:
                yield Note("study.about-judges", what=what, words=words.rstrip("."))

    @cached_property
    def _by_id(self) -> dict[str, Item]:
        return {item.id: item for item in self.items}


KIND_NAMES = {
    "item": "item",
    "practice": "practice item",
    "check": "attention check",
    "gold": "gold item",
    "anchor": "anchor item",
    "training": "training item",
}


def _about(criterion: Criterion) -> Note:
    scale = criterion.scale
    code = "study.about-criterion" if scale.best is None else "study.about-best-end"
    facts = {"key": criterion.key, "question": criterion.question}
    return Note(code, **facts, scale=scale.describe(), best=scale.best)
