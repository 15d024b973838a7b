"""Where the iteration of a model begins: several weightings of the judges.

A likelihood with several tops is climbed from several places. Each start weighs the judges' votes
differently; the weight is drawn from the seed and from what the judge did (how often each category,
how often with the majority), never from names or from the order of rows, so that renaming and
reordering cannot change a result.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from covary.aggregate.votes import Floats, Votes

__all__ = ["judge_weights"]

Words = npt.NDArray[np.uint64]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)


def judge_weights(votes: Votes, starts: int, seed: int) -> list[Floats]:
    """Weights of the judges for each start; the first start counts every vote alike."""
    deeds = _deeds(votes)
    equal = np.ones(len(votes.judges))
    return [equal, *(_drawn(deeds, seed, number) for number in range(1, starts))]


def _deeds(votes: Votes) -> Words:
    """What each judge did, in whole numbers: votes by category, votes with the majority."""
    judges, categories = len(votes.judges), len(votes.values)
    given = np.bincount(votes.judge * categories + votes.code, minlength=judges * categories)
    most = votes.counts == votes.counts.max(axis=1, keepdims=True)
    alone = most.sum(axis=1) == 1
    with_most = most[votes.item, votes.code] & alone[votes.item]
    agreed = np.bincount(votes.judge, with_most, minlength=judges)
    shape = (judges, categories)
    return np.column_stack([given.reshape(shape), agreed]).astype(np.uint64)


def _drawn(deeds: Words, seed: int, number: int) -> Floats:
    """Numbers between 0.01 and 1 that look random, by SplitMix64 (Steele, Lea & Flood 2014)."""
    state = np.full(len(deeds), seed, dtype=np.uint64)
    state = _mixed(state ^ np.uint64(number))
    for column in deeds.T:
        state = _mixed(state ^ column)
    uniform = (state >> np.uint64(11)).astype(float) / 2.0**53
    return 0.01 + 0.99 * uniform


def _mixed(state: Words) -> Words:
    state = state + GOLDEN
    state = (state ^ (state >> np.uint64(30))) * FIRST
    state = (state ^ (state >> np.uint64(27))) * SECOND
    return np.asarray(state ^ (state >> np.uint64(31)))
