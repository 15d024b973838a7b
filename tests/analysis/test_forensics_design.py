"""Who rated what: confounding, unconnected judges, thin pairs, many judges."""

import numpy as np
import pytest

from covary import Ratings
from covary.analysis.forensics import check
from covary.analysis.forensics.pairs import count_pairs
from tests.analysis.forensic_studies import codes, judged, study, systems, the


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
