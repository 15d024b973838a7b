"""Folders of Potato."""

import json

import pytest

from covary.errors import InvalidArgument, RatingsError
from covary.formats import read
from tests.formats.tables import rows


@pytest.fixture
def folder(file, tmp_path):
    def write(**users):
        for user, answers in users.items():
            state = {"user_id": user, "instance_id_to_label_to_value": answers}
            file(json.dumps(state), f"out/{user}/user_state.json")
        return tmp_path / "out"

    return write


def answer(schema, name, value):
    return [{"schema": schema, "name": name}, value]


EXPECTED = [("i1", "Ann", "fluency", 4), ("i1", "Bo", "fluency", 5), ("i2", "Ann", "fluency", 1)]


@pytest.mark.parametrize(
    "shape",
    [
        lambda n: [answer("fluency", f"scale_{n}", str(n))],
        lambda n: [answer("fluency", str(n), True)],
        lambda n: {"fluency": {str(n): "true"}},
        lambda n: {"fluency": {f"scale_{n}": n}},
        lambda n: {"fluency": n},
    ],
    ids=["list", "list of options", "options", "values", "plain"],
)
def test_every_shape_of_answers_is_read(folder, shape):
    path = folder(Ann={"i1": shape(4), "i2": shape(1)}, Bo={"i1": shape(5)})
    ratings = read(path)
    assert rows(ratings, "item", "judge", "criterion", "rating") == EXPECTED
    assert ratings.notes == ("out was read as a folder of Potato with 2 users.",)


def test_radio_buttons_are_words(folder):
    path = folder(Ann={"i1": [answer("q", "good", "on")]}, Bo={"i1": [answer("q", "bad", "on")]})
    assert rows(read(path)) == [("i1", "Ann", "good"), ("i1", "Bo", "bad")]


def test_several_clicked_points_are_left_out_and_said(folder):
    clicked = [answer("q", "scale_2", "2"), answer("q", "scale_3", "3")]
    ratings = read(folder(Ann={"i1": clicked, "i2": [answer("q", "scale_2", "2")]}))
    assert rows(ratings) == [("i2", "Ann", 2)]
    assert "more than one answer by one user were left out: 1." in ratings.notes[1]


def test_an_empty_answer_is_none(folder):
    given = {"i1": [answer("q", "x", "")], "i2": [answer("q", "scale_2", "2")]}
    assert rows(read(folder(Ann=given))) == [("i2", "Ann", 2)]


def test_remarks_do_not_turn_numbers_into_words(folder):
    given = {"i1": [answer("q", "scale_2", "2"), answer("remark", "text_box", "hm")]}
    assert read(folder(Ann=given)).criteria == ("q",)
    assert read(folder(Ann=given), rating="remark").criteria == ("remark",)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", r"user_state.json cannot be read as JSON"),
        ("{}", r"Ann/user_state.json has no 'instance_id_to_label_to_value'"),
        ('{"instance_id_to_label_to_value": {"i1": ["x"]}}', "item 'i1': 'x' is not an answer"),
        ('{"instance_id_to_label_to_value": {}}', "holds no ratings"),
    ],
)
def test_what_is_wrong_is_said(file, tmp_path, content, said):
    file(content, "out/Ann/user_state.json")
    with pytest.raises(RatingsError, match=said):
        read(tmp_path / "out")


def test_what_cannot_be_chosen_is_refused(folder, tmp_path):
    path = folder(Ann={"i1": {"q": 1}})
    with pytest.raises(InvalidArgument, match="judge='x' cannot be chosen"):
        read(path, judge="x")
    with pytest.raises(InvalidArgument, match="is not a table"):
        read(path, wide=True)
    with pytest.raises(RatingsError, match="not a folder of Potato"):
        read(tmp_path / "out" / "Ann" / "user_state.json", format="potato")
