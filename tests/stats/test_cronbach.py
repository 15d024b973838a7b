"""Cronbach's alpha against R psych, its identities, and where it has no value."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covary import InvalidArgument, Ratings, UndefinedWarning, VisualScale
from covary.stats.coefficients.cronbach import cronbach_alpha
from covary.stats.coefficients.icc import icc

# 30 departments, 7 questions: the attitude data that ships with R
ATTITUDE = [
    [43, 51, 30, 39, 61, 92, 45],
    [63, 64, 51, 54, 63, 73, 47],
    [71, 70, 68, 69, 76, 86, 48],
    [61, 63, 45, 47, 54, 84, 35],
    [81, 78, 56, 66, 71, 83, 47],
    [43, 55, 49, 44, 54, 49, 34],
    [58, 67, 42, 56, 66, 68, 35],
    [71, 75, 50, 55, 70, 66, 41],
    [72, 82, 72, 67, 71, 83, 31],
    [67, 61, 45, 47, 62, 80, 41],
    [64, 53, 53, 58, 58, 67, 34],
    [67, 60, 47, 39, 59, 74, 41],
    [69, 62, 57, 42, 55, 63, 25],
    [68, 83, 83, 45, 59, 77, 35],
    [77, 77, 54, 72, 79, 77, 46],
    [81, 90, 50, 72, 60, 54, 36],
    [74, 85, 64, 69, 79, 79, 63],
    [65, 60, 65, 75, 55, 80, 60],
    [65, 70, 46, 57, 75, 85, 46],
    [50, 58, 68, 54, 64, 78, 52],
    [50, 40, 33, 34, 43, 64, 33],
    [64, 61, 52, 62, 66, 80, 41],
    [53, 66, 52, 50, 63, 80, 37],
    [40, 37, 42, 58, 50, 57, 49],
    [63, 54, 42, 48, 66, 75, 33],
    [66, 77, 66, 63, 88, 76, 72],
    [78, 75, 58, 74, 80, 78, 49],
    [48, 57, 44, 45, 51, 83, 38],
    [85, 85, 71, 71, 77, 74, 55],
    [82, 82, 39, 59, 64, 78, 39],
]

SEVERITY = list(zip([3, 3, 2, 2, 3, 2, 1, 2, 2, 3], [3, 2, 1, 1, 3, 2, 1, 1, 1, 2], strict=True))


def wide(rows, **options):
    return Ratings.from_wide(rows, **({"level": "interval"} | options))


def long(table, criteria, *, judges=1, **options):
    """One row of `table` for each judge of each item, one column per criterion."""
    rows = len(table)
    return Ratings(
        {
            "item": np.repeat(np.arange(rows) // judges, len(criteria)),
            "judge": np.repeat([f"J{row % judges}" for row in range(rows)], len(criteria)),
            "criterion": list(criteria) * rows,
            "rating": np.array(table, dtype=float).ravel(),
        },
        **options,
    )


def test_the_attitude_data_give_the_value_and_limits_of_psych():
    found = cronbach_alpha(wide(ATTITUDE))
    # R psych 2.2.9, alpha(attitude) and its $feldt
    assert found.value == pytest.approx(0.843142769565, abs=1e-10)
    limits = (found.interval.low, found.interval.high)
    assert limits == pytest.approx((0.7393756856, 0.9157730722), abs=1e-8)
    assert found.interval.method == "Feldt"


def test_the_attitude_data_give_the_standardised_value_of_psych():
    found = cronbach_alpha(wide(ATTITUDE), standardised=True, resamples=200, rng=1)
    assert found.value == pytest.approx(0.839083803, abs=1e-8)
    assert found.interval.method == "percentile bootstrap"
    assert found.interval.low < found.value < found.interval.high


@pytest.mark.parametrize("standardised", [False, True])
def test_alpha_if_deleted_is_alpha_of_the_other_judges(standardised):
    ratings = wide(ATTITUDE)
    found = cronbach_alpha(ratings, standardised=standardised, interval=None)
    for judge, alpha in found.details["if_deleted"].items():
        others = [other for other in ratings.judges if other != judge]
        without = cronbach_alpha(ratings, judges=others, standardised=standardised, interval=None)
        assert alpha == pytest.approx(without.value)


def test_two_judges_are_told_of_spearman_brown():
    found = cronbach_alpha(wide(SEVERITY))
    assert found.value == pytest.approx(0.8666666666666667)  # pingouin 0.6.1
    r = np.corrcoef(np.array(SEVERITY).T)[0, 1]
    assert found.details["spearman_brown"] == pytest.approx(2 * r / (1 + r))
    assert all(math.isnan(alpha) for alpha in found.details["if_deleted"].values())
    assert "Spearman-Brown" in found.notes[0]


def test_incomplete_items_are_dropped_and_counted():
    found = cronbach_alpha(wide([*ATTITUDE, [50, None, 50, 50, 50, 50, 50]]))
    assert found.value == pytest.approx(0.843142769565, abs=1e-10)
    assert (found.n_items, found.n_dropped, found.n_ratings) == (30, 1, 210)


@pytest.mark.parametrize("method", ["bootstrap", "bca", "jackknife"])
@pytest.mark.parametrize("standardised", [False, True])
def test_resampling_gives_an_interval_too(method, standardised):
    found = cronbach_alpha(
        wide(ATTITUDE), standardised=standardised, interval=method, resamples=200, rng=2
    )
    assert found.interval.low < found.value < found.interval.high


def test_slots_are_refused():
    with pytest.raises(InvalidArgument, match="slots"):
        cronbach_alpha(wide(ATTITUDE, judges="slots"))


@pytest.mark.parametrize("standardised", [False, True])
@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([[1], [2], [3]], "only one judge"),
        ([[1, 2, 3]], "only one item"),
        ([[4.1, 4.1], [4.1, 4.1], [4.1, 4.1]], "only one category"),
        ([[1, 2], [1, 2], [1, 2]], "does not vary"),
        ([[1, 3], [2, 2], [3, 1]], "does not vary"),
        ([[None, None], [None, None]], "from every judge"),
        ([[1, None], [None, 2], [3, None]], "from every judge"),
    ],
    ids=["one judge", "one item", "constant", "constant judges", "constant sum", "nothing", "none"],
)
def test_degenerate_ratings_have_no_value_and_say_why(rows, reason, standardised):
    with pytest.warns(UndefinedWarning):
        found = cronbach_alpha(wide(rows), standardised=standardised)
    assert math.isnan(found.value)
    assert found.interval is None
    assert reason in found.notes[-1]


def test_a_judge_who_never_varies_has_no_standardised_alpha_but_a_raw_one():
    rows = [[1, 2, 3], [2, 2, 3], [4, 5, 3]]
    assert cronbach_alpha(wide(rows)).defined
    with pytest.warns(UndefinedWarning):
        assert not cronbach_alpha(wide(rows), standardised=True).defined


def test_criteria_as_parts_give_the_value_of_psych():
    ratings = long(ATTITUDE, "abcdefg", level="interval")
    found = cronbach_alpha(ratings, parts="criteria")
    assert found.value == pytest.approx(0.843142769565, abs=1e-10)
    assert (found.n_items, found.n_judges, found.n_ratings) == (30, 1, 210)
    assert found.interval.method == "Feldt"
    assert set(found.details["if_deleted"]) == set("abcdefg")


def test_rows_of_one_item_are_drawn_together():
    found = cronbach_alpha(
        long(ATTITUDE, "abcdefg", judges=3, level="interval"), parts="criteria", rng=1
    )
    assert found.value == pytest.approx(0.843142769565, abs=1e-10)
    assert (found.n_items, found.n_judges) == (10, 3)
    assert found.interval.method == "percentile bootstrap"


def test_some_criteria_and_incomplete_rows():
    table = [*ATTITUDE, [math.nan, *ATTITUDE[0][1:]]]
    ratings = long(table, "abcdefg", level="interval")
    found = cronbach_alpha(ratings, parts="criteria", criterion=["a", "b", "c"], interval=None)
    expected = cronbach_alpha(wide(ATTITUDE), judges=[1, 2, 3], interval=None)
    assert found.value == pytest.approx(expected.value)
    assert found.n_dropped == 1


def test_a_criterion_that_runs_the_other_way_is_turned_round():
    table = [[row[0], 100 - row[1]] for row in ATTITUDE]
    scales = {"quality": VisualScale(), "effort": VisualScale(best="low")}
    found = cronbach_alpha(long(table, ["quality", "effort"], scale=scales), parts="criteria")
    expected = cronbach_alpha(wide(ATTITUDE), judges=[1, 2])
    assert found.value == pytest.approx(expected.value)
    assert any("'effort'" in note and "reversed" in note for note in found.notes)


def test_one_criterion_has_no_parts():
    with pytest.raises(InvalidArgument, match="two criteria"):
        cronbach_alpha(wide(ATTITUDE), parts="criteria")
    with pytest.raises(InvalidArgument, match="'judges', 'criteria'"):
        cronbach_alpha(wide(ATTITUDE), parts="items")


matrices = st.integers(2, 4).flatmap(
    lambda judges: st.lists(
        st.lists(st.integers(1, 6), min_size=judges, max_size=judges), min_size=2, max_size=9
    )
)


def value(rows, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        return cronbach_alpha(wide(rows), interval=None, **options).value


@given(matrices)
def test_it_is_icc_3_k(rows):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        same = icc(wide(rows), form="3,k", interval=None).value
    assert value(rows) == pytest.approx(same, abs=1e-9, nan_ok=True)


@given(matrices, st.integers(-9, 9))
def test_it_forgives_a_strict_judge(rows, shift):
    stricter = [[row[0] + shift, *row[1:]] for row in rows]
    for standardised in (False, True):
        before, after = (value(table, standardised=standardised) for table in (rows, stricter))
        assert after == pytest.approx(before, abs=1e-9, nan_ok=True)


@given(matrices)
def test_standardised_forgives_a_judge_who_stretches_the_scale(rows):
    stretched = [[3 * row[0], *row[1:]] for row in rows]
    before, after = value(rows, standardised=True), value(stretched, standardised=True)
    assert after == pytest.approx(before, abs=1e-8, nan_ok=True)
