"""From agreement over resamples to answers: differences, who is closer, votes per expert."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from covary.analysis.crowd.found import (
    Agreement,
    Closer,
    CurvePoint,
    Difference,
    VotesPerExpert,
)
from covary.analysis.crowd.matched import Matched
from covary.analysis.crowd.resampled import Resampled, Voice

__all__ = ["ONE_VOTE", "agreements", "closest", "crossing", "curve_points", "differences",
           "exchange_rates"]  # fmt: skip

Floats = npt.NDArray[np.float64]
ONE_VOTE = "one vote"


def agreements(found: Resampled, both: Matched, methods: tuple[str, ...]) -> Iterator[Agreement]:
    """Experts with experts, then each method with each expert."""
    for name in found.value:
        for first, second in combinations(both.experts, 2):
            yield _agreement(found, name, "experts", ("expert", first), ("expert", second))
        for method in methods:
            for expert in both.experts:
                yield _agreement(found, name, "crowd", ("method", method), ("expert", expert))


def _agreement(found: Resampled, name: str, kind: str, first: Voice, second: Voice) -> Agreement:
    value, drawn = found.of(name, first, second)
    number = found.n_items[found.place(first, second)]
    return Agreement(kind, name, first[1], second[1], value, found.interval(drawn), number)


def differences(found: Resampled, both: Matched, methods: tuple[str, ...]) -> Iterator[Difference]:
    """The crowd's agreement with an expert, less that of the other experts."""
    if len(both.experts) < 2:
        return
    for name in found.value:
        for method in methods:
            for expert in both.experts:
                crowd, drawn = found.of(name, ("method", method), ("expert", expert))
                others, others_drawn = _others(found, both, name, expert)
                yield Difference(
                    name, method, expert, crowd, others, crowd - others,
                    found.interval(drawn - others_drawn),
                )  # fmt: skip


def _others(found: Resampled, both: Matched, name: str, expert: Any) -> tuple[float, Floats]:
    """The mean agreement of the other experts with one."""
    pairs = [
        found.of(name, ("expert", expert), ("expert", other))
        for other in both.experts
        if other != expert
    ]
    return _mean(pairs)


def _mean(pairs: list[tuple[float, Floats]]) -> tuple[float, Floats]:
    values, drawn = zip(*pairs, strict=True)
    return float(np.mean(values)), np.asarray(np.mean(drawn, axis=0))


def closest(found: Resampled, both: Matched, voices: dict[str, Voice]) -> Iterator[Closer]:
    """Which expert each voice of the crowd is closest to."""
    if len(both.experts) < 2:
        return
    for name in found.value:
        for label, voice in voices.items():
            with_each = {e: found.of(name, voice, ("expert", e)) for e in both.experts}
            known = [e for e in both.experts if not math.isnan(with_each[e][0])]
            if len(known) < 2:
                continue
            best, other = sorted(known, key=lambda e: -with_each[e][0])[:2]
            (high, high_drawn), (low, low_drawn) = with_each[best], with_each[other]
            interval = found.interval(high_drawn - low_drawn)
            yield Closer(name, label, best, other, high - low, interval)


def curve_points(
    found: Resampled, both: Matched, curves: dict[str, int], price: float
) -> Iterator[CurvePoint]:
    """The mean agreement with the experts for each number of votes."""
    for name in found.value:
        for method, most in curves.items():
            for votes in range(1, most + 1):
                pairs = _with_experts(found, both, name, method, votes)
                value, drawn = _mean(pairs)
                yield CurvePoint(
                    name, method, votes, value, found.interval(drawn),
                    tuple(pair[0] for pair in pairs), int((both.n_votes >= votes).sum()),
                    float(np.minimum(both.n_votes, votes).sum()) * price,
                )  # fmt: skip


def _with_experts(
    found: Resampled, both: Matched, name: str, method: str, votes: int
) -> list[tuple[float, Floats]]:
    return [found.of(name, ("votes", method, votes), ("expert", e)) for e in both.experts]


def exchange_rates(
    found: Resampled, both: Matched, curves: dict[str, int], price: float
) -> Iterator[VotesPerExpert]:
    """Where the curve reaches the agreement between experts."""
    if len(both.experts) < 2:
        return
    tail = (1 - found.wanted.confidence) / 2
    for name in found.value:
        experts, experts_drawn = _mean(
            [found.of(name, ("expert", a), ("expert", b)) for a, b in combinations(both.experts, 2)]
        )
        for method, most in curves.items():
            means = [
                _mean(_with_experts(found, both, name, method, votes))
                for votes in range(1, most + 1)
            ]
            now = crossing(np.array([[value for value, _ in means]]), np.array([experts]))
            drawn = crossing(np.column_stack([each for _, each in means]), experts_drawn)
            drawn = drawn[~np.isnan(drawn)]
            low, high, reached = math.nan, math.nan, math.nan
            if drawn.size:
                low = float(np.quantile(drawn, tail, method="lower"))
                high = float(np.quantile(drawn, 1 - tail, method="higher"))
                reached = float(np.isfinite(drawn).mean())
            votes_needed = float(now[0])
            yield VotesPerExpert(
                name, method, votes_needed, low, high, most, reached, experts, votes_needed * price
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
    found = np.where(first == 0, 1.0, first + (target - before) / rise)
    found = np.where(reached.any(axis=1), found, np.inf)
    return np.where(np.isnan(curve).any(axis=1) | np.isnan(target), np.nan, found)
