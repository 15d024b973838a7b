"""Visits as the study knows them: in the platform's terms, and in numbers by hand."""

from dataclasses import FrozenInstanceError, dataclass
from decimal import Decimal

import pytest

from covary.crowd.payments import Payment
from covary.crowd.submissions import Submission
from covary.crowd.visits import (
    ENDS,
    MinutesTaken,
    PaymentTotals,
    Workload,
    as_approved,
    count_outcomes,
    ends_by_participant,
    minutes_taken,
    payment_totals,
    submissions_of,
    workload,
)


@dataclass
class Visit:
    """Somebody from a platform."""

    participant: str
    outcome: str = "done"
    seconds: float | None = 90.0
    submission: str = ""
    name: str = "judge-1"
    code: str = "DONE1"


@pytest.mark.parametrize(
    ("outcome", "status", "ended"),
    [
        ("done", "AWAITING REVIEW", "done"),
        ("screened out", "SCREENED OUT", "screened out"),
        ("failed checks", "AWAITING REVIEW", "failed checks"),
        ("withdrew", "RETURNED", "returned"),
        ("declined", "RETURNED", "returned"),
        ("full", "RETURNED", "returned"),
        ("abandoned", "TIMED-OUT", "returned"),
        ("arrived", "ACTIVE", "at work"),
        ("at work", "ACTIVE", "at work"),
    ],
)
def test_every_outcome_has_a_status_and_an_end(outcome, status, ended):
    visit = Visit("p", outcome)
    (submission,) = submissions_of([visit])
    assert (submission.status, submission.participant, submission.code) == (status, "p", "DONE1")
    assert ends_by_participant([visit]) == {"p": ended}


def test_a_visit_by_a_plain_link_goes_by_its_name_here():
    first, second = submissions_of([Visit("p"), Visit("q", submission="s1")])
    assert (first.id, second.id) == ("judge-1", "s1")


def test_time_is_in_whole_seconds_or_not_known():
    first, second = submissions_of([Visit("p", seconds=90.9), Visit("q", seconds=None)])
    assert (first.seconds, second.seconds) == (90, None)


def test_whoever_finished_is_approved_and_failed_checks_are_left_out():
    visits = [Visit("p"), Visit("q", "failed checks"), Visit("r", "withdrew")]
    approved = as_approved(visits)
    assert [(each.participant, each.status) for each in approved] == [
        ("p", "APPROVED"),
        ("r", "RETURNED"),
    ]


def test_outcomes_are_counted_in_their_order():
    outcomes = ("at work", "done", "full", "done")
    visits = [Visit("p", outcome) for outcome in outcomes]
    assert list(count_outcomes(visits).items()) == [("done", 2), ("full", 1), ("at work", 1)]
    assert set(count_outcomes([])) == set()
    assert len(ENDS) == 9


def test_the_workload_of_three_people():
    """2 + 4 + 6: (2·1 - 4)·2 + (2·2 - 4)·4 + (2·3 - 4)·6 = 8, by 3 · 12: Gini 2/9."""
    found = workload([6, 2, 4])
    assert (found.total, found.fewest, found.most, found.mean) == (12, 2, 6, 4)
    assert found.gini == pytest.approx(2 / 9)
    assert found.busiest_share == 0.5
    assert workload([]) is None


def test_minutes_are_those_of_people_who_are_done():
    visits = [Visit("p", seconds=60), Visit("q", seconds=180), Visit("r", seconds=300)]
    others = [Visit("s", "withdrew", 6000), Visit("t", seconds=None)]
    found = minutes_taken([*visits, *others])
    assert (found.shortest, found.median, found.longest) == (1, 3, 5)
    assert minutes_taken(others) is None


def payment(pay, top_up="0", decision=""):
    visit = Submission("s", "p", "APPROVED")
    amounts = {"pay": Decimal(pay), "top_up": Decimal(top_up)}
    return Payment(submission=visit, ended="done", decision=decision, **amounts)


def test_payments_are_summed():
    due = [payment("1.50", "0.25", "approve"), payment("0"), payment("0.20", decision="approve")]
    found = payment_totals(due)
    assert (found.visits, found.paid, found.pay) == (3, 2, Decimal("1.70"))
    assert (found.lifted, found.top_up) == (1, Decimal("0.25"))
    assert found.to_do == {"approve": 2}
    assert payment_totals([]).pay == payment_totals([]).top_up == 0


@pytest.mark.parametrize("kind", [Workload, MinutesTaken, PaymentTotals])
def test_what_was_counted_stays_and_is_made_by_name(kind):
    record = {
        Workload: workload([1]),
        MinutesTaken: minutes_taken([Visit("p")]),
        PaymentTotals: payment_totals([]),
    }[kind]
    name, value = next(iter(vars(record).items()))
    with pytest.raises(FrozenInstanceError):
        setattr(record, name, value)
    with pytest.raises(TypeError, match="positional"):
        kind(*vars(record).values())
