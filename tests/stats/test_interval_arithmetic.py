"""The arithmetic of intervals, on statistics so simple that the answer is a closed form.

The mean of a few numbers has its standard error in every textbook; a statistic that returns a
given list has its quantiles by hand. A change of one operator in `stats/intervals.py` fails here.
"""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.optimize
import scipy.special
import scipy.stats

import covary
from covary import Ratings, VerbalScale
from covary.stats import draws, intervals
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


def test_a_statistic_that_may_pass_1_has_an_interval_that_does():
    """Differences of eight items, mean 2: 2 ± t(.975, 7) sqrt(8 / 7 / 8), with t from a table."""
    apart = np.array([1.0, 2, 0, 2, 3, 2, 3, 3])
    reach = 2.3646 * np.sqrt(1 / 7)
    spec = IntervalSpec(method="jackknife")
    low, high = 2 - reach, 2 + reach
    bounded = mean_of(apart)
    assert intervals.ROUTES["jackknife"](bounded, spec).high == 1
    free = Linear(bounded.patterns, bounded.sums, bounded.finish, floor=0.0, ceiling=np.inf)
    found = intervals.ROUTES["jackknife"](free, spec)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-4)


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
    monkeypatch.setattr(draws, "BLOCK", 20)
    interval = intervals.bootstrap(mean_of(NUMBERS), replace(SPEC, resamples=1_000))
    assert (interval.resamples, interval.undefined) == (1_000, 0)
    assert interval.standard_error == pytest.approx(NUMBERS.std() / math.sqrt(6), rel=0.1)


@pytest.mark.parametrize("limit", ["BLOCK", "AT_ONCE"])
@pytest.mark.parametrize(("numbers", "sizes"), [(20, [3, 3, 2]), (5, [1] * 8), (99, [8])])
def test_blocks_hold_as_many_resamples_as_fit_and_the_last_the_rest(
    numbers, sizes, limit, monkeypatch
):
    monkeypatch.setattr(draws, limit, numbers)
    if limit == "BLOCK":
        monkeypatch.setattr(draws, "MOST_KEPT", 0)
    blocks = list(draws.draw_blocks(mean_of(NUMBERS), 8, 1))
    assert [len(block) for block in blocks] == sizes
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


def test_the_acceleration_is_the_skewness_of_what_leaving_out_each_item_does():
    # Efron & Tibshirani (1993), An Introduction to the Bootstrap, 14.15, for the squared mean
    mean = mean_of(NUMBERS)
    squared = Linear(mean.patterns, mean.sums, lambda totals: mean.finish(totals) ** 2)
    without = np.array([np.delete(NUMBERS, place).mean() ** 2 for place in range(6)])
    spread = without.mean() - without
    expected = (spread**3).sum() / (6 * (spread**2).sum() ** 1.5)
    assert intervals._acceleration(squared) == pytest.approx(expected, rel=1e-9)


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
    assert interval.seed is None, "no group was drawn"


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


@pytest.mark.parametrize("kind", [mean_of, Sloped])
def test_two_items_have_a_large_sample_error(kind):
    # s = |3 - 7| / √2, by √2
    interval = intervals.analytic(kind(np.array([3.0, 7.0])), spec_of(10))
    assert interval.standard_error == pytest.approx(2.0, rel=1e-6)


def test_without_degrees_of_freedom_there_is_no_interval():
    interval = intervals.student(Listed(0.5), 0.1, spec_of(10), df=0, method="any")
    assert math.isnan(interval.low)
    assert math.isnan(interval.high)


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


# The jackknife on the z scale

SHARES = np.array([0.1, 0.5, 0.3, 0.8, 0.6])


def judged_by(judges, numbers=SHARES, counts=None, floor=None):
    """The mean of numbers, of items that so many judges rated."""
    statistic = mean_of(numbers, counts)
    rows = statistic.patterns
    codes = np.zeros((len(numbers), judges), np.int32)
    names = [f"j{number}" for number in range(judges)]
    rated = replace(rows, codes=codes, judges=tuple(names))
    return Linear(rated, statistic.sums, statistic.finish, floor=floor)


def fisher(judges):
    """Fisher's transformation for so many judges and the way back (1925, sections 35 and 39)."""
    return (
        lambda r: np.log((1 + (judges - 1) * r) / (1 - r)),
        lambda z: (np.exp(z) - 1) / (np.exp(z) + judges - 1),
    )


