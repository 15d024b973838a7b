"""Numbers of ratings, items that are several texts, and use of the scale."""

import numpy as np
import pytest

from covary import Ratings, VerbalScale, VisualScale
from tests.analysis.forensic_studies import codes, judged, study, systems, the


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


@pytest.mark.parametrize("column", ["system", "source"])
def test_one_item_name_for_the_texts_of_several_systems_is_serious(column):
    """A judge saw another system's text under the same name: a Latin square by source."""
    values = judged(60, 4)
    shown = np.array(
        [[f"s{(item + judge) % 4}" for judge in range(4)] for item in range(60)], object
    )
    found = the("merged-conditions", study(values, **{column: shown.tolist()}))
    assert found.seriousness == "serious"
    assert (found.data["column"], found.data["merged"], found.data["items"]) == (column, 60, 60)


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
