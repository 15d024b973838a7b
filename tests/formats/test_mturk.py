"""Batches of Mechanical Turk, with the columns in Amazon's order."""

import csv
import io

import pytest

from covary.errors import InvalidArgument, RatingsError
from covary.formats import read
from tests.formats.tables import rows

FIXED = """
    HITId HITTypeId Title Description Keywords Reward CreationTime MaxAssignments
    RequesterAnnotation AssignmentDurationInSeconds AutoApprovalDelayInSeconds Expiration
    NumberOfSimilarHITs LifetimeInSeconds AssignmentId WorkerId AssignmentStatus AcceptTime
    SubmitTime AutoApprovalTime ApprovalTime RejectionTime RequesterFeedback WorkTimeInSeconds
    LifetimeApprovalRate Last30DaysApprovalRate Last7DaysApprovalRate
"""


def batch(*assignments):
    """A batch of assignments, each a dict of the cells that matter."""
    more = list(
        dict.fromkeys(key for each in assignments for key in each if key not in FIXED.split())
    )
    columns = [*FIXED.split(), *more, "Approve", "Reject"]
    usual = {"Reward": "$0.02", "LifetimeApprovalRate": "0% (0/0)", "Title": "Rate, please"}
    stream = io.StringIO()
    table = csv.DictWriter(stream, columns, quoting=csv.QUOTE_ALL)
    table.writeheader()
    for number, each in enumerate(assignments):
        table.writerow(
            usual | {"AssignmentId": f"a{number}", "AssignmentStatus": "Approved"} | each
        )
    return stream.getvalue()


def by(worker, hit="h1", seconds="12", **cells):
    return {"HITId": hit, "WorkerId": worker, "WorkTimeInSeconds": seconds, **cells}


def test_each_answer_is_a_rating_on_a_criterion_of_its_name(file):
    content = batch(
        by("w1", **{"Input.text": "Hi", "Answer.fluency": "4", "Answer.adequacy": "5"}),
        by("w2", **{"Input.text": "Hi", "Answer.fluency": "3", "Answer.adequacy": ""}),
    )
    ratings = read(file(content), scale="1-5")
    assert rows(ratings, "item", "judge", "criterion", "rating", "seconds") == [
        ("h1", "w1", "adequacy", 5, 12.0),
        ("h1", "w1", "fluency", 4, 12.0),
        ("h1", "w2", "fluency", 3, 12.0),
    ]
    assert ratings.notes == ("ratings.csv was read as batch results of Mechanical Turk.",)


def test_words_are_ratings(file):
    content = batch(by("w1", **{"Answer.q": "good"}), by("w2", **{"Answer.q": "bad"}))
    assert rows(read(file(content), scale="bad,good"))[0] == ("h1", "w1", "good")


def test_rejected_assignments_are_left_out_and_said(file):
    content = batch(
        by("w1", **{"Answer.q": "4"}), by("w2", AssignmentStatus="Rejected", **{"Answer.q": "1"})
    )
    ratings = read(file(content))
    assert ratings.judges == ("w1",)
    assert ratings.notes[1].startswith("Rejected assignments were left out: 1 ")
    assert read(file(content), keep_rejected=True).judges == ("w1", "w2")


@pytest.mark.parametrize("item", ["Input.text_id", "text_id"])
def test_an_input_may_be_the_item(file, item):
    content = batch(by("w1", **{"Input.text_id": "t9", "Answer.q": "4"}))
    assert read(file(content), item=item).values("item") == ("t9",)


def test_the_system_and_source_are_found_among_the_inputs(file):
    content = batch(by("w1", **{"Input.model": "A", "Input.prompt": "p", "Answer.q": "4"}))
    ratings = read(file(content))
    assert rows(ratings, "system", "source") == [("A", "p")]
    assert "'model' as the system and 'prompt' as the source" in ratings.notes[1]
    assert "system" not in read(file(content), system=None).columns


def test_comments_do_not_turn_numbers_into_words(file):
    content = batch(by("w1", **{"Answer.q": "4", "Answer.comment": "well, so so"}))
    ratings = read(file(content))
    assert ratings.criteria == ("q",)
    assert "There are words in 'comment' and numbers in 'q'" in ratings.notes[1]
    for wanted in ("Answer.comment", ["comment"], "comm*"):
        assert read(file(content), rating=wanted).criteria == ("comment",)


def test_radio_buttons_in_columns_of_their_own_are_one_answer(file):
    cells = [
        {"Answer.q.1": "true", "Answer.q.2": "false"},
        {"Answer.q.1": "false", "Answer.q.2": "true"},
        {"Answer.q.1": "true", "Answer.q.2": "true"},
    ]
    content = batch(*(by(f"w{n}", **each) for n, each in enumerate(cells)))
    ratings = read(file(content))
    assert rows(ratings, "judge", "criterion", "rating") == [("w0", "q", 1), ("w1", "q", 2)]


def test_answers_in_one_cell_of_json_are_taken_apart(file):
    answers = '[{"fluency":{"1":false,"2":true},"overall":"3"}]'
    ratings = read(file(batch(by("w1", **{"Answer.taskAnswers": answers}))))
    assert rows(ratings, "criterion", "rating") == [("fluency", 2), ("overall", 3)]


def test_one_worker_twice_in_one_hit_is_refused(file):
    with pytest.raises(RatingsError, match="more than once"):
        read(file(batch(by("w1", **{"Answer.q": "4"}), by("w1", **{"Answer.q": "5"}))))


def test_a_table_without_answers_is_no_batch(file):
    with pytest.raises(RatingsError, match="not a batch of Mechanical Turk"):
        read(file("item,judge,rating\nq1,Ann,4\n"), format="mturk")


def test_columns_that_are_not_there_are_refused(file):
    path = file(batch(by("w1", **{"Answer.q": "4"})))
    with pytest.raises(InvalidArgument, match="item='nr' is not a column"):
        read(path, item="nr")
    with pytest.raises(InvalidArgument, match="rating='x' is not among the answers 'q'"):
        read(path, rating="x")
    with pytest.raises(InvalidArgument, match="criterion='q' cannot be chosen"):
        read(path, criterion="q")
