"""Bounds for repeated looks: published tables, and walks that are looked at after every step."""

import numpy as np
import pytest

from covary.errors import InvalidArgument
from covary.stats.sequential import equivalent_t, group_sequential_bounds, sequence_bound


# Jennison & Turnbull (2000), Tables 2.1 and 2.3, two-sided tests at .05.
@pytest.mark.parametrize(
    ("looks", "pocock", "obrien"),
    [
        (1, 1.960, 1.960),
        (2, 2.178, 1.977),
        (3, 2.289, 2.004),
        (5, 2.413, 2.040),
        (10, 2.555, 2.087),
    ],
)
def test_the_published_constants_of_group_sequential_tests(looks, pocock, obrien):
    assert group_sequential_bounds(looks, shape="pocock") == pytest.approx(
        [pocock] * looks, abs=0.001
    )
    bounds = group_sequential_bounds(looks)
    assert bounds[-1] == pytest.approx(obrien, abs=0.001)
    assert bounds[0] == pytest.approx(obrien * looks**0.5, abs=0.003)


def test_a_walk_that_is_looked_at_after_every_step_passes_the_bound_in_5_percent_at_most():
    walks = np.cumsum(np.random.default_rng(3).standard_normal((3000, 2000)), axis=1)
    steps = np.arange(1, 2001)
    z = np.abs(walks) / np.sqrt(steps)
    bounds = np.array([sequence_bound(float(step), planned=300.0) for step in steps])
    ever = np.mean((z > bounds).any(axis=1))
    assert ever <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 3000)
    assert ever > 0.015  # it is not empty caution
    assert np.mean((z > 1.96).any(axis=1)) > 0.4  # what repeated tests do


def test_the_bound_is_near_its_tightest_where_it_was_planned():
    planned = sequence_bound(100.0, planned=100.0)
    assert planned < sequence_bound(2.0, planned=100.0)
    assert planned < sequence_bound(5000.0, planned=100.0)
    assert planned == pytest.approx(3.03, abs=0.01)  # by hand from the formula, η = 100 / 7.934


def test_few_degrees_of_freedom_ask_for_a_larger_t():
    # Student's t with 4 degrees of freedom has 2.5 % beyond 2.776, a normal deviate beyond 1.960.
    assert equivalent_t(1.959964, 4) == pytest.approx(2.776, abs=0.001)
    assert equivalent_t(1.959964, float("inf")) == 1.959964


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: sequence_bound(0.0, planned=1.0),
        lambda: sequence_bound(1.0, planned=1.0, alpha=1.0),
        lambda: group_sequential_bounds(0),
        lambda: group_sequential_bounds(2, shape="round"),
    ],
    ids=["information", "alpha", "looks", "shape"],
)
def test_what_makes_no_sense_is_refused(wrong):
    with pytest.raises(InvalidArgument):
        wrong()
