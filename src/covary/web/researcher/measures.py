"""Agreement beside correlation on each criterion, and what is notable about single judges."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from covary.analysis.coefficients import main_pair
from covary.analysis.disagreement import decompose
from covary.analysis.forensics import Finding, check
from covary.analysis.judges import JudgeProfile, judge_profiles
from covary.analysis.reliability import dominant_share, ratings_per_item
from covary.analysis.verdict import CORRELATION, Verdict, VerdictEvidence, verdict
from covary.errors import quiet
from covary.ratings import Ratings
from covary.reports.formatting import with_ends, with_interval
from covary.stats.coefficients.krippendorff import krippendorff_alpha
from covary.stats.estimate import Estimate
from covary.stats.intervals import IntervalSpec
from covary.stats.patterns import Patterns, collapse
from covary.store.export import Collection
from covary.store.store import Store
from covary.study.model import Criterion, Study
from covary.study.recruiting import matches
from covary.words import Note

FEW_JUDGES = 25
"""So many judges make 300 pairs, whose mean gets the usual interval; with more, a jackknife."""

MANY_JUDGES = 100
"""With more judges, the pairs are too many to be looked at while the study runs."""

CONFIDENCE = 0.95

SEED = 1
"""The same ratings give the same interval at each look."""


@dataclass(frozen=True, kw_only=True)
class CriterionLine:
    """What is known about one criterion; `reasons` say why a number is missing."""

    criterion: Criterion
    items: int = 0
    judges: int = 0
    ratings: int = 0
    agreement: Estimate | None = None
    correlation: Estimate | None = None
    verdict: Verdict | None = None
    reasons: tuple[str, ...] = ()

    @property
    def agreement_words(self) -> str:
        """Agreement and its interval, or a dash."""
        return with_minus_sign(with_interval(self.agreement))

    @property
    def correlation_words(self) -> str:
        """Correlation and its interval, or a dash."""
        return with_minus_sign(with_interval(self.correlation))

    @property
    def verdict_words(self) -> str:
        """The verdict in a word."""
        undefined = self.verdict is None or self.verdict.word == "undefined"
        return "" if undefined or self.verdict is None else self.verdict.word

    @property
    def explanation(self) -> tuple[str, ...]:
        """What the verdict means, what the ratings can be used for, and why they disagree."""
        if not self.verdict_words or self.verdict is None:
            return ()
        shares = self.verdict.shares
        split = [shares.sentence] if shares is not None and shares.defined else []
        return self.verdict.sentence, *(use.sentence for use in self.verdict.uses), *split


def with_minus_sign(written: str) -> str:
    """Write numbers with a real minus sign."""
    return written.replace("-", "\N{MINUS SIGN}")


def measure_criterion(criterion: Criterion, ratings: Ratings | None) -> CriterionLine:
    """Measure the ratings on one criterion, at the level of its scale."""
    if ratings is None:
        return CriterionLine(criterion=criterion, reasons=(Note("web.no-ratings-yet"),))
    with quiet():  # the reasons say the same
        patterns = collapse(ratings, criterion.key)
        agreement, correlation, reasons = _pair(ratings, criterion, len(patterns.judges))
    return CriterionLine(
        criterion=criterion,
        items=patterns.n_items,
        judges=len(patterns.judges),
        ratings=patterns.n_ratings,
        agreement=agreement,
        correlation=correlation,
        verdict=None if reasons else _verdict(agreement, correlation, patterns),
        reasons=(*_reasons(agreement, correlation), *reasons),
    )


def _pair(
    ratings: Ratings, criterion: Criterion, judges: int
) -> tuple[Estimate, Estimate | None, tuple[str, ...]]:
    if judges > MANY_JUDGES:
        agreement = krippendorff_alpha(ratings, criterion=criterion.key, rng=SEED)
        return agreement, None, (Note("web.too-many-pairs", judges=judges),)
    method = "auto" if judges <= FEW_JUDGES else "jackknife"
    agreement = krippendorff_alpha(ratings, criterion=criterion.key, rng=SEED)
    _, correlation = main_pair(
        ratings, criterion.key, IntervalSpec.of(method, CONFIDENCE, 1000, SEED)
    )
    return agreement, correlation, ()


def _verdict(agreement: Estimate, correlation: Estimate | None, patterns: Patterns) -> Verdict:
    """What the numbers say together, and what the disagreement is made of."""
    evidence = VerdictEvidence(
        agreement=agreement,
        correlation=correlation,
        dominant=dominant_share(patterns),
        decomposition=decompose(patterns, "all judges", CONFIDENCE),
        ratings_per_item=ratings_per_item(patterns),
    )
    return verdict(evidence)


def _reasons(agreement: Estimate, correlation: Estimate | None) -> tuple[str, ...]:
    """Say why a number is undefined, each reason once."""
    missing = [
        estimate
        for estimate in (agreement, correlation)
        if estimate is not None and not estimate.defined
    ]
    reasons = (
        estimate.notes[-1] if estimate.notes else Note("web.undefined") for estimate in missing
    )
    return tuple(dict.fromkeys(reasons))


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

HALF = 0.5
MOST_WORK = 100_000_000
"""Judges times judges times items, up to which each judge is compared with all others."""


@dataclass(frozen=True)
class Flag:
    """One thing to look at: what kind, and the numbers that show it."""

    kind: str
    words: str


@dataclass(frozen=True)
class KnownAnswers:
    """How many answers of a judge matched what was known, of how many."""

    matched: int
    given: int

    @property
    def failed(self) -> int:
        return self.given - self.matched


def flags_of(
    collection: Collection,
    parts: Mapping[str, Ratings],
    *,
    pace: Mapping[str, float],
    known: Mapping[str, Mapping[str, KnownAnswers]],
) -> dict[str, tuple[Flag, ...]]:
    """Return what is notable about each judge, by name."""
    flags: dict[str, list[Flag]] = {}
    for judge, flag in (
        *_known_answer_flags(known),
        *_finding_flags(parts),
        *_untouched_flags(collection),
        *_consistency_flags(parts),
    ):
        flags.setdefault(judge, []).append(flag)
    for judge, flag in _haste_flags(collection, pace):
        if not any(
            known_flag.kind == flag.kind for known_flag in flags.get(judge, ())
        ):  # said already
            flags.setdefault(judge, []).append(flag)
    return {judge: tuple(said) for judge, said in flags.items()}


def seconds_per_item(collection: Collection) -> dict[str, float]:
    """Return each judge's median time on an item: from all its criteria, the longest time."""
    spent: dict[tuple[str, Any, Any], float] = {}
    columns = (collection.columns[name] for name in ("judge", "occasion", "order", "seconds"))
    for judge, occasion, position, seconds in zip(*columns, strict=True):
        if seconds is not None:
            place = (judge, occasion, position)
            spent[place] = max(seconds, spent.get(place, 0.0))
    times: dict[str, list[float]] = {}
    for (judge, _, _), seconds in spent.items():
        times.setdefault(judge, []).append(seconds)
    return {judge: median(seconds) for judge, seconds in times.items()}


