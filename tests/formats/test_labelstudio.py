"""Label Studio's JSON, read and written."""

import json

import pytest

from covary.errors import InvalidArgument, RatingsError
from covary.formats import read, write
from covary.ratings import Ratings
from tests.formats.tables import rows


def result(criterion, **value):
    kind = next(iter(value))
    return {"id": "x", "from_name": criterion, "to_name": "text", "type": kind, "value": value}


def annotation(who, *results, **more):
    return {"completed_by": who, "result": list(results), "was_cancelled": False, **more}


def task(number, *annotations, **data):
    return {"id": number, "data": data, "annotations": list(annotations), "predictions": []}


@pytest.fixture
def export(file):
    return lambda *tasks: file(json.dumps(tasks), "export.json")


def test_numbers_and_stars_are_ratings_with_their_seconds(export):
    path = export(
        task(7, annotation(3, result("fluency", rating=4), lead_time=12.5), text="Hi"),
        task(8, annotation(3, result("fluency", number=57)), text="Ho"),
    )
    ratings = read(path)
    assert rows(ratings, "item", "judge", "criterion", "rating", "seconds") == [
        (7, 3, "fluency", 4, 12.5),
        (8, 3, "fluency", 57, None),
    ]
    assert ratings.notes == ("export.json was read as an export of Label Studio.",)


def test_choices_are_words_and_judges_may_be_known_by_e_mail(export):
    who = {"id": 5, "email": "ann@example.org", "first_name": ""}
    ratings = read(export(task(1, annotation(who, result("q", choices=["Good"])))))
    assert rows(ratings) == [(1, "ann@example.org", "Good")]


def test_cancelled_annotations_are_left_out_and_said(export):
    path = export(
        task(
            1,
            annotation(1, result("q", rating=4)),
            annotation(2, result("q", rating=1), was_cancelled=True),
        )
    )
    assert read(path).judges == (1,)
    assert read(path).notes[1] == "Cancelled annotations were left out: 1."


def test_what_is_no_rating_and_what_is_more_than_one_is_left_out_and_said(export):
    path = export(
        task(
            1,
            annotation(
                1,
                result("q", choices=["a"]),
                result("r", choices=["a", "b"]),
                result("remark", text=["hm"]),
            ),
        )
    )
    ratings = read(path)
    assert ratings.criteria == ("q",)
    assert "Answers with more than one choice were left out: 1." in ratings.notes
    assert "neither choices nor rating nor number" in ratings.notes[2]


def test_words_beside_numbers_are_read_on_request(export):
    path = export(task(1, annotation(1, result("n", rating=4), result("w", choices=["x"]))))
    assert read(path).criteria == ("n",)
    assert read(path, rating="w").criteria == ("w",)


def test_the_data_of_a_task_give_item_and_system(export):
    path = export(task(1, annotation(1, result("q", rating=4)), key="k1", model="A"))
    ratings = read(path, item="key")
    assert rows(ratings, "item", "system") == [("k1", "A")]
    with pytest.raises(InvalidArgument, match=r"'nr' is not among the data .* 'key', 'model'"):
        read(path, item="nr")


def test_a_list_of_plain_records_is_a_table(file):
    path = file(json.dumps([{"item": "q1", "judge": "Ann", "rating": 4}]), "a.json")
    assert rows(read(path)) == [("q1", "Ann", 4)]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[{", "a.json cannot be read as JSON"),
        ('[{"id": 1, "data": {}, "annotations": []}]', "holds no ratings"),
    ],
)
def test_what_is_wrong_is_said(file, content, said):
    with pytest.raises(RatingsError, match=said):
        read(file(content, "a.json"))


def test_another_json_is_no_export(file):
    with pytest.raises(RatingsError, match="not an export of Label Studio"):
        read(file('[{"a": 1}]', "a.json"), format="label-studio")


FULL = {
    "item": ["q1", "q1", "q1", "q2", "q2"],
    "judge": ["Ann", "Ann", "Bo", "Ann", "Bo"],
    "criterion": ["fluency", "clarity", "fluency", "fluency", "fluency"],
    "rating": [4, 5, 3, 1, 2],
    "system": ["A", "A", "A", "B", "B"],
    "source": ["s", "s", "s", "t", "t"],
    "round": [1, 1, 1, 2, 2],
    "seconds": [2.5, 3.0, 4.0, 1.0, 1.5],
}


def test_what_is_written_is_read_again(tmp_path):
    ratings = Ratings(FULL)
    back = read(write(ratings, tmp_path / "a.json"))
    assert rows(back, *FULL) == rows(ratings, *FULL)


@pytest.mark.parametrize(
    "table",
    [
        {"item": ["12", "13"], "judge": ["7", "7"], "rating": [1, 2]},
        {"item": [12, 13], "judge": [7, 8], "rating": [1.5, 2.25]},
        {"item": ["<b>é</b>", 'a "b"\nc'], "judge": ["Ann", "Ann"], "rating": ["good", "bad"]},
    ],
    ids=["names that look like numbers", "numbers", "words"],
)
def test_kinds_of_names_and_ratings_survive(tmp_path, table):
    ratings = Ratings(table)
    back = read(write(ratings, tmp_path / "a.json"))
    assert back.criteria == (None,)
    assert rows(back) == rows(ratings)


def test_a_task_has_the_shape_of_label_studio(tmp_path):
    tasks = json.loads(write(Ratings(FULL), tmp_path / "a.json").read_text())
    assert [each["id"] for each in tasks] == [1, 2]
    (first, *_) = tasks[0]["annotations"]
    assert first["completed_by"] == {"id": 1, "email": "Ann"}
    assert first["result"][0]["from_name"] == "fluency"
    assert first["result"][0]["value"] == {"number": 4}
