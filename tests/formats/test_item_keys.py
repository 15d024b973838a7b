"""Ratings whose systems stand in a table of their own; all tables are written by hand."""

import pandas as pd
import pytest

import covary
from covary.errors import CovaryError
from covary.formats.item_keys import join_items

FORM = "Respondent,q1,q2,q3,q4\nAnn,4,1,5,2\nBo,5,2,4,2\nCy,4,2,4,1\n"
KEY = "question,system,source\nq1,A,s1\nq2,B,s1\nq3,A,s2\nq4,B,s2\n"


@pytest.fixture
def form(tmp_path):
    file = tmp_path / "form.csv"
    file.write_text(FORM)
    return file


def key(tmp_path, text=KEY):
    file = tmp_path / "key.csv"
    file.write_text(text)
    return file


def by_item(ratings):
    return {row["item"]: (row["system"], row.get("source")) for row in ratings.rows()}


WANTED = {"q1": ("A", "s1"), "q2": ("B", "s1"), "q3": ("A", "s2"), "q4": ("B", "s2")}


def test_a_key_gives_systems_and_sources_by_item(form, tmp_path):
    ratings = covary.read(form, items=key(tmp_path), scale="1-5")
    assert by_item(ratings) == WANTED
    assert ratings.n_ratings == 12
    (note,) = [note for note in ratings.notes if note.code == "formats.items-joined"]
    assert "4 of 4 items" in note
    assert "'question' of 'key.csv'" in note
    means = {own.system: own.mean for own in covary.systems(ratings).criteria[0].systems}
    assert means == pytest.approx({"A": 26 / 6, "B": 10 / 6})


def test_a_key_may_be_a_frame_and_name_items_by_numbers():
    columns = {"item": [1, 1, 2, 2], "judge": ["a", "b"] * 2, "rating": [1, 2, 4, 5]}
    items = pd.DataFrame({"system": ["B", "A"], "id": [2, 1]})
    ratings = covary.read(pd.DataFrame(columns), items=items, scale="1-5")
    assert by_item(ratings) == {1: ("A", None), 2: ("B", None)}


def test_two_columns_need_no_names_that_covary_knows(form, tmp_path):
    text = "no.,who\nq1,A\nq2,B\nq3,A\nq4,B\n"
    ratings = covary.read(form, items=key(tmp_path, text), scale="1-5")
    assert ratings.values("system") == ("A", "B")


def test_items_that_the_key_does_not_hold_are_named(form, tmp_path):
    ratings = covary.read(form, items=key(tmp_path, "item,system\nq1,A\nq2,B\nzz,C\n"), scale="1-5")
    codes = {note.code: note for note in ratings.notes}
    assert "2 of 4 items" in codes["formats.items-joined"]
    assert "2 items have no system in 'key.csv': 'q3', 'q4'" in codes["formats.items-without"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("item,system\nx1,A\nx2,B\n", "no item of the ratings .*q1.*x1.*matched by name"),
        ("item,system\nq1,A\nq1,B\n", "gives item 'q1' more than one system"),
        ("item,length,topic\nq1,3,tea\n", "none of them says the system"),
    ],
)
def test_a_key_that_says_nothing_or_two_things_is_refused(form, tmp_path, text, said):
    with pytest.raises(CovaryError, match=said):
        covary.read(form, items=key(tmp_path, text), scale="1-5")


def test_ratings_that_name_their_systems_need_no_key(tmp_path):
    file = tmp_path / "long.csv"
    file.write_text("item,judge,rating,system\nq1,Ann,4,A\nq2,Ann,2,B\n")
    with pytest.raises(CovaryError, match="so do the ratings themselves"):
        covary.read(file, items=key(tmp_path, "item,system\nq1,A\n"), scale="1-5")


def test_ratings_that_stay_where_they_are_get_their_systems_there(form, tmp_path):
    ratings = covary.read(form, scale="1-5")
    ratings.__dict__["large"] = True
    joined = join_items(ratings, key(tmp_path))
    assert by_item(joined) == WANTED
