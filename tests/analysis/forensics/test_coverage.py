"""Who rated what on which part of the scale: counts, confounding, thin pairs, categories."""

import numpy as np
import pytest

from covary import Ratings, VerbalScale, VisualScale
from covary.analysis.forensics import check
from covary.analysis.forensics.sheet import count_pairs
from covary.errors import RatingsError
from tests.analysis.forensics.studies import codes, judged, study, systems, the


def test_items_with_one_rating_are_a_note_and_many_of_them_worth_a_look():
    values = judged(100, 3)
    values[:5, 1:] = np.nan
    found = the("single-ratings", study(values))
    assert (found.seriousness, found.data) == ("note", {"single": 5, "items": 100})
    values[:20, 1:] = np.nan
    assert the("single-ratings", study(values)).seriousness == "look"


def test_items_with_two_ratings_are_no_single_ones():
    values = judged(100, 3)
    values[:50, 2] = np.nan
    assert "single-ratings" not in codes(study(values))


def three_of_five() -> np.ndarray:
    values = judged(100, 5)
    for item in range(100):
        values[item, [item % 5, (item + 2) % 5]] = np.nan
    return values


def test_items_with_more_ratings_than_planned_are_found():
    values = three_of_five()
    values[:4] = 3
    found = the("over-collected", study(values))
    assert found.seriousness == "look"
    assert found.data == {"usual": 3, "more": 4, "most": 5, "items": 100}


def test_numbers_of_ratings_without_a_plan_are_not_over_collected():
    values = judged(100, 5)
    values[np.random.default_rng(3).random(values.shape) < 0.3] = np.nan
    assert "over-collected" not in codes(study(values))
    assert "over-collected" not in codes(study(three_of_five()))


def test_a_judge_with_nine_ratings_is_noted_and_one_with_ten_is_not():
    values = judged(90, 3)
    values[9:, 1] = np.nan
    assert the("few-ratings", study(values)).data["ratings"] == [["Bo", 9]]
    values[9, 1] = 3
    assert "few-ratings" not in codes(study(values))


def test_a_small_study_has_no_judges_with_few_ratings():
    assert "few-ratings" not in codes(study(judged(8, 3)))


def test_one_item_name_for_the_texts_of_several_sources_is_serious():
    """A judge saw another text under the same name: a Latin square by source."""
    values = judged(60, 4)
    shown = np.array(
        [[f"s{(item + judge) % 4}" for judge in range(4)] for item in range(60)], object
    )
    found = the("merged-conditions", study(values, source=shown.tolist()))
    assert found.seriousness == "serious"
    assert (found.data["column"], found.data["merged"], found.data["items"]) == ("source", 60, 60)


def test_an_item_under_several_systems_is_an_output_of_each_and_nothing_is_merged():
    values = judged(60, 4)
    shown = [[f"s{(item + judge) % 4}" for judge in range(4)] for item in range(60)]
    assert "merged-conditions" not in codes(study(values, system=shown))


def test_items_with_one_system_each_are_not_merged():
    assert "merged-conditions" not in codes(study(judged(60, 4), system=systems(60)))


def test_the_share_of_missing_ratings_is_noted():
    """By hand: 12 of 30 × 4 = 120 cells."""
    values = judged(30, 4)
    values[:12, 3] = np.nan
    found = the("missing-ratings", study(values))
    assert (found.seriousness, found.data["missing"], found.data["cells"]) == ("note", 12, 120)
    assert found.data["share"] == pytest.approx(0.1)
    assert "missing-ratings" not in codes(study(judged(30, 4)))


def test_rows_without_a_rating_are_counted():
    columns = {"item": [1, 1, 2, 2], "judge": ["a", "b"] * 2, "rating": [1, 2, None, 3]}
    assert the("missing-ratings", Ratings(columns, scale="1-3")).data["empty"] == 1


def test_ratings_off_the_scale_and_duplicates_that_were_set_aside_are_serious():
    columns = {
        "item": [1, 1, 2, 2, 2, 3, 3], "judge": ["a", "b", "a", "b", "b", "a", "b"],
        "rating": [1, 2, 7, 3, 3, 2, 2],
    }  # fmt: skip
    ratings = Ratings(columns, scale="1-3", faulty="set-aside")
    assert the("off-scale", ratings).data["count"] == 1
    assert the("duplicates", ratings).data["count"] == 1
    assert {the(code, ratings).seriousness for code in ("off-scale", "duplicates")} == {"serious"}


def test_a_form_sent_twice_makes_no_item_look_rated_by_one_judge():
    columns = {"item": [1, 1, 2, 2, 1, 2], "judge": ["a", "b", "a", "b", "b", "b"]}
    ratings = Ratings(columns | {"rating": [1, 2, 3, 3, 2, 3]}, scale="1-3", faulty="set-aside")
    assert not {"single-ratings", "missing-ratings"} & set(codes(ratings))


