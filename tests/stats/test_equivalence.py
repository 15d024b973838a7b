"""Two one-sided tests, and the test of a whole set of differences."""

import math

import numpy as np
import pytest
from scipy import stats

from covary.errors import InvalidArgument
from covary.stats.posthoc.effects import distance_test, tost


def test_the_example_of_lakens_2017():
    # Lakens (2017), Social Psychological and Personality Science 8: t(182) = -2.69, p = .004
    pooled = math.sqrt((94 * 0.95**2 + 88 * 0.83**2) / 182)
    error = pooled * math.sqrt(1 / 95 + 1 / 89)
    found = tost(5.25 - 5.22, error, 182, margin=0.43 * pooled)
    assert (0.03 - 0.43 * pooled) / error == pytest.approx(-2.69, abs=0.005)
    assert found.p == pytest.approx(0.004, abs=0.0005)
    assert found.equivalent


@pytest.mark.parametrize(("difference", "df"), [(0.1, 12), (-0.4, 30), (0.0, 5), (0.9, 8)])
def test_p_and_interval_are_those_of_student(difference, df):
    found = tost(difference, 0.2, df, margin=0.5, alpha=0.1)
    t = stats.t(df)
    assert found.p_above_lower == pytest.approx(t.sf((difference + 0.5) / 0.2))
    assert found.p_below_upper == pytest.approx(t.cdf((difference - 0.5) / 0.2))
    assert found.high == pytest.approx(difference + t.ppf(0.9) * 0.2)
    assert found.equivalent == (found.low > -0.5 and found.high < 0.5)


def test_an_infinite_df_is_the_normal_distribution():
    assert tost(0, 1, math.inf, margin=1.96).p == pytest.approx(0.025, abs=1e-4)


def test_no_difference_found_is_not_equivalence():
    wide = tost(0.0, 1.0, 20, margin=0.5)
    assert not wide.equivalent
    assert not wide.different
    far = tost(2.0, 0.1, 20, margin=0.5)
    assert far.different


def test_without_a_standard_error_there_is_no_p():
    found = tost(0.1, 0.0, 10, margin=0.5)
    assert math.isnan(found.p)
    assert not found.equivalent
    assert found.to_dict()["p"] is None


@pytest.mark.parametrize(
    ("keywords", "word"),
    [
        ({"margin": 0}, "margin"),
        ({"margin": math.nan}, "margin"),
        ({"margin": 1, "alpha": 0.6}, "alpha"),
    ],
)
def test_a_margin_and_a_level_must_make_sense(keywords, word):
    with pytest.raises(InvalidArgument, match=word):
        tost(0, 1, 10, **keywords)


def test_noise_is_taken_off_the_distance():
    # true standard deviation of the differences .3 (four systems at ±.26), noise of sd .2
    rng = np.random.default_rng(3)
    true = np.array([1, -1, 1, -1]) * 0.3 * math.sqrt(3) / 2
    assert np.std(true, ddof=1) == pytest.approx(0.3)
    squares = []
    for _ in range(400):
        seen = true + rng.normal(0, 0.2, 4)
        found = distance_test(seen, seen + rng.normal(0, 0.2, (400, 4)), 50, margin=0.5)
        squares.append(found.value**2 if found.value else 0.0)
        assert found.raw == pytest.approx(np.std(seen, ddof=1))
    assert np.mean(squares) == pytest.approx(0.3**2, abs=0.015)


def test_the_word_follows_the_side_of_the_margin():
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 0.05, (500, 5))
    near, far = np.array([0.1, -0.1, 0, 0.05, -0.05]), np.array([1.0, -1, 0.5, -0.5, 0])
    assert distance_test(near, near + noise, 20, margin=0.5).word == "equivalent"
    assert distance_test(far, far + noise, 20, margin=0.5).word == "different"
    unsure = distance_test(near, near + 10 * noise, 20, margin=0.5)
    assert unsure.word == "not shown"
