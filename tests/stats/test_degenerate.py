"""Ratings on which coefficients break down: a reason, or the value that hand arithmetic gives.

Never 0 or 1 for "could not compute", never an error from arithmetic, and no warning but covary's.
"""

import json
import math
import warnings
from fractions import Fraction as F

import pytest

import covary
from covary import Ratings, UndefinedWarning, VerbalScale
from covary.stats.intervals import METHODS
from tests.properties.coefficients import BINARY, TABLE, function_of, public_coefficients

CASES = {row.label: row for row in TABLE if row.name not in BINARY}
"""Each coefficient and variant, with the options that make it so."""

NONE = None
UNDEFINED = {
    "one category": [[2, 2], [2, 2], [2, 2]],
    "one judge": [[1], [2], [3], [2]],
    "nothing rated": [[NONE, NONE], [NONE, NONE]],
    "every item rated once": [[1, NONE], [NONE, 2], [3, NONE], [NONE, 1]],
    "judges without a common item": [[1, NONE], [2, NONE], [NONE, 2], [NONE, 3]],
    "one item, one rating": [[1, NONE]],
    "one item, one category": [[2, 2]],
}

REASONS = {
    "one category": "only one category (2) was used",
    "one judge": "only one judge",
    "nothing rated": "no item",
    "every item rated once": "no item",
    "judges without a common item": "no item",
    "one item, one rating": "",
    "one item, one category": "",
}

# What has a value all the same: judges who always choose one category do agree.
TRUE_SHARE = {
    ("percent_agreement", "one category"): 1,
    ("percent_agreement (tolerance)", "one category"): 1,
    ("percent_agreement", "one item, one category"): 1,
    ("percent_agreement (tolerance)", "one item, one category"): 1,
}


class ThreeCategories:
    """What weights of one's own need to know of a table."""

    n_categories = 3


def options_of(row):
    return row.options | (row.own(ThreeCategories()) if row.own else {})


def wide(rows, level):
    return Ratings.from_wide(rows, scale=VerbalScale([1, 2, 3], level=level))


def long(rows, level):
    cells = [(i, f"judge {j}", x) for i, row in enumerate(rows) for j, x in enumerate(row)]
    item, judge, rating = (list(column) for column in zip(*cells, strict=True))
    if all(x is None for x in rating):
        rating = [math.nan] * len(rating)
    frame = {"item": item, "judge": judge, "rating": rating}
    return Ratings(frame, scale=VerbalScale([1, 2, 3], level=level))


DOORS = {"wide": wide, "long": long}


def estimates(row, ratings, **more):
    found = function_of(row.name)(ratings, **options_of(row), **more)
    return list(found.values()) if isinstance(found, dict) else [found]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("situation", UNDEFINED)
@pytest.mark.parametrize("label", CASES)
def test_there_is_a_reason_or_a_true_share_for(label, situation, door):
    row = CASES[label]
    ratings = DOORS[door](UNDEFINED[situation], row.kind.level)
    if (row.variant, situation) in TRUE_SHARE:
        (found,) = estimates(row, ratings, rng=1)
        assert found.value == TRUE_SHARE[row.variant, situation]
        return
    with pytest.warns(UndefinedWarning) as caught:
        found = estimates(row, ratings, rng=1)
    assert {type(each.message) for each in caught} == {UndefinedWarning}
    for each in found:
        assert math.isnan(each.value)
        assert each.interval is None
        reason = each.notes[-1]
        assert len(reason.split()) > 3
        assert row.name == "fleiss_kappa_by_category" or REASONS[situation] in reason
        assert any(reason in str(warning.message) for warning in caught)
        assert "undefined" in str(each)
        json.dumps(each.to_dict(), allow_nan=False)


@pytest.mark.parametrize("label", CASES)
def test_no_judge_and_no_rating_left_has_a_reason_for(label):
    row = CASES[label]
    frame = {
        "item": [1, 1, 2, 2],
        "judge": ["A", "B", "A", "B"],
        "rating": [1, 2, 2, 2],
        "system": ["x", "x", "y", "y"],
        "group": ["g", "g", "h", "h"],
    }
    scale = VerbalScale([1, 2, 3], level=row.kind.level)
    nothing = Ratings(frame, scale=scale).select(system="x", group="h")
    with pytest.warns(UndefinedWarning):
        found = estimates(row, nothing, rng=1)
    assert all(math.isnan(each.value) for each in found)
    assert all(each.n_ratings == 0 for each in found)


# A constant judge: A says 1 2 3 1 and B always 2. Two items: 1 1 and 3 2. One item: 1 2.

CONSTANT = [[1, 2], [2, 2], [3, 2], [1, 2]]
TWO_ITEMS = [[1, 1], [3, 2]]
ONE_ITEM = [[1, 2]]
NAN = "undefined"