SCALES = {
    "two judges": (2, None, fisher(2)),
    "four judges": (4, None, fisher(4)),
    "a share": (3, 0.0, (scipy.special.logit, scipy.special.expit)),
}


@pytest.mark.parametrize("kind", SCALES)
@pytest.mark.parametrize("size", [3, 5])
def test_the_z_jackknife_is_students_interval_of_pseudo_values_brought_back(kind, size):
    judges, floor, (forth, back) = SCALES[kind]
    numbers = SHARES[:size]
    interval = intervals.z_jackknife(
        judged_by(judges, numbers, floor=floor), spec_of(10, confidence=0.9)
    )
    left_out = np.array([np.delete(numbers, place).mean() for place in range(size)])
    pseudo = size * forth(numbers.mean()) - (size - 1) * forth(left_out)
    centre, error = pseudo.mean(), pseudo.std(ddof=1) / math.sqrt(size)
    reach = scipy.stats.t.ppf(0.95, size - 1) * error
    assert interval.low == pytest.approx(back(centre - reach), rel=1e-9)
    assert interval.high == pytest.approx(back(centre + reach), rel=1e-9)
    slope = (back(centre + 1e-5) - back(centre - 1e-5)) / 2e-5
    assert interval.standard_error == pytest.approx(error * slope, rel=1e-6)
    assert (interval.method, interval.level, interval.seed) == ("z jackknife", 0.9, None)


def test_rows_of_the_z_jackknife_that_count_several_times_are_so_many_items():
    times = [1, 3, 2, 1, 2]
    patterns_of = intervals.z_jackknife(judged_by(3, counts=times), spec_of(10))
    written_out = intervals.z_jackknife(judged_by(3, np.repeat(SHARES, times)), spec_of(10))
    for name in ("low", "high", "standard_error"):
        assert getattr(patterns_of, name) == pytest.approx(getattr(written_out, name), rel=1e-9)


def test_items_with_one_rating_each_are_on_the_z_scale_of_two_judges():
    one, two = (intervals.z_jackknife(judged_by(judges), spec_of(10)) for judges in (1, 2))
    assert one == two


@pytest.mark.parametrize(
    "numbers",
    [[0.2, 0.4], [1.0, 1.0, 1.0, 0.2], [1.0] * 5, [-1.0, -1.0, -1.0, -0.5]],
    ids=["two items", "all agree but on one", "all agree", "at the lower end but for one"],
)
def test_the_z_jackknife_leaves_the_ends_of_the_scale_to_the_bootstrap(numbers):
    interval = intervals.z_jackknife(judged_by(2, np.array(numbers)), spec_of(200))
    assert interval.method == "percentile bootstrap"


# The tilted score interval


def unpadded(monkeypatch):
    """Leave pseudo-items out, so that the answer is a closed form."""
    monkeypatch.setattr(
        intervals, "_pad", lambda one: (one, one.counts, np.arange(one.counts.size))
    )


def away_at(quantile, skewness, n):
    """Where the mean of n skewed numbers has a quantile (Cornish and Fisher), or farther out."""
    corrected = quantile + skewness * (quantile**2 - 1) / (6 * math.sqrt(n))
    return max(quantile, corrected) if quantile > 0 else min(quantile, corrected)


@pytest.mark.parametrize(("seen", "of"), [(18, 20), (6, 30), (45, 50), (500, 4000)])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_a_tilted_interval_of_a_share_is_wilsons_or_wider_by_skewness(
    seen, of, confidence, monkeypatch
):
    """Wilson as in scipy 1.17; farther out towards the nearer of 0 and 1, by its skewness."""
    unpadded(monkeypatch)
    share = mean_of(np.array([1.0, 0.0]), [seen, of - seen])
    found = intervals.tilted(share, spec_of(9, confidence=confidence))
    wilson = scipy.stats.binomtest(seen, of).proportion_ci(confidence, method="wilson")
    long, short = ("low", "high") if 2 * seen > of else ("high", "low")
    assert getattr(found, long) == pytest.approx(getattr(wilson, long), rel=1e-6)
    end = getattr(found, short)
    spread = math.sqrt(end * (1 - end))
    z = math.copysign(scipy.stats.norm.ppf((1 + confidence) / 2), seen / of - end)
    away = (seen / of - end) / (spread / math.sqrt(of))
    assert away == pytest.approx(away_at(z, (1 - 2 * end) / spread, of), rel=1e-6)
    assert abs(away) > abs(z)
    assert found.standard_error == pytest.approx(math.sqrt(seen * (of - seen) / of**3))
    assert (found.resamples, found.seed) == (0, None)


