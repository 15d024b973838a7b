"""Can one judge's ratings be predicted from another's? Maps by hand, and by known truth."""

import numpy as np
import pytest

from covary import Ratings
from covary.analysis.judge_map import judge_maps
from covary.errors import InvalidArgument


def two(matrix, scale="1-5", **options):
    return Ratings.from_wide(matrix, scale=scale, judges=["Ann", "Bo"], **options)


def test_a_judge_who_is_stricter_throughout_predicts_the_other_without_error():
    ann, bo = judge_maps(two([[n + 1, n] for n in (1, 2, 3, 4)] * 3))
    assert (ann.judge, ann.other, ann.n_items) == ("Ann", "Bo", 12)
    assert (ann.error, ann.as_is, ann.gained) == (0.0, 1.0, 1.0)
    assert [(step.rating, step.mean, step.n_items) for step in bo.steps] == [
        (2, 1.0, 3),
        (3, 2.0, 3),
        (4, 3.0, 3),
        (5, 4.0, 3),
    ]


def test_each_item_is_predicted_from_the_others():
    """By hand: where Bo gives 1, Ann gives 1, 1, 1, 1, 2; where 2, she gives 3, 3, 3, 3, 4.

    Left out, a 1 is predicted by 5/4 and missed by 1/4, the 2 by 1 and missed by 1; so are 3 and
    4: the mean square is (8 x 1/16 + 2 x 1) / 10 = 1/4.
    """
    ann, _ = judge_maps(two([[1, 1]] * 4 + [[2, 1]] + [[3, 2]] * 4 + [[4, 2]]))
    assert ann.error == pytest.approx(0.5)
    # As it is: 4 x 0, 1, 4 x 1, 4, by 10; without Bo: mean 2.2, squares 11.6, by 10 x (10/9)^2.
    assert ann.as_is == pytest.approx(np.sqrt(0.9))
    assert ann.without == pytest.approx(np.sqrt(11.6 / 10) * 10 / 9)
    assert ann.gained == pytest.approx(1 - 0.25 / (11.6 / 10 * 100 / 81))


def test_the_interval_of_a_step_is_students():
    """1, 1, 1, 1, 2: mean 1.2, standard error .2, t(4) at .975 is 2.776445."""
    ann, _ = judge_maps(two([[1, 1]] * 4 + [[2, 1]] + [[3, 2]] * 4 + [[4, 2]]))
    assert (ann.steps[0].low, ann.steps[0].high) == pytest.approx(
        (1.2 - 0.2 * 2.776445, 1.2 + 0.2 * 2.776445), abs=1e-6
    )


def test_an_unrelated_judge_does_not_help():
    draw = np.random.default_rng(1)
    for map_ in judge_maps(two(draw.integers(1, 6, (300, 2)).tolist())):
        assert abs(map_.gained) < 0.05


def test_on_a_line_the_map_is_a_straight_line_and_its_error_that_of_items_left_out():
    """A simulation with known truth: Ann is 10 + Bo / 2 with noise of sd 3."""
    draw = np.random.default_rng(2)
    bo = draw.uniform(0, 100, 500)
    matrix = np.column_stack([10 + bo / 2 + draw.normal(0, 3, 500), bo]).clip(0, 100)
    ann, _ = judge_maps(two(matrix.tolist(), scale="0-100"))
    assert (ann.slope, ann.intercept) == pytest.approx((0.5, 10), abs=0.6)
    assert ann.error == pytest.approx(3, rel=0.1)
    assert ann.steps == ()
    left_out = []
    for item in range(500):
        rest = np.delete(matrix, item, axis=0)
        slope, intercept = np.polyfit(rest[:, 1], rest[:, 0], 1)
        left_out.append(matrix[item, 0] - intercept - slope * matrix[item, 1])
    assert ann.error == pytest.approx(np.sqrt(np.mean(np.square(left_out))))


def test_judges_with_fewer_than_ten_common_items_have_no_map():
    assert judge_maps(two([[1, 2]] * 5 + [[3, 2]] * 4)) == ()


def test_labels_without_an_order_and_slots_are_refused():
    with pytest.raises(InvalidArgument, match="no order"):
        judge_maps(two([["a", "b"]] * 12, scale=None, level="nominal"))
    slots = Ratings.from_wide([[1, 2]] * 12, scale="1-3", judges="slots")
    with pytest.raises(InvalidArgument, match="slots"):
        judge_maps(slots)
