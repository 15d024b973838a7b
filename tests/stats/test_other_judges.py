"""Intervals for other judges: their arithmetic by hand, and how often they hold the truth."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import covary
from covary import Ratings, VerbalScale
from covary.stats import other_judges
from covary.stats.estimate import OTHER_JUDGES, Interval
from covary.stats.intervals import IntervalSpec
from covary.stats.statistic import Statistic


class OfJudges(Statistic):
    """The mean of a number for each pair of judges, whatever the items are."""

    def __init__(self, pairs, weights=None):
        self.pairs = np.asarray(pairs, dtype=float)
        self.weights = np.ones(len(self.pairs)) if weights is None else weights
        self.counts, self.clusters = np.ones(4), None
        self.patterns = type("Named", (), {"judges": tuple(range(len(self.pairs)))})()

    def evaluate(self, counts):
        times = np.triu(np.outer(self.weights, self.weights), 1)
        return np.full(len(counts), (times * self.pairs).sum() / times.sum())

    def with_judges(self, weights):
        return OfJudges(self.pairs, weights)


THESE = Interval(0.6, 0.8, 0.95, "any")
SPEC = IntervalSpec(confidence=0.95)
PAIRS = [[0, 0.8, 0.7], [0, 0, 0.6], [0, 0, 0]]


def test_fishers_z_and_students_t_widen_coefficients_of_order():
    """The pairs without each judge: .6, .7 and .8. Their z: .693, .867, 1.099.

    The squared deviations from the mean, .887, add up to .0829; times 2/3 that is .0553, whose root
    is .2351. Student's t of two degrees of freedom is 4.303, so that the margin above is 1.0117.
    The centre is .867; the items reach .1740 below it and .2313 above. Below, chi-square reaches
    farther: twice the error, .4702, is the share of noise; its variance may be 2/.0506 = 39.5
    times as large, and half of log(1 + .4702 * 38.5) is 1.475.
    """
    statistic = OfJudges(PAIRS)
    statistic.order_only = True
    found = other_judges.two_way(statistic, THESE, SPEC)
    low = 0.8673 - math.hypot(0.1742, 1.475)
    high = 0.8673 + math.hypot(0.2313, 1.0117)
    assert low < math.atanh(-0.5) < 0.8673  # three judges' mean is no lower than -1/2
    assert found.low == -0.5
    assert found.high == pytest.approx(math.tanh(high), abs=2e-3)
    told = (found.target, found.method, found.decisive)
    assert told == (OTHER_JUDGES, "two-way jackknife", False)  # 1.46 of 1.5 is more than 3/4
    mild = other_judges._margins(0.1, 2, 0.95, other_judges.FISHER)
    assert mild == pytest.approx((math.log(1 + 0.2 * 38.5) / 2, 0.4303), abs=2e-3)


def test_where_severity_counts_chi_square_reaches_farther_down():
    """-log(1 - value): .916, 1.204, 1.609; the squared deviations add up to .2424, times 2/3 .1616.

    The error is .402, and with two degrees of freedom so is the share of severity. Chi-square's
    lower quantile is .0506: 2/.0506 = 39.5 times as large a variance is possible. Below, the margin
    is log(1 + .402 * 38.5) = 2.802; above, Student's 4.303 * .402 = 1.730. The lowest alpha of
    three judges is -1/2.
    """
    found = other_judges.two_way(OfJudges(PAIRS), THESE, SPEC)
    assert found.low == -0.5
    reach = math.hypot(math.log(0.3 / 0.2), 1.730)
    assert found.high == pytest.approx(1 - 0.3 * math.exp(-reach), abs=2e-3)
    mild = other_judges._margins(0.1, 2, 0.95, other_judges.LOSS)
    assert mild == pytest.approx((math.log(1 + 0.1 * 38.5), 0.4303), abs=2e-3)


def test_judges_who_do_not_differ_add_nothing():
    even = OfJudges(np.triu(np.full((4, 4), 0.7), 1))
    found = other_judges.two_way(even, THESE, SPEC)
    assert (found.low, found.high) == pytest.approx((0.6, 0.8))


def test_chance_in_the_items_is_not_taken_for_the_judges():
    """Judges who answer at random alike: their part is cut to the least share that is kept."""
    rows = np.random.default_rng(4).integers(1, 4, (60, 4))
    ratings = Ratings.from_wide(rows, scale=VerbalScale(range(1, 4), level="nominal"))
    found = covary.percent_agreement(ratings, interval="two-way", resamples=200, rng=1)
    these = covary.percent_agreement(ratings, resamples=200, rng=1)
    assert found.interval.high - found.value < 4 * (these.interval.high - these.value)


def test_no_interval_where_leaving_out_a_judge_leaves_nothing_to_compare():
    """B alone rated items with others, so that nothing is left without B."""
    rows = [[1, 2, None], [2, 2, None], [None, 3, 3], [None, 1, 2], [3, 1, None], [None, 2, 1]]
    ratings = Ratings.from_wide(rows, scale="1-3")
    with warnings.catch_warnings(action="ignore"):
        found = covary.goodman_kruskal_gamma(ratings, interval="two-way", resamples=50, rng=1)
    assert math.isnan(found.interval.low)
    assert not found.interval.decisive


def simulated(rng, items, judges, severity=0.5):
    """Two-point ratings by judges whose severity is drawn anew."""
    seen = rng.normal(size=(items, 1)) - rng.normal(0, severity, judges)
    return (seen + rng.normal(0, 0.3, (items, judges)) > 0).astype(int)


def test_three_judges_are_not_taken_for_all_judges():
    """Percent agreement of 100 items; 60 studies; the truth, .767, is the mean of 4,000 panels.

    `tests/slow/test_coverage_atlas.py` has the whole grid. Drawing items and judges again held the
    truth in .7 of such studies of 200 items.
    """
    rng = np.random.default_rng(12)
    panels = (simulated(rng, 200, 2) for _ in range(1500))
    truth = np.mean([np.mean(panel[:, 0] == panel[:, 1]) for panel in panels])
    assert truth == pytest.approx(0.767, abs=0.01)
    scale = VerbalScale(range(2), level="nominal")
    held = 0
    for _ in range(60):
        ratings = Ratings.from_wide(simulated(rng, 100, 3), scale=scale)
        found = covary.percent_agreement(ratings, interval="two-way", resamples=60, rng=1)
        held += found.interval.low <= truth <= found.interval.high
    assert held >= 54
