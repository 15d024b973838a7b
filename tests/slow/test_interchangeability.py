"""Is the equivalence test of two scales right as often as it should be? Simulated with known truth.

22 judges rate the outputs of 11 systems for 22 sources in repeated Latin squares, on each of two
scales. What the scales measure correlates exactly as set (`truth`), so that the true standard
deviation of the differences of standardised system means is √(2 (1 - truth)); the margin is 0.5,
which a truth of .875 lies on.
"""

import numpy as np
import pytest

from covary import Ratings, as_scale
from covary.analysis.scale_comparison.experiments import align
from covary.analysis.scale_comparison.interchangeability import (
    fit_part,
    interchangeability,
    joint_covariance,
)
from covary.datasets.simulation import Instrument, simulate_scales
from covary.ratings.frames import fetch
from tests.analysis.scale_studies import equivalence

RUNS = 200
SEVEN, LINE, THREE = as_scale("1-7"), as_scale("0-100"), as_scale("1-3")
PLAIN = Instrument(SEVEN)

SETTINGS = {
    "alike, other judges": ({"a": PLAIN, "b": Instrument(LINE)}, False),
    "alike, same judges": ({"a": PLAIN, "b": Instrument(LINE)}, True),
    "coarse but true": ({"a": PLAIN, "b": Instrument(THREE)}, False),
    "on the margin": ({"a": PLAIN, "b": Instrument(LINE, truth=0.875)}, False),
    "noisy, on the margin": (
        {"a": Instrument(SEVEN, noise=2), "b": Instrument(LINE, noise=2, truth=0.875)},
        False,
    ),
    "another order": ({"a": PLAIN, "b": Instrument(LINE, truth=0.5)}, False),
    "coarse, noisy, another order": (
        {"a": PLAIN, "b": Instrument(THREE, noise=3, truth=0.4)},
        False,
    ),
}


def compared(scales, same_judges, seed):
    study = simulate_scales(
        scales, criteria=("quality",), occasions=1, same_judges=same_judges, seed=seed
    )
    fits = [fit_part(part) for part in align(study.ratings).parts["quality"]]
    (found,) = interchangeability(fits, equivalence(draws=500, seed=seed))
    return found


@pytest.fixture(scope="module")
def rates():
    found = {}
    print(f"\n\n{'two scales':32}{'interchangeable':>18}{'not':>8}{'not shown':>12}")
    for name, (scales, same) in SETTINGS.items():
        words = [compared(scales, same, seed).word for seed in range(RUNS)]
        shares = [
            words.count(word) / RUNS
            for word in (
                "interchangeable",
                "not interchangeable",
                "not shown to be interchangeable",
            )
        ]
        found[name] = dict(zip(("yes", "no", "unknown"), shares, strict=True))
        print(f"{name:32}{shares[0]:>18.3f}{shares[1]:>8.3f}{shares[2]:>12.3f}", flush=True)
    return found


@pytest.mark.parametrize("name", ["alike, other judges", "alike, same judges"])
def test_scales_of_equal_quality_are_called_interchangeable(rates, name):
    assert rates[name]["yes"] >= 0.90
    assert rates[name]["no"] == 0


def test_a_coarser_scale_that_measures_the_same_is_nearly_always_interchangeable(rates):
    assert rates["coarse but true"]["yes"] >= 0.80
    assert rates["coarse but true"]["no"] == 0


def test_a_scale_too_coarse_to_tell_most_systems_apart_is_not_called_interchangeable():
    """The second scale is the first asked as 'perfect or not': true, and blind below the top."""
    words = [_blunt(seed) for seed in range(RUNS)]
    called = words.count("interchangeable") / RUNS
    print(f"\nseven categories beside 'perfect or not': interchangeable in {called:.3f}")
    assert called <= 0.05


def _blunt(seed):
    study = simulate_scales({"a": PLAIN, "b": PLAIN}, criteria=("quality",), occasions=1, seed=seed)
    columns = {name: each.tolist() for name, each in fetch(study.ratings["b"].frame).items()}
    columns["rating"] = [2 if rating == 7 else 1 for rating in columns["rating"]]
    scales = {"a": study.ratings["a"], "b": Ratings(columns, scale="1-2")}
    fits = [fit_part(part) for part in align(scales).parts["quality"]]
    (found,) = interchangeability(fits, equivalence(draws=200, seed=seed))
    return found.word


@pytest.mark.parametrize("name", ["another order", "coarse, noisy, another order"])
def test_scales_that_order_systems_otherwise_are_not_called_interchangeable(rates, name):
    assert rates[name]["yes"] <= 0.01


@pytest.mark.parametrize("name", ["on the margin", "noisy, on the margin"])
def test_on_the_margin_the_test_errs_about_as_rarely_as_it_says(rates, name):
    # With 200 runs the standard error of a rate of .05 is .015.
    assert rates[name]["yes"] <= 0.10
    assert rates[name]["no"] <= 0.10


def test_the_covariance_of_system_means_is_that_of_repeated_studies():
    """Means less their qualities vary over studies as the covariance says, but for their level."""
    deviations, said = [], []
    for seed in range(120):
        study = simulate_scales(
            {"a": Instrument(LINE)}, criteria=("quality",), occasions=1, seed=seed
        )
        part = align({"a": study.ratings["a"], "b": study.ratings["a"]}).parts["quality"][0]
        fit = fit_part(part)
        quality = np.array(list(study.quality["quality"].values()))
        error = fit.means - 50 - quality * 100 / 6
        deviations.append(error - error.mean())
        centre = np.eye(11) - 1 / 11
        said.append(np.trace(centre @ joint_covariance([fit]) @ centre) / 10)
    seen = np.sum(np.square(deviations)) / (120 * 10)
    print(f"\nvariance of a system mean: {seen:.2f} seen, {np.mean(said):.2f} said")
    assert np.mean(said) == pytest.approx(seen, rel=0.2)
