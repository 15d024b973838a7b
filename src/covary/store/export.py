"""What was collected, as ratings to be analysed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

from covary.errors import InvalidArgument, RatingsError, listed
from covary.ratings import Ratings
from covary.scales import Scale
from covary.store.background import groups_of, last_said
from covary.store.places import NOTE
from covary.store.records import Current
from covary.store.store import Store
from covary.store.training import as_in_force
from covary.study.model import Criterion, Item, Study

__all__ = ["Collected", "collect", "ratings_of"]

COLUMNS = (
    "item", "judge", "rating", "criterion", "system", "source", "group", "occasion", "manual",
    "cluster", "order", "seconds",
)  # fmt: skip

LEFT_OUT = {
    "practice": ("practice answer", "practice answers"),
    "check": ("answer to a check", "answers to checks"),
    "gold": ("answer to an item with a known answer", "answers to items with a known answer"),
    "abandoned": (
        "answer on a sheet that was taken back",
        "answers on sheets that were taken back",
    ),
    "failed checks": (
        "answer of a judge who failed attention checks",
        "answers of judges who failed attention checks",
    ),
    "withdrew": ("answer of a judge who stopped", "answers of judges who stopped"),
    "stranger": (
        "answer about an item or criterion that the study no longer has",
        "answers about items or criteria that the study no longer has",
    ),
}


def ratings_of(
    study: Study,
    store: Store,
    *,
    part: str | None = None,
    criteria: Sequence[str] | None = None,
    practice: bool = False,
    abandoned: bool = False,
    faulty: Literal["refuse", "set-aside"] = "refuse",
) -> Ratings:
    """Return what was collected as ratings, with the scales of the study.

    Parameters
    ----------
    study
        The study that the store belongs to; it knows the systems, sources and scales. Where a
        guideline cycle changed its manual, the last edition counts.
    store
        Where the answers are.
    part
        Keep the criteria of this part only.
    criteria
        Keep these criteria only, by their keys.
    practice
        Whether to keep practice answers.
    abandoned
        Whether to keep answers on sheets that were taken back, whose row somebody else rates.
    faulty
        As in `Ratings`: what to do with ratings that are not on the scale.

    Notes
    -----
    An untouched answer on a visual scale is a missing rating. A hidden repeat is an occasion of
    its own, `"1 again"`. Checks, items with a known answer and practice are left out; notes say
    how many. The rating of a preference is in the item's own order, whatever was shown first.
    """
    found = collect(study, store, part=part, criteria=criteria, practice=practice,
                    abandoned=abandoned)  # fmt: skip
    if not found.columns["item"]:
        raise RatingsError(f"no ratings have been collected yet{found.because}")
    if found.is_mixed:
        raise InvalidArgument(
            f"{listed(found.in_words)} is answered in words and {listed(found.in_numbers)} in "
            "numbers, and one table of ratings holds one of the two: choose criteria of one kind "
            "(criteria=[…] or part='…'; on the command line --only criterion=…)"
        )
    ratings = Ratings(found.shown(), scale=found.scales, faulty=faulty)
    return ratings.with_notes(*found.notes)


class Collected:
    """The answers that count as columns, and what was left out on the way."""

    def __init__(self, criteria: Sequence[Criterion]) -> None:
        self.criteria = {each.key: each for each in criteria}
        self.columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
        self.left_out: Counter[str] = Counter()
        self.untouched = 0
        self.manuals: Counter[str] = Counter()

    @property
    def scales(self) -> dict[Any, Scale]:
        """The scale of each criterion that was answered."""
        seen = dict.fromkeys(self.columns["criterion"])
        return {key: self.criteria[key].scale for key in self.criteria if key in seen}

    @property
    def in_words(self) -> list[str]:
        """The criteria that are answered in words."""
        return self._of_kind(words=True)

    @property
    def in_numbers(self) -> list[str]:
        """The criteria that are answered in numbers."""
        return self._of_kind(words=False)

    @property
    def is_mixed(self) -> bool:
        """Whether ratings of both kinds were given."""
        return bool(self.in_words and self.in_numbers)

    @property
    def because(self) -> str:
        """The end of a sentence that says what there was instead."""
        said = [_counted(number, *LEFT_OUT[kind]) for kind, number in self.left_out.items()]
        return f"; there are only {_joined(said)}" if said else ""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the ratings should know."""
        notes = []
        if self.left_out:
            said = [_counted(self.left_out[k], *LEFT_OUT[k]) for k in LEFT_OUT if self.left_out[k]]
            notes.append(f"Left out: {_joined(said)}.")
        if self.untouched:
            said = [_counted(self.untouched, "untouched scale counts", "untouched scales count")]
            notes.append(f"{said[0]} as missing.")
        if len(self.manuals) > 1:
            notes.append(
                f"The ratings were given under {len(self.manuals)} versions of the manual: "
                f"{listed(self.manuals)}."
            )
        return tuple(notes)

    def shown(self) -> dict[str, list[Any]]:
        """Return the columns that say something."""
        always = ("item", "judge", "rating", "criterion", "order")
        said = {name: self.columns[name] for name in COLUMNS if name in always}
        for name in ("system", "source", "group", "manual", "seconds"):
            if any(value is not None for value in self.columns[name]):
                said[name] = self.columns[name]
        if len(set(self.columns["occasion"])) > 1:
            said["occasion"] = self.columns["occasion"]
        if any(value is not None for value in self.columns["cluster"]):
            pairs = zip(self.columns["cluster"], self.columns["item"], strict=True)
            said["cluster"] = [item if cluster is None else cluster for cluster, item in pairs]
        return {name: said[name] for name in COLUMNS if name in said}

    def add(self, row: Current, item: Item, group: str | None) -> None:
        """Add an answer."""
        answer = row.answer
        continuous = self.criteria[answer.criterion].scale.categories is None
        untouched = continuous and not answer.touched
        self.untouched += untouched
        self.manuals[answer.manual] += 1
        values = {
            "item": answer.item,
            "judge": row.judge,
            "rating": None if untouched else answer.rating,
            "criterion": answer.criterion,
            "system": item.system,
            "source": item.source,
            "group": group,
            "occasion": f"{answer.occasion} again" if answer.kind == "repeat"
            else str(answer.occasion),
            "manual": answer.manual or None,
            "cluster": item.cluster,
            "order": answer.position,
            "seconds": answer.seconds,
        }  # fmt: skip
        for name, value in values.items():
            self.columns[name].append(value)

    def _of_kind(self, *, words: bool) -> list[str]:
        pairs = zip(self.columns["criterion"], self.columns["rating"], strict=True)
        return list(
            dict.fromkeys(
                key for key, rating in pairs
                if rating is not None and isinstance(rating, str) is words
            )
        )  # fmt: skip


