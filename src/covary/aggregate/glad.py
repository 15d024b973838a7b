"""GLAD: able judges and easy items; a vote is right more often the more there is of both."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from covary.aggregate.em import (
    ModelOptions,
    Prior,
    State,
    Top,
    climb,
    fit_from_starts,
    make_model_result,
)
from covary.aggregate.method import TieRule, read_named_votes
from covary.aggregate.result import Aggregated, JudgeFit
from covary.aggregate.votes import (
    Floats,
    Ints,
    Occasions,
    VoteRows,
    Votes,
    distinct_rows,
    normalise_logs,
)
from covary.ratings import Ratings

LONGEST_STEP = 1.0
STEEPEST = 20.0
"""Beyond this a vote is right for certain as far as numbers go."""


@dataclass(frozen=True, kw_only=True)
class GladFit:
    """The top that one start reached; `right` is how probable each entry's vote was to be right."""

    ability: Floats
    easiness: Floats
    prior: Floats
    belief: Floats
    right: Floats
    log_likelihood: float
    height: float
    steps: int

    @property
    def state(self) -> State:
        """Where the climb ended."""
        return self.ability, np.log(self.easiness), self.prior


@dataclass(frozen=True)
class GladTask:
    """What is fitted: abilities (judges), log easiness (rows), and maybe categories' shares.

    Abilities and log easiness have normal priors around 1 with the precision of the smoothing.
    """

    rows: VoteRows
    options: ModelOptions

    def fit(self, weights: Floats, known: GladFit | None) -> GladFit:
        """Climb to a top, maybe a known one, from judges of different ability and equal items."""
        size = self.rows.n_categories
        equal, prior = np.ones(self.rows.weights.size), np.full(size, 1 / size)
        state, steps = climb(
            self.step,
            self.repair,
            (weights / weights.mean(), equal, prior),
            tolerance=self.options.tolerance,
            max_steps=self.options.max_iterations,
            known=None if known is None else known.state,
        )
        belief, right, log_likelihood = self.believed(state)
        return GladFit(
            ability=state[0],
            easiness=np.exp(state[1]),
            prior=state[2],
            belief=belief,
            right=right,
            log_likelihood=log_likelihood,
            height=log_likelihood - self.penalty(state),
            steps=steps,
        )

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
        belief, row_logs = normalise_logs(logs)
        return belief, np.exp(right), float((rows.weights * row_logs).sum())

    def step(self, state: State) -> tuple[State, float]:
        """One step, and the height of where it began."""
        belief, right, log_likelihood = self.believed(state)
        height = log_likelihood - self.penalty(state)
        truth = belief.ravel()[self._cells]  # how probable each entry is what the item is
        ability, ease, prior = state
        ability = ability + self._ability_step(ability, ease, truth - right, right)
        right = 1 / (1 + np.exp(-self._odds((ability, ease, prior))))
        ease = ease + self._ease_step(ability, ease, truth - right, right)
        if self.options.prior == "estimated":
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
        rows, precision = self.rows, self.options.smoothing
        easiness, times = np.exp(ease)[rows.entry_row], rows.weights[rows.entry_row]
        slope = np.bincount(rows.entry_judge, times * miss * easiness, rows.n_judges)
        bends = times * right * (1 - right) * easiness**2
        bend = np.bincount(rows.entry_judge, bends, rows.n_judges)
        return _limit_step((slope - precision * (ability - 1)) / (bend + precision + 1e-9))

    def _ease_step(self, ability: Floats, ease: Floats, miss: Floats, right: Floats) -> Floats:
        """A step for every row at once, at least as careful as Newton's and as Fisher's."""
        rows, n, precision = self.rows, self.rows.weights.size, self.options.smoothing
        odds = self._odds((ability, ease))
        slope = np.bincount(rows.entry_row, miss * odds, n)
        bend = np.bincount(rows.entry_row, right * (1 - right) * odds**2, n)
        bend += np.maximum(-slope, 0)
        return _limit_step((slope - precision * (ease - 1)) / (bend + precision + 1e-9))

    def repair(self, ahead: State, second: State) -> State:
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
        return self.options.smoothing * squares / 2

    def _odds(self, state: State) -> Floats:
        """The log odds of being right, for each entry."""
        rows = self.rows
        odds = state[0][rows.entry_judge] * np.exp(state[1])[rows.entry_row]
        return np.clip(odds, -STEEPEST, STEEPEST)

    @cached_property
    def _cells(self) -> Ints:
        return self.rows.entry_row * self.rows.n_categories + self.rows.entry_code


