"""Severity removed from confounded studies, chances that hold, and a million ratings in seconds."""

import time

import numpy as np
import pytest

from covary import Ratings
from covary.analysis.systems import brief_systems, systems
from covary.analysis.systems.ranks import bootstrap_ranks, sum_cells
from covary.stats.models.observations import observations
from tests.analysis.system_studies import confounded

STUDIES = 60


def test_removing_severity_recovers_the_true_ranking():
    """Qualities fall by 3 points from system to system; severities range over 24 points."""
    raw = adjusted = 0
    for seed in range(STUDIES):
        ratings, truth = confounded(np.random.default_rng(seed), n_items=120, gap=0.15)
        found = brief_systems(ratings).criteria[0].adjustment
        raw += list(found.before) == truth
        adjusted += list(found.after) == truth
    assert raw <= 0.2 * STUDIES
    assert adjusted >= 0.95 * STUDIES


def test_removing_severity_leaves_no_bias():
    """Over studies the adjusted differences are the true ones, though raw ones are not."""
    differences, plain = [], []
    for seed in range(STUDIES):
        ratings, truth = confounded(np.random.default_rng(seed))
        scores = {s.system: s for s in brief_systems(ratings).criteria[0].systems}
        first, last = scores[truth[0]], scores[truth[-1]]
        differences.append(first.adjusted - last.adjusted)
        plain.append(first.mean - last.mean)
    error = np.std(differences) / np.sqrt(STUDIES)
    assert np.mean(differences) == pytest.approx(20, abs=4 * error)
    assert np.mean(plain) < 15


def simulated(rng, quality, n_judges=12, n_sources=30):
    """Additive truth: judges and sources drawn anew, every system rated by all on all."""
    shape = len(quality), n_judges, n_sources
    values = (
        np.asarray(quality)[:, None, None]
        + rng.normal(0, 6, n_judges)[None, :, None]
        + rng.normal(0, 6, n_sources)[None, None, :]
        + rng.normal(0, 4, (shape[0], 1, shape[2]))  # a system suits some sources
        + rng.normal(0, 4, (shape[0], shape[1], 1))  # and some judges
        + rng.normal(0, 8, shape)
    )
    system, judge, source = (axis.ravel() for axis in np.indices(shape))
    return Ratings(
        {
            "item": system * n_sources + source,
            "judge": judge,
            "system": system,
            "source": source,
            "rating": np.clip(values.ravel() + 50, 0, 100),
        },
        scale="0-100",
    )


def test_the_interval_of_its_rank_covers_the_true_best_system():
    """The interval of the truly best system's rank holds 1 in nearly all studies like this one."""
    held = 0
    for seed in range(STUDIES):
        ratings = simulated(np.random.default_rng(seed), [3, 1, 0])
        found = bootstrap_ranks(
            sum_cells(observations(ratings)), "high", resamples=400, seed=1, confidence=0.95
        )
        held += found.low[0] == 1
    assert held >= 0.9 * STUDIES


def test_equal_systems_come_first_equally_often():
    chances = [
        bootstrap_ranks(
            sum_cells(observations(simulated(np.random.default_rng(seed), [0, 0, 0]))),
            "high",
            resamples=200,
            seed=1,
            confidence=0.95,
        ).best
        for seed in range(STUDIES)
    ]
    error = np.std(chances, axis=0).max() / np.sqrt(STUDIES)
    assert np.mean(chances, axis=0) == pytest.approx(np.full(3, 1 / 3), abs=4 * error)


def test_a_million_ratings_of_a_thousand_systems_take_seconds():
    rng = np.random.default_rng(0)
    shape = 1000, 20, 50
    system, judge, source = (axis.ravel() for axis in np.indices(shape))
    values = 3 + rng.normal(0, 0.3, 1000)[system] + rng.normal(0, 0.4, 20)[judge]
    values = np.clip(np.round(values + rng.normal(0, 0.8, system.size)), 1, 5).astype(int)
    ratings = Ratings(
        {
            "item": system * 50 + source,
            "judge": judge,
            "system": system,
            "source": source,
            "rating": values,
        },
        scale="1-5",
    )
    start = time.perf_counter()
    (found,) = systems(ratings, rng=1).criteria
    assert time.perf_counter() - start < 40  # about 6 s on two free cores
    assert found.counted.n_pairs == 499_500
    assert found.systems[0].mean == max(score.mean for score in found.systems)
