"""Costs and pay, by hand arithmetic and from Banchs (2016)."""

import math
from dataclasses import replace
from decimal import Decimal

import pytest

from covary.analysis.planning.cost import Prices, expected_cost
from covary.crowd.cost import actual_cost, batch_cost, whole_cost
from covary.crowd.submissions import Submission
from covary.errors import InvalidArgument
from covary.formats.mturk import Assignment


def done(id, seconds, status="APPROVED", bonus="0"):  # noqa: A002
    return Submission(id, f"p-{id}", status, seconds=seconds, bonus=Decimal(bonus))


def test_the_crowd_of_banchs_costs_72_90():
    """405 turns, three votes, $.05 and a fee of $.01: 1,215 · .06 = 72.90 dollars."""
    found = expected_cost(405, 3, Prices(pay=0.05, fee=0.01), seconds=30)
    assert found.assignments == 1215
    assert (found.paid, found.fees, found.total) == (
        Decimal("60.75"),
        Decimal("12.15"),
        Decimal("72.90"),
    )
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
        Decimal("2.10"),
        Decimal("0.50"),
        Decimal("0.520"),
    )
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
    assert "1 of 1 submissions to be paid" in found.warnings[0]


def test_a_status_that_nobody_knows_is_told():
    found = actual_cost([done("a", 300), done("b", 300, "Paused")], Prices(1, wage=12))
    assert found.approved == 1
    assert "'Paused'" in found.warnings[0]


def test_the_platform_takes_its_fee_for_people_who_are_screened_out_too():
    """2 · 1.00 and 0.10; three people at 0.25 each are 0.75, and a fifth of 2.10 is 0.42."""
    visits = [done("a", 300), done("b", 300), done("c", 30, "SCREENED OUT")]
    found = actual_cost(visits, Prices(1, fee="0.25", fee_share="0.2", screen_out="0.10"))
    assert found.paid == Decimal("2.10")
    assert found.fees == Decimal("1.170")
    assert found.total == Decimal("3.270")


@pytest.mark.parametrize(("people", "whole"), [(2, "3.270"), (4, "6.170"), (1, "3.270")])
def test_the_whole_holds_who_was_screened_out_and_who_is_wanted_yet(people, whole):
    """So far 3.27, as above; each person yet to come costs 1.00, 0.25 and 0.20."""
    visits = [done("a", 300), done("b", 300), done("c", 30, "SCREENED OUT")]
    prices = Prices(1, fee="0.25", fee_share="0.2", screen_out="0.10")
    assert whole_cost(actual_cost(visits, prices), people, prices) == Decimal(whole)


def test_people_who_are_screened_out_are_paid_nothing_where_nobody_says_so():
    found = actual_cost([done("a", 30, "SCREENED OUT")], Prices(1))
    assert (found.screened_out, found.paid, found.total) == (1, 0, 0)


def test_a_bonus_is_part_of_what_an_hour_paid():
    """1.00 and 1.50 in 900 s are 10.00 an hour; 12.00 and 9.00 each have a median of 10.50."""
    found = actual_cost([done("a", 300), done("b", 600, bonus="0.50")], Prices(1))
    assert found.hourly == pytest.approx(10)
    assert found.hourly_median == pytest.approx(10.5)


def test_what_waits_costs_pay_and_fee():
    """2 · (1.00 + 0.25) + a fifth of 2.00."""
    waiting = [done(name, 300, "AWAITING REVIEW") for name in "ab"]
    assert actual_cost(waiting, Prices(1, fee="0.25", fee_share="0.2")).owed == Decimal("2.90")


def test_a_bonus_of_some_cents_is_one():
    """330 s at 12.00 an hour are 1.10; nothing is known of a wage that nobody set."""
    visits = [done("a", 330)]
    assert actual_cost(visits, Prices(1, wage=12)).top_ups == {"a": Decimal("0.10")}
    assert actual_cost(visits, Prices(1)).top_ups == {}


def test_times_that_are_not_known_are_counted():
    found = actual_cost([done("a", 300), done("b", None), done("c", 0)], Prices(1, wage=12))
    assert found.warnings[0].data == {"n": 2, "approved": 3}
    assert found.hours == pytest.approx(300 / 3600)


