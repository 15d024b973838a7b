"""The studentised range against scipy, printed tables and the t distribution."""

import math

import numpy as np
import pytest
from scipy import special, stats

from covary.stats.distributions import range_quantile, range_quantiles, range_tail


@pytest.mark.parametrize("k", [2, 3, 4, 8, 20, 50])
@pytest.mark.parametrize("df", [1, 2, 5, 18, 100, 770])
def test_the_tail_equals_that_of_scipy(k, df):
    q = np.array([0.3, 1.0, 2.5, 3.7, 5.0, 9.0])
    expected = stats.studentized_range.sf(q, k, df)
    assert range_tail(q, k, df) == pytest.approx(expected, abs=1e-8)


def test_two_means_are_a_t_test_far_into_the_tail():
    q = np.array([0.5, 2.0, 8.0, 40.0])
    expected = 2 * special.stdtr(7, -q / math.sqrt(2))
    assert range_tail(q, 2, 7) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("k", "df", "printed"),
    [
        (3, 12, 3.77),
        (4, 18, 4.00),
        (10, 20, 5.01),
        (2, 5, 3.64),
        (8, 60, 4.44),
        (5, math.inf, 3.86),
    ],
)
def test_quantiles_equal_printed_tables(k, df, printed):
    assert round(range_quantile(0.95, k, df), 2) == printed


def test_quantiles_at_many_degrees_of_freedom_lie_on_the_curve():
    df = np.concatenate([np.linspace(3, 40, 60), [1e4, math.inf, np.nan]])
    found = range_quantiles(0.95, 6, df)
    assert math.isnan(found[-1])
    for place in (0, 7, 23, 41, 60, 61):
        assert found[place] == pytest.approx(range_quantile(0.95, 6, df[place]), rel=1e-6)


def test_each_q_may_have_its_own_degrees_of_freedom():
    q, df = np.array([3.0, 4.0, np.nan, 3.0]), np.array([5.0, 9.0, 5.0, 0.0])
    found = range_tail(q, 4, df)
    assert found[0] == pytest.approx(stats.studentized_range.sf(3, 4, 5), abs=1e-8)
    assert found[1] == pytest.approx(stats.studentized_range.sf(4, 4, 9), abs=1e-8)
    assert np.isnan(found[2:]).all()


def test_the_tail_falls_from_one_to_zero():
    found = range_tail(np.linspace(0, 60, 400), 12, 30)
    assert found[0] == pytest.approx(1, abs=1e-9)
    assert (np.diff(found) <= 1e-12).all()
    assert range_tail(1e9, 12, 30) == 0
