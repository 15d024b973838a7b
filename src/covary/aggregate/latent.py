"""Models in which a judge's vote depends on the item's true category, fitted by EM.

Dawid and Skene's model, one coin and MACE are one thing: each judge has a few probability vectors,
these give the confusion matrix, and the expected votes give the vectors back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from covary.aggregate.climbing import State, climbed
from covary.aggregate.rows import Rows
from covary.aggregate.votes import Floats

__all__ = ["Family", "Fitted", "Task", "fitted"]


@dataclass(frozen=True)
class Family:
    """A kind of model: how long each judge's probability vectors are, and what they mean.

    `confusion` turns the vectors (judges × numbers) into confusion matrices (judge, true category,
    vote); `tally` gives how often each number of the vectors is expected to have been used, from
    the vectors and the expected votes.
    """

    sizes: tuple[int, ...]
    confusion: Callable[[Floats], Floats]
    tally: Callable[[Floats, Floats], Floats]

    def normalised(self, numbers: Floats) -> Floats:
        """Make each vector sum to 1; one without anything in it is uniform."""
        parts, start = [], 0
        for size in self.sizes:
            part = numbers[:, start : start + size]
            total = part.sum(axis=1, keepdims=True)
            filled = np.divide(part, total, where=total > 0, out=np.full_like(part, 1 / size))
            parts.append(filled)
            start += size
        return np.concatenate(parts, axis=1)

    def even(self, judges: int) -> Floats:
        """Return uniform vectors."""
        return self.normalised(np.zeros((judges, sum(self.sizes))))


@dataclass(frozen=True)
class Task:
    """What is fitted to which votes: `smoothing` pseudo-votes join each judge's vectors.

    They are spread as the votes of the whole crowd are, judged by the vote shares; so a judge with
    few votes is taken to be like the others.
    """

    rows: Rows
    family: Family
    smoothing: float
    estimate_prior: bool

    def pseudo_votes(self, shares: Floats) -> Floats:
        """Pseudo-votes for each number of a judge's vectors."""
        even = self.family.even(self.rows.n_judges)
        used = self.family.tally(even, self.rows.expected(shares)).sum(axis=0, keepdims=True)
        return np.asarray(self.smoothing * self.family.normalised(used))

    def updated(self, vectors: Floats, belief: Floats, pseudo: Floats) -> State:
        """The prior and the vectors that fit a belief best."""
        used = self.family.tally(vectors, self.rows.expected(belief))
        size = belief.shape[1]
        prior = self.rows.mean_belief(belief) if self.estimate_prior else np.full(size, 1 / size)
        return prior, self.family.normalised(used + pseudo)

    def repaired(self, ahead: State, second: State) -> State:
        """Keep probabilities above 0 and summing to 1."""
        prior, vectors = (np.maximum(a, 0.1 * b) for a, b in zip(ahead, second, strict=True))
        return prior / prior.sum(), self.family.normalised(vectors)


@dataclass(frozen=True)
class Fitted:
    """The top that one start reached; `height` is the log-likelihood with its penalty."""

    prior: Floats
    vectors: Floats
    confusion: Floats
    belief: Floats
    log_likelihood: float
    height: float
    steps: int


def fitted(
    task: Task,
    shares: Floats,
    pseudo: Floats,
    *,
    tolerance: float,
    most: int,
    known: Fitted | None = None,
) -> Fitted:
    """Climb to a top, maybe a known one, from what each row is first believed to be."""
    rows, family = task.rows, task.family

    def step(state: State) -> tuple[State, float]:
        prior, vectors = state
        belief, log_likelihood = rows.believed(prior, family.confusion(vectors))
        height = log_likelihood + _penalty(vectors, pseudo)
        return task.updated(vectors, belief, pseudo), height

    begun = task.updated(family.even(rows.n_judges), shares, pseudo)
    there = None if known is None else (known.prior, known.vectors)
    (prior, vectors), steps = climbed(
        step, task.repaired, begun, tolerance=tolerance, max_steps=most, known=there
    )
    confusion = family.confusion(vectors)
    belief, log_likelihood = rows.believed(prior, confusion)
    height = log_likelihood + _penalty(vectors, pseudo)
    return Fitted(prior, vectors, confusion, belief, log_likelihood, height, steps)


def _penalty(vectors: Floats, pseudo: Floats) -> float:
    """The log density of the Dirichlet prior that pseudo-votes stand for."""
    logs = np.log(np.maximum(vectors, np.finfo(float).tiny))
    return float((pseudo * logs).sum())
