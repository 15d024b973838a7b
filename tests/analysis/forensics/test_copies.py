"""Judges who copy another, wholly or in part, and accounts that are one person."""

import numpy as np
import pytest

from covary import Ratings
from covary.analysis.forensics import check
from tests.analysis.forensics.studies import NAMES, codes, judged, study, the


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


def test_five_accounts_with_the_same_answers_are_one_finding():
    """Five adjacent ids give 40 identical answers each: ten pairs, 400 pairs of ratings."""
    values = judged(40, 12, noise=0.9)
    values[:, 4:9] = values[:, [4]]
    names = [f"A{number:02}" for number in range(12)]
    found = the("copying-judge", study(values, names=names))
    assert found.seriousness == "serious"
    assert found.data["judges"] == names[4:9]
    assert (found.data["pairs"], found.data["equal"], found.data["common"]) == (10, 400, 400)
    assert found.data["adjacent"]


def test_two_circles_of_accounts_are_two_findings():
    values = judged(60, 9, noise=0.9)
    values[:, [0, 1]] = values[:, [0]]
    values[:, [5, 6, 7]] = values[:, [5]]
    names = [*NAMES, "Hal", "Ida"]
    found = [each.data["judges"] for each in check(study(values, names=names))]
    assert [judges for judges in found if judges in (["Ann", "Bo"], ["Flo", "Gus", "Hal"])]


def copied_in_part(share: float, *, points: int = 5, seed: int = 0) -> np.ndarray:
    values, draw = judged(150, 4, points=points, seed=seed), np.random.default_rng(seed + 50)
    chosen = draw.random(150) < share
    values[chosen, 2] = values[chosen, 0]
    return values


def test_a_judge_who_copied_most_answers_is_worth_a_look():
    found = [the("copying-judge", study(copied_in_part(0.75, seed=seed))) for seed in range(4)]
    assert {each.variant for each in found} == {"partly"}
    assert {each.seriousness for each in found} == {"look"}
    assert all(abs(each.data["copied"] - 0.75) < 0.25 for each in found)


def test_on_a_line_a_third_of_the_answers_is_enough_to_be_serious():
    found = the("copying-judge", study(copied_in_part(0.33, points=0), scale="0-100"))
    assert found.seriousness == "serious"
    assert abs(found.data["copied"] - 0.33) < 0.1


def test_two_careful_judges_among_careless_ones_are_no_copies():
    for seed in range(8):
        draw = np.random.default_rng(seed)
        noise = np.array([0.3, 1.0, 0.3, 1.0])
        seen = draw.normal(size=(200, 1)) + noise * draw.normal(size=(200, 4))
        assert "copying-judge" not in codes(study(np.clip(np.round(3 + seen), 1, 5)))


@pytest.mark.parametrize("judges", [4, 8, 12, 20])
def test_an_exact_copy_of_24_answers_is_found_among_however_many_judges(judges):
    """In one study in ten, another pair happens to be nearly as much alike."""
    names, found = [f"A{number:02}" for number in range(judges)], 0
    for seed in range(10):
        values = judged(24, judges, seed=seed)
        values[:, -1] = values[:, 1]
        copies = [each for each in check(study(values, names=names)) if each.code.startswith("cop")]
        found += [each.about["judges"] for each in copies] == [("A01", names[-1])]
    assert found >= 9


def on_three_criteria(values: np.ndarray) -> Ratings:
    """Items × judges × criteria as ratings."""
    item, judge, criterion = (axis.ravel() for axis in np.indices(values.shape))
    names = np.array([f"A{number:02}" for number in range(values.shape[1])], dtype=object)
    return Ratings(
        {
            "item": item,
            "judge": names[judge],
            "criterion": np.array(["clear", "fluent", "true"], dtype=object)[criterion],
            "rating": values.ravel(),
        },
        scale="1-5",
    )


def agreeing(seed: int) -> np.ndarray:
    """Twelve judges who agree so well that 22 equal answers alone are hardly strange."""
    return np.stack([judged(22, 12, noise=0.3, seed=seed + 100 * c) for c in range(3)], axis=2)


def test_a_copy_on_three_short_criteria_is_serious_when_they_are_looked_at_together():
    for seed in range(6):
        values = agreeing(seed)
        values[:, 9] = values[:, 4]
        found = the("copying-judge", on_three_criteria(values))
        assert (found.seriousness, found.about["judges"]) == ("serious", ("A04", "A09"))
        alone = check(study(values[:, :, 0], names=range(12))).serious
        assert "copying-judge" not in [each.code for each in alone]


def test_who_answers_all_criteria_alike_is_no_copy():
    """A halo makes three criteria one: the same 22 answers stand there three times."""
    for seed in range(20):
        values = np.repeat(agreeing(seed)[:, :, :1], 3, axis=2)
        assert "copying-judge" not in codes(on_three_criteria(values))
