"""All pairs of systems against R, scipy, statsmodels, pingouin and arithmetic."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from covary import InvalidArgument, RatingsError
from covary.stats import distributions
from covary.stats.models.anova import additive_model, one_way
from covary.stats.posthoc import (
    PROCEDURES,
    adjust_p_values,
    compare_means,
    dunn,
    games_howell,
    nemenyi,
)
from tests.stats.unbalanced import FACTORS, GROUPS, SYSTEM, VALUES

OF_MEANS = ("tukey", "scheffe", "lsd", "bonferroni", "holm", "bh")
MEANS = [group.mean() for group in GROUPS]
SIZES = [group.size for group in GROUPS]


def compared(procedure, **options):
    error = one_way(VALUES, SYSTEM)
    return compare_means(
        MEANS, SIZES, error.error_mean_square, error.error_df, procedure=procedure, **options
    )


def test_tukey_and_kramer_equal_statsmodels():
    # statsmodels 0.15.0 pairwise_tukeyhsd; its differences are the second less the first.
    found = compared("tukey")
    p = [0.08008504260032756, 2.6178604568660724e-05, 0.027852565839745602]
    limits = [
        (-0.07112725085280636, 1.6044605841861386),
        (0.8524254374735545, 2.609796784748668),
        (0.08575877080688832, 1.843130118082002),
    ]
    assert [pair.p_adjusted for pair in found.pairs] == pytest.approx(p, abs=1e-7)
    for pair, (low, high) in zip(found.pairs, limits, strict=True):
        assert (-pair.high, -pair.low) == pytest.approx((low, high), abs=1e-6)
    assert "Kramer" in found.procedure
    assert (found.n_significant, found.n_pairs) == (2, 3)


def test_tukey_equals_scipy():
    expected = stats.tukey_hsd(*GROUPS)
    for pair in compared("tukey").pairs:
        assert pair.p_adjusted == pytest.approx(expected.pvalue[pair.first, pair.second], abs=1e-8)


def test_the_least_significant_difference_is_a_t_test_with_the_pooled_error():
    # Four ratings of two systems: the pooled error is that of an ordinary t test.
    a, b = [3.0, 4.0, 6.0], [5.0, 7.0, 8.0, 9.0]
    error = one_way(a + b, [0] * 3 + [1] * 4)
    found = compare_means(
        [np.mean(a), np.mean(b)], [3, 4], error.error_mean_square, 5, procedure="lsd"
    ).pairs[0]
    assert found.p == found.p_adjusted == pytest.approx(stats.ttest_ind(a, b).pvalue, rel=1e-10)
    assert found.low is None


def test_all_procedures_agree_for_two_systems():
    found = [compare_means([1.0, 2.0], 10, 1.5, 18, procedure=name) for name in OF_MEANS]
    assert np.ptp([each.pairs[0].p_adjusted for each in found]) < 1e-9


def test_scheffe_by_hand():
    # Three means of 5 with error 2 on 12 degrees of freedom: F of a pair is d² / (2 · 2 · 2/5).
    found = compare_means([1.0, 2.0, 4.0], 5, 2.0, 12, procedure="scheffe")
    assert found.pairs[1].statistic == pytest.approx(9 / (2 * 2 * 2 / 5))
    assert found.pairs[1].p_adjusted == pytest.approx(stats.f.sf(5.625, 2, 12), rel=1e-10)
    reach = math.sqrt(2 * stats.f.ppf(0.95, 2, 12) * 2 * 2 / 5)
    assert found.pairs[1].low == pytest.approx(-3 - reach)
    assert found.critical == pytest.approx(stats.f.ppf(0.95, 2, 12))


@pytest.mark.parametrize(
    ("adjust", "expected"),
    [
        ("bonferroni", [0.006, 0.072, 0.18, 0.24, 1.0, 1.0]),
        ("holm", [0.006, 0.06, 0.12, 0.12, 0.4, 0.7]),
        ("bh", [0.006, 0.036, 0.06, 0.06, 0.24, 0.7]),
        ("none", [0.001, 0.012, 0.03, 0.04, 0.2, 0.7]),
    ],
)
def test_adjusted_p_values_equal_statsmodels(adjust, expected):
    # statsmodels 0.15.0 multipletests
    p = [0.001, 0.012, 0.03, 0.04, 0.2, 0.7]
    assert adjust_p_values(p, adjust) == pytest.approx(expected)
    shuffled = adjust_p_values([0.2, 0.001, math.nan, 0.7, 0.03, 0.012, 0.04], adjust)
    order = [1, 5, 4, 6, 0, 3]
    assert shuffled[order] == pytest.approx(expected)
    assert math.isnan(shuffled[2])


def test_games_and_howell_equal_pingouin():
    # pingouin 0.6.1 pairwise_gameshowell
    found = games_howell(GROUPS)
    p = [0.0598407308873, 0.000146917741038, 0.0367251699736]
    t = [2.31851626259, 4.38022208526, 2.53908838266]
    assert [pair.p_adjusted for pair in found.pairs] == pytest.approx(p, abs=1e-8)
    assert [pair.statistic / math.sqrt(2) for pair in found.pairs] == pytest.approx(t, rel=1e-10)
    for pair in found.pairs:
        assert (pair.low > 0 or pair.high < 0) == pair.significant


def test_games_and_howell_equal_scipy():
    expected = stats.tukey_hsd(*GROUPS, equal_var=False)
    for pair in games_howell(GROUPS).pairs:
        assert pair.p_adjusted == pytest.approx(expected.pvalue[pair.first, pair.second], abs=1e-8)


def test_games_and_howell_say_that_constant_ratings_have_no_test():
    found = games_howell([[1, 1, 1], [2, 2, 2], [1, 2, 4]])
    assert math.isnan(found.pairs[0].p_adjusted)
    assert not found.pairs[0].significant
    assert "do not vary" in found.notes[0]
    with pytest.raises(InvalidArgument, match="at least two ratings"):
        games_howell([[1, 2], [3]])


@pytest.mark.parametrize(
    ("k", "q"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (8, 3.031), (10, 3.164)]
)
def test_nemenyi_has_the_critical_values_of_demsar(k, q):
    # Demšar (2006), table 5(a), at .05
    blocks = np.random.default_rng(k).normal(size=(6, k))
    assert nemenyi(blocks).critical == pytest.approx(q, abs=1e-3)


def test_nemenyi_has_the_critical_difference_of_demsars_example():
    # Demšar (2006), section 3.2.2: four classifiers on 14 data sets, CD = 1.25 at .05.
    found = nemenyi(np.random.default_rng(1).normal(size=(14, 4)))
    pair = found.pairs[0]
    assert (pair.high - pair.low) / 2 == pytest.approx(1.25, abs=0.005)


def test_missing_blocks_are_refused_with_the_way_out():
    with pytest.raises(RatingsError, match=r"1 of 3 blocks \(rows 2\).*additive, mixed"):
        nemenyi([[1, 2], [math.nan, 3], [2, 3]])


def test_dunn_by_hand_with_ties():
    # 1 2 2 | 2 4 5: ranks 1 3 3 | 3 5 6, mean ranks 7/3 and 14/3, one tie of three.
    found = dunn([[1, 2, 2], [2, 4, 5]])
    z = (7 / 3) / math.sqrt((6 * 7 / 12 - 24 / (12 * 5)) * (2 / 3))
    assert found.pairs[0].statistic == pytest.approx(z)
    assert found.places == pytest.approx((7 / 3, 14 / 3))
    assert found.pairs[0].p == pytest.approx(2 * stats.norm.sf(z))


def test_dunn_of_two_systems_is_kruskal_and_wallis():
    a, b = GROUPS[0], GROUPS[2]
    assert dunn([a, b]).pairs[0].p == pytest.approx(stats.kruskal(a, b).pvalue, rel=1e-10)


def test_adjusted_means_are_compared_with_their_covariances():
    model = additive_model(VALUES, FACTORS)
    found = compare_means(
        model.means["system"],
        1,
        model.mse,
        model.residual_df,
        procedure="lsd",
        covariance=model.covariance("system"),
        error="additive model",
    )
    # statsmodels 0.15.0: coefficients of ols by the root of their variances
    t = [
        (3.307523358975074 - 2.5639024395465135) / math.sqrt(0.0839271571216471),
        (4.057390121545292 - 2.5639024395465135) / math.sqrt(0.09647680579716747),
    ]
    assert [pair.statistic for pair in found.pairs[:2]] == pytest.approx(t, rel=1e-9)
    assert found.error.startswith("additive model: mean square 1.504 with 87 degrees")


def test_pairs_may_have_their_own_degrees_of_freedom():
    df = np.array([[np.nan, 4, 9], [4, np.nan, 30], [9, 30, np.nan]])
    found = compare_means([1.0, 2.0, 4.0], 5, 2.0, df)
    for pair, own in zip(found.pairs, (4, 9, 30), strict=True):
        expected = stats.studentized_range.sf(pair.statistic, 3, own)
        assert pair.p_adjusted == pytest.approx(expected, abs=1e-8)
    assert math.isnan(found.critical)


def test_a_pair_that_nothing_links_is_not_compared():
    covariance = np.array([[1.0, 0, np.nan], [0, 1.0, np.nan], [np.nan, np.nan, 1.0]])
    found = compare_means([0.0, 9.0, 50.0], 1, 1.0, 20, covariance=covariance)
    assert [pair.significant for pair in found.pairs] == [True, False, False]
    assert math.isnan(found.pairs[1].p_adjusted)
    assert "2 of 3 pairs cannot be tested" in found.notes[0]


@pytest.mark.parametrize("procedure", OF_MEANS)
def test_no_error_is_no_infinite_statistic(procedure):
    found = compare_means([1.0, 2.0, 2.0], 4, 0.0, 9, procedure=procedure)
    assert all(math.isnan(pair.statistic) and not pair.significant for pair in found.pairs)
    assert "the error is 0" in found.notes[0]
    none = compare_means([1.0, 2.0], 1, math.nan, 0, procedure=procedure)
    assert "no degrees of freedom" in none.notes[0]


@pytest.mark.parametrize("procedure", OF_MEANS)
def test_one_system_has_no_pairs(procedure):
    found = compare_means([1.0], 4, 1.0, 3, procedure=procedure)
    assert (found.n_pairs, found.letters) == (0, ("a",))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"procedure": "duncan"}, "procedure='duncan' is not one of 'tukey'"),
        ({"procedure": "nemenyi"}, "a function of its own"),
        ({"alpha": 5}, "alpha=5 must lie between 0 and 1"),
        ({"covariance": [[1.0]]}, "shape"),
    ],
)
def test_a_wrong_call_says_what_is_allowed(wrong, said):
    with pytest.raises(InvalidArgument, match=said):
        compare_means([1.0, 2.0], 3, 1.0, 4, **wrong)


def test_the_critical_value_is_computed_once_for_all_pairs(monkeypatch):
    calls = []
    real = distributions._mean_tail
    monkeypatch.setattr(
        distributions, "_mean_tail", lambda *given: calls.append(given[0].size) or real(*given)
    )
    distributions.range_quantile.cache_clear()
    compare_means(np.arange(20) / 7, 50, 1.0, 913)
    assert calls.count(190) == 1  # the p-values of all pairs in one call
    assert len(calls) < 30  # and a search for one critical value
    compare_means(np.arange(20) / 5, 50, 1.0, 913)
    assert calls[-1] == 190
    assert calls.count(190) == 2


def test_every_procedure_has_words():
    assert set(OF_MEANS) < set(PROCEDURES)
    for name in OF_MEANS:
        assert compared(name).procedure.startswith(PROCEDURES[name])


means = st.lists(st.floats(-5, 5), min_size=2, max_size=7)


@given(means, st.sampled_from(OF_MEANS), st.floats(0.5, 20), st.floats(-50, 50))
@settings(max_examples=60, deadline=None)
def test_pairs_do_not_change_with_order_shift_or_scale(places, procedure, stretch, shift):
    before = compare_means(places, 4, 1.0, 12, procedure=procedure)
    turned = [place * stretch + shift for place in reversed(places)]
    after = compare_means(turned, 4, stretch**2, 12, procedure=procedure)
    last = len(places) - 1
    for pair in before.pairs:
        other = after.pair(last - pair.second, last - pair.first)
        assert other.p_adjusted == pytest.approx(pair.p_adjusted, rel=1e-5, abs=1e-9)


@given(means)
@settings(max_examples=30, deadline=None)
def test_procedures_stand_in_their_known_order(places):
    p = {
        name: np.array(
            [pair.p_adjusted for pair in compare_means(places, 4, 1.0, 12, procedure=name).pairs]
        )
        for name in OF_MEANS
    }
    slack = 1e-9
    assert (p["lsd"] <= p["bh"] + slack).all()
    assert (p["bh"] <= p["holm"] + slack).all()
    assert (p["holm"] <= p["bonferroni"] + slack).all()
    assert (p["lsd"] <= p["tukey"] + slack).all()
    assert (p["tukey"] <= p["scheffe"] + slack).all()


def test_plain_values_go_to_json():
    found = compared("holm").to_dict()
    assert found["n_pairs"] == 3
    assert found["critical"] is None
    assert found["pairs"][0]["low"] is None
    assert found["letters"] == list(compared("holm").letters)
