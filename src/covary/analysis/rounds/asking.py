"""What is asked of every comparison of rounds, and the change from one estimate to another."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from covary.analysis.rounds.shares import Gap, gap_of
from covary.errors import CovaryWarning
from covary.scales import Level
from covary.stats.estimate import Estimate

__all__ = ["Asked", "change", "quietly"]


@dataclass(frozen=True)
class Asked:
    """What the caller wants to know of every round."""

    level: Level | None
    confidence: float
    resamples: int
    seed: int


def change(before: Estimate, after: Estimate, confidence: float) -> Gap | None:
    """Return the difference of two estimates from different items, where both have intervals."""
    if before.interval is None or after.interval is None:
        return None
    return gap_of(
        (before.value, before.interval.low, before.interval.high),
        (after.value, after.interval.low, after.interval.high),
        confidence,
    )


@contextmanager
def quietly() -> Iterator[None]:
    """Leave out warnings; the notes of each estimate hold what they would say."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CovaryWarning)
        yield