def _limit_step(step: Floats) -> Floats:
    return np.clip(step, -LONGEST_STEP, LONGEST_STEP)


def glad(
    ratings: Ratings,
    *,
    criterion: Any = None,
    prior: Prior = "uniform",
    smoothing: float = 1.0,
    starts: int = 3,
    top: Top = "nearest",
    ties: TieRule = "abstain",
    occasions: Occasions = "refuse",
    seed: int = 0,
    tolerance: float = 1e-3,
    max_iterations: int = 10_000,
) -> Aggregated:
    """What is each item's true category, when items differ in difficulty and judges in ability?

    To prefer where some items are hard for everybody.

    Parameters
    ----------
    ratings
        Votes by named judges on categories.
    criterion
        Which criterion, where there are several.
    prior
        Whether the categories' shares are taken to be equal, as in the paper, or estimated.
    smoothing
        How strongly abilities and (log) easiness are drawn to their prior, normal around 1 with
        variance 1 / smoothing.
    starts, top, ties, occasions, seed, max_iterations
        As in `dawid_skene`; the first start takes all judges to be equally able.
    tolerance
        The climb ends when no ability and no log easiness changes by more in one step.

    Returns
    -------
    Aggregated
        In `judges`, `parameters["ability"]` (0: guesses; below 0: works against the truth) and the
        expected accuracy on the items that the judge rated; in `details["easiness"]`, one number
        above 0 for each item.

    Notes
    -----
    A vote of judge j on item i is T_i with probability 1 / (1 + exp(-a_j b_i)), a_j being the
    ability and b_i > 0 the easiness, and any other category alike otherwise. Each step of EM takes
    one step of Newton's method for all abilities and one for all items, where the paper climbs by
    gradients; the tops are the same.

    References
    ----------
    Whitehill, J., Ruvolo, P., Wu, T., Bergsma, J. & Movellan, J. (2009). Whose vote should count
    more: optimal integration of labels from labelers of unknown expertise. NIPS 22, 2035-2043.

    Examples
    --------
    >>> votes = Ratings.from_wide(
    ...     [["a", "a", "b"], ["a", "a", "b"], ["b", "b", "b"], ["b", "b", "a"], ["b", "b", "b"]]
    ... )
    >>> first, second, third = (judge.parameters["ability"] for judge in glad(votes).judges)
    >>> first > third
    True
    """
    options = ModelOptions(
        "glad",
        criterion=criterion,
        ties=ties,
        occasions=occasions,
        seed=seed,
        prior=prior,
        smoothing=smoothing,
        starts=starts,
        top=top,
        tolerance=tolerance,
        max_iterations=max_iterations,
    )
    votes, notes = read_named_votes(options, ratings)
    rows = distinct_rows(votes)
    fit, convergence = fit_from_starts(GladTask(rows, options).fit, votes, options)
    return make_model_result(
        options,
        "GLAD",
        votes,
        fit,
        rows=rows,
        convergence=convergence,
        judges=_glad_judges(votes, rows, fit),
        notes=notes,
        details={"easiness": fit.easiness[rows.row_of_item]},
    )


def _glad_judges(votes: Votes, rows: VoteRows, fit: GladFit) -> tuple[JudgeFit, ...]:
    """Each judge's ability, and how often they are right on the items that they rated."""
    times = rows.weights[rows.entry_row]
    n = np.bincount(rows.entry_judge, times, rows.n_judges)
    right = np.bincount(rows.entry_judge, times * fit.right, rows.n_judges)
    unknown = np.full((rows.n_categories, rows.n_categories), np.nan)
    return tuple(
        JudgeFit(
            judge=judge,
            n_votes=int(n[j]),
            accuracy=float(right[j] / n[j]) if n[j] else float("nan"),
            confusion=unknown,
            spammer_score=float("nan"),
            parameters={"ability": float(fit.ability[j])},
        )
        for j, judge in enumerate(votes.judges)
    )
