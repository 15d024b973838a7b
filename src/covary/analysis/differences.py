"""Do two groups of judges agree to a different degree? The difference of their alphas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from covary.analysis.comparison import Comparison, Difference
from covary.scales import Level
from covary.stats.alpha import alpha_statistic
from covary.stats.intervals import Wanted, bootstrap
from covary.stats.patterns import Patterns
from covary.stats.statistic import Statistic

__all__ = ["differences"]

Floats = npt.NDArray[np.float64]


def differences(
    patterns: Patterns, level: Level, groups: Sequence[Comparison], wanted: Wanted
) -> Iterator[Difference]:
    """Compare every two groups; the items are drawn once for both, because they share them."""
    for first, second in combinations(groups, 2):
        both = AlphaDifference(patterns, level, first, second)
        value = both.value
        known = wanted.method is not None and value == value
        interval = bootstrap(both, wanted) if known else None
        yield Difference((first.label, second.label), value, interval)


class AlphaDifference(Statistic):
    """The alpha of one group of judges less that of another, on the same items."""

    def __init__(
        self, patterns: Patterns, level: Level, first: Comparison, second: Comparison
    ) -> None:
        self.counts, self.clusters = patterns.counts.astype(float), patterns.clusters
        self.first, self.second = (
            alpha_statistic(_columns(patterns, group), level) for group in (first, second)
        )

    def at(self, counts: Floats) -> Floats:
        return self.first.at(counts) - self.second.at(counts)


def _columns(patterns: Patterns, group: Comparison) -> Patterns:
    """Keep a group's judges and every row, so that rows stay the same for all groups."""
    places = [patterns.judges.index(judge) for judge in group.judges]
    return Patterns(
        patterns.codes[:, places], patterns.counts, patterns.values, group.judges, patterns.scale,
        patterns.clusters,
    )  # fmt: skip
