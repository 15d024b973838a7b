"""Agreement between experts, combined votes and single votes, with sessions drawn again.

Turns of one dialogue are alike, so whole clusters are drawn; the same draws serve every pair, so
that differences are paired.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from math import comb, prod
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.aggregate import METHODS
from covary.analysis.crowd.arrangements import Coefficient
from covary.analysis.crowd.overlap import MatchedItems
from covary.analysis.crowd.result import (
    Agreement,
    ClosestExpert,
    CrowdDifference,
    CurvePoint,
    VotesPerExpert,
)
from covary.ratings import Ratings
from covary.scales import Scale
from covary.stats.estimate import Interval
from covary.stats.intervals import IntervalSpec
from covary.stats.statistic import BLOCK

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

Voice = tuple[Any, ...]
"""Who speaks: ("expert", name), ("method", name) or ("votes", method, number)."""

ONE_VOTE = "one vote"

BY_ITEM = ("banchs-a", "banchs-b", "majority", "median", "mean")
"""Methods that look at one item at a time, so that any number of its votes can be combined."""

MOST_WAYS = 20_000
"""Ways to divide votes between categories up to which the curve goes on."""


def longest_curve(n_votes: Ints, n_categories: int) -> int:
    """Up to how many votes the curve goes: as many as half of the items have."""
    most = int(np.sort(n_votes)[(n_votes.size - 1) // 2])
    while most > 1 and comb(most + n_categories - 1, most) > MOST_WAYS:
        most -= 1
    return most


def combined_shares(counts: Ints, votes: int, method: str, scale: Scale) -> Floats:
    """How often each item gets each category when so many of its votes are picked and combined.

    Every way to pick them counts the same, and so does every rating that tied votes point to: a
    rule that gives ties no rating, or the middle one, would make even numbers of votes look better
    or worse than odd ones. An item with fewer votes uses what it has.
    """
    kinds, which = np.unique(counts, axis=0, return_inverse=True)
    shares = [_kind_shares(tuple(kind.tolist()), votes, method, scale) for kind in kinds]
    return np.asarray(np.array(shares)[which.ravel()])


def _kind_shares(kind: tuple[int, ...], votes: int, method: str, scale: Scale) -> Floats:
    """Sum over all parts of an item's votes, each as often as it can be picked."""
    picked = min(votes, sum(kind))
    answers = _combined_divisions(method, picked, len(kind), scale)
    total = comb(sum(kind), picked)
    shares = np.zeros(len(kind))
    for part in _parts(kind, picked):
        ways = prod(comb(have, take) for have, take in zip(kind, part, strict=True))
        shares += answers[part] * (ways / total)
    return shares


def _parts(kind: tuple[int, ...], picked: int) -> list[tuple[int, ...]]:
    """All ways to take so many votes from those that an item has."""
    if len(kind) == 1:
        return [(picked,)] if picked <= kind[0] else []
    return [
        (first, *rest)
        for first in range(min(kind[0], picked) + 1)
        for rest in _parts(kind[1:], picked - first)
    ]


@cache
def _combined_divisions(
    method: str, picked: int, size: int, scale: Scale
) -> dict[tuple[int, ...], Floats]:
    """How each division of so many votes is shared by the ratings that the method finds for it."""
    ways = list(combinations_with_replacement(range(size), picked))
    categories: Sequence[Any] = scale.categories or ()
    rows = [[categories[number] for number in way] for way in ways]
    candidates = METHODS[method](Ratings.from_wide(rows, scale=scale, judges="slots")).candidates
    shares = candidates / candidates.sum(axis=1, keepdims=True)
    return {
        tuple(way.count(number) for number in range(size)): share
        for way, share in zip(ways, shares, strict=True)
    }


@dataclass(frozen=True)
class VoiceShares:
    """What one voice says of each item: how probable each category is (items × categories)."""

    voice: Voice
    shares: Floats


@dataclass(frozen=True, kw_only=True)
class PairAgreement:
    """Coefficients of pairs of voices: of these items, and of each resample.

    `drawn[coefficient]` has a row for each resample and a column for each pair.
    """

    pairs: tuple[tuple[Voice, Voice], ...]
    n_items: tuple[int, ...]
    value: Mapping[str, Floats]
    drawn: Mapping[str, Floats]
    spec: IntervalSpec
    units: str

    def of(self, coefficient: str, first: Voice, second: Voice) -> tuple[float, Floats]:
        """The value of a pair, and its values in all resamples."""
        place = self.place(first, second)
        return float(self.value[coefficient][place]), self.drawn[coefficient][:, place]

    def mean(self, coefficient: str, voice: Voice, experts: Sequence[Any]) -> tuple[float, Floats]:
        """The mean agreement of a voice with some experts, and that in all resamples."""
        return _mean_pair([self.of(coefficient, voice, ("expert", e)) for e in experts])

    def place(self, first: Voice, second: Voice) -> int:
        """Where a pair stands, whichever voice is named first."""
        pair = (first, second)
        return self.pairs.index(pair if pair in self.pairs else (second, first))

    def interval(self, drawn: Floats) -> Interval:
        """The middle of the values over resamples."""
        known = drawn[~np.isnan(drawn)]
        tail = (1 - self.spec.confidence) / 2
        low = high = error = math.nan
        if known.size > 1:
            low, high = map(float, np.quantile(known, [tail, 1 - tail]))
            error = float(np.std(known, ddof=1))
        return Interval(
            low=low,
            high=high,
            level=self.spec.confidence,
            method="percentile bootstrap",
            target=f"these judges, other {self.units}",
            standard_error=error,
            resamples=self.spec.resamples,
            undefined=int(drawn.size - known.size),
            seed=self.spec.seed,
        )


