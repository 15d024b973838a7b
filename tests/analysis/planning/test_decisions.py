"""Equivalence, two scales, ordered categories: closed forms against simulated studies."""

import numpy as np
import pytest

from covary import Ratings
from covary.analysis.planning import (
    StudySize,
    equivalence_power,
    items_for_equivalence,
    known_components,
    latent_components,
    scale_power,
    simulated_power,
)
from covary.analysis.planning.simulation import draw_study
from covary.stats.distributions import t_quantile
from covary.stats.models.observations import observations

PILOT = known_components(item=0.4, judge_system=0.0, residual=0.5)


def test_the_power_of_equivalence_is_that_of_simulated_studies():
    """Crossed studies without tastes: sources' means have plain paired differences."""
    n, k, runs, margin = 40, 4, 6000, 0.5
    size = StudySize(systems=2, items=n, judges=k, votes=k)
    rng = np.random.default_rng(3)
    gaps = rng.normal(0, np.sqrt(2 * (0.4 + 0.5 / k)), (runs, n))
    mean, error = gaps.mean(axis=1), gaps.std(axis=1, ddof=1) / np.sqrt(n)
    reach = t_quantile(0.95, n - 1) * error
    shown = np.mean((mean + reach < margin) & (mean - reach > -margin))
    assert equivalence_power(PILOT, size, margin) == pytest.approx(shown, abs=0.03)


def test_so_many_items_show_equality_and_fewer_do_not():
    size = StudySize(systems=2, items=2, judges=10, votes=4)
    items = items_for_equivalence(PILOT, size, 0.4)

    def chance(n):
        own = StudySize(systems=2, items=n, judges=10, votes=4)
        return equivalence_power(PILOT, own, 0.4)

    assert chance(items) >= 0.8 > chance(items - 1)


def test_the_power_to_tell_two_scales_apart_is_that_of_simulated_intraclass_correlations():
    first, second = (known_components(item=v, residual=1 - v) for v in (0.75, 0.45))
    size, runs = StudySize(items=40, judges=3, votes=3), 3000
    found = scale_power(first, second, size)
    rng, places = np.random.default_rng(8), []
    for v in (0.75, 0.45):
        table = rng.normal(0, np.sqrt(v), (runs, 40, 1)) + rng.normal(
            0, np.sqrt(1 - v), (runs, 40, 3)
        )
        between = 3 * table.mean(axis=2).var(axis=1, ddof=1)
        within = table.var(axis=2, ddof=1).mean(axis=1)
        places.append(0.5 * np.log(between / within))  # Fisher's z of the intraclass correlation
    error = 3 / (2 * 38)
    z = (places[0] - places[1]) / np.sqrt(error)
    assert found.power == pytest.approx(np.mean(np.abs(z) > 1.96), abs=0.05)
    assert scale_power(first, first, size).items_needed is None


def ordinal_study(seed=4):
    """Two systems, 60 sources, 5 judges on a line that is cut at -2, -.5, 1 and 2.5."""
    rng = np.random.default_rng(seed)
    pilot = known_components(
        item=1.0, source=0.5, judge=0.6, judge_system=0.0, residual=np.pi**2 / 3
    )
    size = StudySize(systems=2, items=60, judges=5, votes=5)
    shift = 1.0
    rows = observations(draw_study(pilot, size, shift, rng))
    columns = {name: [rows.names[name][code] for code in rows.factors[name]] for name in rows.names}
    codes = np.searchsorted([-2.0, -0.5, 1.0, 2.5], rows.values) + 1
    return Ratings(columns | {"rating": codes.tolist()}, scale="1-5")


def test_components_on_the_line_behind_the_categories_are_found():
    # Normal noise of the logistic's variance is drawn, so that the cuts are met approximately.
    found = latent_components(ordinal_study())
    part = found.components
    assert part["item"] + part["source"] == pytest.approx(1.5, abs=0.5)
    assert 0.6 * 0.12 < part["judge"] < 0.6 * 2.79  # chi-square of 4 degrees of freedom, 95 %
    assert part["residual"] == pytest.approx(np.pi**2 / 3)
    assert np.diff(found.thresholds) == pytest.approx([1.5, 1.5, 1.5], abs=0.35)
    assert 1 < found.mean_rating(0.0) < 5
    gap = found.mean_rating(found.shift_of(0.5) / 2) - found.mean_rating(-found.shift_of(0.5) / 2)
    assert gap == pytest.approx(0.5, abs=1e-4)


def test_simulated_power_goes_through_the_analysis_that_will_be_used():
    found = simulated_power(
        latent_components(ordinal_study()),
        StudySize(systems=2, items=12, judges=4, votes=2),
        2.5,
        runs=4,
    )
    assert found.power == 1.0
    assert found.type_one <= 0.5
    assert found.undefined == 0
