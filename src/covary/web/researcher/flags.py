"""What is notable about single judges, for a researcher to look at; nobody is judged by it."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from covary.analysis.forensics import Finding, check
from covary.analysis.judges import JudgeProfile, judge_profiles
from covary.analysis.verdict import CORRELATION
from covary.errors import CovaryWarning
from covary.ratings import Ratings
from covary.report.rounding import measured
from covary.store.export import Collected
from covary.store.store import Store
from covary.study.model import Criterion, Item, Study
from covary.web.researcher.reliability import minus

__all__ = ["Flag", "Known", "flags_of", "known_answers", "matches", "seconds_per_item", "too_many"]

TOO_FAST = "too fast"

KINDS = {
    "straight-lining": "one rating in a row",
    "constant-judge": "one rating throughout",
    "narrow-judge": "hardly varies",
    "copying-judge": "like another judge",
    "impossible-times": TOO_FAST,
}
"""The findings of `covary.check` that speak of single judges, and a few words for each."""

LEAST_ITEMS = 10
"""On fewer items a judge has no habit to speak of."""

HASTY = 1 / 3
"""A judge is hasty whose median time is below this share of the median judge's."""

NEAR = 0.1
"""A mark this share of the line from the known answer matches it."""

HALF = 0.5
MOST_WORK = 100_000_000
"""Judges times judges times items, up to which each judge is compared with all others."""


@dataclass(frozen=True)
class Flag:
    """One thing to look at: what kind, and the numbers that show it."""

    kind: str
    words: str


@dataclass(frozen=True)
class Known:
    """How many answers of a judge matched what was known, of how many."""

    matched: int
    given: int

    @property
    def failed(self) -> int:
        return self.given - self.matched


def flags_of(
    found: Collected,
    parts: Mapping[str, Ratings],
    *,
    pace: Mapping[str, float],
    known: Mapping[str, Mapping[str, Known]],
) -> dict[str, tuple[Flag, ...]]:
    """Return what is notable about each judge, by name."""
    flags: dict[str, list[Flag]] = {}
    for judge, flag in (*_checked(known), *_found(parts), *_untouched(found), *_apart(parts)):
        flags.setdefault(judge, []).append(flag)
    for judge, flag in _hasty(found, pace):
        if not any(each.kind == flag.kind for each in flags.get(judge, ())):  # said already
            flags.setdefault(judge, []).append(flag)
    return {judge: tuple(said) for judge, said in flags.items()}


def seconds_per_item(found: Collected) -> dict[str, float]:
    """Return each judge's median time on an item: from all its criteria, the longest time."""
    spent: dict[tuple[str, Any, Any], float] = {}
    columns = (found.columns[name] for name in ("judge", "occasion", "order", "seconds"))
    for judge, occasion, position, seconds in zip(*columns, strict=True):
        if seconds is not None:
            place = (judge, occasion, position)
            spent[place] = max(seconds, spent.get(place, 0.0))
    times: dict[str, list[float]] = {}
    for (judge, _, _), seconds in spent.items():
        times.setdefault(judge, []).append(seconds)
    return {judge: median(each) for judge, each in times.items()}


def known_answers(study: Study, store: Store) -> dict[str, dict[str, Known]]:
    """Count each judge's answers to checks and to items with a known answer, by kind."""
    items = {item.id: item for item in (*study.items_of("check"), *study.items_of("gold"))}
    if not items:
        return {}
    criteria = {each.key: each for each in study.criteria}
    given: Counter[tuple[str, str]] = Counter()
    matched: Counter[tuple[str, str]] = Counter()
    for row in store.rows():
        item, criterion = items.get(row.answer.item), criteria.get(row.answer.criterion)
        if item is None or criterion is None or criterion.key not in item.expected:
            continue
        given[row.judge, item.kind] += 1
        matched[row.judge, item.kind] += matches(criterion, item, row.answer.rating)
    counted: dict[str, dict[str, Known]] = {}
    for (judge, kind), number in given.items():
        counted.setdefault(judge, {})[kind] = Known(matched[judge, kind], number)
    return counted


