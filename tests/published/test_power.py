"""Power: the simulations of Card et al. (2020), whose variances and results are published."""

import math
import tomllib

import numpy as np
import pytest

from covary.analysis.planning import StudySize, known_components, power
from tests.published.reading import CASES

CARD = tomllib.loads((CASES / "planning" / "card.toml").read_text(encoding="utf-8"))
PLANS = [
    pytest.param(setting, *row[:2], workers, published, id=f"{setting['name']}-{row[:2]}-{workers}")
    for setting in CARD["study"]
    for row in setting["power"]
    for workers, published in zip((3, 10), row[2:], strict=True)
]


def planned(setting, difference, items, workers):
    """The plan of two systems: a slope for -1 and 1 has half the variance of the two effects."""
    components = known_components(
        item=2 * setting["item"] ** 2,
        judge_system=2 * setting["worker"] ** 2,
        residual=setting["residual"] ** 2,
    )
    size = StudySize(systems=2, items=items, judges=workers, votes=workers)
    return power(components, size, difference=2 * difference)


def share_beyond_196(setting, plan, runs=20_000):
    """How often z > 1.96: estimates with the plan's error, by that of maximum likelihood.

    The mean squares of complete studies are independent; likelihood divides by n for n - 1.
    """
    rng, n, k = np.random.default_rng(3), plan.size.items, plan.size.judges
    rest = setting["residual"] ** 2 / 2
    items, workers, left = (
        mean * rng.chisquare(df, runs) / times
        for mean, df, times in (
            (rest + k * setting["item"] ** 2, n - 1, n),
            (rest + n * setting["worker"] ** 2, k - 1, k),
            (rest, (n - 1) * (k - 1), (n - 1) * (k - 1)),
        )
    )
    error = np.sqrt((items + np.maximum(workers - left, 0)) / (n * k))
    halves = rng.normal(plan.difference / 2, plan.standard_error / 2, runs)
    return np.mean(halves / error > 1.96)


@pytest.mark.parametrize(("setting", "difference", "items", "workers", "published"), PLANS)
def test_the_planned_error_gives_the_published_power(
    setting, difference, items, workers, published
):
    plan = planned(setting, difference, items, workers)
    expected = share_beyond_196(setting, plan)
    noise = math.sqrt(expected * (1 - expected) / CARD["studies"])
    assert published == pytest.approx(expected, abs=4 * noise + 0.02)


@pytest.mark.parametrize(("setting", "difference", "items", "workers", "published"), PLANS)
def test_students_t_promises_no_more_than_was_published(
    setting, difference, items, workers, published
):
    """Three workers who are compared by z are said to differ in too many studies."""
    noise = math.sqrt(published * (1 - published) / CARD["studies"])
    assert planned(setting, difference, items, workers).power <= published + 3 * noise + 0.02
