"""Variance components against the analysis of variance, R lme4 and the likelihood written out."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize

from covary import ConvergenceError, Ratings, datasets
from covary.stats.coefficients.variance_components import (
    ItemsByJudges,
    fit_components,
    variance_components,
)
from covary.stats.models import reml
from covary.stats.models.least_squares import Design
from covary.stats.models.mixed import Search, added_variance, mixed_fit, mixed_model
from covary.stats.models.reml import curvature_at, sum_factors
from covary.stats.models.score_test import slope_at_zero
from covary.stats.patterns import collapse

SHROUT_FLEISS = [
    [9, 2, 5, 8],
    [6, 1, 3, 2],
    [8, 4, 6, 8],
    [7, 1, 2, 6],
    [10, 5, 6, 9],
    [6, 2, 4, 7],
]


def patterns(rows):
    return collapse(Ratings.from_wide(rows, level="interval"))


def simulated(seed, items=14, judges=5, missing=0.4):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(items, 1)) + 0.7 * rng.normal(size=(1, judges))
    rows = rows + 0.8 * rng.normal(size=(items, judges))
    rows[rng.random(rows.shape) < missing] = np.nan
    rows[np.isnan(rows).all(axis=1), 0] = 0.3
    return rows


def written_out(rows, variances, two_way=True):
    """Minus twice the restricted log-likelihood, with the covariance of all ratings in full."""
    rows = np.asarray(rows, dtype=float)
    item, judge = np.nonzero(~np.isnan(rows))
    y, ones = rows[item, judge], np.ones((item.size, 1))
    between_items, between_judges, residual = variances
    covariance = between_items * (item[:, None] == item) + residual * np.eye(item.size)
    if two_way:
        covariance = covariance + between_judges * (judge[:, None] == judge)
    inverse = np.linalg.inv(covariance)
    information = ones.T @ inverse @ ones
    rest = y - (ones.T @ inverse @ y / information).item()
    determinants = np.linalg.slogdet(covariance)[1] + np.linalg.slogdet(information)[1]
    return determinants + rest @ inverse @ rest


def best_written_out(rows, two_way=True):
    """The same, minimised without any of the library's shortcuts."""
    starts = [(0.0, 0.0, 0.0), (-2.0, 0.0, 0.0), (0.0, -2.0, 0.0)]
    found = [
        optimize.minimize(
            lambda logs: written_out(rows, np.exp(logs), two_way),
            start,
            method="Nelder-Mead",
            options={"xatol": 1e-7, "fatol": 1e-10, "maxiter": 4000, "maxfev": 4000},
        )
        for start in starts
    ]
    return min(found, key=lambda each: each.fun).fun


def test_balanced_ratings_give_the_analysis_of_variance_and_lme4():
    found = variance_components(patterns(SHROUT_FLEISS))
    # (MS items - MS error) / 4, (MS judges - MS error) / 6, MS error of Shrout & Fleiss, Table 3
    expected = [(11.241667 - 1.019444) / 4, (32.486111 - 1.019444) / 6, 1.019444]
    assert [found.item, found.judge, found.residual] == pytest.approx(expected, abs=2e-6)


def test_one_way_balanced_ratings_give_the_analysis_of_variance():
    found = variance_components(patterns(SHROUT_FLEISS), two_way=False)
    # MS within 6.263889 of Shrout & Fleiss, Table 3
    assert found.item == pytest.approx((11.241667 - 6.263889) / 4, abs=2e-6)
    assert (found.judge, found.residual) == (0, pytest.approx(6.263889, abs=2e-6))


def test_six_judges_of_whom_two_rated_each_item_give_the_components_of_lme4():
    ratings = datasets.load("qgstec-original")
    found = variance_components(collapse(ratings, "correctness"))
    # R lme4 1.1-31
    assert found.item == pytest.approx(0.591, abs=5e-4)
    assert found.judge == pytest.approx(0.196, abs=5e-4)
    assert found.residual == pytest.approx(0.727, abs=5e-4)


