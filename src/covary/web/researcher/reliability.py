"""Agreement beside correlation on one criterion, with as much effort as a live page can afford."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

from covary.analysis.coefficients import main_pair
from covary.analysis.verdict import Verdict, verdict
from covary.errors import CovaryWarning
from covary.ratings import Ratings
from covary.report.rounding import with_interval
from covary.stats.alpha import krippendorff_alpha
from covary.stats.estimate import Estimate
from covary.stats.intervals import Wanted
from covary.stats.patterns import Patterns, collapse
from covary.study.model import Criterion

__all__ = ["FEW_JUDGES", "MANY_JUDGES", "Line", "line_of", "minus"]

FEW_JUDGES = 25
"""So many judges make 300 pairs, whose correlations can be drawn anew a thousand times."""

MANY_JUDGES = 100
"""With more judges, the pairs are too many to be looked at while the study runs."""

SEED = 1
"""The same ratings give the same interval at each look."""


@dataclass(frozen=True)
class Line:
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
        return minus(with_interval(self.agreement))

    @property
    def correlation_words(self) -> str:
        """Correlation and its interval, or a dash."""
        return minus(with_interval(self.correlation))

    @property
    def verdict_words(self) -> str:
        """The verdict in a word, and whether its interval leaves a doubt."""
        if self.verdict is None or self.verdict.word == "undefined":
            return ""
        return self.verdict.word + ("" if self.verdict.sure else " (unsure)")


def minus(written: str) -> str:
    """Write numbers with a real minus sign."""
    return written.replace("-", "\N{MINUS SIGN}")


def line_of(criterion: Criterion, ratings: Ratings | None) -> Line:
    """Measure the ratings on one criterion, at the level of its scale."""
    if ratings is None:
        return Line(criterion, reasons=("no ratings yet",))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CovaryWarning)  # the reasons say the same
        patterns = collapse(ratings, criterion.key)
        agreement, correlation, reasons = _pair(ratings, criterion, len(patterns.judges))
    return Line(
        criterion,
        patterns.n_items,
        len(patterns.judges),
        patterns.n_ratings,
        agreement,
        correlation,
        _verdict(agreement, correlation, patterns, complete=not reasons),
        (*_reasons(agreement, correlation), *reasons),
    )


def _pair(
    ratings: Ratings, criterion: Criterion, judges: int
) -> tuple[Estimate, Estimate | None, tuple[str, ...]]:
    if judges > MANY_JUDGES:
        agreement = krippendorff_alpha(ratings, criterion=criterion.key, rng=SEED)
        reason = (
            f"correlation compares every two of the {judges:,} judges, which takes too long while "
            "the study runs; 'covary report' does it"
        )
        return agreement, None, (reason,)
    method = "auto" if judges <= FEW_JUDGES else "jackknife"
    agreement = krippendorff_alpha(ratings, criterion=criterion.key, rng=SEED)
    _, correlation = main_pair(ratings, criterion.key, Wanted.of(method, 0.95, 1000, SEED))
    return agreement, correlation, ()


def _verdict(
    agreement: Estimate, correlation: Estimate | None, patterns: Patterns, *, complete: bool
) -> Verdict | None:
    """What the two say together; nothing where one was left out."""
    return verdict(agreement, correlation, _dominant(patterns)) if complete else None


def _dominant(patterns: Patterns) -> float:
    """The share of the most frequent category; 0 where ratings are continuous."""
    if patterns.continuous or not patterns.n_ratings:
        return 0.0
    used = patterns.counts @ patterns.tally()
    return float(used.max() / used.sum())


def _reasons(agreement: Estimate, correlation: Estimate | None) -> tuple[str, ...]:
    """Say why a number is undefined, each reason once."""
    missing = [each for each in (agreement, correlation) if each is not None and not each.defined]
    said = (each.notes[-1] if each.notes else "undefined for these ratings" for each in missing)
    return tuple(dict.fromkeys(said))
