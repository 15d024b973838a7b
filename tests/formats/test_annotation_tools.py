"""Exports of Prodigy and Argilla, in the shapes that their documentation shows."""

import json

import pytest

from covary.errors import RatingsError
from covary.formats import read
from tests.formats.tables import rows

CHOSEN = [("7", "Ann", "good"), ("7", "Bo", "bad"), ("8", "Ann", "good")]


def prodigy(item, judge, **answer):
    return {"text": f"text {item}", "_input_hash": int(item), "_session_id": judge} | answer


def lines(records):
    return "\n".join(json.dumps(record) for record in records)


def test_a_choice_in_prodigy_is_the_accepted_option(file):
    options = [{"id": "good", "text": "Good"}, {"id": "bad", "text": "Bad"}]
    records = [prodigy(i, j, accept=[c], options=options, answer="accept") for i, j, c in CHOSEN]
    ignored = prodigy("9", "Ann", accept=[], options=options, answer="ignore")
    ratings = read(file(lines([*records, ignored]), "a.jsonl"))
    assert rows(ratings) == CHOSEN
    assert ratings.notes[0] == "a.jsonl was read as an export of Prodigy."


@pytest.mark.parametrize("odd", [[], ["good"], {"a": [1]}])
def test_an_answer_that_is_no_single_value_is_refused(file, odd):
    records = [prodigy(i, j, accept=[c], answer="accept") for i, j, c in CHOSEN]
    records.append(prodigy("9", "Ann", accept=[odd], answer="accept"))
    with pytest.raises(RatingsError, match="an answer is"):
        read(file(lines(records), "a.jsonl"))


def test_a_label_in_prodigy_is_a_criterion_that_was_accepted_or_rejected(file):
    labelled = [("7", "Ann", "accept"), ("7", "Bo", "reject"), ("8", "Ann", "accept")]
    records = [prodigy(i, j, label="FLUENT", answer=a) for i, j, a in labelled]
    assert rows(read(file(lines(records), "a.jsonl"))) == labelled


@pytest.mark.parametrize("nested", [False, True], ids=["columns", "lists"])
def test_responses_in_argilla_are_ratings_by_their_users(file, nested):
    def record(item, values, statuses):
        users = ["u1", "u2"]
        if nested:
            return {"id": item, "fluency": {"user_id": users, "value": values, "status": statuses}}
        names = ("fluency.responses", "fluency.responses.users", "fluency.responses.status")
        return {"id": item} | dict(zip(names, (values, users, statuses), strict=True))

    submitted = ["submitted", "submitted"]
    records = [record("a", [4, 5], submitted), record("b", [1, 2], ["submitted", "draft"])]
    expected = [("a", "u1", 4), ("a", "u2", 5), ("b", "u1", 1)]
    assert rows(read(file(json.dumps(records), "a.json"))) == expected
    assert rows(read(file(lines(records), "a.jsonl"))) == expected


def test_an_answer_that_is_true_is_read_as_the_file_writes_it(file):
    records = [prodigy(i, j, accept=[c], answer="accept") for i, j, c in CHOSEN]
    records.append(prodigy("9", "Ann", accept=[True], answer="accept"))
    assert "true" in read(file(lines(records), "a.jsonl")).values("rating")