def known_answers(study: Study, store: Store) -> dict[str, dict[str, KnownAnswers]]:
    """Count each judge's answers to checks and to items with a known answer, by kind."""
    items = {item.id: item for item in (*study.items_of("check"), *study.items_of("gold"))}
    if not items:
        return {}
    criteria = {criterion.key: criterion for criterion in study.criteria}
    given: Counter[tuple[str, str]] = Counter()
    matched: Counter[tuple[str, str]] = Counter()
    for row in store.answers.counted():
        item, criterion = items.get(row.answer.item), criteria.get(row.answer.criterion)
        if item is None or criterion is None or criterion.key not in item.expected:
            continue
        given[row.judge, item.kind] += 1
        matched[row.judge, item.kind] += matches(criterion, item, row.answer.rating)
    counted: dict[str, dict[str, KnownAnswers]] = {}
    for (judge, kind), number in given.items():
        counted.setdefault(judge, {})[kind] = KnownAnswers(matched[judge, kind], number)
    return counted


def _known_answer_flags(
    known: Mapping[str, Mapping[str, KnownAnswers]],
) -> Iterator[tuple[str, Flag]]:
    for judge, kinds in known.items():
        check_, gold = kinds.get("check"), kinds.get("gold")
        if check_ and check_.failed:
            yield judge, Flag("failed checks", f"{check_.failed} of {check_.given} failed")
        if gold and gold.failed > HALF * gold.given:
            words = f"{gold.failed} of {gold.given} differ from the known answer"
            yield judge, Flag("known answers missed", words)


