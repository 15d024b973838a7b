"""Rows that are shifted between judges, criteria or occasions; retests of the wrong items."""

import numpy as np
import pytest

from covary import Ratings
from covary.analysis.forensics import check
from tests.analysis.forensics.studies import codes, judged, study, systems, the


def one_row_short(column: np.ndarray, row: int) -> np.ndarray:
    """A column that lost a row: what follows moves up, and the last row is empty."""
    return np.r_[column[:row], column[row + 1 :], np.nan]


@pytest.mark.parametrize("row", [0, 60], ids=["from the top", "from the middle"])
@pytest.mark.parametrize("judges", [2, 5])
def test_a_judge_whose_column_lost_a_row_is_serious(row, judges):
    values = judged(200, judges, noise=0.5)
    values[:, 1] = one_row_short(values[:, 1], row)
    found = the("shifted-judges", study(values))
    assert found.seriousness == "serious"
    assert "'Bo'" in found.title
    assert abs(found.data["shifts"][0]["first_item"] - row) < 15


def test_the_direction_and_the_length_of_a_shift_are_told():
    values = judged(200, 2, noise=0.5)
    values[:, 0] = np.r_[values[2:, 0], np.nan, np.nan]  # Ann lost her first two rows
    (shift,) = the("shifted-judges", study(values)).data["shifts"]
    assert shift["rows"] == 2
    assert shift["shifted"] > shift["unshifted"] + 0.2


def test_a_column_that_lost_its_last_row_is_not_shifted():
    values = judged(200, 3, noise=0.5)
    values[:, 1] = one_row_short(values[:, 1], 199)
    assert "shifted-judges" not in codes(study(values))


def test_a_judge_who_rated_at_random_is_not_shifted():
    for seed in range(20):
        values = judged(200, 3, noise=0.5, seed=seed)
        values[:, 1] = np.random.default_rng(seed).integers(1, 6, 200)
        assert "shifted-judges" not in codes(study(values))


@pytest.mark.parametrize("by", ["judge", "mean"])
def test_a_file_sorted_by_its_ratings_is_not_shifted(by):
    values = judged(200, 3, noise=1.0)
    key = values[:, 0] if by == "judge" else values.mean(axis=1)
    assert "shifted-judges" not in codes(study(values[np.argsort(key)]))


def test_a_file_in_which_systems_take_turns_is_not_shifted():
    values = judged(200, 3, noise=0.8)
    values = np.clip(values + np.array([0, 2, 0, 2])[np.arange(200) % 4, None], 1, 5)
    assert "shifted-judges" not in codes(study(values, system=systems(200)))


def criteria(short: int | None, weight: float = 0.8) -> Ratings:
    """Three criteria that share a quality; the third may have lost a row."""
    draw = np.random.default_rng(6)
    quality = draw.normal(size=300)
    columns: dict[str, list] = {"item": [], "judge": [], "rating": [], "criterion": []}
    for number, name in enumerate(("fluency", "clarity", "relevance")):
        seen = weight * quality + 0.6 * draw.normal(size=300)
        for judge in ("Ann", "Bo"):
            rating = np.clip(np.round(3 + seen + 0.4 * draw.normal(size=300)), 1, 5)
            if number == 2 and short is not None:
                rating = one_row_short(rating, short)
            columns["item"] += range(300)
            columns["judge"] += [judge] * 300
            columns["rating"] += rating.tolist()
            columns["criterion"] += [name] * 300
    return Ratings(columns, scale="1-5")


def test_a_criterion_that_lost_a_row_is_serious_and_named():
    found = the("shifted-criteria", criteria(50))
    assert found.seriousness == "serious"
    assert "'relevance'" in found.title
    assert {shift["other"] for shift in found.data["shifts"]} == {"relevance"}
    assert len(found.data["shifts"]) == 2


def test_criteria_in_line_or_without_anything_in_common_are_not_shifted():
    assert "shifted-criteria" not in codes(criteria(None))
    assert "shifted-criteria" not in codes(criteria(None, weight=0))
    assert "shifted-criteria" not in codes(criteria(50, weight=0))


def test_one_criterion_by_itself_is_not_compared():
    assert "shifted-criteria" not in [f.code for f in check(criteria(50), criterion="relevance")]


def occasions(short: int) -> Ratings:
    first, again = judged(200, 2, noise=0.4, seed=3), judged(200, 2, noise=0.4, seed=3)
    again[:, 0], again[:, 1] = (one_row_short(again[:, judge], short) for judge in (0, 1))
    item, judge = (each.ravel() for each in np.indices((200, 2)))
    columns = {
        "item": np.r_[item, item],
        "judge": np.array(["Ann", "Bo"], dtype=object)[np.r_[judge, judge]],
        "rating": np.r_[first.ravel(), again.ravel()],
        "occasion": np.r_[np.ones(400, int), np.full(400, 2)],
    }
    return Ratings(columns, scale="1-5")


def test_an_occasion_that_lost_a_row_is_serious_and_one_that_lost_its_last_is_not():
    found = the("shifted-occasions", occasions(20))
    assert found.seriousness == "serious"
    assert "shifted-occasions" not in codes(occasions(199))


@pytest.mark.parametrize("start", [0.3, 0.5])
def test_most_slips_in_a_hundred_items_are_found_wherever_they_begin(start):
    found = 0
    for seed in range(12):
        values = judged(100, 3, noise=0.4, seed=seed)
        values[:, 1] = one_row_short(values[:, 1], int(100 * start))
        found += "shifted-judges" in codes(study(values))
    assert found >= 8


def twice(later: np.ndarray, *, names: list[str] | None = None) -> Ratings:
    """Ann and Bo rate 100 items, and again; `later` says which item a later rating is really of."""
    first, again = judged(100, 2, noise=0.4, seed=3), judged(100, 2, noise=0.4, seed=3)
    again += (
        np.random.default_rng(8).integers(-1, 2, again.shape) * (np.arange(100) % 4 == 0)[:, None]
    )
    values = np.r_[first, np.clip(again, 1, 5)[later]]
    item, judge = (each.ravel() for each in np.indices((100, 2)))
    labels = np.array(names or [f"i{n}" for n in range(100)], dtype=object)
    columns = {
        "item": labels[np.r_[item, item]],
        "judge": np.array(["Ann", "Bo"], dtype=object)[np.r_[judge, judge]],
        "rating": values.ravel(),
        "occasion": np.r_[np.ones(200, int), np.full(200, 2)],
    }
    return Ratings(columns, scale="1-5")


def test_retests_in_their_own_order_are_not_reported():
    assert not {"wrong-retests", "shifted-occasions"} & set(codes(twice(np.arange(100))))


def test_retests_in_reverse_order_are_serious_and_the_order_is_told():
    found = the("wrong-retests", twice(np.arange(100)[::-1]))
    assert found.seriousness == "serious"
    assert found.data["pairing"] == "reversed"
    assert found.data["low"] < found.data["again"] < found.data["high"] < found.data["between"]
    assert "from the last item to the first" in found.evidence


def test_retests_in_alphabetical_order_are_told_from_those_in_the_order_of_numbers():
    names = [f"i{n}" for n in range(100)]
    later = np.array(sorted(range(100), key=names.__getitem__))
    assert the("wrong-retests", twice(later)).data["pairing"] == "alphabetical"


def test_retests_in_no_known_order_are_serious_and_no_order_is_told():
    later = np.random.default_rng(1).permutation(100)
    assert the("wrong-retests", twice(later)).data["pairing"] is None
