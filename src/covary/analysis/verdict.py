"""Three facts about ratings, the word that follows from them, and what the ratings are good for.

Whether the judges agree, whether they order the items alike, and whether their disagreement is
severity: each is shown, ruled out or open, by its interval and never by the point. A word that
names a cause is said only where that cause was tested. What single ratings do not bear their means
may bear, so each use has an answer of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import field, replace
from typing import Any, Literal, TypeVar

import numpy as np

from covary.analysis.disagreement import Decomposition
from covary.records import dataclass
from covary.stats.coefficients.mean_squares import spearman_brown
from covary.stats.estimate import Estimate, Interval, Result
from covary.words import Note
from covary.words import word as put_into_words

State = Literal["shown", "ruled out", "open", "unknown"]
Subject = Literal["agreement", "order", "severity"]
Purpose = Literal["single ratings", "item means", "system means"]
Word = Literal[
    "interchangeable",
    "agree; one is stricter",
    "consistent, different severity",
    "consistent but noisy",
    "consistent, partly severity",
    "consistent, severity unknown",
    "usable as means",
    "not reliable",
    "little variation",
    "cannot tell yet",
    "undefined",
]

UNSEEN = "never seen"
"""How an interval is made where no resample differs: from what so many units may have hidden."""

MOST_TIMES = 20
"""Where it would take more than so many times the items, more items are no way to find out."""


@dataclass(frozen=True, kw_only=True)
class Thresholds(Result):
    """What counts as enough.

    `agreement`: conclusions are at least tentative (Krippendorff 2004: 241). `order`: a
    correlation is large (Cohen 1988; Rosenthal 1996). `severity`: the share of the disagreement
    from which adjusting for the judge is worthwhile. `means`: the reliability that means should
    have,
    which two ratings of agreement .667 reach. `dominant`: where one category takes this share of
    the ratings, there is little left to agree on.
    """

    agreement: float = 0.667
    order: float = 0.5
    severity: float = 0.25
    means: float = 0.8
    dominant: float = 0.9


DEFAULTS = Thresholds()
AGREEMENT, CORRELATION = DEFAULTS.agreement, DEFAULTS.order


@dataclass(frozen=True, kw_only=True)
class VerdictFact(Result):
    """One of the three facts: a number with its interval, against a threshold.

    `more_items` is about how many further items would settle what is open; None where it is
    settled, or so near the threshold that no number of items is worth it, or where it is not items
    that are missing: `common` is how many items two judges have in common, in the middle, where
    these are too few to settle the order. `decisive` is false where the items are too few for an
    interval that may decide.
    """

    about: Subject
    state: State
    threshold: float
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    more_items: int | None = None
    common: int | None = None
    decisive: bool = True


@dataclass(frozen=True, kw_only=True)
class RatingUse(Result):
    """Whether ratings are reliable enough for a purpose.

    `value` is a reliability from 0 to 1, with its interval for these judges; `ratings` how many
    ratings a mean is over (the harmonic mean over items); `ordered` is false where the categories
    are names, whose means are the shares of each.
    """

    purpose: Purpose
    state: State
    threshold: float
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    ratings: float = math.nan
    ordered: bool = True

    @property
    def sentence(self) -> str:
        """Say whether the ratings bear this use."""
        return put_into_words("verdict.use", vars(self))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return super().to_dict() | {"sentence": self.sentence}


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """A word, the three facts that it follows from, and what the ratings can be used for.

    `judges_needed` is how many judges an item needs for means of the reliability that the
    thresholds ask for, by Spearman and Brown; adjusted ones, where the verdict is to adjust.
    `named` is false where nobody knows who gave which rating, `ordered` where the categories are
    names. `points` says that no intervals were asked for: then the points alone gave the word, and
    every fact and use is open.
    """

    word: Word
    facts: tuple[VerdictFact, ...] = ()
    uses: tuple[RatingUse, ...] = ()
    shares: Decomposition | None = field(default=None, repr=False)
    judges_needed: int | None = None
    target: float = DEFAULTS.means
    named: bool = True
    ordered: bool = True
    points: bool = False

    @property
    def sure(self) -> bool:
        """Whether the facts decide; "cannot tell yet" is no failure, but a question left open."""
        return self.word not in ("cannot tell yet", "undefined") and not self.points

    @property
    def sentence(self) -> str:
        """What the word means, and what to do."""
        return put_into_words("verdict", vars(self))

    def fact(self, about: Subject) -> VerdictFact | None:
        """Return one of the facts, where it was asked for."""
        return next((fact for fact in self.facts if fact.about == about), None)

    def __str__(self) -> str:
        return f"{self.word}: {self.sentence}"

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain values."""
        return {
            "word": self.word,
            "sentence": self.sentence,
            "sure": self.sure,
            "facts": [fact.to_dict() for fact in self.facts],
            "uses": [use.to_dict() for use in self.uses],
            "judges_needed": self.judges_needed,
        }