def _mean_pair(pairs: list[tuple[float, Floats]]) -> tuple[float, Floats]:
    values, drawn = zip(*pairs, strict=True)
    return float(np.mean(values)), np.asarray(np.mean(drawn, axis=0))


def resample(
    matched: MatchedItems,
    voices: tuple[VoiceShares, ...],
    coefficients: tuple[Coefficient, ...],
    spec: IntervalSpec,
) -> PairAgreement:
    """Evaluate every pair of an expert with another voice, on these items and on resamples."""
    experts = [voice for voice in voices if voice.voice[0] == "expert"]
    pairs = [
        (voice, expert)
        for number, voice in enumerate(voices)
        for expert in experts
        if voices.index(expert) < number
    ]
    features, totals, chances, draws = _units(matched, pairs)
    size = matched.shares.shape[1]
    shape = (len(pairs), size, size)
    now = (totals @ features).reshape(shape)
    drawn: dict[str, list[Floats]] = {coefficient.name: [] for coefficient in coefficients}
    for weights in _draw_weights(chances, draws, spec):
        tables = (weights @ features).reshape(-1, *shape)
        for coefficient in coefficients:
            drawn[coefficient.name].append(coefficient.of(tables, matched.scale))
    return PairAgreement(
        pairs=tuple((expert.voice, voice.voice) for voice, expert in pairs),
        n_items=tuple(np.rint(now.sum(axis=(-2, -1))).astype(int).tolist()),
        value={
            coefficient.name: coefficient.of(now, matched.scale) for coefficient in coefficients
        },
        drawn={name: np.concatenate(blocks) for name, blocks in drawn.items()},
        spec=spec,
        units=matched.units,
    )


def _units(
    matched: MatchedItems, pairs: list[tuple[VoiceShares, VoiceShares]]
) -> tuple[Floats, Floats, Floats, int]:
    """What is drawn: the tables of each unit, how often it counts, its chance, and how many."""
    which = _number_kinds(_distinct_shares(pairs))
    kinds, first, times = np.unique(which, return_index=True, return_counts=True)
    crossed = [
        expert.shares[first][:, :, None] * voice.shares[first][:, None, :]
        for voice, expert in pairs
    ]
    tables = np.stack(crossed, axis=1).reshape(len(kinds), -1)
    if not matched.clusters:
        n = int(times.sum())
        return tables, times.astype(float), times / n, n
    n = len(matched.clusters)
    spread = np.zeros((n, len(kinds)))
    np.add.at(spread, (matched.cluster, which), 1.0)
    return spread @ tables, np.ones(n), np.full(n, 1 / n), n


def _distinct_shares(pairs: list[tuple[VoiceShares, VoiceShares]]) -> list[Floats]:
    """The shares of every voice, each voice once."""
    voices = {voice.voice: voice.shares for pair in pairs for voice in pair}
    return [column for shares in voices.values() for column in shares.T]


def _number_kinds(columns: list[Floats]) -> Ints:
    """Number the items so that those alike in every column have the same number, from 0."""
    kinds = np.zeros(columns[0].size, dtype=np.int64)
    for column in columns:
        values, numbers = np.unique(np.round(column, 12), return_inverse=True)
        _, kinds = np.unique(kinds * values.size + numbers, return_inverse=True)
    return kinds


