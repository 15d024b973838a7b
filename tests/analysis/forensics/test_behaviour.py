"""Judges who rate without variation, straight-line or answer before they can read."""

import numpy as np
import pytest

from covary import Ratings
from covary.analysis.forensics.behaviour import chance_of_run
from tests.analysis.forensics.studies import codes, judged, study, the


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


@pytest.mark.parametrize(
    ("used", "length", "share"),
    [
        # Agresti and Coull: (18 + 2) / (96 + 4) = .2, and .2 + 2 sqrt(.2 x .8 / 100) = .28
        (18, 10, 0.28),
        # (48 + 2) / (96 + 4) = .5, and .5 + 2 sqrt(.5 x .5 / 100) = .6
        (48, 12, 0.6),
    ],
)
def test_the_chance_of_a_run_rests_on_an_upper_bound_of_the_categorys_share(used, length, share):
    rest = np.arange(96) < used
    # a run may begin at any of the judge's ratings
    assert chance_of_run(rest, length) == pytest.approx((96 + length) * share**length)


def test_a_category_that_is_not_used_elsewhere_proves_little_where_there_is_little_elsewhere():
    # (0 + 2) / (21 + 4) = .08, and .08 + 2 sqrt(.08 x .92 / 25) = .1885170...
    assert chance_of_run(np.zeros(21, dtype=bool), 10) == pytest.approx(31 * 0.18851728**10)
    assert chance_of_run(np.zeros(19, dtype=bool), 10) == 1.0  # of 29 ratings nothing is said


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


def test_times_that_covary_measured_are_seconds_however_short_they_are():
    """54 answers in .45 s, but for one; nobody can have read what was rated."""
    values = judged(54, 3)
    seconds = np.full(values.shape, 0.45)
    seconds[0] = 4.0
    ratings = study(values, seconds=seconds).with_measured_times()
    assert "unit-of-times" not in codes(ratings)
    found = the("impossible-times", ratings.anonymous().without(item=0))
    assert found.seriousness == "serious"
    assert list(found.data.values()) == [{"short": 53, "timed": 53}] * 3


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


def test_what_holds_for_several_judges_is_one_finding_and_each_keeps_its_numbers():
    values = judged(60, 6)
    values[:, 1], values[:, 4] = 3, 4
    found = the("constant-judge", study(values))
    assert found.data["judges"] == ["Bo", "Ed"]
    assert found.data["by_judge"]["Ed"]["rating"] == 4
    assert "'Bo' and 'Ed'" in found.title
    assert "'Bo': All 60 ratings are 3" in found.evidence
