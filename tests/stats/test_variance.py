"""Analysis of variance against R, statsmodels, scipy and arithmetic."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from covary import InvalidArgument, datasets
from covary.stats.models.anova import additive_model, one_way
from covary.stats.models.observations import observations
from tests.stats.unbalanced import FACTORS, GROUPS, SYSTEM, VALUES

LATIN = observations(datasets.load("latin-square-example"), factors=("system", "judge", "source"))


def test_one_way_equals_scipy():
    found = one_way(VALUES, SYSTEM)
    expected = stats.f_oneway(*GROUPS)
    assert found.f == pytest.approx(expected.statistic, rel=1e-12)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-10)
    assert (found.df, found.error_df) == (2, 99)


def test_effect_sizes_by_hand():
    # Two groups, 1 3 and 5 7: SS between 16, within 4, total 20, mean square of error 2.
    found = one_way([1, 3, 5, 7], [0, 0, 1, 1])
    assert found.sum_of_squares == pytest.approx(16)
    assert found.f == pytest.approx(8)
    assert found.eta_squared == pytest.approx(16 / 20)
    assert found.omega_squared == pytest.approx((16 - 2) / (20 + 2))
    assert found.partial_eta_squared == pytest.approx(16 / 20)
    assert found.partial_omega_squared == pytest.approx(14 / (14 + 4 * 2))


def test_a_latin_square_is_orthogonal_and_its_sums_of_squares_add_up():
    found = additive_model(LATIN.values, LATIN.factors)
    assert found.balanced
    assert "orthogonal" in found.method
    parts = sum(effect.sum_of_squares for effect in found.effects) + found.residual_ss
    assert parts == pytest.approx(found.total_ss, rel=1e-12)
    assert found.mse == pytest.approx(0.2006, abs=5e-5)  # R 4.2.2 aov
    assert found.residual_df == 18
    assert found.means["system"] == pytest.approx(LATIN.means("system"))
    assert found.residuals().sum() == pytest.approx(0, abs=1e-12)


def test_additive_f_follows_from_the_one_way_f_of_a_balanced_design():
    # Belz & Kow (2011) print one-way ratios: eta² = F df1 / (F df1 + df2), and the error is what
    # the three leave.
    shares, dfs = {}, {}
    for name, codes in LATIN.factors.items():
        effect = one_way(LATIN.values, codes, name=name)
        shares[name] = effect.f * effect.df / (effect.f * effect.df + effect.error_df)
        dfs[name] = effect.df
    left = (1 - sum(shares.values())) / (31 - sum(dfs.values()))
    for effect in additive_model(LATIN.values, LATIN.factors).effects:
        assert effect.f == pytest.approx(shares[effect.name] / dfs[effect.name] / left, rel=1e-10)


def test_unbalanced_ratings_give_the_type_two_table_of_statsmodels():
    # statsmodels 0.15.0, anova_lm(ols("y ~ C(s) + C(j) + C(t)"), typ=2); typ=3 is the same.
    found = additive_model(VALUES, FACTORS)
    assert not found.balanced
    assert "type II " in found.method
    expected = {
        "system": (34.9836306436, 2, 11.629398281, 3.34280621822e-05),
        "judge": (21.7139829591, 5, 2.88729959073, 0.0184907430955),
        "source": (63.9264926756, 7, 6.07162860667, 8.77356598563e-06),
    }
    for name, (squares, df, f, p) in expected.items():
        effect = found.effect(name)
        assert effect.sum_of_squares == pytest.approx(squares, rel=1e-10)
        assert effect.df == df
        assert effect.f == pytest.approx(f, rel=1e-10)
        assert effect.p == pytest.approx(p, rel=1e-9)
    assert found.residual_ss == pytest.approx(130.856979547, rel=1e-10)
    assert found.residual_df == 87


def test_adjusted_means_and_their_covariances_equal_those_of_statsmodels():
    found = additive_model(VALUES, FACTORS)
    expected = [2.5639024395465135, 3.307523358975074, 4.057390121545292]  # mean prediction
    assert found.means["system"] == pytest.approx(expected, rel=1e-10)
    covariance = found.covariance("system")

    def between(a, b, c, d):
        return covariance[a, c] - covariance[a, d] - covariance[b, c] + covariance[b, d]

    assert between(1, 0, 1, 0) == pytest.approx(0.0839271571216471, rel=1e-9)
    assert between(2, 0, 2, 0) == pytest.approx(0.09647680579716747, rel=1e-9)
    assert between(1, 0, 2, 0) == pytest.approx(0.041855953942759865, rel=1e-9)


def test_a_system_that_only_its_own_judges_rated_cannot_be_compared():
    values = [1.0, 2.0, 2.5, 3.0, 5.0, 6.0, 7.5, 7.0]
    system, judge = [0, 0, 1, 1, 2, 2, 3, 3], [0, 1, 0, 1, 2, 3, 2, 3]
    found = additive_model(values, {"system": system, "judge": judge})
    assert found.effect("system").df == 2  # one difference on each side
    assert np.isnan(found.means["system"]).all()
    assert "cannot be compared" in found.notes[0]
    covariance = found.covariance("system")
    assert math.isnan(covariance[0, 2])
    assert not math.isnan(covariance[0, 1])


def test_systems_are_compared_across_batches_of_sources_with_judges_of_their_own():
    # Two batches that share no judge and no source, but every system: differences are the means of
    # the differences within batches.
    rng = np.random.default_rng(3)
    rows = [
        (s, j + 3 * b, t + 4 * b)
        for b in (0, 1)
        for j in range(3)
        for t in range(4)
        for s in range(3)
    ]
    system, judge, source = (np.array(column) for column in zip(*rows, strict=True))
    values = rng.normal(size=len(rows)) + 10 * (judge > 2)
    found = additive_model(values, {"system": system, "judge": judge, "source": source})
    plain = [values[system == s].mean() for s in range(3)]
    assert np.diff(found.means["system"]) == pytest.approx(np.diff(plain))
    assert np.isnan(found.means["judge"]).all()
    assert found.residual_df == 72 - (1 + 2 + 5 + 7) + 1


@pytest.mark.parametrize(
    ("values", "factors", "name", "reason"),
    [
        ([1, 2, 3], {"system": [0, 0, 0]}, "system", "only one system"),
        ([1, 2, 3], {"system": [0, 1, 2]}, "system", "no error is left"),
        ([1, 1, 2, 2], {"system": [0, 0, 1, 1]}, "system", "the error is 0"),
        ([3, 3, 3, 3], {"system": [0, 0, 1, 1]}, "system", "all ratings are equal"),
        (
            [1, 2, 3, 5, 4],
            {"system": [0, 0, 1, 1, 1], "judge": [0, 0, 1, 1, 1]},
            "judge",
            "cannot be told apart",
        ),
        ([0.1 + 0.2, 0.3, 0.6, 0.6], {"system": [0, 0, 1, 1]}, "system", "the error is 0"),
    ],
    ids=["one system", "one rating each", "no error", "constant", "aliased", "rounding"],
)
def test_f_is_undefined_with_a_reason(values, factors, name, reason):
    effect = additive_model(values, factors).effect(name)
    assert math.isnan(effect.f)
    assert math.isnan(effect.p)
    assert reason in effect.reason
    assert effect.to_dict()["f"] is None


@pytest.mark.parametrize(
    ("values", "codes", "said"),
    [
        ([1, float("nan")], [0, 1], "finite"),
        ([], [], "one finite number"),
        ([1, 2], [0], "each of the 2 ratings"),
        ([1, 2], [0.0, 1.0], "whole number"),
        ([1, 2], [0, 2], "without gaps"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(values, codes, said):
    with pytest.raises(InvalidArgument, match=said):
        one_way(values, codes)


def test_an_unknown_effect_is_refused():
    with pytest.raises(InvalidArgument, match="'system', 'judge', 'source'"):
        additive_model(VALUES, FACTORS).effect("item")


@st.composite
def tables(draw):
    n = draw(st.integers(8, 40))
    factors = {}
    for name, most in (("system", 4), ("judge", 4), ("source", 5)):
        codes = draw(st.lists(st.integers(0, most - 1), min_size=n, max_size=n))
        factors[name] = np.unique(codes, return_inverse=True)[1]
    values = draw(st.lists(st.integers(-20, 20), min_size=n, max_size=n))
    return np.array(values, dtype=float), factors


def dense(values, factors):
    """Type II sums of squares and degrees of freedom from a design matrix, as in any textbook."""

    def left(names):
        columns = [np.ones((values.size, 1))]
        columns += [np.eye(factors[name].max() + 1)[factors[name]] for name in names]
        design = np.hstack(columns)
        fitted = design @ np.linalg.lstsq(design, values, rcond=None)[0]
        return np.sum((values - fitted) ** 2), np.linalg.matrix_rank(design)

    whole = left(list(factors))
    without = {name: left([n for n in factors if n != name]) for name in factors}
    return whole, {name: (ss - whole[0], whole[1] - rank) for name, (ss, rank) in without.items()}


@given(tables())
@settings(max_examples=80, deadline=None)
def test_any_pattern_equals_least_squares_with_a_design_matrix(table):
    values, factors = table
    found = additive_model(values, factors)
    (rest, rank), effects = dense(values, factors)
    scale = max(found.total_ss, 1.0)
    assert found.residual_df == values.size - rank
    assert found.residual_ss == pytest.approx(rest, abs=1e-9 * scale)
    for effect in found.effects:
        squares, df = effects[effect.name]
        assert effect.df == df
        assert effect.sum_of_squares == pytest.approx(squares, abs=1e-9 * scale)


@given(tables(), st.randoms(use_true_random=False), st.floats(0.1, 50), st.floats(-100, 100))
@settings(max_examples=40, deadline=None)
def test_f_does_not_change_with_names_order_shift_or_scale(table, random, stretch, shift):
    values, factors = table
    order = list(range(values.size))
    random.shuffle(order)
    renamed = {}
    for name, codes in factors.items():
        names = list(range(codes.max() + 1))
        random.shuffle(names)
        renamed[name] = np.array(names)[codes][order]
    before = additive_model(values, factors)
    after = additive_model(values[order] * stretch + shift, renamed)
    for one, other in zip(before.effects, after.effects, strict=True):
        assert bool(one.reason) == bool(other.reason)
        assert other.f == pytest.approx(one.f, rel=1e-6, abs=1e-9, nan_ok=True)
        assert other.df == one.df


def test_a_million_ratings_take_no_design_matrix():
    # 1,000 systems x 20 judges x 50 sources; the dense matrix would hold 1,070 million numbers.
    system, judge, source = (axis.ravel() for axis in np.indices((1000, 20, 50)))
    values = (system % 7) * 0.1 + judge * 0.3 + ((system * 31 + judge * 17 + source * 13) % 29)
    kept = (system + 3 * judge + 5 * source) % 11 > 0
    factors = {"system": system[kept], "judge": judge[kept], "source": source[kept]}
    found = additive_model(values[kept], factors)
    assert [effect.df for effect in found.effects] == [999, 19, 49]
    assert found.residual_df == kept.sum() - 1068