@pytest.mark.parametrize("two_way", [True, False], ids=["two-way", "one-way"])
@pytest.mark.parametrize("seed", range(4))
def test_missing_ratings_reach_the_maximum_of_the_likelihood_written_out(seed, two_way):
    rows = simulated(seed)
    found = variance_components(patterns(rows), two_way=two_way)
    reached = written_out(rows, [found.item, found.judge, found.residual], two_way)
    assert reached == pytest.approx(best_written_out(rows, two_way), abs=1e-5)


def test_the_covariance_is_the_inverse_of_the_information_written_out():
    rows = simulated(1)
    found = variance_components(patterns(rows))
    logs, step = np.log([found.item, found.judge, found.residual]), 2e-3

    def at(move):
        return written_out(rows, np.exp(logs + move))

    unit = step * np.eye(3)
    hessian = [
        [at(a + b) - at(a - b) - at(b - a) + at(-a - b) for b in unit] for a in unit
    ] / np.array(4 * step**2)
    np.testing.assert_allclose(found.log_covariance, np.linalg.inv(hessian / 2), rtol=1e-3)


def test_many_items_recover_the_variances_they_were_drawn_from():
    rng = np.random.default_rng(20)
    rows = 1.5 * rng.normal(size=(4000, 1)) + np.linspace(-1, 1, 9) + rng.normal(size=(4000, 9))
    rows[rng.random(rows.shape) < 0.6] = np.nan
    found = variance_components(patterns(rows))
    assert found.item == pytest.approx(2.25, rel=0.1)
    assert found.judge == pytest.approx(np.var(np.linspace(-1, 1, 9), ddof=1), rel=0.1)
    assert found.residual == pytest.approx(1, rel=0.05)


def test_a_negative_estimate_becomes_0_and_is_noted():
    # Items with equal means: MS items = 0 < MS error, so the analysis of variance is negative.
    found = variance_components(patterns([[1, 3], [3, 1], [1, 3], [3, 1]]))
    assert (found.item, found.judge) == (0, 0)
    # Without effects all eight ratings are a plain draw: variance 8 / 7.
    assert found.residual == pytest.approx(8 / 7)
    assert found.notes == (
        "the variance between items is estimated as 0",
        "the variance between judges is estimated as 0",
    )
    assert (found.log_covariance[:2] == 0).all()


def test_ratings_that_effects_explain_fully_have_no_residual():
    # item effects 0, 2, 4 (variance 4), judge effects 0, 1 (variance 1/2); one rating missing
    found = variance_components(patterns([[1, 2], [3, 4], [5, None]]))
    assert found.to_dict() == pytest.approx({"item": 4, "judge": 0.5, "residual": 0})
    assert "explain the ratings" in found.notes[0]


def test_components_scale_with_the_square_of_the_unit_and_forget_the_origin():
    rows = simulated(3)
    found = variance_components(patterns(rows))
    moved = variance_components(patterns(1000 + 10 * rows))
    for name, value in found.to_dict().items():
        assert moved.to_dict()[name] == pytest.approx(100 * value, rel=1e-5)


def test_judges_in_groups_that_share_no_item_are_noted():
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(20, 1)) + rng.normal(size=(20, 4))
    rows[:10, 2:] = rows[10:, :2] = np.nan
    found = variance_components(patterns(rows))
    assert any("2 groups that share no item" in note for note in found.notes)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([[1, 2, None]], "only one item"),
        ([[1, None], [None, 2], [3, None]], "share too few ratings"),
        ([[None, None], [None, None]], "no ratings"),
    ],
    ids=["one item", "no overlap", "nothing"],
)
def test_ratings_that_cannot_tell_components_apart_give_a_reason(rows, reason):
    found = variance_components(patterns(rows))
    assert math.isnan(found.item)
    assert reason in found.reason


def test_a_search_that_is_cut_short_is_an_error_that_carries_its_state():
    with pytest.raises(ConvergenceError, match="did not converge in 1 steps") as caught:
        variance_components(patterns(simulated(0)), max_iterations=1)
    assert set(caught.value.state) == {"log1p_ratios", "deviance"}


def test_the_sums_do_not_grow_with_the_items():
    few, many = (ItemsByJudges(patterns(simulated(5, items=items))) for items in (50, 500))
    sums = [table.sums(table.counts) for table in (few, many)]
    assert sums[0].sizes.tolist() == sums[1].sizes.tolist()
    needed = [one.flat_products(np.ones(one.sizes.size)).size for one in sums]
    assert needed[0] == needed[1]


