"""Effect sizes against R effsize, scipy and arithmetic."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from covary import InvalidArgument
from covary.stats.posthoc.comparisons import stars
from covary.stats.posthoc.effects import cliffs_delta


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
