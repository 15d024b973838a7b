"""The check as a whole: shipped data, clean studies, and how findings show themselves."""

import json
from collections import Counter

import numpy as np
import pytest

from covary import Ratings, datasets
from covary.analysis.forensics import Finding, Findings, check
from covary.errors import InvalidArgument
from tests.analysis.forensics.studies import judged, study, systems

CRITERIA = {"ambiguity", "correctness", "question type", "relevance", "variety"}


def clean_study(seed: int) -> Ratings:
    """A study without a defect: 2-7 judges, 30-300 items, four scales, some ratings missing."""
    draw = np.random.default_rng(seed)
    n, m, points = int(draw.integers(30, 301)), int(draw.integers(2, 8)), (3, 5, 7, 0)[seed % 4]
    values = judged(n, m, points=points, noise=draw.uniform(0.3, 1.0), severity=0.5, seed=seed)
    values[draw.random((n, m)) < draw.choice([0, 0.05, 0.2, 0.4])] = np.nan
    columns = {"system": systems(n, "abcde"[: draw.integers(2, 6)])}
    if seed % 3 == 0:
        columns["order"] = draw.permutation(n * m).reshape(n, m)
        columns["seconds"] = draw.lognormal(2.5, 0.5, (n, m))
    return study(values, scale=f"1-{points}" if points else "0-100", **columns)


def test_fewer_than_two_percent_of_200_clean_studies_have_a_serious_finding():
    alarms = Counter(
        found.code for seed in range(200) for found in check(clean_study(seed)).serious
    )
    assert sum(alarms.values()) < 4, alarms


def test_flickr_8k_as_named_judges_has_sorted_columns():
    """Counted in the published file: 2 above 1 in 1,073 and 3 above 2 in 1,484 of 5,822 rows."""
    (found,) = check(datasets.load("flickr8k-experts", judges="named")).serious
    assert found.code == "sorted-columns"
    assert found.data["items"] == 5822
    assert [(link["low"], link["high"], link["above"]) for link in found.data["links"]] == [
        ("j1", "j2", 1073),
        ("j2", "j3", 1484),
    ]
    assert "slots" in found.advice


def test_flickr_8k_as_slots_has_a_note_and_nothing_worse():
    found = check(datasets.load("flickr8k-experts"))
    assert [each.code for each in found.notes] == ["sorted-columns"]
    assert len(found) == len(found.notes)


@pytest.fixture(scope="module")
def original() -> Findings:
    return check(datasets.load("qgstec-original"))


def test_the_two_stray_3s_of_qg_stec_are_found(original):
    """896 questions with two ratings each, but one with one: 1,791 ratings."""
    (found,) = (each for each in original if each.code == "stray-category")
    assert found.criterion == "question type"
    assert (found.data["category"], found.data["times"], found.data["ratings"]) == (3, 2, 1791)
    assert len(found.data["rows"]) == 2


def test_judges_and_systems_of_qg_stec_are_confounded(original):
    """Who rated which system, counted in the published files (J1..J6 for a, b, c, d)."""
    (found,) = original.serious
    assert found.code == "judge-system-confounding"
    counts = {system: [row[system] for row in found.data["ratings"].values()] for system in "abcd"}
    assert counts == {
        "a": [157, 130, 2, 100, 197, 121],
        "b": [106, 43, 62, 0, 66, 53],
        "c": [73, 0, 74, 75, 136, 60],
        "d": [5, 65, 54, 48, 163, 1],
    }
    holes = {(judge, system) for judge, system, _ in found.data["holes"]}
    assert {("J4", "b"), ("J2", "c"), ("J3", "a"), ("J6", "d")} <= holes
    assert set(found.data["criteria"]) == CRITERIA


def test_the_batch_of_judges_1_and_5_of_qg_stec_is_too_small(original):
    """Amidei et al. (2019), Table 6: judges 1 and 5 rated 7 questions; there are nine pairs."""
    (found,) = (each for each in original if each.code == "few-common-items")
    assert found.data["pairs"] == [["J1", "J5", 7]]
    assert found.data["pairs_with_common_items"] == 9