@pytest.mark.parametrize("source", [{}, {"source": 0.3}], ids=["no source", "items of sources"])
def test_the_slope_at_a_variance_of_zero_is_the_limit_of_slopes_beside_it(source):
    rng, n = np.random.default_rng(5), 400
    item = rng.integers(0, 80, n)
    factors = {"system": item % 4, "judge": rng.integers(0, 6, n), "item": item}
    factors["opinion"] = factors["system"] * 6 + factors["judge"]
    coded = {name: np.unique(own, return_inverse=True)[1] for name, own in factors.items()}
    if source:
        coded["source"] = coded["item"] // 4
    values = rng.normal(size=n) + 0.3 * coded["judge"]
    sums = sum_factors(values, Design(coded))
    ratios, residual = {"judge": 0.4, "item": 0.2, **source}, 0.8
    slope = slope_at_zero(values, Design(coded), ratios, name="opinion", residual=residual)
    beside = sums.solve(np.array([ratios.get(name, 1e-8) for name in sums.random]))
    limit = beside.log_slopes(residual)[sums.random.index("opinion")] / 1e-8
    assert slope == pytest.approx(limit, rel=1e-5)


def test_a_fit_that_begins_with_the_curvature_of_the_whole_ends_where_others_end():
    table = ItemsByJudges(patterns(simulated(3, items=60)))
    whole = fit_components(table.sums(table.counts))
    place = np.log1p(np.array([whole.item, whole.judge]) / whole.residual)
    curvature = curvature_at(table.sums(table.counts), place)
    for left_out in range(0, 60, 10):
        counts = table.counts.copy()
        counts[left_out : left_out + 5] = 0
        alone = fit_components(table.sums(counts))
        warm = fit_components(
            table.sums(counts), starts=(tuple(place.tolist()),), curvature=curvature
        )
        assert warm.to_dict() == pytest.approx(alone.to_dict(), rel=1e-6)


