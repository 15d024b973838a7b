"""Why agreement is low: an unsound scheme, insufficient guidelines, or insufficient training.

Godwin & Piwek (2016) name these three causes. Each gets the evidence that speaks for it, that
speaks against it, and what is not known; the reader decides.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from covary.analysis.judges import CONSISTENT, NOISY, JudgeProfile
from covary.analysis.rounds.differences import Gap, ItemShare
from covary.analysis.rounds.fresh_group import FreshGroup
from covary.analysis.verdict import AGREEMENT
from covary.scales import Level
from covary.stats.estimate import Estimate, plain
from covary.stats.patterns import Patterns
from covary.words import Note

Floats = npt.NDArray[np.float64]
Speaks = Literal["for", "against", "unknown"]

CAUSES = (Note("rounds.scheme"), Note("rounds.guidelines"), Note("rounds.training"))
"""Unsound scheme, insufficient guidelines, insufficient training."""

UNUSED = 0.01
"""A category with a smaller share of the ratings is hardly used."""

STRICTNESS = 0.05
"""So much more alpha without the judges' severity is worth a word."""

ALONE = 0.1
"""So much more alpha without one judge means that this judge stands apart."""

LITTLE = 0.1
"""A new group whose alpha is surely not lower by more agrees about as well as the authors."""

HASTY = 0.1
"""So large a share of hasty answers is worth a word."""


@dataclass(frozen=True)
class Evidence:
    """A sentence with its numbers, and whether it speaks for the cause, against it, or neither."""

    speaks: Speaks
    sentence: Note


@dataclass(frozen=True)
class Cause:
    """A possible cause and its evidence."""

    name: str
    evidence: tuple[Evidence, ...]

    @property
    def weight(self) -> int:
        """How many sentences speak for it, less those that speak against it."""
        weights = {"for": 1, "against": -1, "unknown": 0}
        return sum(weights[evidence.speaks] for evidence in self.evidence)

    @property
    def likely(self) -> bool:
        """Whether more speaks for it than against it."""
        return self.weight > 0


@dataclass(frozen=True)
class Diagnosis:
    """Whether agreement in the last round is low, and what speaks for each cause."""

    low: bool
    causes: tuple[Cause, ...]

    @property
    def sentence(self) -> Note:
        """The most likely causes in a sentence."""
        likely = [cause.name for cause in self.causes if cause.likely]
        return Note("rounds.diagnosis", low=self.low, likely=likely, agreement=AGREEMENT)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        causes = [plain(cause) | {"likely": cause.likely} for cause in self.causes]
        return {"low": self.low, "causes": causes}


@dataclass(frozen=True, kw_only=True)
class DiagnosisFacts:
    """What a diagnosis of one criterion rests on.

    `changes` counts the changes of the manual, `telling_changes` those that tell judges how to
    judge, and `refused` the proposals on which they found no consensus.
    """

    patterns: Patterns
    alpha: Estimate
    within: Sequence[ItemShare]
    gap: Gap | None
    profiles: Sequence[JudgeProfile]
    changes: int
    telling_changes: int
    refused: int
    fresh: FreshGroup | None


def diagnose(facts: DiagnosisFacts) -> Diagnosis:
    """Gather the evidence for each cause of low agreement."""
    interval = facts.alpha.interval
    reached = facts.alpha.value if interval is None else interval.low
    evidence = zip(CAUSES, (_scheme(facts), _guidelines(facts), _training(facts)), strict=True)
    causes = tuple(Cause(name, tuple(sentences)) for name, sentences in evidence)
    return Diagnosis(not reached >= AGREEMENT, causes)


def _evidence(speaks: Speaks, code: str, **data: Any) -> Evidence:
    return Evidence(speaks, Note(code, **data))


def _scheme(facts: DiagnosisFacts) -> Iterator[Evidence]:
    yield from _unused(facts.patterns)
    correlations = [profile.consistency.value for profile in facts.profiles]
    known = [r for r in correlations if not math.isnan(r)]
    r = sum(known) / len(known) if known else math.nan
    if math.isnan(r):
        yield _evidence("unknown", "rounds.ranking-unknown")
    elif r < NOISY:
        yield _evidence("for", "rounds.ranked-apart", r=r)
    elif r >= CONSISTENT:
        yield _evidence("against", "rounds.ranked-alike", r=r)
    else:
        yield _evidence("unknown", "rounds.ranked-partly", r=r)
    yield _change_of_alpha(facts)
    if facts.refused:
        yield _evidence("for", "rounds.no-consensus", n=facts.refused)


def _unused(patterns: Patterns) -> Iterator[Evidence]:
    if patterns.continuous or not patterns.n_ratings:
        return
    shares = patterns.counts @ patterns.tally() / patterns.n_ratings
    rare = [
        str(value) for value, share in zip(patterns.values, shares, strict=True) if share < UNUSED
    ]
    if rare:
        data = {"n": len(rare), "of": patterns.n_values, "names": ", ".join(rare)}
        yield _evidence("for", "rounds.unused-categories", share=UNUSED, **data)