BY_HAND = {
    "percent_agreement": (F(1, 4), F(1, 2), 0),
    "percent_agreement (pairs)": (F(1, 4), F(1, 2), 0),
    "percent_agreement (tolerance)": (1, 1, 1),
    "cohen_kappa": (0, F(1, 3), 0),
    "light_kappa": (0, F(1, 3), 0),
    "conger_kappa": (0, F(1, 3), 0),
    "scott_pi": (F(-7, 17), F(1, 5), -1),
    "fleiss_kappa": (F(-7, 17), F(1, 5), -1),
    "fleiss_kappa (pooled)": (F(-7, 17), F(1, 5), -1),
    "brennan_prediger": (F(-1, 8), F(1, 4), F(-1, 2)),
    "gwet_ac1": (F(-1, 47), F(3, 11), F(-1, 3)),
    "krippendorff_alpha (nominal)": (F(-4, 17), F(2, 5), 0),
    "cohen_kappa (weighted, linear)": (0, F(1, 2), 0),
    "cohen_kappa (weighted, quadratic)": (0, F(2, 3), 0),
    "light_kappa (weighted)": (0, F(2, 3), 0),
    "conger_kappa (weighted)": (0, F(1, 2), 0),
    "scott_pi (weighted)": (F(-1, 23), F(7, 11), -1),
    "fleiss_kappa (weighted)": (F(-1, 23), F(7, 11), -1),
    # Quadratic weights add up to 6: Pe is 6/9, or 6/6 times the sum of p (1 - p).
    "brennan_prediger (weighted)": (F(7, 16), F(5, 8), F(1, 4)),
    "gwet_ac2 (quadratic)": (F(3, 5), F(2, 3), F(1, 2)),
    # Linear weights add up to 5, so Pe is 5/6 of the sum of p (1 - p).
    "gwet_ac2 (linear)": (
        (F(5, 8) - F(5, 6) * F(17, 32)) / (1 - F(5, 6) * F(17, 32)),
        (F(3, 4) - F(5, 6) * F(5, 8)) / (1 - F(5, 6) * F(5, 8)),
        (F(1, 2) - F(5, 12)) / (1 - F(5, 12)),
    ),
    "krippendorff_alpha (ordinal)": (F(35, 504), F(5, 6), 0),
    "krippendorff_alpha (interval)": (F(2, 23), F(8, 11), 0),
    "krippendorff_alpha (ratio)": (
        1 - 7 * (F(2, 9) + F(1, 25)) / (F(10, 9) + F(1, 5) + F(1, 2)),
        1 - 3 * F(1, 25) / (F(2, 9) + F(1, 25) + F(1, 2)),
        0,
    ),
    "goodman_kruskal_gamma": (NAN, 1, NAN),
    "goodman_kruskal_gamma (pooled)": (NAN, 1, NAN),
    # Items 1 2 and 3 2 go up together in two of four arrangements and tie in the others (twice);
    # the two items 1 2 contradict each other in two of four: C is 1 and D a half.
    "exchangeable_gamma": (F(1, 3), 1, NAN),
    "kendall_tau_b": (NAN, 1, NAN),
    # Two items, two ratings of each judge: 2 m (C - D) / (n² (m - 1)) with m and n both 2.
    "kendall_tau_c": (NAN, 1, NAN),
    "spearman": (NAN, 1, NAN),
    "pearson": (NAN, 1, NAN),
    "pearson (fisher-z)": (NAN, 1, NAN),
    "kendall_w": (F(1, 2), 1, NAN),
    # Without the correction the denominator is 4 (64 - 4) for four items, 4 (8 - 2) for two.
    "kendall_w (ties ignored)": (F(54, 240), 1, NAN),
    "fisher_icc": (F(-1, 23), F(7, 11), NAN),
    # Mean squares: items 11/24, within 3/8, judges 1/8, error 11/24; two items 9/4, 1/4, 1/4, 1/4.
    "icc (1,1)": (F(1, 10), F(4, 5), NAN),
    "icc (1,k)": (F(2, 11), F(8, 9), NAN),
    "icc (2,1)": (0, F(4, 5), NAN),
    "icc (2,k)": (0, F(8, 9), NAN),
    "icc (3,1)": (0, F(4, 5), NAN),
    "icc (3,k)": (0, F(8, 9), NAN),
    "cronbach_alpha": (0, F(8, 9), NAN),
    "cronbach_alpha (standardised)": (NAN, 1, NAN),
}

SMALL = {"a constant judge": CONSTANT, "two items": TWO_ITEMS, "one item": ONE_ITEM}
HAND = [
    (label, situation, value)
    for label, values in BY_HAND.items()
    for situation, value in zip(SMALL, values, strict=True)
]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("label", "situation", "expected"), HAND, ids=[f"{a} of {b}" for a, b, _ in HAND]
)
def test_hand_arithmetic_gives_the_same(label, situation, expected, door):
    row = CASES[label]
    ratings = DOORS[door](SMALL[situation], row.kind.level)
    if expected == NAN:
        with pytest.warns(UndefinedWarning):
            (found,) = estimates(row, ratings, rng=1)
        assert math.isnan(found.value)
        assert found.interval is None
    else:
        (found,) = estimates(row, ratings, rng=1)
        assert found.value == pytest.approx(float(expected), abs=1e-9, rel=0)


