"""The ratings on one criterion as arrays, from any engine."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from covary import InvalidArgument, Ratings, RatingsError, datasets
from covary.stats.models.observations import observations

COLUMNS = {
    "item": ["i1", "i2", "i1", "i2", "i3"],
    "judge": ["Bo", "Bo", "Ann", "Ann", "Ann"],
    "rating": [4, 2, 5, 1, 3],
    "system": ["y", "x", "y", "x", "x"],
    "source": [7, 7, 7, 7, 9],
}


@pytest.mark.parametrize("engine", [dict, pl.DataFrame, pd.DataFrame], ids=["duckdb", "pl", "pd"])
def test_every_engine_gives_the_same_rows(engine):
    found = observations(Ratings(engine(COLUMNS), scale="1-5"))
    assert found.values.tolist() == [5, 4, 1, 2, 3]  # by item, then judge
    assert found.factors["system"].tolist() == [1, 1, 0, 0, 0]
    assert found.factors["judge"].tolist() == [0, 1, 0, 1, 0]
    assert found.names["system"] == ("x", "y")
    assert found.names["source"] == (7, 9)
    assert found.names["item"] == ("i1", "i2", "i3")


def test_means_groups_and_tables_by_hand():
    found = observations(Ratings(COLUMNS, scale="1-5"))
    assert found.means("system").tolist() == [2, 4.5]
    assert [group.tolist() for group in found.groups("system")] == [[1, 2, 3], [5, 4]]
    assert found.table("judge", "system").tolist() == [[2, 5], [2, 4]]
    assert np.isnan(found.table("source", "system")[1, 1])


def test_words_are_numbered_by_their_place_on_the_scale():
    words = COLUMNS | {"rating": ["good", "bad", "good", "bad", "fair"]}
    found = observations(Ratings(words, scale="bad,fair,good"))
    assert found.values.tolist() == [3, 3, 1, 1, 2]


def test_missing_ratings_are_left_out():
    found = observations(Ratings(COLUMNS | {"rating": [4, None, 5, 1, 3]}, scale="1-5"))
    assert found.n_ratings == 4


def test_one_criterion_is_taken():
    two = {name: column * 2 for name, column in COLUMNS.items()}
    two["criterion"] = ["fluency"] * 5 + ["clarity"] * 5
    ratings = Ratings(two, scale="1-5")
    assert observations(ratings, "clarity").n_ratings == 5
    with pytest.raises(InvalidArgument, match="must be one of them"):
        observations(ratings)


def test_a_matrix_does_not_say_the_system():
    with pytest.raises(InvalidArgument, match=r"do not say the system.*--system"):
        observations(Ratings.from_wide([[1, 2], [2, 2]], scale="1-3"))


def test_names_have_no_mean():
    words = COLUMNS | {"rating": ["a", "b", "c", "a", "b"]}
    with pytest.raises(InvalidArgument, match="nominal"):
        observations(Ratings(words, level="nominal"))


def test_slots_have_no_judge():
    slots = Ratings(COLUMNS, scale="1-5", judges="slots")
    assert "judge" not in observations(slots).factors
    with pytest.raises(InvalidArgument, match="come from slots"):
        observations(slots, factors=("system", "judge"))


def test_several_occasions_are_refused():
    twice = {name: column * 2 for name, column in COLUMNS.items()}
    twice["occasion"] = [1] * 5 + [2] * 5
    with pytest.raises(InvalidArgument, match="several values of occasion"):
        observations(Ratings(twice, scale="1-5"))


def test_an_item_without_system_is_named():
    gap = COLUMNS | {"system": ["y", "x", "y", "x", None]}
    with pytest.raises(RatingsError, match="no system, such as those of the items 'i3'"):
        observations(Ratings(gap, scale="1-5"))


def test_only_ratings_are_taken():
    with pytest.raises(InvalidArgument, match="takes Ratings"):
        observations([[1, 2]])


def test_the_shipped_latin_square():
    found = observations(datasets.load("latin-square-example"))
    assert [len(found.names[name]) for name in ("system", "judge", "source")] == [4, 4, 8]
    assert (np.bincount(found.factors["system"]) == 8).all()
