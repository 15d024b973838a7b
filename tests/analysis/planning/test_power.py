"""Power: published numbers, closed forms, and simulated studies with known truth."""

import numpy as np
import pytest
from scipy import special

from covary.analysis.planning import (
    StudySize,
    items_needed,
    items_to_decide,
    known_components,
    power,
    preferences_needed,
)
from covary.stats.distributions import two_sided

PILOT = known_components(item=0.4, judge=0.2, judge_system=0.05, residual=0.5)


def test_a_preference_of_55_percent_takes_785_judgements():
    assert preferences_needed(0.55) == 785
    assert preferences_needed(0.45) == 785


def test_judgements_of_the_same_source_count_for_less():
    assert preferences_needed(0.55, per_source=5, icc=0.25) == pytest.approx(2 * 785, abs=2)


def test_the_standard_error_of_a_difference_by_hand():
    found = power(PILOT, StudySize(systems=2, items=40, judges=5, votes=5))
    assert found.standard_error**2 == pytest.approx(2 * (0.4 / 40 + 0.05 / 5 + 0.5 / 200))


def test_with_few_judges_their_number_sets_the_degrees_of_freedom():
    few = known_components(item=1e-9, judge_system=1.0, residual=1e-6)
    found = power(few, StudySize(systems=2, items=500, judges=3, votes=3))
    assert found.df == pytest.approx(2, rel=0.01)


def crossed(rng, runs, size, difference, pilot=PILOT):
    """Differences of two systems in crossed studies: runs × items × judges."""
    n, k = size.items, size.judges
    item = rng.normal(0, np.sqrt(2 * pilot["item"]), (runs, n, 1))
    judge = rng.normal(0, np.sqrt(2 * pilot["judge system"]), (runs, 1, k))
    return difference + item + judge + rng.normal(0, np.sqrt(2 * pilot["residual"]), (runs, n, k))


def quasi_t(gaps):
    """The t of each study from its mean squares, and Satterthwaite's degrees of freedom."""
    _, n, k = gaps.shape
    of_items, of_judges = gaps.mean(axis=2), gaps.mean(axis=1)
    mean = gaps.mean(axis=(1, 2))
    left = gaps - of_items[:, :, None] - of_judges[:, None, :] + mean[:, None, None]
    items, judges = k * of_items.var(axis=1, ddof=1), n * of_judges.var(axis=1, ddof=1)
    rest = (left**2).sum(axis=(1, 2)) / ((n - 1) * (k - 1))
    variance = np.maximum(items + judges - rest, 1e-9)
    df = variance**2 / (items**2 / (n - 1) + judges**2 / (k - 1) + rest**2 / ((n - 1) * (k - 1)))
    return mean / np.sqrt(variance / (n * k)), df


@pytest.mark.parametrize("difference", [0.0, 0.35])
def test_the_chance_is_that_of_simulated_studies(difference):
    """Crossed studies of two systems, analysed by the quasi-F of their mean squares."""
    size = StudySize(systems=2, items=25, judges=6, votes=6)
    p = two_sided(*quasi_t(crossed(np.random.default_rng(7), 4000, size, difference)))
    found = power(PILOT, size, difference=difference)
    expected = 0.05 if difference == 0 else found.power
    assert np.mean(p < 0.05) == pytest.approx(expected, abs=0.025)


def test_a_normal_deviate_of_three_judges_errs_in_10_to_23_percent_and_t_in_5():
    """What Card et al. (2020) do, z > 1.96 with three workers, where workers differ in which system
    they like; the variances are of our choosing, and the studies are simulated from them."""
    pilot = known_components(item=0.4, judge_system=0.1, residual=0.5)
    size = StudySize(systems=2, items=50, judges=3, votes=3)
    t, df = quasi_t(crossed(np.random.default_rng(1), 4000, size, 0.0, pilot))
    assert 0.10 < np.mean(np.abs(t) > 1.96) < 0.23
    assert np.mean(two_sided(t, df) < 0.05) < 0.07


def test_with_ten_judges_the_closed_form_agrees_with_the_simulation():
    """Within .02, as the two-line formula does with Card et al.'s simulation of ten workers."""
    pilot = known_components(item=0.4, judge_system=0.1, residual=0.5)
    size = StudySize(systems=2, items=50, judges=10, votes=10)
    t, df = quasi_t(crossed(np.random.default_rng(2), 6000, size, 0.45, pilot))
    found = power(pilot, size, difference=0.45).power
    assert 0.5 < found < 0.9
    assert np.mean(two_sided(t, df) < 0.05) == pytest.approx(found, abs=0.02)


def test_so_many_items_are_enough_and_fewer_are_not():
    size = StudySize(systems=2, items=2, judges=8, votes=4)
    items = items_needed(PILOT, size, 0.5)

    def chance(n):
        own = StudySize(systems=2, items=n, judges=8, votes=4)
        return power(PILOT, own, difference=0.5).power

    assert chance(items) >= 0.8 > chance(items - 1)


def test_a_large_difference_needs_few_items():
    size = StudySize(systems=2, items=200, judges=8, votes=4)
    assert power(PILOT, size, difference=50).power == pytest.approx(1)
    assert items_needed(PILOT, size, 50) == 2


def test_no_number_of_items_makes_up_for_three_judges_with_tastes():
    tastes = known_components(item=0.4, judge_system=0.5, residual=0.5)
    size = StudySize(systems=2, items=2, judges=3, votes=3)
    assert items_needed(tastes, size, 0.3) is None


def test_items_to_decide_grow_with_the_square_of_the_error():
    # (1.96 + .8416)² = 7.849; distance .1, error .05: 100 × 7.849 × .25 = 196.2.
    assert items_to_decide(0.767, 0.05, 100, threshold=0.667) == 197
    assert items_to_decide(0.667, 0.05, 100, threshold=0.667) is None


def test_a_chance_is_a_number_however_many_items_there_are():
    """The far tail of the non-central t is NaN in SciPy 1.16 around 10,000 items here."""
    pilot = known_components(item=0.517, judge=0.178, judge_system=0.0083, residual=0.722)
    chances = [
        power(pilot, StudySize(systems=4, items=n, judges=6, votes=2), difference=0.5).power
        for n in (60, 69, 100, 1000, 10_000, 100_000)
    ]
    assert chances == sorted(chances)
    assert items_needed(pilot, StudySize(systems=4, items=2, judges=6, votes=2), 0.5) < 70


def test_all_pairs_of_several_systems_ask_for_tukeys_edge():
    # Studentised range, 5 %: q(4, 20) = 3.958, q(3, 10) = 3.877 (tables); t.975(20) = 2.086.
    few = known_components(item=1e-9, judge_system=1.0, residual=1e-6)
    size = StudySize(systems=2, items=500, judges=21, votes=21)
    single, four = (power(few, size, compared=compared) for compared in (2, 4))
    assert single.df == pytest.approx(20, rel=0.01)
    gap = (four.smallest - single.smallest) / single.standard_error
    pair, all_pairs = special.nctdtrinc(20, 0.2, [2.086, 3.958 / np.sqrt(2)])  # SciPy's own
    assert gap == pytest.approx(all_pairs - pair, abs=0.01)