@dataclass(frozen=True, kw_only=True)
class VerdictEvidence:
    """What a verdict is read from.

    `dominant` is the share of the most frequent category; `ratings_per_item` the harmonic mean;
    `system_means` what is known of the ranking of systems. `points` lets points give the word where
    intervals were not asked for.
    """

    agreement: Estimate
    correlation: Estimate | None
    dominant: float
    decomposition: Decomposition | None = None
    ratings_per_item: float = math.nan
    system_means: RatingUse | None = None
    slots: bool = False
    points: bool = False

    @property
    def complete(self) -> bool:
        """Whether every judge rated every item, so that severity cancels between items' means."""
        parts = self.decomposition
        return parts is not None and parts.defined and parts.complete


Claim = TypeVar("Claim", VerdictFact, RatingUse)


def verdict(evidence: VerdictEvidence, thresholds: Thresholds = DEFAULTS) -> Verdict:
    """Judge ratings by what was tested: agreement, order and severity, each by its interval."""
    facts = tuple(_facts(evidence, thresholds))
    by_subject = {fact.about: fact for fact in facts}
    uses = tuple(_uses(evidence, by_subject["agreement"].state, thresholds))
    word = _word(evidence, by_subject, uses, thresholds)
    if evidence.points:
        facts, uses = tuple(map(_left_open, facts)), tuple(map(_left_open, uses))
    return Verdict(
        word=word,
        facts=facts,
        uses=uses,
        shares=evidence.decomposition,
        judges_needed=_judges_needed(evidence, word, thresholds.means),
        target=thresholds.means,
        named=not evidence.slots,
        ordered=evidence.correlation is not None,
        points=evidence.points,
    )


def _left_open(claim: Claim) -> Claim:
    """The same without a claim: estimates alone show nothing and rule nothing out."""
    return claim if claim.state == "unknown" else replace(claim, state="open")


def _facts(evidence: VerdictEvidence, thresholds: Thresholds) -> Iterator[VerdictFact]:
    points = evidence.points
    yield _tested("agreement", evidence.agreement, thresholds.agreement, points)
    if evidence.correlation is not None:
        yield _tested("order", evidence.correlation, thresholds.order, points)
    yield _severity(evidence, thresholds.severity)


def _tested(about: Subject, estimate: Estimate, threshold: float, points: bool) -> VerdictFact:
    """Compare a coefficient with its threshold."""
    ends, decisive = _ends(about, estimate, points), _decides(estimate)
    state = state_of(*ends, threshold) if decisive else "open"
    more = _more_items(estimate.value, ends, threshold, estimate.n_items)
    common = _few_common(estimate) if state == "open" else None
    return VerdictFact(
        about=about,
        state=state,
        threshold=threshold,
        value=estimate.value,
        low=ends[0],
        high=ends[1],
        more_items=more if state == "open" and decisive and common is None else None,
        common=common,
        decisive=decisive,
    )


