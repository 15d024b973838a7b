"""Columns that are not judges: sorted within every item, or in most; numbered slots."""

import numpy as np
import pytest

from covary import Ratings, VisualScale, read
from covary.analysis.forensics import check
from tests.analysis.forensics.studies import codes, judged, study, the


@pytest.mark.parametrize("points", [5, 0], ids=["categories", "line"])
@pytest.mark.parametrize("order", [1, -1], ids=["ascending", "descending"])
def test_columns_sorted_within_every_item_are_serious(points, order):
    values = np.sort(judged(60, 4, points=points), axis=1)[:, ::order]
    found = the("sorted-columns", study(values, scale="1-5" if points else "0-100"))
    assert found.seriousness == "serious"
    assert found.data["order"] == ["Ann", "Bo", "Cy", "Di"][::order]


def test_the_moves_between_sorted_columns_are_counted():
    """By hand: 1 1 2 in 12 items and 1 2 2 in 9: twelve moves to the third, nine to the second."""
    values = np.array([[1, 1, 2]] * 12 + [[1, 2, 2]] * 9, dtype=float)
    links = the("sorted-columns", study(values, scale="1-3")).data["links"]
    assert [link["above"] for link in links] == [9, 12]


def test_sorted_columns_with_missing_ratings_at_the_end_are_found():
    values = np.sort(judged(80, 4), axis=1)
    values[::3, 3] = np.nan
    assert the("sorted-columns", study(values)).seriousness == "serious"


def test_one_item_against_the_order_is_enough_to_stay_silent():
    values = np.sort(judged(60, 3), axis=1)
    values[30] = [4, 3, 5]
    assert "sorted-columns" not in codes(study(values))


def test_a_severe_judge_whose_noise_goes_both_ways_is_no_sorting():
    values = judged(200, 3, noise=0.5, points=7)
    values[:, 0] = np.clip(values[:, 0] - 2, 1, 7)
    assert (values[:, 0] < values[:, 1]).mean() > 0.7
    assert "sorted-columns" not in codes(study(values, scale="1-7"))


def test_nineteen_moves_are_too_few_to_speak_of_sorting():
    values = np.array([[1, 1, 2]] * 10 + [[1, 2, 2]] * 9, dtype=float)
    assert "sorted-columns" not in codes(study(values, scale="1-3"))


def test_two_judges_of_whom_one_is_never_above_are_only_worth_a_look():
    values = np.sort(judged(80, 2), axis=1)
    found = the("sorted-columns", study(values))
    assert found.seriousness == "look"
    assert "stricter" in found.title


@pytest.mark.parametrize("points", [7, 0], ids=["categories", "line"])
def test_very_consistent_judges_of_different_severity_are_only_worth_a_look(points):
    values = judged(150, 1, points=points) + np.array([-1, 0, 1]) * (1 if points else 8)
    values += np.random.default_rng(4).normal(0, 0 if points else 1, values.shape)
    ratings = study(values, scale="0-8" if points else VisualScale(-50, 150))
    assert the("sorted-columns", ratings).seriousness == "look"


def test_sorted_slots_are_only_a_note():
    ratings = Ratings.from_wide(np.sort(judged(60, 3), axis=1), scale="1-5", judges="slots")
    assert the("sorted-columns", ratings).seriousness == "note"


def filled_from_the_left(items: int = 60) -> np.ndarray:
    values = judged(items, 4)
    for item, ratings in enumerate(np.random.default_rng(2).integers(2, 5, items)):
        values[item, ratings:] = np.nan
    return values


@pytest.mark.parametrize(
    "names",
    [("1", "2", "3", "4"), ("slot 1", "slot 2", "slot 3", "slot 4"),
     ("annotator_0", "annotator_1", "annotator_2", "annotator_3"),
     ("Vote1", "Vote2", "Vote3", "Vote4")],
    ids=["numbers", "slots", "persons", "votes"],
)  # fmt: skip
def test_numbered_judges_who_fill_items_from_the_left_may_be_assignments(names):
    assert the("slots-not-judges", study(filled_from_the_left(), names=names)).seriousness == "look"


def test_complete_votes_are_worth_a_look_and_complete_numbers_a_note():
    values = judged(60, 3)
    votes = study(values, names=("vote 1", "vote 2", "vote 3"))
    assert the("slots-not-judges", votes).seriousness == "look"
    assert the("slots-not-judges", Ratings.from_wide(values, scale="1-5")).seriousness == "note"


def test_named_judges_numbers_with_gaps_and_scattered_gaps_are_no_slots():
    values = filled_from_the_left()
    assert "slots-not-judges" not in codes(study(values))
    assert "slots-not-judges" not in codes(study(values, names=("1", "2", "3", "7")))
    assert "slots-not-judges" not in codes(study(values[:, ::-1], names=("1", "2", "3", "4")))
    assert "slots-not-judges" not in codes(study(values, names=("w 1", "w 2", "w 3", "w 4")))


def test_respondents_whom_the_reader_numbers_are_persons(tmp_path):
    file = tmp_path / "form.csv"
    rows = [",".join(f"q{number}" for number in range(1, 13))]
    file.write_text("\n".join(rows + [",".join(map(str, r)) for r in judged(12, 8).T.astype(int)]))
    ratings = read(file)
    assert (ratings.n_judges, ratings.n_items) == (8, 12)
    assert "slots-not-judges" not in codes(ratings)


def sorted_in_most_items(share: float, judges: int, seed: int) -> Ratings:
    draw, values = np.random.default_rng(seed + 100), judged(200, judges, seed=seed)
    chosen = draw.random(200) < share
    values[chosen] = np.sort(values[chosen], axis=1)
    return study(values)


def test_five_columns_sorted_in_nine_of_ten_items_are_found():
    for seed in range(5):
        found = the("sorted-columns", sorted_in_most_items(0.9, 5, seed))
        assert found.variant == "mostly"
        assert found.data["rising"] / found.data["items"] > found.data["expected"] + 0.13
        assert "would give about" in found.evidence


@pytest.mark.parametrize("noise", [0.3, 0.7])
def test_judges_of_very_different_severity_are_not_sorted(noise):
    for seed in range(5):
        draw = np.random.default_rng(seed)
        severity = np.arange(5) * 0.8 - 1.6
        seen = draw.normal(size=(200, 1)) + severity + noise * draw.normal(size=(200, 5))
        values = np.clip(np.round(3 + seen), 1, 5)
        found = [each for each in check(study(values)) if each.variant == "mostly"]
        assert found == []