def _haste_flags(collection: Collection, pace: Mapping[str, float]) -> Iterator[tuple[str, Flag]]:
    items = Counter(judge for judge, _ in _places(collection))
    habits = {judge: seconds for judge, seconds in pace.items() if items[judge] >= LEAST_ITEMS}
    if len(habits) < 3:
        return
    usual = median(habits.values())
    for judge, own in habits.items():
        if own < HASTY * usual:
            words = f"{own:.1f} s per item, where half of the judges take {usual:.1f} s or more"
            yield judge, Flag(TOO_FAST, words)


def _places(collection: Collection) -> set[tuple[str, Any]]:
    return set(zip(collection.columns["judge"], collection.columns["order"], strict=True))


def _untouched_flags(collection: Collection) -> Iterator[tuple[str, Flag]]:
    lines = {key for key, scale in collection.scales.items() if scale.categories is None}
    lines_shown: Counter[str] = Counter()
    untouched: Counter[str] = Counter()
    columns = (collection.columns[name] for name in ("judge", "criterion", "rating"))
    for judge, criterion, rating in zip(*columns, strict=True):
        if criterion in lines:
            lines_shown[judge] += 1
            untouched[judge] += rating is None
    for judge, number in untouched.items():
        if number:
            yield (
                judge,
                Flag("untouched scales", f"{number:,} of {lines_shown[judge]:,} left untouched"),
            )


def _finding_flags(parts: Mapping[str, Ratings]) -> Iterator[tuple[str, Flag]]:
    """What the check of the ratings says about single judges, criterion by criterion."""
    for key, ratings in parts.items():
        for finding in check(ratings):
            if finding.code in KINDS:
                for part in finding.parts or (finding,):
                    yield from _of_judges(key, part)


def _of_judges(key: str, finding: Finding) -> Iterator[tuple[str, Flag]]:
    kind = KINDS[finding.code]
    if finding.code == "impossible-times":
        for judge, times in finding.data.items():
            words = f"{times['short']:,} of {times['timed']:,} answers within a second"
            yield str(judge), Flag(kind, f"{key}: {words}")
        return
    named = finding.data.get("judges") or [finding.data["judge"]]
    for judge in named:
        others = [str(other) for other in named if other != judge]
        like = f"{', '.join(others)}: " if others else ""
        yield str(judge), Flag(kind, f"{key}: {like}{finding.evidence}")


def _consistency_flags(parts: Mapping[str, Ratings]) -> Iterator[tuple[str, Flag]]:
    """Who orders the items differently from the others, and not by chance."""
    for key, ratings in parts.items():
        if ratings.n_judges < 3 or too_many(ratings):
            continue
        with quiet():
            profiles = judge_profiles(ratings)
        for profile in profiles:
            if _is_apart(profile):
                r = with_minus_sign(with_ends(profile.consistency, bounded=True))
                words = f"{key}: r {r} with the mean of the others"
                yield str(profile.judge), Flag("low agreement", words)


def too_many(ratings: Ratings) -> bool:
    """Say whether to compare each judge with all others would take too long while judges work."""
    return ratings.n_judges**2 * ratings.n_items > MOST_WORK


def _is_apart(profile: JudgeProfile) -> bool:
    """Whether even the upper end of the interval is no large correlation."""
    consistency = profile.consistency
    highest = consistency.value if math.isnan(consistency.high) else consistency.high
    return profile.n_ratings >= LEAST_ITEMS and highest < CORRELATION