def _few_common(estimate: Estimate) -> int | None:
    """How many items two judges share in the middle, where most of them share too few.

    Then the same judges must meet on more items; further items for further judges change nothing.
    """
    if estimate.settings.get("combine") != "pooled":
        return None
    return int(np.median([pair["items"] for pair in estimate.details["pairs"]]))


def _decides(estimate: Estimate) -> bool:
    """Whether a conclusion may rest on the interval; what has no width gets ends of its own."""
    interval = estimate.interval
    return interval is None or interval.decisive or interval.low == interval.high


def _ends(about: Subject, estimate: Estimate, points: bool) -> tuple[float, float]:
    """The interval that may decide.

    Where no two ratings differ, or no pair of items is in the opposite order, resampling sees no
    uncertainty. What was not seen in n items may still occur in a share p of them, at which it
    stays unseen with the probability that the interval leaves: then (1 - p)^n is that
    probability. At worst these items are rated as by chance, or in the opposite order.
    """
    interval, value = estimate.interval, estimate.value
    if interval is None and points:
        return value, value
    if interval is not None and interval.high > interval.low:
        return interval.low, interval.high
    if not value >= 1 - 1e-12 or not estimate.n_items:
        return math.nan, math.nan
    level = 0.95 if interval is None else interval.level
    unseen = 1 - ((1 - level) / 2) ** (1 / _units(about, estimate))
    return 1 - unseen * (2 if about == "order" else 1), 1.0


def _units(about: Subject, estimate: Estimate) -> int:
    """What could have shown the unseen: the items, or the pairs of items where these are fewer.

    Judges who share a few items only leave few pairs of items to order.
    """
    pairs = estimate.details.get("concordant", 0) + estimate.details.get("discordant", 0)
    return min(estimate.n_items, pairs) if about == "order" and pairs else estimate.n_items


def with_width(about: Subject, estimate: Estimate) -> Estimate:
    """Give a perfect coefficient whose resamples do not differ the interval that decides."""
    interval = estimate.interval
    if interval is None or interval.high > interval.low:
        return estimate
    low, high = _ends(about, estimate, points=False)
    if math.isnan(low):
        return estimate
    shown = replace(interval, low=low, high=high, method=UNSEEN, decisive=True)
    units = "pairs of items" if about == "order" else "items"
    note = Note("verdict.unseen", n=_units(about, estimate), units=units)
    kept = (other for other in estimate.notes if getattr(other, "code", "") != "stats.no-width")
    return replace(estimate, interval=shown, notes=(*kept, note))


def state_of(low: float, high: float, threshold: float) -> State:
    """Say whether an interval shows a threshold to be reached, rules it out, or holds it."""
    if low >= threshold:
        return "shown"
    return "ruled out" if high < threshold else "open"


def _more_items(value: float, ends: tuple[float, float], threshold: float, n: int) -> int | None:
    """About how many more items it takes until the interval is short enough to decide."""
    gap = value - threshold
    reach = value - ends[0] if gap > 0 else ends[1] - value
    if not abs(gap) > 0 or not math.isfinite(reach) or (reach / gap) ** 2 > MOST_TIMES:
        return None
    more = n * ((reach / gap) ** 2 - 1)
    step = int(10 ** max(len(str(math.ceil(more))) - 2, 0))
    return max(math.ceil(more / step) * step, 1)


def _severity(evidence: VerdictEvidence, threshold: float) -> VerdictFact:
    parts = evidence.decomposition
    if parts is not None and parts.unanimous:
        return VerdictFact(about="severity", state="ruled out", threshold=threshold, value=0.0)
    if parts is None or not parts.defined:
        return VerdictFact(about="severity", state="unknown", threshold=threshold)
    interval, value = parts.severity_interval, parts.severity
    ends = (math.nan, math.nan) if interval is None else (interval.low, interval.high)
    state = state_of(*((value, value) if evidence.points else ends), threshold)
    more = _more_items(value, ends, threshold, parts.n_items) if state == "open" else None
    return VerdictFact(
        about="severity",
        state=state,
        threshold=threshold,
        value=value,
        low=ends[0],
        high=ends[1],
        more_items=more,
    )


