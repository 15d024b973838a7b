"""Means of people's ratings with the help of automatic ones."""

import math

import numpy as np
import pytest

from covary.stats.prediction_powered import powered_mean

PEOPLE = np.array([4, 3, 5, 2, 4, 3, 4, 5, 2, 3.0])
AUTOMATIC = np.array([4, 4, 5, 3, 4, 4, 4, 5, 3, 3.0])
FURTHER = np.array([4, 4, 5, 3, 4, 4, 4, 5, 3, 3, 5, 4, 4, 3, 4, 4, 2, 5, 4, 4.0])
APART = (np.arange(10), np.arange(10, 30))


@pytest.mark.parametrize(
    ("further", "mean", "weight"),
    [(FURTHER, 3.5, 0.7524950099800396), (FURTHER - 0.5, 3.15789474, 0.6842105263157894)],
)
def test_mean_and_weight_are_those_of_ppi_python(further, mean, weight):
    """ppi-python 0.2.3, ppi_mean_pointestimate and its power-tuning weight."""
    found = powered_mean(PEOPLE, AUTOMATIC, further, clusters=APART)
    assert found.mean == pytest.approx(mean, abs=1e-8)
    assert found.weight == pytest.approx(weight)


def test_the_error_is_that_of_ppi_python_but_for_the_divisors():
    """ppi-python 0.2.3 has .22978673 with divisors n; here they are n - 1, and t is Student's."""
    weight = 0.6842105263157894
    rest, further = PEOPLE - weight * AUTOMATIC, weight * FURTHER
    with_n = rest.var() / 10 + further.var() / 20
    assert math.sqrt(with_n) == pytest.approx(0.22978673)
    found = powered_mean(PEOPLE, AUTOMATIC, FURTHER - 0.5, clusters=APART)
    error = math.sqrt(rest.var(ddof=1) / 10 + further.var(ddof=1) / 20)
    t = 2.262157162740992  # Student's, 9 degrees of freedom, 97.5 %: any table
    assert (found.high - found.low) / 2 == pytest.approx(t * error)


def test_people_alone_have_students_interval():
    found = powered_mean(PEOPLE, AUTOMATIC, FURTHER, clusters=APART)
    reach = 2.262157162740992 * PEOPLE.std(ddof=1) / math.sqrt(10)
    assert (found.people_low, found.people_high) == pytest.approx((3.5 - reach, 3.5 + reach))


def test_an_automatic_judge_who_never_varies_or_runs_the_other_way_has_no_weight():
    for useless in (np.full(10, 3.0), 8 - PEOPLE):
        found = powered_mean(PEOPLE, useless, np.full(20, 3.0), clusters=APART)
        assert found.weight == 0
        assert found.mean == pytest.approx(3.5)


def test_items_of_one_cluster_count_together():
    """Each item twice is no more than each once: the interval of the mean is as wide."""
    twice = [np.repeat(part, 2) for part in (PEOPLE, AUTOMATIC, FURTHER)]
    clusters = tuple(np.repeat(part, 2) for part in APART)
    once, again = (
        powered_mean(PEOPLE, AUTOMATIC, FURTHER, clusters=APART),
        powered_mean(*twice, clusters=clusters),
    )
    assert again.people_high - again.people_low == pytest.approx(
        once.people_high - once.people_low, rel=1e-9
    )


def test_intervals_hold_the_truth_and_are_narrower():
    """600 studies of 40 rated and 400 further items; the automatic judge lies .5 too high."""
    rng, held, widths = np.random.default_rng(2), 0, []
    for _ in range(600):
        truth = rng.normal(3, 1, 440)
        automatic = truth + 0.5 + rng.normal(0, 0.5, 440)
        people = truth[:40] + rng.normal(0, 0.3, 40)
        clusters = (np.arange(40), np.arange(40, 440))
        found = powered_mean(people, automatic[:40], automatic[40:], clusters=clusters)
        held += found.low <= 3 <= found.high
        widths.append((found.high - found.low) / (found.people_high - found.people_low))
    assert 0.93 <= held / 600 <= 0.97
    assert np.mean(widths) < 0.75