@pytest.mark.parametrize("label", ["goodman_kruskal_gamma", "kendall_tau_b", "spearman", "pearson"])
def test_a_constant_judge_is_named(label):
    with pytest.warns(UndefinedWarning, match="2 gave every item the same rating"):
        estimates(CASES[label], wide(CONSTANT, "interval"))


def test_only_two_pairs_of_judges_with_common_items_make_the_mean():
    """A and B share three items, C and D three others; they agree on 2 of 3 and on 3 of 3."""
    rows = [[1, 1, NONE, NONE], [2, 2, NONE, NONE], [1, 2, NONE, NONE]]
    rows += [[NONE, NONE, 1, 1], [NONE, NONE, 2, 2], [NONE, NONE, 1, 1]]
    ratings = wide(rows, "nominal")
    assert covary.percent_agreement(ratings, interval=None).value == pytest.approx(5 / 6)
    light = covary.light_kappa(ratings, interval=None)
    assert light.value == pytest.approx((2 / 5 + 1) / 2)  # Po 2/3, Pe 4/9; and 1
    assert [pair["items"] for pair in light.details["pairs"]] == [3, 3]


def test_undefined_pairs_of_judges_are_counted_and_left_out_of_the_mean():
    rows = [[1, 1, 2], [2, 2, 2], [3, 3, 2], [1, 2, 2]]
    found = covary.goodman_kruskal_gamma(wide(rows, "ordinal"), interval=None)
    assert found.value == 1.0  # pairs of A and B: all concordant or tied; C is constant
    assert any("undefined for 2 of 3 pairs of judges" in note for note in found.notes)


SCARCE = {
    **UNDEFINED,
    **SMALL,
    "perfect agreement": [[1, 1], [2, 2], [3, 3], [1, 1]],
    "perfect disagreement": [[1, 3], [3, 1], [1, 3], [3, 1]],
    "two items alike": [[1, 1], [1, 1]],
    "one item differs": [[2, 2], [2, 2], [2, 2], [2, 3]],
}


ONE_WAY = {"icc", "kendall_w", "cronbach_alpha", "exchangeable_gamma"}
NOT_SMOOTHED = {"icc", "cronbach_alpha", "kendall_tau_c"}


@pytest.mark.parametrize("situation", SCARCE)
@pytest.mark.parametrize("label", CASES)
def test_every_interval_of_scarce_ratings_is_an_interval_or_says_why_not(label, situation):
    row = CASES[label]
    ratings = wide(SCARCE[situation], row.kind.level)
    for method in METHODS:
        if method == "two-way" and row.name in ONE_WAY:
            continue  # refused, because no judge can be left out
        if method == "tilted" and row.name in NOT_SMOOTHED:
            continue  # refused, because their limits are exact or would take long
        if method == "hughes" and row.name != "krippendorff_alpha":
            continue  # refused, because it is alpha's own
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedWarning)
            found = estimates(row, ratings, interval=method, resamples=30, rng=1)
        for each in found:
            assert_honest(each)


def assert_honest(found):
    """No interval of an undefined value; else one with ends in order, or a note that none fits."""
    if not found.defined:
        assert found.interval is None
    elif math.isnan(found.interval.low) or math.isnan(found.interval.high):
        assert any("interval" in note for note in found.notes)
    else:
        assert found.interval.low <= found.interval.high
    json.dumps(found.to_dict(), allow_nan=False)


INDICES = {"prevalence_index": 1.0, "bias_index": 0.0}


@pytest.mark.parametrize("name", INDICES)
def test_the_indices_of_one_category_are_counted(name):
    ratings = Ratings.from_wide([[2, 2], [2, 2]], scale="1-2")
    assert getattr(covary, name)(ratings).value == INDICES[name]


@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("situation", ["nothing rated", "every item rated once"])
def test_the_indices_are_undefined_without_common_items(name, situation):
    rows = [[min(x or 2, 2) if x else None for x in row] for row in UNDEFINED[situation]]
    with pytest.warns(UndefinedWarning):
        found = getattr(covary, name)(Ratings.from_wide(rows, scale="1-2"))
    assert math.isnan(found.value)
    assert found.notes


def test_every_coefficient_went_through():
    assert public_coefficients() <= {row.name for row in TABLE}
    by_hand = set(BY_HAND) | {row.label for row in TABLE if "own" in row.label}
    left = set(CASES) - by_hand
    assert left == {
        "fleiss_kappa_by_category",
        "cohen_kappa (weighted, ordinal)",
        "cohen_kappa (weighted, radical)",
        "cohen_kappa (weighted, ratio)",
        "fleiss_kappa (weighted, pooled)",
    }


def test_judges_who_share_single_items_are_said_to_and_not_called_tied():
    """Ann and Bo rated b, Bo and Cy rated c: nobody ordered two items that another ordered too."""
    ratings = Ratings.from_wide(
        [[1, None, None], [2, 1, None], [None, 3, 2], [None, None, 1]], level="ordinal"
    )
    with pytest.warns(UndefinedWarning, match="no two judges rated two items in common"):
        found = covary.goodman_kruskal_gamma(ratings, combine="pooled", interval=None)
    assert math.isnan(found.value)
