"""Every coefficient on a frame, a path, an array or two lists; tables and frames of results."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import covary
from covary.analysis.coefficient_tables import coefficient_table
from covary.errors import InvalidArgument

FIRST, SECOND = [1, 1, 2, 2, 3], [1, 1, 2, 3, 3]
LONG = pd.DataFrame(
    [
        (item, judge, rating, "early" if item < 3 else "late")
        for judge, ratings in (("Ann", FIRST), ("Bo", SECOND))
        for item, rating in enumerate(ratings)
    ],
    columns=["doc", "annotator", "score", "group"],
)
KAPPA = (0.8 - 0.32) / (1 - 0.32)
"""By hand: 4 of 5 agree; chance (2·2 + 2·1 + 1·2) / 25 = .32."""


@pytest.mark.filterwarnings("ignore::covary.SuitabilityWarning")
def test_kappa_of_two_lists_two_arrays_two_series_and_a_frame_is_the_same(tmp_path):
    file = tmp_path / "ratings.csv"
    LONG.to_csv(file, index=False)
    wide = pd.DataFrame({"Ann": FIRST, "Bo": SECOND})
    values = [
        covary.cohen_kappa(FIRST, SECOND),
        covary.cohen_kappa(np.array(FIRST), np.array(SECOND)),
        covary.cohen_kappa(wide["Ann"], wide["Bo"]),
        covary.cohen_kappa(np.array([FIRST, SECOND]).T),
        covary.cohen_kappa(LONG),
        covary.cohen_kappa(pl.from_pandas(LONG)),
        covary.cohen_kappa(file),
        covary.cohen_kappa(str(file), item="doc"),
    ]
    assert [float(value) for value in values] == pytest.approx([KAPPA] * len(values))


def test_lists_of_different_lengths_are_refused():
    with pytest.raises(InvalidArgument, match="lengths"):
        covary.cohen_kappa([1, 2], [1, 2, 3])


@pytest.mark.filterwarnings("ignore::covary.SuitabilityWarning")
def test_a_table_has_a_row_for_each_coefficient_and_group():
    frame = covary.table(LONG, ["percent_agreement", "cohen_kappa"], by="group", engine="pandas")
    assert list(frame["group"]) == ["early", "late", "early", "late"]
    assert list(frame["value"][:2]) == pytest.approx([1, 0.5])
    with pytest.raises(InvalidArgument, match="cohen_kappa"):
        covary.table(LONG, ["cohen_kapa"])


@pytest.mark.parametrize("engine", ["pandas", "polars", "pyarrow"])
def test_ratings_and_results_are_frames_of_the_engine_that_is_asked_for(engine):
    ratings = covary.read(LONG)
    for result in (ratings, covary.reliability(ratings), covary.krippendorff_alpha(ratings)):
        frame = result.to_frame(engine)
        assert type(frame).__module__.partition(".")[0] == engine
    assert len(ratings.to_frame(engine)) == 10
    assert len(covary.to_frame(covary.judge_profiles(ratings), engine)) == 2


def test_an_estimate_is_formatted_and_compared_as_its_value():
    alpha = covary.krippendorff_alpha(LONG, interval=None)
    assert f"{alpha:.2f}" == f"{alpha.value:.2f}"
    assert alpha > 0.5
    assert alpha <= alpha.value
    assert not alpha < 0


def test_two_equal_calls_draw_the_same():
    first, second = (covary.krippendorff_alpha(LONG, interval="bootstrap") for _ in range(2))
    assert first.interval == second.interval


def test_cohens_kappa_of_three_judges_is_its_mean_over_pairs_by_its_name():
    """Light's kappa: the mean of Cohen's kappas of all pairs (Conger 1980)."""
    ratings = covary.Ratings.from_wide(
        [[1, 1, 2], [2, 2, 2], [3, 3, 1], [1, 2, 1]], level="nominal", judges=["A", "B", "C"]
    )
    pairs = coefficient_table(ratings, ["cohen_kappa"], by="pair")
    assert pairs.coefficients == ("light_kappa", "cohen_kappa")
    values = {row["judges"]: row["average"] for row in pairs.rows()}
    whole = values.pop("all judges")
    assert whole == pytest.approx(sum(values.values()) / 3)
    rows = covary.table(ratings, ["cohen_kappa"], interval=None, engine="polars").to_dicts()
    assert [(row["coefficient"], row["value"]) for row in rows] == [("light_kappa", whole)]


def test_a_pair_of_judges_with_few_of_the_items_is_marked_and_all_of_them_have_the_reason():
    """Ann and Bo rate 30 items, Cy the last five of them with Bo: no value for Cy and Bo."""
    given = [1, 2, 3] * 10
    rows = [[one, one, None] for one in given[:25]] + [[None, one, one] for one in given[:5]]
    ratings = covary.Ratings.from_wide(rows, level="nominal", judges=["Ann", "Bo", "Cy"])
    pairs = coefficient_table(ratings, ["cohen_kappa"], by="pair")
    weak = {row.judges for row in pairs.table if pairs.rests_on_little(row, None)}
    assert weak == {"Bo – Cy"}
    assert pairs.undefined() == {}
    crowd = [[None] * 12 for _ in range(24)]
    for place, row in enumerate(crowd):
        row[place % 12] = row[(place + 1) % 12] = given[place]
    sparse = coefficient_table(covary.Ratings.from_wide(crowd, level="nominal"), ["light_kappa"])
    assert "share fewer than 10 items" in sparse.undefined()["light_kappa"]


PAIRS = {
    "item": ["p1", "p2", "p3", "p4"],
    "judge": ["Ann", "Bo", "Ann", "Bo"],
    "system": ["x / y", "x / y", "y / x", "x / y"],
    "rating": ["A", "A", "A", "tie"],
}


def test_a_report_on_a_frame_takes_the_second_argument_for_its_path(tmp_path):
    place = tmp_path / "report.html"
    covary.report(LONG, place, scale="1-5", intervals=False)
    assert "covary" in place.read_text("utf-8")


def test_analyses_take_frames_and_say_in_a_few_lines_what_they_found():
    long = pd.DataFrame(
        {
            "item": [item for item in "abcd" for _ in range(2)],
            "judge": ["Ann", "Bo"] * 4,
            "rating": [1, 2, 2, 4, 3, 3, 4, 5],
        }
    )
    parts = covary.components(long, scale="1-5")
    # Mean squares by hand: items 9 / 3, judges 2 / 1, rest 1 / 3; so items (3 - 1/3) / 2.
    assert parts["item"] == pytest.approx(4 / 3, rel=1e-4)
    assert str(parts).startswith("ratings: variance and its share\n  item: 1.33 [")
    made = covary.plan(long, scale="1-5")
    assert str(made).startswith("ratings: 4 items, 2 judges, 2 ratings an item reach a ")
    assert str(covary.plan(parts)) == str(made)
    assert "Ann" in str(covary.disagreement(long, scale="1-5"))


def test_preferences_say_who_won_how_often():
    counts = str(covary.preferences(pd.DataFrame(PAIRS), scale="A,tie,B"))
    # x wins p1 and p2, loses p3 (where it stands second), ties p4: 2.5 of 4.
    assert "x against y: 2 won, 1 tie, 1 lost; 62% [" in counts
