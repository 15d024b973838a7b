"""Submissions as Prolific writes them."""

from decimal import Decimal

import pytest

from covary.analysis.planning.cost import money
from covary.crowd.submissions import STATUSES, Submission
from covary.errors import InvalidArgument, RatingsError

RECORD = {"id": "s1", "participant_id": "p1", "status": "APPROVED"}


def test_the_names_of_a_single_submission_are_read_too():
    """Lists say participant_id and study_code, one submission participant and entered_code."""
    found = Submission.from_prolific(
        {"id": "s1", "participant": "p1", "status": "APPROVED", "entered_code": "CODE1"}
    )
    assert (found.participant, found.code) == ("p1", "CODE1")


@pytest.mark.parametrize("status", STATUSES)
def test_every_status_is_read_however_it_is_written(status):
    for written in (status, status.lower(), status.replace(" ", "_"), status.replace("-", "_")):
        assert Submission.from_prolific(RECORD | {"status": written}).status == status


def test_time_is_the_time_between_start_and_end_where_no_other_is_known():
    times = {"started_at": "2026-03-01T10:00:00.000000Z", "completed_at": "2026-03-01T10:02:30Z"}
    assert Submission.from_prolific(RECORD | times).seconds == 150


@pytest.mark.parametrize("completed", [None, "", "yesterday"])
def test_time_is_unknown_where_a_visit_has_no_end(completed):
    times = {"started_at": "2026-03-01T10:00:00Z", "completed_at": completed}
    found = Submission.from_prolific(RECORD | times)
    assert found.seconds is None
    assert found.minutes != found.minutes


def test_bonuses_come_in_hundredths():
    found = Submission.from_prolific(RECORD | {"bonus_payments": [10, 5.0]})
    assert found.bonus == Decimal("0.15")


@pytest.mark.parametrize("name", ["id", "participant_id", "status"])
def test_a_submission_without_what_payment_needs_is_refused(name):
    with pytest.raises(RatingsError, match=name.removesuffix("_id")):
        Submission.from_prolific({key: value for key, value in RECORD.items() if key != name})


def test_a_status_that_is_new_is_kept_as_it_was_written():
    assert Submission.from_prolific(RECORD | {"status": "Paused"}).status == "Paused"


def test_nobody_has_a_bonus_who_was_given_none():
    assert Submission("s", "p", "APPROVED").bonus == 0


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf")])
def test_a_time_that_is_none_is_refused(seconds):
    with pytest.raises(InvalidArgument, match="seconds"):
        Submission("s", "p", "APPROVED", seconds=seconds)


@pytest.mark.parametrize("amount", [-1, "much", float("nan"), "Infinity"])
def test_what_is_no_amount_is_refused(amount):
    with pytest.raises(InvalidArgument, match="amount"):
        money(amount)


@pytest.mark.parametrize(
    ("started", "completed", "seconds"),
    [
        ("2026-03-01T10:00:00", "2026-03-01T10:02:30Z", 150),  # without a zone it is UTC
        ("2026-03-01T11:00:00+01:00", "2026-03-01T10:02:30", 150),
        ("2026-03-01T10:00:30Z", "2026-03-01T10:00:00Z", 0),  # clocks that disagree
    ],
)
def test_times_are_compared_in_one_zone(started, completed, seconds):
    times = {"started_at": started, "completed_at": completed}
    assert Submission.from_prolific(RECORD | times).seconds == seconds


@pytest.mark.parametrize(("taken", "seconds"), [(0, 0), (0.5, 0.5), (True, None), ("9", None)])
def test_only_a_number_is_a_time(taken, seconds):
    assert Submission.from_prolific(RECORD | {"time_taken": taken}).seconds == seconds


@pytest.mark.parametrize("name", [5, "", None])
def test_a_name_that_is_none_is_refused(name):
    with pytest.raises(RatingsError, match="without 'participant'"):
        Submission.from_prolific(RECORD | {"participant_id": name})


def test_an_amount_may_be_nothing():
    assert money(0) == money("0.00") == 0