def _draw_weights(chances: Floats, draws: int, spec: IntervalSpec) -> Iterator[Floats]:
    """Draw how often each unit counts, in blocks that fit in memory."""
    rng = np.random.default_rng([spec.seed, 1])
    block = max(1, min(spec.resamples, BLOCK // chances.size))
    for start in range(0, spec.resamples, block):
        size = min(block, spec.resamples - start)
        yield rng.multinomial(draws, chances, size=size).astype(float)


def agreements(
    pairs: PairAgreement, experts: tuple[Any, ...], methods: tuple[str, ...]
) -> Iterator[Agreement]:
    """Experts with experts, then each method with each expert."""
    for name in pairs.value:
        for first, second in combinations(experts, 2):
            yield _agreement(pairs, name, ("expert", first), ("expert", second))
        for method in methods:
            for expert in experts:
                yield _agreement(pairs, name, ("method", method), ("expert", expert))


def _agreement(pairs: PairAgreement, name: str, first: Voice, second: Voice) -> Agreement:
    value, drawn = pairs.of(name, first, second)
    return Agreement(
        kind="experts" if first[0] == "expert" else "crowd",
        coefficient=name,
        first=first[1],
        second=second[1],
        value=value,
        interval=pairs.interval(drawn),
        n_items=pairs.n_items[pairs.place(first, second)],
    )


def differences(
    pairs: PairAgreement, experts: tuple[Any, ...], methods: tuple[str, ...]
) -> Iterator[CrowdDifference]:
    """The crowd's agreement with an expert, less that of the other experts."""
    if len(experts) < 2:
        return
    for name, method, expert in product(pairs.value, methods, experts):
        crowd, crowd_drawn = pairs.of(name, ("method", method), ("expert", expert))
        others = [other for other in experts if other != expert]
        mean, mean_drawn = pairs.mean(name, ("expert", expert), others)
        yield CrowdDifference(
            coefficient=name,
            method=method,
            expert=expert,
            crowd=crowd,
            experts=mean,
            value=crowd - mean,
            interval=pairs.interval(crowd_drawn - mean_drawn),
        )


def closest(
    pairs: PairAgreement, experts: tuple[Any, ...], voices: dict[str, Voice]
) -> Iterator[ClosestExpert]:
    """Which expert each voice of the crowd is closest to."""
    for name, (label, voice) in product(pairs.value, voices.items()):
        values = {expert: pairs.of(name, voice, ("expert", expert)) for expert in experts}
        known = [expert for expert in experts if not math.isnan(values[expert][0])]
        if len(known) < 2:
            continue
        best, other = sorted(known, key=lambda expert: -values[expert][0])[:2]
        (high, high_drawn), (low, low_drawn) = values[best], values[other]
        yield ClosestExpert(
            coefficient=name,
            method=label,
            expert=best,
            next=other,
            value=high - low,
            interval=pairs.interval(high_drawn - low_drawn),
        )


def curve_points(
    pairs: PairAgreement, matched: MatchedItems, curves: dict[str, int], price: float
) -> Iterator[CurvePoint]:
    """The mean agreement with the experts for each number of votes."""
    for name, (method, most) in product(pairs.value, curves.items()):
        for votes in range(1, most + 1):
            voice = ("votes", method, votes)
            value, drawn = pairs.mean(name, voice, matched.experts)
            yield CurvePoint(
                coefficient=name,
                method=method,
                votes=votes,
                value=value,
                interval=pairs.interval(drawn),
                by_expert=tuple(pairs.of(name, voice, ("expert", e))[0] for e in matched.experts),
                n_full=int((matched.n_votes >= votes).sum()),
                cost=float(np.minimum(matched.n_votes, votes).sum()) * price,
            )


def exchange_rates(
    pairs: PairAgreement, experts: tuple[Any, ...], curves: dict[str, int], price: float
) -> Iterator[VotesPerExpert]:
    """Where the curve reaches the agreement between experts."""
    if len(experts) < 2:
        return
    tail = (1 - pairs.spec.confidence) / 2
    for name in pairs.value:
        target, target_drawn = _mean_pair(
            [pairs.of(name, ("expert", a), ("expert", b)) for a, b in combinations(experts, 2)]
        )
        for method, most in curves.items():
            numbers = range(1, most + 1)
            means = [pairs.mean(name, ("votes", method, votes), experts) for votes in numbers]
            now = crossing(np.array([[value for value, _ in means]]), np.array([target]))
            drawn = crossing(np.column_stack([drawn for _, drawn in means]), target_drawn)
            drawn = drawn[~np.isnan(drawn)]
            low, high, reached = math.nan, math.nan, math.nan
            if drawn.size:
                low = float(np.quantile(drawn, tail, method="lower"))
                high = float(np.quantile(drawn, 1 - tail, method="higher"))
                reached = float(np.isfinite(drawn).mean())
            yield VotesPerExpert(
                coefficient=name,
                method=method,
                votes=float(now[0]),
                low=low,
                high=high,
                most=most,
                reached=reached,
                experts=target,
                cost_per_item=float(now[0]) * price,
            )


def crossing(curve: Floats, target: Floats) -> Floats:
    """Where each row of a curve first reaches its target, counted from 1; infinite where never.

    Examples
    --------
    >>> crossing(np.array([[0.2, 0.4, 0.5], [0.2, 0.3, 0.3]]), np.array([0.3, 0.6])).tolist()
    [1.5, inf]
    """
    reached = curve >= target[:, None]
    first = reached.argmax(axis=1)
    rows = np.arange(len(curve))
    before, after = curve[rows, np.maximum(first - 1, 0)], curve[rows, first]
    rise = np.where(after > before, after - before, 1.0)
    votes = np.where(first == 0, 1.0, first + (target - before) / rise)
    votes = np.where(reached.any(axis=1), votes, np.inf)
    return np.where(np.isnan(curve).any(axis=1) | np.isnan(target), np.nan, votes)
