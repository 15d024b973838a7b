"""The records of recruiting: nobody changes them by accident, and the long ones are named."""

from dataclasses import FrozenInstanceError, fields
from decimal import Decimal

import pytest

from covary.analysis.planning.cost import ExpectedCost, Prices
from covary.crowd.api import Caller
from covary.crowd.cost import ActualCost, BatchCost
from covary.crowd.lint import LintFinding, Rejecting
from covary.crowd.payments import Payment
from covary.crowd.platforms import PROLIFIC, Codes, visitor_of
from covary.crowd.prolific import Bonuses, Draft, Prolific
from covary.crowd.submissions import Submission

ONE = Decimal(1)
VISIT = Submission("s", "p", "APPROVED")
EXPECTED = {"assignments": 1, "per_item": ONE, "hours": 1.0}
ACTUAL = {"approved": 1, "waiting": 0, "screened_out": 0, "bonuses": ONE, "hours": 1.0}
SPENT = {"paid": ONE, "fees": ONE, "hourly": 1.0}
TIMES = {"unpriced": 0, "seconds_mean": 1.0, "seconds_median": 1.0}


def expected():
    made = ExpectedCost(**EXPECTED, **SPENT)
    assert made.total == 2
    return made


def actual():
    made = ActualCost(**ACTUAL, **SPENT, owed=ONE, hourly_median=1.0, top_ups={})
    assert made.total == 3
    return made


def batch():
    made = BatchCost(**TIMES, **SPENT, owed=ONE)
    assert made.total == 3
    return made


def payment():
    made = Payment(submission=VISIT, ended="done", pay=ONE, top_up=ONE, decision="approve")
    assert made.to_do == "approve"
    return made


def draft():
    texts = {"name": "n", "description": "d", "address": "https://example.org"}
    made = Draft(**texts, codes=Codes("A"), reward=1, minutes=1, places=1)
    assert made.content()["reward"] == 100
    return made


def bonuses():
    Prolific("token")
    return Bonuses(id="b", amount=ONE, fees=ONE, total=ONE)


def visitor():
    return visitor_of("PROLIFIC_PID=p")


def platform():
    assert PROLIFIC.back("A")
    return PROLIFIC


def finding():
    made = LintFinding("must", "checks", "no-checks")
    assert str(made).startswith("must: checks: there is no attention check; add items")
    return made


def rejecting():
    finding()
    return Rejecting()


def codes():
    return Codes("A")


def caller():
    return Caller("https://example.org", "token-1")


def prices():
    return Prices(1)


def submission():
    return Submission("s", "p", "APPROVED", seconds=1)


LONG = [expected, actual, batch, payment, draft, bonuses]
SHORT = [
    visitor,
    platform,
    finding,
    rejecting,
    codes,
    caller,
    prices,
    submission,
]


@pytest.mark.parametrize("make", [*LONG, *SHORT])
def test_a_record_cannot_be_changed(make):
    record = make()
    name = fields(record)[0].name
    with pytest.raises(FrozenInstanceError):
        setattr(record, name, None)


@pytest.mark.parametrize("make", LONG)
def test_a_long_record_is_made_by_name(make):
    record = make()
    values = [getattr(record, field.name) for field in fields(record)]
    with pytest.raises(TypeError, match="positional"):
        type(record)(*values)


def test_a_token_is_in_no_text():
    assert "token-1" not in repr(caller())
    assert "sleep" not in repr(caller())
