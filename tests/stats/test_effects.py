"""Effect sizes against R effsize, scipy and arithmetic."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from covary import InvalidArgument
from covary.stats.effects import (
    cliffs_delta,
    probability_of_superiority,
    standardised_difference,
)
from covary.stats.stars import stars
from tests.stats.unbalanced import GROUPS


def test_cliffs_delta_and_its_interval_equal_r_effsize():
    # R effsize 0.7.6, the example of cliff.delta: -0.25 [-0.7265846, 0.3890062]
    treatment = [10, 10, 20, 20, 20, 30, 30, 30, 40, 50]
    found = cliffs_delta(treatment, [10, 20, 30, 40, 40, 50])
    assert found.value == pytest.approx(-0.25)
    assert (found.low, found.high) == pytest.approx((-0.7265846, 0.3890062), abs=5e-8)


ratings = st.lists(st.integers(1, 7), min_size=2, max_size=15)


@given(ratings, ratings)
def test_cliffs_delta_counts_every_pair(first, second):
    signs = [np.sign(a - b) for a in first for b in second]
    found = cliffs_delta(first, second)
    assert found.value == pytest.approx(np.mean(signs), abs=1e-12)
    assert found.low - 1e-12 <= found.value <= found.high + 1e-12
    assert found.low >= -1
    assert found.high <= 1
    other = cliffs_delta(second, first)
    assert (other.value, other.low, other.high) == pytest.approx(
        (-found.value, -found.high, -found.low), abs=1e-9
    )


@given(ratings, ratings)
def test_superiority_is_mann_and_whitneys_share(first, second):
    found = probability_of_superiority(first, second)
    u = stats.mannwhitneyu(first, second).statistic
    assert found.value == pytest.approx(u / (len(first) * len(second)))
    assert found.low == pytest.approx((1 + cliffs_delta(first, second).low) / 2)


def test_complete_superiority_has_an_interval():
    # Feng & Cliff (2004): (n - t²) / (n + t²) with the smaller n
    found = cliffs_delta([8, 9, 9, 9, 8, 9, 9, 9, 9, 8], [1, 2, 3, 1, 2, 3, 1, 2, 3, 1])
    t = stats.t.ppf(0.975, 18)
    assert found.value == found.high == 1
    assert found.low == pytest.approx((10 - t**2) / (10 + t**2))


def test_a_million_ratings_form_no_pairs():
    first = np.arange(600_000) % 1000
    found = cliffs_delta(first, np.arange(400_000) % 1000 + 500)
    # Of all pairs, (500 · 499 / 2) / 1000² have the first higher and 500 / 1000² are equal.
    assert found.value == pytest.approx(0.12475 - (1 - 0.12475 - 0.0005), abs=1e-12)


def test_standardised_difference_equals_pingouin():
    # pingouin 0.6.1 compute_effsize(eftype="cohen")
    found = standardised_difference(GROUPS[0], GROUPS[1])
    assert found.value == pytest.approx(-0.546479523857282, rel=1e-10)


def test_the_interval_of_the_standardised_difference_holds_the_t_in_its_tails():
    # By its definition: t is the .975 and the .025 point of noncentral t at the two limits.
    first, second = GROUPS[2], GROUPS[0]
    found = standardised_difference(first, second)
    weight = math.sqrt(1 / first.size + 1 / second.size)
    t, df = found.value / weight, first.size + second.size - 2
    assert stats.nct.cdf(t, df, found.low / weight) == pytest.approx(0.975, abs=1e-6)
    assert stats.nct.cdf(t, df, found.high / weight) == pytest.approx(0.025, abs=1e-6)
    turned = standardised_difference(second, first)
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low))


def test_the_two_intervals_meet_in_large_groups():
    rng = np.random.default_rng(5)
    first, second = rng.normal(0.3, 1, 1000), rng.normal(0, 1, 1000)
    exact = standardised_difference(first, second)
    more = standardised_difference(np.append(first, first[:3]), second)
    assert (exact.method, more.method) == ("noncentral t", "large-sample")
    assert (more.low, more.high) == pytest.approx((exact.low, exact.high), abs=5e-3)


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [([1], [2, 3], "two ratings"), ([4, 4], [5, 5, 5], "do not vary")],
)
def test_no_spread_is_undefined_with_a_reason(first, second, reason):
    found = standardised_difference(first, second)
    assert not found.defined
    assert reason in found.reason
    assert found.to_dict()["value"] is None


def test_delta_of_single_ratings_has_no_interval():
    found = cliffs_delta([2], [1, 3])
    assert found.value == 0
    assert math.isnan(found.low)
    assert "two ratings" in found.reason


@pytest.mark.parametrize(
    ("first", "confidence", "said"),
    [([], 0.95, "at least one"), ([1, math.nan], 0.95, "finite"), ([1, 2], 95, "confidence=95")],
)
def test_a_wrong_call_says_what_is_wrong(first, confidence, said):
    with pytest.raises(InvalidArgument, match=said):
        cliffs_delta(first, [1, 2], confidence=confidence)


@pytest.mark.parametrize(
    ("p", "mark"),
    [(0.0, "**"), (0.01, "**"), (0.0101, "*"), (0.05, "*"), (0.0501, ""), (math.nan, "")],
)
def test_stars(p, mark):
    assert stars(p) == mark
