"""Columns are found by the names that people give them, and never when two fit equally well."""

from collections import Counter

import pytest

from covary.errors import InvalidArgument
from covary.formats import read
from covary.formats.column_roles import NAMES, guess, numbered_alike
from covary.ratings import COLUMNS
from tests.formats.tables import rows


@pytest.mark.parametrize(
    ("column", "role"),
    [
        ("annotator", "judge"), ("Rater", "judge"), ("coder", "judge"), ("worker_id", "judge"),
        ("WorkerId", "judge"), ("evaluator", "judge"), ("assessor", "judge"),
        ("Participant ID", "judge"), ("user", "judge"), ("PROLIFIC_PID", "judge"),
        ("score", "rating"), ("Label", "rating"), ("value", "rating"), ("answer", "rating"),
        ("response", "rating"), ("judgement", "rating"), ("annotation", "rating"),
        ("id", "item"), ("item_id", "item"), ("question-id", "item"), ("QID", "item"),
        ("sample", "item"), ("instance", "item"), ("unit", "item"), ("Segment", "item"),
        ("hit", "item"), ("text_id", "item"), ("doc", "item"),
        ("dimension", "criterion"), ("question", "criterion"), ("attribute", "criterion"),
        ("aspect", "criterion"), ("quality", "criterion"), ("metric", "criterion"),
        ("model", "system"), ("condition", "system"), ("method", "system"),
        ("input", "source"), ("document", "source"), ("prompt", "source"),
        ("source_id", "source"), ("text type", "source"),
        ("session", "cluster"), ("dialogue", "cluster"), ("conversation", "cluster"),
        ("work time in seconds", "seconds"),
    ],
)  # fmt: skip
def test_a_common_name_is_understood(column, role):
    assert guess([column], {}).roles == {role: column}


@pytest.mark.parametrize("column", ["wave", "time point", "age", "comment", "items", "raters"])
def test_a_name_that_says_nothing_sure_is_left_alone(column):
    assert guess([column], {}).roles == {}


def test_every_role_has_names_and_every_name_one_role():
    assert tuple(NAMES) == tuple(each for each in NAMES if each in COLUMNS)
    assert set(NAMES) == set(COLUMNS)
    names = Counter(word for lines in NAMES.values() for line in lines for word in line.split())
    assert [word for word, times in names.items() if times > 1] == []
    assert all(word == "".join(filter(str.isalnum, word.lower())) for word in names)


def test_covarys_own_name_comes_before_others():
    found = guess(["id", "item", "worker", "judge", "score", "rating"], {})
    assert found.roles == {"item": "item", "judge": "judge", "rating": "rating"}
    assert found.notes == ()


def test_the_surer_name_is_taken():
    assert guess(["id", "item_id"], {}).roles == {"item": "item_id"}
    assert guess(["answer", "score"], {}).roles == {"rating": "score"}


def test_what_is_said_always_counts():
    found = guess(["worker", "rater", "score"], {"judge": "rater", "rating": "worker"})
    assert found.roles["judge"] == "rater"
    assert found.roles["rating"] == "worker"


def test_nothing_is_taken_for_a_role_that_is_said_to_have_no_column():
    assert guess(["model", "system"], {"system": None}).roles == {}


@pytest.mark.parametrize(
    ("columns", "role"),
    [
        (["annotator", "rater"], "judge"),
        (["label", "answer"], "rating"),
        (["question_id", "doc_id"], "item"),
        (["aspect", "dimension"], "criterion"),
    ],
)
def test_two_that_fit_equally_well_are_refused_with_the_keyword_that_decides(columns, role):
    with pytest.raises(InvalidArgument, match=rf"'{columns[0]}', '{columns[1]}'.*{role}="):
        guess(columns, {})


def test_a_doubt_about_what_changes_no_number_is_only_said():
    found = guess(["prompt", "document"], {})
    assert found.roles == {}
    assert "'prompt', 'document' fit source equally well" in found.notes[0]


def test_what_was_guessed_is_said_in_a_sentence(file):
    ratings = read(file("QID,worker_id,Score,model\nq1,Ann,4,A\nq1,Bo,5,A\n"))
    assert rows(ratings, "item", "judge", "rating", "system") == [
        ("q1", "Ann", 4, "A"),
        ("q1", "Bo", 5, "A"),
    ]
    assert ratings.notes == (
        "By their names, the columns were read so: 'QID' as the item, 'worker_id' as the judge, "
        "'Score' as the rating and 'model' as the system.",
    )


def test_two_columns_of_judges_are_refused_at_the_door_and_a_keyword_helps(file):
    path = file("item,annotator,rater,score\nq1,x,Ann,4\nq1,x,Bo,5\n")
    with pytest.raises(InvalidArgument, match=r"say which one it is: judge='annotator'"):
        read(path)
    assert read(path, judge="rater").judges == ("Ann", "Bo")


def test_a_question_that_is_another_in_every_row_is_no_criterion(file):
    lines = "".join(f"q{n},Ann,{n % 5 + 1},What is {n}?\n" for n in range(60))
    path = file("id,rater,score,question\n" + lines)
    ratings = read(path)
    assert ratings.criteria == (None,)
    assert "'question' has 60 different values" in ratings.notes[-1]


def test_a_few_questions_are_criteria(file):
    ratings = read(file("id,rater,score,question\nq1,A,3,fluent?\nq1,A,4,clear?\n"))
    assert ratings.criteria == ("clear?", "fluent?")


@pytest.mark.parametrize(
    "columns",
    [["J1", "J2"], ["rater_1", "rater_2"], ["Annotator A", "Annotator B"], ["score1", "score2"]],
)
def test_numbered_judges_are_seen(columns):
    assert numbered_alike(["item", *columns, "text"]) == columns


def test_a_crowd_of_thousands_is_numbered_too():
    columns = [f"J{number}" for number in range(3000)]
    assert numbered_alike(["item", *columns]) == columns


@pytest.mark.parametrize("columns", [["J1"], ["J1", "rater2"], ["x1", "x2"], ["item1", "item2"]])
def test_other_numbered_columns_are_no_judges(columns):
    assert numbered_alike(columns) == []


def test_slots_need_no_column_of_judges(file):
    ratings = read(file("item,rating\nq1,4\nq1,5\n"), judges="slots")
    assert ratings.slots
    assert ratings.judges == (1, 2)