def test_a_tilted_interval_of_a_share_is_close_to_the_exact_one():
    """170 of 200: Clopper & Pearson, a little too wide by design, .793 and .896 (scipy)."""
    scale = VerbalScale(range(2), level="nominal")
    rows = [[0, 0]] * 90 + [[1, 1]] * 80 + [[0, 1]] * 15 + [[1, 0]] * 15
    found = covary.percent_agreement(Ratings.from_wide(rows, scale=scale)).interval
    expected = scipy.stats.binomtest(170, 200).proportion_ci(method="exact")
    assert (found.low, found.high) == pytest.approx(expected, abs=0.004)


def test_tilted_weights_are_exponential_in_how_far_items_move_the_value(monkeypatch):
    """The ends of a mean of six numbers, three times each, are solved by scipy."""
    unpadded(monkeypatch)
    found = intervals.tilted(mean_of(NUMBERS, np.full(6, 3)), spec_of(9, confidence=0.9))
    z = scipy.stats.norm.ppf(0.95)
    for end, sign in ((found.low, -1), (found.high, 1)):

        def moments(strength, sign=sign):
            weights = np.exp(sign * strength * NUMBERS) / np.exp(sign * strength * NUMBERS).sum()
            mean = weights @ NUMBERS
            spread = math.sqrt(weights @ (NUMBERS - mean) ** 2)
            return mean, spread, weights @ (NUMBERS - mean) ** 3 / spread**3

        def short(strength, sign=sign):
            mean, spread, skewness = moments(strength)
            away = (NUMBERS.mean() - mean) / (spread / math.sqrt(18))
            return away - away_at(-sign * z, skewness, 18)

        assert end == pytest.approx(moments(scipy.optimize.brentq(short, 0, 3))[0], rel=1e-6)


def test_skewness_makes_a_quantile_at_most_twice_as_large(monkeypatch):
    unpadded(monkeypatch)
    z = scipy.stats.norm.ppf(0.9995)
    high = intervals.tilted(mean_of(np.array([1.0, 0.0]), [18, 2]), spec_of(9, 0.999)).high
    assert (high - 0.9) / math.sqrt(high * (1 - high) / 20) == pytest.approx(2 * z, rel=1e-6)


def test_a_tilted_cluster_is_one_unit(monkeypatch):
    # three clusters of 4 items in six rows; their means are 1, 5 and 9, each seen in full
    rows = mean_of(
        np.array([0.0, 2.0, 5.0, 5.0, 8.0, 10.0]), [2, 2, 1, 3, 2, 2], np.array([0, 0, 1, 1, 2, 2])
    )
    shares, owners = np.array([0.5, 0.5, 0.25, 0.75, 0.5, 0.5]), rows.clusters
    monkeypatch.setattr(intervals, "_pad", lambda one: (one, shares, owners))
    clustered = intervals.tilted(rows, SPEC)
    unpadded(monkeypatch)
    means = intervals.tilted(mean_of(np.array([1.0, 5.0, 9.0])), SPEC)
    assert (clustered.low, clustered.high) == pytest.approx((means.low, means.high))
    assert clustered.standard_error == pytest.approx(means.standard_error)


def test_where_nothing_moves_the_value_the_interval_has_no_width(monkeypatch):
    unpadded(monkeypatch)
    found = intervals.tilted(mean_of(np.full(5, 0.4)), SPEC)
    assert (found.low, found.high, found.decisive) == (0.4, 0.4, False)


def test_pseudo_items_keep_the_interval_of_perfect_agreement_open():
    """Twenty of twenty agree: the exact lower end is .025 ** (1 / 20), .832 (Clopper & Pearson)."""
    scale = VerbalScale(range(2), level="nominal")
    ratings = Ratings.from_wide([[0, 0]] * 10 + [[1, 1]] * 10, scale=scale)
    found = covary.percent_agreement(ratings).interval
    assert found.low == pytest.approx(0.832, abs=0.02)
    assert found.high == 1


