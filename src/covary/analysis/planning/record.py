"""The plan that is kept beside a study, and whether the study kept it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from covary.analysis.planning.allocation import Allocation
from covary.analysis.planning.forecast import StudySize
from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.stats.estimate import Result
from covary.stats.models.observations import observations
from covary.words import Note

FILE = "plan.json"
"""Where the plan of a study is kept, in its folder."""

NEARLY = 0.99
"""The share of the planned ratings that is as good as all: a judge may skip one."""


@dataclass(frozen=True, kw_only=True)
class AdaptiveDeal(Result):
    """Ratings that were dealt out while the study ran, where they helped most.

    `ratings` had come in by then; sheets from `first` to `last` got them, `shares` by system.
    `efficiency` is the price in balance, as in `Allocation`.
    """

    made: str
    ratings: int
    first: int
    last: int
    shares: Mapping[str, int]
    efficiency: float


@dataclass(frozen=True, kw_only=True)
class PlanRecord(Result):
    """What was planned before the study began.

    `target` is the reliability of the reported means (of their values, where `absolute`),
    `difference` what should be found between systems and `margin` what counts as equal; they fix
    the rule by which the study may stop early. `looks` is the number of looks that were declared,
    None where a confidence sequence allows any. `basis` says what the plan rests on. `span` is
    that of the scale on which difference and margin were said, in points; on a longer or shorter
    scale they count in proportion. `deals` are the ratings that were dealt out adaptively since.
    """

    made: str
    size: StudySize
    target: float
    absolute: bool = False
    difference: float | None = None
    margin: float | None = None
    at: float = 0.8
    alpha: float = 0.05
    basis: str = ""
    criterion: str | None = None
    looks: int | None = None
    span: float | None = None
    deals: tuple[AdaptiveDeal, ...] = ()

    def write(self, folder: Path) -> Path:
        """Keep the plan in a study's folder."""
        path = folder / FILE
        text = json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"
        path.write_text(text, encoding="utf-8", newline="\n")
        return path


def new_record(size: StudySize, **facts: Any) -> PlanRecord:
    """Make a record of today."""
    return PlanRecord(made=date.today().isoformat(), size=size, **facts)


def new_deal(ratings: int, sheets: tuple[int, int], allocation: Allocation) -> AdaptiveDeal:
    """Make a record of today's deal: the ratings so far, the first and last sheet, the shares."""
    return AdaptiveDeal(
        made=date.today().isoformat(),
        ratings=ratings,
        first=sheets[0],
        last=sheets[1],
        shares={str(name): number for name, number in allocation.shares.items()},
        efficiency=allocation.efficiency,
    )


def read_record(folder: Path) -> PlanRecord | None:
    """Read the plan that is kept in a study's folder; None where there is none."""
    path = Path(folder) / FILE
    if not path.is_file():
        return None
    try:
        content: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        size = StudySize(**content["size"])
        deals = tuple(AdaptiveDeal(**deal) for deal in content.get("deals", ()))
        return PlanRecord(**{**content, "size": size, "deals": deals})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidArgument("planning.record", value=str(path), reason=error) from None


@dataclass(frozen=True, kw_only=True)
class KeptPlan(Result):
    """What was planned beside what was collected; `kept` where nothing differs."""

    record: PlanRecord
    systems: int
    items: int
    judges: int
    ratings: int

    @property
    def deviations(self) -> tuple[Note, ...]:
        """What differs, one note for each number."""
        planned = self.record.size
        pairs = {
            "systems": (planned.systems, self.systems),
            "items": (planned.items * planned.systems, self.items),
            "judges": (planned.judges, self.judges),
        }
        notes = [
            Note("planning.deviation", what=what, planned=wish, reached=now)
            for what, (wish, now) in pairs.items()
            if wish != now
        ]
        if not NEARLY * planned.ratings <= self.ratings <= planned.ratings / NEARLY:
            facts = {"planned": planned.ratings, "reached": self.ratings}
            notes.append(Note("planning.deviation", what="ratings", **facts))
        return tuple(notes)

    @property
    def kept(self) -> bool:
        """Whether the study is as it was planned."""
        return not self.deviations

    def note(self) -> Note:
        """Return whether the plan was kept, to be put into words."""
        size, record = self.record.size, self.record
        facts = {
            "made": record.made,
            "systems": size.systems,
            "items": size.items,
            "judges": size.judges,
            "votes": size.votes,
            "target": record.target,
            "absolute": record.absolute,
            "difference": record.difference,
            "at": record.at,
            "basis": record.basis,
            "deals": [deal.to_dict() for deal in record.deals],
        }
        return Note("planning.kept", deviations=list(self.deviations), **facts)


def kept_plan(record: PlanRecord, ratings: Ratings) -> KeptPlan:
    """Compare a plan with what was collected, on its criterion or on the one rated most."""
    own = ratings.first_occasion()
    names = [record.criterion] if record.criterion in own.criteria else own.criteria
    known = [name for name in ("system",) if name in own.columns]
    rows = [observations(own, name, factors=["item", "judge", *known]) for name in names]
    most = max(rows, key=lambda one: one.n_ratings)
    return KeptPlan(
        record=record,
        systems=len(most.names.get("system", ())) or 1,
        items=int(np.unique(most.factors["item"]).size),
        judges=int(np.unique(most.factors["judge"]).size),
        ratings=most.n_ratings,
    )