def collect(
    study: Study,
    store: Store,
    *,
    part: str | None = None,
    criteria: Sequence[str] | None = None,
    practice: bool = False,
    abandoned: bool = False,
) -> Collected:
    """Go through the answers that count and keep what is wanted; see `ratings_of`."""
    study = as_in_force(study, store)
    chosen = _chosen(study, part, criteria)
    known = {each.key for each in study.criteria}
    found = Collected(chosen)
    items = {item.id: item for item in study.items}
    groups = groups_of(study, store)
    reasons = _reasons(store)
    for row in store.rows():
        answer = row.answer
        item = items.get(answer.item)
        if answer.criterion in known and answer.criterion not in found.criteria:
            continue
        if item is None or answer.criterion not in known:
            found.left_out["stranger"] += 1
        elif answer.kind in ("check", "gold") or (answer.kind == "practice" and not practice):
            found.left_out[answer.kind] += 1
        elif row.abandoned and not abandoned:
            found.left_out[reasons.get(answer.judge, "abandoned")] += 1
        else:
            found.add(row, item, groups.get(answer.judge, row.group))
    return found


def _reasons(store: Store) -> dict[int, str]:
    """Return why the answers of judges who were recruited do not count, where that is known."""
    said = {judge: str(data.get("outcome")) for judge, data in last_said(store, NOTE).items()}
    return {judge: outcome for judge, outcome in said.items() if outcome in LEFT_OUT}


def _chosen(study: Study, part: str | None, criteria: Sequence[str] | None) -> Sequence[Criterion]:
    """Return the criteria that are wanted."""
    if part is not None and part not in study.parts:
        raise InvalidArgument(f"part={part!r} is not a part of the study: {listed(study.parts)}")
    keys = [each.key for each in study.criteria]
    unknown = [key for key in criteria or () if key not in keys]
    if unknown:
        raise InvalidArgument(f"{listed(unknown)} is not a criterion of the study: {listed(keys)}")
    return [
        each
        for each in study.criteria
        if (part is None or each.part == part) and (criteria is None or each.key in criteria)
    ]


def _counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _joined(said: list[str]) -> str:
    return " and ".join([", ".join(said[:-1]), said[-1]] if len(said) > 1 else said)