def test_nothing_is_said_about_times_that_are_all_known():
    assert actual_cost([done("a", 300)], Prices(1, wage=12)).warnings == ()
    (warning,) = actual_cost([done("a", 300)], Prices(1)).warnings
    assert warning.code == "crowd.no-wage"


def test_an_account_of_nobody_is_empty():
    found = actual_cost([], Prices(1, wage=12))
    assert (found.approved, found.total, found.owed) == (0, 0, 0)
    assert math.isnan(found.hours)
    assert math.isnan(found.hourly_median)


def test_work_of_a_second_can_be_estimated():
    """A cent for a second is 36.00 an hour."""
    found = expected_cost(1, 1, Prices("0.01", wage=12), seconds=1)
    assert (found.hourly, found.warnings) == (pytest.approx(36), ())
    with pytest.raises(InvalidArgument, match="seconds"):
        expected_cost(1, 1, Prices(1), seconds=math.inf)


def assignment(reward, seconds=30.0, of_hit=3, status="Approved"):
    paid = None if reward is None else Decimal(reward)
    names = {"line": 2, "id": "a", "hit": "h", "worker": "w", "accepted": "", "submitted": ""}
    return Assignment(**names, status=status, reward=paid, seconds=seconds, of_hit=of_hit)


@pytest.mark.parametrize(
    ("reward", "of_hit", "fee"),
    [
        ("1.00", 9, "0.20"),
        ("1.00", 10, "0.40"),
        ("1.00", None, "0.20"),
        ("0.05", 3, "0.01"),
        ("0.01", 3, "0.01"),  # at least a cent
        ("0.13", 3, "0.03"),  # 0.026
        ("0.00", 3, "0"),
    ],
)
def test_mechanical_turk_took_a_fifth_or_two_and_at_least_a_cent(reward, of_hit, fee):
    assert batch_cost([assignment(reward, of_hit=of_hit)]).fees == Decimal(fee)


def test_the_account_of_a_batch():
    """1.00 paid, 0.50 waits; fees .20 + .10; 1.50 in 90 s are 60.00 an hour."""
    found = batch_cost(
        [
            assignment("1.00", 30.0),
            assignment("0.50", 60.0, status="Submitted"),
            assignment("9.00", 60.0, status="Rejected"),
            assignment(None, 120.0),
        ]
    )
    assert (found.paid, found.owed, found.fees) == (1, Decimal("0.50"), Decimal("0.30"))
    assert (found.total, found.unpriced) == (Decimal("1.80"), 1)
    assert (found.seconds_mean, found.seconds_median) == (70, 60)
    assert found.hourly == pytest.approx(60)


def test_a_batch_without_times_says_nothing_about_an_hour():
    found = batch_cost([assignment("1.00", None)])
    assert (found.paid, found.unpriced) == (1, 0)
    assert math.isnan(found.hourly)
    assert math.isnan(found.seconds_mean)
    assert math.isnan(found.seconds_median)


def timed(accepted, submitted, status="Approved"):
    return replace(assignment("0.05", status=status), accepted=accepted, submitted=submitted)


def test_the_turnaround_goes_from_the_first_acceptance_to_the_last_answer():
    """10:30 PST is 18:30 UTC, and 13:00 PDT the next day 20:00 UTC: 25.5 hours, rejected or not."""
    batch = [
        timed("Mon Mar 07 11:00:00 PST 2016", "Tue Mar 08 13:00:00 PDT 2016", "Rejected"),
        timed("Mon Mar 07 10:30:00 PST 2016", "Mon Mar 07 10:31:00 PST 2016"),
    ]
    assert batch_cost(batch).turnaround == pytest.approx(25.5)


@pytest.mark.parametrize("zone", ["UTC", "GMT", "Z"])
def test_times_of_greenwich_are_read_as_such(zone):
    """10:00 PST is 18:00 UTC."""
    batch = [timed("Mon Mar 07 10:00:00 PST 2016", f"Mon Mar 07 19:30:00 {zone} 2016")]
    assert batch_cost(batch).turnaround == pytest.approx(1.5)


@pytest.mark.parametrize("written", ["", "yesterday", "Mon Foo 07 10:30:00 PST 2016", "x " * 6])
def test_times_that_nobody_can_read_give_no_turnaround(written):
    assert math.isnan(batch_cost([timed(written, written)]).turnaround)
