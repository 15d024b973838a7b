"""Studies planned for 80 % power reach it in the analysis that `covary systems` makes by default.

Complete studies, by their mean squares: see tests/analysis/mean_squares.py, whose decisions are
those of the default comparison.
"""

import math

import numpy as np
import pytest

from covary.analysis.planning import StudySize, items_needed, known_components, power
from covary.stats.distributions import t_quantile
from tests.analysis.mean_squares import Shape, draw_studies, found, least_difference

RESIDUAL = 0.5


def pilot(opinions):
    return known_components(
        item=0.4, source=0.2, judge=0.15, judge_system=opinions, residual=RESIDUAL
    )


def simulated_plan(opinions, systems, judges, difference):
    """Power, type I error and the width of an interval by what was planned of a complete study."""
    components, rng = pilot(opinions), np.random.default_rng(4)
    size = StudySize(systems=systems, items=2, judges=judges, votes=judges)
    items = items_needed(components, size, difference, compared=systems)
    own = StudySize(systems=systems, items=items, judges=judges, votes=judges)
    shape = Shape(systems=systems, judges=judges, sources=items)
    unit = math.sqrt(RESIDUAL)
    varies = {"text": math.sqrt(0.4) / unit, "opinion": math.sqrt(opinions) / unit}
    means, squares = draw_studies(rng, shape, apart=difference / unit, **varies)
    least = least_difference(squares, shape)
    planned = power(components, own, compared=systems)
    width = 2 * t_quantile(0.975, planned.df) * planned.standard_error
    met = 2 * least.mean() * unit / math.sqrt(items * judges)
    share = np.mean(np.abs(means[:, 1] - means[:, 0]) > least)
    return share, found(*draw_studies(rng, shape, **varies), shape).mean(), met / width


@pytest.mark.parametrize(
    ("opinions", "systems", "judges", "difference"),
    [
        (0.0, 2, 3, 0.5),
        (0.0, 2, 5, 0.5),
        (0.04, 2, 8, 0.5),
        (0.1, 2, 10, 0.8),
        (0.04, 3, 5, 0.8),
        (0.1, 5, 8, 0.8),
    ],
)
def test_the_power_the_error_and_the_width_are_as_planned(opinions, systems, judges, difference):
    reached, wrong, width = simulated_plan(opinions, systems, judges, difference)
    assert 0.77 <= reached <= 0.83
    assert 0.03 <= wrong <= 0.07
    if systems == 2:  # of more, the intervals of all pairs hold together and are wider
        assert width == pytest.approx(1, abs=0.10)