def _change_of_alpha(facts: DiagnosisFacts) -> Evidence:
    gap, changes = facts.gap, facts.telling_changes
    if len(facts.within) < 2:
        return _evidence("unknown", "rounds.one-round")
    if gap is None or math.isnan(gap.value):
        return _evidence("unknown", "rounds.alpha-unknown")
    ends = {"gap": gap.value, "low": gap.low, "high": gap.high}
    if gap.low > 0:
        return _evidence("against", "rounds.alpha-rose", **ends)
    speaks: Speaks = "for" if changes else "unknown"
    return _evidence(speaks, "rounds.alpha-stayed", changes=changes, **ends)


def _guidelines(facts: DiagnosisFacts) -> Iterator[Evidence]:
    alpha, without = without_severity(facts.patterns)
    if math.isnan(without):
        yield _evidence("unknown", "rounds.severity-unknown")
    elif without - alpha >= STRICTNESS:
        yield _evidence("for", "rounds.unequally-strict", alpha=alpha, without=without)
    else:
        yield _evidence("against", "rounds.equally-strict", alpha=alpha, without=without)
    yield from _convergence(facts)
    if facts.fresh is None:
        yield _evidence("unknown", "rounds.no-fresh-group")
    else:
        yield Evidence(_of_fresh(facts.fresh.gap), facts.fresh.sentence)


def _of_fresh(gap: Gap | None) -> Speaks:
    """What a new group says: clearly worse, surely not much worse, or nothing that is sure."""
    if gap is None or math.isnan(gap.value):
        return "unknown"
    if gap.high < 0:
        return "for"
    return "against" if gap.low > -LITTLE else "unknown"


def _convergence(facts: DiagnosisFacts) -> Iterator[Evidence]:
    """Say whether significant differences became fewer, and whether the manual changed."""
    first, last = facts.within[0], facts.within[-1]
    if len(facts.within) < 2 or math.isnan(first.value - last.value) or first.value == last.value:
        return
    fell, changed = last.value > first.value, facts.telling_changes > 0
    speaks: Speaks = "unknown" if not changed else "for" if fell else "against"
    yield _evidence(
        speaks,
        "rounds.differences",
        fell=fell,
        changes=facts.changes,
        telling=facts.telling_changes,
        first=first.of_all - first.number,
        first_items=first.of_all,
        last=last.of_all - last.number,
        last_items=last.of_all,
    )


def _training(facts: DiagnosisFacts) -> Iterator[Evidence]:
    profiles = facts.profiles
    if not profiles:
        yield _evidence("unknown", "rounds.judges-unknown")
        return
    apart = [profile for profile in profiles if profile.alpha_change >= ALONE]
    for profile in apart:
        alpha = profile.alpha_without
        yield _evidence("for", "rounds.stands-apart", judge=profile.judge, alpha=alpha)
    if not apart and not all(math.isnan(profile.alpha_change) for profile in profiles):
        yield _evidence("against", "rounds.none-apart")
    drifting = [str(profile.judge) for profile in profiles if profile.drift and profile.drift.clear]
    if drifting:
        yield _evidence("for", "rounds.drift", judges=", ".join(drifting))
    elif all(profile.drift is None for profile in profiles):
        yield _evidence("unknown", "rounds.drift-unknown")
    else:
        yield _evidence("against", "rounds.no-drift")
    hasty = [
        str(profile.judge) for profile in profiles if profile.pace and profile.pace.hasty >= HASTY
    ]
    if hasty:
        yield _evidence("for", "rounds.hasty", judges=", ".join(hasty))


def without_severity(patterns: Patterns) -> tuple[float, float]:
    """Return interval alpha, and what it would be if no judge were stricter than another.

    Judges' severities are fitted by least squares beside the items' means.
    """
    nothing = (math.nan, math.nan)
    if patterns.scale.level is Level.NOMINAL or patterns.n_values < 2:
        return nothing
    kept = patterns.keep(patterns.sizes > 1)
    numbers, counts = kept.numbers(Level.INTERVAL), kept.counts.astype(float)
    if not counts.size:
        return nothing
    known = ~np.isnan(numbers)
    weights = known * counts[:, None]
    severity = np.zeros(numbers.shape[1])
    for _ in range(200):
        rest = np.where(known, numbers - severity, 0.0)
        means = rest.sum(axis=1) / known.sum(axis=1)
        left = np.where(known, numbers - means[:, None], 0.0)
        fitted = (weights * left).sum(axis=0) / np.maximum(weights.sum(axis=0), 1)
        fitted -= fitted.mean()
        settled = np.abs(fitted - severity).max() < 1e-10
        severity = fitted
        if settled:
            break
    return _alpha(numbers, counts), _alpha(numbers - severity, counts)


def _alpha(numbers: Floats, counts: Floats) -> float:
    """Krippendorff's alpha with squared differences, rows counted a number of times."""
    size = (~np.isnan(numbers)).sum(axis=1)
    first, second = np.nansum(numbers, axis=1), np.nansum(numbers**2, axis=1)
    observed = float(counts @ ((size * second - first**2) / (size - 1)))
    n = float(counts @ size)
    expected = (n * float(counts @ second) - float(counts @ first) ** 2) / (n - 1)
    return 1 - observed / expected if expected > 1e-12 else math.nan
