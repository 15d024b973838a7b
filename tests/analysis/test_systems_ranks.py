"""The probability of each rank: draws of sums equal draws of rows, and known chances come out."""

import numpy as np
import pytest

from covary import datasets, systems
from covary.analysis.systems.ranks import (
    adjusted_means,
    balanced,
    bootstrap_ranks,
    connected,
    ranks_of,
    sum_cells,
)
from covary.stats.models.observations import observations
from tests.analysis.system_studies import SMALL, confounded, crossed

HOLES = {
    "a": [(1, None, 2), (2, 2, 3), (None, 3, 1)],
    "b": [(3, 4, 4), (None, 4, 5), (3, None, 2)],
    "c": [(3, 3, 1), (3, 4, None), (2, 4, 3)],
}


def drawn_rows(found, units, judges, judge_of):
    """Means of systems when rows are repeated as often as their unit and judge were drawn."""
    times = units[found.factors["source"]] * judges[judge_of]
    rows = np.repeat(np.arange(times.size), times.astype(int))
    own = [found.values[rows][found.factors["system"][rows] == place] for place in range(3)]
    return [ratings.mean() if ratings.size else np.nan for ratings in own]


def test_a_draw_of_sums_is_a_draw_of_rows():
    found = observations(crossed(HOLES))
    held = sum_cells(found)
    ((units, judges),) = list(held._weights(5, seed=2))
    means = np.concatenate(list(held.means(5, seed=2)))
    for number in range(5):
        row = drawn_rows(found, units[:, number], judges[number], found.factors["judge"])
        assert means[number] == pytest.approx(row, nan_ok=True)


def test_every_draw_has_as_many_judges_and_sources_as_there_are():
    held = sum_cells(observations(crossed(HOLES)))
    ((units, judges),) = list(held._weights(50, seed=2))
    assert set(units.sum(axis=0)) == {3}
    assert set(judges.sum(axis=1)) == {3}


def test_items_are_drawn_within_their_system():
    found = observations(datasets.load("qgstec-original"), "relevance")
    held = sum_cells(found)
    assert held.unit == "item"
    ((units, _),) = list(held._weights(3, seed=1))
    system = np.zeros(units.shape[0], dtype=int)
    system[found.factors["item"]] = found.factors["system"]
    for place in range(4):
        assert (units[system == place].sum(axis=0) == (system == place).sum()).all()


def test_sparse_and_dense_sums_are_the_same(monkeypatch):
    found = observations(crossed(HOLES))
    dense = np.concatenate(list(sum_cells(found).means(20, seed=3)))
    monkeypatch.setattr("covary.analysis.systems.ranks.DENSE", 10.0)
    sparse = sum_cells(found)
    assert not isinstance(sparse.sums, np.ndarray)
    assert np.concatenate(list(sparse.means(20, seed=3))) == pytest.approx(dense, nan_ok=True)


def test_adjusted_means_of_a_draw_are_least_squares_of_its_rows():
    found = observations(crossed(HOLES))
    held = sum_cells(found)
    (draw,) = list(held.draws(4, seed=6))
    ((units, judges),) = list(held._weights(4, seed=6))
    adjusted = adjusted_means(draw)
    system, judge = found.factors["system"], found.factors["judge"]
    matrix = np.zeros((system.size, 6))
    matrix[np.arange(system.size), system] = 1
    matrix[np.arange(system.size), 3 + judge] = 1
    seen = 0
    for number in range(4):
        weight = np.sqrt(units[found.factors["source"], number] * judges[number][judge])
        if np.isnan(adjusted[number]).any():
            continue
        seen += 1
        effects = np.linalg.lstsq(matrix * weight[:, None], found.values * weight, rcond=None)[0]
        assert adjusted[number] - adjusted[number][0] == pytest.approx(effects[:3] - effects[0])
    assert seen


def test_a_draw_that_falls_into_parts_has_no_adjusted_means():
    table = {"a": [(1, 2, None, None)] * 2, "b": [(None, None, 3, 4)] * 2}
    assert np.isnan(adjusted_means(sum_cells(observations(crossed(table))).whole())).all()


def test_the_better_of_two_systems_wins_as_often_as_binomial_arithmetic_says():
    """a is better on one source of three, b by as much on two: b leads if drawn sources say so.

    With one judge the mean of b less that of a is above 0 when at most one of three draws takes
    the first source: 1 - (3 (1/3)² (2/3) + (1/3)³) = 20/27.
    """
    table = {"a": [(4,), (2,), (2,)], "b": [(2,), (4,), (4,)]}
    found = bootstrap_ranks(
        sum_cells(observations(crossed(table))), "high", resamples=20_000, seed=1, confidence=0.95
    )
    assert found.best[1] == pytest.approx(20 / 27, abs=0.01)
    assert sum(found.best) == pytest.approx(1)


