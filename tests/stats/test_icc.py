"""The six intraclass correlations against R psych, R irr and lme4, and where they have no value."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covary import (
    InvalidArgument,
    Ratings,
    SuitabilityWarning,
    UndefinedWarning,
    VerbalScale,
    datasets,
)
from covary.stats.coefficients.icc import FORMS, icc
from covary.stats.estimate import OTHER_JUDGES, THESE_JUDGES

SHROUT_FLEISS = [
    [9, 2, 5, 8],
    [6, 1, 3, 2],
    [8, 4, 6, 8],
    [7, 1, 2, 6],
    [10, 5, 6, 9],
    [6, 2, 4, 7],
]

# R psych 2.2.9, ICC(lmer=FALSE): value and 95 % limits
PSYCH = {
    "1,1": (0.16574176840547544, -0.1329323249, 0.7225600623),
    "2,1": (0.28976377952755905, 0.0187865134, 0.7610843696),
    "3,1": (0.714840714840715, 0.342464765, 0.94585826),
    "1,k": (0.44279713367926865, -0.8844421552, 0.9124154203),
    "2,k": (0.6200505475989891, 0.0711368153, 0.9272320402),
    "3,k": (0.9093155423770695, 0.6756747138, 0.9858916782),
}

# Two judges who rank alike, one stricter (R irr 0.84.1)
SEVERITY = list(zip([3, 3, 2, 2, 3, 2, 1, 2, 2, 3], [3, 2, 1, 1, 3, 2, 1, 1, 1, 2], strict=True))


def wide(rows, **options):
    return Ratings.from_wide(rows, **({"level": "interval"} | options))


def undefined(rows, **options):
    with pytest.warns(UndefinedWarning):
        found = icc(wide(rows), **options)
    assert math.isnan(found.value)
    assert found.interval is None
    return found.notes[-1]


@pytest.mark.parametrize("form", FORMS)
def test_shrout_and_fleiss_give_the_values_and_limits_of_psych(form):
    found = icc(wide(SHROUT_FLEISS), form=form)
    value, low, high = PSYCH[form]
    assert found.value == pytest.approx(value, abs=1e-9)
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high), abs=1e-7)
    assert found.interval.method == "F"


@pytest.mark.parametrize(
    ("form", "expected"), [("3,1", 0.76471), ("2,1", 0.59091), ("1,1", 0.53846)], ids=str
)
def test_a_stricter_judge_lowers_agreement_and_not_consistency(form, expected):
    assert icc(wide(SEVERITY), form=form).value == pytest.approx(expected, abs=5e-6)


@pytest.mark.parametrize(
    ("form", "expected"), [("2,1", 0.390), ("3,1", 0.448), ("2,k", None), ("3,k", None)], ids=str
)
def test_missing_ratings_take_the_components_of_lme4(form, expected):
    with pytest.warns(SuitabilityWarning):
        found = icc(datasets.load("qgstec-original"), criterion="correctness", form=form)
    # R lme4 1.1-31: item .591, judge .196, residual .727; two of six judges an item, once one
    judge = 0.196 if form[0] == "2" else 0
    by_hand = 0.591 / (0.591 + (0.727 + judge) / (2 if form[-1] == "k" else 1))
    assert found.value == pytest.approx(by_hand if expected is None else expected, abs=9e-4)
    assert found.settings["missing"] == "reml"
    # 895 items with two ratings and one with one: 896 / (895 / 2 + 1)
    assert found.settings.get("k", 1) == pytest.approx(1.99777 if form[-1] == "k" else 1, abs=1e-5)
    assert found.interval.method == "REML delta"
    assert found.interval.low < found.value < found.interval.high
    assert any("REML" in note for note in found.notes)


def test_items_with_one_rating_are_kept():
    with pytest.warns(SuitabilityWarning):
        found = icc(datasets.load("qgstec-original"), criterion="correctness")
    assert (found.n_items, found.n_ratings, found.n_dropped) == (896, 1791, 0)


def test_form_1_with_two_ratings_of_each_item_needs_no_reml():
    # Two of four judges rate each item; one-way, only the two ratings of an item matter.
    rows = [[3, 3, None, None], [None, 1, 2, None], [None, None, 5, 4], [2, None, None, 1]]
    found = icc(wide(rows), form="1,k")
    same = icc(wide([[3, 3], [1, 2], [5, 4], [2, 1]]), form="1,k")
    assert (found.settings["missing"], found.settings["k"]) == ("none", 2)
    assert found.value == pytest.approx(same.value)


def test_form_1_takes_slots_and_forms_2_and_3_refuse_them():
    slots = wide(SEVERITY, judges="slots")
    assert icc(slots, form="1,1").value == pytest.approx(0.53846, abs=5e-6)
    for form in ("2,1", "3,1", "2,k", "3,k"):
        with pytest.raises(InvalidArgument, match="slots"):
            icc(slots, form=form)


@pytest.mark.parametrize("form", FORMS)
def test_limits_of_form_3_speak_of_these_judges_and_the_others_of_other_judges(form):
    target = THESE_JUDGES if form[0] == "3" else OTHER_JUDGES
    assert icc(wide(SHROUT_FLEISS), form=form).interval.target == target


@pytest.mark.parametrize("method", ["bootstrap", "bca", "jackknife"])
@pytest.mark.parametrize("form", FORMS)
def test_resampling_gives_an_interval_too(form, method):
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(60, 1)) + rng.normal(size=(60, 3))
    found = icc(wide(rows), form=form, interval=method, resamples=200, rng=1)
    assert found.interval.low < found.value < found.interval.high


def test_resampling_repeats_reml_where_ratings_are_missing():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(60, 1)) + rng.normal(size=(60, 3))
    rows[::5, 0] = np.nan
    found = icc(wide(rows), interval="bootstrap", resamples=50, rng=1)
    delta = icc(wide(rows))
    assert found.value == delta.value
    assert found.interval.low == pytest.approx(delta.interval.low, abs=0.1)
    assert found.interval.high == pytest.approx(delta.interval.high, abs=0.1)


def test_drawing_judges_is_refused():
    with pytest.raises(InvalidArgument, match="two-way"):
        icc(wide(SHROUT_FLEISS), interval="two-way")


def test_clusters_are_drawn_whole():
    rng = np.random.default_rng(3)
    rows = np.repeat(rng.normal(size=(10, 1)), 8, axis=0) + 0.3 * rng.normal(size=(80, 2))
    long = {
        "item": np.repeat(np.arange(80), 2),
        "judge": ["Ann", "Bo"] * 80,
        "rating": rows.ravel(),
    }
    plain = icc(Ratings(long, level="interval"))
    nested = Ratings(
        long | {"dialogue": np.repeat(np.arange(10), 16)}, cluster="dialogue", level="interval"
    )
    found = icc(nested, rng=1)
    assert found.value == pytest.approx(plain.value)
    assert (plain.interval.method, found.interval.method) == ("F", "percentile bootstrap")


def test_identical_judges_agree_fully():
    found = icc(wide([[1, 1, 1], [2, 2, 2], [5, 5, 5]]))
    assert found.value == 1
    assert (found.interval.low, found.interval.high) == pytest.approx((1, 1), abs=1e-14)
    missing = icc(wide([[1, 1, 1], [2, 2, None], [5, 5, 5]]))
    assert missing.value == pytest.approx(1)


def test_ratings_that_contradict_each_other_are_negative_and_noted():
    found = icc(wide([[1, 3], [3, 1], [1, 3], [3, 1.5]]), form="1,1")
    assert found.value < 0
    assert any("negative" in note for note in found.notes)


def test_no_variance_between_items_is_0_with_missing_ratings_and_has_no_delta_interval():
    rows = [[1, 3, None], [3, 1, 2], [None, 3, 1], [2, 1, 3], [3, 2, 1]]
    found = icc(wide(rows))
    assert found.value == 0
    assert math.isnan(found.interval.low)
    assert any("interval='bootstrap'" in note for note in found.notes)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([[1], [2], [3]], "only one judge"),
        ([[1, 2, 3]], "only one item"),
        ([[4.1, 4.1], [4.1, 4.1], [4.1, 4.1]], "only one category"),
        ([[4.1, 4.1], [4.1, None], [None, 4.1]], "only one category"),
        ([[None, None], [None, None]], "no item"),
        ([[1, None], [None, 2], [3, None]], "no item was rated by two judges"),
    ],
    ids=["one judge", "one item", "constant", "constant and missing", "nothing", "no overlap"],
)
def test_degenerate_ratings_have_no_value_and_say_why(form, rows, reason):
    assert reason in undefined(rows, form=form)


@pytest.mark.parametrize("form", ["3,1", "3,k"])
@pytest.mark.parametrize(
    "rows", [[[1, 2], [1, 2], [1, 2]], [[1, 2], [1, None], [1, 2]]], ids=["complete", "missing"]
)
def test_judges_who_each_gave_one_rating_only_have_no_consistency(form, rows):
    assert "(0/0)" in undefined(rows, form=form)


def test_items_with_equal_means_have_no_reliability_of_the_mean():
    assert "mean" in undefined([[1, 3], [3, 1], [1, 3]], form="1,k")


def test_words_in_order_count_by_their_position():
    scale = VerbalScale(["bad", "fair", "good"])
    rows = [["bad", "fair"], ["good", "good"], ["fair", "fair"], ["bad", "bad"]]
    with pytest.warns(SuitabilityWarning):
        found = icc(Ratings.from_wide(rows, scale=scale))
    assert found.value == pytest.approx(icc(wide([[1, 2], [3, 3], [2, 2], [1, 1]])).value)


def test_an_unknown_form_names_the_known_ones():
    with pytest.raises(InvalidArgument, match="'2,k'"):
        icc(wide(SHROUT_FLEISS), form="ICC2")


matrices = st.integers(2, 4).flatmap(
    lambda judges: st.lists(
        st.lists(st.integers(1, 6), min_size=judges, max_size=judges), min_size=2, max_size=9
    )
)


def value(rows, form):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        return icc(wide(rows), form=form).value


@given(matrices, st.sampled_from(FORMS))
def test_the_unit_and_the_origin_do_not_matter(rows, form):
    moved = [[7.5 - 0.1 * rating for rating in row] for row in rows]
    assert value(moved, form) == pytest.approx(value(rows, form), abs=1e-9, nan_ok=True)


@given(matrices, st.sampled_from(["3,1", "3,k"]), st.integers(-9, 9))
def test_consistency_forgives_a_strict_judge(rows, form, shift):
    stricter = [[row[0] + shift, *row[1:]] for row in rows]
    assert value(stricter, form) == pytest.approx(value(rows, form), abs=1e-9, nan_ok=True)


@given(matrices, st.sampled_from(FORMS), st.data())
def test_missing_ratings_never_break_anything(rows, form, data):
    holes = st.tuples(st.integers(0, len(rows) - 1), st.integers(0, len(rows[0]) - 1))
    for row, column in data.draw(st.sets(holes, max_size=8)):
        rows[row][column] = None
    found = value(rows, form)
    assert math.isnan(found) or found <= 1 + 1e-9
