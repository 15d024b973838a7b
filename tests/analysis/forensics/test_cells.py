"""Names that are nearly equal, dates and averages among ratings, items that lack one criterion."""

import numpy as np
import pytest

from covary import Ratings
from covary.analysis.forensics import check
from tests.analysis.forensics.studies import codes, judged, study, systems, the


@pytest.mark.parametrize(
    ("first", "second", "seriousness"),
    [
        ("Ann", "Ann ", "serious"),
        ("Ann B", "Ann\u00a0B", "serious"),
        ("Ren\u00e9", "Rene\u0301", "serious"),
        ("Ann", "ann", "look"),
        ("Ann_B", "Ann B", "look"),
    ],
    ids=["a space", "a hard space", "a decomposed accent", "case", "an underscore"],
)
def test_judges_whose_names_are_nearly_equal_are_found(first, second, seriousness):
    found = the("near-equal-names", study(judged(40, 3), names=[first, second, "Cy"]))
    assert found.seriousness == seriousness
    assert found.data == {"kind": "judges", "names": [sorted([first, second])]}


def test_systems_are_compared_and_different_names_are_not_reported():
    names = ["GPT", "gpt", "bart", "t5"]
    ratings = study(judged(80, 3), system=[names[n % 4] for n in range(80)])
    assert the("near-equal-names", ratings).data == {"kind": "systems", "names": [["GPT", "gpt"]]}
    assert "near-equal-names" not in codes(study(judged(80, 3), system=systems(80)))


def test_items_may_differ_in_case_alone():
    item, judge = np.indices((40, 2)).reshape(2, -1)
    names = np.array([f"x{n // 2}{'aA'[n % 2]}" for n in range(40)], dtype=object)
    rows = {"item": names[item], "judge": np.array(["Ann", "Bo"], dtype=object)[judge]}
    rows["rating"] = judged(40, 2).ravel()
    assert "near-equal-names" not in codes(Ratings(rows, scale="1-5"))


@pytest.mark.parametrize("date", ["2-Mar", "Mar-02", "2026-03-02", "02/03/2026", "1. Okt"])
def test_answers_that_a_spreadsheet_took_for_days_are_serious(date):
    rows = {"item": list(range(12)), "judge": ["Ann", "Bo"] * 6, "rating": ["1-2", "2-2", date] * 4}
    found = the("dates-for-ratings", Ratings(rows))
    assert (found.seriousness, found.data["dates"]) == ("serious", [date])


def test_the_number_of_a_day_off_the_scale_is_a_date_and_a_large_rating_is_not():
    rows = {"item": list(range(12)), "judge": ["Ann", "Bo"] * 6, "rating": [1, 2, 3, 4] * 3}
    rows["rating"][5] = 46083  # 2 March 2026
    ratings = Ratings(rows, scale="1-5", faulty="set-aside")
    assert the("dates-for-ratings", ratings).data["dates"] == ["46083"]
    rows["rating"][5] = 700
    assert "dates-for-ratings" not in codes(Ratings(rows, scale="1-5", faulty="set-aside"))


@pytest.mark.parametrize("name", ["Average", "Mean", "TOTAL", "avg.", "Mittelwert", "Std. Dev."])
def test_a_row_that_is_called_an_average_is_serious(name):
    item, judge = np.indices((30, 2)).reshape(2, -1)
    names = np.array([*(f"q{n}" for n in range(29)), name], dtype=object)
    rows = {"item": names[item], "judge": np.array(["Ann", "Bo"], dtype=object)[judge]}
    rows["rating"] = judged(30, 2).ravel()
    assert the("averages-for-items", Ratings(rows, scale="1-5")).data["items"] == [name]


@pytest.mark.parametrize("name", ["meaning", "average-case", "summary 3", "q30", "total recall"])
def test_names_that_only_begin_like_an_average_are_items(name):
    item, judge = np.indices((30, 2)).reshape(2, -1)
    names = np.array([*(f"q{n}" for n in range(29)), name], dtype=object)
    rows = {"item": names[item], "judge": np.array(["Ann", "Bo"], dtype=object)[judge]}
    rows["rating"] = judged(30, 2).ravel()
    assert "averages-for-items" not in codes(Ratings(rows, scale="1-5"))


def test_a_last_row_that_holds_the_means_of_the_columns_is_serious_whatever_its_name():
    values = judged(41, 3, points=0)
    values[40] = np.round(values[:40].mean(axis=0), 2)
    found = the("averages-for-items", study(values, scale="0-100"))
    assert found.variant == "computed"
    assert found.data["items"] == [40]
    values[40, 1] += 3
    assert "averages-for-items" not in codes(study(values, scale="0-100"))


def test_judges_who_gave_one_rating_throughout_show_no_averages():
    """The mean of eleven times 72.9 is 72.9: the last item is one more that they rated."""
    values = np.repeat([[72.9, 44.1]], 12, axis=0)
    assert "averages-for-items" not in codes(study(values, scale="0-100"))
    values[:11, 1] = np.arange(11)  # with a mean of 5
    values[11, 1] = 5.0
    assert the("averages-for-items", study(values, scale="0-100")).data["items"] == [11]


def criteria(missing: list[int]) -> Ratings:
    columns: dict[str, list] = {"item": [], "judge": [], "rating": [], "criterion": []}
    for number, name in enumerate(("fluency", "clarity", "relevance")):
        values = judged(100, 2, seed=number)
        for item in range(100):
            for judge in range(2):
                if name != "clarity" or item not in missing:
                    columns["item"].append(item)
                    columns["judge"].append(("Ann", "Bo")[judge])
                    columns["rating"].append(values[item, judge])
                    columns["criterion"].append(name)
    return Ratings(columns, scale="1-5")


@pytest.mark.parametrize(("missing", "at_the_end"), [([40, 70], False), ([99], True)])
def test_items_that_lack_one_criterion_alone_are_named(missing, at_the_end):
    found = the("items-without-criterion", criteria(missing))
    assert (found.seriousness, found.criterion) == ("look", "clarity")
    assert found.data == {"missing": missing, "items": 100, "at_the_end": at_the_end}


def test_a_criterion_that_was_asked_for_some_items_only_is_a_plan():
    assert "items-without-criterion" not in codes(criteria(list(range(50))))
    assert "items-without-criterion" not in codes(criteria([]))


def magnitudes(seed: int = 0) -> Ratings:
    """Magnitude estimation: whole numbers of any size, most of them used once or twice."""
    draw = np.random.default_rng(seed)
    seen = draw.normal(size=(120, 1)) + 0.6 * draw.normal(size=(120, 6))
    return study(np.round(np.exp(2 + 0.8 * seen)) + 1, scale=None)


def test_rare_values_are_the_rule_in_magnitude_estimation():
    found = check(magnitudes())
    assert "stray-category" not in [each.code for each in found]
    assert len(found) <= 5


def test_several_stray_categories_are_one_finding():
    values = judged(300, 3, points=7)
    values[values > 6] = 6
    values[0, 0], values[1, 1] = 7, 9
    found = the("stray-category", study(values, scale="1-9"))
    assert found.data["categories"] == [7, 9]
