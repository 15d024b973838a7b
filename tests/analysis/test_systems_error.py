"""How often equal systems are called different, from the mean squares of 20,000 studies each."""

import numpy as np
import pytest

from covary.analysis.systems.models import FEW_OPINIONS, NEEDED, OPINION, fit_models
from covary.analysis.systems.pairs import compare_pairs
from covary.analysis.systems.result import SystemsOptions
from covary.stats.intervals import IntervalSpec
from covary.stats.models.observations import Observations
from tests.analysis.mean_squares import Shape, draw_studies, found, study_squares

OPTIONS = SystemsOptions(interval=IntervalSpec.of(None, 0.95, 2, 0), brief=True)


def as_observations(values):
    codes = dict(zip(("system", "source", "judge"), np.indices(values.shape), strict=True))
    codes["item"] = codes["system"] * values.shape[1] + codes["source"]
    factors = {name: own.ravel() for name, own in codes.items()}
    names = {name: tuple(range(own.max() + 1)) for name, own in factors.items()}
    return Observations(values.ravel(), factors, names)


def size(rng, shape, **varies):
    return found(*draw_studies(rng, shape, **varies), shape).mean()


def test_the_thresholds_are_those_that_were_tried():
    assert (NEEDED[OPINION], FEW_OPINIONS) == (0.3, ((4, 0.5), (9, 0.4)))


@pytest.mark.parametrize(
    ("judges", "opinion", "better"), [(4, 0.0, 0.6), (4, 0.35, 1.4), (3, 0.2, 1.0), (2, 0.1, 0.8)]
)
def test_mean_squares_decide_as_the_default_comparison_does(judges, opinion, better):
    rng, shape = np.random.default_rng(judges), Shape(judges=judges)
    for _ in range(3):
        values = rng.normal(0, 1, (4, 15, judges)) + rng.normal(0, 0.3, (4, 15, 1))
        values += rng.normal(0, opinion, (4, 1, judges))
        values[3] += rng.uniform(0, better)
        observed = as_observations(values)
        pairs = compare_pairs(observed, fit_models(observed, OPTIONS), OPTIONS)
        by_hand = found(*study_squares(values, shape), shape)
        assert (pairs.n_significant > 0) == by_hand[0]


@pytest.mark.parametrize(
    "shape",
    [Shape(), Shape(judges=3), Shape(judges=3, systems=3), Shape(systems=2), Shape(judges=10)],
    ids=lambda shape: f"{shape.systems} systems, {shape.judges} judges",
)
@pytest.mark.parametrize("text", [0.0, 0.5])
def test_equal_systems_differ_in_three_to_seven_of_a_hundred_studies(shape, text):
    rng = np.random.default_rng(1)
    sizes = [size(rng, shape, text=text, opinion=opinion) for opinion in (0, 0.1, 0.2, 0.3, 0.5)]
    assert min(sizes) > 0.028
    assert max(sizes) < 0.072  # a standard error of .0016


def test_two_judges_cannot_show_that_they_differ_in_opinion():
    """The price of two judges, as the documentation states it."""
    rng, shape = np.random.default_rng(1), Shape(judges=2)
    sizes = [size(rng, shape, opinion=opinion) for opinion in (0, 0.2, 0.3, 0.5, 0.7)]
    assert min(sizes) > 0.025
    assert 0.07 < max(sizes) < 0.10