@pytest.mark.parametrize(
    ("given", "finer"),
    [
        ([1, 2.5, 3], "1,1.5,2,2.5,3"),
        ([1, 2.25, 3], "1,1.25,1.5,1.75,2,2.25,2.5,2.75,3"),
        ([1, 2.1, 3], "1.0-3.0"),
    ],
)
def test_ratings_between_the_points_name_the_finer_scale(given, finer):
    columns = {"item": [1, 2, 3], "judge": ["a"] * 3, "rating": given}
    found = the("off-scale", Ratings(columns, scale="1-3", faulty="set-aside"))
    assert (found.variant, found.detail["finer"]) == ("between", finer)
    with pytest.raises(RatingsError) as refused:
        Ratings(columns, scale="1-3")
    assert refused.value.code == "ratings.between-points"
    assert Ratings(columns, scale=finer).n_ratings == 3


def test_a_rating_beyond_the_ends_is_not_between_the_points():
    columns = {"item": [1, 2, 3], "judge": ["a"] * 3, "rating": [1, 2.5, 4]}
    found = the("off-scale", Ratings(columns, scale="1-3", faulty="set-aside"))
    assert found.variant == ""


def test_clean_ratings_that_may_be_set_aside_have_no_faults():
    columns = {"item": [1, 1, 2, 2], "judge": ["a", "b"] * 2, "rating": [1, 2, 3, 3]}
    found = codes(Ratings(columns, scale="1-3", faulty="set-aside"))
    assert not {"off-scale", "duplicates"} & set(found)


def test_an_end_of_the_scale_that_nobody_used_is_worth_a_look():
    values = np.clip(judged(100, 3), 1, 4)
    assert the("unused-end", study(values)).data["unused"] == [5]
    values[0, 0] = 5
    assert "unused-end" not in codes(study(values))


def test_a_category_between_the_ends_that_nobody_used_is_a_note():
    values = judged(100, 3)
    values[values == 3] = 2
    found = the("unused-category", study(values))
    assert (found.seriousness, found.data["unused"]) == ("note", [3])


def test_unordered_categories_have_no_ends():
    values = np.clip(judged(100, 3), 1, 4)
    nominal = VerbalScale(range(1, 6), level="nominal")
    found = codes(study(values, scale=nominal))
    assert "unused-end" not in found
    assert "unused-category" in found


def test_a_line_of_which_only_a_part_was_used_is_worth_a_look():
    values = judged(100, 3, points=0) / 10
    assert the("unused-end", study(values, scale=VisualScale())).data["unused"] == [100]
    assert "unused-end" not in codes(study(values, scale=VisualScale(0, 10)))


def test_a_scale_that_nobody_declared_has_no_unused_categories():
    values = judged(100, 3)
    values[values == 3] = 2
    assert not {"unused-end", "unused-category"} & set(codes(study(values, scale=None)))


def test_a_category_used_once_in_500_ratings_is_a_stray_and_in_499_is_not():
    values = np.clip(judged(125, 4), 1, 4)
    values[17, 2] = 5
    found = the("stray-category", study(values))
    assert (found.data["category"], found.data["times"], found.data["rows"]) == (5, 1, [[17, "Cy"]])
    values[0, 0] = np.nan
    assert "stray-category" not in codes(study(values))


def test_one_number_far_beyond_all_others_is_a_stray_also_in_few_ratings():
    values = judged(10, 3)
    values[4, 1] = 44
    found = the("stray-category", study(values, scale=None))
    assert (found.data["category"], found.data["rows"]) == (44, [[4, "Bo"]])
    values[4, 1] = 6  # a scale may well go on to 6
    assert "stray-category" not in codes(study(values, scale=None))
    values[:3, 0] = 44  # three times is no slip of the finger
    assert "stray-category" not in codes(study(values, scale=None))


def test_numbers_that_grow_by_a_factor_are_no_strays():
    values = 2.0 ** np.arange(60).reshape(20, 3).clip(max=6)
    values[19, 2] = 128
    assert "stray-category" not in codes(study(values, scale=None))


def test_a_rare_category_is_not_a_stray():
    values = np.clip(judged(500, 4), 1, 4)
    values[:6, 2] = 5
    assert "stray-category" not in codes(study(values))


def test_nineteen_of_twenty_ratings_in_one_category_are_a_note():
    values = np.ones((50, 4))
    values[:10, 0] = 2
    assert the("dominating-category", study(values, scale="1-2")).data["share"] == 0.95
    values[10, 0] = 2
    assert "dominating-category" not in codes(study(values, scale="1-2"))


def bound(severity: float) -> Ratings:
    """Four judges, 200 items; Ann rated nothing of system a, Di nothing of system d."""
    values = judged(200, 4)
    values[0::4, 0] = values[3::4, 3] = np.nan
    values[:, 0] = np.clip(values[:, 0] + severity, 1, 5)
    return study(values, system=systems(200))


