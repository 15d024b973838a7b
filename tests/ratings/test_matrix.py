"""The only door for an items × judges matrix."""

import decimal

import numpy as np
import pandas
import polars
import pytest

import covary
from covary import InvalidArgument, Level, Ratings, RatingsError, VerbalScale, VisualScale, YesNo

ROWS = [[1, 2], [3, 3], [None, 2], [2, 1]]
SCALE = VerbalScale([1, 2, 3], level="interval")


def value(ratings, **options):
    return covary.percent_agreement(ratings, interval=None, **options).value


NOMINAL = VerbalScale([1, 2, 3], level="nominal")

SHAPES = {
    "lists": ROWS,
    "tuples": tuple(tuple(row) for row in ROWS),
    "array with NaN": np.array([[1, 2], [3, 3], [np.nan, 2], [2, 1]]),
    "array of objects": np.array(ROWS, dtype=object),
    "list of arrays": [np.array(row, dtype=object) for row in ROWS],
    "lists with NaN": [[1, 2], [3, 3], [float("nan"), 2], [2, 1]],
    "lists with empty text": [["1", "2"], ["3", "3"], ["", "2"], ["2", "1"]],
    "lists with blank text": [["1", "2"], ["3", "3"], ["  ", "2"], ["2", "1"]],
    "pandas": pandas.DataFrame(ROWS),
    "pandas with nullable numbers": pandas.DataFrame(ROWS).astype("Int64"),
    "polars": polars.DataFrame(ROWS, orient="row"),
    "decimals": [[None if x is None else decimal.Decimal(x) for x in row] for row in ROWS],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_matrix_comes_in_as(shape):
    ratings = Ratings.from_wide(SHAPES[shape], scale=NOMINAL)
    assert (ratings.n_items, ratings.n_judges, ratings.n_ratings) == (4, 2, 7)
    assert value(ratings) == pytest.approx(1 / 3)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "float32", "float64"])
def test_numbers_of_any_kind_come_in(dtype):
    rows = np.array([[1, 2], [3, 3], [2, 2], [2, 1]], dtype=dtype)
    assert value(Ratings.from_wide(rows, scale=NOMINAL)) == 0.5


def test_large_numbers_come_in():
    rows = [[1e20, 2e20], [3e20, 3e20], [1e20, 1e20]]
    ratings = Ratings.from_wide(rows, level="interval")
    assert covary.pearson(ratings, interval=None).value == pytest.approx(0.866, abs=0.001)


@pytest.mark.parametrize("rows", [
    [[True, False], [True, True]],
    np.array([[True, False], [True, True]]),
], ids=["lists", "array"])  # fmt: skip
def test_true_and_false_are_yes_and_no(rows):
    assert value(Ratings.from_wide(rows, scale=YesNo())) == 0.5
    assert Ratings.from_wide(rows).scale().categories == (0, 1)


def test_words_come_in():
    ratings = Ratings.from_wide([["good", "bad"], [" bad ", "bad"], [None, "good"]])
    assert ratings.scale().categories == ("bad", "good")
    assert ratings.scale().level is Level.NOMINAL
    assert value(ratings) == 0.5


def test_judges_are_numbered_or_named():
    assert Ratings.from_wide(ROWS, scale=SCALE).judges == (1, 2)
    assert Ratings.from_wide(ROWS, scale=SCALE, judges=["Bo", "Ann"]).judges == ("Bo", "Ann")
    assert Ratings.from_wide(ROWS, scale=SCALE, judges=np.array(["Bo", "Ann"])).n_judges == 2
    assert Ratings.from_wide(ROWS, scale=SCALE, judges="slots").slots


def test_items_without_any_rating_are_not_counted():
    ratings = Ratings.from_wide([*ROWS, [None, None]], scale=SCALE)
    assert ratings.n_items == 4


def test_a_matrix_can_be_turned_into_long_rows():
    ratings = Ratings.from_wide(ROWS, scale=SCALE, judges=["Ann", "Bo"])
    assert ratings.columns == ("item", "judge", "rating")
    tall = Ratings(ratings.frame.to_native(), scale=SCALE)
    assert tall.n_ratings == 7
    assert covary.fisher_icc(tall, interval=None).value == pytest.approx(
        covary.fisher_icc(ratings, interval=None).value
    )


@pytest.mark.parametrize("names", [[1, 2, 3], ["Ann", "Bo", "Cy"]], ids=["numbers", "names"])
def test_judges_and_items_of_a_matrix_are_chosen(names):
    rows = [[1, 2, 2], [3, 3, 1], [2, 2, 2]]
    ratings = Ratings.from_wide(rows, scale=NOMINAL, judges=names)
    pair = ratings.select(judge=names[:2])
    assert pair.judges == tuple(names[:2])
    assert value(pair) == pytest.approx(2 / 3)
    both = ratings.select(judge=names[:2], item=[0, 1])
    assert both.n_ratings == 4
    assert value(both) == 0.5
    with pytest.raises(InvalidArgument, match="no rating has judge='Zoe'"):
        ratings.select(judge="Zoe")