def test_probabilities_of_ranks_add_up_both_ways():
    found = bootstrap_ranks(
        sum_cells(observations(crossed(SMALL))), "high", resamples=500, seed=1, confidence=0.95
    )
    table = np.array(found.probabilities)
    assert table.sum(axis=0) == pytest.approx(np.ones(3))
    assert table.sum(axis=1) == pytest.approx(np.ones(3))
    assert table @ [1, 2, 3] == pytest.approx(found.expected)
    assert table[:, 0] == pytest.approx(found.best)


def test_draws_without_a_system_are_counted_and_left_out():
    table = {"a": [(1, None), (2, None)], "b": [(None, 3), (None, 4)]}
    found = bootstrap_ranks(
        sum_cells(observations(crossed(table))), "high", resamples=4000, seed=1, confidence=0.95
    )
    assert found.undefined / 4000 == pytest.approx(0.5, abs=0.03)  # both judges: 1 of 2 draws
    assert found.best == (0.0, 1.0)


@pytest.mark.parametrize(
    ("scores", "best", "ranks"),
    [([2, 1, 3], "low", [2, 1, 3]), ([2, 1, 3], "high", [2, 3, 1]), ([2, 2, 1], "high", [1, 1, 3])],
)
def test_ranks_share_the_best_place_of_a_tie(scores, best, ranks):
    assert ranks_of(np.array(scores, float), best).tolist() == ranks


def test_a_tie_that_differs_by_rounding_is_a_tie():
    assert ranks_of(np.array([0.1 + 0.2, 0.3, 0.1]), "high").tolist() == [1, 1, 3]


def test_balance_is_about_proportions_and_connection_about_paths():
    assert balanced(np.array([[2.0, 4], [1, 2]]))
    assert not balanced(np.array([[2.0, 4], [1, 1]]))
    assert connected(np.array([[1.0, 1, 0], [0, 1, 1], [0, 0, 1]]))
    assert not connected(np.array([[1.0, 1, 0, 0], [0, 0, 1, 1]]))


def test_where_severity_moves_the_means_chances_and_wide_intervals_are_of_the_adjusted_ones():
    """Strict judges rated the better systems, so plain means hide the best one (known truth)."""
    ratings, truth = confounded(np.random.default_rng(5))
    one = systems(ratings, rng=1, resamples=300).criteria[0]
    best, worst = (
        next(score for score in one.systems if score.system == name)
        for name in (truth[0], truth[-1])
    )
    assert one.compared == "adjusted means"
    assert best.best < 0.5 < one.first_chance(best)  # by plain means, and by adjusted ones
    assert one.first_chance(worst) < 0.05
    assert all(score.wide.low < score.estimate < score.wide.high for score in one.systems)


def test_hard_sources_move_no_interval_for_others():
    """Sources 20 lower and 20 higher in turn, in all systems alike, move all by what all rose."""
    rng = np.random.default_rng(4)
    seen = rng.random((3, 16, 4)) < 0.8
    level = 40 + 10 * np.arange(3)[:, None, None] + 5 * np.arange(4)
    ratings = level + rng.normal(0, 3, seen.shape)
    turn = np.where(np.arange(16) % 2, 20, -20)[:, None]
    found = [_intervals_for_others(values, seen) for values in (ratings, ratings + turn)]
    (means, low, high), (_, moved_low, moved_high) = found
    assert (low < means).all()
    assert (means < high).all()
    shift = np.broadcast_to(turn, seen.shape)[seen].mean()
    assert moved_low - shift == pytest.approx(low, abs=1e-9)
    assert moved_high - shift == pytest.approx(high, abs=1e-9)


def _intervals_for_others(values, seen):
    kept = np.where(seen, values, np.nan)
    table = {
        name: [[None if np.isnan(value) else float(value) for value in row] for row in part]
        for name, part in zip("abc", kept, strict=True)
    }
    one = systems(crossed(table, scale="0-100"), rng=1, resamples=200).criteria[0]
    rows = sorted(one.systems, key=lambda score: score.system)
    return np.array([(row.estimate, row.wide.low, row.wide.high) for row in rows]).T


def test_the_leader_is_said_to_beat_whom_it_beats():
    """Potter lies a whole point above smith and equals weaver, on 24 texts by three judges."""
    rng = np.random.default_rng(3)
    quality = {"weaver": 4, "potter": 4, "smith": 2}
    table = {
        name: [tuple(np.clip(base + rng.integers(-1, 2, 3), 1, 5).tolist()) for _ in range(24)]
        for name, base in quality.items()
    }
    one = systems(crossed(table), rng=1, resamples=100).criteria[0]
    leader = one.leaders[0]
    better, undecided = one.beaten(leader)
    assert better == ("smith",)
    assert undecided == tuple({"weaver", "potter"} - {leader.system})
