"""Why agreement is low: an unsound scheme, insufficient guidelines, or insufficient training.

Godwin & Piwek (2016) name these three causes. Each gets the evidence that speaks for it, that
speaks against it, and what is not known; the reader decides.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from covary.analysis.judges import CONSISTENT, NOISY, JudgeProfile
from covary.analysis.rounds.fresh import Fresh
from covary.analysis.rounds.history import History
from covary.analysis.rounds.shares import Gap, Share
from covary.analysis.verdict import AGREEMENT
from covary.scales import Level
from covary.stats.estimate import Estimate
from covary.stats.patterns import Patterns
from covary.stats.plain import plain

__all__ = ["CAUSES", "Cause", "Diagnosis", "Evidence", "Known", "diagnosed", "without_severity"]

Floats = npt.NDArray[np.float64]
Speaks = Literal["for", "against", "unknown"]

CAUSES = ("the scheme is unsound", "the guidelines are insufficient", "training is insufficient")

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
    sentence: str


@dataclass(frozen=True)
class Cause:
    """A possible cause and its evidence."""

    name: str
    evidence: tuple[Evidence, ...]

    @property
    def weight(self) -> int:
        """How many sentences speak for it, less those that speak against it."""
        return sum({"for": 1, "against": -1, "unknown": 0}[each.speaks] for each in self.evidence)

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
    def sentence(self) -> str:
        """The most likely causes in a sentence."""
        if not self.low:
            return (
                f"Alpha reaches {AGREEMENT:g}; the evidence below shows what could still improve."
            )
        likely = [each.name for each in self.causes if each.likely]
        if not likely:
            return f"Alpha is not shown to reach {AGREEMENT:g}, and no cause stands out."
        return f"Alpha is not shown to reach {AGREEMENT:g}. More speaks for than against: " + (
            f"{'; '.join(likely)}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        causes = [plain(each) | {"likely": each.likely} for each in self.causes]
        return {"low": self.low, "causes": causes}


@dataclass(frozen=True)
class Known:
    """What a diagnosis of one criterion rests on."""

    patterns: Patterns
    alpha: Estimate
    within: Sequence[Share]
    gap: Gap | None
    profiles: Sequence[JudgeProfile]
    history: History | None
    fresh: Fresh | None
    criterion: Any


def diagnosed(known: Known) -> Diagnosis:
    """Gather the evidence for each cause of low agreement."""
    interval = known.alpha.interval
    reached = known.alpha.value if interval is None else interval.low
    found = zip(CAUSES, (_scheme(known), _guidelines(known), _training(known)), strict=True)
    return Diagnosis(
        not reached >= AGREEMENT, tuple(Cause(name, tuple(evidence)) for name, evidence in found)
    )


def _scheme(known: Known) -> Iterator[Evidence]:
    yield from _unused(known.patterns)
    known_r = [each.consistency.value for each in known.profiles]
    known_r = [r for r in known_r if not math.isnan(r)]
    if not known_r:
        yield Evidence("unknown", "Whether judges rank the items alike cannot be said.")
    else:
        r = sum(known_r) / len(known_r)
        told = f"(mean correlation of a judge with the others {r:.2f})"
        if r < NOISY:
            yield Evidence("for", f"The judges do not even rank the items alike {told}.")
        elif r >= CONSISTENT:
            yield Evidence("against", f"The judges rank the items alike {told}.")
        else:
            yield Evidence("unknown", f"The judges rank the items alike only in part {told}.")
    yield from _stayed(known)
    refused = sum(known.history.refused.values()) if known.history else 0
    if refused:
        told = "a proposal" if refused == 1 else f"{refused} proposals"
        yield Evidence("for", f"On {told} the judges found no consensus.")


def _unused(patterns: Patterns) -> Iterator[Evidence]:
    if patterns.continuous or not patterns.n_ratings:
        return
    used = patterns.counts @ patterns.tally() / patterns.n_ratings
    rare = [
        str(value) for value, share in zip(patterns.values, used, strict=True) if share < UNUSED
    ]
    if rare:
        yield Evidence(
            "for",
            f"{len(rare)} of {patterns.n_values} categories ({', '.join(rare)}) have less than "
            f"{UNUSED:.0%} of the ratings.",
        )


def _stayed(known: Known) -> Iterator[Evidence]:
    if known.gap is None or math.isnan(known.gap.value):
        yield Evidence("unknown", "There is only one round, so that nothing shows what changed.")
        return
    gap = f"{known.gap.value:+.2f}, interval {known.gap.low:+.2f} to {known.gap.high:+.2f}"
    if known.gap.low > 0:
        yield Evidence("against", f"Alpha rose from the first round to the last ({gap}).")
        return
    rules = _telling_changes(known)
    changes = "a change that tells" if rules == 1 else f"{rules} changes that tell"
    after = f" after {changes} judges how to judge" if rules else ""
    speaks: Speaks = "for" if rules else "unknown"
    yield Evidence(speaks, f"Alpha is not shown to have risen{after} ({gap}).")


def _telling_changes(known: Known) -> int:
    if known.history is None:
        return 0
    kinds: Iterable[Mapping[str, int]] = known.history.kinds.values()
    return sum(each.get("conceptual", 0) + each.get("rule", 0) for each in kinds)


def _guidelines(known: Known) -> Iterator[Evidence]:
    plain_alpha, without = without_severity(known.patterns)
    if math.isnan(without):
        yield Evidence("unknown", "How strict the judges are cannot be compared.")
    elif without - plain_alpha >= STRICTNESS:
        yield Evidence(
            "for",
            f"The judges draw their lines at different places: without their severity, interval "
            f"alpha would be {without:.2f} instead of {plain_alpha:.2f}.",
        )
    else:
        yield Evidence(
            "against",
            f"The judges are about equally strict: without their severity, interval alpha would "
            f"be {without:.2f} instead of {plain_alpha:.2f}.",
        )
    yield from _converged(known)
    if known.fresh is None:
        yield Evidence("unknown", "No new group has used the written manual alone.")
    else:
        yield Evidence(_of_fresh(known.fresh.gap), known.fresh.sentence)


def _of_fresh(gap: Gap | None) -> Speaks:
    """What a new group says: clearly worse, surely not much worse, or nothing that is sure."""
    if gap is None or math.isnan(gap.value):
        return "unknown"
    if gap.high < 0:
        return "for"
    return "against" if gap.low > -LITTLE else "unknown"


def _converged(known: Known) -> Iterator[Evidence]:
    """Say whether significant differences became fewer, and whether the manual changed."""
    first, last = known.within[0], known.within[-1]
    if len(known.within) < 2 or math.isnan(first.value - last.value) or first.value == last.value:
        return
    fell = last.value > first.value
    told = (
        f"Significant differences {'fell' if fell else 'rose'} from {first.of_all - first.number} "
        f"of {first.of_all} items to {last.of_all - last.number} of {last.of_all}"
    )
    if not _telling_changes(known):
        yield Evidence("unknown", f"{told}; no changes of the guidelines are recorded.")
        return
    yield Evidence("for" if fell else "against", f"{told} as the guidelines changed.")


def _training(known: Known) -> Iterator[Evidence]:
    if not known.profiles:
        yield Evidence("unknown", "Judges are not known by name, so that none stands apart.")
        return
    apart = [each for each in known.profiles if each.alpha_change >= ALONE]
    for each in apart:
        yield Evidence(
            "for", f"Without {each.judge}, alpha would be {each.alpha_without:.2f}: this judge "
            "reads the manual differently.",
        )  # fmt: skip
    if not apart and not all(math.isnan(each.alpha_change) for each in known.profiles):
        yield Evidence("against", "No single judge stands apart from the others.")
    drifting = [each.judge for each in known.profiles if each.drift and each.drift.clear]
    if drifting:
        told = ", ".join(str(judge) for judge in drifting)
        yield Evidence("for", f"The ratings of {told} drift over time, so that practice goes on.")
    elif all(each.drift is None for each in known.profiles):
        yield Evidence("unknown", "Drift cannot be told: too few ratings, or in no known order.")
    else:
        yield Evidence("against", "No judge drifts over time.")
    hasty = [each.judge for each in known.profiles if each.pace and each.pace.hasty >= HASTY]
    if hasty:
        yield Evidence("for", f"{', '.join(map(str, hasty))} answered hastily.")


def without_severity(patterns: Patterns) -> tuple[float, float]:
    """Return interval alpha, and what it would be if no judge were stricter than another.

    Judges' severities are fitted by least squares beside the items' means.
    """
    nothing = (math.nan, math.nan)
    if patterns.scale.level is Level.NOMINAL or patterns.n_values < 2:
        return nothing
    kept = patterns.keep(patterns.rated.sum(axis=1) > 1)
    numbers, counts = kept.numbers(Level.INTERVAL), kept.counts.astype(float)
    if not counts.size:
        return nothing
    known = ~np.isnan(numbers)
    given = known * counts[:, None]
    severity = np.zeros(numbers.shape[1])
    for _ in range(200):
        rest = np.where(known, numbers - severity, 0.0)
        means = rest.sum(axis=1) / known.sum(axis=1)
        left = np.where(known, numbers - means[:, None], 0.0)
        fitted = (given * left).sum(axis=0) / np.maximum(given.sum(axis=0), 1)
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