def matches(criterion: Criterion, item: Item, rating: Any) -> bool:
    """Say whether an answer is the expected one; on a line, whether it is near it."""
    expected = item.expected[criterion.key]
    if rating is None or criterion.scale.categories is not None:
        return bool(rating == expected)
    length = criterion.scale.high - criterion.scale.low
    return abs(float(rating) - float(expected)) <= NEAR * length


def _checked(known: Mapping[str, Mapping[str, Known]]) -> Iterator[tuple[str, Flag]]:
    for judge, kinds in known.items():
        check_, gold = kinds.get("check"), kinds.get("gold")
        if check_ and check_.failed:
            yield judge, Flag("failed checks", f"{check_.failed} of {check_.given} failed")
        if gold and gold.failed > HALF * gold.given:
            words = f"{gold.failed} of {gold.given} differ from the known answer"
            yield judge, Flag("known answers missed", words)


def _hasty(found: Collected, pace: Mapping[str, float]) -> Iterator[tuple[str, Flag]]:
    items = Counter(judge for judge, _ in _places(found))
    habits = {judge: each for judge, each in pace.items() if items[judge] >= LEAST_ITEMS}
    if len(habits) < 3:
        return
    usual = median(habits.values())
    for judge, own in habits.items():
        if own < HASTY * usual:
            words = f"{own:.1f} s per item, where half of the judges take {usual:.1f} s or more"
            yield judge, Flag(TOO_FAST, words)


def _places(found: Collected) -> set[tuple[str, Any]]:
    return set(zip(found.columns["judge"], found.columns["order"], strict=True))


def _untouched(found: Collected) -> Iterator[tuple[str, Flag]]:
    lines = {key for key, each in found.criteria.items() if each.scale.categories is None}
    asked: Counter[str] = Counter()
    untouched: Counter[str] = Counter()
    columns = (found.columns[name] for name in ("judge", "criterion", "rating"))
    for judge, criterion, rating in zip(*columns, strict=True):
        if criterion in lines:
            asked[judge] += 1
            untouched[judge] += rating is None
    for judge, number in untouched.items():
        if number:
            yield judge, Flag("untouched scales", f"{number:,} of {asked[judge]:,} left untouched")


def _found(parts: Mapping[str, Ratings]) -> Iterator[tuple[str, Flag]]:
    """What the check of the ratings says about single judges, criterion by criterion."""
    for key, ratings in parts.items():
        for finding in check(ratings):
            if finding.code in KINDS:
                yield from _of_judges(key, finding)


def _of_judges(key: str, finding: Finding) -> Iterator[tuple[str, Flag]]:
    kind = KINDS[finding.code]
    if finding.code == "impossible-times":
        for judge, times in finding.data.items():
            words = f"{times['short']:,} of {times['timed']:,} answers within a second"
            yield str(judge), Flag(kind, f"{key}: {words}")
        return
    named = finding.data.get("judges") or [finding.data["judge"]]
    for judge in named:
        others = [str(each) for each in named if each != judge]
        like = f"{', '.join(others)}: " if others else ""
        yield str(judge), Flag(kind, f"{key}: {like}{finding.evidence}")


def _apart(parts: Mapping[str, Ratings]) -> Iterator[tuple[str, Flag]]:
    """Who orders the items differently from the others, and not by chance."""
    for key, ratings in parts.items():
        if ratings.n_judges < 3 or too_many(ratings):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CovaryWarning)
            profiles = judge_profiles(ratings)
        for each in profiles:
            if _is_apart(each):
                r = minus(measured(each.consistency, bounded=True))
                words = f"{key}: r {r} with the mean of the others"
                yield str(each.judge), Flag("low agreement", words)


def too_many(ratings: Ratings) -> bool:
    """Say whether to compare each judge with all others would take too long while judges work."""
    return ratings.n_judges**2 * ratings.n_items > MOST_WORK


def _is_apart(profile: JudgeProfile) -> bool:
    """Whether even the upper end of the interval is no large correlation."""
    found = profile.consistency
    highest = found.value if math.isnan(found.high) else found.high
    return profile.n_ratings >= LEAST_ITEMS and highest < CORRELATION