def test_qg_stec_plus_has_nothing_serious():
    assert check(datasets.load("qgstec-reevaluated")).serious == ()


def test_one_criterion_can_be_checked_by_itself():
    found = check(datasets.load("qgstec-original"), criterion="question type")
    assert {each.criterion for each in found} == {"question type"}
    assert "stray-category" in [each.code for each in found]


def test_an_unknown_criterion_is_refused():
    with pytest.raises(InvalidArgument, match="fluency"):
        check(datasets.load("qgstec-original"), criterion="fluency")


def test_what_criteria_share_is_said_once_and_what_they_do_not_share_by_name(original):
    assert Counter(found.code for found in original)["judge-system-confounding"] == 1
    shared = next(found for found in original if found.code == "few-common-items")
    assert shared.criterion is None
    assert "every criterion" in shared.evidence


FOUND = Findings(
    (
        Finding("negative-times", "note", data={"negative": 2, "timed": 9}),
        Finding(
            "constant-judge",
            "look",
            criterion="fluency",
            about={"judge": "<here>"},
            data={"ratings": np.int64(5), "rating": "5 & 6", "share_of_others": 0.5},
        ),
        Finding("unit-of-times", "serious", data={"median": float("nan")}),
    )
)


def test_findings_stand_by_seriousness():
    codes = ["unit-of-times", "constant-judge", "negative-times"]
    assert [found.code for found in FOUND] == codes
    assert [found.code for found in FOUND.findings] == codes
    assert [each[0].code for each in (FOUND.serious, FOUND.worth_a_look, FOUND.notes)] == codes
    assert len(FOUND) == 3


def test_findings_print_themselves_for_a_terminal():
    text = str(FOUND)
    assert text.startswith("3 findings: 1 serious, 1 worth a look, 1 note.")
    assert (
        "worth a look: constant-judge on 'fluency'\n"
        "  Judge '<here>' gave the same rating throughout.\n"
        "  All 5 ratings are '5 & 6', which the others used in 50% of theirs.\n"
        "  → These ratings do not distinguish any items." in text
    )


def test_findings_escape_what_they_show_in_a_notebook():
    shown = FOUND._repr_html_()
    assert "Judge &#x27;&lt;here&gt;&#x27; gave" in shown
    assert "5 &amp; 6" in shown
    assert "<here>" not in shown


def test_findings_become_plain_values_for_json():
    plain = json.loads(json.dumps(FOUND.to_dict(), allow_nan=False))
    assert plain["findings"][0]["data"] == {"median": None}
    assert plain["findings"][1]["data"]["ratings"] == 5
    assert plain["findings"][1]["criterion"] == "fluency"


def test_the_findings_of_real_data_become_plain_values_for_json(original):
    json.dumps(original.to_dict(), allow_nan=False)


def test_one_judge_or_one_item_or_no_rating_at_all_is_checked_without_complaint():
    for matrix in ([[1], [2], [3]], [[1, 2, 3]], [[1, 2]], [[None, 1], [2, None]]):
        assert check(Ratings.from_wide(matrix, scale="1-3")).serious == ()
    empty = {"item": ["a", "b"], "judge": ["x", "y"], "rating": [np.nan, np.nan]}
    assert len(check(Ratings(empty, scale="1-3"))) == 0


@pytest.mark.parametrize("engine", ["pandas", "polars", "pyarrow"])
def test_every_engine_gives_the_same_findings(engine):
    library = pytest.importorskip(engine)
    values = judged(80, 3, seed=5)
    values[:, 1] = 3
    item, judge = (each.ravel() for each in np.indices(values.shape))
    columns = {
        "item": [f"i{each}" for each in item],
        "judge": [("Ann", "Bo", "Cy")[each] for each in judge],
        "rating": values.ravel().astype(int).tolist(),
        "system": [systems(80)[each] for each in item],
    }
    make = library.table if engine == "pyarrow" else library.DataFrame
    assert check(Ratings(make(columns), scale="1-5")) == check(Ratings(columns, scale="1-5"))
