"""Agreement between experts, combined votes and single votes, with sessions drawn again.

Turns of one dialogue are alike, so whole clusters are drawn; the same draws serve every pair, so
that differences are paired.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.analysis.crowd.matched import Matched
from covary.analysis.crowd.tables import Coefficient
from covary.stats.estimate import Interval
from covary.stats.intervals import Wanted
from covary.stats.statistic import BLOCK

__all__ = ["Column", "Resampled", "Voice", "resampled"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Voice = tuple[Any, ...]
"""Who speaks: ("expert", name), ("method", name) or ("votes", method, number)."""


@dataclass(frozen=True)
class Column:
    """What one voice says of each item: how probable each category is (items × categories)."""

    voice: Voice
    shares: Floats


@dataclass(frozen=True)
class Resampled:
    """Coefficients of pairs of voices: of these items, and of each resample.

    `drawn[coefficient]` has a row for each resample and a column for each pair.
    """

    pairs: tuple[tuple[Voice, Voice], ...]
    n_items: tuple[int, ...]
    value: Mapping[str, Floats]
    drawn: Mapping[str, Floats]
    wanted: Wanted
    units: str

    def of(self, coefficient: str, first: Voice, second: Voice) -> tuple[float, Floats]:
        """The value of a pair, and its values in all resamples."""
        place = self.place(first, second)
        return float(self.value[coefficient][place]), self.drawn[coefficient][:, place]

    def place(self, first: Voice, second: Voice) -> int:
        """Where a pair stands, whichever voice is named first."""
        pair = (first, second)
        return self.pairs.index(pair if pair in self.pairs else (second, first))

    def interval(self, drawn: Floats) -> Interval:
        """The middle of the values over resamples."""
        known = drawn[~np.isnan(drawn)]
        tail = (1 - self.wanted.confidence) / 2
        ends = (math.nan, math.nan)
        if known.size > 1:
            low, high = np.quantile(known, [tail, 1 - tail])
            ends = (float(low), float(high))
        error = float(np.std(known, ddof=1)) if known.size > 1 else math.nan
        return Interval(
            *ends, self.wanted.confidence, "percentile bootstrap",
            target=f"these judges, other {self.units}", standard_error=error,
            resamples=self.wanted.resamples, undefined=int(drawn.size - known.size),
            seed=self.wanted.seed,
        )  # fmt: skip


def resampled(
    both: Matched,
    columns: tuple[Column, ...],
    coefficients: tuple[Coefficient, ...],
    wanted: Wanted,
) -> Resampled:
    """Evaluate every pair of an expert with another voice, on these items and on resamples."""
    experts = [column for column in columns if column.voice[0] == "expert"]
    pairs = [
        (column, expert)
        for number, column in enumerate(columns)
        for expert in experts
        if columns.index(expert) < number
    ]
    features, totals, chances, draws = _units(both, pairs)
    size = both.shares.shape[1]
    shape = (len(pairs), size, size)
    now = (totals @ features).reshape(shape)
    found: dict[str, list[Floats]] = {each.name: [] for each in coefficients}
    for weights in _weights(chances, draws, wanted):
        tables = (weights @ features).reshape(-1, *shape)
        for each in coefficients:
            found[each.name].append(each.of(tables, both.scale))
    return Resampled(
        tuple((expert.voice, column.voice) for column, expert in pairs),
        tuple(np.rint(now.sum(axis=(-2, -1))).astype(int).tolist()),
        {each.name: each.of(now, both.scale) for each in coefficients},
        {name: np.concatenate(blocks) for name, blocks in found.items()},
        wanted,
        "sessions" if both.clusters else "items",
    )  # fmt: skip


def _units(both: Matched, pairs: list[tuple[Column, Column]]) -> tuple[Floats, Floats, Floats, int]:
    """What is drawn: the tables of each unit, how often it counts, its chance, and how many."""
    which = _kinds(_once(pairs))
    kinds, first, times = np.unique(which, return_index=True, return_counts=True)
    tables = np.stack(
        [expert.shares[first][:, :, None] * column.shares[first][:, None, :]
         for column, expert in pairs], axis=1
    ).reshape(len(kinds), -1)  # fmt: skip
    if not both.clusters:
        n = int(times.sum())
        return tables, times.astype(float), times / n, n
    n = len(both.clusters)
    spread = np.zeros((n, len(kinds)))
    np.add.at(spread, (both.cluster, which), 1.0)
    return spread @ tables, np.ones(n), np.full(n, 1 / n), n


def _once(pairs: list[tuple[Column, Column]]) -> list[Floats]:
    """The shares of every voice, each voice once."""
    voices = {column.voice: column for pair in pairs for column in pair}
    return [shares for column in voices.values() for shares in column.shares.T]


def _kinds(columns: list[Floats]) -> Ints:
    """Number the items so that those alike in every column have the same number, from 0."""
    found = np.zeros(columns[0].size, dtype=np.int64)
    for column in columns:
        values, numbers = np.unique(np.round(column, 12), return_inverse=True)
        _, found = np.unique(found * values.size + numbers, return_inverse=True)
    return found


def _weights(chances: Floats, draws: int, wanted: Wanted) -> Iterator[Floats]:
    """Draw how often each unit counts, in blocks that fit in memory."""
    rng = np.random.default_rng([wanted.seed, 1])
    size = max(1, min(wanted.resamples, BLOCK // chances.size))
    for start in range(0, wanted.resamples, size):
        yield rng.multinomial(draws, chances, size=min(size, wanted.resamples - start)).astype(
            float
        )
