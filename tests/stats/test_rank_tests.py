"""Friedman's and Kruskal & Wallis' tests against scipy, R and arithmetic."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from covary import InvalidArgument, Ratings, RatingsError, kendall_w
from covary.stats.posthoc.rank_tests import friedman, kruskal_wallis

TIES = [[1, 1, 2, 3, 3, 4], [1, 2, 2, 2, 4, 4], [2, 2, 3, 3, 4, 4], [1, 1, 1, 3, 3, 4]]
NO_TIES = [[1, 2, 3, 4, 5, 6], [2, 1, 3, 5, 4, 6], [1, 3, 2, 4, 6, 5], [1, 2, 4, 3, 6, 5]]


def test_friedman_with_ties_equals_r_irr():
    # R irr 0.84.1 kendall(correct=TRUE): W .902, chi² 18.04, p .0028967
    found = friedman(TIES)
    assert found.w == pytest.approx(0.902, abs=5e-4)
    assert found.chi2 == pytest.approx(18.04, abs=5e-3)
    assert found.p == pytest.approx(0.0028967, abs=5e-8)
    assert found.f == pytest.approx(27.61, abs=5e-3)


def test_friedman_without_ties_equals_r_irr():
    found = friedman(NO_TIES)
    assert (found.w, found.chi2) == pytest.approx((0.85, 17.0), abs=1e-9)
    assert found.p == pytest.approx(0.0045, abs=5e-5)
    assert found.df == 5


@given(st.integers(2, 8), st.integers(2, 6), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_friedman_is_kendalls_w_and_scipys_chi_square(m, n, random):
    blocks = [[random.randint(1, 4) for _ in range(n)] for _ in range(m)]
    found = friedman(blocks)
    if found.reason:
        assert all(len(set(row)) == 1 for row in blocks)
        return
    w = kendall_w(Ratings.from_wide(list(zip(*blocks, strict=True)), scale="1-4"), interval=None)
    assert found.w == pytest.approx(w.value, abs=1e-12)
    if n > 2:
        assert found.chi2 == pytest.approx(stats.friedmanchisquare(*np.array(blocks).T).statistic)


@given(st.lists(st.lists(st.integers(0, 6), min_size=1, max_size=12), min_size=2, max_size=5))
@settings(max_examples=60, deadline=None)
def test_kruskal_and_wallis_equal_scipy(groups):
    found = kruskal_wallis(groups)
    if len({value for group in groups for value in group}) == 1:
        assert math.isnan(found.h)
        assert "all ratings are equal" in found.reason
        return
    expected = stats.kruskal(*groups)
    assert found.h == pytest.approx(expected.statistic, rel=1e-9, abs=1e-9)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9, abs=1e-12)


def test_kruskal_and_wallis_by_hand():
    # Ranks 1 2 | 3 4 | 5 6: H = 12 / 42 · 2 (4 + 0 + 4) = 32 / 7.
    found = kruskal_wallis([[1, 2], [3, 4], [5, 6]])
    assert found.h == pytest.approx(32 / 7)
    assert found.epsilon_squared == pytest.approx(32 / 35)
    assert found.mean_ranks == (1.5, 3.5, 5.5)


def test_blocks_that_agree_entirely_have_w_one_and_no_f():
    found = friedman([[1, 2, 3]] * 4)
    assert found.w == pytest.approx(1)
    assert math.isnan(found.f)
    assert found.f_p == 0


@pytest.mark.parametrize(
    ("blocks", "reason"),
    [
        ([[1], [2]], "only one system"),
        ([[1, 2]], "only one block"),
        ([[1, 1], [2, 2]], "no order"),
    ],
)
def test_friedman_is_undefined_with_a_reason(blocks, reason):
    found = friedman(blocks)
    assert math.isnan(found.chi2)
    assert reason in found.reason
    assert found.to_dict()["chi2"] is None


def test_a_missing_cell_is_refused_with_the_way_out():
    with pytest.raises(RatingsError, match=r"rows 1, 3.*additive, mixed"):
        friedman([[1, math.nan], [2, 3], [math.nan, 1]])


def test_what_is_no_table_is_refused():
    with pytest.raises(InvalidArgument, match="one row per block"):
        friedman([1, 2, 3])
    with pytest.raises(InvalidArgument, match="numbers only"):
        kruskal_wallis([[1, math.nan], [2, 3]])


@pytest.mark.parametrize(
    ("groups", "reason"), [([[1, 2]], "only one system"), ([[1, 2], []], "has no rating")]
)
def test_kruskal_and_wallis_are_undefined_with_a_reason(groups, reason):
    assert reason in kruskal_wallis(groups).reason
