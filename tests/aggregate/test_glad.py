"""GLAD's top, found again by a general optimiser from a likelihood written out here."""

import numpy as np
import pytest
from scipy.optimize import minimize

from covary import Ratings, VerbalScale
from covary.aggregate import glad


def votes_of(items, judges, kept, seed):
    rng = np.random.default_rng(seed)
    ability, ease = rng.normal(1, 1, judges), rng.normal(1, 1, items)
    truth = rng.integers(0, 3, items)
    right = rng.random((items, judges)) < 1 / (1 + np.exp(-np.exp(ease)[:, None] * ability))
    wrong = (truth[:, None] + rng.integers(1, 3, (items, judges))) % 3
    votes = np.where(right, truth[:, None], wrong).astype(float)
    votes[rng.random(votes.shape) > kept] = np.nan
    return votes[~np.isnan(votes).all(axis=1)]


def ratings_of(votes):
    return Ratings.from_wide(votes, scale=VerbalScale(range(3), level="nominal"))


def height(point, votes):
    """The log-likelihood with both normal priors, item by item and judge by judge."""
    judges = votes.shape[1]
    ability, ease = point[:judges], point[judges:]
    total = -((ability - 1) ** 2).sum() / 2 - ((ease - 1) ** 2).sum() / 2
    for row, log_ease in zip(votes, ease, strict=True):
        chance = np.full(3, 1 / 3)
        for vote, able in zip(row, ability, strict=True):
            if not np.isnan(vote):
                right = 1 / (1 + np.exp(-able * np.exp(log_ease)))
                chance = chance * np.where(np.arange(3) == vote, right, (1 - right) / 2)
        total += np.log(chance.sum())
    return total


def test_the_top_is_one_and_no_lower_than_what_an_optimiser_finds():
    votes = votes_of(25, 5, 0.8, 1)
    made = glad(ratings_of(votes), tolerance=1e-7)
    ability = [judge.parameters["ability"] for judge in made.judges]
    point = np.concatenate([ability, np.log(made.details["easiness"])])
    assert made.convergence.height == pytest.approx(height(point, votes), abs=1e-6)
    further = minimize(lambda p: -height(p, votes), point)
    assert -further.fun == pytest.approx(made.convergence.height, abs=1e-4)
    start = np.ones(point.size)
    other = minimize(lambda p: -height(p, votes), start)
    assert -other.fun <= made.convergence.height + 1e-4


@pytest.mark.parametrize("seed", range(4))
def test_many_confident_votes_do_not_make_it_swing(seed):
    votes = votes_of(300, 60, 0.3, seed)
    made = glad(ratings_of(votes))
    exact = glad(ratings_of(votes), tolerance=1e-9)
    assert made.ratings == exact.ratings
    assert made.probabilities == pytest.approx(exact.probabilities, abs=1e-3)
    assert made.convergence.height == pytest.approx(exact.convergence.height, abs=1e-2)
