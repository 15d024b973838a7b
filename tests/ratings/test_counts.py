"""Frequency tables: one row per pattern of ratings, and how many items show it."""

import polars
import pytest

import covary
from covary import InvalidArgument, Ratings, RatingsError, VerbalScale
from tests.ratings.frames import ENGINES

TABLE = {"Ann": [1, 1, 2, None], "Bo": [1, 2, 2, 2], "items": [10, 3, 7, 2]}
SCALE = VerbalScale([1, 2], level="nominal")


@pytest.fixture(params=ENGINES)
def engine(request):
    return ENGINES[request.param]


def counted(frame, **more):
    return Ratings.from_counts(frame, judges=["Ann", "Bo"], **({"scale": SCALE} | more))


def test_patterns_stand_for_as_many_items_as_they_say(engine):
    ratings = counted(engine(TABLE))
    assert (ratings.n_items, ratings.n_judges, ratings.n_ratings) == (22, 2, 42)
    assert covary.percent_agreement(ratings, interval=None).value == pytest.approx(17 / 20)


def test_words_can_be_counted(engine):
    words = {"Ann": ["y", "y", "n", None], "Bo": ["y", "n", "n", "n"], "items": [10, 3, 7, 2]}
    scale = VerbalScale(["y", "n"], level="nominal")
    ratings = counted(engine(words), scale=scale)
    assert covary.percent_agreement(ratings, interval=None).value == pytest.approx(17 / 20)


def test_the_column_of_counts_may_have_another_name(engine):
    other = {"Ann": TABLE["Ann"], "Bo": TABLE["Bo"], "n": TABLE["items"]}
    assert counted(engine(other), count="n").n_items == 22


def test_a_pattern_that_no_item_shows_is_no_item(engine):
    ratings = counted(engine(TABLE | {"items": [10, 0, 7, 0]}))
    assert (ratings.n_items, ratings.n_ratings) == (17, 34)


def test_criteria_and_systems_are_kept(engine):
    frame = TABLE | {"criterion": ["a", "a", "b", "b"], "system": ["x", "y", "x", "y"]}
    ratings = counted(engine(frame))
    assert ratings.criteria == ("a", "b")
    assert ratings.select(criterion="b", system="y").n_ratings == 2
    assert covary.percent_agreement(ratings, criterion="a", interval=None).value == (
        pytest.approx(10 / 13)
    )


def test_further_columns_are_named(engine):
    frame = TABLE | {"question": ["a", "a", "b", "b"]}
    assert counted(engine(frame), criterion="question").criteria == ("a", "b")


def test_clusters_are_kept(engine):
    ratings = counted(engine(TABLE | {"cluster": ["d1", "d1", "d2", "d2"]}))
    assert ratings.values("cluster") == ("d1", "d2")


def test_slots_can_be_counted(engine):
    ratings = counted(engine(TABLE), slots=True)
    assert ratings.slots
    with pytest.raises(InvalidArgument, match="slots"):
        covary.cohen_kappa(ratings)


def test_a_misspelt_judge_gets_a_suggestion(engine):
    with pytest.raises(InvalidArgument, match=r"'Anne'.*did you mean 'Ann'"):
        Ratings.from_counts(engine(TABLE), judges=["Anne", "Bo"])


def test_a_missing_count_is_asked_for(engine):
    with pytest.raises(InvalidArgument, match=r"count column 'times'"):
        counted(engine(TABLE), count="times")


def test_negative_counts_are_refused(engine):
    with pytest.raises(InvalidArgument, match="negative numbers of items"):
        counted(engine(TABLE | {"items": [10, -3, 7, 2]}))


@pytest.mark.parametrize("kind", ["dict", "pandas", "polars"])
def test_counts_that_are_no_whole_numbers_are_refused(kind):
    with pytest.raises((InvalidArgument, RatingsError), match="whole"):
        counted(ENGINES[kind](TABLE | {"items": [10.0, 2.5, 7.0, 2.0]}))


@pytest.mark.parametrize("kind", ["dict", "pandas", "polars", "pyarrow", "duckdb"])
def test_a_missing_count_is_refused(kind):
    with pytest.raises((InvalidArgument, RatingsError)):
        counted(ENGINES[kind](TABLE | {"items": [10, None, 7, 2]}))


def test_whole_counts_stored_as_floats_are_counts(engine):
    assert counted(engine(TABLE | {"items": [10.0, 3.0, 7.0, 2.0]})).n_items == 22


def test_a_rating_outside_the_scale_is_refused(engine):
    with pytest.raises(RatingsError, match="not possible on the scale"):
        counted(engine(TABLE | {"Ann": [1, 9, 2, None]}))


def test_an_empty_table_is_refused():
    empty = polars.DataFrame(schema={"Ann": int, "Bo": int, "items": int})
    with pytest.raises(RatingsError, match="no ratings"):
        counted(empty)


def test_a_million_items_are_counted_quickly():
    ratings = counted(TABLE | {"items": [400_000, 100_000, 400_000, 100_000]})
    assert covary.percent_agreement(ratings).value == pytest.approx(8 / 9)
