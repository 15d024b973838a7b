"""The table by which people are paid."""

import csv
from decimal import Decimal

import pytest

from covary.analysis.planning.cost import Prices
from covary.crowd.payments import bonuses_due, payments, write_payments
from covary.crowd.platforms import Codes
from covary.crowd.submissions import Submission

CODES = Codes("DONE1", "OUT1", "FAIL1")
PRICES = Prices("1.50", wage=12, screen_out="0.20")
WAITING = "AWAITING REVIEW"


def visit(id, status=WAITING, code="DONE1", seconds=300.0, participant=None):  # noqa: A002
    return Submission(id, participant or f"p-{id}", status, code, seconds)


def due(*visits):
    return payments(visits, PRICES, CODES)


@pytest.mark.parametrize(
    ("status", "code", "ended", "pay", "to_do"),
    [
        (WAITING, "DONE1", "done", "1.50", "approve"),
        (WAITING, " DONE1 ", "done", "1.50", "approve"),
        (WAITING, "OUT1", "screened out", "0.20", "screen out"),
        (WAITING, "FAIL1", "failed checks", "0", "failed checks"),
        (WAITING, "DONE2", "other code", "0", "not the study's"),
        (WAITING, "", "no code", "0", "no code"),
        ("APPROVED", "", "no code", "1.50", ""),
        ("SCREENED OUT", "OUT1", "screened out", "0.20", ""),
        ("REJECTED", "DONE1", "done", "0", ""),
        ("RETURNED", "", "no code", "0", ""),
    ],
)
def test_status_and_code_say_what_is_due_and_what_to_do(status, code, ended, pay, to_do):
    (found,) = due(visit("a", status, code))
    assert (found.ended, found.pay) == (ended, Decimal(pay))
    assert to_do in found.to_do
    assert bool(found.to_do) == (status == WAITING)


def test_somebody_who_came_twice_is_looked_at_before_both_are_paid():
    first, second = due(visit("a", participant="p"), visit("b", participant="p"))
    assert "several" in first.to_do
    assert "several" in second.to_do


def test_a_visit_that_was_returned_is_no_second_one():
    _, second = due(visit("a", "RETURNED", participant="p"), visit("b", participant="p"))
    assert second.to_do == "approve"


def test_bonuses_lift_approved_submissions_to_the_wage():
    """600 s at 12.00 an hour are 2.00; 1.50 was paid."""
    found = due(
        visit("a", "APPROVED", seconds=600), visit("b", "APPROVED"), visit("c", seconds=600)
    )
    assert bonuses_due(found) == {"a": Decimal("0.50")}


def test_the_table_holds_a_row_for_each_submission(tmp_path):
    found = due(visit("a", seconds=90), visit("b", "RETURNED", "", None))
    with write_payments(found, tmp_path / "payments.csv").open(
        encoding="utf-8", newline=""
    ) as file:
        first, second = csv.DictReader(file)
    assert first == {
        "participant": "p-a",
        "submission": "a",
        "status": WAITING,
        "code": "DONE1",
        "ended": "done",
        "minutes": "1.50",
        "pay": "1.50",
        "bonus": "0.00",
        "top_up": "0.00",
        "to_do": "approve",
    }
    assert (second["minutes"], second["pay"]) == ("", "0.00")


@pytest.mark.parametrize("code", ["=1+1", "+1", "-1", "@sum", "\t=1"])
def test_a_code_that_a_spreadsheet_would_compute_is_made_harmless(tmp_path, code):
    file = write_payments(due(visit("a", code=code)), tmp_path / "payments.csv")
    with file.open(encoding="utf-8", newline="") as opened:
        (row,) = csv.DictReader(opened)
    assert row["code"] == f"'{code}"


def test_somebody_who_is_screened_out_is_not_lifted_to_the_wage():
    """0.20 for 600 s is under 12.00 an hour, and is not a pay for the whole work."""
    (found,) = due(visit("a", "SCREENED OUT", "OUT1", 600))
    assert (found.pay, found.top_up) == (Decimal("0.20"), 0)


def test_a_study_that_pays_nothing_owes_nobody_a_bonus():
    (found,) = payments([visit("a", "RETURNED", "", 600)], Prices(0, wage=12), CODES)
    assert (found.pay, found.top_up) == (0, 0)


def test_bonuses_are_due_only_where_something_is_lacking():
    """330 s at 12.00 an hour are 1.10 and 450 s are 1.50, which is what was paid."""
    visits = [visit("a", "APPROVED", seconds=450), visit("b", "PARTIALLY APPROVED", seconds=453)]
    assert bonuses_due(due(*visits)) == {"b": Decimal("0.01")}
