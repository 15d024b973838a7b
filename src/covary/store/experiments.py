"""The parts of a study as experiments on the same systems, with what the study knows of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from covary.errors import InvalidArgument
from covary.ratings import Ratings
from covary.store.export import AGAIN, Collection, collect, criteria_of_parts, notes_of_store
from covary.store.store import Store
from covary.study.model import Criterion, Study
from covary.study.recruiting import matches
from covary.words import Note

ACCURACY, SECONDS = "accuracy", "seconds"
"""What a task with known answers measures: the share that is right, and the mean time."""


@dataclass(frozen=True, kw_only=True)
class StudyExperiments:
    """What a comparison of scales takes: ratings by part, measures by system, preferences.

    `measures` are the means of the measures in the file of items, and the accuracy and time of
    tasks whose answers are known. `preferences` is by judge the part that they preferred.
    """

    ratings: Mapping[str, Ratings]
    measures: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    preferences: Mapping[str, str] = field(default_factory=dict)


def experiments_of(
    study: Study, store: Store, *, parts: Sequence[str] | None = None
) -> StudyExperiments:
    """Return the parts of a study as experiments; criteria of one name are one criterion.

    A criterion whose answers are known for the items themselves is a task, where the judge does
    something with the text: it is not a scale, and how well and how fast it was done are measures.
    """
    study = store.training.in_force(study)
    chosen = study.parts if parts is None else tuple(parts)
    criteria_of_parts(study, chosen)  # refuses parts that there are not
    tasks = task_criteria(study)
    rated = {
        part: [criterion for criterion in study.criteria_of(part) if criterion.key not in tasks]
        for part in chosen
    }
    rated = {part: criteria for part, criteria in rated.items() if criteria}
    if len(rated) < 2:
        raise InvalidArgument("store.one-experiment", parts=list(rated))
    return StudyExperiments(
        ratings={part: _ratings(study, store, criteria) for part, criteria in rated.items()},
        measures=_item_measures(study) | _task_measures(study, store, tasks),
        preferences=_preferences(store),
    )


def task_criteria(study: Study) -> dict[str, Criterion]:
    """Return the criteria whose answers are known for items that are judged, by their keys."""
    known = {key for item in study.items_of("item") for key in item.expected}
    return {criterion.key: criterion for criterion in study.criteria if criterion.key in known}


def _ratings(study: Study, store: Store, criteria: Sequence[Criterion]) -> Ratings:
    """Return the ratings on some criteria of one part, under the names that parts share."""
    collection = collect(study, store, criteria=[criterion.key for criterion in criteria])
    collection.require_ratings()
    collection.refuse_mixed()
    names = {criterion.key: criterion.name for criterion in criteria}
    columns = collection.shown()
    again = [str(occasion).endswith(AGAIN) for occasion in collection.columns["occasion"]]
    columns = {
        name: [value for value, repeat in zip(values, again, strict=True) if not repeat]
        for name, values in columns.items()
    }
    columns["criterion"] = [names[key] for key in columns["criterion"]]
    scales = {names[key]: scale for key, scale in collection.scales.items()}
    notes = [Note("store.hidden-repeats", number=sum(again))] if any(again) else []
    return Ratings(columns, scale=scales).with_notes(
        *collection.notes, *notes, *notes_of_store(store)
    )


def _item_measures(study: Study) -> dict[str, dict[str, float]]:
    """Return the mean of each measure in the file of items, by system."""
    values: dict[str, dict[str, list[float]]] = {}
    for item in study.items_of("item"):
        for name, value in item.measures.items():
            if item.system is not None:
                values.setdefault(name, {}).setdefault(item.system, []).append(value)
    return {name: _means(systems) for name, systems in values.items()}


def _task_measures(
    study: Study, store: Store, tasks: Mapping[str, Criterion]
) -> dict[str, dict[str, float]]:
    if not tasks:
        return {}
    collection: Collection = collect(study, store, criteria=list(tasks))
    right: dict[str, dict[str, list[float]]] = {}
    items = {item.id: item for item in study.items}
    names = ("item", "criterion", "rating", "system", "seconds")
    for name, key, rating, system, seconds in zip(
        *(collection.columns[column] for column in names), strict=True
    ):
        item = items.get(name)
        if system is None or item is None or key not in item.expected:
            continue
        values: dict[str, Any] = {
            ACCURACY: float(matches(tasks[key], item, rating)),
            SECONDS: seconds,
        }
        for measure, value in values.items():
            if value is not None:
                label = f"{tasks[key].name}: {measure}"
                right.setdefault(label, {}).setdefault(system, []).append(value)
    return {label: _means(systems) for label, systems in right.items()}


def _means(systems: Mapping[str, Sequence[float]]) -> dict[str, float]:
    return {system: fmean(values) for system, values in systems.items()}


def _preferences(store: Store) -> dict[str, str]:
    names = {judge.id: judge.name for judge in store.judges.all()}
    preferred = store.notes.last_of_each("preferred")
    return {
        names[judge]: str(data["part"]) for judge, data in preferred.items() if data.get("part")
    }
