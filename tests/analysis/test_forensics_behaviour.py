"""Judges who copy, rate without variation, straight-line or answer before they can read."""

import numpy as np
import pytest

from covary import Ratings
from tests.analysis.forensic_studies import codes, judged, study, the


@pytest.mark.parametrize("points", [5, 0], ids=["categories", "line"])
def test_a_judge_who_copies_another_is_serious(points):
    values = judged(100, 4, points=points)
    values[:, 2] = values[:, 0]
    values[7, 2] = values[7, 1]
    found = the("copying-judge", study(values, scale="1-5" if points else "0-100"))
    assert found.seriousness == "serious"
    assert found.data["judges"] == ["Ann", "Cy"]
    assert found.data["common"] == 100
    assert found.data["equal"] >= 99


def test_two_good_judges_of_one_severity_among_strict_ones_are_no_copies():
    values = judged(200, 4, noise=0.25)
    values[:, 2] = np.clip(values[:, 2] - 1, 1, 5)
    values[:, 3] = np.clip(values[:, 3] + 1, 1, 5)
    assert "copying-judge" not in codes(study(values))


def test_judges_who_all_agree_almost_always_are_no_copies():
    assert "copying-judge" not in codes(study(judged(200, 4, noise=0.05)))


def test_a_copy_of_nineteen_items_is_too_short_to_tell():
    values = judged(19, 4)
    values[:, 2] = values[:, 0]
    assert "copying-judge" not in codes(study(values))


def test_two_identical_judges_without_a_third_are_only_worth_a_look():
    values = judged(50, 2)
    values[:, 1] = values[:, 0]
    assert the("copying-judge", study(values)).seriousness == "look"
    values[0, 1] = values[0, 0] % 5 + 1
    assert "copying-judge" not in codes(study(values))


def test_judges_who_are_equal_because_one_category_dominates_are_no_copies():
    values = np.ones((60, 4))
    values[0] = 2
    values[1:5, 2] = values[6:11, 3] = 2
    assert "copying-judge" not in codes(study(values, scale="1-3"))


def test_a_judge_with_one_rating_throughout_is_serious():
    values = judged(60, 4)
    values[:, 1] = 3
    found = the("constant-judge", study(values))
    assert found.seriousness == "serious"
    assert (found.data["judge"], found.data["rating"], found.data["ratings"]) == ("Bo", 3, 60)


def test_a_judge_who_varied_once_is_not_constant_but_narrow():
    values = judged(60, 4)
    values[:, 1] = 3
    values[10, 1] = 4
    found = codes(study(values))
    assert "constant-judge" not in found
    assert "narrow-judge" in found


def test_a_judge_who_is_constant_like_nearly_everybody_is_not_reported():
    values = np.ones((60, 4))
    values[:4, 0] = values[3:6, 2] = 2
    assert "constant-judge" not in codes(study(values, scale="1-3"))


def test_a_constant_judge_of_nine_items_is_not_reported():
    values = judged(60, 4)
    values[9:, 1] = np.nan
    values[:9, 1] = 3
    assert "constant-judge" not in codes(study(values))


def test_a_judge_who_only_uses_the_middle_of_the_scale_is_not_narrow():
    values = judged(100, 4)
    values[:, 1] = np.clip(values[:, 1], 2, 4)
    assert "narrow-judge" not in codes(study(values))


def in_random_order(values, seed=3):
    return np.argsort(np.random.default_rng(seed).random(values.shape), axis=0)


def test_a_judge_who_gave_one_rating_for_the_second_half_is_serious_if_the_order_is_known():
    values = judged(100, 3)
    order = in_random_order(values)
    values[order[:, 1] >= 45, 1] = 3
    found = the("straight-lining", study(values, order=order))
    assert found.seriousness == "serious"
    assert found.data["judge"] == "Bo"
    assert found.data["run"] >= 55


def test_without_a_known_order_a_run_in_the_file_is_worth_a_look():
    values = judged(100, 3)
    values[45:, 1] = 3
    assert the("straight-lining", study(values)).seriousness == "look"


def test_a_run_over_items_that_all_judges_rated_alike_is_no_straight_lining():
    values = judged(200, 3)
    values[120:160] = 3
    values[120:160, 2] = 4
    assert "straight-lining" not in codes(study(values))


def test_a_file_sorted_by_a_judges_rating_is_no_straight_lining():
    values = judged(200, 3, noise=1.5)
    assert "straight-lining" not in codes(study(values[np.argsort(values[:, 0])]))


def test_a_run_of_nine_is_no_straight_lining():
    values = judged(200, 3)
    values[50:59, 1] = 3
    values[49, 1] = values[59, 1] = 1
    assert "straight-lining" not in codes(study(values))


def test_a_judge_who_answers_in_half_a_second_is_serious():
    values = judged(60, 3)
    seconds = np.random.default_rng(4).lognormal(2.5, 0.4, values.shape)
    seconds[:40, 2] = 0.5
    found = the("impossible-times", study(values, seconds=seconds))
    assert found.seriousness == "serious"
    assert found.data == {"Cy": {"short": 40, "timed": 60}}


def test_a_judge_who_slips_now_and_then_is_not_reported():
    values = judged(60, 3)
    seconds = np.full(values.shape, 8.0)
    seconds[:5, 2] = 0.5
    seconds[6:, 2] = 1.0
    assert "impossible-times" not in codes(study(values, seconds=seconds))


def test_times_in_another_unit_are_one_note_and_accuse_nobody():
    values = judged(60, 3)
    found = codes(study(values, seconds=np.full(values.shape, 0.2)))
    assert "unit-of-times" in found
    assert "impossible-times" not in found


def test_negative_times_are_counted_and_missing_times_are_not_times():
    values = judged(60, 3)
    seconds = np.full(values.shape, 8.0)
    seconds[:3, 0] = -2
    seconds[3:20, 1] = np.nan
    found = the("negative-times", study(values, seconds=seconds))
    assert found.data == {"negative": 3, "timed": 163}


def test_slots_have_no_habits():
    values = judged(100, 4)
    values[:, 2] = values[:, 0]
    values[:, 3] = 3
    found = codes(Ratings.from_wide(values, scale="1-5", judges="slots"))
    assert not {"copying-judge", "constant-judge", "narrow-judge", "straight-lining"} & set(found)
