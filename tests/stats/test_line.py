"""Ratings on a line that came as a matrix: sums without sorting give what sorted patterns give."""

import numpy as np
import pytest
from scipy import stats

import covary
from covary import Ratings, VisualScale

COEFFICIENTS = ("pearson", "icc", "cronbach_alpha", "krippendorff_alpha")


def lines(seed, gaps):
    rng = np.random.default_rng(seed)
    rows = 50 + 15 * rng.normal(size=(60, 1)) + 8 * rng.normal(size=(60, 3))
    rows = np.clip(rows, 0, 100)
    if gaps:
        rows[rng.random(rows.shape) < 0.1] = np.nan
    return rows


def as_long(rows):
    """The same ratings one by one, which are sorted into patterns."""
    item, judge = np.nonzero(~np.isnan(rows))
    table = {"item": item, "judge": judge + 1, "rating": rows[item, judge]}
    return Ratings(table, scale=VisualScale(0, 100))


CASES = [
    (name, gaps)
    for name in COEFFICIENTS
    for gaps in (False, True)
    if not gaps or name != "cronbach_alpha"  # which takes complete ratings only
]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("name", "gaps"), CASES)
def test_sums_give_what_patterns_give(name, gaps, seed):
    rows = lines(seed, gaps)
    wide = getattr(covary, name)(Ratings.from_wide(rows, scale=VisualScale(0, 100)))
    long = getattr(covary, name)(as_long(rows))
    assert wide.value == pytest.approx(long.value, abs=1e-10)
    assert wide.interval.low == pytest.approx(long.interval.low, abs=1e-8)
    assert wide.interval.high == pytest.approx(long.interval.high, abs=1e-8)


def test_pearson_of_two_judges_is_numpys():
    rows = lines(7, gaps=False)[:, :2]
    made = covary.pearson(Ratings.from_wide(rows, scale=VisualScale(0, 100)))
    assert made.value == pytest.approx(np.corrcoef(rows.T)[0, 1], abs=1e-12)


ORDERS = ("goodman_kruskal_gamma", "kendall_tau_b", "kendall_tau_c", "kendall_w", "spearman")


@pytest.mark.parametrize("rounded", [False, True])
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("name", ORDERS)
def test_orders_of_single_judges_give_what_patterns_give(name, gaps, rounded):
    rows = lines(11, gaps)
    rows = np.round(rows * 2) / 2 if rounded else rows  # with ties
    of = getattr(covary, name)
    wide = of(Ratings.from_wide(rows, scale=VisualScale(0, 100)), interval="analytic")
    long = of(as_long(rows), interval="analytic")
    assert wide.value == pytest.approx(long.value, abs=1e-10)
    assert wide.interval.low == pytest.approx(long.interval.low, abs=1e-8)
    assert wide.details.get("concordant") == long.details.get("concordant")


@pytest.mark.parametrize("gaps", [False, True])
def test_ordinal_alpha_of_a_line_is_that_of_patterns(gaps):
    rows = lines(12, gaps)
    wide = covary.krippendorff_alpha(
        Ratings.from_wide(rows, scale=VisualScale(0, 100)), level="ordinal", interval="analytic"
    )
    long = covary.krippendorff_alpha(as_long(rows), level="ordinal", interval="analytic")
    assert wide.value == pytest.approx(long.value, abs=1e-10)
    assert wide.interval.low == pytest.approx(long.interval.low, abs=1e-8)


def test_tau_b_of_a_line_is_scipys():
    rng = np.random.default_rng(5)
    rows = np.round(rng.normal(size=(5000, 1)) + rng.normal(size=(5000, 2)), 2)
    made = covary.kendall_tau_b(Ratings.from_wide(rows, level="interval"), interval=None)
    assert made.value == pytest.approx(stats.kendalltau(*rows.T).statistic, abs=1e-12)
