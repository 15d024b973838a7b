"""What is known of an automatic judge beside people."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, ClassVar, Literal

from covary.records import dataclass
from covary.scales import Scale
from covary.stats.estimate import Estimate, Result
from covary.stats.prediction_powered import PoweredMean
from covary.stats.replacement_test import FEWEST, ReplacementTest
from covary.words import Note, word

State = Literal["shown", "ruled out", "open", "unknown"]


@dataclass(frozen=True, kw_only=True)
class SystemMean(Result):
    """One system's mean by people and by the automatic judge, and by both together.

    `favour` is by how much more the automatic judge lies above people on this system than on the
    others, with an interval that holds for all systems at once. `powered` uses the items that no
    person rated.
    """

    system: Any
    n: int
    people: float
    automatic: float
    favour: float
    favour_low: float
    favour_high: float
    powered: PoweredMean | None

    @property
    def favoured(self) -> bool:
        """Whether the automatic judge is shown to treat this system unlike the others."""
        return self.favour_low > 0 or self.favour_high < 0


def paired(systems: Sequence[SystemMean]) -> Iterator[tuple[SystemMean, SystemMean, bool]]:
    """Give each two systems, people's higher mean first, and whether the automatic judge agrees.

    Systems with the same mean by people are no such pair.
    """
    for pair in combinations(systems, 2):
        low, high = sorted(pair, key=lambda own: own.people)
        if low.people < high.people:
            yield high, low, high.automatic > low.automatic


@dataclass(frozen=True, kw_only=True)
class AutomaticJudge(Result):
    """One automatic judge beside people, on one criterion.

    `on_scale` says whether its ratings are ratings on the people's scale; a metric's are not, and
    then only order is compared. `agreement` is between a person and the automatic judge and
    `people` between two persons, both corrected for chance. `r` is its mean rank correlation with
    the other people where it takes a person's place, `r_people` the persons' own. `shift` is how
    far it rates above people.
    """

    judge: Any
    criterion: Any
    scale: Scale
    margin: float
    n_items: int
    people_names: tuple[Any, ...]
    n_further: int
    missed: tuple[str, ...]
    further: tuple[str, ...]
    unit: str
    on_scale: bool
    test: ReplacementTest | None
    agreement: Estimate | None
    people: float
    r: float
    r_people: float
    r_behind: float
    r_behind_low: float
    r_behind_high: float
    shift: float
    shift_low: float
    shift_high: float
    systems: tuple[SystemMean, ...]
    pairs_alike: int
    pairs: int
    powered: PoweredMean | None
    confidence: float

    @property
    def n_people(self) -> int:
        """How many people there are beside it."""
        return len(self.people_names)

    @property
    def replaces(self) -> State:
        """Whether it may take a person's place: shown, ruled out, open, or not asked."""
        if self.test is None or not self.test.persons:
            return "unknown"
        if self.test.winning_rate >= 0.5:
            return "shown"
        return "ruled out" if self.test.losing_rate >= 0.5 else "open"

    @property
    def why_unknown(self) -> str:
        """Why the test was not made: too few people, too few items, or another scale."""
        if not self.on_scale:
            return "other-scale"
        return "few-people" if self.n_people < 2 else "few-items"

    @property
    def sentence(self) -> str:
        """Say whether it may take a person's place, with the figures behind it."""
        return word("automatic.verdict", self.facts)

    @property
    def facts(self) -> dict[str, Any]:
        """What the sentences speak of."""
        tested: dict[str, Any] = {"tested": 0}
        if self.test is not None and self.test.persons:
            rates = {name: getattr(self.test, name) for name in ("winning_rate", "losing_rate")}
            tested = {"tested": len(self.test.persons), **rates}
        known = {"replaces": self.replaces, "why": self.why_unknown, "fewest": FEWEST}
        return {"judge": self.judge, "margin": self.margin} | tested | known

    @property
    def ordered_otherwise(self) -> tuple[tuple[Any, Any], ...]:
        """Pairs of systems, people's higher mean first, that it does not order as people do."""
        return tuple(
            (one.system, two.system) for one, two, alike in paired(self.systems) if not alike
        )

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a reader should know beside the numbers."""
        notes = []
        if self.ordered_otherwise:
            facts = {"pairs": self.pairs, "otherwise": self.ordered_otherwise}
            notes.append(Note("automatic.orders-otherwise", judge=self.judge, **facts))
        favoured = [own.system for own in self.systems if own.favour_low > 0]
        slighted = [own.system for own in self.systems if own.favour_high < 0]
        if favoured or slighted:
            names = {"favoured": favoured, "slighted": slighted}
            notes.append(Note("automatic.favours", judge=self.judge, **names))
        if self.missed:
            of = {"n": len(self.missed), "of": len(self.missed) + self.n_items}
            about = {"judge": self.judge, "names": self.missed, **of}
            more = {"further": self.n_further, "others": self.further} if self.further else {}
            code = "automatic.unmatched" if more else "automatic.unrated"
            notes.append(Note(code, **about, **more))
        if self.test is not None and self.test.few:
            notes.append(Note("automatic.few-items", n=self.test.few, least=FEWEST))
        if self.powered is not None:
            notes.append(Note("automatic.powered", judge=self.judge, **vars(self.powered)))
        if not self.on_scale:
            notes.append(
                Note("automatic.other-scale", judge=self.judge, scale=self.scale.describe())
            )
        return tuple(notes)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        own = {"replaces": self.replaces, "sentence": self.sentence, "notes": list(self.notes)}
        if self.test is not None and self.test.persons:
            rates = ("winning_rate", "losing_rate", "advantage")
            own |= {name: getattr(self.test, name) for name in rates}
        return super().to_dict() | own | {"scale": self.scale.describe()}


COLUMNS = (
    *("criterion", "judge", "replaces", "winning_rate", "losing_rate", "advantage", "margin"),
    *("n_items", "n_people", "n_further", "agreement", "people", "r", "r_people"),
    *("shift", "shift_low", "shift_high", "pairs_alike", "pairs"),
)


@dataclass(frozen=True, kw_only=True)
class AutomaticStudy(Result):
    """Every automatic judge beside people, on every criterion."""

    judges: tuple[AutomaticJudge, ...]
    margin: float
    confidence: float
    names: tuple[tuple[Any, ...], ...]

    columns: ClassVar[tuple[str, ...]] = COLUMNS

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each automatic judge on each criterion, not rounded."""
        return [_row(judge) for judge in self.judges]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        judges = [judge.to_dict() for judge in self.judges]
        return {"margin": self.margin, "confidence": self.confidence, "judges": judges}

    def __str__(self) -> str:
        return "\n".join(
            f"{'' if judge.criterion is None else f'{judge.criterion}: '}{judge.sentence}"
            for judge in self.judges
        )


def _row(judge: AutomaticJudge) -> dict[str, Any]:
    values = {name: value for name, value in vars(judge).items() if name in COLUMNS}
    values["n_people"] = judge.n_people
    agreement = math.nan if judge.agreement is None else judge.agreement.value
    test = judge.test if judge.test is not None and judge.test.persons else None
    rates = ("winning_rate", "losing_rate", "advantage")
    found = {name: getattr(test, name) if test else math.nan for name in rates}
    return values | found | {"agreement": agreement, "replaces": judge.replaces}
