"""GLAD's likelihood and its steps: what items are, then abilities, then easiness."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from covary.aggregate.climbing import State, climbed
from covary.aggregate.rows import Rows, believed_of
from covary.aggregate.votes import Floats, Ints

__all__ = ["GladTask", "GladTop"]

LONGEST_STEP = 1.0
STEEPEST = 20.0
"""Beyond this a vote is right for certain as far as numbers go."""


@dataclass(frozen=True)
class GladTop:
    """The top that one start reached; `right` is how probable each entry's vote was to be right."""

    ability: Floats
    easiness: Floats
    prior: Floats
    belief: Floats
    right: Floats
    log_likelihood: float
    height: float
    steps: int


@dataclass(frozen=True)
class GladTask:
    """What is fitted: abilities (judges), log easiness (rows), and maybe categories' shares.

    Abilities and log easiness have normal priors around 1 with precision `smoothing`.
    """

    rows: Rows
    smoothing: float
    estimate_prior: bool

    def fitted(
        self, judge_weight: Floats, *, tolerance: float, most: int, known: GladTop | None = None
    ) -> GladTop:
        """Climb to a top, maybe a known one, from judges of different ability and equal items."""
        size = self.rows.n_categories
        begun = (
            judge_weight / judge_weight.mean(), np.ones(self.rows.weights.size),
            np.full(size, 1 / size),
        )  # fmt: skip
        there = None if known is None else (known.ability, np.log(known.easiness), known.prior)
        state, steps = climbed(
            self.step, self.repaired, begun, tolerance=tolerance, max_steps=most, known=there
        )
        belief, right, log_likelihood = self.believed(state)
        height = log_likelihood - self.penalty(state)
        ability, ease, prior = state
        return GladTop(ability, np.exp(ease), prior, belief, right, log_likelihood, height, steps)

    def believed(self, state: State) -> tuple[Floats, Floats, float]:
        """What each row is, how probable each entry is to be right, and the log-likelihood."""
        prior, rows, size = state[2], self.rows, self.rows.n_categories
        n = rows.weights.size
        odds = self._odds(state)
        right = np.minimum(odds, 0) - np.log1p(np.exp(-np.abs(odds)))
        gain = odds + np.log(max(size - 1, 1))  # of being right over being wrong in one way
        logs = np.bincount(self._cells, gain, n * size).astype(float).reshape(n, size)
        logs += np.bincount(rows.entry_row, right - gain, n)[:, None]
        logs += np.log(np.maximum(prior, np.finfo(float).tiny))
        belief, each = believed_of(logs)
        return belief, np.exp(right), float((rows.weights * each).sum())

    def step(self, state: State) -> tuple[State, float]:
        """One step, and the height of where it began."""
        belief, right, log_likelihood = self.believed(state)
        height = log_likelihood - self.penalty(state)
        truth = belief.ravel()[self._cells]  # how probable each entry is what the item is
        ability, ease, prior = state
        ability = ability + self._ability_step(ability, ease, truth - right, right)
        right = 1 / (1 + np.exp(-self._odds((ability, ease, prior))))
        ease = ease + self._ease_step(ability, ease, truth - right, right)
        if self.estimate_prior:
            prior = self.rows.mean_belief(belief)
        ability, ease = self._balanced(ability, ease)
        return (ability, ease, prior), height

    def _balanced(self, ability: Floats, ease: Floats) -> tuple[Floats, Floats]:
        """Share a factor between abilities and easiness as their priors want it.

        Only their product counts for the votes, so EM alone would get there very slowly.
        """
        first, second = float(ability.sum()), float((ability**2).sum())
        weights = self.rows.weights
        off, n, log = float((weights * (ease - 1)).sum()), float(weights.sum()), 0.0
        for _ in range(3):
            slope = second * np.exp(2 * log) - first * np.exp(log) - (off - n * log)
            log -= slope / (second * np.exp(2 * log) + n)
        return ability * np.exp(log), ease - log

    def _ability_step(self, ability: Floats, ease: Floats, miss: Floats, right: Floats) -> Floats:
        """Newton's step for every judge at once; the problem is concave."""
        rows = self.rows
        easiness, times = np.exp(ease)[rows.entry_row], rows.weights[rows.entry_row]
        slope = np.bincount(rows.entry_judge, times * miss * easiness, rows.n_judges)
        bend = np.bincount(rows.entry_judge, times * right * (1 - right) * easiness**2,
                           rows.n_judges)  # fmt: skip
        return _short((slope - self.smoothing * (ability - 1)) / (bend + self.smoothing + 1e-9))

    def _ease_step(self, ability: Floats, ease: Floats, miss: Floats, right: Floats) -> Floats:
        """A step for every row at once, at least as careful as Newton's and as Fisher's."""
        rows, n = self.rows, self.rows.weights.size
        odds = self._odds((ability, ease))
        slope = np.bincount(rows.entry_row, miss * odds, n)
        bend = np.bincount(rows.entry_row, right * (1 - right) * odds**2, n)
        bend += np.maximum(-slope, 0)
        return _short((slope - self.smoothing * (ease - 1)) / (bend + self.smoothing + 1e-9))

    def repaired(self, ahead: State, second: State) -> State:
        """Keep the extrapolation within reach of the last step, and shares above 0."""
        ability, ease = (
            np.clip(a, b - LONGEST_STEP, b + LONGEST_STEP)
            for a, b in zip(ahead[:2], second[:2], strict=True)
        )
        prior = np.maximum(ahead[2], 0.1 * second[2])
        return ability, ease, prior / prior.sum()

    def penalty(self, state: State) -> float:
        """How far abilities and log easiness are from what is expected of them."""
        ability, ease = state[:2]
        squares = float(((ability - 1) ** 2).sum()) + float(
            (self.rows.weights * (ease - 1) ** 2).sum()
        )
        return self.smoothing * squares / 2

    def _odds(self, state: State) -> Floats:
        """The log odds of being right, for each entry."""
        rows = self.rows
        odds = state[0][rows.entry_judge] * np.exp(state[1])[rows.entry_row]
        return np.clip(odds, -STEEPEST, STEEPEST)

    @cached_property
    def _cells(self) -> Ints:
        return self.rows.entry_row * self.rows.n_categories + self.rows.entry_code


def _short(step: Floats) -> Floats:
    return np.clip(step, -LONGEST_STEP, LONGEST_STEP)