def _word(
    evidence: VerdictEvidence,
    facts: dict[Subject, VerdictFact],
    uses: tuple[RatingUse, ...],
    thresholds: Thresholds,
) -> Word:
    """Read the word off the table of facts."""
    agreement, order = facts["agreement"].state, facts.get("order", facts["agreement"]).state
    if evidence.dominant >= thresholds.dominant and agreement != "shown":
        return "little variation"
    if not evidence.agreement.defined:
        return "undefined"
    if agreement == "shown":
        return _word_of_agreement(facts["severity"])
    if (agreement, order) == ("ruled out", "shown"):
        return CONSISTENT[facts["severity"].state]
    if (agreement, order) == ("ruled out", "ruled out"):
        means = any(use.purpose == "item means" and use.state == "shown" for use in uses)
        return "usable as means" if means else "not reliable"
    return "cannot tell yet"


def _word_of_agreement(severity: VerdictFact) -> Word:
    """Judges who agree may still differ in severity; a share that is small does not matter."""
    if severity.state == "shown":
        return "agree; one is stricter"
    large = severity.state == "open" and severity.value >= severity.threshold
    return "cannot tell yet" if large else "interchangeable"


CONSISTENT: dict[State, Word] = {
    "shown": "consistent, different severity",
    "ruled out": "consistent but noisy",
    "open": "consistent, partly severity",
    "unknown": "consistent, severity unknown",
}
"""What is said of judges who order the items alike and do not agree, by what severity makes."""


def _uses(
    evidence: VerdictEvidence, agreement: State, thresholds: Thresholds
) -> Iterator[RatingUse]:
    estimate = evidence.agreement
    if not estimate.defined:
        return
    low, high = _ends("agreement", estimate, evidence.points)
    yield RatingUse(
        purpose="single ratings",
        state=agreement,
        threshold=thresholds.agreement,
        value=estimate.value,
        low=low,
        high=high,
        ratings=1.0,
    )
    k = evidence.ratings_per_item
    if k > 1:
        value, (low, high) = _single(evidence)
        value, low, high = (_of_mean(single, k) for single in (value, low, high))
        yield RatingUse(
            purpose="item means",
            state=state_of(low, high, thresholds.means) if _decides(estimate) else "open",
            threshold=thresholds.means,
            value=value,
            low=low,
            high=high,
            ratings=k,
            ordered=evidence.correlation is not None,
        )
    if evidence.system_means is not None:
        yield evidence.system_means


def _of_mean(single: float, k: float) -> float:
    """The reliability of a mean of k ratings, which is not below 0."""
    return single if math.isnan(single) else max(spearman_brown(single, k), 0.0)


def _single(evidence: VerdictEvidence) -> tuple[float, tuple[float, float]]:
    """What one rating contributes to a mean: without severity where all judges rated all items."""
    parts, estimate = evidence.decomposition, evidence.agreement
    if parts is None or not evidence.complete:
        return estimate.value, _ends("agreement", estimate, evidence.points)
    interval: Interval | None = parts.without_interval
    value = parts.without_severity
    if evidence.points:
        return value, (value, value)
    if interval is not None:
        return value, (interval.low, interval.high)
    nothing = not value > 0  # then severity hides no agreement
    ends = _ends("agreement", estimate, points=False) if nothing else (math.nan, math.nan)
    return value, ends


def _judges_needed(evidence: VerdictEvidence, word: Word, target: float) -> int | None:
    """How many judges an item needs, by Spearman and Brown; None where nothing helps.

    It counts on the same single rating as the reliability of the means, except where the verdict is
    to adjust for the judge: then severity is taken out of them.
    """
    parts = evidence.decomposition
    single = _single(evidence)[0]
    if parts is not None and parts.defined and word == "consistent, different severity":
        single = parts.without_severity
    if not 0 < single < 1:
        return None
    return max(math.ceil(target * (1 - single) / (single * (1 - target)) - 1e-9), 1)
