"""Few and many judges are computed in different ways, and give the same numbers."""

from dataclasses import replace

import numpy as np
import pytest

from covary import Ratings
from covary.analysis import judge_model
from covary.analysis.judge_model import JudgeEffects, scores
from covary.stats.coefficients import kappa, percent
from covary.stats.coefficients.chance import gwet_interval
from covary.stats.coefficients.variance_components import ItemsByJudges, variance_components
from covary.stats.intervals import IntervalSpec, analytic
from covary.stats.models import tables
from covary.stats.patterns import collapse


def sparse_ratings(*, clusters=False, n_judges=40, level="ordinal"):
    """Two to four ratings of each of 300 items, by judges of different severity."""
    rng = np.random.default_rng(5)
    rows = {"item": [], "judge": [], "rating": [], "dialogue": []}
    severity = rng.normal(0, 0.6, n_judges)
    for item in range(300):
        place = rng.normal(3, 0.8)
        for judge in rng.choice(n_judges, rng.integers(2, 5), replace=False).tolist():
            given = np.clip(np.round(place + severity[judge] + rng.normal(0, 0.7)), 1, 5)
            rows["item"].append(f"i{item:03}")
            rows["judge"].append(f"j{judge:02}")
            rows["rating"].append(int(given))
            rows["dialogue"].append(f"d{item // 7:02}")
    if not clusters:
        rows.pop("dialogue")
    more = {"cluster": "dialogue"} if clusters else {}
    return Ratings(rows, scale="1-5", level=level, **more)


@pytest.fixture(params=[False, True], ids=["items", "clusters"])
def patterns(request):
    return collapse(sparse_ratings(clusters=request.param))


def dense_effects(part):
    """The judges' effects and their covariance, written out with whole tables."""
    rated, counts = part.rated.astype(float), part.counts.astype(float)
    size = rated.sum(axis=1)
    met = np.diag(counts @ rated) - rated.T @ ((counts / size)[:, None] * rated)
    inverse = np.linalg.pinv(met, hermitian=True)
    numbers = np.where(part.rated, part.positions()[part.codes], 0.0)
    own = np.where(part.rated, numbers - (numbers.sum(axis=1) / size)[:, None], 0.0)
    effects = inverse @ (counts @ own)
    expected = rated * (effects - ((rated @ effects) / size)[:, None])
    errors = counts[:, None] * ((own - expected) @ inverse)
    groups = np.arange(counts.size) if part.clusters is None else part.clusters
    sums = np.array([errors[groups == group].sum(axis=0) for group in np.unique(groups)])
    met = np.array([np.unique(groups[rates]).size for rates in part.rated.T])
    scale = np.sqrt(met / (met - 1))  # a judge's few units leave too little of themselves
    return effects, scale[:, None] * (sums.T @ sums) * scale


@pytest.mark.parametrize("most_cells", [0, 10**9])
def test_judges_effects_equal_those_of_whole_tables(patterns, monkeypatch, most_cells):
    monkeypatch.setattr(tables, "MOST_CELLS", most_cells)
    monkeypatch.setattr(tables, "FILLED", 1.0 if most_cells == 0 else 0.0)
    one_each = replace(patterns, counts=np.ones_like(patterns.counts))
    (part,) = scores(one_each)
    fit = JudgeEffects([part])
    effects, covariance = dense_effects(part)
    np.testing.assert_allclose(fit.effects, effects, atol=1e-10)
    np.testing.assert_allclose(fit.covariance, covariance, atol=1e-10)


def test_names_have_the_same_effects_whether_tables_are_sparse_or_not(monkeypatch):
    from_names = collapse(sparse_ratings(level="nominal"))
    fits = []
    for cells, share in ((0, 1.0), (10**9, 0.0)):
        monkeypatch.setattr(tables, "MOST_CELLS", cells)
        monkeypatch.setattr(tables, "FILLED", share)
        fits.append(JudgeEffects(list(scores(from_names))))
    np.testing.assert_allclose(fits[0].effects, fits[1].effects, atol=1e-10)
    np.testing.assert_allclose(fits[0].covariance, fits[1].covariance, atol=1e-10)


def test_the_use_of_the_scale_is_the_same_from_a_list_of_pairs_and_from_columns(patterns):
    (part,) = scores(patterns)
    group = np.arange(part.counts.size) % judge_model.GROUPS
    listed = judge_model._listed_moments(part, group)
    multiplied = judge_model._multiplied_moments(part, group)
    met = multiplied.sum(axis=0)[0] > 0
    np.testing.assert_allclose(listed, multiplied[:, :, met], atol=1e-10)
    shares = [judge_model._spread_share(each.sum(axis=0)) for each in (listed, multiplied)]
    np.testing.assert_allclose(*shares, atol=1e-10)


@pytest.mark.parametrize("steps", [1.0, 0.5])
def test_congers_kappa_has_the_interval_that_moving_each_row_gives(patterns, steps):
    far = np.abs(np.subtract.outer(np.arange(5), np.arange(5)))
    agreement = np.maximum(1 - steps * far, 0.0)
    statistic = kappa._conger(patterns, agreement)
    spec = IntervalSpec.of("analytic", 0.95, 1000, 0)
    direct, moved = analytic(statistic.given_items, spec), gwet_interval(statistic, spec, fixed=2)
    assert statistic.value == pytest.approx(
        float(statistic.evaluate(statistic.counts[None])[0]), abs=1e-12
    )
    assert direct.standard_error == pytest.approx(moved.standard_error, abs=1e-9)
    assert (direct.low, direct.high) == pytest.approx((moved.low, moved.high), abs=1e-9)


def test_variance_components_are_the_same_from_sparse_and_from_whole_tables(monkeypatch):
    found = []
    for cells, share in ((0, 1.0), (10**9, 0.0)):
        monkeypatch.setattr(tables, "MOST_CELLS", cells)
        monkeypatch.setattr(tables, "FILLED", share)
        parts = variance_components(collapse(sparse_ratings()))
        found.append([parts.item, parts.judge, parts.residual])
    np.testing.assert_allclose(*found, rtol=1e-8)


@pytest.mark.parametrize("tolerance", [0, 1])
@pytest.mark.parametrize("weights", [np.ones(12), np.arange(12) % 3], ids=["once", "drawn"])
def test_agreeing_pairs_counted_by_category_are_those_counted_one_by_one(tolerance, weights):
    patterns = collapse(sparse_ratings(n_judges=12))
    found = percent._pairs_by_category(patterns, tolerance, weights.astype(float))
    expected = percent._pairs_one_by_one(patterns, tolerance, weights.astype(float))
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert 0 < found[0].sum() < found[1].sum()


@pytest.mark.parametrize("clusters", [False, True], ids=["judges", "clusters"])
def test_variance_components_without_some_rows_are_sums_of_the_others(clusters):
    patterns = collapse(sparse_ratings(n_judges=12, clusters=clusters))
    counts = patterns.counts.astype(float)
    counts[::7] = 0
    others = patterns.keep(counts > 0)
    less = ItemsByJudges(patterns).sums(counts)
    alone = ItemsByJudges(others).sums(others.counts.astype(float))
    ratios = np.array([0.7, 0.4])
    ends = [(one.df, one.solve(ratios).deviance(0.9)) for one in (less, alone)]
    assert ends[0] == pytest.approx(ends[1], rel=1e-10)
