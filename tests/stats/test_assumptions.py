"""What an analysis of variance takes for granted, against scipy and simulated residuals."""

import math

import numpy as np
import pytest
from scipy import stats

from covary.scales import Level
from covary.stats.models.anova import additive_model
from covary.stats.models.assumptions import check_assumptions, equal_spread, normality, shapiro_wilk
from tests.stats.unbalanced import FACTORS, GROUPS, SYSTEM, VALUES

RNG = np.random.default_rng(8)
CODES = np.arange(300) % 3
NORMAL = RNG.normal(size=300)


def test_brown_and_forsythe_equal_scipy():
    found = equal_spread(VALUES, SYSTEM)
    expected = stats.levene(*GROUPS, center="median")
    assert found.f == pytest.approx(expected.statistic, rel=1e-10)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-10)


def test_small_sets_are_tested_by_shapiro_and_wilk():
    found = normality(NORMAL)
    assert found.test.startswith("Shapiro")
    assert found.p == pytest.approx(stats.shapiro(NORMAL).pvalue)
    assert found.skewness == pytest.approx(stats.skew(NORMAL))
    assert found.kurtosis == pytest.approx(stats.kurtosis(NORMAL))


@pytest.mark.parametrize("n", [3, 4, 5, 6, 11, 12, 13, 50, 999])
@pytest.mark.parametrize("shape", ["normal", "exponential", "uniform"])
def test_shapiro_and_wilk_equal_scipy_at_every_size(n, shape):
    values = getattr(np.random.default_rng(n), shape)(size=n)
    found, expected = shapiro_wilk(values), stats.shapiro(values)
    # SciPy takes some of Royston's constants in single precision.
    assert found == pytest.approx((expected.statistic, expected.pvalue), rel=1e-5)


def test_large_sets_are_tested_by_skewness_and_kurtosis():
    many = np.random.default_rng(9).normal(size=5001)
    found = normality(many)
    assert found.test.startswith("D'Agostino")
    assert found.p == pytest.approx(stats.normaltest(many).pvalue)


def test_normal_residuals_of_equal_spread_are_not_doubted():
    found = check_assumptions(NORMAL, CODES)
    assert not found.doubtful
    assert "finds no departure" in found.sentence
    assert "not proof" in found.sentence
    assert "no difference in how much systems vary" in found.sentence


def test_skewed_residuals_are_doubted():
    found = check_assumptions(RNG.exponential(size=300) ** 2, CODES)
    assert found.doubtful
    assert "tests by ranks" in found.sentence


def test_a_departure_that_only_a_large_set_shows_is_called_small():
    # Uniform residuals: kurtosis -1.2, no skew, and a test that cannot miss it.
    found = check_assumptions(RNG.uniform(size=900), np.arange(900) % 3)
    assert found.normality.p < 1e-6
    assert "too small to matter" in found.sentence


def test_unequal_spread_points_to_games_and_howell():
    found = check_assumptions(NORMAL * np.array([1.0, 1.0, 5.0])[CODES], CODES)
    assert found.variance_ratio == pytest.approx(25, rel=0.5)
    assert found.doubtful
    assert "Games & Howell" in found.sentence


def test_ordered_categories_are_said_to_be_categories():
    found = check_assumptions(NORMAL, CODES, level=Level.ORDINAL)
    assert found.doubtful
    assert "ordered categories" in found.sentence
    assert found.to_dict()["level"] == "ordinal"


@pytest.mark.parametrize(
    ("residuals", "reason"), [(np.zeros(12), "nothing is left"), (np.arange(5.0), "fewer than")]
)
def test_what_cannot_be_tested_has_a_reason(residuals, reason):
    found = check_assumptions(residuals, np.arange(residuals.size) % 2)
    assert math.isnan(found.normality.p)
    assert reason in found.sentence


def test_the_residuals_of_a_model_are_looked_at_and_not_the_ratings():
    # Systems far apart make the ratings bimodal, which is not a fault of the model.
    values = NORMAL + 40 * (CODES > 0)
    left = additive_model(values, {"system": CODES}).residuals()
    assert normality(values).p < 1e-10
    assert normality(left).p > 0.05
    assert check_assumptions(additive_model(VALUES, FACTORS).residuals(), SYSTEM).spread.defined