def test_pseudo_items_count_beside_the_items():
    rows = collapse(Ratings.from_wide([[1, 2], [3, 3], [2, 2]], scale="1-3"))
    statistic = SimpleNamespace(
        patterns=rows,
        counts=rows.counts,
        clusters=None,
        metric=False,
        graded=True,
        over=lambda r: r,
    )
    firm, shares, owners = intervals._pad(statistic)
    assert shares[:3] == pytest.approx(1)
    assert shares.sum() == pytest.approx(3 + draws.PSEUDO_ITEMS)
    assert (firm.counts == shares).all()
    assert (owners == np.arange(shares.size)).all()


def test_a_pseudo_item_counts_as_much_as_a_cluster():
    rows = collapse(Ratings.from_wide([[1, 2], [3, 3], [2, 2], [1, 1]], scale="1-3"))
    rows = replace(rows, clusters=np.array([0, 0, 1, 1]))
    statistic = SimpleNamespace(
        patterns=rows, counts=rows.counts, clusters=rows.clusters, metric=False, graded=True
    )
    statistic.over = lambda patterns: patterns
    firm, shares, owners = intervals._pad(statistic)
    by_unit = np.bincount(owners, shares)
    assert by_unit[:2] == pytest.approx(1)
    assert by_unit.sum() == pytest.approx(2 + draws.PSEUDO_ITEMS)
    assert firm.counts.sum() == pytest.approx(4 + 2 * draws.PSEUDO_ITEMS)


# Which method, and which seed


@pytest.mark.parametrize(
    ("kind", "rows", "method"),
    [
        (mean_of, 10_000, "bootstrap"),
        (mean_of, 10_001, "analytic"),
        (Dear, 200, "bootstrap"),
        (Dear, 201, "analytic"),
    ],
)
def test_the_bootstrap_is_for_as_many_rows_as_it_is_quick_with(kind, rows, method):
    statistic = kind(np.zeros(rows))
    assert intervals.default_method(statistic) == method
    statistic.smooths = True
    smooth = intervals.default_method(statistic)
    assert smooth == ("analytic" if rows > 10_000 else "tilted")


@pytest.mark.parametrize(("pairs", "method"), [(300, "bootstrap"), (301, "analytic")])
def test_the_values_of_very_many_pairs_of_judges_are_not_drawn_again(pairs, method):
    class Pairs(Dear):
        n_parts = pairs

    assert intervals.default_method(Pairs(NUMBERS)) == method


@pytest.mark.parametrize(
    ("kind", "rows", "parts", "quick"),
    [
        (mean_of, 10_000, 1, True),
        (mean_of, 10_001, 1, False),
        (Dear, 200, 300, True),
        (Dear, 201, 1, False),
        (Dear, 20, 301, False),
    ],
)
def test_places_on_a_line_have_the_z_jackknife_where_it_is_quick(
    kind, rows, parts, quick, monkeypatch
):
    class Parts(Linear if kind is mean_of else kind):
        n_parts = parts

    statistic = kind(np.zeros(rows))
    statistic.__class__ = Parts
    statistic.patterns = patterns([1])
    for line in (True, False):
        monkeypatch.setattr(intervals, "on_a_line", lambda _, line=line: line)
        found = intervals.method_of_numbers(statistic)
        assert (found == "z-jackknife") is (quick and line)


def test_who_gives_no_seed_has_the_same_one_everywhere():
    assert IntervalSpec.of("auto", 0.95, 1000, None) == IntervalSpec()


def test_a_generator_gives_seeds_of_32_bits():
    rng = np.random.default_rng(1)
    seeds = [IntervalSpec.of("auto", 0.95, 2, rng).seed for _ in range(64)]
    assert 2**31 < max(seeds) < 2**32


# Hughes


def test_hughes_interval_of_two_clusters_is_unknown_though_each_has_several_items():
    columns = {"item": [], "judge": [], "rating": [], "text": []}
    for item, row in enumerate([[1, 2], [4, 5], [2, 4], [3, 3], [5, 4], [1, 1]]):
        for judge, rating in enumerate(row):
            for name, entry in zip(columns, (item, judge, rating, item % 2), strict=True):
                columns[name].append(entry)
    ratings = Ratings(columns, level="interval", cluster="text")
    found = covary.krippendorff_alpha(ratings, interval="hughes", rng=1)
    assert found.interval.method != "Hughes jackknife"


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
