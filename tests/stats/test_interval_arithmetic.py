"""The arithmetic of intervals, on statistics so simple that the answer is a closed form.

The mean of a few numbers has its standard error in every textbook; a statistic that returns a
given list has its quantiles by hand. A change of one operator in `stats/intervals.py` fails here.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats

import covary
from covary import Ratings
from covary.stats import intervals
from covary.stats.intervals import IntervalSpec
from covary.stats.patterns import collapse
from covary.stats.statistic import Linear, Statistic

NUMBERS = np.array([1.0, 2.0, 4.0, 9.0, 3.0, 7.0])
ERROR = NUMBERS.std(ddof=1) / math.sqrt(6)
"""The standard error of the mean of six numbers, s / √n."""

SPEC = IntervalSpec(resamples=40_000, seed=5)


def patterns(counts, clusters=None):
    """Rows that count so often; what they hold does not matter here."""
    rows = collapse(Ratings.from_wide([[1, 2]], scale="1-3"))
    codes = np.zeros((len(counts), 2), np.int32)
    counts = np.asarray(counts, np.int64)
    return replace(rows, codes=codes, counts=counts, clusters=clusters)


def mean_of(numbers, counts=None, clusters=None):
    """The mean, as a function of how often each number counts."""
    counts = np.ones(len(numbers)) if counts is None else counts
    sums = np.column_stack([numbers, np.ones(len(numbers))])
    rows = patterns(counts, clusters)
    return Linear(rows, sums, lambda totals: totals[..., 0] / totals[..., 1])


class Dear(Statistic):
    """The mean of numbers, when every evaluation is dear and no formula is known."""

    def __init__(self, numbers, clusters=None):
        self.numbers, self.counts = numbers, np.ones(numbers.size)
        self.clusters = clusters

    def evaluate(self, counts):
        return counts @ self.numbers / counts.sum(axis=1)


class Sloped(Dear):
    """The same, when a formula for its slopes is known."""

    def slopes(self):
        return (self.numbers - self.numbers.mean()) / self.numbers.size


class Listed(Statistic):
    """A statistic whose value, resamples and values without one row are given."""

    def __init__(self, value, resamples=(), left_out=(0.0, 0.0)):
        self.list, self.left_out = np.asarray(resamples, dtype=float), np.asarray(left_out)
        self.counts, self.centre = np.ones(self.left_out.size), value

    @property
    def value(self):
        return self.centre

    def evaluate(self, counts):
        return self.list[: len(counts)]

    def perturbed(self, keep, add):
        return self.left_out


def spec_of(resamples, confidence=0.95):
    return IntervalSpec(confidence=confidence, resamples=resamples, seed=1)


# The bootstrap


def test_the_standard_error_is_the_standard_deviation_of_the_resamples():
    # 1 to 5: the squared deviations sum to 10, divided by 4
    interval = intervals.bootstrap(Listed(3.0, [5, 3, 1, 2, 4]), spec_of(5))
    assert interval.standard_error == pytest.approx(math.sqrt(2.5), rel=1e-12)


def test_the_ends_are_the_quantiles_of_the_resamples():
    # between 0 and 100 every quantile is itself; of confidence .9 the tails hold .05 each
    listed = Listed(50.0, np.arange(101))
    interval = intervals.bootstrap(listed, spec_of(101, confidence=0.9))
    assert (interval.low, interval.high) == pytest.approx((5.0, 95.0))
    assert (interval.level, interval.resamples, interval.seed) == (0.9, 101, 1)


def test_undefined_resamples_are_left_out_and_counted():
    listed = Listed(2.0, [1, math.nan, 2, 3, math.nan])
    interval = intervals.bootstrap(listed, spec_of(5, confidence=0.5))
    assert (interval.undefined, interval.standard_error) == (2, 1.0)
    assert (interval.low, interval.high) == (1.5, 2.5)


@pytest.mark.parametrize("known", [0, 1])
def test_fewer_than_two_known_resamples_make_no_interval(known):
    listed = Listed(2.0, [2.0] * known + [math.nan] * (3 - known))
    interval = intervals.bootstrap(listed, spec_of(3))
    assert math.isnan(interval.low)
    assert math.isnan(interval.high)
    assert math.isnan(interval.standard_error)
    assert interval.undefined == 3 - known


@pytest.mark.parametrize("times", [1, 5], ids=["one by one", "as patterns"])
def test_the_bootstrap_error_of_a_mean_is_the_root_of_its_variance_by_n(times):
    # drawing n of n with replacement: the population's variance by n (Efron & Tibshirani, 5.12)
    statistic = mean_of(NUMBERS, np.full(6, times))
    interval = intervals.bootstrap(statistic, SPEC)
    expected = NUMBERS.std(ddof=0) / math.sqrt(6 * times)
    assert interval.standard_error == pytest.approx(expected, rel=0.015)


def test_uneven_patterns_are_drawn_in_proportion_to_their_counts():
    # 1 counts 9 times and 11 once: a share of .1, whose variance is .09 by 10, times 10²
    statistic = mean_of(np.array([1.0, 11.0]), [9, 1])
    interval = intervals.bootstrap(statistic, SPEC)
    assert interval.standard_error == pytest.approx(10 * math.sqrt(0.09 / 10), rel=0.015)


def test_whole_clusters_are_drawn():
    # three clusters with means 1, 5 and 9: the mean of three means drawn from three
    numbers, clusters = np.array([0.0, 2, 4, 6, 8, 10]), np.array([0, 0, 1, 1, 2, 2])
    interval = intervals.bootstrap(mean_of(numbers, clusters=clusters), SPEC)
    expected = np.std([1, 5, 9]) / math.sqrt(3)
    assert interval.standard_error == pytest.approx(expected, rel=0.015)


def test_rows_of_a_drawn_cluster_count_as_often_as_they_did():
    # two clusters of three items with means 1 and 5: each is drawn 0, 1 or 2 times of two
    clusters, counts = np.array([0, 0, 1, 1]), [2, 1, 1, 2]
    statistic = mean_of(np.array([0.0, 3, 1, 7]), counts, clusters)
    interval = intervals.bootstrap(statistic, SPEC)
    assert interval.standard_error == pytest.approx(2 / math.sqrt(2), rel=0.015)
    assert (interval.low, interval.high) == (1.0, 5.0)


def test_many_resamples_are_drawn_in_blocks_and_all_of_them_count(monkeypatch):
    monkeypatch.setattr(intervals, "BLOCK", 20)
    interval = intervals.bootstrap(mean_of(NUMBERS), replace(SPEC, resamples=1_000))
    assert (interval.resamples, interval.undefined) == (1_000, 0)
    assert interval.standard_error == pytest.approx(NUMBERS.std() / math.sqrt(6), rel=0.1)


def test_blocks_hold_as_many_resamples_as_fit_and_the_last_the_rest(monkeypatch):
    monkeypatch.setattr(intervals, "BLOCK", 20)
    rng = np.random.default_rng(1)
    blocks = list(intervals._draw_blocks(mean_of(NUMBERS), spec_of(8), rng))
    assert [len(block) for block in blocks] == [3, 3, 2]
    assert all((block.sum(axis=1) == 6).all() for block in blocks)


# BCa


def test_bca_ends_are_efrons_formula():
    # Efron (1987): z0 from the share below the value (ties count half), a from the jackknife
    resamples = np.concatenate([np.arange(1.0, 100), [30.0]])
    left_out = np.array([1.0, 2.0, 6.0])
    interval = intervals.bca(Listed(30.0, resamples, left_out), spec_of(100, confidence=0.9))
    shift = scipy.stats.norm.ppf((29 + 2 / 2) / 100)
    apart = left_out.mean() - left_out  # 2, 1, -3
    acceleration = (8 + 1 - 27) / (6 * (4 + 1 + 9) ** 1.5)
    assert np.sum(apart**3) == -18
    z = shift + scipy.stats.norm.ppf([0.05, 0.95])
    ends = scipy.stats.norm.cdf(shift + z / (1 - acceleration * z))
    assert (interval.low, interval.high) == pytest.approx(np.quantile(resamples, ends), rel=1e-12)
    assert interval.method == "BCa bootstrap"


def test_bca_without_acceleration_moves_by_twice_the_shift():
    resamples = np.arange(1.0, 100)
    interval = intervals.bca(Listed(40.0, resamples, [2.0, 2.0]), spec_of(99, confidence=0.8))
    shift = scipy.stats.norm.ppf((39 + 0.5) / 99)
    ends = scipy.stats.norm.cdf(2 * shift + scipy.stats.norm.ppf([0.1, 0.9]))
    assert (interval.low, interval.high) == pytest.approx(np.quantile(resamples, ends), rel=1e-12)


@pytest.mark.parametrize("value", [0.0, 100.0])
def test_bca_falls_back_where_all_resamples_lie_on_one_side(value):
    interval = intervals.bca(Listed(value, np.arange(1.0, 100)), spec_of(99))
    assert interval.method == "percentile bootstrap (no BCa correction possible)"
    assert (interval.low, interval.high) == pytest.approx(
        np.quantile(np.arange(1.0, 100), [0.025, 0.975])
    )


# Leaving out, and linearisation


@pytest.mark.parametrize("method", ["jackknife", "analytic"])
@pytest.mark.parametrize("kind", [mean_of, Dear, Sloped])
def test_the_error_of_a_mean_is_the_one_of_the_textbook(method, kind):
    interval = intervals.ROUTES[method](kind(NUMBERS), spec_of(10))
    reach = scipy.stats.t.ppf(0.975, 5) * ERROR
    assert interval.standard_error == pytest.approx(ERROR, rel=1e-6)
    assert interval.low == pytest.approx(NUMBERS.mean() - reach, rel=1e-6)
    assert interval.seed is None


@pytest.mark.parametrize("method", ["jackknife", "analytic"])
@pytest.mark.parametrize("kind", [mean_of, Dear, Sloped])
def test_clusters_are_left_out_as_a_whole(method, kind):
    clusters = np.array([0, 0, 1, 1, 2, 2])
    interval = intervals.ROUTES[method](kind(NUMBERS, clusters=clusters), spec_of(10))
    means = NUMBERS.reshape(3, 2).mean(axis=1)
    error = means.std(ddof=1) / math.sqrt(3)
    assert interval.standard_error == pytest.approx(error, rel=1e-6)
    reach = scipy.stats.t.ppf(0.975, 2) * error
    assert interval.low == pytest.approx(NUMBERS.mean() - reach, rel=1e-6)


@pytest.mark.parametrize("method", ["jackknife", "analytic"])
def test_rows_that_count_several_times_are_so_many_items(method):
    interval = intervals.ROUTES[method](mean_of(NUMBERS, np.full(6, 3)), spec_of(10))
    written_out = np.repeat(NUMBERS, 3)
    expected = written_out.std(ddof=1) / math.sqrt(18)
    assert interval.standard_error == pytest.approx(expected, rel=1e-6)


def test_many_dear_rows_are_left_out_in_random_groups(monkeypatch):
    monkeypatch.setattr(intervals, "MOST_LEFT_OUT", 5)
    monkeypatch.setattr(intervals, "GROUPS", 3)
    interval = intervals.jackknife(Dear(NUMBERS), IntervalSpec(seed=7))
    groups = np.random.default_rng(7).permutation([0, 1, 2, 0, 1, 2])
    means = [NUMBERS[groups == group].mean() for group in range(3)]
    assert interval.standard_error == pytest.approx(np.std(means, ddof=1) / math.sqrt(3))
    assert interval.seed == 7


def test_rows_as_many_as_may_be_left_out_are_not_grouped(monkeypatch):
    monkeypatch.setattr(intervals, "MOST_LEFT_OUT", 6)
    assert intervals.jackknife(Dear(NUMBERS), IntervalSpec(seed=7)).seed is None


@pytest.mark.parametrize("kind", [mean_of, Sloped])
def test_one_item_has_no_large_sample_error(kind):
    interval = intervals.analytic(kind(np.array([2.0])), spec_of(10))
    assert math.isnan(interval.standard_error)
    assert math.isnan(interval.low)


def test_intervals_stop_at_what_is_possible():
    statistic = Listed(0.5)
    statistic.floor = 0.25
    wide = intervals.student(statistic, 10.0, spec_of(10), df=4, method="any")
    assert (wide.low, wide.high, wide.standard_error) == (0.25, 1.0, 10.0)
    wide = intervals.large_sample(0.5, 10.0, spec_of(10), "any")
    assert (wide.low, wide.high) == (-1.0, 1.0)


def test_students_t_and_the_normal_quantile_widen_an_interval():
    t = intervals.student(Listed(0.0), 0.1, spec_of(10, confidence=0.9), df=4, method="any")
    assert (t.low, t.high) == pytest.approx((-0.2131847, 0.2131847), abs=1e-7)  # t tables: 2.132
    normal = intervals.large_sample(0.0, 0.1, spec_of(10, confidence=0.9), "any")
    assert (normal.low, normal.high) == pytest.approx((-0.1644854, 0.1644854), abs=1e-7)


# Hughes


def test_hughes_error_is_the_delta_method_on_his_scale():
    """alpha = (θ - 1) / (θ + n0 - 1) rises with log θ by θ n0 / (θ + n0 - 1)²."""
    rows = [[1, 2, 1], [2, 2, 3], [3, 3, 3], [5, 4, 4], [4, 4, 5], [1, 1, 2], [3, 4, 3]]
    ratings = Ratings.from_wide(rows, level="interval")
    interval = covary.krippendorff_alpha(ratings, interval="hughes").interval
    logs = np.array([_log_f(rows[:i] + rows[i + 1 :]) for i in range(7)])
    pseudo = 7 * _log_f(rows) - 6 * logs
    theta, n0 = math.exp(pseudo.mean()), 3  # n0 is the number of ratings where all items have it
    error = pseudo.std(ddof=1) / math.sqrt(7) * theta * n0 / (theta + n0 - 1) ** 2
    assert interval.standard_error == pytest.approx(error, rel=1e-9)


def _log_f(rows):
    """At interval level the ratio of his mean squares is the F of a one-way analysis."""
    return math.log(scipy.stats.f_oneway(*rows).statistic)


@pytest.mark.parametrize(("rows", "hughes"), [(2, False), (3, True)])
def test_hughes_needs_three_items(rows, hughes):
    table = [[1, 2], [4, 5], [2, 4]][:rows]
    ratings = Ratings.from_wide(table, level="interval")
    found = covary.krippendorff_alpha(ratings, interval="hughes", rng=1)
    assert (found.interval.method == "Hughes jackknife") is hughes