def test_severe_judges_who_left_out_a_system_are_serious_confounding():
    found = the("judge-system-confounding", bound(1))
    assert found.seriousness == "serious"
    assert found.data["holes"] == [["Ann", "a", 0], ["Di", "d", 0]]
    assert found.data["ratings"]["Ann"] == {"a": 0, "b": 50, "c": 50, "d": 50}


def test_equally_severe_judges_who_left_out_a_system_are_worth_a_look():
    assert the("judge-system-confounding", bound(0)).seriousness == "look"


def test_judges_who_each_rated_random_items_of_all_systems_are_not_confounded():
    draw = np.random.default_rng(8)
    values = judged(300, 6, severity=1)
    values[draw.random(values.shape) < 0.6] = np.nan
    assert "judge-system-confounding" not in codes(study(values, system=systems(300)))


def test_a_system_with_half_as_many_ratings_by_one_judge_is_no_hole():
    values = judged(200, 4, severity=1)
    values[0:100:4, 0] = np.nan
    assert "judge-system-confounding" not in codes(study(values, system=systems(200)))


def test_severities_are_those_of_the_additive_model_on_common_items():
    """By hand: b is 1 above a and c is 2 above b on common items; around 0: -4/3, -1/3, 5/3."""
    unit = np.array([0, 0, 1, 1, 2, 2])
    judge = np.array([0, 1, 0, 1, 1, 2])
    rating = np.array([1.0, 2, 3, 4, 1, 3])
    pairs = count_pairs(unit, judge, rating, 3)
    assert pairs.severity == pytest.approx([-4 / 3, -1 / 3, 5 / 3])
    assert pairs.common.tolist() == [[0, 2, 0], [2, 0, 1], [0, 1, 0]]
    assert pairs.above.tolist() == [[0, 2, 0], [0, 0, 1], [0, 0, 0]]


def test_correlations_of_pairs_are_those_of_numpy():
    values = judged(40, 3, points=0)
    values[::5, 1] = np.nan
    item, judge = np.nonzero(~np.isnan(values))
    pairs = count_pairs(item, judge, values[item, judge], 3)
    both = ~np.isnan(values[:, 1])
    assert pairs.correlation[0, 1] == pytest.approx(
        np.corrcoef(values[both, 0], values[both, 1])[0, 1]
    )
    assert pairs.correlation[0, 2] == pytest.approx(np.corrcoef(values[:, 0], values[:, 2])[0, 1])


def two_groups() -> np.ndarray:
    values = judged(80, 4)
    values[:40, 2:] = values[40:, :2] = np.nan
    return values


def test_groups_of_judges_without_a_common_item_are_named():
    found = the("unconnected-judges", study(two_groups()))
    assert found.seriousness == "look"
    assert found.data["groups"] == [["Ann", "Bo"], ["Cy", "Di"]]


def test_unconnected_judges_who_rated_different_systems_are_serious():
    found = the("unconnected-judges", study(two_groups(), system=["a"] * 40 + ["b"] * 40))
    assert found.seriousness == "serious"
    assert found.data["systems_of_one_group"] == ["a", "b"]


def test_one_common_item_connects_judges():
    values = two_groups()
    values[0, 2] = 3
    assert "unconnected-judges" not in codes(study(values))


def test_a_long_chain_of_judges_is_connected():
    values = np.full((60, 61), np.nan)
    for item in range(60):
        values[item, item : item + 2] = 1 + item % 3
    assert "unconnected-judges" not in codes(study(values, names=[f"j{n:02}" for n in range(61)]))


def test_nine_common_items_are_too_few_and_ten_enough():
    values = judged(100, 3)
    values[9:50, 0] = values[50:, 1] = np.nan
    found = the("few-common-items", study(values))
    assert found.data["pairs"] == [["Ann", "Bo", 9]]
    values[9, 0] = 3
    assert "few-common-items" not in codes(study(values))


def test_with_more_than_200_judges_it_says_whom_it_did_not_compare():
    draw = np.random.default_rng(9)
    values = np.full((300, 250), np.nan)
    for item in range(300):
        values[item, draw.choice(250, 5, replace=False)] = draw.integers(1, 6, 5)
    found = {each.code: each for each in check(study(values, names=[f"p{n}" for n in range(250)]))}
    assert found["pairs-left-out"].data == {"judges": 250, "compared": 200}
    assert not [each for each in found.values() if each.seriousness == "serious"]


def test_one_judge_alone_is_said_to_give_no_agreement():
    columns = {"item": [1, 2, 3], "judge": ["a"] * 3, "rating": [1, 2, 3]}
    assert the("single-ratings", Ratings(columns, scale="1-3")).variant == "all"