def test_many_levels_kept_in_sparse_tables_give_the_same_fit(monkeypatch):
    rng, n = np.random.default_rng(6), 40_000
    item = rng.integers(0, 10_000, n)
    factors = {"system": item % 4, "judge": rng.integers(0, 60, n), "item": item}
    factors |= {"source": item // 4, "opinion": factors["system"] * 60 + factors["judge"]}
    coded = {name: np.unique(own, return_inverse=True)[1] for name, own in factors.items()}
    values = rng.normal(size=n) + rng.normal(size=2_500)[coded["source"]]
    ratios = np.array([0.4, 0.2, 0.3, 0.1])
    answers = []
    for room in (10**9, 1_000):
        monkeypatch.setattr(reml, "ROOM", room)
        sums = sum_factors(values, Design(coded))
        assert (sums.sparse_products is None) == (room == 10**9)
        solution = sums.solve(ratios)
        slopes = solution.log_slopes(0.9)
        answers.append([solution.deviance(0.9), *slopes, *solution.effects("source")])
    assert answers[1] == pytest.approx(answers[0], rel=1e-9, abs=1e-9)


def sources_of_kinds(missing):
    rng, n = np.random.default_rng(7), 3_000
    item = np.repeat(np.arange(n // 5), 5)
    judge = (item + np.tile(np.arange(5), n // 5) * (1 + item % 3)) % 11
    kept = rng.random(n) >= np.where(item % 4 == 0, missing, 0)
    item, judge = item[kept], judge[kept]
    factors = {"system": item % 4, "judge": judge, "item": item, "source": item // 4}
    factors["opinion"] = factors["system"] * 11 + judge
    coded = {name: np.unique(own, return_inverse=True)[1] for name, own in factors.items()}
    values = rng.normal(size=item.size) + rng.normal(size=n)[coded["source"]]
    return values + 0.7 * rng.normal(size=n)[coded["item"]], Design(coded)


@pytest.mark.parametrize("missing", [0, 0.1])
def test_sources_summed_by_kind_give_the_fit_of_sources_one_by_one(missing):
    values, design = sources_of_kinds(missing)
    kinds, each = (sum_factors(values, design, each=each) for each in (False, True))
    assert kinds.kinds is not None
    assert each.kinds is None
    assert (kinds.kinds.counts.size > 1) == (missing > 0)
    answers = []
    for sums in (kinds, each):
        solution = sums.solve(np.array([0.4, 0.2, 0.3, 0.1]))
        effects = [solution.effects(name) for name in ("system", "judge", "item", "source")]
        numbers = [solution.deviance(0.9), *solution.log_slopes(0.9), *np.concatenate(effects)]
        answers.append([*numbers, *solution.covariance().ravel()])
    assert answers[0] == pytest.approx(answers[1], rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("held", [frozenset(), frozenset({"judge"})], ids=["random", "fixed"])
@pytest.mark.parametrize("each", [False, True], ids=["kinds", "levels"])
def test_curvatures_are_the_changes_of_slopes_beside_the_estimate(each, held):
    values, design = sources_of_kinds(0.1)
    sums = replace(sum_factors(values, design, each=each), held=held)
    names, variances = [*sums.random, "residual"], np.array([0.4, 0.2, 0.3, 0.1, 0.9])
    free = [place for place, name in enumerate(names) if name not in held]

    def at(logs):
        moved = variances.copy()
        moved[free] = np.exp(logs)
        ratios = moved[:-1] / moved[-1]
        ratios[[name in held for name in sums.random]] = reml.FREE
        solution = sums.solve(ratios)
        return solution.log_slopes(moved[-1])[free], solution.covariance() * moved[-1]

    logs, slopes, covariances = np.log(variances[free]), [], []
    for unit in np.eye(len(free)) * 1e-3:  # differences of the fourth order
        ends = [at(logs + side * unit) for side in (2, 1, -1, -2)]
        for kept, values in ((slopes, 0), (covariances, 1)):
            two, one, less, least = (end[values] for end in ends)
            kept.append((8 * (one - less) - (two - least)) / 12e-3)
    curvature = reml.Curvature(sums, variances)
    assert curvature.free.tolist() == free
    expected = np.linalg.inv(np.array(slopes) / 2)
    np.testing.assert_allclose(curvature.covariance, expected, rtol=1e-6, atol=1e-9)
    apart = np.eye(4)[:-1] - np.eye(4)[1:]  # how high all means lie is free beside fixed judges
    found, expected = (apart @ np.array(own) @ apart.T for own in (curvature.changes, covariances))
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(("spread", "sought"), [(0.7, False), (0.0, True)], ids=["far", "near"])
def test_a_model_that_lags_behind_beyond_doubt_is_not_sought_to_the_end(spread, sought):
    rng, n = np.random.default_rng(8), 6_000
    item, judge = np.repeat(np.arange(n // 5), 5), rng.integers(0, 20, n)
    effects = rng.normal(size=20)[judge] + spread * rng.normal(size=n // 5)[item]
    values, system = rng.normal(size=n) + effects, item % 4
    random = {"judge": judge, "item": item}
    whole, fewer = mixed_model(values, system, random=random), {"judge": judge}
    best = mixed_fit(values, system, random=fewer).log_likelihood
    search = Search(start=whole.components, beside=whole.log_likelihood)
    compared = mixed_fit(values, system, random=fewer, search=search).log_likelihood
    if sought:
        assert compared == pytest.approx(best, abs=1e-6)
    else:
        assert compared < best - 0.1
        assert 2 * (whole.log_likelihood - best) > 30  # beyond doubt


def test_one_more_variance_is_found_where_all_variances_are_sought_at_once():
    rng, n, judges = np.random.default_rng(9), 20_000, 50
    item, judge = np.repeat(np.arange(n // 5), 5), rng.integers(0, judges, n)
    opinion = item % 4 * judges + judge
    effects = (rng.normal(size=judges)[judge], 0.15 * rng.normal(size=4 * judges)[opinion])
    values, system = rng.normal(size=n) + effects[0] + effects[1], item % 4
    random = {"judge": judge, "item": item}
    without, more = mixed_model(values, system, random=random), random | {"opinion": opinion}
    added = added_variance(values, system, random=more, name="opinion", beside=without.components)
    whole = mixed_model(values, system, random=more)
    assert added.variance == pytest.approx(whole.components["opinion"], rel=0.1)
    assert added.gain <= 2 * (whole.log_likelihood - without.log_likelihood) + 1e-6
