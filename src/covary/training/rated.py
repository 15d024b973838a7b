"""The ratings of a training cycle as one table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from covary.errors import InvalidArgument, listed
from covary.ratings import Ratings
from covary.scales import Scale
from covary.study.model import Study
from covary.training.refusals import Refused
from covary.training.state import Round, State

__all__ = ["ratings_of"]

COLUMNS = ("item", "judge", "rating", "criterion", "round", "manual", "order", "seconds")


def ratings_of(state: State, study: Study | None, criteria: Sequence[str] | None) -> Ratings:
    """Return the ratings of all rounds that were compared; see `Cycle.ratings`."""
    now = {each.key: each.scale for each in state.edition.criteria}
    unknown = [key for key in criteria or () if key not in now]
    if unknown:
        raise InvalidArgument(f"{listed(unknown)} is no criterion of the manual: {listed(now)}")
    wanted = {key: scale for key, scale in now.items() if criteria is None or key in criteria}
    rows = [
        row
        for each in state.rounds
        if not each.blind
        for row in _rows(each)
        if row[3] in wanted and _comparable(_scale_in(state, each, row[3]), now[row[3]])
    ]
    if not rows:
        raise Refused("no round has been compared yet, so there are no ratings to analyse")
    frame: dict[str, list[Any]] = {
        name: list(column) for name, column in zip(COLUMNS, zip(*rows, strict=True), strict=True)
    }
    _refuse_mixed(frame)
    if all(each is None for each in frame["seconds"]):
        del frame["seconds"]
    if study is not None:
        frame |= _known(study, frame["item"])
    used = set(frame["criterion"])
    return Ratings(frame, scale={key: scale for key, scale in wanted.items() if key in used})


def _rows(each: Round) -> Iterator[tuple[Any, ...]]:
    """One row for each rating of a judge who has finished, in the order of rating."""
    place: Counter[str] = Counter()
    for (judge, item), given in each.ratings.items():
        if judge not in each.finished:
            continue
        place[judge] += 1
        seconds = each.seconds.get((judge, item))
        for key, rating in given.items():
            if rating is not None:
                yield (item, judge, rating, key, each.number, each.version, place[judge], seconds)


def _scale_in(state: State, each: Round, key: str) -> Scale | None:
    edition = next(one for one in state.editions if one.version == each.version)
    return next((one.scale for one in edition.criteria if one.key == key), None)


def _comparable(before: Scale | None, now: Scale) -> bool:
    """Say whether ratings on both mean the same; other words beside the ranks change no rating."""

    def meaning(scale: Scale) -> tuple[Any, ...]:
        return scale.level, scale.categories, scale.low, scale.high, scale.best

    return before is not None and meaning(before) == meaning(now)


def _refuse_mixed(frame: dict[str, list[Any]]) -> None:
    pairs = list(zip(frame["criterion"], frame["rating"], strict=True))
    words = dict.fromkeys(key for key, rating in pairs if isinstance(rating, str))
    numbers = dict.fromkeys(key for key, rating in pairs if not isinstance(rating, str))
    if words and numbers:
        raise InvalidArgument(
            f"{listed(words)} is answered in words and {listed(numbers)} in numbers, and one table "
            "of ratings holds one of the two: choose criteria of one kind (criteria=[…]; on the "
            "command line --only criterion=…)"
        )


def _known(study: Study, items: list[str]) -> dict[str, list[Any]]:
    """What the study knows of the items, where it knows anything."""
    by_id = {each.id: each for each in study.items}
    found = [by_id.get(item) for item in items]
    columns: dict[str, list[Any]] = {
        "system": [each and each.system for each in found],
        "source": [each and each.source for each in found],
    }
    return {name: values for name, values in columns.items() if any(values)}