def test_the_order_in_which_judges_are_chosen_is_theirs():
    ratings = Ratings.from_wide([[1, 2, 3]] * 2, scale=SCALE, judges=["a", "b", "c"])
    assert ratings.select(judge=["c", "a"]).judges == ("c", "a")


@pytest.mark.parametrize(
    ("rows", "advice"),
    [
        ([1, 2, 3], "list of rows"),
        ([], "one row per item"),
        ([[]], "one row per item"),
        ([[1, 2], [3]], r"different lengths \(1, 2\).*None where a judge did not rate"),
        (np.zeros((2, 2, 2)), r"shape \(2, 2, 2\)"),
        (np.zeros(3), r"shape \(3,\)"),
        (42, "one row per item"),
        (["ab", "cd"], "list of rows"),
    ],
    ids=["flat", "empty", "no judges", "ragged", "cube", "vector", "number", "strings"],
)
def test_what_is_no_matrix_is_refused(rows, advice):
    with pytest.raises(InvalidArgument, match=advice):
        Ratings.from_wide(rows)


@pytest.mark.parametrize("judges", [["Ann"], ["Ann", "Ann"], ["a", "b", "c"]], ids=len)
def test_names_that_do_not_fit_the_columns_are_refused(judges):
    with pytest.raises(InvalidArgument, match="does not name the 2 columns one by one"):
        Ratings.from_wide(ROWS, judges=judges)


@pytest.mark.parametrize(
    "rows",
    [[[1, 2], [7, 3], [None, 2]], np.array([[1.0, 2], [7, 3], [np.nan, 2]])],
    ids=["lists", "array"],
)
@pytest.mark.parametrize("scale", [SCALE, VisualScale(0, 3)], ids=["categories", "line"])
def test_ratings_outside_the_scale_are_listed_with_their_rows(rows, scale):
    with pytest.raises(RatingsError, match=r"7.*cannot be given.*item rows 2.*declare the scale"):
        Ratings.from_wide(rows, scale=scale)


def test_words_outside_the_scale_are_listed_with_their_rows():
    with pytest.raises(RatingsError, match=r"'awful'.*item rows 2"):
        Ratings.from_wide([["good", "bad"], ["awful", "bad"]], scale="good,bad")


def test_words_on_a_line_are_refused():
    with pytest.raises(RatingsError, match="not numbers"):
        Ratings.from_wide([["good", "bad"]], scale=VisualScale())


def test_words_at_interval_level_are_refused():
    with pytest.raises(InvalidArgument, match="needs numbers"):
        Ratings.from_wide([["good", "bad"], ["bad", "bad"]], level="interval")


def test_a_matrix_that_mixes_numbers_and_words_is_refused():
    with pytest.raises((InvalidArgument, RatingsError), match="mix"):
        Ratings.from_wide([[1, "two"], [2, 1]])


def test_an_infinite_rating_is_refused():
    with pytest.raises(RatingsError, match="infinite"):
        Ratings.from_wide([[1.0, np.inf]])


@pytest.mark.parametrize(
    ("rows", "level"),
    [
        ([[1, 2], [3, 1]], Level.ORDINAL),
        ([[1.5, 2], [3, 1]], Level.INTERVAL),
        ([list(range(12)), list(range(12))], Level.INTERVAL),
        ([["a", "b"]], Level.NOMINAL),
    ],
    ids=["few whole numbers", "fractions", "many numbers", "words"],
)
def test_a_level_is_guessed_where_none_is_declared(rows, level):
    scale = Ratings.from_wide(rows).scale()
    assert scale.level is level
    assert not scale.declared


def test_more_than_64_distinct_numbers_are_a_line():
    rows = np.arange(130).reshape(65, 2) / 4
    assert Ratings.from_wide(rows).scale().categories is None
    assert Ratings.from_wide(rows[:30]).scale().categories is not None


def test_a_scale_may_be_listed_from_best_to_worst():
    scale = VerbalScale([3, 2, 1], level="interval")
    down, up = (Ratings.from_wide(ROWS, scale=each) for each in (scale, SCALE))
    assert covary.krippendorff_alpha(down, interval=None).value == pytest.approx(
        covary.krippendorff_alpha(up, interval=None).value
    )
    assert covary.goodman_kruskal_gamma(down, interval=None).value == pytest.approx(
        covary.goodman_kruskal_gamma(up, interval=None).value
    )


def test_the_matrix_that_came_in_is_left_as_it_was():
    rows = np.array([[1.0, 2], [3, np.nan]])
    kept = rows.copy()
    ratings = Ratings.from_wide(rows, scale=SCALE)
    assert covary.krippendorff_alpha(ratings, interval=None).value == 0.0  # one pair: 1 and 2
    np.testing.assert_array_equal(rows, kept)
