"""Costs and pay, by hand arithmetic and from Banchs (2016)."""

import math
from decimal import Decimal

import pytest

from covary.crowd.cost import Prices, actual_cost, expected_cost
from covary.crowd.submissions import Submission
from covary.errors import InvalidArgument


def done(id, seconds, status="APPROVED", bonus="0"):  # noqa: A002
    return Submission(id, f"p-{id}", status, seconds=seconds, bonus=Decimal(bonus))


def test_the_crowd_of_banchs_costs_72_90():
    """405 turns, three votes, $.05 and a fee of $.01: 1,215 · .06 = 72.90 dollars."""
    found = expected_cost(405, 3, Prices(pay=0.05, fee=0.01), seconds=30)
    assert found.assignments == 1215
    assert (found.paid, found.fees, found.total) == (
        Decimal("60.75"), Decimal("12.15"), Decimal("72.90"),
    )  # fmt: skip
    assert found.per_item == Decimal("0.18")
    assert found.hours == pytest.approx(10.125)
    assert found.hourly == pytest.approx(6.00)


def test_a_sheet_that_is_not_full_is_an_assignment_too():
    """10 items, 3 votes, sheets of 8: 30 / 8 = 3.75, so four people."""
    found = expected_cost(10, 3, Prices(pay=2, fee_share="0.25"), items_per_assignment=8)
    assert (found.assignments, found.paid, found.fees) == (4, 8, 2)


def test_pay_under_the_wage_is_told_with_the_pay_that_would_do():
    """30 s at 12.00 an hour are 0.10."""
    (warning,) = expected_cost(5, 1, Prices(0.05, wage=12), seconds=30).warnings
    assert "6.00" in warning
    assert "12.00" in warning
    assert "0.10" in warning


def test_pay_at_the_wage_is_enough():
    assert expected_cost(5, 1, Prices("0.10", wage=12), seconds=30).warnings == ()


def test_without_time_nothing_is_said_about_an_hour():
    found = expected_cost(5, 1, Prices(0.05, wage=12))
    assert math.isnan(found.hourly)
    assert math.isnan(found.hours)
    assert "time" in found.warnings[0]


def test_without_a_wage_nobody_is_told_that_pay_is_fair():
    assert "No wage" in expected_cost(5, 1, Prices(0.05), seconds=30).warnings[0]


@pytest.mark.parametrize(
    "change", [{"items": 0}, {"votes": 0}, {"items_per_assignment": 0}, {"seconds": 0}]
)
def test_impossible_numbers_are_refused(change):
    given = {"items": 5, "votes": 3, "prices": Prices(1)} | change
    with pytest.raises(InvalidArgument, match=next(iter(change))):
        expected_cost(**given)


def test_negative_pay_is_refused():
    with pytest.raises(InvalidArgument, match="amount"):
        Prices(pay=-1)


def test_the_account_pays_only_what_was_approved():
    """2 · 1.00 + 0.10 screened out, 0.50 bonus; fees are a fifth: 0.52. One is waiting: 1.20."""
    given = [
        done("a", 300),
        done("b", 600, bonus="0.50"),
        done("c", 100, "REJECTED"),
        done("d", 100, "RETURNED"),
        done("e", 30, "SCREENED OUT"),
        done("f", 300, "AWAITING REVIEW"),
    ]
    found = actual_cost(given, Prices(1, fee_share="0.2", wage=12, screen_out="0.10"))
    assert (found.approved, found.waiting, found.screened_out) == (2, 1, 1)
    assert (found.paid, found.bonuses, found.fees) == (
        Decimal("2.10"), Decimal("0.50"), Decimal("0.520"),
    )  # fmt: skip
    assert found.total == Decimal("3.12")
    assert found.owed == Decimal("1.2")
    assert found.hours == pytest.approx(0.25)


def test_the_pay_of_an_hour_is_over_all_time_and_by_submission():
    """2.00 in 900 s is 8.00 an hour; 12.00 and 6.00 each have a median of 9.00."""
    found = actual_cost([done("a", 300), done("b", 600)], Prices(1))
    assert found.hourly == pytest.approx(8)
    assert found.hourly_median == pytest.approx(9)


def test_a_bonus_lifts_everybody_to_the_wage_and_not_above():
    """At 12.00 an hour 601 s are 2.00333, so 1.01 is lacking; 300 s are paid in full."""
    found = actual_cost([done("a", 300), done("b", 601)], Prices(1, wage=12))
    assert found.top_ups == {"b": Decimal("1.01")}
    assert "1 of 2" in found.warnings[0]
    assert "1.01" in found.warnings[0]


def test_a_bonus_that_was_paid_counts():
    assert actual_cost([done("b", 600, bonus="1")], Prices(1, wage=12)).top_ups == {}


def test_an_unknown_time_is_counted_and_not_guessed():
    found = actual_cost([done("a", None)], Prices(1, wage=12))
    assert math.isnan(found.hourly)
    assert "1 of 1 approved" in found.warnings[0]


def test_a_status_that_nobody_knows_is_told():
    found = actual_cost([done("a", 300), done("b", 300, "Paused")], Prices(1, wage=12))
    assert found.approved == 1
    assert "'Paused'" in found.warnings[0]
